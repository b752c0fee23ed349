package certify

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// TestStrictKnowsNoRules: with a wrong rule in the simplifier, which engine and checker
// share, a wrong certificate is accepted; the strict checker rejects it.
func TestStrictKnowsNoRules(t *testing.T) {
	defer term.Plant(term.OpMul, func(s *term.Store, args [3]term.ID) term.ID { // x * y = y
		if s.Op(args[0]) == term.OpVar && s.Op(args[1]) == term.OpVar {
			return args[1]
		}
		return 0
	})()
	m := parse(t, `module 64 entry @main
file "a.c"

func @main() {
entry:
  %x = nondet i8 input "x"
  %y = nondet i8 input "y"
  %p = mul i8 %x, %y
  %q = mul i8 %y, %x
  %same = eq i1 %p, %y
  %other = eq i1 %p, %x
  %one = or i1 %same, %other
  check assertion %one "x * y is x or y" !0:9:3
  halt exit
}
`)
	for _, engine := range []string{CaDiCaL, Z3} {
		o := Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: engine}
		if _, err := Unwinding(t.Context(), m, o, nil); err != nil {
			t.Errorf("the planted rule has no effect: %v", err)
		}
		o.Strict = true
		var rejected ErrRejected
		if _, err := Unwinding(t.Context(), m, o, nil); !errors.As(err, &rejected) {
			t.Errorf("found by %s: the strict checker says %v", engine, err)
		}
	}
}

// TestStrictAccepts what is right, and says how.
func TestStrictAccepts(t *testing.T) {
	m := parse(t, "module 64 entry @main\nfile \"a.c\"\n\nfunc @main() {\n"+countdown+"}\n")
	main := m.Func("main")
	for _, engine := range []string{CaDiCaL, Z3} {
		checker, err := Unwinding(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: engine, Strict: true},
			[]verdict.Bound{{Func: "main", Head: headOf(main), N: 10}})
		if err != nil || !strings.HasSuffix(checker, "without the simplifier") {
			t.Errorf("found by %s: %q, %v", engine, checker, err)
		}
	}
}

// headOf is the block with a phi.
func headOf(f *ir.Func) ir.BlockID {
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			if f.Def(v).Op == ir.Phi {
				return ir.BlockID(b)
			}
		}
	}
	panic("no loop")
}

// TestObserve: a predicate that is false on a run is a bug of whoever accepted it.
func TestObserve(t *testing.T) {
	m := parse(t, "module 64 entry @main\nfile \"a.c\"\n\nfunc @main() {\n"+countdown+"}\n")
	f := m.Func("main")
	head := headOf(f)
	i := f.Blocks[head].Instrs[0]
	for bound, broken := range map[int64]bool{10: false, 3: true} {
		p := invariant.Comparison{Terms: []invariant.Term{{Coeff: 1, Value: i, Bits: 8}}, Bound: big.NewInt(bound)}
		cert := &verdict.Induction{K: 1, Heads: []invariant.Head{{Func: "main", Head: head, Predicates: []invariant.Predicate{p}}}}
		var said any
		func() {
			defer func() { said = recover() }()
			observe(t.Context(), m, []ir.CheckKind{ir.Assertion}, cert)
		}()
		if (said != nil) != broken || broken && !strings.Contains(fmt.Sprint(said), "<= 3") {
			t.Errorf("i <= %d: %v", bound, said)
		}
		clause := invariant.Clause{{Term: invariant.Term{Value: i, Bits: 8}, Bit: 7, Negated: true}}
		if bound == 3 { // i < 2
			clause = invariant.Clause{{Term: invariant.Term{Value: i, Bits: 8}, Bit: 1, Negated: true}}
		}
		cert.Heads[0].Predicates, cert.Heads[0].Clauses = nil, []invariant.Clause{clause}
		said = nil
		func() {
			defer func() { said = recover() }()
			observe(t.Context(), m, []ir.CheckKind{ir.Assertion}, cert)
		}()
		if (said != nil) != broken {
			t.Errorf("clause %v: %v", clause, said)
		}
	}
}

// TestObserveContracts: so is a side of a contract.
func TestObserveContracts(t *testing.T) {
	m := parse(t, `module 64 entry @main
file "a.c"

global @g size 4 align 4

func @f(%n: i32) -> i32 {
entry:
  %old = load i32 @g
  %new = add i32 %old, %n
  store %new, @g
  ret %new
}

func @main() {
entry:
  %one = call i32 @f(i32 3)
  %two = call i32 @f(i32 4)
  halt exit
}
`)
	f := m.Func("f")
	n := invariant.Term{Coeff: 1, Value: f.Params[0], Bits: 32}
	old, now, result := invariant.Term{Coeff: 1, Global: "g", Bits: 32, Old: true}, invariant.Term{Coeff: 1, Global: "g", Bits: 32}, invariant.Term{Coeff: 1, Bits: 32}
	less := func(t invariant.Term) invariant.Term { t.Coeff = -1; return t }
	for _, c := range []struct {
		pre    bool
		terms  []invariant.Term
		bound  int64
		broken bool
	}{
		{true, []invariant.Term{n}, 4, false}, {true, []invariant.Term{n}, 3, true},
		{true, []invariant.Term{old}, 3, false}, {true, []invariant.Term{old}, 2, true},
		{false, []invariant.Term{result}, 7, false}, {false, []invariant.Term{result}, 6, true},
		{false, []invariant.Term{now, less(old)}, 4, false}, {false, []invariant.Term{now, less(old)}, 3, true},
		{false, []invariant.Term{now, less(old), less(n)}, 0, false}, {false, []invariant.Term{now, less(old), less(n)}, -1, true},
	} {
		k := invariant.Contract{Func: "f"}
		side := &k.Post
		if c.pre {
			side = &k.Pre
		}
		*side = []invariant.Predicate{invariant.Comparison{Terms: c.terms, Bound: big.NewInt(c.bound)}}
		var said any
		func() {
			defer func() { said = recover() }()
			observe(t.Context(), m, []ir.CheckKind{ir.Assertion}, &verdict.Induction{Contracts: []invariant.Contract{k}})
		}()
		if (said != nil) != c.broken {
			t.Errorf("%+v: %v", c, said)
		}
	}
}
