// Package schedule runs engines side by side on one question. It is the only place
// that starts an engine in a goroutine.
//
// An engine is a line of a table: a name, when it begins, how long it may run, and a
// function. The function returns when it has an answer, when it gives up, or soon after
// its context has ended. What an answer says is judged by the caller: it holds, it
// fails, it is open, or it is stuck, which means that the other engines can have no
// answer either.
//
// The rules:
//
//	(1) Run returns when every engine has returned. No goroutine is left behind.
//	(2) The first answer that decides ends the other engines. They are waited for, and
//	    what they say in the end is still compared with it.
//	(3) An engine that has not begun when the run is decided never begins.
//	(4) A panic of an engine is a bug, and so are two answers that contradict each
//	    other. Then there is no answer: Run panics with a *Failure, in the goroutine of
//	    its caller, with the stack of the engine. An engine may call Run itself; a
//	    *Failure passes through all levels unchanged.
//
// Where time is work (package work) they run one after the other: serial.go.
//
// The table may be data, and the same engine may be in several tables: what is shared
// between engines is up to their functions.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/internal/run/work"
)

// Engine is a line of the table.
type Engine[A any] struct {
	Name string
	// Start is how long the other engines run before it begins; see (*start).wait.
	Start time.Duration
	// Limit is how long it may run; 0 is as long as the run.
	Limit time.Duration
	// Share is the part of its time in which it works, and does not rest, once it has worked for Burst; 0 is all. If Behind is the
	// name of an engine, it rests only while that works. See ration.go.
	Share  float64
	Burst  time.Duration
	Behind string
	// Stays lets it go on when another engine has found that the property holds: it is
	// wanted for what it finds on the way.
	Stays bool
	Run   func(ctx context.Context) A
}

// Side is what an answer says.
type Side uint8

// The sides.
const (
	Open  Side = iota // nothing
	Stuck             // nothing, and the other engines need not go on
	Holds
	Fails
)

func (s Side) String() string { return [...]string{"open", "stuck", "holds", "fails"}[s] }

// decides says whether the question is answered.
func (s Side) decides() bool { return s == Holds || s == Fails }

// Outcome is what became of an engine.
type Outcome[A any] struct {
	Name string
	// Began is false if the run was over before; then Answer is the zero value.
	Began bool
	// Cut says that it did not begin, or was ended because another engine had an
	// answer, or was stuck: what it says then is not used.
	Cut    bool
	Answer A
	Side   Side
	Time   time.Duration
}

// Result is what became of all engines.
type Result[A any] struct {
	// Outcomes are in the order of the table.
	Outcomes []Outcome[A]
	// First is the answer that came first of those that decide, nil if there is none.
	First *Outcome[A]
}

// Of is the outcome of an engine by its name, nil if it is not in the table.
func (r *Result[A]) Of(name string) *Outcome[A] {
	for i := range r.Outcomes {
		if r.Outcomes[i].Name == name {
			return &r.Outcomes[i]
		}
	}
	return nil
}

// errDecided is the cause of a context that ended because another engine has an answer.
var errDecided = errors.New("another engine has an answer")

// Decided says whether a context of an engine ended because another engine decided, and
// not because the time was over.
func Decided(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errDecided) }

// Run runs the engines of a table. The judge is called in the goroutine of the caller.
func Run[A any](ctx context.Context, engines []Engine[A], judge func(A) Side) Result[A] {
	if work.Counted(ctx) {
		return serial(ctx, engines, judge)
	}
	r := Result[A]{Outcomes: make([]Outcome[A], len(engines))}
	own := make([]context.Context, len(engines))
	stop := make([]context.CancelCauseFunc, len(engines))
	type returned struct {
		index   int
		failure *Failure
	}
	done := make(chan returned, len(engines))
	first := newStart()
	for i := range engines {
		own[i], stop[i] = context.WithCancelCause(named(ctx, engines[i].Name))
		defer stop[i](nil)
		r.Outcomes[i].Name = engines[i].Name
		go func() {
			failure := engines[i].run(own[i], first, &r.Outcomes[i])
			done <- returned{i, failure}
		}()
	}
	var failure *Failure
	for range engines {
		x := <-done
		o := &r.Outcomes[x.index]
		switch {
		case x.failure != nil:
			if failure == nil {
				failure = x.failure
			}
		case o.Began:
			o.Side = judge(o.Answer)
		}
		o.Cut = !o.Began || o.Side == Open && Decided(own[x.index])
		if o.Began {
			note(own[x.index], o.Side, o.Answer, x.failure)
		}
		if o.Side.decides() && failure == nil {
			if r.First == nil {
				r.First = o
			} else if r.First.Side != o.Side {
				failure = &Failure{Engine: path(ctx), Value: fmt.Sprintf("%s and %s contradict each other: one says that the property %s, the other that it %s",
					r.First.Name, o.Name, r.First.Side, o.Side)}
			}
		}
		if failure == nil && o.Side == Open {
			continue
		}
		for i := range engines {
			if failure != nil || o.Side != Holds || !engines[i].Stays {
				stop[i](errDecided)
			}
		}
	}
	if failure != nil {
		panic(failure)
	}
	return r
}

// run waits for the start of an engine, and runs it.
func (e *Engine[A]) run(ctx context.Context, first *start, o *Outcome[A]) (failure *Failure) {
	defer func() {
		if p := recover(); p != nil {
			failure = Recovered(ctx, p)
		}
	}()
	if !first.wait(ctx, e.Start) {
		return nil
	}
	defer first.works(e.Name, e.Share > 0)()
	if e.Limit > 0 {
		var stop context.CancelFunc
		ctx, stop = work.WithTimeout(ctx, e.Limit)
		defer stop()
	}
	if e.Share > 0 {
		var stop func()
		ctx, stop = first.rationed(ctx, e.Share, e.Burst, e.Behind)
		defer stop()
	}
	o.Began = true
	Say(ctx, Began, "")
	begin := time.Now()
	defer func() { o.Time = time.Since(begin) }()
	o.Answer = e.Run(ctx)
	return nil
}
