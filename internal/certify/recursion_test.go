package certify

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// down is a module with the functions f and main, which calls f with 10 or less.
func down(f string) string {
	return "module 64 entry @main\nfile \"a.c\"\nglobal @g size 4 align 4\nglobal @p size 8 align 8\n" + f + `
func @main() {
entry:
  %n = nondet i8 input "n"
  %few = ule i1 %n, i8 10
  assume %few
  %local = alloca ptr i64 4 align 4
  store i32 0, %local
  %r = call i8 @f(%n, %local)
  %w = load i32 @g
  %same = eq i1 %w, i32 0
  check assertion %same "g is 0"
  %max = ule i1 %r, i8 10
  check assertion %max "at most 10"
  %x = load i32 %local
  %zero = eq i1 %x, i32 0
  check assertion %zero "the local is 0"
  halt exit
}
`
}

// body is a recursive f, with instructions before and after the call.
func body(before, arg, after string) string {
	return down(`
func @f(%n: i8, %p: ptr) -> i8 {
entry:
  %mine = alloca ptr i64 4 align 4
  store i32 0, %mine
  %is = eq i1 %n, i8 0
  condbr %is, end, more
end:
  ret i8 0
more:
  %m = sub i8 %n, i8 1
` + before + `
  %r = call i8 @f(%m, ` + arg + `)
` + after + `
  %s = add i8 %r, i8 1
  ret %s
}
`)
}

// clause is n <= bound, for the parameter 0 or the result, or r - n <= bound.
func clause(f *ir.Func, what string, bound int64) invariant.Predicate {
	x, r := invariant.Term{Coeff: 1, Value: f.Params[0], Bits: 8}, invariant.Term{Coeff: 1, Bits: 8}
	p := invariant.Comparison{Bound: big.NewInt(bound)}
	switch what {
	case "n":
		p.Terms = []invariant.Term{x}
	case "r":
		p.Terms = []invariant.Term{r}
	case "r-n":
		x.Coeff = -1
		p.Terms = []invariant.Term{r, x}
	}
	return p
}

func TestRecursion(t *testing.T) {
	for _, x := range []struct {
		name, text string
		change     func(k *invariant.Contract, f *ir.Func)
		want       string // a prefix; "no" is anything but "ok"
	}{
		{"plain", body("", "%p", ""), nil, "ok"},
		{"no contract", body("", "%p", ""), func(k *invariant.Contract, f *ir.Func) { k.Pre, k.Post = nil, nil }, "rejected: assertion"},
		{"no precondition", body("", "%p", ""), func(k *invariant.Contract, f *ir.Func) { k.Pre = nil }, "ok"},
		{"wrong precondition", body("", "%p", ""), func(k *invariant.Contract, f *ir.Func) { k.Pre = []invariant.Predicate{clause(f, "n", 9)} }, "rejected: contract: a call"},
		{"wrong postcondition", body("", "%p", ""), func(k *invariant.Contract, f *ir.Func) { k.Post = []invariant.Predicate{clause(f, "r", 5)} }, "rejected: contract"},
		{"not inductive", body("", "%p", ""), func(k *invariant.Contract, f *ir.Func) { k.Post = []invariant.Predicate{clause(f, "r", 10)} }, "rejected: contract"},
		{"precondition about the end", body("", "%p", ""), func(k *invariant.Contract, f *ir.Func) { k.Pre = []invariant.Predicate{clause(f, "r", 10)} }, "incomplete: the certificate"},
		{"writes a global", body("  store i32 1, @g", "%p", ""), nil, "rejected: assertion"},
		{"writes a global late", body("", "%p", "  store i32 1, @g"), nil, "rejected: assertion"},
		{"writes and restores", body("  store i32 1, @g", "%p", "  store i32 0, @g"), nil, "rejected: assertion"},
		{"writes through its argument", body("  store i32 1, %p", "%p", ""), nil, "rejected: assertion"},
		{"writes beyond it", body("  %q = ptradd ptr %p, i64 4\n  store i32 1, %q", "%q", ""), nil, "rejected: assertion"},
		{"its local", body("", "%p", "  %y = load i32 %mine\n  %ok = eq i1 %y, i32 0\n  check assertion %ok \"mine\""), nil, "ok"},
		{"passes its local", body("", "%mine", "  %y = load i32 %mine\n  %ok = eq i1 %y, i32 0\n  check assertion %ok \"mine\""), nil, "incomplete: the recursive function f gets pointers to several objects"},
		{"passes its local in memory", body("  %o = load ptr @p\n  store i32 1, %o\n  store %mine, @p", "%p", ""), nil, "no"},
		{"passes its local as a number", body("  %a = load i64 @p\n  %o = inttoptr ptr %a\n  store i32 1, %o\n  %b = ptrtoint i64 %mine\n  store %b, @p", "%p", ""), nil, "no"},
		{"guesses an address", body("  %a = nondet i64 input \"a\"\n  %o = inttoptr ptr %a\n  store i32 1, %o", "%p", ""), nil, "no"},
		{"allocates", body("  %h = malloc ptr i64 4", "%p", ""), nil, "incomplete: an object"},
		{"allocates and frees", body("  %h = malloc ptr i64 4\n  free %h", "%p", ""), nil, "ok"},
		{"fails inside", body("  %no = ne i1 %n, i8 3\n  check assertion %no \"3\"", "%p", ""), nil, "rejected: assertion"},
		{"fails where it does not get", body("  %no = ne i1 %n, i8 11\n  check assertion %no \"11\"", "%p", ""), nil, "ok"},
		{"fails beyond", body("", "%p", "  %no = ne i1 %n, i8 10\n  check assertion %no \"10\""), nil, "rejected: assertion"},
	} {
		for _, depth := range []int{1, 2} {
			m := parse(t, x.text)
			f := m.Func("f")
			k := invariant.Contract{Func: "f", Pre: []invariant.Predicate{clause(f, "n", 10)}, Post: []invariant.Predicate{clause(f, "r-n", 0)}}
			if x.change != nil {
				x.change(&k, f)
			}
			o := assertions
			o.Engine = []string{1: "", 2: "z3"}[depth]
			got := result(Induction(context.Background(), m, o, &verdict.Induction{K: 1, Depth: depth, Contracts: []invariant.Contract{k}}))
			if !strings.HasPrefix(got, x.want) && (x.want != "no" || got == "ok") {
				t.Errorf("%s, depth %d: got %q, want %q", x.name, depth, got, x.want)
			}
		}
	}
}

