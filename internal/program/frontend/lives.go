package frontend

import "assay/internal/program/ir"

// This file puts stack objects of inner blocks where their lives begin.
//
// In C an object of a block lives from the entry of the block to its end, and each
// entry makes another object: a pointer to the object of the last round of a loop
// is dangling, though the new one most often has its address. clang makes all of
// them at the entry of the function, and marks where they live.
//
//   - An object whose life begins outside of all cycles lives once in a call: it is
//     made where its life begins.
//   - In a cycle, one whose address is kept beyond a round (it is stored, made
//     into a number, compared with that of another object, carried round by a phi)
//     is made there, too, anew in each round.
//   - Of any other in a cycle it cannot be told whether it is the object of the
//     last round that comes to life again. It stays one object, made at the entry and dead
//     until its life begins: proofs by induction need no more than that.
//
// What functions do with their arguments is found out together, from the
// assumption that they keep none (a greatest fixed point).

// placeLives treats all functions of a module.
func placeLives(m *ir.Module) {
	k := &keeping{functions: map[string]*keeps{}}
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			k.functions[f.Name] = &keeps{f: f, kept: make([]bool, len(f.Params)), returned: make([][]bool, len(f.Params))}
		}
	}
	solved := false
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		objects := markedObjects(f)
		if len(objects) == 0 {
			continue
		}
		if !solved {
			k.solve()
			solved = true
		}
		nest := ir.NewWTO(f).Heads
		dominators := ir.Dominators(f)
		for _, o := range objects {
			if !o.dominated(f, dominators) {
				continue
			}
			block := f.Def(o.start).Block
			sameRound := func(phi ir.Value) bool {
				at := f.Def(phi).Block
				return at != block && dominators.Dominates(block, at)
			}
			if len(nest[block]) == 0 || k.walk(f, o.object, sameRound, nil) {
				o.move(f)
			} else {
				o.sleep(f)
			}
		}
		prune(f) // the markers that are gone
	}
}

// markedObject is an object of the entry block whose life begins at one place.
type markedObject struct{ object, start ir.Value }

func markedObjects(f *ir.Func) []markedObject {
	starts := map[ir.Value][]ir.Value{}
	for b := 1; b < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			if d := f.Def(v); d.Op == ir.LifetimeStart {
				starts[d.Args[0]] = append(starts[d.Args[0]], v)
			}
		}
	}
	var list []markedObject
	for _, v := range f.Blocks[1].Instrs {
		if d := f.Def(v); d.Op == ir.Alloca && f.Def(d.Args[0]).Op == ir.Const && len(starts[v]) == 1 {
			list = append(list, markedObject{v, starts[v][0]})
		}
	}
	return list
}

// dominated says whether the begin of the life comes before every other use.
func (o markedObject) dominated(f *ir.Func, t *ir.DomTree) bool {
	home := f.Def(o.start).Block
	for b := 1; b < len(f.Blocks); b++ {
		if !t.Reachable(ir.BlockID(b)) {
			continue
		}
		begun := ir.BlockID(b) != home && t.Dominates(home, ir.BlockID(b))
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			for i, a := range d.Args {
				switch {
				case a != o.object || v == o.start:
				case d.Op == ir.Phi:
					if !t.Dominates(home, f.Blocks[b].Preds[i]) {
						return false
					}
				case !begun:
					return false
				}
			}
			begun = begun || v == o.start
		}
	}
	return true
}

// move makes the object where its life begins.
func (o markedObject) move(f *ir.Func) {
	at := f.Def(o.start).Block
	object := f.Def(o.object)
	entry := &f.Blocks[1]
	instrs := entry.Instrs[:0]
	for _, v := range entry.Instrs {
		if v != o.object {
			instrs = append(instrs, v)
		}
	}
	entry.Instrs = instrs
	object.Block = at
	if f.Locals[object.Pos].Name == "" { // a variable is where it is declared
		object.Pos = f.Def(o.start).Pos
	}
	for i, v := range f.Blocks[at].Instrs {
		if v == o.start {
			f.Blocks[at].Instrs[i] = o.object
		}
	}
}

