// Package spacer decides transition systems by Spacer, the engine for Horn clauses
// in Z3 [KomuravelliGurfinkelChaki14: A. Komuravelli, A. Gurfinkel, S. Chaki.
// SMT-Based Model Checking for Recursive Programs. CAV 2014]: IC3 whose lemmas are
// over words and not over bits.
//
// Package chc makes the clauses, twice: over the integers, where lemmas are linear
// inequalities, and over bit-vectors, which is exact always, but where Spacer of
// Z3 4.8 generalises less. Both are asked side by side. What Spacer finds is only a claim: its invariants are
// formulas that package inductive or package certify check, and that a bad state is
// reachable somebody else has to find out again.
package spacer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/finite/ts/chc"
	"assay/internal/logic/smt/z3"
	"assay/internal/run/schedule"
)

// Task is a system that was made ready: the clauses, as texts.
type Task struct {
	problems []*chc.Problem
	names    []string
}

// New makes the clauses. It adds terms to the store of the system.
func New(s *ts.System) (*Task, error) {
	t := &Task{}
	for _, o := range []struct {
		name string
		chc.Options
	}{{"integers", chc.Options{Integers: true, Split: true}}, {"bit-vectors", chc.Options{Split: true}}} {
		p, err := chc.Encode(s, o.Options)
		if err != nil {
			return nil, err
		}
		t.problems, t.names = append(t.problems, p), append(t.names, o.name)
	}
	return t, nil
}

// Claim is what Spacer says.
type Claim struct {
	// Reachable says that a bad state is reachable, if Spacer is right. Otherwise
	// there is a model of the clauses.
	Reachable  bool
	Arithmetic string // integers or bit-vectors
	problem    *chc.Problem
	model      string
}

// ErrUnknown says that Spacer gave up.
var ErrUnknown = errors.New("Spacer has no answer")

// Run asks Spacer, and returns when both questions have come to an end. It only reads
// the system. The error is the context's, smt.ErrMemory, ErrUnknown, or Z3's.
func (t *Task) Run(ctx context.Context) (*Claim, error) {
	type answer struct {
		claim *Claim
		err   error
	}
	var engines []schedule.Engine[answer]
	for i, p := range t.problems {
		engines = append(engines, schedule.Engine[answer]{Name: t.names[i], Run: func(ctx context.Context) answer {
			c, err := ask(ctx, p)
			if err == nil && c.Reachable && !p.Exact {
				c, err = nil, fmt.Errorf("%w: the run that it found over the integers may be none", ErrUnknown)
			}
			if c != nil {
				c.Arithmetic = t.names[i]
			}
			return answer{c, err}
		}})
	}
	r := schedule.Run(ctx, engines, func(a answer) schedule.Side {
		// Two claims may differ: Z3 is not trusted, and what others check decides.
		if a.claim != nil {
			return schedule.Stuck
		}
		return schedule.Open
	})
	var err error
	for _, o := range r.Outcomes {
		if o.Answer.claim != nil {
			return o.Answer.claim, nil
		}
		if err == nil {
			err = o.Answer.err
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, err
}

// ask has one problem solved.
func ask(ctx context.Context, p *chc.Problem) (*Claim, error) {
	s, err := z3.NewScript()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	out, err := s.Eval(ctx, "(set-option :fp.engine spacer)\n"+p.Text+"(check-sat)\n")
	if err != nil {
		return nil, err
	}
	switch strings.TrimSpace(out) {
	case "unsat":
		return &Claim{Reachable: true, problem: p}, nil
	case "sat":
		model, err := s.Eval(ctx, "(get-model)\n")
		if err != nil {
			return nil, err
		}
		return &Claim{problem: p, model: strings.Clone(model)}, nil
	}
	return nil, ErrUnknown
}

// Invariant is what a claim that no bad state is reachable rests on. It adds terms
// to the store of the system. The error says that the model cannot be read.
func (c *Claim) Invariant() (*ts.Invariant, error) {
	formulas, err := c.problem.Solution(c.model)
	if err != nil {
		return nil, err
	}
	return &ts.Invariant{Prefix: c.problem.Prefix, K: 1, Formulas: formulas}, nil
}
