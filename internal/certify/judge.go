package certify

import (
	"errors"
	"fmt"

	"assay/internal/ir"
	"assay/internal/smt"
	"assay/internal/smt/z3"
	"assay/internal/term"
)

// This file collects what the certificate claims not to happen, and asks.

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
	// model is the position of the call that led into a library model, if the
	// instruction is in one.
	model ir.Pos
}

// claim records that nothing may happen under a condition.
func (c *checker) claim(kind claimKind, fr *frame, cond term.ID, v ir.Value, format string, args ...any) {
	if c.st.IsFalse(cond) {
		return
	}
	x := claim{kind: kind, cond: cond, what: format, f: fr.fn.f, v: v}
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
	if len(c.excluded) == 0 || !c.excluded[Place{fr.fn.f.Name, v, kind}] {
		c.claim(violation, fr, g, v, "%s", kind.String()+": "+text)
	}
	if !c.o.All {
		fr.guard = st.And(fr.guard, st.Not(cond))
	}
}

// stops says whether an event of this kind ends the run.
func (c *checker) stops(kind ir.CheckKind) bool { return c.target[kind] && !c.o.All }

// gaveUp records what package memory could not encode.
func (c *checker) gaveUp(fr *frame, v ir.Value) {
	for _, g := range c.sp.TakeGaveUp() {
		c.claim(uncovered, fr, c.st.And(fr.guard, g.Cond), v, "%s", g.Why)
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

// feasibleFrom is the number of iterations or activations from which it is
// asked whether there are so many.
const feasibleFrom = 16

// worthwhile says whether the next iteration of a loop must be encoded: not if
// no run takes so many. The bound of a loop is that of its longest execution,
// which constants may have decided; this execution may be a short one whose
// end the simplifier does not see. It asks at powers of two, while much of the
// bound is left.
func (c *checker) worthwhile(count, bound int, entered term.ID, edges []edge) (bool, error) {
	if !worthAsking(count, bound) {
		return true, nil
	}
	g := c.either(edges)
	if g == entered {
		return true, nil
	}
	return c.feasible(g)
}

// deeper is worthwhile for an activation inside n others of its function.
func (c *checker) deeper(w way, n int) (bool, error) {
	if !worthAsking(n, w.fn.bound) {
		return true, nil
	}
	for fr := c.top; fr != nil; fr = fr.caller {
		if fr.fn == w.fn {
			if fr.entered == w.guard {
				return true, nil
			}
			break
		}
	}
	return c.feasible(w.guard)
}

func worthAsking(count, bound int) bool {
	return count >= feasibleFrom && count&(count-1) == 0 && count <= bound/4
}

// feasibleConflicts bounds the work on a question whose answer only saves work.
const feasibleConflicts = 1000

// feasible says whether some run may have a guard.
func (c *checker) feasible(g term.ID) (bool, error) {
	if c.solver == nil {
		c.solver = z3.New(c.st, z3.Options{})
	}
	c.assertFacts()
	c.solver.SetConflictLimit(feasibleConflicts)
	status, err := c.solver.Check(c.ctx, g)
	c.solver.SetConflictLimit(0)
	if c.ctx.Err() != nil {
		return false, c.ctx.Err()
	}
	return status != smt.Unsat || err != nil, nil
}

func (c *checker) assertFacts() {
	for _, f := range c.sp.Facts() {
		c.solver.Assert(f)
	}
}

// Who accepted.
const (
	byFolding = "second unwinding, by simplification"
	bySolver  = "second unwinding, by Z3"
)

// judge decides whether any of the claims can fail.
func (c *checker) judge() (checker string, err error) {
	st := c.st
	hard, soft := st.False(), st.False()
	for i := len(c.claims) - 1; i >= 0; i-- {
		if x := c.claims[i]; x.kind == uncovered {
			soft = st.Or(soft, x.cond)
		} else {
			hard = st.Or(hard, x.cond)
		}
	}
	happens := st.Or(hard, soft)
	if st.IsFalse(happens) {
		if c.solver != nil {
			return bySolver, nil
		}
		return byFolding, nil
	}
	if c.solver == nil {
		c.solver = z3.New(st, z3.Options{OneShot: true})
	}
	c.assertFacts()
	status, err := c.check(happens)
	if err != nil {
		return "", err
	}
	if status == smt.Unsat {
		return bySolver, nil
	}
	if !c.solver.Value(soft).IsTrue() {
		return "", c.rejected(hard)
	}
	// The model needs a place that is not covered. Perhaps another does not.
	first := c.happening(uncovered)
	if status, err = c.check(hard, st.Not(soft)); err != nil {
		return "", err
	}
	if status == smt.Sat {
		return "", c.rejected(hard)
	}
	return "", ErrIncomplete{Why: fmt.Sprintf("%s, in %s at %s", first.what, first.f.Name, c.position(first))}
}

// check asks whether all the terms can hold.
func (c *checker) check(ts ...term.ID) (smt.Status, error) {
	for _, t := range ts {
		if c.st.IsFalse(t) {
			return smt.Unsat, nil
		}
	}
	status, err := c.solver.Check(c.ctx, ts...)
	switch {
	case c.ctx.Err() != nil:
		return smt.Unknown, c.ctx.Err()
	case err != nil:
		return smt.Unknown, ErrIncomplete{Why: "Z3 gave up", Err: err}
	case status == smt.Unknown:
		return smt.Unknown, ErrIncomplete{Why: "Z3 gave up", Err: errors.New("no reason given")}
	}
	return status, nil
}

// happening is the first claim, other than of the kinds not wanted, that fails
// in the last model.
func (c *checker) happening(want claimKind) *claim {
	for i := range c.claims {
		if x := &c.claims[i]; (x.kind == uncovered) == (want == uncovered) && c.solver.Value(x.cond).IsTrue() {
			return x
		}
	}
	panic("certify: a model makes a disjunction true, but none of its parts")
}

// rejected is the error that names the first claim that fails in the last model.
func (c *checker) rejected(hard term.ID) error {
	x := c.happening(violation)
	return ErrRejected{What: x.what, Func: x.f.Name, At: c.position(x), Pos: x.f.Values[x.v].Pos}
}

// position is where a claim fails, as text.
func (c *checker) position(x *claim) string {
	at := c.m.PosString(x.f.Values[x.v].Pos)
	if x.model != (ir.Pos{}) {
		at += ", called from " + c.m.PosString(x.model)
	}
	return at
}
