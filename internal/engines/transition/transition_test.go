package transition

import (
	"context"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/finite/solve"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
)

const header = `extern void abort(void);
extern void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { abort(); }
#define check(c) if (!(c)) reach_error()
`

func load(t testing.TB, text string) *ir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(file, []byte(header+text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Module
}

// programs are decided by IC3 on the large-block system: true with a certificate,
// false with a replayed run, or unknown for a reason.
var programs = []struct {
	name, text string
	kind       ir.CheckKind
	want       string // true, false, or a part of the reason
}{
	{"a counter that wraps", `int main(void) { unsigned char x = 0; while (1) { x += 2; check(x != 5); } }`, ir.Assertion, "true"},
	{"a counter that gets there", `int main(void) { unsigned char x = 0; while (1) { x += 2; check(x != 50); } }`, ir.Assertion, "false"},
	{"no loop", `int main(void) { unsigned x = __VERIFIER_nondet_uint(); check(x % 3 < 3); }`, ir.Assertion, "true"},
	{"no loop, wrong", `int main(void) { unsigned x = __VERIFIER_nondet_uint(); check(x % 3 < 2); }`, ir.Assertion, "false"},
	{"assumptions end runs", `int main(void) { unsigned x = 1; while (1) { __VERIFIER_assume(x < 7); x++; check(x < 8); } }`, ir.Assertion, "true"},
	{"nested loops", `int main(void) { unsigned x = 0;
		for (unsigned i = 0; i < 5; i++) { for (unsigned k = 0; k < i; k++) { x ^= 2; } check((x & 1) == 0); } }`, ir.Assertion, "true"},
	{"loops one after the other", `int main(void) { unsigned char x = 0, y = 1;
		while (__VERIFIER_nondet_int()) x += 4;
		while (__VERIFIER_nondet_int()) y += x;
		check(y != 3); }`, ir.Assertion, "true"},
	{"a loop in a function, called twice", `unsigned char f(unsigned char x) { while (__VERIFIER_nondet_int()) x += 2; return x; }
		int main(void) { unsigned char a = f(0), b = f(1); check((a & 1) == 0 && (b & 1) == 1); }`, ir.Assertion, "true"},
	{"a loop in a function, called in a loop", `unsigned char f(unsigned char x) { while (__VERIFIER_nondet_int()) x += 2; return x; }
		int main(void) { unsigned char a = 0; while (__VERIFIER_nondet_int()) { a = f(a); check(a != 7); } }`, ir.Assertion, "true"},
	{"a global in a function with a loop", `unsigned char g;
		void f(void) { while (__VERIFIER_nondet_int()) g += 2; }
		int main(void) { while (1) { f(); check((g & 1) == 0); } }`, ir.Assertion, "true"},
	{"a local through a pointer", `void f(unsigned char *p) { while (__VERIFIER_nondet_int()) *p += 2; }
		int main(void) { unsigned char x = 0; while (1) { f(&x); check((x & 1) == 0); } }`, ir.Assertion, "true"},
	{"a local of each iteration", `int main(void) { while (1) { unsigned char x[2] = {0, 0};
		while (__VERIFIER_nondet_int()) { x[__VERIFIER_nondet_uint() & 1] |= 2; } check((x[0] & 1) == 0); } }`, ir.Assertion, "true"},
	{"a local without value", `int main(void) { while (1) { unsigned char x; unsigned char *p = &x;
		if (__VERIFIER_nondet_int()) *p = 1; check(*p < 200); } }`, ir.Assertion, "false"},
	{"an array", `unsigned char a[4];
		int main(void) { for (unsigned i = 0; i < 4; i++) { a[i] = (unsigned char)(2 * i); } unsigned k = __VERIFIER_nondet_uint();
		__VERIFIER_assume(k < 4); check(a[k] == 2 * k); }`, ir.Assertion, "true"},
	{"an array, wrong", `unsigned char a[4];
		int main(void) { for (unsigned i = 0; i < 4; i++) { a[i] = (unsigned char)(2 * i); } unsigned k = __VERIFIER_nondet_uint();
		__VERIFIER_assume(k < 4); check(a[k] != 4); }`, ir.Assertion, "false"},
	{"a pointer that walks", `char a[6];
		int main(void) { char *p = a; while (p != a + 6) { *p = 1; p++; } }`, ir.InvalidDeref, "true"},
	{"a pointer that walks too far", `char a[6];
		int main(void) { char *p = a; while (p <= a + 6) { *p = 1; p++; } }`, ir.InvalidDeref, "false"},
	{"a pointer that changes its object", `char a, b;
		int main(void) { char *p = &a; unsigned n = 0; while (n < 9) { *p = 2; p = p == &a ? &b : &a; n++; } check(b == 2); }`, ir.Assertion, "left out) was found, but not accepted"},
	{"a function pointer", `static int one(void) { return 1; } static int two(void) { return 2; }
		int main(void) { int (*f)(void) = one; int n = 0; while (n < 3) { check(f() == 1 + (n & 1)); f = f == one ? two : one; n++; } }`, ir.Assertion, ""},
	{"an overflow far away", `int main(void) { short n = 0; int s = 2147400000; while (n < 20000) { n++; s += 10; } }`, ir.Overflow, "false"},
	{"no overflow", `int main(void) { int n = 0; while (n < 100) n++; }`, ir.Overflow, "true"},
	{"a float", `int main(void) { float x = 0; int n = 0; while (n < 3) { x += 0.5f; n++; } check(x < 2); }`, ir.Assertion, ""},
	{"a product and a quotient that do not matter", `int main(void) { int x = 5, y = 1; unsigned s = 0;
		while (1) { int k = __VERIFIER_nondet_int(); __VERIFIER_assume(k > 0); x = x * y / k; y = k; s ^= (unsigned)x & 1; check(s < 2); } }`, ir.Assertion, "true"},
	{"a quotient of a product that comes back", `int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
		int state = 1, seen = 0;
		while (1) {
			if (state == 1) { x = 672; state = 2; }
			else if (state == 2) { if (seen == 1) seen = 2; if (z == 0) return 0; state = x * y / z; }
			else if (state == 3) { if (seen == 0) seen = 1; state = 2; }
			else if (state == 4) { check(seen != 2); return 0; }
			else return 0;
		} }`, ir.Assertion, "true"},
	{"a product and a sum that come back", `int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
		int state = 1, seen = 0;
		while (1) {
			if (state == 1) { x = 672; state = 2; }
			else if (state == 2) { if (seen == 1) seen = 2; state = x * y + z; }
			else if (state == 3) { if (seen == 0) seen = 1; state = 2; }
			else if (state == 4) { check(seen != 2); return 0; }
			else return 0;
		} }`, ir.Assertion, "true"},
	{"a product that changes", `int main(void) { unsigned short x = 1, y = 2; unsigned short s = 0;
		while (__VERIFIER_nondet_int()) { unsigned short before = s; s = x * y; check(before != 6 || s != 12); x = (unsigned short)__VERIFIER_nondet_uint(); } }`, ir.Assertion, "false"},
	{"an uninitialised global array", `extern unsigned char a[3];
		int main(void) { unsigned char x = a[1]; int n = 0; while (n < 3) { check(a[1] == x); n++; } }`, ir.Assertion, "true"},
	{"recursion", `int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }
		int main(void) { int n = __VERIFIER_nondet_int(); while (__VERIFIER_nondet_int()) check(f(n) >= 0); }`, ir.Assertion, "recursion"},
	{"a heap object that lives on", `int main(void) { int *p = 0; while (1) { if (!p) p = malloc(sizeof *p); *p = 1; check(*p == 1); } }`, ir.Assertion, "p of main may point to what line"},
}

func describe(r Result) string {
	switch r.Verdict.(type) {
	case verdict.True:
		return "true"
	case verdict.False:
		return "false"
	case nil:
		return r.Why.Text
	}
	return "another verdict"
}

func TestDecide(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			m := load(t, p.text)
			for _, o := range []Options{{Engine: solve.IC3}, {Engine: solve.IC3, Small: true}, {Engine: solve.Incremental}} {
				if o.Engine == solve.Incremental && p.want != "false" {
					continue // it would go on for ever
				}
				o.Targets, o.Accept = []ir.CheckKind{p.kind}, accept.Program
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if o.Small {
					ctx, cancel = context.WithTimeout(ctx, 2*time.Second)
				}
				r := Decide(ctx, m, o)
				cancel()
				got := describe(r)
				if o.Small {
					// Nothing is certified, and steps are many; what is found must agree.
					if got == "true" || got == "false" && p.want != "false" {
						t.Errorf("small blocks: %s, want %s", got, p.want)
					}
					continue
				}
				if !strings.Contains(got, p.want) {
					t.Errorf("%s: %s, want %s", o.Engine, got, p.want)
				}
				if v, ok := r.Verdict.(verdict.True); ok {
					if c, ok := v.Certificate.(*verdict.Induction); !ok || c.Checker == "" {
						t.Errorf("a certificate that nobody checked: %+v", v.Certificate)
					}
				}
			}
		})
	}
}

