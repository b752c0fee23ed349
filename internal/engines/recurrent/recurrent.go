// Package recurrent refutes termination by a proof of safety [Chen14]: it fixes the
// inputs of a program, makes every end of it a violation, and leaves the proof that
// no run of what is left violates anything to the engines and checkers of safety.
//
// Operations are total, so every run that has not ended has a next step. If no run
// with the fixed inputs reaches an end, all of them are infinite, and one of them is
// the run with zeros for all that was not fixed, say.
//
//	(1) Ends are: the return of the entry function, exit and abort, unreachable code
//	    reached, and an assumption that does not hold, for a run that is blocked is
//	    none. Instructions that are not modelled are left to the prover, which must
//	    show that they are not reached.
//	(2) Only inputs are fixed, and only to constants: the values of Nondet that the program may
//	    choose. What is arbitrary otherwise stays so, and the proof is about all
//	    of it: contents of memory, addresses, what undefined behaviour yields, what library
//	    models over-approximate. So over-approximations of the prover are no danger.
//	(3) Inner loops and calls need not end: a run that stays in one does not end either.
//
// The invariants of the proof, at the heads of the loops that go on, are a recurrent
// set; it contains what the run with the fixed inputs reaches. Package certify builds
// the same program again with code of its own and judges the proof.
package recurrent

import (
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/transform/arbitrary"
)

// End is the kind of the checks that fail where the program ends.
const End = ir.Assertion

// Inputs are the inputs of a run that can be fixed: instructions that yielded the same
// each time.
func Inputs(m *ir.Module, in ir.Input) []verdict.Skolem {
	type site struct {
		f string
		v ir.Value
	}
	at := map[site]int{}
	various := map[site]bool{}
	var out []verdict.Skolem
	for _, c := range in.Choices {
		if !fixable(m, c.Func, c.Value) || c.Bits.Width() == 0 {
			continue
		}
		k := site{c.Func, c.Value}
		if i, ok := at[k]; !ok {
			at[k] = len(out)
			out = append(out, verdict.Skolem{Func: c.Func, Value: c.Value, Bits: c.Bits})
		} else if !out[i].Bits.Equal(c.Bits) {
			various[k] = true
		}
	}
	return slices.DeleteFunc(out, func(s verdict.Skolem) bool { return various[site{s.Func, s.Value}] })
}

// fixable says whether the value is an input that a run may choose: pointers only null.
func fixable(m *ir.Module, name string, v ir.Value) bool {
	f := m.Func(name)
	if f == nil || v < 1 || int(v) >= len(f.Values) {
		return false
	}
	d := f.Def(v)
	return d.Op == ir.Nondet && ir.NondetKind(d.Aux) != ir.NondetApproximate
}

// Fix is the program with the inputs fixed, in which every end is a violation of kind
// End. Values keep their numbers; other checks of this kind are gone.
//
// With executed, blocks that are not among these are ends, too, and so is a signed
// overflow whose result influences which blocks are executed; the results of other
// overflows are arbitrary. What is proved then does not depend on signed overflow.
func Fix(m *ir.Module, inputs []verdict.Skolem, executed Executed) *ir.Module {
	return ir.Rewrite(m, func(*ir.Func) bool { return true }, func(e *ir.Editor, f *ir.Func) {
		for _, s := range inputs {
			if s.Func == f.Name && fixable(m, s.Func, s.Value) {
				fixInput(e, s)
			}
		}
		always := e.Number(1, 1)
		for v := range e.Func.Values {
			if d := &e.Func.Values[v]; d.Op == ir.Check && ir.CheckKind(d.Aux) == End {
				d.Args = []ir.Value{always}
			}
		}
		if executed != nil {
			excludeOverflow(e, executed[f])
		}
		endsFail(e, f.Name == m.Entry, executed != nil, executed[f])
	})
}

// fixInput lets an instruction yield what the skolem says; a pointer, only null.
func fixInput(e *ir.Editor, s verdict.Skolem) {
	t := e.Func.Def(s.Value).Type
	c := ir.Def{Op: ir.Const, Type: t, Const: s.Bits}
	if t.Kind == ir.Ptr {
		if !s.Bits.IsZero() {
			return
		}
		c = ir.Def{Op: ir.Null, Type: t}
	}
	e.Replace(s.Value, ir.Def{Op: ir.Freeze, Type: t, Args: []ir.Value{e.Define(c)}})
}

// endsFail makes every end of the program a violation, and with blocks every block that is not
// among these.
func endsFail(e *ir.Editor, entry, confined bool, blocks []bool) {
	never := e.Number(1, 0)
	fail := func(why string) {
		e.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{never}, Aux: int64(End), Sym: why})
	}
	var begun ir.BlockID // the last block in which an instruction was visited that is no phi
	e.Each(func(v ir.Value) {
		d := e.Func.Def(v)
		if d.Op != ir.Phi && begun != e.At {
			begun = e.At
			if confined && (blocks == nil || !blocks[e.At]) {
				fail("a block is executed")
			}
		}
		switch d := e.Func.Def(v); {
		case d.Op == ir.Assume:
			e.Replace(v, ir.Def{Op: ir.Check, Args: d.Args, Aux: int64(End), Sym: "the run is blocked"})
		case d.Op == ir.Halt, d.Op == ir.Unreachable, d.Op == ir.Ret && entry:
			fail("the program ends")
		}
	})
}

// Executed are the blocks that a run executes, by function.
type Executed map[*ir.Func][]bool

// excludeOverflow makes a signed overflow an end if its result influences what the
// blocks given do, and the result arbitrary otherwise.
func excludeOverflow(e *ir.Editor, blocks []bool) {
	f := e.Func
	anything := map[ir.Value]bool{}
	for c := 1; c < len(f.Values); c++ {
		d := &f.Values[c]
		if d.Block == 0 || d.Op != ir.Check || ir.CheckKind(d.Aux) != ir.Overflow {
			continue
		}
		if v := f.Overflowing(ir.Value(c)); v != 0 && !f.Influences(v, blocks) {
			anything[v] = true
		} else {
			d.Aux = int64(End)
		}
	}
	arbitrary.Operations(e, anything)
}
