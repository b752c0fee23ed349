package abstract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/certify"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// load is a program in C with functions that choose, and that must not be called.
func load(t *testing.T, text string) *ir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	head := "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void); void *malloc(unsigned long); void free(void *); void exit(int);\n" +
		"#define any() __VERIFIER_nondet_uint()\n#define check(x) do if (!(x)) reach_error(); while (0)\n"
	if err := os.WriteFile(file, []byte(head+text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p.Module
}

// callers makes programs in C whose functions are called from several places. They have to do with globals, arrays, and
// pointers to their locals; some call themselves, or each other. With tricks, a function also reaches what it was not given.
type callers struct {
	*rand.Rand
	strings.Builder
	index  int
	tricks bool
	depth  int
}

func (g *callers) number() string { return fmt.Sprint(g.IntN(12)) }

func (g *callers) expr(depth int) string {
	switch n := g.IntN(12); {
	case n < 2 || depth > 2:
		return g.number()
	case n < 5:
		return []string{"x", "y", "n", "g0", "g1", "a[x & 3]", "b[y & 3]"}[g.IntN(7)]
	case n < 6:
		return "any() % 16"
	case n < 8:
		return "(" + g.expr(depth+1) + []string{" + ", " - ", " & ", " * "}[g.IntN(4)] + g.expr(depth+1) + ")"
	case n < 9:
		return "(" + g.expr(depth+1) + " % " + fmt.Sprint(2+g.IntN(9)) + ")"
	case n < 10:
		return "(" + g.expr(depth+1) + " < " + g.expr(depth+1) + ")"
	case g.index > 0:
		return fmt.Sprintf("f%d(%s, %s)", g.IntN(g.index), g.expr(depth+1), g.expr(depth+1))
	}
	return "x"
}

func (g *callers) statement(depth int) string {
	block := func() string { return "{ " + g.statement(depth+1) + " " + g.statement(depth+1) + " }" }
	switch n := g.IntN(15); {
	case n < 4:
		return []string{"x", "y", "g0", "g1", "a[y & 3]", "b[x & 3]"}[g.IntN(6)] + []string{" = ", " = ", " += "}[g.IntN(3)] + g.expr(0) + ";"
	case n < 6 && depth < 3:
		return "if (" + g.expr(0) + ") " + block() + " else " + block()
	case n < 8 && depth < 2:
		i := fmt.Sprintf("i%d", depth)
		return fmt.Sprintf("for (unsigned %s = 0; %s < %s; %s++) %s", i, i, []string{"4", "(x & 7)", g.number()}[g.IntN(3)], i, block())
	case n < 9:
		return "inc(&" + []string{"x", "y", "g0", "b[y & 3]"}[g.IntN(4)] + ");"
	case n < 10 && g.index > 0 && g.index < 4 && depth > 0:
		return "if (n < " + g.number() + ") return " + g.expr(1) + ";"
	case n < 11 && g.index < 4:
		f := g.index
		if g.IntN(2) == 0 { // recursion through others
			f = g.IntN(4)
		}
		return fmt.Sprintf("if (n > 0 && n < 6) y = f%d(x, n - 1);", f)
	case g.tricks:
		return []string{"*gp = " + g.expr(0) + ";", "gp = &g0;", "gp = &x; *gp = 3; gp = &g1;", "u.i = " + g.expr(0) + ";", "x = *gp;", "*(unsigned *)ga = " + g.expr(1) + ";",
			"*(unsigned *)((char *)0 + ga) = " + g.expr(1) + ";", "{ unsigned *q = malloc(4); if (q) { *q = x; y = *q; free(q); } }", "*u.p = " + g.expr(1) + ";", "ga = (unsigned long)&g0;", "u.p = &g1;"}[g.IntN(11)]
	}
	return "y = " + g.expr(0) + ";"
}

// program is one; only the function number trick has tricks.
func (g *callers) program(trick int) string {
	g.WriteString("unsigned g0, g1 = 3, a[4], spare = 1, *gp = &spare; unsigned long ga = (unsigned long)&spare; union { unsigned i; unsigned *p; } u = { .p = &spare };\n" +
		"static void inc(unsigned *p) { *p = *p + 1; }\n")
	for f := range 4 {
		fmt.Fprintf(g, "unsigned f%d(unsigned x, unsigned n);\n", f)
	}
	for g.index = range 5 {
		g.tricks = g.index == trick
		name := fmt.Sprintf("unsigned f%d(unsigned x, unsigned n)", g.index)
		if g.index == 4 {
			name = "int main(void)"
		}
		g.WriteString(name + " { unsigned y = 0, b[4] = {0};")
		if g.index == 4 {
			g.WriteString(" unsigned x = any() % 8, n = 0;")
			if trick >= 0 {
				g.WriteString([]string{" gp = &x;", " ga = (unsigned long)&x;", " u.p = &y;", ""}[g.IntN(4)])
			}
		}
		for range 3 + g.IntN(4) {
			g.WriteString("\n  " + g.statement(0))
		}
		g.WriteString("\n  return y; }\n")
	}
	return g.String()
}

// outcome counts what became of certificates.
type outcome struct {
	accepted int
	refused  map[string]int
}

// contradict has a certificate checked, and looks whether a run contradicts it; where the check is strict, also whether a run
// contradicts a contract.
func (o *outcome) contradict(t *testing.T, m *ir.Module, cert *verdict.Induction, strict bool, text string) {
	t.Helper()
	targets := []ir.CheckKind{ir.Assertion}
	if _, err := certify.Induction(t.Context(), m, certify.Options{Targets: targets, Strict: strict}, cert); err != nil {
		why, _, _ := strings.Cut(err.Error(), ",")
		o.refused[why]++
		return
	}
	o.accepted++
	for run := range uint64(60) {
		_, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Random(100 + run), MaxSteps: 20_000, Observe: func(e interp.Event) {
			if e.Kind == interp.Violation && slices.Contains(targets, e.Check) {
				t.Errorf("run %d violates what was accepted\n%s\n%s", run, text, ir.Print(m))
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRandomCalls: no run contradicts what is proved function by function, nor what the checker accepts with contracts
// that were made up.
func TestRandomCalls(t *testing.T) {
	own, made := outcome{refused: map[string]int{}}, outcome{refused: map[string]int{}}
	contracts := 0
	for seed := range uint64(*programs) {
		rng := rand.New(rand.NewPCG(seed, 31))
		g := &callers{Rand: rng}
		text := g.program(rng.IntN(9) - 4)
		m := load(t, text)
		all := observed(t, m, rng)
		for try := range 5 {
			bounds := all
			if len(all) > 0 {
				bounds = all[try%len(all):][:1]
			}
			p, strict := with(m, bounds), seed%8 == 0 && try == 0
			if err := ir.Verify(p); err != nil {
				t.Fatal(err)
			}
			var heads []invariant.Head
			if r := Prove(t.Context(), p, Options{Targets: []ir.CheckKind{ir.Assertion}, Parts: true}); r.Proof != nil {
				contracts += len(r.Proof.Contracts)
				heads = r.Proof.Heads
				own.contradict(t, p, r.Proof, strict, text)
			}
			cert := &verdict.Induction{Heads: heads}
			for _, f := range p.Funcs {
				if f.IsDecl() || len(f.Params) != 2 || f.Name == "main" {
					continue
				}
				k := invariant.Contract{Func: f.Name}
				most := func(t invariant.Term) invariant.Predicate {
					t.Coeff, t.Bits = 1, 32
					return invariant.Comparison{Terms: []invariant.Term{t}, Bound: big.NewInt(int64([]uint64{0, 1, 7, 15, 100}[rng.IntN(5)]))}
				}
				if rng.IntN(3) == 0 {
					k.Post = append(k.Post, most(invariant.Term{}))
				}
				if rng.IntN(3) == 0 {
					k.Post = append(k.Post, most(invariant.Term{Global: "g0"}))
				}
				if rng.IntN(4) == 0 {
					k.Pre = append(k.Pre, most(invariant.Term{Value: f.Params[1]}))
				}
				cert.Contracts = append(cert.Contracts, k)
			}
			made.contradict(t, p, cert, strict, text)
		}
	}
	t.Logf("proved with %d contracts: %+v", contracts, own)
	t.Logf("made up: %+v", made)
	if own.accepted < *programs/3 || contracts < *programs || made.accepted < *programs/4 {
		t.Error("too few were accepted")
	}
}

// TestParts proves programs function by function, and does not prove their neighbours.
func TestParts(t *testing.T) {
	const count = "unsigned n; static unsigned step(unsigned k) { for (unsigned i = 0; i < k % 4; i++) { n += 2; if (n > 90) n = 0; } if (n % 3 == 1) n += 4; else n += 6; return n % 7; }\n"
	for _, c := range []struct {
		program string
		want    bool
	}{
		{count + "int main(void) { unsigned r = 0; while (any()) { r += step(any()) & 1; r &= 15; step(3); check(n % 2 == 0); } return 0; }", true},
		{count + "int main(void) { n = 1; while (any()) { step(any()); step(3); check(n % 2 == 0); } return 0; }", false},
		{count + "int main(void) { while (any()) { check(step(any()) < 7); step(3); } return 0; }", true},
		{count + "int main(void) { while (any()) { check(step(any()) < 6); step(3); } return 0; }", false},
		// What a function does not write stays as it is for each call.
		{"unsigned m, c[8] = {1, 2, 3}; static unsigned see(unsigned i) { unsigned s = 0; for (unsigned k = 0; k < i; k++) s = (s + c[k & 7] + m) & 255; if (s > 100) s -= 50; if (s == 7) s = 9; return s; }\n" +
			"int main(void) { m = 4; unsigned r = see(any()); check(m == 4 && r <= 255); m = 900; r = see(any()); check(m == 900 && r <= 255); return 0; }", true},
		// Recursion: depth, and a global.
		{"unsigned d; static unsigned down(unsigned n) { if (n == 0 || n > 50) return 0; d = n & 7; unsigned r = down(n - 1); check(d <= 7 && r <= 50); return r > 49 ? 50 : r + 1; }\n" +
			"int main(void) { check(down(any()) <= 50); check(down(3) <= 50); return 0; }", true},
		{"unsigned d; static unsigned down(unsigned n) { if (n == 0 || n > 50) return 0; d = n & 7; unsigned r = down(n - 1); check(d <= 7 && r < 50); return r > 49 ? 50 : r + 1; }\n" +
			"int main(void) { check(down(any()) < 50); check(down(3) <= 50); return 0; }", false},
		// Functions that call each other, with a part between that calls one again.
		{"static unsigned odd(unsigned n); static unsigned even(unsigned n) { return n == 0 ? 1 : odd(n - 1); } static unsigned odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }\n" +
			"int main(void) { check(even(any()) <= 1); check(odd(any()) <= 1); return 0; }", true},
		{"static unsigned odd(unsigned n); static unsigned even(unsigned n) { return n == 0 ? 1 : odd(n - 1); } static unsigned odd(unsigned n) { return n == 0 ? 2 : even(n - 1); }\n" +
			"int main(void) { check(even(any()) <= 1); check(odd(any()) <= 1); return 0; }", false},
		// A call that does not return.
		{"unsigned n; static unsigned stop(unsigned k) { for (unsigned i = 0; i < 9; i++) n = (n + k) & 31; if (n > 4) exit(1); n = n * 3 + 1; if (n == 2) n = 5; if (n > 13) n = 13; exit(2); return n; }\n" +
			"int main(void) { if (any()) stop(1); else if (any()) { stop(2); check(0); } return 0; }", true},
		{"unsigned n; static unsigned stop(unsigned k) { for (unsigned i = 0; i < 9; i++) n = (n + k) & 31; if (n > 4) exit(1); n = n * 3 + 1; if (n == 2) n = 5; if (n > 13) n = 13; return n; }\n" +
			"int main(void) { if (any()) stop(1); else if (any()) { stop(2); check(0); } return 0; }", false},
	} {
		m := load(t, c.program)
		targets := []ir.CheckKind{ir.Assertion}
		r := Prove(t.Context(), m, Options{Targets: targets, Parts: true})
		var err error
		if r.Proof != nil {
			if len(r.Proof.Contracts) == 0 {
				t.Errorf("no function is a part\n%s", c.program)
			}
			_, err = certify.Induction(t.Context(), m, certify.Options{Targets: targets, Engine: certify.CaDiCaL}, r.Proof)
		}
		if proved := r.Proof != nil && err == nil; proved != c.want {
			t.Errorf("proved: %v; %v; %v; open: %v\n%s", proved, r.Why, err, r.Open, c.program)
		}
	}
}

// TestForeign: the checker refuses contracts of functions that reach what is neither a global nor their own. Each
// program violates its check.
func TestForeign(t *testing.T) {
	for _, program := range []string{
		// an address in an integer, in three ways
		"static unsigned f(unsigned long a) { *(unsigned *)a = 1; return 0; } int main(void) { unsigned x = 0; f((unsigned long)&x); check(x == 0); return 0; }",
		"static unsigned f(unsigned long a) { *(unsigned *)((char *)0 + a) = 1; return 0; } int main(void) { unsigned x = 0; f((unsigned long)&x); check(x == 0); return 0; }",
		"static unsigned f(unsigned long a) { char *q = 0; q += a; *(unsigned *)q = 1; return 0; } int main(void) { unsigned x = 0; f((unsigned long)&x); check(x == 0); return 0; }",
		// a pointer in a global, that is there from the start, or that the caller puts there
		"unsigned *p; static unsigned f(unsigned n) { *p = n; return 0; } int main(void) { unsigned x = 0; p = &x; f(1); check(x == 0); return 0; }",
		"unsigned y, *p = &y; static unsigned f(unsigned n) { *p = n; return 0; } int main(void) { f(1); check(y == 0); return 0; }",
		"struct s { unsigned *p; } s; static unsigned f(unsigned n) { struct s t = s; *t.p = n; return 0; } int main(void) { unsigned x = 0; s.p = &x; f(1); check(x == 0); return 0; }",
		// a pointer in a block of the heap
		"unsigned **p; static unsigned f(unsigned n) { **p = n; return 0; } int main(void) { unsigned x = 0, *q = &x; p = &q; f(1); check(x == 0); return 0; }",
		// a function writes a pointer to its local, or to a block, or to a global, for others
		"unsigned *p, z; static unsigned f(unsigned n) { p = &z; return n; } int main(void) { unsigned x = 0; p = &x; f(1); *p = 1; check(z == 0); return 0; }",
		"unsigned *p; static unsigned f(unsigned n) { p = malloc(4); if (!p) exit(0); *p = 5; return n; } int main(void) { f(1); check(*p != 5); return 0; }",
		// a pointer is overwritten by a number
		"unsigned z = 0; union { unsigned long i; unsigned *p; } u; static unsigned f(unsigned long n) { u.i = n; return 0; } int main(void) { unsigned x = 0; u.p = &x; f((unsigned long)&z); *u.p = 1; check(x != 0); return 0; }",
		"unsigned z = 0; union { unsigned long i; unsigned *p; } u; static unsigned f(unsigned long n) { u.i = n; return 0; } int main(void) { unsigned x = 0; u.p = &x; f((unsigned long)&z); *u.p = 1; check(z == 0); return 0; }",
		"unsigned z = 0; unsigned long w; static unsigned f(unsigned n) { w = (unsigned long)&z; return n; } int main(void) { f(1); *(unsigned *)w = 1; check(z == 0); return 0; }",
		// through a function whose pointer is in a global
		"unsigned z; static void g(void) { z = 1; } void (*h)(void); static unsigned f(unsigned n) { h(); return n; } int main(void) { h = g; f(1); check(z == 0); return 0; }",
		// undefined behaviour that yields a pointer
		"unsigned *(*h)(void); static unsigned f(unsigned n) { unsigned *p = h(); *p = n; return n; } int main(void) { unsigned x = 0; f(1); check(x == 0); return 0; }",
		"static unsigned f(unsigned n) { unsigned *(*h)(void) = 0; unsigned *p = h(); *p = n; return n; } int main(void) { unsigned x = 0; f(1); check(x == 0); return 0; }",
		// a write behind a call in a call
		"unsigned z; static unsigned g(unsigned n) { z = n; return n; } static unsigned f(unsigned n) { return g(n); } int main(void) { f(1); check(z == 0); return 0; }",
		// recursion that writes on its way back
		"unsigned z; static unsigned f(unsigned n) { if (n == 0) return 0; f(n - 1); z = n; return 0; } int main(void) { f(any()); check(z == 0); return 0; }",
		// a static local
		"static unsigned f(unsigned n) { static unsigned calls; calls += n; return calls; } int main(void) { f(1); check(f(1) == 1); return 0; }",
	} {
		m := load(t, program)
		cert := &verdict.Induction{}
		for _, f := range m.Funcs {
			if !f.IsDecl() && len(f.Params) == 1 && f.Name != "main" && f.Type(f.Params[0]).Kind == ir.Int && len(f.Results) == 1 && f.Results[0].Kind == ir.Int {
				cert.Contracts = append(cert.Contracts, invariant.Contract{Func: f.Name})
			}
		}
		if len(cert.Contracts) == 0 {
			t.Errorf("no contract\n%s", program)
		}
		if _, err := certify.Induction(t.Context(), m, certify.Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: certify.CaDiCaL}, cert); err == nil {
			t.Errorf("accepted\n%s", program)
		} else {
			t.Log(err)
		}
	}
}
