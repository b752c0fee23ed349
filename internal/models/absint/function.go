package absint

// What the analysis needs to know of a function, computed once.

import (
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// function is a function of the module with its tables.
type function struct {
	f     *ir.Func
	index int
	wto   *ir.WTO
	// slots are the values that the state at the start of a block has: its phis,
	// then what is live there.
	slots [][]ir.Value
	phis  []int32 // how many of them are phis
	// inEdges and outEdges number the edges: inEdges[b][k] comes from
	// predecessor k of b, outEdges[b][s] goes to successor s. edgePred is k.
	inEdges  [][]int32
	outEdges [][]int32
	edgeTo   []ir.BlockID
	edgePred []int32
	// constants are the values of constants, by ir.Value; others are zero.
	constants []Value
	// extracts lists, for a call, the Extracts of it.
	extracts map[ir.Value][]ir.Value
	// sites numbers the instructions that make objects, from 1.
	sites []int32
	nSite int
	free  []*frame // scratch to use again
	keyed map[ir.BlockID]*keyed
	near  map[ir.BlockID]*absdomain.Thresholds // see limits.go
}

// frame is the scratch of one activation.
type frame struct {
	vals []Value
	bind []binding
	// known are the values that the block under way has: its slots, its results, and
	// what conditions restricted. Of all others nothing is known: they were computed on
	// another path, or by another activation.
	known []ir.Value
}

// begin forgets the values of the block before.
func (fr *frame) begin(f *ir.Func) {
	for _, v := range fr.known {
		if d := &f.Values[v]; !ir.IsConst(d.Op) {
			fr.vals[v] = topOf(d.Type)
		}
	}
	fr.known = fr.known[:0]
}

// binding says that a cell holds the same value as an SSA value, since the
// block began (refine.go).
type binding struct {
	cell  cellID
	at    *Value
	epoch int64
}

func (a *analysis) function(i int) *function {
	if a.funcs[i] != nil {
		return a.funcs[i]
	}
	f := a.m.Funcs[i]
	fn := &function{f: f, index: i, wto: ir.NewWTO(f), extracts: map[ir.Value][]ir.Value{}}
	a.funcs[i] = fn
	live := ir.LiveIn(f)
	n := len(f.Blocks)
	fn.slots, fn.phis = make([][]ir.Value, n), make([]int32, n)
	fn.inEdges, fn.outEdges = make([][]int32, n), make([][]int32, n)
	for b := 1; b < n; b++ {
		for _, v := range f.Blocks[b].Instrs {
			if f.Values[v].Op != ir.Phi {
				break
			}
			fn.slots[b] = append(fn.slots[b], v)
		}
		fn.phis[b] = int32(len(fn.slots[b]))
		fn.slots[b] = append(fn.slots[b], live[b]...)
		fn.inEdges[b] = make([]int32, len(f.Blocks[b].Preds))
		for k := range f.Blocks[b].Preds {
			fn.inEdges[b][k] = int32(len(fn.edgeTo))
			fn.edgeTo = append(fn.edgeTo, ir.BlockID(b))
			fn.edgePred = append(fn.edgePred, int32(k))
		}
	}
	taken := make([]bool, len(fn.edgeTo))
	for b := 1; b < n; b++ {
		for _, to := range f.Succs(ir.BlockID(b)) {
			for k, p := range f.Blocks[to].Preds {
				if e := fn.inEdges[to][k]; p == ir.BlockID(b) && !taken[e] {
					taken[e] = true
					fn.outEdges[b] = append(fn.outEdges[b], e)
					break
				}
			}
		}
	}
	fn.constants = make([]Value, len(f.Values))
	fn.sites = make([]int32, len(f.Values))
	for v := range f.Values {
		d := &f.Values[v]
		if d.Type.Kind != ir.Void && d.Op != ir.OpInvalid {
			fn.constants[v] = topOf(d.Type)
		}
		switch d.Op {
		case ir.Const:
			fn.constants[v] = constant(d)
		case ir.Null:
			fn.constants[v] = a.pointerTo(objNull)
		case ir.GlobalAddr, ir.FuncAddr:
			fn.constants[v] = a.pointerTo(a.symbols[d.Sym])
		case ir.Extract:
			fn.extracts[d.Args[0]] = append(fn.extracts[d.Args[0]], ir.Value(v))
		case ir.Alloca, ir.Malloc, ir.VaStart:
			fn.nSite++
			fn.sites[v] = int32(fn.nSite)
		}
	}
	return fn
}

// constant is the value of a number.
func constant(d *ir.Def) Value {
	if d.Type.Kind == ir.Float {
		return floatValue(absdomain.FloatConst(d.Type.Bits, d.Const.Uint64()))
	}
	return intValue(absdomain.Of(d.Const))
}

func (a *analysis) pointerTo(o objectID) Value {
	return Value{Kind: ir.Ptr, Targets: a.sets.singleton(o), Int: absdomain.Const(a.m.PointerBits, 0)}
}

func (fn *function) newFrame() *frame {
	if n := len(fn.free); n > 0 {
		fr := fn.free[n-1]
		fn.free = fn.free[:n-1]
		return fr
	}
	fr := &frame{vals: slices.Clone(fn.constants), bind: make([]binding, len(fn.f.Values))}
	for v := range fn.f.Values {
		fr.known = append(fr.known, ir.Value(v))
	}
	return fr
}
