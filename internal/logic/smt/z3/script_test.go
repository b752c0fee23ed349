package z3

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestScript(t *testing.T) {
	s, err := NewScript()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	if _, err := s.Eval(ctx, "(declare-const x Int)(assert (> (* 2 x) 6))"); err != nil {
		t.Fatal(err)
	}
	out, err := s.Eval(ctx, "(push)(assert (< x 5))(check-sat)(get-value (x))(pop)")
	if err != nil || strings.Join(strings.Fields(out), " ") != "sat ((x 4))" {
		t.Fatalf("%q %v", out, err)
	}
	if out, err = s.Eval(ctx, "(push)(assert (< x 4))(check-sat)(pop)"); err != nil || strings.TrimSpace(out) != "unsat" {
		t.Fatalf("%q %v", out, err)
	}
	if _, err = s.Eval(ctx, "(assert (< y 4))"); err == nil {
		t.Fatal("an undeclared name is no error")
	}
	if out, err = s.Eval(ctx, "(check-sat)"); err != nil || strings.TrimSpace(out) != "sat" {
		t.Fatalf("after an error: %q %v", out, err)
	}
}

// TestScriptInterrupt ends a hard check by its context; the script lives on.
func TestScriptInterrupt(t *testing.T) {
	s, err := NewScript()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = s.Eval(ctx, `(declare-const a Int)(declare-const b Int)(declare-const c Int)
(push)(assert (and (> a 1) (> b 1) (> c 1) (= (+ (* a a a) (* b b b)) (* c c c))))(check-sat)(pop)`)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("no deadline: %v", err)
	}
	out, err := s.Eval(context.Background(), "(push)(assert (= a 1))(check-sat)(pop)")
	if err != nil || strings.TrimSpace(out) != "sat" {
		t.Fatalf("after an interrupt: %q %v", out, err)
	}
}
