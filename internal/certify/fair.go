package certify

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file finds the loops of a program that may execute ir.Accept, and lets Accept set bytes
// of memory; for certificates of fair termination (ranking.go), and of runs that do not end and
// execute Accept in each iteration of each loop (endless.go).

// accepts says whether a block of the loop of a head may execute Accept.
func (r *ranker) accepts(h ir.BlockID, accepting map[*ir.Func]bool) bool {
	for b := ir.BlockID(1); int(b) < len(r.forest.in); b++ {
		if !r.around(h, b) {
			continue
		}
		for _, v := range r.f.Blocks[b].Instrs {
			if r.f.MayAccept(v, func(name string) bool { return accepting[r.m.Func(name)] }) {
				return true
			}
		}
	}
	return false
}

// setBytes lets each Accept of a program set bytes, which become globals of it.
func setBytes(m *ir.Module, bytes []string, accepting map[*ir.Func]bool) {
	if len(bytes) == 0 {
		return
	}
	m.Globals = slices.Clone(m.Globals)
	for _, b := range bytes {
		m.Globals = append(m.Globals, &ir.Global{Name: b, Size: 1, Align: 1})
	}
	names := map[string]bool{} // functions may be copies by now
	for f := range accepting {
		names[f.Name] = true
	}
	for i, f := range m.Funcs {
		if !names[f.Name] {
			continue
		}
		g := *f
		g.Values = slices.Clone(g.Values)
		g.Blocks = slices.Clone(g.Blocks)
		m.Funcs[i] = &g
		add := func(d ir.Def) ir.Value {
			g.Values = append(g.Values, d)
			return ir.Value(len(g.Values) - 1)
		}
		one := add(ir.Def{Op: ir.Const, Type: ir.IntType(8), Const: bv.New(8, 1)})
		var at []ir.Value
		for _, b := range bytes {
			at = append(at, add(ir.Def{Op: ir.GlobalAddr, Type: m.PtrType(), Sym: b}))
		}
		for b := range g.Blocks {
			var list []ir.Value
			for _, v := range g.Blocks[b].Instrs {
				list = append(list, v)
				if g.Values[v].Op != ir.Accept {
					continue
				}
				for _, a := range at {
					list = append(list, add(ir.Def{Op: ir.Store, Args: []ir.Value{one, a}, Aux: 1, Block: ir.BlockID(b), Pos: g.Values[v].Pos}))
				}
			}
			g.Blocks[b].Instrs = list
		}
	}
}

// everyIteration is the program with inputs fixed, in which each back edge of a loop checks
// that there was an Accept since the head was left. If no check fails, and no function calls
// itself, then an infinite run executes Accept infinitely often: it has an activation that makes
// infinitely many steps, and in that it takes back edges of one loop infinitely often.
func everyIteration(m *ir.Module, fixed map[instruction]verdict.Skolem) *ir.Module {
	accepting := ir.Accepting(m)
	out := *m
	out.Funcs = slices.Clone(m.Funcs)
	var bytes []string
	for i, f := range out.Funcs {
		if f.IsDecl() {
			continue
		}
		r := &ranker{m: m, f: f, forest: newForest(f), dom: ir.Dominators(f)}
		r.copy()
		for v := range f.Values {
			s, ok := fixed[instruction{f.Name, ir.Value(v)}]
			if !ok {
				continue
			}
			d := &r.f.Values[v]
			c := ir.Def{Op: ir.Const, Type: d.Type, Const: s.Bits}
			if d.Type.Kind == ir.Ptr {
				c = ir.Def{Op: ir.Null, Type: d.Type}
			}
			r.f.Values = append(r.f.Values, c)
			r.f.Values[v] = ir.Def{Op: ir.Freeze, Type: d.Type, Args: []ir.Value{ir.Value(len(r.f.Values) - 1)}, Block: d.Block, Pos: d.Pos}
		}
		for h := ir.BlockID(1); int(h) < len(f.Blocks); h++ {
			if r.dom.Reachable(h) && r.forest.isHead(h) {
				r.byte = fmt.Sprintf("certify.accepted.%d", len(bytes))
				bytes = append(bytes, r.byte)
				r.iteration(h)
			}
		}
		r.finish()
		out.Funcs[i] = r.f
	}
	setBytes(&out, bytes, accepting)
	if err := ir.Verify(&out); err != nil {
		panic("certify: the program with checks of Accept is malformed: " + err.Error())
	}
	return &out
}

// iteration adds the checks of one loop.
func (r *ranker) iteration(h ir.BlockID) {
	f := r.f
	r.block, r.pos = h, f.BlockPos(h)
	f.Values = append(f.Values, ir.Def{Op: ir.GlobalAddr, Type: r.m.PtrType(), Sym: r.byte})
	at := ir.Value(len(f.Values) - 1)
	zero := r.constant(8, new(big.Int))
	var code []ir.Value
	r.put(&code, ir.Def{Op: ir.Store, Args: []ir.Value{zero, at}, Aux: 1})
	phis := 0
	for f.Def(f.Blocks[h].Instrs[phis]).Op == ir.Phi {
		phis++
	}
	f.Blocks[h].Instrs = slices.Insert(f.Blocks[h].Instrs, phis, code...)
	edges := map[edgeKey][]ir.Value{}
	keys := slices.SortedFunc(maps.Keys(r.incoming[h]), func(a, b edgeKey) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.nth, b.nth))
	})
	for _, k := range keys {
		args := r.incoming[h][k]
		if !r.around(h, k.from) {
			edges[k] = args
			continue
		}
		f.Blocks = append(f.Blocks, ir.Block{Name: "accepted"})
		b := ir.BlockID(len(f.Blocks) - 1)
		edges[edgeKey{b, 0}] = args
		r.redirect(k, h, b)
		r.block = b
		var list []ir.Value
		is := r.put(&list, ir.Def{Op: ir.Load, Type: ir.IntType(8), Args: []ir.Value{at}, Aux: 1})
		ok := r.put(&list, ir.Def{Op: ir.Ne, Type: ir.IntType(1), Args: []ir.Value{is, zero}})
		r.put(&list, ir.Def{Op: ir.Check, Args: []ir.Value{ok}, Aux: int64(ir.Decrease), Sym: "the iteration accepts"})
		r.put(&list, ir.Def{Op: ir.Br, Succs: []ir.BlockID{h}})
		f.Blocks[b].Instrs = list
	}
	r.incoming[h] = edges
}
