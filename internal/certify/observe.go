package certify

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file looks whether a certificate that was accepted is true of some runs: the
// interpreter, which shares nothing with encoders and solvers, makes runs with random
// choices, and the predicates are evaluated each time their loop head is reached. A
// predicate that is false on a run was accepted by a bug, somewhere below the engine and the
// checker: that is a panic.
//
// Evaluated are relations between sums, polynomials, and comparisons of floats, of values
// and of cells; with a range, for some numbers of it; and the two sides of contracts, at each call and
// return. Not evaluated are sums of elements, and clauses and formulas about the frames of callers.

// Limits of the runs.
const (
	observedRuns   = 24
	observedSteps  = 100_000
	observedVisits = 2_000 // of a head, in all runs
	observedRange  = 16    // numbers at either end
)

// observer evaluates the predicates of one certificate.
type observer struct {
	m      *ir.Module
	heads  map[headKey][]*invariant.Head
	visits map[headKey]int
	broken string
	// contracts are those of functions; calls are the activations under way that have one.
	contracts map[string][]*invariant.Contract
	calls     []observedCall
}

// observedCall is an activation under way of a function with a contract.
type observedCall struct {
	f     *ir.Func
	depth int
	args  []bv.BV
	old   map[invariant.Term]bv.BV // what summands in globals were at the entry
}

// observe panics if a predicate is false on a run that it makes. Runs end where they
// violate a target: there the certificate ends, too.
func observe(ctx context.Context, m *ir.Module, targets []ir.CheckKind, cert *verdict.Induction) {
	o := &observer{m: m, heads: map[headKey][]*invariant.Head{}, visits: map[headKey]int{}, contracts: map[string][]*invariant.Contract{}}
	for i := range cert.Contracts {
		k := &cert.Contracts[i]
		o.contracts[k.Func] = append(o.contracts[k.Func], k)
	}
	for i := range cert.Heads {
		h := &cert.Heads[i]
		k := headKey{h.Func, h.Head}
		o.heads[k] = append(o.heads[k], h)
	}
	for run := range uint64(observedRuns) {
		o.calls = o.calls[:0]
		_, err := interp.Run(ctx, m, interp.Options{
			Oracle: smallChoices{rand.New(rand.NewPCG(run, 2)), interp.Random(run)}, Observe: o.event,
			StopAt: func(ev interp.Event) bool {
				return o.broken != "" || ev.Kind == interp.Violation && slices.Contains(targets, ev.Check)
			}, Blocks: true, MaxSteps: observedSteps, MaxMemory: 1 << 24,
		})
		if o.broken != "" {
			panic("certify: the certificate was accepted, but " + o.broken)
		}
		if err != nil {
			return // nothing is said of programs that the interpreter does not run
		}
	}
}

// smallChoices prefers small numbers, with which more branches are taken.
type smallChoices struct {
	rng   *rand.Rand
	inner interp.Oracle
}

func (o smallChoices) Global(name string, size uint64) ir.GlobalChoice {
	return o.inner.Global(name, size)
}

func (o smallChoices) Next(r interp.Request) (ir.Choice, error) {
	c, err := o.inner.Next(r)
	if err == nil && r.Kind == interp.WantValue && r.Type.Kind == ir.Int && o.rng.IntN(4) != 0 {
		c.Bits = bv.FromBig(r.Type.Bits, big.NewInt(o.rng.Int64N(24)-4))
	}
	return c, err
}

func (o *observer) event(ev interp.Event) {
	switch {
	case o.broken != "":
		return
	case ev.Kind == interp.Enter && len(o.contracts[ev.Func.Name]) > 0 && ev.Depth > 1:
		o.enter(ev)
		return
	case ev.Kind == interp.Leave && len(o.calls) > 0 && o.calls[len(o.calls)-1].depth == ev.Depth:
		o.leave(ev)
		return
	case ev.Kind != interp.BlockEntered:
		return
	}
	k := headKey{ev.Func.Name, ev.Block}
	heads := o.heads[k]
	if heads == nil || o.visits[k] >= observedVisits {
		return
	}
	o.visits[k]++
	for _, h := range heads {
		for i := range h.Predicates {
			if p := h.Predicates[i]; !o.holds(p, ev.State) {
				o.broken = fmt.Sprintf("on a run its predicate %q is false at block %d of %s", p.Text(termText), h.Head, h.Func)
				return
			}
		}
		if len(h.Calls) > 0 {
			continue
		}
		for _, c := range h.Clauses {
			if !o.clauseHolds(c, ev.Func, ev.State) {
				o.broken = fmt.Sprintf("on a run its clause %q is false at block %d of %s", c.Text(termText), h.Head, h.Func)
				return
			}
		}
	}
}

