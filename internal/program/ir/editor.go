package ir

import (
	"slices"

	"assay/internal/logic/bv"
)

// Editor adds to a function that is there. Values keep their numbers; new ones come behind them.
// What transformations of programs need beyond that (arguments of phis where edges are led
// elsewhere) they do themselves.
//
//	e := &ir.Editor{Module: m, Func: f}
//	e.Before(v, func() { e.Op(ir.Assume, ir.Type{}, e.Number(1, 0)) })
type Editor struct {
	Module *Module
	Func   *Func
	At     BlockID // where Emit appends
	Pos    Pos     // of what is emitted without one
}

// Define adds a value outside of blocks.
func (e *Editor) Define(d Def) Value {
	e.Func.Values = append(e.Func.Values, d)
	return Value(len(e.Func.Values) - 1)
}

// Constant is an integer constant.
func (e *Editor) Constant(b bv.BV) Value {
	return e.Define(Def{Op: Const, Type: IntType(b.Width()), Const: b})
}

// Number is the integer n modulo 2^bits.
func (e *Editor) Number(bits uint32, n uint64) Value { return e.Constant(bv.New(bits, n)) }

// Global is the address of a global.
func (e *Editor) Global(name string) Value {
	return e.Define(Def{Op: GlobalAddr, Type: e.Module.PtrType(), Sym: name})
}

// Emit appends an instruction to the block At.
func (e *Editor) Emit(d Def) Value {
	d.Block = e.At
	if d.Pos.Line == 0 {
		d.Pos = e.Pos
	}
	v := e.Define(d)
	e.Append(v)
	return v
}

// Append appends a value that is there to the block At.
func (e *Editor) Append(v Value) {
	b := &e.Func.Blocks[e.At]
	b.Instrs = append(b.Instrs, v)
}

// Op appends an instruction that has operands only.
func (e *Editor) Op(op Op, t Type, args ...Value) Value {
	return e.Emit(Def{Op: op, Type: t, Args: args})
}

// Not is the negation of a truth value.
func (e *Editor) Not(x Value) Value { return e.Op(Xor, BoolType, x, e.Number(1, 1)) }

// Jump ends the block At.
func (e *Editor) Jump(to BlockID) { e.Emit(Def{Op: Br, Succs: []BlockID{to}}) }

// NewBlock adds an empty block.
func (e *Editor) NewBlock(name string) BlockID {
	e.Func.Blocks = append(e.Func.Blocks, Block{Name: name})
	return BlockID(len(e.Func.Blocks) - 1)
}

// Before lets what fill emits stand before the instruction v, at the position of v.
func (e *Editor) Before(v Value, fill func()) {
	d := e.Func.Def(v)
	e.insert(d.Block, slices.Index(e.Func.Blocks[d.Block].Instrs, v), d.Pos, fill)
}

// After lets what fill emits stand behind the instruction v, at the position of v.
func (e *Editor) After(v Value, fill func()) {
	d := e.Func.Def(v)
	e.insert(d.Block, slices.Index(e.Func.Blocks[d.Block].Instrs, v)+1, d.Pos, fill)
}

func (e *Editor) insert(block BlockID, at int, pos Pos, fill func()) {
	old := e.Func.Blocks[block].Instrs
	rest := slices.Clone(old[at:])
	e.Func.Blocks[block].Instrs = old[:at:at]
	e.At, e.Pos = block, pos
	fill()
	b := &e.Func.Blocks[block]
	b.Instrs = append(b.Instrs, rest...)
}

// Each goes over the instructions of the function, block by block. What visit emits stands
// before the instruction, at its position.
func (e *Editor) Each(visit func(v Value)) {
	for b := range e.Func.Blocks {
		old := e.Func.Blocks[b].Instrs
		e.Func.Blocks[b].Instrs = make([]Value, 0, len(old))
		for _, v := range old {
			e.At, e.Pos = BlockID(b), e.Func.Def(v).Pos
			visit(v)
			e.Append(v)
		}
	}
}

// Replace gives the value v another definition, at the same place.
func (e *Editor) Replace(v Value, d Def) {
	old := e.Func.Def(v)
	d.Block, d.Pos = old.Block, old.Pos
	e.Func.Values[v] = d
}

// Rewrite is a module whose functions that change concerns are changed; m stays as it is.
func Rewrite(m *Module, concerns func(f *Func) bool, change func(e *Editor, old *Func)) *Module {
	out := *m
	out.Funcs = slices.Clone(m.Funcs)
	for i, f := range m.Funcs {
		if f.IsDecl() || !concerns(f) {
			continue
		}
		g := *f
		g.Values, g.Blocks = slices.Clone(f.Values), slices.Clone(f.Blocks)
		out.Funcs[i] = &g
		change(&Editor{Module: &out, Func: &g}, f)
	}
	return &out
}

// AfterPhis is the first instruction of a block that is no phi.
func (e *Editor) AfterPhis(b BlockID) Value {
	for _, v := range e.Func.Blocks[b].Instrs {
		if e.Func.Def(v).Op != Phi {
			return v
		}
	}
	panic("ir: a block without terminator")
}

// Phis lists the phis of a block.
func (e *Editor) Phis(b BlockID) []Value {
	instrs := e.Func.Blocks[b].Instrs
	return instrs[:slices.Index(instrs, e.AfterPhis(b))]
}

// Retarget lets the edges from u to old end at to.
func (e *Editor) Retarget(u, old, to BlockID) {
	d := e.Func.Terminator(u)
	for i, s := range d.Succs {
		if s == old {
			d.Succs[i] = to
		}
	}
}
