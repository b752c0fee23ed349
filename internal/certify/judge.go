package certify

import (
	"fmt"
	"slices"

	"assay/internal/certify/ranges"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// This file collects what the certificate claims not to happen, and judges.

// claimKind classifies a claim.
type claimKind uint8

const (
	violation claimKind = iota
	limit               // the unwinding does not suffice
	obstacle            // a place that is not encoded, though the engine should have met it, too
	uncovered           // a place that this checker does not cover
)

// claim is something that must not happen: the condition under which it does.
type claim struct {
	kind claimKind
	cond term.ID
	what string
	f    *ir.Func
	v    ir.Value
	// number is its place among others; see elements.go.
	number int
	// visits is the number of quantified facts' visits before it, if K is 0.
	visits int
	// model is the position of the call that led into a library model, if the
	// instruction is in one.
	model ir.Pos
}

// claim records that nothing may happen under a condition.
func (c *checker) claim(kind claimKind, fr *frame, cond term.ID, v ir.Value, format string, args ...any) {
	if c.induction != nil && kind != uncovered {
		cond = c.st.And(cond, c.st.Not(fr.early()))
		cond = c.byCases([]term.ID{cond}, func(ts []term.ID) term.ID { return ts[0] })
	}
	c.record(kind, fr, cond, v, format, args...)
}

// record is claim for a condition as it is.
func (c *checker) record(kind claimKind, fr *frame, cond term.ID, v ir.Value, format string, args ...any) {
	if c.st.IsFalse(cond) {
		return
	}
	x := claim{kind: kind, cond: cond, what: format, f: fr.fn.f, v: v, visits: len(c.indexed.visits)}
	if len(args) > 0 {
		x.what = fmt.Sprintf(format, args...)
	}
	for ; fr.fn.f.Model && fr.caller != nil; fr = fr.caller {
		x.model = fr.caller.call.pos
	}
	c.claims = append(c.claims, x)
}

// undefined treats an event of the run under way that happens where cond holds.
// If it is a target it must not happen, and unless all are decided, the run does
// not go on after it.
func (c *checker) undefined(fr *frame, v ir.Value, kind ir.CheckKind, cond term.ID, text string) {
	st := c.st
	if !c.target[kind] || st.IsFalse(cond) {
		return
	}
	g := st.And(fr.guard, cond)
	if st.IsFalse(g) {
		return
	}
	claimed := len(c.excluded) == 0 || !c.excluded[Place{fr.fn.f.Name, v, kind}]
	if claimed {
		c.claim(violation, fr, g, v, "%s", kind.String()+": "+text)
	}
	switch {
	case !c.o.All:
		fr.guard = st.And(fr.guard, st.Not(cond))
	case claimed && c.induction != nil:
		fr.guard = st.And(fr.guard, st.Not(st.And(cond, fr.early())))
	}
}

// stops says whether an event of this kind ends the run.
func (c *checker) stops(kind ir.CheckKind) bool { return c.target[kind] && !c.o.All }

// gaveUp records what package memory could not encode.
func (c *checker) gaveUp(fr *frame, v ir.Value) { c.gaveUpAt(fr, v, fr.guard) }

func (c *checker) gaveUpAt(fr *frame, v ir.Value, guard term.ID) {
	for _, g := range c.sp.TakeGaveUp() {
		c.claim(uncovered, fr, c.st.And(guard, g.Cond), v, "%s", g.Why)
	}
}

// blockValue is the first instruction of a block that has a position.
func (c *checker) blockValue(fn *function, b ir.BlockID) ir.Value {
	instrs := fn.f.Blocks[b].Instrs
	for _, v := range instrs {
		if fn.f.Values[v].Pos.Line != 0 {
			return v
		}
	}
	return instrs[0]
}

// judge decides whether any of the claims can fail.
func (c *checker) judge() (checker string, err error) {
	st := c.st
	if c.o.Script != nil {
		var conds []term.ID
		for _, x := range c.claims {
			conds = append(conds, x.cond)
		}
		defer func() {
			if err == nil && len(conds) > 0 {
				c.o.Script.add(st, conds, append(c.facts, c.sp.Facts()...))
			}
		}()
	}
	c.byRanges()
	if err := c.outside(); err != nil {
		return "", err
	}
	if c.target[ir.Decrease] && c.o.Engine != Z3 {
		if err := c.decreasing(); err != nil {
			return "", err
		}
	}
	if len(c.prefixes) > 0 && c.o.Engine != Z3 {
		if err := c.withoutReads(); err != nil {
			return "", err
		}
	}
	if err := c.inPieces(); err != nil {
		return "", err
	}
	hard, soft := st.False(), st.False()
	for i := len(c.claims) - 1; i >= 0; i-- {
		if x := c.claims[i]; x.kind == uncovered {
			soft = st.Or(soft, x.cond)
		} else {
			hard = st.Or(hard, x.cond)
		}
	}
	if c.indexed.kappa != 0 {
		if refuted, err := c.refute(); refuted || err != nil {
			return c.accepted(), err
		}
	}
	status, err := c.decide(st.Or(hard, soft))
	if err != nil {
		return "", err
	}
	if status == smt.Unsat {
		return c.accepted(), nil
	}
	if x := c.happening(uncovered); x != nil {
		// The run needs a place that is not covered. Perhaps another does not.
		status, err = c.decide(st.And(hard, st.Not(soft)))
		if err != nil {
			return "", err
		}
		if status == smt.Unsat {
			return "", ErrIncomplete{Why: fmt.Sprintf("%s, in %s at %s", x.what, x.f.Name, c.position(x))}
		}
	}
	x := c.happening(violation)
	return "", ErrRejected{What: x.what, Func: x.f.Name, At: c.position(x), Pos: x.f.Values[x.v].Pos}
}

// rangeSteps is how often each term is looked at, at most, on average: more often if there are intervals of many kinds.
const rangeSteps = 10

// byRanges drops the claims that intervals refute. It comes first, since it costs next to nothing.
func (c *checker) byRanges() {
	c.facts = append(c.facts, c.sp.Facts()...)
	conds := make([]term.ID, len(c.claims))
	for i, x := range c.claims {
		conds[i] = x.cond
	}
	r := ranges.New(c.st, rangeSteps*c.termsOf(conds))
	r.Assume(c.facts)
	before := len(c.claims)
	c.claims = slices.DeleteFunc(c.claims, func(x claim) bool { return r.Refuted(x.cond) })
	c.ranges = c.ranges || len(c.claims) < before
}

// outside asks first, and not for long, whether runs come to places that are not covered: a run that
// does is found soon, most often, and the other claims are then asked about in vain.
func (c *checker) outside() error {
	some, others := c.st.False(), c.claims[:0:0]
	for i := len(c.claims) - 1; i >= 0; i-- {
		if x := c.claims[i]; x.kind == uncovered {
			some = c.st.Or(some, x.cond)
		}
	}
	if c.st.IsFalse(some) {
		return nil
	}
	for {
		c.facts = append(c.facts, c.sp.Facts()...)
		status, err := c.try(attempt{conflicts: soonConflicts, time: soon}, append([]term.ID{some}, c.facts...))
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err != nil || status == smt.Unknown:
			return nil
		case status == smt.Unsat:
			for _, x := range c.claims {
				if x.kind != uncovered {
					others = append(others, x)
				}
			}
			c.claims = others
			return nil
		case !c.sp.Correct(c.solver.Value):
			x := c.happening(uncovered)
			return ErrIncomplete{Why: fmt.Sprintf("%s, in %s at %s", x.what, x.f.Name, c.position(x))}
		}
	}
}

// happening is the first claim that fails in the last model: of those that are
// uncovered, or else of the others.
func (c *checker) happening(kind claimKind) *claim {
	for i := range c.claims {
		if x := &c.claims[i]; (x.kind == uncovered) == (kind == uncovered) && c.solver.Value(x.cond).IsTrue() {
			return x
		}
	}
	return nil
}

// position is where a claim fails, as text.
func (c *checker) position(x *claim) string {
	at := c.m.PosString(x.f.Values[x.v].Pos)
	if x.model != (ir.Pos{}) {
		at += ", called from " + c.m.PosString(x.model)
	}
	return at
}