// enter looks whether a call keeps the preconditions. Nothing is said of the activation in which the program begins.
func (o *observer) enter(ev interp.Event) {
	x := observedCall{f: ev.Func, depth: ev.Depth, old: map[invariant.Term]bv.BV{}}
	for _, p := range ev.Func.Params {
		x.args = append(x.args, ev.State.Value(p))
	}
	for _, k := range o.contracts[ev.Func.Name] {
		for _, p := range append(slices.Clone(k.Pre), k.Post...) {
			p.Each(func(t invariant.Term) {
				if t.Global != "" && t.Old {
					if v, ok := o.ofGlobal(&t, ev.State); ok {
						x.old[placeOf(t)] = v
					}
				}
			})
		}
	}
	for _, k := range o.contracts[ev.Func.Name] {
		o.keeps(k.Pre, &x, ev, "precondition")
	}
	o.calls = append(o.calls, x)
}

// leave looks whether a call keeps the postconditions.
func (o *observer) leave(ev interp.Event) {
	x := o.calls[len(o.calls)-1]
	o.calls = o.calls[:len(o.calls)-1]
	for _, k := range o.contracts[x.f.Name] {
		o.keeps(k.Post, &x, ev, "postcondition")
	}
}

// keeps evaluates a side of a contract.
func (o *observer) keeps(side []invariant.Predicate, x *observedCall, ev interp.Event, what string) {
	for _, p := range side {
		if !invariant.Holds(p, func(t invariant.Term, _ int64) (v bv.BV, ok bool) {
			switch {
			case t.Global != "" && t.Old:
				v, ok = x.old[placeOf(t)]
				return v, ok
			case t.Global != "":
				return o.ofGlobal(&t, ev.State)
			case t.Value == 0:
				return ev.Bits, true
			}
			return x.args[slices.Index(x.f.Params, t.Value)], true
		}, observedRange) {
			o.broken = fmt.Sprintf("on a run the %s %q of %s is false", what, p.Text(termText), x.f.Name)
			return
		}
	}
}

// placeOf is a summand without its coefficient.
func placeOf(t invariant.Term) invariant.Term {
	return invariant.Term{Global: t.Global, Offset: t.Offset, Bits: t.Bits}
}

// ofGlobal is what a summand in a global is.
func (o *observer) ofGlobal(t *invariant.Term, s interp.State) (x bv.BV, ok bool) {
	b, ok := s.Memory(s.Symbol(t.Global)+t.Offset, uint64(t.Bits+7)/8)
	if !ok {
		return x, false
	}
	return bv.FromBytes(b).Extract(t.Bits-1, 0), true
}

// termText names a term for a report of a bug.
func termText(t invariant.Term) string {
	switch {
	case t.Cell:
		return fmt.Sprintf("[v%d + %d]", t.Value, t.Offset)
	case t.Global != "":
		return fmt.Sprintf("[%s + %d]", t.Global, t.Offset)
	case t.Value == 0:
		return "result"
	}
	return fmt.Sprintf("v%d", t.Value)
}

// holds evaluates a predicate.
func (o *observer) holds(p invariant.Predicate, s interp.State) bool {
	return invariant.Holds(p, func(t invariant.Term, k int64) (bv.BV, bool) { return o.value(&t, s, k) }, observedRange)
}

// value is what a term has in a state; ok is false if it is not there, or of no frame of
// this one's.
func (o *observer) value(t *invariant.Term, s interp.State, k int64) (x bv.BV, ok bool) {
	if t.Up > 0 || t.Global != "" || t.Old {
		return x, false
	}
	v := s.Value(t.Value)
	if !t.Cell {
		return v, true
	}
	address := v.Uint64() + t.Offset + t.Stride*uint64(k)
	if w := o.m.PointerBits; w < 64 {
		address &= 1<<w - 1
	}
	b, ok := s.Memory(address, uint64(t.Bits+7)/8)
	if !ok {
		return x, false
	}
	return bv.FromBytes(b).Extract(t.Bits-1, 0), true
}

// clauseHolds evaluates a clause over integers of this frame; one that speaks of anything
// else holds, also one about pointers, of which it has the offsets.
func (o *observer) clauseHolds(c invariant.Clause, f *ir.Func, s interp.State) bool {
	for i := range c {
		t := &c[i].Term
		if t.Cell || f.Def(t.Value).Type.Kind != ir.Int {
			return true
		}
		v, ok := o.value(t, s, 0)
		if !ok || c[i].Bit >= v.Width() {
			return true
		}
		if v.Bit(c[i].Bit) != c[i].Negated {
			return true
		}
	}
	return false
}
