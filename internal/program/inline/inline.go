// Package inline puts the bodies of functions in the place of their calls, and knows the way
// back: of each instruction and block of the flat function, in which activation of which function
// it stands.
//
//	(L1) An activation is a body that was copied. A value of its function has one value in the flat
//	     function, or none if the body's copy does not define it.
//	(L2) The copies of blocks that can be reached stand in reverse postorder. The entry block of
//	     a body continues the block of its call; what follows the call continues behind the returns.
//	(L3) Behind a body that never returns, what follows stands in a block that nothing reaches,
//	     and the results of the call are zeros there.
//	(L4) Stack objects of a body live on when it returns: who inlines decides what becomes of
//	     them, by a rule or by a StackSave around the body.
//
// What is inlined, and what becomes of each instruction, is decided by a rule of the caller.
package inline

import (
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/logic/components"
	"assay/internal/program/ir"
)

// Rule decides what becomes of an instruction v of an activation. d is a copy of it, with the
// operands and successors of its own function. The rule may change d and append
// instructions, which stand in front of it. replaced says that the rule has itself put
// something in the place of v, by Copy, Define or Call.
type Rule func(a *Activation, v ir.Value, d *ir.Def) (replaced bool, err error)

// Activation is a copy of a function's body (L1).
type Activation struct {
	Index  int // in Flat.Activations
	Func   *ir.Func
	Caller *Activation // nil for the first
	Call   ir.Value    // the call in Caller.Func; 0 if no instruction of it calls
	Values []ir.Value  // the flat values of the values of Func; 0 if there is none

	results map[ir.Value][]ir.Value // of the calls of Func that were replaced
	starts  []ir.BlockID            // by block of Func
	ends    []ir.BlockID            // 0 if the block was not copied
	phis    []ir.Value
	exit    ir.BlockID // where returns lead to, 0 as long as there is none
	returns []exitEdge
}

// exitEdge is a return: from a block of the flat function, with flat values.
type exitEdge struct {
	from   ir.BlockID
	values []ir.Value
}

// Within says whether f is the function of the activation or of one around it.
func (a *Activation) Within(f *ir.Func) bool {
	for ; a != nil; a = a.Caller {
		if a.Func == f {
			return true
		}
	}
	return false
}

// Origin says where a value or a block of the flat function comes from.
type Origin struct {
	Activation *Activation // nil if a rule made it up
	Value      ir.Value    // 0 if it stands for no instruction
	Block      ir.BlockID  // of the activation's function
}

// Flat is a function with the bodies of others.
type Flat struct {
	Func        *ir.Func
	Activations []*Activation
	Values      []Origin // by value of Func
	Blocks      []Origin // by block of Func
}

// TooLarge says that the flat function would have too many values.
type TooLarge struct {
	Func  *ir.Func // the body
	Pos   ir.Pos
	Limit int
}

// Error says what the limit is.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the program has more than %d instructions when its calls are inlined", e.Limit)
}

// Inliner appends bodies to a function.
type Inliner struct {
	b     *ir.Builder
	flat  Flat
	rule  Rule
	limit int
}

// New makes an inliner that appends to a function of at most limit values.
func New(b *ir.Builder, limit int, rule Rule) *Inliner {
	return &Inliner{b: b, rule: rule, limit: limit}
}

// Done ends the function.
func (x *Inliner) Done() *Flat {
	x.flat.Func = x.b.Done()
	x.flat.Values = grown(x.flat.Values, len(x.flat.Func.Values))
	x.flat.Blocks = grown(x.flat.Blocks, len(x.flat.Func.Blocks))
	return &x.flat
}

func grown(list []Origin, n int) []Origin {
	if n > len(list) {
		list = append(list, make([]Origin, n-len(list))...)
	}
	return list
}

func (x *Inliner) recordBlock(b ir.BlockID, o Origin) {
	x.flat.Blocks = grown(x.flat.Blocks, int(b)+1)
	x.flat.Blocks[b] = o
}

// emit appends an instruction that stands for v, with operands of the flat function.
func (x *Inliner) emit(a *Activation, v ir.Value, d ir.Def) ir.Value {
	n := x.b.Emit(d)
	x.flat.Values = grown(x.flat.Values, int(n)+1)
	x.flat.Values[n] = Origin{a, v, a.Func.Def(v).Block}
	return n
}

// Inline appends a body at the builder's current block, and leaves it where the body returns,
// with one result for each of the function's. returns is false if it never does (L3).
func (x *Inliner) Inline(caller *Activation, call ir.Value, f *ir.Func, args []ir.Value) (results []ir.Value, returns bool, err error) {
	n := len(f.Blocks)
	a := &Activation{
		Index: len(x.flat.Activations), Func: f, Caller: caller, Call: call, Values: make([]ir.Value, len(f.Values)),
		results: map[ir.Value][]ir.Value{}, starts: make([]ir.BlockID, n), ends: make([]ir.BlockID, n),
	}
	x.flat.Activations = append(x.flat.Activations, a)
	for i, p := range f.Params {
		a.Values[p] = args[i]
	}
	order := ir.RPO(f)
	for i, o := range order {
		if i == 0 {
			a.starts[o] = x.b.Current()
			if caller == nil {
				x.recordBlock(a.starts[o], Origin{a, 0, o})
			}
			continue
		}
		a.starts[o] = x.b.Block(f.Blocks[o].Name)
		x.recordBlock(a.starts[o], Origin{a, 0, o})
	}
	for _, o := range order {
		x.b.At(a.starts[o])
		for _, v := range f.Blocks[o].Instrs {
			if err := x.instruction(a, v); err != nil {
				return nil, false, err
			}
		}
		a.ends[o] = x.b.Current()
	}
	for _, v := range a.phis {
		d := f.Def(v)
		for i, from := range f.Blocks[d.Block].Preds {
			if a.ends[from] != 0 {
				x.b.AddIncoming(a.Values[v], x.Operand(a, d.Args[i]), a.ends[from])
			}
		}
	}
	return x.leave(a), a.exit != 0, nil
}

