package refutation

import (
	"context"
	"testing"

	"assay/internal/certify/itscheck"
	"assay/internal/integers/its"
)

func read(t *testing.T, text string) *its.System {
	t.Helper()
	s, err := its.ReadKoAT("t", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refute expects evidence that the checker accepts.
func refute(t *testing.T, s *its.System) its.Recurrence {
	t.Helper()
	ctx := context.Background()
	r, ok := Refute(ctx, s, Options{}).(Refuted)
	if !ok {
		t.Fatal("no recurrent set")
	}
	if err := itscheck.Recurrence(ctx, s, r.Evidence); err != nil {
		t.Fatal(err)
	}
	return r.Evidence
}

func TestGeometric(t *testing.T) {
	// x triples, y doubles: two rays.
	r := refute(t, read(t, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(3*x-y,2*y) :|: x > y && y >= 1)"))
	if len(r.Sets) != 1 {
		t.Error(r)
	}
}

func TestLongStem(t *testing.T) {
	r := refute(t, read(t, "(RULES s(x,i) -> a(x,0) a(x,i) -> a(x,i+1) :|: i < 5000 a(x,i) -> b(x,i) :|: i >= 5000 b(x,i) -> b(x,i) :|: x > i)"))
	if n := len(r.Stem.Steps); n != 5002 {
		t.Error(n, "steps")
	}
}

func TestComponent(t *testing.T) {
	r := refute(t, read(t, "(RULES s(x,i) -> a(x,0) :|: x >= 5 a(x,i) -> b(x,0) :|: x >= 0 b(x,i) -> b(x,i+1) :|: i < x b(x,i) -> a(x+1,i) :|: i >= x)"))
	if len(r.Sets) != 1 || len(r.Sets[0].Moves) != 2 {
		t.Error(r)
	}
}

// TestInexact: what over-approximates supports nothing, neither in the loop nor in
// the stem.
func TestInexact(t *testing.T) {
	for inexact := range 3 {
		s := read(t, "(RULES s(x) -> a(x) a(x) -> b(x) b(x) -> a(x))")
		refute(t, s)
		s.Transitions[inexact].Exact = false
		if _, ok := Refute(context.Background(), s, Options{}).(Failed); !ok {
			t.Error("a run through inexact transition", inexact)
		}
	}
}

// TestFair: the loop has to take a fair transition.
func TestFair(t *testing.T) {
	s := read(t, "(RULES s(x) -> a(x) a(x) -> a(x) a(x) -> b(x-1) :|: x > 0 b(x) -> a(x))")
	s.SetFair(func(l its.Location) bool { return s.Locations[l] == "b" })
	if _, ok := Refute(context.Background(), s, Options{}).(Failed); !ok {
		t.Error("an unfair loop was taken")
	}
	s = read(t, "(RULES s(x) -> a(x) a(x) -> a(x) a(x) -> b(x+1) :|: x > 0 b(x) -> a(x))")
	s.SetFair(func(l its.Location) bool { return s.Locations[l] == "b" })
	refute(t, s)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if f, ok := Refute(ctx, read(t, "(RULES s(x) -> a(x) a(x) -> a(x))"), Options{}).(Failed); !ok || f.Reason != context.Canceled.Error() {
		t.Error(f)
	}
}
