package product

import (
	"slices"

	"assay/internal/program/ir"
)

// This file gives the copies of instructions their operands. A value of the flat function has
// a definition in each copy of its block, and copies of different states meet: static single assignment
// is restored on demand [BraunEtAl13]. The value of v at the end of a block is what the block
// defines, or what arrives: that of the only predecessor, or a phi of those of all. Phis whose
// operands are one value are replaced by it, and what is unused is left out.

// edge says which edge of the flat function an edge of the product is.
type edge struct {
	from ir.BlockID
	slot int // the successor of from
	real bool
	// again says that the target is entered from a copy of itself behind its phis.
	again bool
}

type use struct {
	value ir.Value // of the product
	args  []ir.Value
}

type phi struct {
	value, flat ir.Value
}

type values struct {
	flat  *ir.Func
	b     *ir.Builder
	defs  map[ir.BlockID]map[ir.Value]ir.Value // at the end of a block, by flat value
	begin map[ir.BlockID]map[ir.Value]ir.Value // at its start
	uses  []use
	// where is the block of a use, seen the definitions in it that came before.
	phis    map[ir.BlockID][]phi
	leaving map[ir.BlockID][]edge // by block of the product, in the order of its successors
	entries map[ir.BlockID][]edge // in the order of its predecessors
	slots   map[[2]int]int        // index among the predecessors of an edge of the flat function
	made    []ir.Value            // phis that were added
}

func newValues(flat *ir.Func, b *ir.Builder) *values {
	x := &values{
		flat: flat, b: b, defs: map[ir.BlockID]map[ir.Value]ir.Value{}, begin: map[ir.BlockID]map[ir.Value]ir.Value{},
		phis: map[ir.BlockID][]phi{}, leaving: map[ir.BlockID][]edge{}, entries: map[ir.BlockID][]edge{}, slots: map[[2]int]int{},
	}
	count := make([]int, len(flat.Blocks))
	for b := 1; b < len(flat.Blocks); b++ {
		for i, s := range flat.Succs(ir.BlockID(b)) {
			x.slots[[2]int{b, i}] = count[s]
			count[s]++
		}
	}
	return x
}

// define says that a flat value is a value of the product from here on in the current block.
func (x *values) define(flat, v ir.Value) {
	at := x.b.Current()
	if x.defs[at] == nil {
		x.defs[at] = map[ir.Value]ir.Value{}
	}
	x.defs[at][flat] = v
}

// edges says which edges of the flat function leave a block, one for each successor.
func (x *values) edges(from ir.BlockID, es ...edge) { x.leaving[from] = es }

// operand is the value of the product that a flat value is, 0 if that is not known yet.
func (x *values) operand(v ir.Value) ir.Value {
	if int(v) < len(x.flat.Values) {
		switch d := x.flat.Def(v); d.Op {
		case ir.Const:
			return x.b.ConstBV(d.Type, d.Const)
		case ir.Null:
			return x.b.Null()
		case ir.GlobalAddr:
			return x.b.GlobalAddr(d.Sym)
		case ir.FuncAddr:
			return x.b.FuncAddr(d.Sym)
		}
	}
	return x.defs[x.b.Current()][v]
}

// emit appends an instruction whose operands are flat values.
func (x *values) emit(d ir.Def) ir.Value {
	args := slices.Clone(d.Args)
	open := false
	for i, a := range d.Args {
		if v := x.operand(a); v != 0 {
			args[i] = v
		} else {
			args[i] = -a // resolved by finish
			open = true
		}
	}
	d.Args = args
	v := x.b.Emit(d)
	if open {
		x.uses = append(x.uses, use{v, args})
	}
	return v
}

// copy appends a copy of an instruction of the flat function.
func (x *values) copy(v ir.Value) {
	n := x.emit(*x.flat.Def(v))
	if x.flat.Def(v).HasResult() {
		x.define(v, n)
	}
}

// phi appends the copy of a phi.
func (x *values) phi(v ir.Value) {
	n := x.b.Emit(ir.Def{Op: ir.Phi, Type: x.flat.Type(v), Pos: x.flat.Def(v).Pos})
	x.define(v, n)
	at := x.b.Current()
	x.phis[at] = append(x.phis[at], phi{n, v})
}

// read is a truth value of the flat function that the current block does not define.
func (x *values) read(v ir.Value) ir.Value {
	return x.emit(ir.Def{Op: ir.Freeze, Type: ir.BoolType, Args: []ir.Value{v}})
}

// typeOf is the type of a flat value, those that the copier adds among them.
func (x *values) typeOf(v ir.Value) ir.Type {
	if int(v) < len(x.flat.Values) {
		return x.flat.Type(v)
	}
	if int(v) == len(x.flat.Values) {
		return ir.BoolType
	}
	return ir.IntType(stateBits)
}

