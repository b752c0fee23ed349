package complexity_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/internal/certify/accept"
	"assay/internal/conductor"
	"assay/internal/integers/bound"
	"assay/internal/integers/complexity"
	"assay/internal/integers/its"
	"assay/internal/logic/bv"
	"assay/internal/logic/linear"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// programs are functions of C with the classes of their bounds over the integers.
var programs = []struct{ name, text, class string }{
	{"count", "void f(int n) { for (int i = 0; i < n; i++) ; }", "O(n)"},
	{"square", "void f(int n) { for (int i = 0; i < n; i++) for (int j = i; j < n; j++) ; }", "O(n^2)"},
	{"sequence", "void f(int n, int m) { int k = 0; while (n > 0) { n--; k += m; } while (k > 0) k--; }", "O(n^2)"},
	{"shared", "int nondet(void); void f(int n) { int s = 0; while (n > 0) { n--; s++; while (s > 0 && nondet()) s--; } }", "O(n)"},
	{"flag", "int nondet(void); void f(int n, int up) { int i = 0; while (i >= 0 && i < n) { if (up) i++; else i--; } }", "O(n)"},
	{"call", "static void g(int k) { while (k > 3) k -= 2; } void f(int n) { while (n > 0) { g(n); n--; } }", "O(n^2)"},
	{"jumps", "void f(unsigned char n) { int i = 7; while (n > 2) { n = n / 2; i--; } }", ""},
	{"gap", "void f(int x, int y) { while (x != y) { if (x < y) x++; else y++; } }", "O(n)"},
	{"double", "void f(int n) { int k = 1; while (n > 0) { n--; k = 2 * k; } while (k > 0) k--; }", "EXP"},
	{"phases", "void f(int x, int y, int n) { while (x < n) { x += y; y++; } }", "O(n)"},
	{"squares", "void f(int n) { int k = 0; while (n > 0) { k += n * n; n--; } while (k > 0) k--; }", "O(n^3)"},
	{"outrun", "void f(int x, int y) { while (x < y && x > 0) { x = 3 * x; y = 2 * y; } }", "O(log n)"},
	{"halve", "void f(int n, int m) { while (m > 0) { int k = n; while (k > 1) k = k / 2; m--; } }", "O(n*log n)"},
	{"outrun square", "void f(int x, int y, int n) { while (x < y * y && x > 0) { x = 5 * x + n * n; y = 2 * y; } }", "O(log n)"},
	{"turn", "void f(int n, int x, int y) { while (n > 0) { int t = x; n--; x = 3 * x + 2 * y; y = -5 * t - 3 * y; } while (x + y > 0) { x--; y--; } }", "O(n)"},
	{"first", "int nondet(void); void f(int n) { int a = nondet(); if (a > n) n = a; while (n > 0) n--; }", "O(n)"},
}

// chooser gives parameters their values, and everything else something small.
type chooser struct {
	interp.Zero
	r      *rand.Rand
	values map[string]int64
}

func (c *chooser) Next(q interp.Request) (ir.Choice, error) {
	if q.Kind != interp.WantValue || q.Type.Kind != ir.Int {
		return c.Zero.Next(q)
	}
	d := q.Func.Def(q.Value)
	n, ok := c.values[d.Sym]
	if !ok {
		n = c.r.Int64N(7) - 2
		c.values[fmt.Sprintf("a@%d", d.Pos.Line)] = n
	}
	return ir.Choice{Func: q.Func.Name, Value: q.Value, Bits: bv.New(q.Type.Bits, uint64(n))}, nil
}

// measure runs the program, and counts both costs.
func measure(t *testing.T, m *ir.Module, heads map[*ir.Func]*ir.WTO, c *chooser) (iterations, instructions int64) {
	out, err := interp.Run(t.Context(), m, interp.Options{Oracle: c, MaxSteps: 1e5, Blocks: true, Observe: func(e interp.Event) {
		switch e.Kind {
		case interp.Enter:
			if e.Func.Name != m.Entry {
				iterations++
			}
		case interp.BlockEntered:
			if heads[e.Func].IsHead(e.Block) {
				iterations++
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return iterations, out.Steps
}

// TestPrograms: no run of a program with small inputs costs more than its bound, and the bounds have
// the classes that they should have.
func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f.c")
			if err := os.WriteFile(file, []byte(p.text), 0o666); err != nil {
				t.Fatal(err)
			}
			loaded, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}, Function: "f"})
			if err != nil {
				t.Fatal(err)
			}
			for _, semantics := range []conductor.Semantics{conductor.Integers, conductor.Wrap} {
				if semantics == conductor.Wrap && slices.Contains([]string{"phases", "sequence", "squares", "outrun", "outrun square", "turn"}, p.name) {
					continue // the search for splits takes minutes
				}
				least := int64(3)
				if p.class == "" { // unsigned numbers
					least = 0
				}
				compare(t, loaded.Module, semantics, p.class, least)
			}
		})
	}
}

func compare(t *testing.T, m *ir.Module, semantics conductor.Semantics, class string, least int64) {
	heads := map[*ir.Func]*ir.WTO{}
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			heads[f] = ir.NewWTO(f)
		}
	}
	systems := map[conductor.Cost]*its.System{}
	bounds := map[conductor.Cost]bound.Expression{}
	for _, cost := range []conductor.Cost{conductor.Iterations, conductor.Instructions} {
		s, rest, none := conductor.IntegerSystem(t.Context(), m, semantics, cost)
		if none != nil {
			t.Fatal(none)
		}
		ctx, cancel := context.WithCancel(t.Context())
		f, ok := complexity.Upper(ctx, s).(complexity.Found)
		cancel()
		if !ok {
			if semantics == conductor.Integers && class != "" {
				t.Errorf("no bound of %s", cost)
			}
			continue
		}
		if err := accept.Bound(t.Context(), s, &f.Certificate); err != nil {
			t.Errorf("%v\n%s", err, its.WriteKoAT(s))
			continue
		}
		if got := f.Certificate.Bound.Class().String(); semantics == conductor.Integers && class != "" && got != class {
			t.Errorf("%s: got %s, want %s: %s", cost, got, class, f.Certificate.Bound.Format(s.VarName))
		}
		systems[cost], bounds[cost] = s, f.Certificate.Bound.Add(bound.Int(rest))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 120 {
		c := &chooser{r: r, values: map[string]int64{}}
		for _, name := range []string{"n", "m", "x", "y", "up"} {
			c.values[name] = r.Int64N(14) - least
		}
		iterations, instructions := measure(t, m, heads, c)
		for cost, measured := range map[conductor.Cost]int64{conductor.Iterations: iterations, conductor.Instructions: instructions} {
			e, ok := bounds[cost]
			if !ok {
				continue
			}
			s := systems[cost]
			limit, ok := e.Eval(func(v linear.Var) *big.Int {
				n, known := c.values[s.VarName(v)]
				if !known {
					t.Fatalf("a bound that depends on %s: %s", s.VarName(v), e.Format(s.VarName))
				}
				return big.NewInt(n)
			})
			if ok && limit.Cmp(big.NewRat(measured, 1)) < 0 {
				t.Fatalf("%v: %s: a run with %v costs %d, more than %v = %s", semantics, cost, c.values, measured, limit, e.Format(s.VarName))
			}
		}
	}
	t.Log(semantics, len(bounds), func() string {
		for cost, e := range bounds {
			return string(cost) + ": " + e.Format(systems[cost].VarName)
		}
		return ""
	}())
}