// sleep lets the object be dead from the start.
func (o markedObject) sleep(f *ir.Func) {
	end := ir.Value(len(f.Values))
	f.Values = append(f.Values, ir.Def{Op: ir.LifetimeEnd, Args: []ir.Value{o.object}, Block: 1, Pos: f.Def(o.object).Pos})
	var instrs []ir.Value
	for _, v := range f.Blocks[1].Instrs {
		if instrs = append(instrs, v); v == o.object {
			instrs = append(instrs, end)
		}
	}
	f.Blocks[1].Instrs = instrs
}

// keeps says of the parameters of a function which it may keep beyond its
// return, and in which results it may return them.
type keeps struct {
	f        *ir.Func
	kept     []bool
	returned [][]bool
}

type keeping struct{ functions map[string]*keeps }

// solve computes what functions keep, as a fixed point.
func (k *keeping) solve() {
	for changed := true; changed; {
		changed = false
		for _, x := range k.functions {
			for i, p := range x.f.Params {
				if x.kept[i] || x.f.Type(p).Kind != ir.Ptr {
					continue
				}
				if x.returned[i] == nil {
					x.returned[i] = make([]bool, len(x.f.Results))
				}
				before := count(x.returned[i])
				x.kept[i] = k.walk(x.f, p, nil, x.returned[i])
				changed = changed || x.kept[i] || count(x.returned[i]) > before
			}
		}
	}
}

func count(list []bool) (n int) {
	for _, x := range list {
		if x {
			n++
		}
	}
	return n
}

// walk follows a pointer and what is computed from it, and says whether it may be
// kept. Returns are noted, if asked for; within says of a phi that it belongs to
// the same round, nil that all do.
func (k *keeping) walk(f *ir.Func, p ir.Value, within func(phi ir.Value) bool, returned []bool) (kept bool) {
	alias := map[ir.Value]bool{p: true}
	compared := map[ir.Value]bool{}
	for grown := true; grown; {
		before := len(alias)
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				for i, a := range d.Args {
					if !alias[a] {
						continue
					}
					switch d.Op {
					case ir.Load, ir.MemCpy, ir.MemSet, ir.Havoc, ir.LifetimeStart, ir.LifetimeEnd, ir.Free, ir.VaStart, ir.Dbg,
						ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart, ir.SameObject:
					case ir.Store:
						if i == 0 {
							return true
						}
					case ir.PtrAdd, ir.Select, ir.Freeze:
						alias[v] = true
					case ir.Phi:
						if within != nil && !within(v) {
							return true
						}
						alias[v] = true
					case ir.Eq, ir.Ne, ir.ULt, ir.ULe:
						compared[d.Args[1-i]] = true
					case ir.Ret:
						if returned != nil {
							returned[i] = true
						}
					case ir.Call:
						x := k.functions[d.Sym]
						switch {
						case d.Sym == "" && i == 0:
						case d.Sym == "" || x == nil || i >= len(x.kept) || x.kept[i]:
							return true
						}
						if x != nil && i < len(x.returned) {
							k.results(f, v, x.returned[i], alias)
						}
					default:
						return true
					}
				}
			}
		}
		grown = len(alias) > before
	}
	for v := range compared {
		if !alias[v] && f.Def(v).Op != ir.Null {
			return true
		}
	}
	return false
}

// results adds the results of a call in which an argument may come back.
func (k *keeping) results(f *ir.Func, call ir.Value, returned []bool, alias map[ir.Value]bool) {
	for j, is := range returned {
		switch {
		case !is:
		case j == 0:
			alias[call] = true
		default:
			for v := range f.Values {
				if d := &f.Values[v]; d.Op == ir.Extract && d.Args[0] == call && d.Aux == int64(j) {
					alias[ir.Value(v)] = true
				}
			}
		}
	}
}
