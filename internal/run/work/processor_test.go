package work

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestProcessorTime: time in which the goroutine rests does not count, time in which it works does.
func TestProcessorTime(t *testing.T) {
	const limit = 30 * time.Millisecond
	ctx, cancel := WithProcessorTime(context.Background(), limit)
	defer cancel()
	time.Sleep(3 * limit)
	if err := ctx.Err(); err != nil {
		t.Errorf("after a rest: %v", err)
	}
	for n := uint32(1); ctx.Err() == nil; {
		for range 1000 {
			n = n*1664525 + 1013904223
		}
	}
	if cause, err := context.Cause(ctx), ctx.Err(); !errors.Is(cause, context.DeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the cause is %v, the error %v", cause, err)
	}
}

// TestProcessTime: the time of all threads of the process counts, time in which all rest does not.
func TestProcessTime(t *testing.T) {
	const limit = 200 * time.Millisecond
	begin := Process()
	ctx, cancel := WithProcessTime(context.Background(), limit)
	defer cancel()
	time.Sleep(limit / 10)
	if err := ctx.Err(); err != nil && Process()-begin < limit {
		t.Errorf("after a rest: %v", err)
	}
	go func() {
		for n := uint32(1); ctx.Err() == nil; n++ {
		}
	}()
	<-ctx.Done()
	if cause, err := context.Cause(ctx), ctx.Err(); !errors.Is(cause, context.DeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the cause is %v, the error %v", cause, err)
	}
	if used := Process() - begin; used < limit {
		t.Errorf("it ended after %v of %v", used, limit)
	}
	if ctx, cancel = WithProcessTime(With(context.Background()), time.Second); !Counted(ctx) {
		t.Error("work is not counted any more")
	}
	cancel()
}

func TestProcessorTimeCancelled(t *testing.T) {
	outer, end := context.WithCancel(context.Background())
	ctx, cancel := WithProcessorTime(outer, time.Hour)
	end()
	<-ctx.Done()
	cancel()
	ctx, cancel = WithProcessorTime(With(context.Background()), time.Second)
	defer cancel()
	if !Counted(ctx) {
		t.Error("work is not counted any more")
	}
}
