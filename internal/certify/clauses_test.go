package certify

import (
	"errors"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// called is a program in which main calls f twice in a loop, f has a loop, and the
// check in f holds because of what main passes.
func called(t *testing.T) (m *ir.Module, f *ir.Func, heads map[string]ir.BlockID, first, second, even ir.Value) {
	t.Helper()
	m = &ir.Module{PointerBits: 64, Entry: "main", Files: []string{"a.c"}}
	i3 := ir.IntType(3)
	b := ir.NewFunc(m, "f", i3)
	x := b.Param(i3)
	entry, head, exit := b.Block("entry"), b.Block("head"), b.Block("exit")
	b.At(entry)
	b.Br(head)
	b.At(head)
	y := b.Phi(i3)
	b.AddIncoming(y, x, entry)
	b.AddIncoming(y, y, head)
	b.Check(ir.Assertion, b.Cmp(ir.Ne, b.Bin(ir.And, y, b.Const(3, 1)), b.Const(3, 1)), "even")
	b.CondBr(b.Nondet(ir.IntType(1), ir.NondetInput, "again"), head, exit)
	b.At(exit)
	b.Ret(y)
	f = b.Done()
	b = ir.NewFunc(m, "main")
	entry, loop, end := b.Block("entry"), b.Block("loop"), b.Block("end")
	b.At(entry)
	b.Br(loop)
	b.At(loop)
	even = b.Phi(i3)
	first = b.Call(i3, "f", even)
	second = b.Call(i3, "f", b.Const(3, 4))
	next := b.Bin(ir.Add, even, b.Const(3, 2))
	b.AddIncoming(even, b.Const(3, 0), entry)
	b.AddIncoming(even, next, loop)
	b.CondBr(b.Nondet(ir.IntType(1), ir.NondetInput, "again"), loop, end)
	b.At(end)
	b.Halt(ir.HaltExit)
	b.Done()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m, f, map[string]ir.BlockID{"f": head, "main": loop}, first, second, even
}

// TestClauses: clauses of a loop in a call string, about its values and those of
// the caller, are claimed, assumed, and told apart by the call string.
func TestClauses(t *testing.T) {
	m, f, heads, first, second, even := called(t)
	y := f.Blocks[heads["f"]].Instrs[0]
	own := func(bit uint32, negated bool) invariant.Literal {
		return invariant.Literal{Term: invariant.Term{Value: y, Bits: 3}, Bit: bit, Negated: negated}
	}
	caller := invariant.Literal{Term: invariant.Term{Value: even, Bits: 3, Up: 1}, Negated: true}
	at := func(call ir.Value) []invariant.Call { return []invariant.Call{{Func: "main", Value: call}} }
	inMain := invariant.Head{Func: "main", Head: heads["main"], Clauses: []invariant.Clause{{{Term: invariant.Term{Value: even, Bits: 3}, Negated: true}}}}
	in := func(call ir.Value, clauses ...invariant.Clause) invariant.Head {
		h := invariant.Head{Func: "f", Head: heads["f"], Clauses: clauses}
		if call != 0 {
			h.Calls = at(call)
		}
		return h
	}
	st := term.NewStore()
	v, w := st.Var("v", term.BitVec(3)), st.Var("w", term.BitVec(3))
	even3 := st.Eq(st.URem(v, st.ConstU(3, 2)), st.ConstU(3, 0))
	formula := func(root term.ID, names map[term.ID]invariant.Term) invariant.Head {
		return invariant.Head{Func: "f", Head: heads["f"], Calls: at(first), Formulas: []invariant.Formula{{Store: st, Root: root, Names: names}}}
	}
	yTerm, caller3 := invariant.Term{Value: y, Bits: 3}, invariant.Term{Value: even, Bits: 3, Up: 1}
	inSecond := in(second, invariant.Clause{own(0, true)})
	for _, test := range []struct {
		name  string
		heads []invariant.Head
		want  string // part of the error; empty if accepted
	}{
		{"a formula", []invariant.Head{inMain, inSecond, formula(even3, map[term.ID]invariant.Term{v: yTerm})}, ""},
		{"a formula about the caller", []invariant.Head{inMain, inSecond, formula(st.Eq(v, w), map[term.ID]invariant.Term{v: yTerm, w: caller3})}, ""},
		{"a wrong formula", []invariant.Head{inMain, inSecond, formula(st.ULt(v, st.ConstU(3, 5)), map[term.ID]invariant.Term{v: yTerm})}, "formula 1"},
		{"a name is missing", []invariant.Head{inMain, formula(st.Eq(v, w), map[term.ID]invariant.Term{v: yTerm})}, "without name"},
		{"another width", []invariant.Head{inMain, formula(even3, map[term.ID]invariant.Term{v: {Value: y, Bits: 4}})}, "bit 2 of 4"},
		{"no Bool", []invariant.Head{inMain, formula(v, map[term.ID]invariant.Term{v: yTerm})}, "is none"},
		{"enough", []invariant.Head{inMain, in(0, invariant.Clause{own(0, true)})}, ""},
		{"by call string", []invariant.Head{inMain, in(first, invariant.Clause{own(0, true)}), in(second, invariant.Clause{own(0, true)})}, ""},
		{"nothing for the first call", []invariant.Head{in(second, invariant.Clause{own(0, true)})}, "even"},
		{"of one call only", []invariant.Head{inMain, in(0, invariant.Clause{own(0, true)}), in(second, invariant.Clause{own(2, false)})}, ""},
		{"not of the other one", []invariant.Head{inMain, in(0, invariant.Clause{own(0, true)}), in(first, invariant.Clause{own(2, false)})}, "clause 1"},
		{"about the caller", []invariant.Head{inMain, in(0, invariant.Clause{own(0, true)}), in(first, invariant.Clause{caller})}, ""},
		{"false", []invariant.Head{inMain, in(0, invariant.Clause{own(0, true)}, invariant.Clause{})}, "clause 2"},
		{"nothing in main", []invariant.Head{in(0, invariant.Clause{own(0, true)})}, "clause 1"},
		{"a caller of nobody", []invariant.Head{in(0, invariant.Clause{caller})}, "not in the call string"},
		{"a bit too many", []invariant.Head{in(0, invariant.Clause{own(3, true)})}, "bit 3 of 3"},
		{"no call", []invariant.Head{in(even, invariant.Clause{own(0, true)})}, "is none"},
		{"a value after the call", []invariant.Head{in(first, invariant.Clause{{Term: invariant.Term{Value: second, Bits: 3, Up: 1}}})}, "not before the call"},
		{"no integer", []invariant.Head{in(0, invariant.Clause{{Term: invariant.Term{Value: y, Bits: 4}}})}, "no integer of 4 bits"},
	} {
		_, err := Induction(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}}, &verdict.Induction{K: 1, Heads: test.heads})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		var r ErrRejected
		var i ErrIncomplete
		if err != nil && !errors.As(err, &r) && !errors.As(err, &i) {
			t.Errorf("%s: %T", test.name, err)
		}
	}
}