// leave continues behind the returns of a body.
func (x *Inliner) leave(a *Activation) (results []ir.Value) {
	if a.exit == 0 {
		x.b.At(x.b.Block("never"))
		for _, t := range a.Func.Results {
			results = append(results, x.Zero(t))
		}
		return results
	}
	x.b.At(a.exit)
	for i, t := range a.Func.Results {
		p := x.b.Phi(t)
		x.flat.Values = grown(x.flat.Values, int(p)+1)
		x.flat.Values[p] = Origin{Activation: a}
		for _, r := range a.returns {
			x.b.AddIncoming(p, r.values[i], r.from)
		}
		results = append(results, p)
	}
	return results
}

// instruction appends what becomes of v.
func (x *Inliner) instruction(a *Activation, v ir.Value) error {
	d := *a.Func.Def(v)
	if len(x.b.Func.Values) > x.limit {
		return &TooLarge{a.Func, d.Pos, x.limit}
	}
	x.b.SetPos(d.Pos)
	if replaced, err := x.rule(a, v, &d); replaced || err != nil {
		return err
	}
	switch d.Op {
	case ir.Phi:
		a.Values[v] = x.emit(a, v, ir.Def{Op: ir.Phi, Type: d.Type})
		a.phis = append(a.phis, v)
	case ir.Extract:
		list, ok := a.results[d.Args[0]]
		switch {
		case !ok:
			x.Copy(a, v, d)
		case d.Aux < int64(len(list)):
			a.Values[v] = list[d.Aux]
		default: // of a call that gives none (L3)
			a.Values[v] = x.Zero(d.Type)
		}
	case ir.Ret:
		values := x.Operands(a, d.Args)
		if a.exit == 0 {
			a.exit = x.b.Block("return")
		}
		a.returns = append(a.returns, exitEdge{x.b.Current(), values})
		x.emit(a, v, ir.Def{Op: ir.Br, Succs: []ir.BlockID{a.exit}})
	default:
		x.Copy(a, v, d)
	}
	return nil
}

// Copy appends d, with the operands and successors of the activation's function, as what
// becomes of v.
func (x *Inliner) Copy(a *Activation, v ir.Value, d ir.Def) ir.Value {
	d.Args = x.Operands(a, d.Args)
	succs := make([]ir.BlockID, len(d.Succs))
	for i, s := range d.Succs {
		succs[i] = a.starts[s]
	}
	d.Succs = succs
	a.Values[v] = x.emit(a, v, d)
	return a.Values[v]
}

// Define says that flat values stand for the results of v.
func (x *Inliner) Define(a *Activation, v ir.Value, results ...ir.Value) {
	if len(results) > 0 {
		a.Values[v] = results[0]
	}
	a.results[v] = results
}

// Call puts the body of f in the place of the call v, whose copy is d.
func (x *Inliner) Call(a *Activation, v ir.Value, d *ir.Def, f *ir.Func) (returns bool, err error) {
	results, returns, err := x.Inline(a, v, f, x.Operands(a, d.Args))
	if err != nil {
		return false, err
	}
	x.b.SetPos(d.Pos)
	x.recordBlock(x.b.Current(), Origin{a, 0, a.Func.Def(v).Block})
	x.Define(a, v, results...)
	return returns, nil
}

// Operand is the flat value of a value of the activation's function.
func (x *Inliner) Operand(a *Activation, v ir.Value) ir.Value {
	switch d := a.Func.Def(v); d.Op {
	case ir.Const:
		return x.b.ConstBV(d.Type, d.Const)
	case ir.Null:
		return x.b.Null()
	case ir.GlobalAddr:
		return x.b.GlobalAddr(d.Sym)
	case ir.FuncAddr:
		return x.b.FuncAddr(d.Sym)
	}
	return a.Values[v]
}

// Operands are the flat values of several.
func (x *Inliner) Operands(a *Activation, list []ir.Value) []ir.Value {
	out := make([]ir.Value, len(list))
	for i, v := range list {
		out[i] = x.Operand(a, v)
	}
	return out
}

// Zero is a constant of a type.
func (x *Inliner) Zero(t ir.Type) ir.Value {
	if t.Kind == ir.Ptr {
		return x.b.Null()
	}
	return x.b.ConstBV(t, bv.New(t.Bits, 0))
}

// Recursive are the functions that may call themselves, by direct calls.
func Recursive(m *ir.Module) map[string]bool {
	index := make(map[string]int, len(m.Funcs))
	for i, f := range m.Funcs {
		index[f.Name] = i
	}
	calls := components.Graph{N: len(m.Funcs), Next: func(i int, visit func(int)) {
		f := m.Funcs[i]
		for v := range f.Values {
			if to, ok := index[f.Values[v].Sym]; ok && f.Values[v].Op == ir.Call {
				visit(to)
			}
		}
	}}
	found := components.Of(calls)
	recursive := map[string]bool{}
	for k, cyclic := range found.Cyclic(calls) {
		for _, i := range found.Nodes[k] {
			if cyclic {
				recursive[m.Funcs[i].Name] = true
			}
		}
	}
	return recursive
}
