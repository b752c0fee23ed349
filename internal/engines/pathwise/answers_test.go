package pathwise

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/certify"
	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// member asks for each of n characters whether it is one of 32, and asserts a condition of how many are.
func member(n int, asked, condition string) string {
	return fmt.Sprintf(`module 64 entry @main
func @in(%%c: i8) -> i32 {
entry:
  br head
head:
  %%x = phi i8 [i8 64, entry], [%%x1, next]
  %%more = ult i1 %%x, i8 96
  condbr %%more, look, no
look:
  %%same = eq i1 %%x, %%c
  condbr %%same, yes, next
next:
  %%x1 = add i8 %%x, i8 1
  br head
yes:
  br end
no:
  br end
end:
  %%r = phi i32 [i32 1, yes], [i32 0, no]
  ret %%r
}

func @main() {
entry:
  br head
head:
  %%i = phi i8 [i8 0, entry], [%%i1, count], [%%i1, not]
  %%sum = phi i32 [i32 0, entry], [%%sum1, count], [%%sum, not]
  %%more = ult i1 %%i, i8 %d
  condbr %%more, body, end
body:
  %%i1 = add i8 %%i, i8 1
  %%c = nondet i8 input "c"
  %%r = call i32 @in(%%c)
  %s
  condbr %%is, count, not
count:
  %%low = ule i1 i8 64, %%c
  %%high = ult i1 %%c, i8 96
  %%both = and i1 %%low, %%high
  check assertion %%both "in"
  %%sum1 = add i32 %%sum, i32 1
  br head
not:
  br head
end:
  %%ok = %s
  check assertion %%ok "sum"
  halt exit
}
`, n, asked, condition)
}

// TestAnswers: a call whose result is compared is one path, however often its loop runs; what is found behind it is
// what would be found by one path for each iteration, and the checker follows.
func TestAnswers(t *testing.T) {
	compared, used := "%is = eq i1 %r, i32 1", "%t = add i32 %r, %sum\n  %is = ne i1 %t, %sum"
	for _, c := range []struct {
		n                int
		asked, condition string
		want             string
		paths            int // at most
	}{
		{3, compared, "ule i1 %sum, i32 3", "true", 8},
		{3, compared, "ult i1 %sum, i32 3", "false", 8},
		{3, "%is = eq i1 %r, i32 0", "ule i1 %sum, i32 3", "false", 8},
		{1, used, "ule i1 %sum, i32 1", "true", 33},
	} {
		m := parse(t, member(c.n, c.asked, c.condition))
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		r := Run(ctx, m, Options{Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program})
		cancel()
		got := "unknown"
		switch r.Verdict.(type) {
		case verdict.True:
			got = "true"
		case verdict.False:
			got = "false"
		}
		if got != c.want || r.Stats.Paths > c.paths {
			t.Errorf("%s, %s: %s after %d paths; want %s after at most %d", c.asked, c.condition, describe(r.Verdict), r.Stats.Paths, c.want, c.paths)
		}
	}
}

// found asks for each of n characters whether it is in a list, of which a pointer to the place is returned.
func found(n int, asked, condition string) string {
	return fmt.Sprintf(`module 64 entry @main
global @list size 8 align 1 init "abcdefgh"
func @find(%%c: i8) -> ptr {
entry:
  br head
head:
  %%i = phi i64 [i64 0, entry], [%%i1, next]
  %%more = ult i1 %%i, i64 8
  condbr %%more, look, no
look:
  %%p = ptradd ptr @list, %%i
  %%x = load i8 %%p
  %%same = eq i1 %%x, %%c
  condbr %%same, yes, next
next:
  %%i1 = add i64 %%i, i64 1
  br head
yes:
  br end
no:
  br end
end:
  %%r = phi ptr [%%p, yes], [null, no]
  ret %%r
}

func @main() {
entry:
  br head
head:
  %%i = phi i8 [i8 0, entry], [%%i1, count], [%%i1, not]
  %%sum = phi i32 [i32 0, entry], [%%sum1, count], [%%sum, not]
  %%more = ult i1 %%i, i8 %d
  condbr %%more, body, end
body:
  %%i1 = add i8 %%i, i8 1
  %%c = nondet i8 input "c"
  %%r = call ptr @find(%%c)
  %%is = %s
  condbr %%is, count, not
count:
  %%low = ule i1 i8 97, %%c
  %%high = ule i1 %%c, i8 104
  %%both = and i1 %%low, %%high
  check assertion %%both "in"
  %%sum1 = add i32 %%sum, i32 1
  br head
not:
  br head
end:
  %%ok = %s
  check assertion %%ok "sum"
  halt exit
}
`, n, asked, condition)
}

