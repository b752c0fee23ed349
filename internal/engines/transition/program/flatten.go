package program

import (
	"errors"
	"fmt"

	"assay/internal/program/inline"
	"assay/internal/program/ir"
)

// This file makes one function of a program: every call of a function that is
// not recursive is replaced by the function's body (package inline). What is left are calls of
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

// object is a stack object of the flat function.
type object struct {
	def    ir.Def        // its Alloca
	origin inline.Origin // of the label
	once   bool          // (F1)
	value  ir.Value      // its address in the flat function
}

// flat is a program as one function.
type flat struct {
	*inline.Flat
	m       *ir.Module // of the original program
	objects []object
}

// ErrUnsupported says why a program is no finite transition system.
type ErrUnsupported struct {
	Func string
	Pos  ir.Pos
	Why  string
}

func (e *ErrUnsupported) Error() string { return e.Why }

type flattener struct {
	flat
	b      *ir.Builder
	in     *inline.Inliner
	called map[string]bool // recursive, or with variable arguments: not inlined
	byName map[string]*ir.Func
	made   map[*inline.Activation][]int // its objects, in flat.objects
}

// flatten inlines the calls of a module.
func flatten(m *ir.Module) (*flat, error) {
	scratch := &ir.Module{PointerBits: m.PointerBits}
	x := &flattener{flat: flat{m: m}, b: ir.NewFunc(scratch, "assay.flat"), byName: m.Index().Funcs, called: inline.Recursive(m), made: map[*inline.Activation][]int{}}
	entry := x.byName[m.Entry]
	if entry == nil || entry.IsDecl() {
		return nil, &ErrUnsupported{Func: m.Entry, Why: "the entry function has no body"}
	}
	if x.called[entry.Name] {
		return nil, &ErrUnsupported{Func: m.Entry, Pos: entry.Pos, Why: "the entry function is recursive"}
	}
	for _, f := range m.Funcs {
		x.called[f.Name] = x.called[f.Name] || f.Variadic
	}
	x.b.At(x.b.Block("entry"))
	x.in = inline.New(x.b, maxFlat, x.instruction)
	if _, _, err := x.in.Inline(nil, 0, entry, nil); err != nil {
		if large := (*inline.TooLarge)(nil); errors.As(err, &large) {
			return nil, &ErrUnsupported{Func: large.Func.Name, Pos: large.Pos, Why: large.Error()}
		}
		return nil, err
	}
	x.b.Unreachable() // ends the block that takes what follows
	x.Flat = x.in.Done()
	x.repeated()
	return &x.flat, nil
}

// instruction is the rule of the inliner.
func (x *flattener) instruction(a *inline.Activation, v ir.Value, d *ir.Def) (replaced bool, err error) {
	switch d.Op {
	case ir.Dbg:
		return true, nil // names are looked up at the origin
	case ir.Alloca:
		return x.alloca(a, v, d), nil
	case ir.Call:
		if g := x.byName[d.Sym]; d.Sym != "" && g != nil && !g.IsDecl() && !x.called[g.Name] && len(d.Args) == len(g.Params) {
			_, err := x.in.Call(a, v, d, g)
			return true, err
		}
	case ir.Ret:
		for _, k := range x.made[a] {
			x.b.Op(ir.LifetimeEnd, ir.Type{}, x.objects[k].value)
		}
		if a.Caller == nil {
			x.in.Copy(a, v, ir.Def{Op: ir.Halt, Aux: int64(ir.HaltExit)})
			return true, nil
		}
	}
	return false, nil
}

// alloca makes a stack object of a small constant size one that is there from the start.
func (x *flattener) alloca(a *inline.Activation, v ir.Value, d *ir.Def) bool {
	size := a.Func.Def(d.Args[0])
	if size.Op != ir.Const || !size.Const.IsUint64() || size.Const.Uint64() >= 1<<20 {
		return false
	}
	k := len(x.objects)
	address := x.b.GlobalAddr(fmt.Sprint(objectName, k))
	x.made[a] = append(x.made[a], k)
	// The label becomes a LifetimeStart if it can be repeated.
	x.in.Copy(a, v, ir.Def{Op: ir.Label, Sym: fmt.Sprint(siteLabel, k)})
	x.in.Define(a, v, address)
	x.objects = append(x.objects, object{
		def:    ir.Def{Op: ir.Alloca, Type: d.Type, Args: []ir.Value{x.b.Word(size.Const.Uint64())}, Aux: d.Aux, Layout: d.Layout, Pos: d.Pos},
		origin: inline.Origin{Activation: a, Value: v, Block: d.Block},
		value:  address,
	})
	return true
}

// repeated decides which objects are made once.
func (x *flattener) repeated() {
	wto := ir.NewWTO(x.Func)
	for b := 1; b < len(x.Func.Blocks); b++ {
		for _, v := range x.Func.Blocks[b].Instrs {
			d := x.Func.Def(v)
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
