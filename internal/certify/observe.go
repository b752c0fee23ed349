package certify

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"assay/internal/bv"
	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/ir/interp"
	"assay/internal/verdict"
)

// This file looks whether a certificate that was accepted is true of some runs: the
// interpreter, which shares nothing with encoders and solvers, makes runs with random
// choices, and the predicates are evaluated each time their loop head is reached. A
// predicate that is false on a run was accepted by a bug, somewhere below the engine and the
// checker: that is a panic.
//
// Evaluated are relations between sums, polynomials, and comparisons of floats, of values
// and of cells; with a range, for some numbers of it. Not evaluated are sums of
// elements, contracts, and clauses and formulas about the frames of callers.

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
}

// observe panics if a predicate is false on a run that it makes. Runs end where they
// violate a target: there the certificate ends, too.
func observe(ctx context.Context, m *ir.Module, targets []ir.CheckKind, cert *verdict.Induction) {
	o := &observer{m: m, heads: map[headKey][]*invariant.Head{}, visits: map[headKey]int{}}
	for i := range cert.Heads {
		h := &cert.Heads[i]
		k := headKey{h.Func, h.Head}
		o.heads[k] = append(o.heads[k], h)
	}
	for run := range uint64(observedRuns) {
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
	if ev.Kind != interp.BlockEntered || o.broken != "" {
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
			if p := &h.Predicates[i]; !o.holds(p, ev.State) {
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

// termText names a term for a report of a bug.
func termText(t invariant.Term) string {
	if t.Cell {
		return fmt.Sprintf("[v%d + %d]", t.Value, t.Offset)
	}
	return fmt.Sprintf("v%d", t.Value)
}

// absent is the panic of a term about memory that is not there.
type absent struct{}

// holds evaluates a predicate; one about memory that is not there holds.
func (o *observer) holds(p *invariant.Predicate, s interp.State) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if r != (absent{}) {
				panic(r)
			}
			ok = true
		}
	}()
	if p.Elements != nil {
		return true
	}
	if p.Range == nil {
		return p.Holds(func(t invariant.Term) bv.BV { return o.value(&t, s, 0) })
	}
	from, to := o.sum(&p.Range.From, s), o.sum(&p.Range.To, s)
	if !from.IsInt64() || !to.IsInt64() {
		return true
	}
	for k, end := from.Int64(), to.Int64(); k < end; k++ {
		if k-from.Int64() >= observedRange && end-k > observedRange {
			k = end - observedRange
		}
		if !o.holdsAt(p, s, k) {
			return false
		}
	}
	return true
}

// holdsAt evaluates a predicate for a number of its range; elements that are not there
// hold for themselves alone.
func (o *observer) holdsAt(p *invariant.Predicate, s interp.State, k int64) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if r != (absent{}) {
				panic(r)
			}
			ok = true
		}
	}()
	return p.Holds(func(t invariant.Term) bv.BV { return o.value(&t, s, k) })
}

// sum is a bound of a range.
func (o *observer) sum(x *invariant.Sum, s interp.State) *big.Int {
	out := new(big.Int).Set(x.Const)
	for i := range x.Terms {
		t := &x.Terms[i]
		v := o.value(t, s, 0)
		n := v.Unsigned()
		if t.Signed {
			n = v.Signed()
		}
		out.Add(out, new(big.Int).Mul(n, big.NewInt(t.Coeff)))
	}
	return out
}

// value is the integer of a term, where the bound integer is k.
func (o *observer) value(t *invariant.Term, s interp.State, k int64) bv.BV {
	if t.Index {
		n := big.NewInt(k)
		if t.Square {
			n.Mul(n, n)
		}
		return bv.FromBig(t.Bits, n)
	}
	if t.Up > 0 || t.Global != "" || t.Old {
		panic(absent{})
	}
	v := s.Value(t.Value)
	if !t.Cell {
		return v
	}
	address := v.Uint64() + t.Offset + t.Stride*uint64(k)
	if w := o.m.PointerBits; w < 64 {
		address &= 1<<w - 1
	}
	b, ok := s.Memory(address, uint64(t.Bits+7)/8)
	if !ok {
		panic(absent{})
	}
	return bv.FromBytes(b)
}

// clauseHolds evaluates a clause over integers of this frame; one that speaks of anything
// else holds, also one about pointers, of which it has the offsets.
func (o *observer) clauseHolds(c invariant.Clause, f *ir.Func, s interp.State) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if r != (absent{}) {
				panic(r)
			}
			ok = true
		}
	}()
	for i := range c {
		t := &c[i].Term
		if t.Cell || f.Def(t.Value).Type.Kind != ir.Int {
			return true
		}
		v := o.value(t, s, 0)
		if c[i].Bit >= v.Width() {
			return true
		}
		if v.Bit(c[i].Bit) != c[i].Negated {
			return true
		}
	}
	return false
}
