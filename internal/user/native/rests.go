package native

import (
	"context"
	"math/rand/v2"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/user/show"
)

// This file finds out what a run of a binary rests on that the model chooses and the binary does not: what stack and heap hold
// that was never written, and where objects are. In C these are arbitrary, and one run with a choice refutes; a binary has one of them.
//
//	(1) Content. The run is made again in the interpreter, which tells of each read of what was never written. The run rests on it,
//	    unless the value, and what is computed from it, only goes into arithmetic (ir.Influences): it is sound, for another
//	    value leads the same way.
//	(2) Addresses of a run that does not end, or of an LTL formula. It is made again with the objects elsewhere, in other orders, and as far apart as it
//	    comes, at the least alignment that they have. If the state does not come back each time, or the violation, it rests on addresses. This is a
//	    test, and no proof.

// restSteps bounds each of these runs.
const restSteps = 1 << 26

// Unwritten says which content that was never written a run of a binary rests on; "" if on none.
func Unwritten(ctx context.Context, run *show.Run) string {
	executed := map[*ir.Func][]bool{}
	type source struct {
		f *ir.Func
		v ir.Value
	}
	sources := map[source]bool{}
	enter := func(f *ir.Func, blocks ...ir.BlockID) {
		x := executed[f]
		if x == nil {
			x = make([]bool, len(f.Blocks))
			executed[f] = x
		}
		for _, b := range blocks {
			x[b] = true
		}
	}
	observe := func(e interp.Event) {
		switch e.Kind {
		case interp.BlockEntered:
			enter(e.Func, e.Block)
		case interp.Accelerated:
			enter(e.Func, e.Path...)
		case interp.UnwrittenRead:
			sources[source{e.Func, e.Value}] = true
		case interp.ChoiceMade:
			d := e.Func.Def(e.Value)
			if k := ir.NondetKind(d.Aux); d.Op == ir.Nondet && (k == ir.NondetUninit || k == ir.NondetUndef) {
				sources[source{e.Func, e.Value}] = true
			}
		}
	}
	o := interp.Options{Oracle: interp.Replay(run.Input), Blocks: true, Unwritten: true, MaxSteps: restSteps, Observe: observe}
	if run.Endless == nil {
		o.StopAt, o.Accelerate = stopsAt(run), true
	} else {
		o.Repeats, o.Idle = true, run.Endless.Idle
	}
	out, err := interp.Run(ctx, run.Module, o)
	if err != nil || out.End == interp.StepLimit || out.End == interp.MemoryLimit {
		return "the run is too long to see whether it rests on what was never written"
	}
	for s := range sources {
		if s.f.Influences(s.v, executed[s.f]) {
			return neverWritten
		}
	}
	return ""
}

// stopsAt ends a run at its violation.
func stopsAt(run *show.Run) func(interp.Event) bool {
	return func(e interp.Event) bool {
		switch e.Kind {
		case interp.Violation:
			return run.Violation.Kind == e.Check && run.Violation.Func == e.Func.Name && run.Violation.Pos == e.Pos
		case interp.LabelReached:
			return run.Violation.Kind == ir.ErrorLabel && run.Violation.Func == e.Func.Name && run.Violation.Pos == e.Pos
		}
		return false
	}
}

// Doubt is the obstacle where a run of a binary which does not end, or violates a formula, rests on what the model chooses; nil if it does not.
func Doubt(ctx context.Context, files []string, run *show.Run, at *show.Place) *show.Reason {
	why := rests(ctx, files, run)
	if why == "" {
		return nil
	}
	return &show.Reason{
		Cause: verdict.CauseUnsupported.String(), Pos: at.Pos, Func: at.Func, Text: at.Text + "; but " + why + ", which the binary does not choose",
		Hint: "write to the variable before it is read, or check the source: there these are arbitrary",
	}
}

