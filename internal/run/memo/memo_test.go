package memo

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

type number int

// TestOnce: many that ask at once get the same result, which is computed once; another
// key, and a context without memory, have results of their own.
func TestOnce(t *testing.T) {
	ctx := With(t.Context())
	var computed atomic.Int32
	one := func(ctx context.Context, k number) *int {
		v, err := Of(ctx, k, func() (*int, error) { computed.Add(1); return new(int), nil })
		if err != nil {
			t.Error(err)
		}
		return v
	}
	first := one(ctx, 1)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if one(ctx, 1) != first || one(ctx, 2) == first {
				t.Error("a result of its own")
			}
		})
	}
	all.Wait()
	if n := computed.Load(); n != 2 {
		t.Errorf("computed %d times", n)
	}
	if one(t.Context(), 1) == first || one(With(ctx), 1) == first {
		t.Error("the result of another memory")
	}
}

// TestFailure: an error or a panic is for who computes; those who wait try for themselves,
// until their own context ends.
func TestFailure(t *testing.T) {
	ctx := With(t.Context())
	failed := errors.New("no")
	for _, fail := range []func() (int, error){
		func() (int, error) { return 0, failed },
		func() (int, error) { panic(failed) },
	} {
		inside, end := make(chan bool), make(chan bool)
		var all sync.WaitGroup
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil && p != any(failed) {
					t.Error(p)
				}
			}()
			if _, err := Of(ctx, number(1), func() (int, error) { close(inside); <-end; return fail() }); err != failed {
				t.Error(err)
			}
		})
		<-inside
		stopped, stop := context.WithCancel(ctx)
		stop()
		if _, err := Of(stopped, number(1), func() (int, error) { return 1, nil }); err != context.Canceled {
			t.Errorf("waited for another one: %v", err)
		}
		all.Go(func() {
			if v, err := Of(ctx, number(1), func() (int, error) { return 7, nil }); v != 7 || err != nil {
				t.Error(v, err)
			}
		})
		close(end)
		all.Wait()
		ctx = With(t.Context())
	}
}
