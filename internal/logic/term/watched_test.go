package term

import (
	"errors"
	"testing"
)

// A watched build ends at the first error, and the store goes on as if nothing
// had happened.
func TestWatched(t *testing.T) {
	s := NewStore()
	end := errors.New("too many")
	x, sum := s.Var("x", BitVec(32)), s.Var("y", BitVec(32))
	err := s.Watched(func() error {
		if s.Operations() > 100_000 {
			return end
		}
		return nil
	}, func() {
		for {
			sum = s.Mul(s.Add(sum, x), x)
		}
	})
	if err != end {
		t.Fatalf("the error is %v", err)
	}
	if n := s.Operations(); n < 100_000 || n > 100_000+2*watchInterval {
		t.Errorf("%d operations", n)
	}
	if s.depth != 0 || s.Sub(x, x) != s.ConstU(32, 0) {
		t.Error("the store does not simplify any more")
	}
	if err := s.Watched(func() error { return end }, func() { x = s.Neg(x) }); err != nil {
		t.Errorf("a short build: %v", err)
	}
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("the panic is %v", r)
		}
	}()
	s.Watched(func() error { return nil }, func() { panic("other") })
}