// TestContractForm has contracts about what contracts cannot be about.
func TestContractForm(t *testing.T) {
	m := parse(t, `module 64 entry @main

func @f(%n: i32) -> i32 {
entry:
  %r = call i32 @f(%n)
  ret %r
}

func @main() {
entry:
  %r = call i32 @f(i32 1)
  ret
}
`)
	v := m.Func("main").Blocks[1].Instrs[0]
	product := &invariant.Polynomial{Width: 32, Monomials: []invariant.Monomial{{Coeff: 1, Factors: []invariant.Term{{Coeff: 1, Value: v, Bits: 32}}}}}
	sum := &invariant.SumEquation{Width: 32}
	for _, p := range []invariant.Predicate{product, sum, invariant.ForAll{Body: invariant.Comparison{Bound: new(big.Int)}}} {
		cert := &verdict.Induction{K: 1, Depth: 1, Contracts: []invariant.Contract{{Func: "f", Post: []invariant.Predicate{p}}}}
		if got := result(Induction(t.Context(), m, assertions, cert)); !strings.HasPrefix(got, "incomplete: the certificate has not the right form") {
			t.Errorf("got %q", got)
		}
	}
}

// TestRecursionDepth has a property that needs two activations, and what is
// not so at depth 1.
func TestRecursionDepth(t *testing.T) {
	// f alternates between 0 and 1 (of an even and an odd number): r is 0 or 1, and is
	// n modulo 2; from any r of the call below, 1 - r need not be 0 or 1.
	m := parse(t, `module 64 entry @main
func @f(%n: i8) -> i8 {
entry:
  %is = ule i1 %n, i8 1
  condbr %is, end, more
end:
  ret %n
more:
  %m = sub i8 %n, i8 1
  %r = call i8 @f(%m)
  %s = sub i8 i8 1, %r
  ret %s
}
func @main() {
entry:
  %n = nondet i8 input "n"
  %r = call i8 @f(%n)
  %ok = ne i1 %r, i8 7
  check assertion %ok "r"
  halt exit
}
`)
	r := invariant.Term{Coeff: 1, Bits: 8}
	not7 := invariant.Comparison{Terms: []invariant.Term{r}, Relation: invariant.NotEqual, Bound: big.NewInt(7)}
	for depth, want := range []string{1: "rejected: ", 2: "ok"} {
		if want == "" {
			continue
		}
		cert := &verdict.Induction{K: 1, Depth: depth, Contracts: []invariant.Contract{{Func: "f", Post: []invariant.Predicate{not7}}}}
		if got := result(Induction(context.Background(), m, assertions, cert)); !strings.HasPrefix(got, want) {
			t.Errorf("depth %d: got %q, want %q", depth, got, want)
		}
	}
}
