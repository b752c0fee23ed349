package certify

import (
	"context"
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
	"assay/internal/transform/recursion"
)

// This file checks certificates of runs that do not end [Chen14]: inputs, and an
// induction by which no run with these inputs ends.
//
// The program is encoded as for any induction (induction.go), with three
// differences: an instruction that reads an input that is fixed yields the constant;
// there are no targets, but the end of a run is a violation, whatever ends it (return
// from the entry, exit, abort, unreachable code); and so is an assumption that does
// not hold, which is then assumed, as after any violation. The sweep lays out every
// other way a run can go on, so by the soundness of the induction no run with these
// inputs has a last step.
//
// With Options.Fair, such a run must execute ir.Accept infinitely often, too. A second
// induction shows that each iteration of each loop does (everyIteration), with the predicates of
// the first one; there must be no recursion.
//
// Which instructions are inputs is decided here again: values of Nondet, except those
// with which library models over-approximate, and pointers only as null.

// instruction names an instruction of the program.
type instruction struct {
	f string
	v ir.Value
}

// fixedInputs is what a certificate fixes.
type fixedInputs struct {
	fixed map[instruction]verdict.Skolem
}

// Endless checks the certificate of a run that does not end. The string names who
// accepted. The error is nil, the context's, an ErrRejected or an ErrIncomplete. Of the
// options, only Engine, Strict and Fair count.
func Endless(ctx context.Context, m *ir.Module, o Options, set *verdict.RecurrentSet) (checker string, err error) {
	entry := m.Func(m.Entry)
	if entry == nil || entry.IsDecl() {
		return "", ErrIncomplete{Why: fmt.Sprintf("the entry function %q has no body", m.Entry)}
	}
	fixed := map[instruction]verdict.Skolem{}
	for _, s := range set.Inputs {
		k := instruction{s.Func, s.Value}
		if _, twice := fixed[k]; twice {
			return "", ErrIncomplete{Why: fmt.Sprintf("an input of %s is fixed twice", s.Func)}
		}
		if why := unfixable(m, s); why != "" {
			return "", ErrIncomplete{Why: fmt.Sprintf("value %d of %s cannot be fixed: %s", s.Value, s.Func, why)}
		}
		fixed[k] = s
	}
	if o.Fair {
		if f := recursion.Left(m); f != nil {
			return "", ErrIncomplete{Why: fmt.Sprintf("a run that calls %s for ever need not execute Accept", f.Name)}
		}
		every := Options{Targets: []ir.CheckKind{ir.Decrease}, Engine: o.Engine, Strict: o.Strict}
		if _, err := Induction(ctx, everyIteration(m, fixed), every, set.Proof); err != nil {
			return "", err
		}
	}
	ind, err := newInduction(m, set.Proof, false)
	if err != nil {
		return "", err
	}
	ind.endless = &fixedInputs{fixed}
	o = Options{Engine: o.Engine, Strict: o.Strict}
	for range maxRounds {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if done, checker, err := ind.round(ctx, m, o, entry); done || err != nil {
			return checker, err
		}
	}
	return "", ErrIncomplete{Why: fmt.Sprintf("what the loops change is not known after %d encodings", maxRounds)}
}

// unfixable says why an input may not be chosen, if it may not.
func unfixable(m *ir.Module, s verdict.Skolem) string {
	f := m.Func(s.Func)
	if f == nil || f.IsDecl() || s.Value < 1 || int(s.Value) >= len(f.Values) {
		return "there is no such value"
	}
	d := &f.Values[s.Value]
	switch {
	case d.Op != ir.Nondet:
		return "it is no input"
	case ir.NondetKind(d.Aux) == ir.NondetApproximate:
		return "it is over-approximated"
	case d.Type.Bits != s.Bits.Width():
		return "the constant has another width"
	case d.Type.Kind == ir.Ptr && !s.Bits.IsZero():
		return "it is a pointer"
	}
	return ""
}

// endless is what the certificate under check fixes, nil if it is not about runs that
// do not end.
func (c *checker) endless() *fixedInputs {
	if c.induction == nil {
		return nil
	}
	return c.induction.endless
}

// fixed is the value of an input, if it is fixed.
func (c *checker) fixed(fr *frame, d *ir.Def, v ir.Value) (value, bool) {
	e := c.endless()
	if e == nil {
		return value{}, false
	}
	s, ok := e.fixed[instruction{fr.fn.f.Name, v}]
	if !ok {
		return value{}, false
	}
	x := c.st.Const(s.Bits)
	if d.Type.Kind == ir.Ptr {
		return value{Value: c.sp.IntToPtr(x)}, true
	}
	return bitsValue(x), true
}

// stopped claims that the run does not stop here under a condition.
func (c *checker) stopped(fr *frame, v ir.Value, cond term.ID, what string) {
	if c.endless() != nil {
		c.claim(violation, fr, c.st.And(fr.guard, cond), v, "%s", what)
	}
}
