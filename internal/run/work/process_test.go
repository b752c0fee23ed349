package work

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestWithProcessTime burns the time of a process: the context and one made of it end as by a deadline. Waiting uses none.
func TestWithProcessTime(t *testing.T) {
	const limit = 50 * time.Millisecond
	ctx, cancel := WithProcessTime(t.Context(), limit)
	defer cancel()
	child, stop := context.WithCancel(ctx)
	defer stop()
	time.Sleep(2 * limit)
	if ctx.Err() != nil {
		t.Fatal("time that passes counts")
	}
	begin := Process()
	for child.Err() == nil && Process()-begin < 100*limit {
	}
	if err := child.Err(); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(context.Cause(child), context.DeadlineExceeded) {
		t.Errorf("a context made of it ended by %v, because of %v", err, context.Cause(child))
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("it ended by %v", ctx.Err())
	}
}

// TestProcessTimeCancelled ends such a context before its time.
func TestProcessTimeCancelled(t *testing.T) {
	ctx, cancel := WithProcessTime(t.Context(), time.Hour)
	cancel()
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("it ended by %v", ctx.Err())
	}
}
