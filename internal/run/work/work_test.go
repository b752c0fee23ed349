package work

import (
	"context"
	"errors"
	"testing"
	"time"
)

// looks counts how often a context is looked at until it ends.
func looks(ctx context.Context) int {
	n := 0
	for ctx.Err() == nil {
		n++
	}
	return n
}

func TestBudget(t *testing.T) {
	if Counted(t.Context()) || Left(t.Context()) != -1 || Spent(t.Context()) != 0 {
		t.Error("time is work without With")
	}
	ctx := With(t.Context())
	if !Counted(ctx) || Left(ctx) != -1 {
		t.Error("no budget, but some is left")
	}
	var counts []int
	for range 2 {
		limited, stop := WithTimeout(ctx, time.Millisecond)
		inner, cancel := context.WithCancel(context.WithValue(limited, "a", "b")) // as engines derive them
		Charge(inner, 100)
		if left := Left(inner); left != 900 {
			t.Errorf("%d left", left)
		}
		counts = append(counts, looks(limited))
		if !errors.Is(limited.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(limited), context.DeadlineExceeded) || inner.Err() == nil {
			t.Errorf("%v, %v, %v", limited.Err(), context.Cause(limited), inner.Err())
		}
		cancel()
		stop()
	}
	if counts[0] != counts[1] || counts[0] < 400 {
		t.Errorf("looks: %v", counts)
	}
	if ctx.Err() != nil || Left(ctx) != -1 {
		t.Error("the budget is that of the whole run")
	}
}

// TestNested: the tighter budget counts; one that is stopped ends nothing any more.
func TestNested(t *testing.T) {
	mine := errors.New("mine")
	outer, stop := WithTimeoutCause(With(t.Context()), time.Second, mine)
	defer stop()
	short, end := WithTimeout(outer, time.Millisecond)
	if Left(short) != 1000 {
		t.Errorf("%d left", Left(short))
	}
	end()
	if short.Err() != context.Canceled {
		t.Errorf("stopped: %v", short.Err())
	}
	Charge(outer, 2000)
	if outer.Err() != nil {
		t.Error("ended early")
	}
	inner, end := WithTimeout(outer, time.Hour)
	defer end()
	Charge(inner, Second)
	if inner.Err() == nil || outer.Err() != context.DeadlineExceeded || !errors.Is(context.Cause(outer), mine) {
		t.Errorf("%v, %v, %v", inner.Err(), outer.Err(), context.Cause(outer))
	}
	if none, end := WithTimeout(outer, 0); none.Err() == nil {
		t.Error("no budget at all, and it goes on")
	} else {
		end()
	}
}

// TestTime: without With it is time.
func TestTime(t *testing.T) {
	ctx, stop := WithTimeout(t.Context(), time.Hour)
	defer stop()
	if _, ok := ctx.Deadline(); !ok {
		t.Error("no deadline")
	}
}
