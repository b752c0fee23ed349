package recurrent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"assay/internal/certify"
	"assay/internal/engines/induction"
	"assay/internal/engines/inference"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

const program = `module 64 entry @main
global @g size 4 align 4
func @step(%x: i8) -> i8 {
b1:
  %d = nondet i8 input "d"
  %y = add i8 %x, %d
  ret %y
}
func @main() {
b1:
  %n = nondet i8 input "n"
  %p = nondet ptr unknown "p"
  %a = nondet i8 approximate "a"
  %small = ult i1 %n, i8 100
  assume %small
  check assertion %small "small"
  br h
h:
  %x = phi i8 [%n, b1], [%y, back]
  %y = call i8 @step(%x)
  %c = ne i1 %y, i8 0
  condbr %c, back, out
back:
  %i = load i32 @g
  %j = add i32 %i, i32 1
  store %j, @g
  br h
out:
  halt exit
}
`

func parse(t *testing.T, src string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// inputs fixes n and d.
func inputs(m *ir.Module, n, d uint64) []verdict.Skolem {
	return []verdict.Skolem{
		{Func: "main", Value: find(m, "main", "n"), Bits: bv.New(8, n)},
		{Func: "step", Value: find(m, "step", "d"), Bits: bv.New(8, d)},
	}
}

func find(m *ir.Module, f, sym string) ir.Value {
	return ir.Value(slices.IndexFunc(m.Func(f).Values, func(d ir.Def) bool { return d.Op == ir.Nondet && d.Sym == sym }))
}

// TestFix: the program with fixed inputs does what the program does with these inputs,
// and fails a check where that ends.
func TestFix(t *testing.T) {
	m := parse(t, program)
	before := ir.Print(m)
	for _, c := range []struct {
		n, d uint64
		end  string
	}{{1, 2, "no"}, {2, 2, "the program ends"}, {0, 0, "the program ends"}, {5, 0, "no"}, {100, 0, "the run is blocked"}} {
		in := inputs(m, c.n, c.d)
		fixed := Fix(m, in, nil)
		if err := ir.Verify(fixed); err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(20) { // the rest is arbitrary
			got := "no"
			_, err := interp.Run(context.Background(), fixed, interp.Options{
				Oracle: interp.Random(seed), MaxSteps: 10000,
				StopAt: func(e interp.Event) bool {
					if e.Kind == interp.Violation && e.Check == End {
						got = e.Text
						return true
					}
					return false
				},
			})
			if err != nil || got != c.end {
				t.Errorf("n = %d, d = %d: %s %v", c.n, c.d, got, err)
			}
		}
	}
	if ir.Print(m) != before {
		t.Error("the program has been changed")
	}
}

// TestFixOnlyInputs: what is not an input stays arbitrary.
func TestFixOnlyInputs(t *testing.T) {
	m := parse(t, program)
	fixed := Fix(m, []verdict.Skolem{
		{Func: "main", Value: find(m, "main", "a"), Bits: bv.New(8, 3)},
		{Func: "main", Value: find(m, "main", "p"), Bits: bv.New(64, 8)},
	}, nil)
	for _, sym := range []string{"a", "p", "n"} {
		if find(fixed, "main", sym) != find(m, "main", sym) {
			t.Errorf("%s is fixed", sym)
		}
	}
}

// TestInputs: inputs that are the same each time, from a run.
func TestInputs(t *testing.T) {
	m := parse(t, program)
	in := inputs(m, 5, 1)
	run := ir.Input{Choices: []ir.Choice{
		{Func: "main", Value: in[0].Value, Bits: bv.New(8, 5)},
		{Func: "main", Value: find(m, "main", "a"), Bits: bv.New(8, 5)},
		{Func: "step", Value: in[1].Value, Bits: bv.New(8, 1)},
		{Func: "step", Value: in[1].Value, Bits: bv.New(8, 1)},
	}}
	same := func(a, b verdict.Skolem) bool { return a.Func == b.Func && a.Value == b.Value && a.Bits.Equal(b.Bits) }
	if got := Inputs(m, run); !slices.EqualFunc(got, in, same) {
		t.Errorf("got %v", got)
	}
	run.Choices = append(run.Choices, ir.Choice{Func: "step", Value: in[1].Value, Bits: bv.New(8, 2)})
	if got := Inputs(m, run); !slices.EqualFunc(got, in[:1], same) {
		t.Errorf("got %v", got)
	}
}

// TestRun: the loop of a proof is found, after the stem.
func TestRun(t *testing.T) {
	m := parse(t, program)
	set := &verdict.RecurrentSet{Inputs: inputs(m, 1, 2)}
	p := induction.Prove(context.Background(), Fix(m, set.Inputs, nil), inference.Options{Targets: []ir.CheckKind{End}})
	if p.Proof == nil {
		t.Fatal(p.Why)
	}
	v, _, why, err := Run(context.Background(), m, set)
	if err != nil || v == nil {
		t.Fatal(why, err)
	}
	if e := v.Endless; e.Func != "main" || m.Func("main").Blocks[e.Head].Name != "h" || e.Visits != rounds || e.LastStep <= e.FirstStep || e.First != 3 {
		t.Errorf("got %+v", *e)
	}
	if len(v.Input.Choices) != 3+rounds {
		t.Errorf("%d choices", len(v.Input.Choices))
	}
	if v, _, why, err := Run(context.Background(), m, &verdict.RecurrentSet{Inputs: inputs(m, 2, 2)}); v != nil || why == "" || err != nil {
		t.Errorf("a run that ends: %v %q %v", v, why, err)
	}
}

// TestFixOverflow: what depends on the result of an overflow is not proved, unless
// arithmetic wraps; what does not is.
func TestFixOverflow(t *testing.T) {
	const text = `module 64 entry @main
func @main() {
b1:
  br h
h:
  %x = phi i8 [i8 1, b1], [%y, h]
  %y = add i8 %x, i8 2
  %o = saddovf i1 %x, i8 2
  %ok = xor i1 %o, i1 1
  check overflow %ok "signed overflow in +"
  CONDITION
  condbr %c, h, out
out:
  ret
}
`
	for _, c := range []struct {
		condition   string
		wraps, want bool
	}{
		{"%c = ne i1 %y, i8 0", true, true},
		{"%c = ne i1 %y, i8 0", false, false},
		{"%c = ule i1 %y, i8 255", false, false},
		{"%c = ule i1 %y, i8 255", true, true},
		{"%c = ne i1 i8 5, i8 0", false, true},
	} {
		m := parse(t, strings.Replace(text, "CONDITION", c.condition, 1))
		var executed Executed
		if !c.wraps {
			_, executed, _, _ = Run(context.Background(), m, &verdict.RecurrentSet{})
		}
		fixed := Fix(m, nil, executed)
		if err := ir.Verify(fixed); err != nil {
			t.Fatal(err)
		}
		p := induction.Prove(context.Background(), fixed, inference.Options{Targets: []ir.CheckKind{End}})
		if (p.Proof != nil) != c.want {
			t.Errorf("%s, wraps %v: proof %v, %v", c.condition, c.wraps, p.Proof != nil, p.Why)
		}
		if p.Proof == nil {
			continue
		}
		if _, err := certify.Endless(context.Background(), m, certify.Options{}, &verdict.RecurrentSet{Proof: p.Proof}); err != nil {
			t.Error(err)
		}
	}
}
