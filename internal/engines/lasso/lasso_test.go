package lasso

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// search looks for a lasso of a program in text form.
func searchText(t *testing.T, src string) (*ir.Module, Result) {
	t.Helper()
	m, err := ir.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	r, err := Search(context.Background(), m, Options{Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// main wraps the body of a loop around the block h.
func mainOf(body string) string {
	return "module 64 entry @main\nglobal @g size 8 align 8\nglobal @l size 128 align 8\nfunc @main() {\nb1:\n  %v = alloca ptr i64 4 align 4\n  store i32 0, %v\n  %n = nondet i32 input \"n\"\n  br h\nh:\n" + body + "out:\n  ret\n}\n"
}

func TestSearch(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"needs a constant of the program", "  %c = eq i1 %n, i32 123456\n  condbr %c, h, out\n", "found"},
		{"needs its neighbour", "  %c = ult i1 %n, i32 123456\n  %d = ugt i1 %n, i32 123454\n  %e = and i1 %c, %d\n  condbr %e, h, out\n", "found"},
		{"inputs in the loop", "  %k = nondet i32 input \"k\"\n  %c = eq i1 %k, %n\n  condbr %c, h, out\n", "found"},
		{"up and down", "  %x = phi i32 [%n, b1], [%y, h]\n  %k = nondet i32 input \"k\"\n  %b = and i32 %k, i32 2\n  %y = add i32 %x, %b\n  %z = sub i32 %y, i32 1\n  %c = slt i1 %z, i32 3\n  condbr %c, h, out\n", "found"},
		{"does not end by itself", "  %x = phi i32 [i32 0, b1], [%y, h]\n  %y = add i32 %x, i32 1\n  %c = ne i1 %y, i32 0\n  condbr %c, h, out\n", "none"},
		{"division by zero decides", "  %x = udiv i32 i32 5, i32 0\n  %c = eq i1 %x, i32 0\n  condbr %c, h, out\n", "hangs"},
		{"division by zero does not matter", "  %x = udiv i32 i32 5, i32 0\n  %y = add i32 %x, i32 1\n  br h\n", "passes"},
		{"it goes to memory", "  %x = udiv i32 i32 5, i32 0\n  store %x, @g\n  br h\n", "hangs"},
		{"approximated", "  %x = nondet i32 approximate \"strange\"\n  %c = eq i1 %x, i32 0\n  condbr %c, h, out\n", "hangs"},
		{"approximated, does not matter", "  %x = nondet i32 approximate \"strange\"\n  br h\n", "found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := strings.ReplaceAll(c.body, "ugt i1 %n, i32 123454", "ult i1 i32 123454, %n")
			m, r := searchText(t, mainOf(body))
			got := "none"
			switch {
			case r.False != nil && len(r.False.Passes) > 0:
				got = "passes"
			case r.False != nil:
				got = "found"
			case strings.Contains(r.Why, "depends"):
				got = "hangs"
			}
			if got != c.want {
				t.Errorf("got %q (%s), want %q", got, r.Why, c.want)
			}
			if r.False == nil {
				return
			}
			again, why, err := Confirm(context.Background(), m, r.False.Input)
			if err != nil || again == nil || *again.Endless != *r.False.Endless {
				t.Errorf("not confirmed: %s %v", why, err)
			}
			short := r.False.Input
			short.Choices = short.Choices[:max(len(short.Choices)-1, 0)]
			if again, _, _ := Confirm(context.Background(), m, short); again != nil && len(r.False.Input.Choices) > 0 {
				t.Error("confirmed with a decision missing")
			}
		})
	}
}

func TestSearchInterrupted(t *testing.T) {
	m, err := ir.Parse(mainOf("  %x = phi i64 [i64 0, b1], [%y, h]\n  %y = add i64 %x, i64 1\n  store %y, @g\n  br h\n"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Search(ctx, m, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestSurvivors: runs that did not end are handed on.
func TestSurvivors(t *testing.T) {
	m, err := ir.Parse(mainOf("  %x = phi i64 [i64 0, b1], [%y, h]\n  %y = add i64 %x, i64 1\n  store %y, @g\n  br h\n"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	answer := &verdict.False{}
	r, err := Search(context.Background(), m, Options{Survived: func(_ context.Context, in []ir.Input) *verdict.False {
		if n += len(in); n > 0 {
			return answer
		}
		return nil
	}})
	if err != nil || r.False != answer {
		t.Errorf("%+v %v after %d survivors", r, err, n)
	}
}
