// Package replay turns a model of the formula of a program into a run of the interpreter, and says what
// the run does. It serves all engines that find violations in the formulas of package ssa.
package replay

import (
	"context"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// Limits of a replay.
const (
	// MaxContent bounds the bytes of a content that are taken from a model.
	MaxContent = 1 << 20
	maxSteps   = 1 << 31 // a model of a bounded unwinding stays below
)

// Model has the values of terms and of array variables: a solver after a Check.
type Model interface {
	Value(t term.ID) bv.BV
	ArrayValue(t term.ID) (elements map[uint64]bv.BV, other bv.BV)
}

// Input is what a model chooses.
type Input struct {
	ir.Input
	// Undefined says that some of it are values that undefined behaviour yields.
	Undefined bool
	// Approximate names something on the run that is over-approximated: the result of a library
	// function, or what a function without body leaves; "" if there is nothing.
	Approximate string
}

// InputOf reads the choices of a run off a model, in their order.
func InputOf(m *ir.Module, u *ssa.Unwinder, model Model, choices ...[]ssa.Choice) Input {
	in := Input{Input: ir.Input{Globals: map[string]ir.GlobalChoice{}}}
	sp := u.Space()
	base := func(o memory.ObjectID) uint64 {
		if b := sp.BaseVariable(o); b != 0 {
			return model.Value(b).Uint64()
		}
		return 0
	}
	for _, list := range choices {
		for i := range list {
			c := &list[i]
			if !model.Value(c.Guard).IsTrue() {
				continue
			}
			x := ir.Choice{Func: c.Func, Value: c.Value}
			if d := m.Func(c.Func).Def(c.Value); c.Approximate && in.Approximate == "" {
				in.Approximate = "the result of " + d.Sym + ", which its model over-approximates"
				if d.Op == ir.Havoc {
					in.Approximate = "what " + d.Sym + ", which has no body, may have changed"
				}
			}
			if c.Bits != 0 {
				x.Bits = model.Value(c.Bits)
				in.Undefined = in.Undefined || c.Undefined
			} else {
				x.Bytes = content(sp, model, c.Content)
				if c.Object != 0 {
					x.Base = base(c.Object)
				}
			}
			in.Choices = append(in.Choices, x)
		}
	}
	for _, c := range u.Externals() {
		in.Globals[c.Func] = ir.GlobalChoice{Bytes: content(sp, model, c.Content)}
	}
	for o := 1; o <= sp.Objects(); o++ {
		ob := sp.Object(memory.ObjectID(o))
		if ob.Kind != memory.GlobalObject && ob.Kind != memory.FunctionObject {
			continue
		}
		if b := base(ob.ID); b != 0 {
			g := in.Globals[ob.Name]
			g.Base = b
			in.Globals[ob.Name] = g
		}
	}
	return in
}

// content is an arbitrary content in the model, as bytes.
func content(sp *memory.Space, model Model, gen memory.Generation) []byte {
	array, elem, size, ok := sp.Contents(gen)
	if !ok {
		return nil
	}
	elements, other := model.ArrayValue(array)
	if size == 0 { // symbolic: as far as somebody looks
		for i := range elements {
			size = max(size, (i+1)*uint64(elem))
		}
	}
	size = min(size, MaxContent)
	b := make([]byte, size)
	put := func(i uint64, v bv.BV) {
		for k, x := range v.Bytes() {
			if at := i*uint64(elem) + uint64(k); at < size {
				b[at] = x
			}
		}
	}
	if !other.IsZero() {
		for i := uint64(0); i < size; i += uint64(elem) {
			put(i/uint64(elem), other)
		}
	}
	for i, v := range elements {
		if i < size {
			put(i, v)
		}
	}
	return b
}

// Run is what a run of the interpreter has done.
type Run struct {
	Found     bool // it violates the property
	Violation verdict.Guard
	Passes    []verdict.Guard // undefined behaviour before the violation
	// Why says what the run did instead, Pos where it ended.
	Why string
	Pos ir.Pos
	// Large says that the interpreter has not enough memory for the run.
	Large bool
}

// Options say what a run is watched for.
type Options struct {
	Targets []ir.CheckKind
	Label   string // that ErrorLabel means; ERROR if empty
	// Each, if not nil, is called for each violation; the run goes on then. Without, it ends at the first.
	Each func(g verdict.Guard, e interp.Event)
}

// Execute runs the interpreter until it violates the property.
func Execute(ctx context.Context, m *ir.Module, in ir.Input, o Options) (r Run) {
	target := map[ir.CheckKind]bool{}
	for _, k := range o.Targets {
		target[k] = true
	}
	label := o.Label
	switch {
	case !target[ir.ErrorLabel]:
		label = "" // not asked about, it is passed as any other
	case label == "":
		label = "ERROR"
	}
	seen := map[verdict.Guard]bool{}
	stop := func(e interp.Event) bool {
		g, ok := verdict.Broken(e, label)
		switch {
		case !ok:
			return false
		case target[g.Kind]:
			if !r.Found {
				r.Found, r.Violation = true, g
			}
			if o.Each != nil {
				o.Each(g, e)
			}
		case !r.Found && !seen[g]:
			seen[g] = true
			r.Passes = append(r.Passes, g)
		}
		return r.Found && o.Each == nil
	}
	out, err := interp.Run(ctx, m, interp.Options{Oracle: interp.Replay(in), StopAt: stop, Accelerate: true, MaxSteps: maxSteps})
	if err != nil {
		r.Why = err.Error()
		return r
	}
	r.Why, r.Large, r.Pos = out.String(), out.End == interp.MemoryLimit, out.Pos
	return r
}
