package program

import (
	"fmt"
	"slices"

	"assay/internal/ir"
)

// This file makes one function of a program: every call of a function that is
// not recursive is replaced by the function's body. What is left are calls of
// recursive and variadic functions, calls through pointers, and the objects:
//
//	(F1) A stack object that is made at most once in a run stays what it is, but
//	     is made before the program starts; a label stands where it was made.
//	(F2) One that is made in a loop (of the flat function) is made before the
//	     program starts, too, and comes to life with arbitrary content where it
//	     was made. It dies where the function returns. One object stands for all
//	     that are made there one after the other: a pointer to a dead one points
//	     to the next one, which only the independent checks of the answers see.

// maxFlat bounds the instructions of the flat function.
const maxFlat = 60000

// siteLabel names the place where an object of (F1) was made, with its number.
const siteLabel = "assay.site."

// call is a call string: the call at Value, of a function that was inlined in
// the context Outer.
type call struct {
	outer int32 // index of the context around it, -1 for the entry function
	fn    *ir.Func
	value ir.Value
}

// origin is where a value or a block of the flat function comes from.
type origin struct {
	context int32 // index in flat.calls, -1 for the entry function
	fn      *ir.Func
	value   ir.Value // 0 if it was made up
	block   ir.BlockID
}

// object is a stack object of the flat function.
type object struct {
	def    ir.Def // its Alloca
	origin origin
	once   bool     // (F1)
	value  ir.Value // its address in the flat function
}

// flat is a program as one function.
type flat struct {
	m       *ir.Module // of the original program
	f       *ir.Func
	origins []origin // by value of f
	blocks  []origin // by block of f
	calls   []call
	objects []object
	// activations give, for each context + 1, the flat values of the values of
	// its function.
	activations [][]ir.Value
}

// ErrUnsupported says why a program is no finite transition system.
type ErrUnsupported struct {
	Func string
	Pos  ir.Pos
	Why  string
}

func (e *ErrUnsupported) Error() string { return e.Why }

type flattener struct {
	*flat
	b         *ir.Builder
	recursive map[string]bool
	byName    map[string]*ir.Func
	ranges    map[ir.Value]int // objects by flat address
}

// flatten inlines the calls of a module.
func flatten(m *ir.Module) (*flat, error) {
	scratch := &ir.Module{PointerBits: m.PointerBits}
	x := &flattener{flat: &flat{m: m}, b: ir.NewFunc(scratch, "assay.flat"), byName: map[string]*ir.Func{}, ranges: map[ir.Value]int{}}
	for _, f := range m.Funcs {
		x.byName[f.Name] = f
	}
	x.recursive = recursive(m, x.byName)
	entry := x.byName[m.Entry]
	if entry == nil || entry.IsDecl() {
		return nil, &ErrUnsupported{Func: m.Entry, Why: "the entry function has no body"}
	}
	if x.recursive[entry.Name] {
		return nil, &ErrUnsupported{Func: m.Entry, Pos: entry.Pos, Why: "the entry function is recursive"}
	}
	start := x.b.Block("entry")
	x.block(start, origin{-1, entry, 0, 1})
	x.b.At(start)
	if _, _, err := x.inline(entry, -1, nil); err != nil {
		return nil, err
	}
	x.b.Unreachable() // ends the block that takes what follows
	x.f = x.b.Done()
	x.record(0, origin{})
	x.repeated()
	return x.flat, nil
}