// TestFound: a call whose result is compared with null is one path, wherever the pointer points to; compared with another
// pointer it is not.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		n                int
		asked, condition string
		want             string
		paths            int // at most
		least            int
	}{
		{3, "ne i1 %r, null", "ule i1 %sum, i32 3", "true", 8, 0},
		{3, "ne i1 null, %r", "ult i1 %sum, i32 3", "false", 8, 0},
		{1, "eq i1 %r, @list", "ule i1 %sum, i32 1", "true", 9, 9},
		{1, "eq i1 %r, @list", "ult i1 %sum, i32 1", "false", 9, 0},
	} {
		m := parse(t, found(c.n, c.asked, c.condition))
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		r := Run(ctx, m, Options{Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program})
		cancel()
		got := "unknown"
		switch r.Verdict.(type) {
		case verdict.True:
			got = "true"
		case verdict.False:
			got = "false"
		}
		if got != c.want || r.Stats.Paths > c.paths || r.Stats.Paths < c.least {
			t.Errorf("%s, %s: %s after %d paths; want %s after %d to %d", c.asked, c.condition, describe(r.Verdict), r.Stats.Paths, c.want, c.least, c.paths)
		}
	}
}

// TestWrongAnswers: of a program with a violation no tree is accepted in which ways of several iterations, joined where
// the function returns, are left out or taken for each other.
func TestWrongAnswers(t *testing.T) {
	m := parse(t, member(2, "%is = eq i1 %r, i32 1", "ult i1 %sum, i32 2"))
	var tree *verdict.PathTree
	Run(t.Context(), m, Options{Accept: func(_ context.Context, c *verdict.Claim) (string, error) {
		tree = c.Evidence.(*verdict.PathTree)
		return "", nil
	}})
	if tree == nil {
		t.Fatal("no tree")
	}
	o := certify.Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: certify.CaDiCaL}
	refused := func(what string) {
		if _, err := certify.Paths(t.Context(), m, o, tree); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	refused("unchanged")
	changes := 0
	var visit func(n *verdict.PathNode)
	visit = func(n *verdict.PathNode) {
		for i := range n.Moves {
			x := &n.Moves[i]
			if len(x.Ways) < 8 {
				continue
			}
			for k, w := range x.Ways {
				if k%5 != 0 {
					continue
				}
				changes++
				x.Ways[k].Round = x.Ways[(k+1)%len(x.Ways)].Round
				refused("a way taken for another")
				x.Ways[k] = w
				all := x.Ways
				x.Ways = slices.Delete(slices.Clone(all), k, k+1)
				refused("a way left out")
				x.Ways = all
			}
		}
		for i := range n.Parts {
			visit(n.Parts[i].Node)
		}
	}
	visit(tree.Root)
	if changes == 0 {
		t.Error("no ways of several iterations are joined")
	}
}

// TestRandomAnswers has random searches in tables of two kinds of entries, and assertions about what is found, decided
// for each of the 256 characters here, and for all of them there.
func TestRandomAnswers(t *testing.T) {
	proved := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(20)
		step, base, other := byte(rng.IntN(8)), byte(rng.IntN(256)), byte(rng.IntN(256))
		first, second, none, want, limit := rng.IntN(4), rng.IntN(4), rng.IntN(4), rng.IntN(4), byte(rng.IntN(256))
		fails := false
		for c := range 256 {
			r := none
			for x := range byte(n) {
				if step*x+base == byte(c) {
					r = first
					break
				}
				if step*x+other < 3 && byte(c) > 2*x {
					r = second
					break
				}
			}
			fails = fails || r == want && byte(c) >= limit
		}
		m := parse(t, fmt.Sprintf(`module 64 entry @main
func @f(%%c: i8) -> i32 {
entry:
  br head
head:
  %%x = phi i8 [i8 0, entry], [%%x1, next]
  %%more = ult i1 %%x, i8 %d
  condbr %%more, look, no
look:
  %%s = mul i8 %%x, i8 %d
  %%e = add i8 %%s, i8 %d
  %%same = eq i1 %%e, %%c
  condbr %%same, yes, also
also:
  %%o = add i8 %%s, i8 %d
  %%small = ult i1 %%o, i8 3
  %%x2 = add i8 %%x, %%x
  %%above = ult i1 %%x2, %%c
  %%both = and i1 %%small, %%above
  condbr %%both, second, next
next:
  %%x1 = add i8 %%x, i8 1
  br head
yes:
  br end
second:
  br end
no:
  br end
end:
  %%r = phi i32 [i32 %d, yes], [i32 %d, second], [i32 %d, no]
  ret %%r
}

func @main() {
entry:
  %%c = nondet i8 input "c"
  %%r = call i32 @f(%%c)
  %%is = eq i1 %%r, i32 %d
  condbr %%is, found, end
found:
  %%low = ult i1 %%c, i8 %d
  check assertion %%low "low"
  br end
end:
  halt exit
}
`, n, step, base, other, first, second, none, want, limit))
		r := Run(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program})
		_, isTrue := r.Verdict.(verdict.True)
		_, isFalse := r.Verdict.(verdict.False)
		if isTrue {
			proved++
		}
		if isTrue == fails || isFalse != fails {
			t.Errorf("seed %d: %s, but a character that fails: %v\n%s", seed, describe(r.Verdict), fails, ir.Print(m))
		}
	}
	if proved < 6 || proved > 54 {
		t.Errorf("%d of 60 are proved", proved)
	}
}
