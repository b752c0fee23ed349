package certify

import (
	"math/big"
	"slices"
	"testing"

	"assay/internal/engines/bitranking"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// fairModule is a loop that never ends: %x goes down to 0 and stays there; it goes down
// in rounds that accept, if the input says so. wrong lets it accept elsewhere, too.
func fairModule(t *testing.T, elsewhere string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(`module 64 entry @main
func @mark() {
b1:
  accept
  ret
}
func @main() {
b1:
  %n = nondet i8 input "n"
  br h
h:
  %x = phi i8 [%n, b1], [%x, stay], [%y, down], [%x, last]
  %c = nondet i1 input "c"
  condbr %c, work, stay
work:
  %z = eq i1 %x, i8 0
  condbr %z, last, down
down:
  %y = sub i8 %x, i8 1
  call void @mark()
  br h
stay:
` + elsewhere + `  br h
last:
  br h
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFair: the certificate of the engine is accepted; mutants of it, of the
// question, and of the program are not.
func TestFair(t *testing.T) {
	m := fairModule(t, "")
	p := bitranking.ProveFair(t.Context(), m, nil)
	if p.Proof == nil {
		t.Fatal(p.Why)
	}
	judge := func(m *ir.Module, cert *verdict.Ranking, fair bool) error {
		_, err := Ranking(t.Context(), m, Options{Fair: fair}, cert)
		return err
	}
	if err := judge(m, p.Proof, true); err != nil {
		t.Fatal(err)
	}
	if bitranking.Prove(t.Context(), m, nil).Proof != nil {
		t.Error("all runs end")
	}
	refused := func(what string, m *ir.Module, fair bool, change func(*verdict.Ranking)) {
		t.Helper()
		c := *p.Proof
		c.Loops = slices.Clone(c.Loops)
		for i := range c.Loops {
			c.Loops[i].Functions = slices.Clone(c.Loops[i].Functions)
		}
		change(&c)
		if judge(m, &c, fair) == nil {
			t.Errorf("accepted: %s", what)
		}
	}
	same := func(*verdict.Ranking) {}
	refused("a proof of fair termination as one of termination", m, false, same)
	refused("a program that accepts while nothing changes", fairModule(t, "  accept\n"), true, same)
	refused("a program that accepts there in a call", fairModule(t, "  call void @mark()\n"), true, same)
	refused("no function", m, true, func(c *verdict.Ranking) { c.Loops[0].Functions = nil })
	refused("no loop", m, true, func(c *verdict.Ranking) { c.Loops = nil })
	refused("the loop twice", m, true, func(c *verdict.Ranking) { c.Loops = append(c.Loops, c.Loops[0]) })
	refused("another sign", m, true, func(c *verdict.Ranking) {
		f := slices.Clone(c.Loops[0].Functions[0])
		for i := range f {
			f[i].Terms = slices.Clone(f[i].Terms)
			for k := range f[i].Terms {
				f[i].Terms[k].Coeff *= -1
			}
		}
		c.Loops[0].Functions[0] = f
	})
	refused("signed for unsigned", m, true, func(c *verdict.Ranking) {
		f := slices.Clone(c.Loops[0].Functions[0])
		for i := range f {
			f[i].Terms = slices.Clone(f[i].Terms)
			for k := range f[i].Terms {
				f[i].Terms[k].Signed = !f[i].Terms[k].Signed
			}
		}
		c.Loops[0].Functions[0] = f
	})
	refused("a constant before it decides nothing, one instead of it", m, true, func(c *verdict.Ranking) {
		c.Loops[0].Functions = []verdict.RankingFunction{{{Constant: 1}}}
	})
	refused("an invariant that does not hold", m, true, func(c *verdict.Ranking) {
		x := p.Proof.Loops[0].Functions[0][0].Terms[0]
		x.Coeff = 1
		c.Heads = []invariant.Head{{Func: "main", Head: c.Loops[0].Head, Predicates: []invariant.Predicate{invariant.Comparison{Terms: []invariant.Term{x}, Relation: invariant.AtMost, Bound: big.NewInt(3)}}}}
	})
}

// TestFairBesideHead: of a loop that is entered at two blocks nothing is proved.
func TestFairBesideHead(t *testing.T) {
	m, err := ir.Parse("module 64 entry @main\nfunc @main() {\nb1:\n  %n = nondet i1 input\n  condbr %n, x, y\nx:\n  br y\ny:\n  accept\n  br x\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, fair := range []bool{false, true} {
		if _, err := Ranking(t.Context(), m, Options{Fair: fair}, &verdict.Ranking{K: 1}); err == nil {
			t.Error("accepted, fair:", fair)
		}
	}
}

// TestFairNothing: a program whose loops accept nothing needs no function, and one whose
// callee accepts does.
func TestFairNothing(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool
	}{
		{"  br h\n", true},
		{"  call void @mark()\n  br h\n", false},
		{"  accept\n  br out\nout:\n  br deep\ndeep:\n  br h\n", false},
		{"  condbr %n, h, out\nout:\n  accept\n  halt exit\n", true},
	} {
		m, err := ir.Parse("module 64 entry @main\nfunc @mark() {\nb1:\n  accept\n  ret\n}\nfunc @main() {\nb1:\n  %n = nondet i1 input\n  br h\nh:\n" + c.body + "}\n")
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		_, err = Ranking(t.Context(), m, Options{Fair: true}, &verdict.Ranking{K: 1})
		if (err == nil) != c.want {
			t.Errorf("%s: %v", c.body, err)
		}
		if p := bitranking.ProveFair(t.Context(), m, nil); (p.Proof != nil) != c.want {
			t.Errorf("%s: the engine: %v", c.body, p.Why)
		}
	}
}

// TestEndlessFair: a run that does not end is no fair run unless each iteration of each loop
// accepts, for the inputs at hand.
func TestEndlessFair(t *testing.T) {
	n := func(x uint64) []verdict.Skolem {
		return []verdict.Skolem{{Func: "main", Value: 1, Bits: bv.New(8, x)}}
	}
	for _, c := range []struct {
		name, body string
		inputs     []verdict.Skolem
		want       bool
	}{
		{"accepts", "  accept\n  br back\n", nil, true},
		{"accepts in a call", "  call void @mark()\n  br back\n", nil, true},
		{"does not", "  br back\n", nil, false},
		{"accepts before", "  br i\ni:\n  br i\n", nil, false},
		{"accepts on some ways", "  %c = nondet i1 input\n  condbr %c, yes, back\nyes:\n  accept\n  br back\n", nil, false},
		{"accepts on the way of the input", "  %c = eq i1 %n, i8 7\n  condbr %c, yes, back\nyes:\n  accept\n  br back\n", n(7), true},
		{"accepts on the way of another input", "  %c = eq i1 %n, i8 7\n  condbr %c, yes, back\nyes:\n  accept\n  br back\n", n(6), false},
		{"accepts in the outer loop only", "  accept\n  br i\ni:\n  %c = nondet i1 input\n  condbr %c, i, back\n", nil, false},
		{"accepts in the inner loop only", "  br i\ni:\n  accept\n  %c = nondet i1 input\n  condbr %c, i, back\n", nil, true},
		{"accepts in both loops", "  br i\ni:\n  accept\n  %c = nondet i1 input\n  condbr %c, i, j\nj:\n  accept\n  br back\n", nil, true},
		{"recursion", "  call void @again()\n  br back\n", nil, false},
	} {
		m, err := ir.Parse("module 64 entry @main\nfunc @mark() {\nb1:\n  accept\n  ret\n}\nfunc @again() {\nb1:\n  accept\n  call void @again()\n  ret\n}\nfunc @main() {\nb1:\n  %n = nondet i8 input\n  accept\n  br h\nh:\n  %x = phi i8 [%n, b1], [%y, back]\n  %y = add i8 %x, i8 1\n" +
			c.body + "back:\n  br h\n}\n")
		if c.name == "accepts before" {
			m, err = ir.Parse("module 64 entry @main\nfunc @main() {\nb1:\n  %n = nondet i8 input\n  accept\n  br i\ni:\n  br i\n}\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		f := m.Func("main")
		inputs := slices.Clone(c.inputs)
		for v := range f.Values { // the first input, wherever it is
			if len(inputs) > 0 && f.Values[v].Op == ir.Nondet && f.Values[v].Type.Bits == 8 {
				inputs[0].Value = ir.Value(v)
			}
		}
		_, err = Endless(t.Context(), m, Options{Fair: true}, &verdict.RecurrentSet{Inputs: inputs, Proof: &verdict.Induction{K: 1}})
		if (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
