package certify

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// TestEndlessCertificates: what is accepted, and that nothing is that may end.
func TestEndlessCertificates(t *testing.T) {
	loop := func(body string) string {
		return "module 64 entry @main\nglobal @g size 4 align 4\nfunc @main() {\nb1:\n  %n = nondet i8 input \"n\"\n  br h\nh:\n  %x = phi i8 [%n, b1], [%y, back]\n" +
			body + "back:\n  br h\nout:\n  ret\n}\n"
	}
	n := func(x uint64) []verdict.Skolem { return []verdict.Skolem{{Func: "main", Value: 1, Bits: bv.New(8, x)}} }
	odd := []invariant.Predicate{invariant.Comparison{
		Terms: []invariant.Term{{Coeff: 1, Bits: 8}}, Relation: invariant.Congruent, Bound: big.NewInt(1), Modulus: 2,
	}}
	for _, c := range []struct {
		name       string
		src        string
		inputs     []verdict.Skolem
		predicates []invariant.Predicate
		ok         bool
	}{
		{"odd numbers", loop("  %y = add i8 %x, i8 2\n  %c = ne i1 %x, i8 0\n  condbr %c, back, out\n"), n(1), odd, true},
		{"odd numbers, without the predicate", loop("  %y = add i8 %x, i8 2\n  %c = ne i1 %x, i8 0\n  condbr %c, back, out\n"), n(1), nil, false},
		{"even numbers", loop("  %y = add i8 %x, i8 2\n  %c = ne i1 %x, i8 0\n  condbr %c, back, out\n"), n(2), odd, false},
		{"any number", loop("  %y = add i8 %x, i8 2\n  %c = ne i1 %x, i8 0\n  condbr %c, back, out\n"), nil, odd, false},
		{"no exit", loop("  %y = add i8 %x, i8 1\n  br back\n"), nil, nil, true},
		{"blocked", loop("  %y = add i8 %x, i8 1\n  %c = ne i1 %x, i8 0\n  assume %c\n  br back\n"), n(1), nil, false},
		{"assumption holds", loop("  %y = add i8 %x, i8 2\n  %c = ne i1 %x, i8 0\n  assume %c\n  br back\n"), n(1), odd, true},
		{"exit", loop("  %y = add i8 %x, i8 1\n  %c = ne i1 %x, i8 0\n  condbr %c, back, bye\nbye:\n  halt exit\n"), n(1), nil, false},
		{"abort", loop("  %y = add i8 %x, i8 1\n  %c = ne i1 %x, i8 0\n  condbr %c, back, bye\nbye:\n  halt abort\n"), n(1), nil, false},
		{"unreachable", loop("  %y = add i8 %x, i8 1\n  %c = ne i1 %x, i8 0\n  condbr %c, back, bye\nbye:\n  unreachable\n"), n(1), nil, false},
		{"input in the loop", loop("  %i = nondet i8 input \"i\"\n  %y = add i8 %x, i8 0\n  %c = ne i1 %i, %n\n  condbr %c, back, out\n"), n(1), nil, false},
		{"input in the loop, fixed", loop("  %i = nondet i8 input \"i\"\n  %y = add i8 %x, i8 0\n  %c = ne i1 %i, %n\n  condbr %c, back, out\n"),
			append(n(1), verdict.Skolem{Func: "main", Bits: bv.New(8, 7)}), nil, true},
		{"what division by zero yields", loop("  %i = udiv i8 %x, i8 0\n  %y = add i8 %x, i8 0\n  %c = ne i1 %i, i8 7\n  condbr %c, back, out\n"), n(1), nil, false},
		{"memory", loop("  %i = load i32 @g\n  %j = add i32 %i, i32 1\n  store %j, @g\n  %y = add i8 %x, i8 0\n  %c = ne i1 %i, i32 900\n  condbr %c, back, out\n"), n(1), nil, false},
		{"memory that does not matter", loop("  %i = load i32 @g\n  %j = add i32 %i, i32 1\n  store %j, @g\n  %y = add i8 %x, i8 0\n  %c = ne i1 %x, i8 9\n  condbr %c, back, out\n"), n(1), nil, true},
		{"inner loop", loop("  br i\ni:\n  %z = phi i8 [i8 0, h], [%w, i]\n  %w = add i8 %z, i8 1\n  %d = ne i1 %w, %x\n  condbr %d, i, after\nafter:\n  %y = add i8 %x, i8 2\n  %c = ne i1 %x, i8 0\n  condbr %c, back, out\n"), n(1), odd, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ir.Parse(c.src)
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			f := m.Func("main")
			find := func(op ir.Op, sym string) ir.Value {
				return ir.Value(slices.IndexFunc(f.Values, func(d ir.Def) bool { return d.Op == op && d.Sym == sym }))
			}
			for i := range c.inputs {
				if c.inputs[i].Value == 0 {
					c.inputs[i].Value = find(ir.Nondet, "i")
				}
			}
			for i := range c.predicates {
				c.predicates[i].(invariant.Comparison).Terms[0].Value = find(ir.Phi, "")
			}
			set := &verdict.RecurrentSet{Inputs: c.inputs, Proof: &verdict.Induction{K: 1}}
			if c.predicates != nil {
				set.Proof.Heads = []invariant.Head{{Func: "main", Head: 2, Predicates: c.predicates}}
			}
			checker, err := Endless(context.Background(), m, Options{}, set)
			if (err == nil) != c.ok || (checker != "") != c.ok {
				t.Errorf("accepted by %q, %v", checker, err)
			}
		})
	}
}

// TestEndlessInputs: only inputs may be fixed, and once.
func TestEndlessInputs(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
func @main() {
b1:
  %n = nondet i8 input "n"
  %a = nondet i8 approximate "f"
  %p = nondet ptr input "p"
  %m = add i8 %n, i8 1
  br h
h:
  br h
}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		inputs []verdict.Skolem
		ok     bool
	}{
		{nil, true},
		{[]verdict.Skolem{{Func: "main", Value: 1, Bits: bv.New(8, 3)}, {Func: "main", Value: 3, Bits: bv.New(64, 0)}}, true},
		{[]verdict.Skolem{{Func: "main", Value: 1, Bits: bv.New(8, 3)}, {Func: "main", Value: 1, Bits: bv.New(8, 3)}}, false},
		{[]verdict.Skolem{{Func: "main", Value: 1, Bits: bv.New(16, 3)}}, false},
		{[]verdict.Skolem{{Func: "main", Value: 2, Bits: bv.New(8, 3)}}, false},
		{[]verdict.Skolem{{Func: "main", Value: 3, Bits: bv.New(64, 8)}}, false},
		{[]verdict.Skolem{{Func: "main", Value: 4, Bits: bv.New(8, 3)}}, false},
		{[]verdict.Skolem{{Func: "main", Value: 99, Bits: bv.New(8, 3)}}, false},
		{[]verdict.Skolem{{Func: "other", Value: 1, Bits: bv.New(8, 3)}}, false},
	} {
		_, err := Endless(context.Background(), m, Options{}, &verdict.RecurrentSet{Inputs: c.inputs, Proof: &verdict.Induction{K: 1}})
		var incomplete ErrIncomplete
		if (err == nil) != c.ok || !c.ok && !errors.As(err, &incomplete) {
			t.Errorf("%v: %v", c.inputs, err)
		}
	}
}