// rests says what a run of a binary rests on that the model chooses, one that does not end, or violates a formula; "" if there is nothing.
func rests(ctx context.Context, files []string, run *show.Run) string {
	if len(files) != 1 || !frontend.IsBinary(files[0]) {
		return ""
	}
	if e := run.Endless; e != nil && e.Set != nil { // proved for all that is not said here
		for _, x := range e.Set.Inputs {
			f := run.Module.Func(x.Func)
			if k := ir.NondetKind(f.Def(x.Value).Aux); k == ir.NondetUninit || k == ir.NondetUndef {
				return neverWritten
			}
		}
		return ""
	}
	if why := Unwritten(ctx, run); why != "" {
		return why
	}
	again := func(o *elsewhere) bool {
		options, end := interp.Options{Oracle: o, MaxSteps: restSteps, Repeats: true}, interp.Repeats
		if run.Endless != nil {
			options.Fair, options.Idle = run.Endless.Accepts > 0, run.Endless.Idle
		} else {
			options.Repeats, options.Accelerate, options.StopAt, end = false, true, stopsAt(run), interp.Stopped
		}
		out, err := interp.Run(ctx, run.Module, options)
		return err == nil && out.End == end
	}
	first := &elsewhere{Oracle: interp.Replay(run.Input)}
	if !again(first) {
		return "the run is too long to see whether it rests on addresses"
	}
	for seed := range uint64(placements) {
		o := &elsewhere{Oracle: interp.Replay(run.Input), globals: map[string]uint64{}}
		o.put(run.Module, first.places, rand.New(rand.NewPCG(seed, 1)))
		if !again(o) {
			if ctx.Err() != nil {
				return "there was no time to see whether the run rests on addresses"
			}
			return "the run depends on where objects are"
		}
	}
	return ""
}

const neverWritten = "the run depends on what is on the stack or the heap that was never written"

// placements is how many times objects are put elsewhere.
const placements = 12

// elsewhere is an oracle that puts objects elsewhere, or notes where they are.
type elsewhere struct {
	interp.Oracle
	places  []place // of the choices, in their order
	next    int
	globals map[string]uint64
}

// place is where an object of a size is.
type place struct{ base, size, align uint64 }

// Global implements interp.Oracle.
func (o *elsewhere) Global(name string, size uint64) ir.GlobalChoice {
	g := o.Oracle.Global(name, size)
	if base := o.globals[name]; base != 0 {
		g.Base = base
	}
	return g
}

// Next implements interp.Oracle.
func (o *elsewhere) Next(q interp.Request) (ir.Choice, error) {
	c, err := o.Oracle.Next(q)
	switch {
	case err != nil || q.Kind != interp.WantObject:
	case o.globals == nil:
		base := c.Base
		if base == 0 {
			base = q.Base
		}
		d, align := q.Func.Def(q.Value), uint64(16)
		if d.Op == ir.Alloca {
			align = max(1, uint64(d.Aux))
		}
		o.places = append(o.places, place{base, q.Size, align})
	case o.next < len(o.places):
		c.Base = o.places[o.next].base
		o.next++
	}
	return c, err
}

// Reserved implements interp.Reserver.
func (o *elsewhere) Reserved() (list []uint64) {
	if r, ok := o.Oracle.(interp.Reserver); ok {
		list = r.Reserved()
	}
	for _, b := range o.globals {
		list = append(list, b)
	}
	for _, p := range o.places {
		list = append(list, p.base)
	}
	return list
}

// put chooses the places: objects that were at the same place are at the same one again, and others lie in another order.
func (o *elsewhere) put(m *ir.Module, old []place, rng *rand.Rand) {
	// Intervals that overlapped move together, for objects of different sizes may have taken a place in turn.
	type interval struct{ from, to, base uint64 }
	var intervals []interval
	sorted := slices.Clone(old)
	slices.SortFunc(sorted, func(a, b place) int { return int(int64(a.base - b.base)) })
	for _, p := range sorted {
		if p.base == 0 { // anywhere
			continue
		}
		if n := len(intervals); n > 0 && p.base < intervals[n-1].to {
			intervals[n-1].to = max(intervals[n-1].to, p.base+p.size)
			continue
		}
		intervals = append(intervals, interval{p.base, p.base + max(p.size, 1), 0})
	}
	at := uint64(0x7ffd_0000_0000)
	const page = 1 << 12
	for _, k := range rng.Perm(len(intervals)) {
		x := &intervals[k]
		align := uint64(1)
		for _, p := range old {
			if x.from <= p.base && p.base < x.to {
				align = max(align, p.align)
			}
		}
		at = (at+align-1)&^(align-1) + align*rng.Uint64N(page/align+1)
		x.base = at
		at += x.to - x.from + 1
	}
	for _, p := range old {
		if p.base == 0 {
			o.places = append(o.places, p)
			continue
		}
		k := slices.IndexFunc(intervals, func(x interval) bool { return x.from <= p.base && p.base < x.to })
		o.places = append(o.places, place{intervals[k].base + p.base - intervals[k].from, p.size, p.align})
	}
	at = 0x5555_5555_0000
	for _, k := range rng.Perm(len(m.Globals)) {
		g := m.Globals[k]
		align := max(g.Align, 1)
		at = (at+align-1)&^(align-1) + align*rng.Uint64N(64/min(align, 64)+1)
		o.globals[g.Name] = at
		at += g.Size + 1
	}
}
