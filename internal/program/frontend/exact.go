package frontend

import (
	"slices"

	"assay/internal/program/ir"
)

// Some library models, and the command line, have two ways: one that does exactly
// what the library does, by loops over all characters or arguments, and one that does
// more, in a few steps. A proof goes the second, which covers the first; a run that
// depends on what it makes up refutes nothing. A search that runs the program goes
// the first, whose loops cost it nothing.
//
// The importer makes both, behind a Nondet of the kind NondetExact. This file
// removes the first ways from what all other engines get; the loops over the command line stay in
// Program.Vectors, for an engine that proves about all its strings at once.

// exactInput is the model's name for the choice.
const exactInput = "__assay_exact"

// withoutExactWays is the module in which every NondetExact is false, and the
// blocks that are not reached then are gone; m itself if there is none. With vectors, those are
// true that say how the command line and the environment are made (harness.go): that way has all of
// their runs, by loops.
func withoutExactWays(m *ir.Module, vectors bool) *ir.Module {
	found := false
	has := func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetExact })
	}
	out := ir.Rewrite(m, has, func(e *ir.Editor, _ *ir.Func) {
		found = true
		ownSlices(e.Func)
		var ways []ir.Value
		for b := range e.Func.Blocks {
			for _, v := range e.Func.Blocks[b].Instrs {
				if d := e.Func.Def(v); d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetExact {
					ways = append(ways, v)
				}
			}
		}
		for _, v := range ways {
			truth := vectors && e.Func.Name == EntryName
			value := e.Number(e.Func.Type(v).Bits, 0)
			if truth {
				value = e.Number(e.Func.Type(v).Bits, 1)
			}
			for i := range e.Func.Values {
				d := &e.Func.Values[i]
				if d.Op == ir.CondBr && d.Args[0] == v {
					take(e.Func, ir.Value(i), truth)
					continue
				}
				for k, a := range d.Args {
					if a == v {
						d.Args[k] = value
					}
				}
			}
			// Without use it disappears: it is like a value that nothing reads.
			e.Func.Def(v).Aux = int64(ir.NondetUninit)
		}
		prune(e.Func)
	})
	if !found {
		return m
	}
	return out
}

// take lets a branch always go one way.
func take(f *ir.Func, branch ir.Value, truth bool) {
	d := f.Def(branch)
	left, taken := d.Succs[0], d.Succs[1]
	if truth {
		left, taken = taken, left
	}
	*d = ir.Def{Op: ir.Br, Block: d.Block, Pos: d.Pos, Succs: []ir.BlockID{taken}}
	if left == taken {
		panic("an exact way without block")
	}
	b := &f.Blocks[left]
	i := slices.Index(b.Preds, d.Block)
	b.Preds = slices.Delete(b.Preds, i, i+1)
	for _, v := range b.Instrs {
		phi := f.Def(v)
		if phi.Op != ir.Phi {
			break
		}
		phi.Args = slices.Delete(phi.Args, i, i+1)
	}
}

// ownSlices lets a function share no slice with the one of which it is a shallow copy.
func ownSlices(f *ir.Func) {
	f.Params = slices.Clone(f.Params)
	for i := range f.Values {
		d := &f.Values[i]
		d.Args, d.Succs = slices.Clone(d.Args), slices.Clone(d.Succs)
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		b.Instrs, b.Preds = slices.Clone(b.Instrs), slices.Clone(b.Preds)
	}
}
