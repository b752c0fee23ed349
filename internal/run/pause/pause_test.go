package pause

import (
	"context"
	"sync"
	"testing"
	"time"
)

// waits says whether Wait does not return at once.
func waits(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	Wait(limited)
	return limited.Err() != nil
}

func TestOthers(t *testing.T) {
	ctx := With(t.Context())
	if waits(ctx) || waits(t.Context()) {
		t.Fatal("it waits without a pause")
	}
	child, cancel := context.WithCancel(ctx)
	defer cancel()
	own, resume := Others(child)
	if !waits(ctx) || !waits(child) || waits(own) {
		t.Error("the wrong ones wait")
	}
	// A second pause inside, and outside of its own.
	_, inner := Others(ctx)
	resume()
	resume()
	if !waits(ctx) || waits(own) {
		t.Error("the end of one pause ends the other")
	}
	inner()
	if waits(ctx) {
		t.Error("it waits after the pauses")
	}
	if same, resume := Others(own); same != own || waits(ctx) {
		t.Error("who has no gate closes one")
	} else {
		resume()
	}
}

// TestOwn: one engine waits while it is held, or others are paused; while it checks a certificate itself it does not.
func TestOwn(t *testing.T) {
	if own, hold, _ := Own(t.Context()); hold != nil || waits(own) {
		t.Error("a gate where nobody can be paused")
	}
	ctx, cancel := context.WithCancel(With(t.Context()))
	defer cancel()
	own, hold, release := Own(ctx)
	hold()
	if !waits(own) || !waits(With(own)) || waits(ctx) {
		t.Error("held: the wrong ones wait")
	}
	checking, resume := Others(own)
	if waits(checking) || !waits(ctx) {
		t.Error("it is held while it checks, or pauses nobody")
	}
	release()
	if !waits(own) {
		t.Error("its own pause does not concern its other goroutines")
	}
	resume()
	if waits(own) || waits(ctx) {
		t.Error("it waits after the pauses")
	}
}

func TestLimit(t *testing.T) {
	ctx := With(t.Context())
	_, resume := of(ctx).others(ctx, time.Millisecond)
	Wait(ctx) // returns, or the test hangs
	resume()
	if waits(ctx) {
		t.Error("it waits after the pause")
	}
}

func TestContextEndsWait(t *testing.T) {
	ctx, cancel := context.WithCancel(With(t.Context()))
	_, resume := Others(ctx)
	defer resume()
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			Wait(ctx)
		}()
	}
	cancel()
	group.Wait()
}

func TestWatch(t *testing.T) {
	ctx := With(t.Context())
	var told []bool
	note := func(paused bool) { told = append(told, paused) }
	stop := Watch(ctx, note)
	_, resume := Others(ctx)
	_, second := Others(ctx)
	resume()
	second()
	stop()
	_, resume = Others(ctx)
	stop = Watch(ctx, note) // during a pause
	stop()
	resume()
	want := []bool{true, false, true, false}
	if len(told) != len(want) {
		t.Fatalf("told %v, want %v", told, want)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Fatalf("told %v, want %v", told, want)
		}
	}
	Watch(t.Context(), note)()
}

// TestNested: who is asked by an engine rests with that engine, and pauses none of those beside it.
func TestNested(t *testing.T) {
	outer := With(context.Background())
	ctx, cancel := context.WithCancel(outer)
	inner := With(ctx)
	closed := func(ctx context.Context) bool { return of(ctx).held > 0 }
	_, resume := Others(outer)
	if !closed(outer) || !closed(inner) {
		t.Error("a pause of the outer run is none of the inner one")
	}
	resume()
	if closed(outer) || closed(inner) {
		t.Error("the pause does not end")
	}
	own, resume := Others(inner)
	if closed(outer) || !closed(inner) {
		t.Error("a pause of the inner run is one of the outer one")
	}
	if of(own) != of(outer) {
		t.Error("who pauses the inner run does not rest with the outer one")
	}
	resume()
	cancel()
	for range 100 {
		g := of(outer)
		g.mu.Lock()
		n := len(g.watchers)
		g.mu.Unlock()
		if n == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the inner run is watched for after its end")
}
