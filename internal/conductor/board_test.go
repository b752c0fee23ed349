package conductor

import (
	"context"
	"testing"
	"time"

	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
)

func TestBoard(t *testing.T) {
	b, m, other := newBoard(), &ir.Module{}, &ir.Module{}
	ctx := t.Context()
	if _, ok := latest[Invariants](ctx, b, m); ok {
		t.Error("an empty board has invariants")
	}
	b.publish(ctx, m, Post{Fact: Candidates{}, By: "ic3"})
	b.publish(ctx, m, Post{Fact: Invariants{make([]invariant.Head, 1)}, By: "induction", Worth: Proved})
	b.publish(ctx, m, Post{Fact: Invariants{make([]invariant.Head, 2)}, By: "induction", Worth: Proved})
	if f, ok := latest[Invariants](ctx, b, m); !ok || len(f.Heads) != 2 {
		t.Error("the latest invariants are others")
	}
	if _, ok := latest[Invariants](ctx, b, other); ok {
		t.Error("invariants of one module are told of another")
	}
	if posts := told(b.about(m)); len(posts) != 2 || posts[0].By != "ic3, a candidate" || posts[1].By != "induction, proved" {
		t.Errorf("posts: %v", posts)
	}
	if isKnown(b, func(r Ranked) bool { return true }) {
		t.Error("nobody has ranked anything")
	}
	b.publish(ctx, other, Post{Fact: Ranked{Ends: true}, By: "integers"})
	if !isKnown(b, func(r Ranked) bool { return r.Ends }) {
		t.Error("what is known of another module is not seen")
	}
}

// TestAwait: who waits gets what is published later, and gives up when the time is over.
func TestAwait(t *testing.T) {
	b, m := newBoard(), &ir.Module{}
	if _, ok := await[Ranked](t.Context(), b, m, time.Microsecond); ok {
		t.Error("something was there")
	}
	got := make(chan bool)
	go func() {
		f, ok := await[Ranked](context.Background(), b, m, 0)
		got <- ok && f.Ends
	}()
	b.publish(t.Context(), m, Post{Fact: Candidates{}})
	b.publish(t.Context(), m, Post{Fact: Ranked{Ends: true}})
	if !<-got {
		t.Error("what came is something else")
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, ok := await[Invariants](ended, b, m, 0); ok {
		t.Error("something was there")
	}
}