// recursive are the functions that may call themselves, and those with variable
// arguments: they are called, not inlined.
func recursive(m *ir.Module, byName map[string]*ir.Func) map[string]bool {
	out := map[string]bool{}
	index, low := map[*ir.Func]int{}, map[*ir.Func]int{}
	var stack []*ir.Func
	on := map[*ir.Func]bool{}
	var visit func(f *ir.Func)
	visit = func(f *ir.Func) {
		index[f] = len(index) + 1
		low[f] = index[f]
		stack = append(stack, f)
		on[f] = true
		for v := range f.Values {
			if f.Values[v].Op != ir.Call {
				continue
			}
			g := byName[f.Values[v].Sym]
			switch {
			case g == nil:
			case g == f:
				out[f.Name] = true
			case index[g] == 0:
				visit(g)
				low[f] = min(low[f], low[g])
			case on[g]:
				low[f] = min(low[f], index[g])
			}
		}
		if low[f] != index[f] {
			return
		}
		for first := true; ; first = false {
			g := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			on[g] = false
			if g != f || !first {
				out[g.Name] = true
			}
			if g == f {
				return
			}
		}
	}
	for _, f := range m.Funcs {
		if f.Variadic {
			out[f.Name] = true
		}
		if index[f] == 0 {
			visit(f)
		}
	}
	return out
}

func (x *flattener) record(v ir.Value, o origin) {
	for len(x.origins) <= max(int(v), len(x.b.Func.Values)-1) {
		x.origins = append(x.origins, origin{context: -1})
	}
	x.origins[v] = o
}

func (x *flattener) block(b ir.BlockID, o origin) {
	for len(x.blocks) <= int(b) {
		x.blocks = append(x.blocks, origin{context: -1})
	}
	x.blocks[b] = o
}