// TestSpacer: words in invariants, certified on the program; runs found again.
func TestSpacer(t *testing.T) {
	for _, p := range []struct{ text, want string }{
		{`int main(void) { unsigned x = 1; while (1) { __VERIFIER_assume(x < 7); x++; check(x < 8); } }`, "true"},
		{`int main(void) { unsigned char x = 0; while (1) { x += 2; check(x != 50); } }`, "false"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		r := Decide(ctx, load(t, p.text), Options{Engine: solve.Spacer, Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program})
		cancel()
		if got := describe(r); got != p.want {
			t.Errorf("%s: %s, want %s", p.text, got, p.want)
		}
		if v, ok := r.Verdict.(verdict.True); ok {
			if c, ok := v.Certificate.(*verdict.Induction); !ok || c.Checker == "" || len(c.Heads) == 0 || len(c.Heads[0].Formulas) == 0 {
				t.Errorf("no formulas that were checked: %+v", v.Certificate)
			}
		}
	}
}

// TestLearned: what IC3 meets on its way is told, as predicates of the heads: here
// that the parity is even.
func TestLearned(t *testing.T) {
	m := load(t, `int main(void) { unsigned char a = 0, b = 0, c = 0, d = 0;
		while (1) { check(d == 0); if (__VERIFIER_nondet_int()) { a ^= 1; b ^= 1; } else { b ^= 1; c ^= 1; } d = (a ^ b ^ c) & 1; } }`)
	bounds := 0
	r := Decide(t.Context(), m, Options{Engine: solve.IC3, Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program, Learned: func(heads []invariant.Head) {
		for _, h := range heads {
			if h.Func != "main" || len(h.Predicates) == 0 {
				t.Errorf("%+v", h)
			}
			for _, p := range h.Predicates {
				if p, ok := p.(invariant.Comparison); ok && p.Relation == invariant.AtMost && p.Bound.Sign() == 0 {
					bounds++
				}
			}
		}
	}})
	if describe(r) != "true" || bounds == 0 {
		t.Errorf("%s, %d bounds", describe(r), bounds)
	}
}

// TestReasons: what cannot be encoded is named with its line.
func TestReasons(t *testing.T) {
	r := Decide(t.Context(), load(t, "int x;\nint main(void) { x = main(); return x; }"), Options{Engine: solve.IC3, Targets: []ir.CheckKind{ir.Assertion}})
	if r.Verdict != nil || r.Why.Cause != verdict.CauseUnsupported && r.Why.Cause != verdict.CauseUnwinding || r.Why.Text == "" {
		t.Errorf("%+v", r)
	}
	if !slices.Contains([]int32{2, 9}, r.Why.Pos.Line) {
		t.Errorf("line %d", r.Why.Pos.Line)
	}
}

// TestFacts: what others know of a loop becomes part of the proof, which is
// refused if it is wrong.
func TestFacts(t *testing.T) {
	m := load(t, "int main(void) { unsigned n = 0; while (n < 100) n++; check(n == 100); }")
	f := m.Func("main")
	var head ir.BlockID
	for b := range f.Blocks {
		if w := ir.NewWTO(f); b > 0 && w.IsHead(ir.BlockID(b)) {
			head = ir.BlockID(b)
		}
	}
	n := f.Blocks[head].Instrs[0]
	for bound, want := range map[int64]string{100: "true", 50: "not accepted"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		r := Decide(ctx, m, Options{Engine: solve.IC3, Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program, Facts: []invariant.Head{{
			Func: "main", Head: head,
			Predicates: []invariant.Predicate{invariant.Comparison{Terms: []invariant.Term{{Coeff: 1, Value: n, Bits: 32}}, Bound: big.NewInt(bound)}},
		}}})
		cancel()
		if got := describe(r); !strings.Contains(got, want) {
			t.Errorf("at most %d: %s, want %s", bound, got, want)
		}
	}
}
