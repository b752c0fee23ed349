package abstract

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/certify"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

// programs is the number of random programs; thousands are worth while after a change of
// the analysis or of the checker.
var programs = flag.Int("programs", 30, "random programs with assertions to prove")

// bound is an assertion that a value is at most what some runs have seen.
type bound struct {
	f     string
	value ir.Value
	seen  uint64
}

// observed are the greatest values, read as unsigned numbers, of some instructions in a few
// runs.
func observed(t *testing.T, m *ir.Module, rng *rand.Rand) (out []bound) {
	t.Helper()
	watched := ir.Rewrite(m, func(f *ir.Func) bool { return !f.IsDecl() }, func(e *ir.Editor, f *ir.Func) {
		for b := range f.Blocks {
			for _, v := range slices.Clone(f.Blocks[b].Instrs) {
				if d := f.Def(v); d.Type == ir.IntType(32) && d.Op != ir.Phi {
					e.Func.Vars = append(e.Func.Vars, ir.Var{Name: fmt.Sprint(v)})
					e.After(v, func() { e.Emit(ir.Def{Op: ir.Dbg, Args: []ir.Value{v}, Aux: int64(len(e.Func.Vars) - 1)}) })
				}
			}
		}
	})
	greatest := map[string]map[string]uint64{}
	for run := range uint64(4) {
		_, err := interp.Run(t.Context(), watched, interp.Options{Oracle: interp.Random(run), MaxSteps: 20_000, Observe: func(e interp.Event) {
			if e.Kind != interp.Assign || e.Bits.Width() != 32 {
				return
			}
			of := greatest[e.Func.Name]
			if of == nil {
				of = map[string]uint64{}
				greatest[e.Func.Name] = of
			}
			of[e.Var.Name] = max(of[e.Var.Name], e.Bits.Uint64())
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range m.Funcs {
		for v := range f.Values {
			if n, ok := greatest[f.Name][fmt.Sprint(v)]; ok && rng.IntN(12) == 0 {
				out = append(out, bound{f.Name, ir.Value(v), n})
			}
		}
	}
	return out
}

// with is the module with the assertions.
func with(m *ir.Module, bounds []bound) *ir.Module {
	return ir.Rewrite(m, func(f *ir.Func) bool { return !f.IsDecl() }, func(e *ir.Editor, f *ir.Func) {
		for _, b := range bounds {
			if b.f != f.Name {
				continue
			}
			e.After(b.value, func() {
				e.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{e.Op(ir.ULe, ir.BoolType, b.value, e.Number(32, b.seen))}, Aux: int64(ir.Assertion), Sym: "assertion"})
			})
		}
	})
}

// TestRandom, and testRandom of other programs: no run contradicts what this engine alone proves and the checker accepts, of
// assertions that runs suggest.
func TestRandom(t *testing.T) {
	testRandom(t, func(seed uint64) *ir.Module { return irtest.Structured(seed, false) })
}

// TestRandomNarrow has integers of several widths, shifts, divisions and structures.
func TestRandomNarrow(t *testing.T) { testRandom(t, irtest.Narrow) }

// TestRandomMachines has loops whose states are kept apart.
func TestRandomMachines(t *testing.T) { testRandom(t, irtest.Machine) }

func testRandom(t *testing.T, program func(seed uint64) *ir.Module) {
	targets := []ir.CheckKind{ir.Assertion}
	proved, accepted, refused := 0, 0, map[string]int{}
	for seed := range uint64(*programs) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := program(seed)
		all := observed(t, m, rng)
		// One assertion at a time and a few together: most bounds that runs suggest are none.
		for try := range 6 {
			bounds := all
			if len(all) > 0 {
				bounds = all[try%len(all):][:1]
			}
			if try == 5 {
				bounds = nil
			}
			p := with(m, bounds)
			if err := ir.Verify(p); err != nil {
				t.Fatalf("%d: %v\n%s", seed, err, ir.Print(p))
			}
			r := Prove(t.Context(), p, Options{Targets: targets})
			if r.Proof == nil {
				continue
			}
			proved++
			if _, err := certify.Induction(t.Context(), p, certify.Options{Targets: targets}, r.Proof); err != nil {
				why, _, _ := strings.Cut(err.Error(), ":")
				refused[why]++
				continue
			}
			accepted++
			for run := range uint64(60) {
				_, err := interp.Run(t.Context(), p, interp.Options{Oracle: interp.Random(100 + run), MaxSteps: 20_000, Observe: func(e interp.Event) {
					if e.Kind == interp.Violation && slices.Contains(targets, e.Check) {
						t.Errorf("program %d, try %d, run %d: violated\n%s", seed, try, run, ir.Print(p))
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d proofs, %d accepted; refused: %v", proved, accepted, refused)
	if accepted < *programs/3 {
		t.Errorf("%d of %d proofs were accepted", accepted, proved)
	}
}

// TestProve has a loop whose assertion needs a congruence, one that needs a cell of memory, and
// one that the analysis does not exclude.
func TestProve(t *testing.T) {
	build := func(modulus uint64, inMemory bool) *ir.Module {
		m := &ir.Module{PointerBits: 64, Entry: "main"}
		m.Globals = append(m.Globals, &ir.Global{Name: "g", Size: 4, Align: 4, Layout: ir.Layout{Cell: 4}})
		b := ir.NewFunc(m, "main")
		entry, head, body, out := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("out")
		i32 := ir.IntType(32)
		b.At(entry)
		b.Br(head)
		b.At(head)
		x := b.Phi(i32)
		b.AddIncoming(x, b.Const(32, 0), entry)
		value := x
		if inMemory {
			value = b.Load(i32, b.GlobalAddr("g"))
		}
		b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, "more"), body, out)
		b.At(body)
		next := b.Bin(ir.Add, value, b.Const(32, 4))
		if inMemory {
			b.Store(next, b.GlobalAddr("g"))
		}
		b.AddIncoming(x, next, body)
		b.Br(head)
		b.At(out)
		b.Check(ir.Assertion, b.Cmp(ir.Eq, b.Bin(ir.And, value, b.Const(32, modulus-1)), b.Const(32, 0)), "a multiple")
		b.Halt(ir.HaltExit)
		b.Done()
		return m
	}
	for _, inMemory := range []bool{false, true} {
		for _, modulus := range []uint64{2, 4, 8} {
			m := build(modulus, inMemory)
			r := Prove(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}})
			if modulus == 8 {
				if r.Proof != nil || len(r.Open) != 1 || r.Open[0].Text != "a multiple" {
					t.Errorf("modulus 8: proof %v, open %v", r.Proof, r.Open)
				}
				continue
			}
			if r.Proof == nil {
				t.Errorf("modulus %d, in memory %v: %v", modulus, inMemory, r.Why)
				continue
			}
			if _, err := certify.Induction(t.Context(), m, certify.Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: certify.CaDiCaL}, r.Proof); err != nil {
				t.Errorf("modulus %d, in memory %v: %v", modulus, inMemory, err)
			}
		}
	}
}

// TestPartition has loops in which what holds depends on a state or a flag, each with a neighbour that is wrong.
func TestPartition(t *testing.T) {
	const lock = `int main(void) { int locked = 0, owner = 0;
  while (__VERIFIER_nondet_int()) {
    if (!locked) { if (__VERIFIER_nondet_int()) { owner = 7; locked = 1; } }
    else { check(owner == OWNER); if (__VERIFIER_nondet_int()) { locked = 0; owner = __VERIFIER_nondet_int(); } } } return 0; }`
	const machine = `int main(void) { int state = 0, n = 0, m = 0;
  while (1) { switch (state) {
    case 0: n = __VERIFIER_nondet_int(); if (n < 0 || n > 100) break; m = 0; state = 3; break;
    case 3: check(n >= 0 && n <= 100); m = n / 2; state = __VERIFIER_nondet_int() ? 3 : 7; break;
    case 7: check(m >= 0 && m <= HALF); if (n > 50) { n = -5; m = 1000; state = 9; } else { n = -1; state = 0; } break;
    case 9: check(n == -5 && m == 1000); state = 0; break;
    default: check(0); } } }`
	const inner = `int main(void) { int init = 0; unsigned n = 0, s = 0;
  for (;;) { if (!init) { n = __VERIFIER_nondet_int() & 15; s = 0; init = 1; }
    else { for (unsigned k = 0; k < 3; k++) check(n <= MOST); if (__VERIFIER_nondet_int()) { init = 0; n = 1000; } } } }`
	for _, c := range []struct {
		program, with string
		want          bool
	}{
		{lock, "-DOWNER=7", true}, {lock, "-DOWNER=6", false},
		{machine, "-DHALF=50", true}, {machine, "-DHALF=49", false},
		{inner, "-DMOST=15", true}, {inner, "-DMOST=14", false},
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		text := "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n#define check(x) do if (!(x)) reach_error(); while (0)\n" + c.program
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}, ExtraArgs: []string{c.with}})
		if err != nil {
			t.Fatal(err)
		}
		targets := []ir.CheckKind{ir.Assertion}
		r := Prove(t.Context(), p.Module, Options{Targets: targets})
		if (r.Proof != nil) != c.want {
			t.Errorf("%s: proof %v, %v", c.with, r.Proof, r.Why)
		}
		if r.Proof == nil {
			continue
		}
		if _, err := certify.Induction(t.Context(), p.Module, certify.Options{Targets: targets, Engine: certify.CaDiCaL}, r.Proof); err != nil {
			t.Errorf("%s: %v", c.with, err)
		}
	}
}

// TestUnclean: undefined behaviour that is not excluded is listed, once.
func TestUnclean(t *testing.T) {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	n := b.Nondet(ir.IntType(32), ir.NondetInput, "n")
	b.Bin(ir.UDiv, b.Const(32, 7), n)
	b.Check(ir.Assertion, b.Cmp(ir.ULe, b.Bin(ir.And, n, b.Const(32, 3)), b.Const(32, 3)), "small")
	b.Halt(ir.HaltExit)
	b.Done()
	r := Prove(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}})
	if r.Proof == nil || len(r.Unclean) != 1 || r.Unclean[0].Kind != ir.DivByZero || r.Excluded != 1 {
		t.Errorf("%+v", r)
	}
	var _ verdict.Certificate = r.Proof
}