// inline appends the body of a function at the current block, and leaves the
// builder in the block where it returns; returns is false if it never does. The
// results are by index.
func (x *flattener) inline(f *ir.Func, context int32, args []ir.Value) (results []ir.Value, returns bool, err error) {
	b := x.b
	env := make([]ir.Value, len(f.Values))
	for len(x.activations) <= int(context)+1 {
		x.activations = append(x.activations, nil)
	}
	x.activations[context+1] = env
	for i, p := range f.Params {
		env[p] = args[i]
	}
	order := ir.RPO(f)
	starts, ends := make([]ir.BlockID, len(f.Blocks)), make([]ir.BlockID, len(f.Blocks))
	for i, o := range order {
		if i == 0 {
			// The entry has no predecessors: it continues the current block.
			starts[o] = b.Current()
			continue
		}
		starts[o] = b.Block(f.Blocks[o].Name)
		x.block(starts[o], origin{context, f, 0, o})
	}
	var exit ir.BlockID
	type ret struct {
		from   ir.BlockID
		values []ir.Value
	}
	var rets []ret
	type phi struct {
		flat, value ir.Value
	}
	var phis []phi
	var objects []int
	operand := func(v ir.Value) ir.Value {
		d := f.Def(v)
		switch d.Op {
		case ir.Const:
			return b.ConstBV(d.Type, d.Const)
		case ir.Null:
			return b.Null()
		case ir.GlobalAddr:
			return b.GlobalAddr(d.Sym)
		case ir.FuncAddr:
			return b.FuncAddr(d.Sym)
		}
		return env[v]
	}
	extracts := map[ir.Value][]ir.Value{} // results of inlined calls
	for _, o := range order {
		b.At(starts[o])
		for _, v := range f.Blocks[o].Instrs {
			d := *f.Def(v)
			if len(b.Func.Values) > maxFlat {
				return nil, false, &ErrUnsupported{Func: f.Name, Pos: d.Pos, Why: fmt.Sprintf("the program has more than %d instructions when its calls are inlined", maxFlat)}
			}
			b.SetPos(d.Pos)
			emit := func(d ir.Def) ir.Value {
				n := b.Emit(d)
				x.record(n, origin{context, f, v, o})
				return n
			}
			switch d.Op {
			case ir.Phi:
				env[v] = emit(ir.Def{Op: ir.Phi, Type: d.Type})
				phis = append(phis, phi{env[v], v})
				continue
			case ir.Dbg:
				// Names are looked up at the origin.
				continue
			case ir.Alloca:
				if c := f.Def(d.Args[0]); c.Op == ir.Const && c.Const.IsUint64() && c.Const.Uint64() < 1<<20 {
					at := b.GlobalAddr(fmt.Sprint(objectName, len(x.objects)))
					d.Args = slices.Clone(d.Args)
					x.ranges[at] = len(x.objects)
					objects = append(objects, len(x.objects))
					env[v] = at
					// The label becomes a LifetimeStart if it can be repeated.
					n := emit(ir.Def{Op: ir.Label, Sym: fmt.Sprint(siteLabel, len(x.objects))})
					x.objects = append(x.objects, object{def: ir.Def{Op: ir.Alloca, Type: d.Type, Args: []ir.Value{b.Word(c.Const.Uint64())}, Aux: d.Aux, Layout: d.Layout, Pos: d.Pos}, origin: x.origins[n], value: at})
					continue
				}
			case ir.Extract:
				if list, ok := extracts[d.Args[0]]; ok {
					env[v] = list[d.Aux]
					continue
				}
			case ir.Call:
				g := x.byName[d.Sym]
				if d.Sym == "" || g == nil || g.IsDecl() || x.recursive[g.Name] || len(d.Args) != len(g.Params) {
					break
				}
				in := make([]ir.Value, len(d.Args))
				for i, a := range d.Args {
					in[i] = operand(a)
				}
				x.calls = append(x.calls, call{context, f, v})
				out, comes, err := x.inline(g, int32(len(x.calls)-1), in)
				if err != nil {
					return nil, false, err
				}
				b.SetPos(d.Pos)
				x.block(b.Current(), origin{context, f, 0, o})
				if !comes {
					// The rest of the block is not reached; it is copied all the same,
					// so that phis find it.
					out = nil
					for _, t := range g.Results {
						out = append(out, b.Nondet(t, ir.NondetUndef, ""))
					}
				}
				if len(out) > 0 {
					env[v] = out[0]
				}
				extracts[v] = out
				continue
			case ir.Ret:
				values := make([]ir.Value, len(d.Args))
				for i, a := range d.Args {
					values[i] = operand(a)
				}
				for _, k := range objects {
					b.Op(ir.LifetimeEnd, ir.Type{}, x.objects[k].value)
				}
				if context < 0 {
					emit(ir.Def{Op: ir.Halt, Aux: int64(ir.HaltExit)})
					continue
				}
				if exit == 0 {
					exit = b.Block("return")
				}
				rets = append(rets, ret{b.Current(), values})
				emit(ir.Def{Op: ir.Br, Succs: []ir.BlockID{exit}})
				continue
			}
			d.Args = slices.Clone(d.Args)
			for i, a := range d.Args {
				d.Args[i] = operand(a)
			}
			d.Succs = slices.Clone(d.Succs)
			for i, s := range d.Succs {
				d.Succs[i] = starts[s]
			}
			env[v] = emit(d)
		}
		ends[o] = b.Current()
	}
	for _, p := range phis {
		d := f.Def(p.value)
		for i, from := range f.Blocks[d.Block].Preds {
			if ends[from] != 0 {
				b.AddIncoming(p.flat, operand(d.Args[i]), ends[from])
			}
		}
	}
	if exit == 0 {
		// Nothing comes back: an unreachable block takes what follows.
		exit = b.Block("never")
		b.At(exit)
		return nil, false, nil
	}
	b.At(exit)
	for i, t := range f.Results {
		p := b.Phi(t)
		x.record(p, origin{context: context, fn: f})
		for _, r := range rets {
			b.AddIncoming(p, r.values[i], r.from)
		}
		results = append(results, p)
	}
	return results, true, nil
}

// repeated decides which objects are made once.
func (x *flattener) repeated() {
	wto := ir.NewWTO(x.f)
	for b := 1; b < len(x.f.Blocks); b++ {
		for _, v := range x.f.Blocks[b].Instrs {
			d := x.f.Def(v)
			var k int
			if d.Op != ir.Label {
				continue
			}
			if n, _ := fmt.Sscanf(d.Sym, siteLabel+"%d", &k); n != 1 {
				continue
			}
			if wto.Order[b] >= 0 && len(wto.Heads[b]) > 0 {
				d.Op, d.Sym, d.Args = ir.LifetimeStart, "", []ir.Value{x.objects[k].value}
			} else {
				x.objects[k].once = true
			}
		}
	}
}