// finish resolves all operands and completes the function.
func (x *values) finish() {
	f := x.b.Func
	f.ComputePreds()
	for b := 1; b < len(f.Blocks); b++ {
		for i, s := range f.Succs(ir.BlockID(b)) {
			x.entries[s] = append(x.entries[s], x.leaving[ir.BlockID(b)][i])
		}
	}
	for _, u := range x.uses {
		d := f.Def(u.value)
		at := d.Block
		for i, a := range u.args {
			if a < 0 {
				u.args[i] = x.arriving(-a, at)
			}
		}
		f.Def(u.value).Args = u.args
	}
	for b := 1; b < len(f.Blocks); b++ {
		at := ir.BlockID(b)
		for _, p := range x.phis[at] {
			flat := x.flat.Def(p.flat)
			var args []ir.Value
			for i, pred := range f.Blocks[at].Preds {
				switch e := x.entries[at][i]; {
				case e.again:
					args = append(args, x.leave(p.flat, pred))
				case e.real:
					args = append(args, x.leave(flat.Args[x.slots[[2]int{int(e.from), e.slot}]], pred))
				default:
					panic("product: a phi without an edge")
				}
			}
			f.Def(p.value).Args = args
		}
	}
	for _, v := range x.made {
		d := f.Def(v)
		f.Blocks[d.Block].Instrs = slices.Insert(f.Blocks[d.Block].Instrs, 0, v)
	}
	x.simplify()
	sweep(f)
}

// leave is a flat value at the end of a block.
func (x *values) leave(v ir.Value, b ir.BlockID) ir.Value {
	if int(v) < len(x.flat.Values) && ir.IsConst(x.flat.Def(v).Op) {
		return x.operand(v)
	}
	if n := x.defs[b][v]; n != 0 {
		return n
	}
	return x.arriving(v, b)
}

// arriving is a flat value at the start of a block.
func (x *values) arriving(v ir.Value, b ir.BlockID) ir.Value {
	if n := x.begin[b][v]; n != 0 {
		return n
	}
	if x.begin[b] == nil {
		x.begin[b] = map[ir.Value]ir.Value{}
	}
	f := x.b.Func
	preds := f.Blocks[b].Preds
	switch len(preds) {
	case 0: // nothing that is executed uses it
		panic("product: a value that is not defined")
	case 1:
		n := x.leave(v, preds[0])
		x.begin[b][v] = n
		return n
	}
	f.Values = append(f.Values, ir.Def{Op: ir.Phi, Type: x.typeOf(v), Block: b})
	n := ir.Value(len(f.Values) - 1)
	x.begin[b][v] = n
	x.made = append(x.made, n)
	args := make([]ir.Value, len(preds))
	for i, p := range preds {
		args[i] = x.leave(v, p)
	}
	f.Def(n).Args = args
	return n
}

// simplify replaces phis whose operands are one value.
func (x *values) simplify() {
	f := x.b.Func
	replace := map[ir.Value]ir.Value{}
	resolve := func(v ir.Value) ir.Value {
		for replace[v] != 0 {
			v = replace[v]
		}
		return v
	}
	for changed := true; changed; {
		changed = false
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				if d.Op != ir.Phi {
					break
				}
				if replace[v] != 0 {
					continue
				}
				var only ir.Value
				same := true
				for _, a := range d.Args {
					if a = resolve(a); a != v && a != only {
						same = same && only == 0
						only = a
					}
				}
				if same && only != 0 {
					replace[v], changed = only, true
				}
			}
		}
	}
	for b := range f.Blocks {
		f.Blocks[b].Instrs = slices.DeleteFunc(f.Blocks[b].Instrs, func(v ir.Value) bool { return replace[v] != 0 })
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			for i, a := range d.Args {
				d.Args[i] = resolve(a)
			}
		}
	}
}

// pure says that an operation can be left out if its result is unused: it has no effect, and
// asks for no choice of the run.
func pure(op ir.Op) bool {
	switch op {
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.ZExt, ir.SExt, ir.Trunc,
		ir.Select, ir.Phi, ir.Freeze, ir.PtrAdd, ir.PtrToInt, ir.ValidRange:
		return true
	}
	return false
}

// sweep leaves out instructions without use. A load whose pointer is a global's address cannot
// fail, and goes, too.
func sweep(f *ir.Func) {
	used := make([]bool, len(f.Values))
	var work []ir.Value
	mark := func(v ir.Value) {
		if !used[v] {
			used[v] = true
			work = append(work, v)
		}
	}
	needless := func(d *ir.Def) bool {
		return pure(d.Op) || d.Op == ir.Load && f.Def(d.Args[0]).Op == ir.GlobalAddr
	}
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			if !needless(f.Def(v)) {
				mark(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range f.Def(v).Args {
			mark(a)
		}
	}
	// What stays is numbered anew: constants first.
	number := make([]ir.Value, len(f.Values))
	kept := f.Values[:1:1]
	for v := 1; v < len(f.Values); v++ {
		if used[v] && f.Values[v].Block == 0 {
			number[v] = ir.Value(len(kept))
			kept = append(kept, f.Values[v])
		}
	}
	for b := range f.Blocks {
		f.Blocks[b].Instrs = slices.DeleteFunc(f.Blocks[b].Instrs, func(v ir.Value) bool { return !used[v] })
		for i, v := range f.Blocks[b].Instrs {
			number[v] = ir.Value(len(kept))
			f.Blocks[b].Instrs[i] = number[v]
			kept = append(kept, f.Values[v])
		}
	}
	for v := range kept {
		for i, a := range kept[v].Args {
			kept[v].Args[i] = number[a]
		}
	}
	f.Values = kept
}
