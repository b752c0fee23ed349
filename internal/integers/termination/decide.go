// Package termination decides whether an integer transition system
// fair-terminates: it runs the prover (ranking) and the refuter (refutation) side
// by side, hands what the prover could not do to the refuter, and lets no answer out
// that the independent checker (itscheck) has not accepted.
package termination

import (
	"context"
	"errors"
	"sync"

	"assay/internal/integers/its"
	"assay/internal/integers/ranking"
	"assay/internal/integers/refutation"
	"assay/internal/run/schedule"
)

// Options of Decide; the zero value is the default.
type Options struct {
	Ranking    ranking.Options
	Recurrence refutation.Options
	// Accept checks the evidence, unless Uncertified leaves that out.
	Accept      its.Accept
	Uncertified bool
}

// Answer is Terminates, Diverges or Unknown.
type Answer interface{ isAnswer() }

// Terminates carries the argument that was checked.
type Terminates struct {
	Argument its.RankingArgument
	Stats    Stats
}

// Diverges carries a run that takes fair transitions infinitely often.
type Diverges struct {
	Recurrence its.Recurrence
	Stats      Stats
}

// Unknown says why there is no answer.
type Unknown struct {
	Reasons []string
	// Open are the transitions of which the prover could not show that they are
	// taken finitely often, for people.
	Open  []string
	Stats Stats
}

func (Terminates) isAnswer() {}
func (Diverges) isAnswer()   {}
func (Unknown) isAnswer()    {}

// Stats count the work of both engines.
type Stats struct {
	Ranking    ranking.Stats
	Recurrence refutation.Stats
}

// Decide returns an error only if the system is malformed or its evidence could
// not be checked because of the environment. It panics with a *schedule.Failure if both
// engines are certain.
func Decide(ctx context.Context, s *its.System, o Options) (Answer, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if o.Accept == nil && !o.Uncertified {
		panic("termination: no checker for the evidence")
	}
	d := &decision{s: s, o: o}
	opened := make(chan []ranking.Open, 1) // the first thing that could not be proved
	o.Ranking.Monomials = true
	o.Ranking.OnOpen = func(open []ranking.Open) {
		select {
		case opened <- open:
		default:
		}
	}
	prover := schedule.Engine[schedule.Side]{Name: "ranking", Run: func(inner context.Context) schedule.Side {
		defer close(opened)
		switch r := ranking.Prove(inner, s, o.Ranking).(type) {
		case ranking.Proved:
			if d.proved(ctx, r) {
				return schedule.Holds
			}
		case ranking.Failed:
			d.failed(r)
		}
		return schedule.Open
	}}
	refuter := schedule.Engine[schedule.Side]{Name: "recurrence", Run: func(inner context.Context) schedule.Side {
		open, ok := <-opened
		if !ok {
			return schedule.Open
		}
		ro := o.Recurrence
		ro.Simple, ro.Components = open[0].System, nil
		for _, c := range open {
			ro.Components = append(ro.Components, c.Transitions)
		}
		switch r := refutation.Refute(inner, s, ro).(type) {
		case refutation.Refuted:
			if d.refuted(ctx, r) {
				return schedule.Fails
			}
		case refutation.Failed:
			d.mutex.Lock()
			defer d.mutex.Unlock()
			d.stats.Recurrence = r.Stats
			d.reasons = append(d.reasons, "non-termination: "+r.Reason)
		}
		return schedule.Open
	}}
	schedule.Run(ctx, []schedule.Engine[schedule.Side]{prover, refuter}, func(s schedule.Side) schedule.Side { return s })
	return d.answer()
}

// decision collects what the engines say.
type decision struct {
	s *its.System
	o Options

	mutex      sync.Mutex
	terminates *its.RankingArgument
	diverges   *its.Recurrence
	reasons    []string
	open       []string
	err        error
	stats      Stats
}

// checked says whether evidence is accepted, and records why not.
func (d *decision) checked(ctx context.Context, what string, e its.Evidence) bool {
	if d.o.Uncertified {
		return true
	}
	err := d.o.Accept(ctx, d.s, e)
	if err == nil {
		return true
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var rejected *its.Rejected
	switch {
	case errors.As(err, &rejected):
		d.reasons = append(d.reasons, what+": "+rejected.Error())
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		d.reasons = append(d.reasons, what+": out of time while checking the evidence")
	default:
		d.err = err
	}
	return false
}

func (d *decision) proved(ctx context.Context, r ranking.Proved) bool {
	ok := d.checked(ctx, "termination", r.Argument)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.stats.Ranking = r.Stats
	if ok {
		d.terminates = &r.Argument
	}
	return ok
}

func (d *decision) refuted(ctx context.Context, r refutation.Refuted) bool {
	ok := d.checked(ctx, "non-termination", r.Evidence)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.stats.Recurrence = r.Stats
	if ok {
		d.diverges = &r.Evidence
	}
	return ok
}

func (d *decision) failed(r ranking.Failed) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.stats.Ranking = r.Stats
	d.reasons = append(d.reasons, "termination: "+r.Reason)
	for _, o := range r.Open {
		for _, i := range o.Transitions {
			d.open = append(d.open, o.System.Format(&o.System.Transitions[i]))
		}
	}
}

func (d *decision) answer() (Answer, error) {
	switch {
	case d.terminates != nil:
		return Terminates{*d.terminates, d.stats}, nil
	case d.diverges != nil:
		return Diverges{*d.diverges, d.stats}, nil
	case d.err != nil:
		return nil, d.err
	}
	return Unknown{d.reasons, d.open, d.stats}, nil
}
