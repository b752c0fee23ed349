// Package contracts decides a question about a program in which functions are their contracts where
// they are called (--use-contracts): the program itself, and for each such function that
// its body keeps the contract.
//
//	(C1) in the program, and in each body, every call satisfies what the contract of the called function requires
//	(C2) each body, started in any state in which its contract's requires holds, violates nothing that is asked, ends
//	     in states in which ensures holds, and writes and frees only what assigns and frees name (package contract)
//
// C1 and C2 together, by induction on the number of calls that have returned, say that no run of the
// program without contracts violates anything: where a run with contracts goes on behind a call, it has all states in which the
// body may return. Nothing is said of whether the bodies return; questions about the end of runs, and about
// what is left allocated, are not asked in this way.
//
// The parts run side by side. A part that is refuted refutes the whole: its run starts in the function, in a state that
// its contract allows. What has no body is assumed to keep its contract, and listed.
package contracts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
	"assay/internal/run/work"
	"assay/internal/user/show"
)

// Part is the program, or the body of a function with a contract.
type Part struct {
	Function string // empty for the program
	Program  *frontend.Program
	Answer   conductor.Answer
	// Vacuous says that no state satisfies what the contract requires.
	Vacuous bool
	begun   bool
	err     error
}

// Outcome is what became of all parts.
type Outcome struct {
	// Decisive is the part whose answer is that of the whole: the one that is refuted, or the program.
	Decisive *Part
	Parts    []*Part // the program first
}

// Proved are the functions whose bodies are proved to keep their contracts.
func (o *Outcome) Proved() (names []string) {
	for _, p := range o.Parts[1:] {
		if _, ok := p.Answer.Verdict.(verdict.True); ok {
			names = append(names, p.Function)
		}
	}
	return names
}

// Warnings are what is to be said of contracts that are proved.
func (o *Outcome) Warnings() (out []string) {
	for _, p := range o.Parts {
		if p.Vacuous {
			out = append(out, "the contract of "+p.Function+" is kept because no call satisfies what it requires: nothing was proved of its body")
		}
	}
	return out
}

// Unclean is the undefined behaviour that was not excluded in the bodies.
func (o *Outcome) Unclean() (out []show.Place) {
	for _, p := range o.Parts[1:] {
		if v, ok := p.Answer.Verdict.(verdict.True); ok {
			out = append(out, show.PlacesOf(p.Answer.Module, v.Unclean)...)
		}
	}
	return out
}

// Refused says why a question is not asked with contracts, empty if it is.
func Refused(q conductor.Question, kinds []ir.CheckKind) string {
	switch {
	case q != conductor.Safety:
		return "with --use-contracts calls are contracts, which do not say that a function returns, nor what it does on the way: " + q.String() + " is not asked of them"
	case slices.Contains(kinds, ir.MemTrack), slices.Contains(kinds, ir.MemCleanup):
		return "with --use-contracts calls are contracts, which do not say what a function leaves allocated: leaks are not asked of them"
	}
	return ""
}

// vacuity is how long it is looked for a state that a contract allows.
const vacuity = 5 * time.Second

// Decide decides the question about the program and about each function that is its contract there. The options are
// those that the program was loaded with.
func Decide(ctx context.Context, o frontend.Options, program *frontend.Program, question conductor.Task) (*Outcome, error) {
	main := &Part{Program: program}
	out := &Outcome{Decisive: main, Parts: []*Part{main}}
	if !o.UseContracts {
		main.Answer = conductor.Decide(ctx, question)
		return out, nil
	}
	if text := Refused(question.Question, question.Targets); text != "" {
		main.Answer = conductor.Answer{Module: program.Module, Verdict: verdict.Unknown{Reasons: []verdict.Reason{{Cause: verdict.CauseUnsupported, Text: text, Hint: "ask without --use-contracts"}}}}
		return out, nil
	}
	known := map[string]bool{}
	for wave := out.open(program, known); len(wave) > 0 && ctx.Err() == nil; wave = out.open(program, known) {
		var engines []schedule.Engine[*Part]
		for _, p := range wave {
			engines = append(engines, schedule.Engine[*Part]{Name: cmp.Or(p.Function, "the program"), Run: func(ctx context.Context) *Part {
				p.decide(ctx, o, question)
				return p
			}})
		}
		r := schedule.Run(ctx, engines, func(p *Part) schedule.Side {
			if _, refuted := p.Answer.Verdict.(verdict.False); refuted && !question.Options.EachCheck {
				return schedule.Fails
			}
			return schedule.Open
		})
		if r.First != nil {
			out.Decisive = r.First.Answer
			return out, nil
		}
	}
	return out, out.join()
}

// open are the parts that nobody has begun: the program, and functions with a body that are contracts in a part. What has no
// body is noted in the program.
func (o *Outcome) open(program *frontend.Program, known map[string]bool) (out []*Part) {
	for i := 0; i < len(o.Parts); i++ {
		p := o.Parts[i]
		if !p.begun {
			p.begun = true
			out = append(out, p)
		}
		if p.Program == nil {
			continue
		}
		for _, c := range p.Program.Contracts {
			switch {
			case known[c.Function]:
				continue
			case c.Defined:
				o.Parts = append(o.Parts, &Part{Function: c.Function})
			default:
				program.Notes = append(program.Notes, frontend.Note{Name: c.Function, Text: "has no body: that it keeps its contract is assumed"})
			}
			known[c.Function] = true
		}
	}
	return out
}

// join makes the answer of the whole.
func (o *Outcome) join() error {
	main := o.Parts[0]
	var open []verdict.Reason
	for _, p := range o.Parts {
		if p.err != nil {
			return p.err
		}
		switch v := p.Answer.Verdict.(type) {
		case verdict.True:
		case verdict.False:
			if o.Decisive.Function == "" {
				o.Decisive = p
			}
			if p == main {
				return nil
			}
		case verdict.Unknown:
			for _, r := range v.Reasons {
				if p != main {
					r = moved(p, r)
				}
				open = append(open, r)
			}
		default:
			open = append(open, verdict.Reason{Cause: verdict.CauseTimeout, Text: "that " + p.Function + " keeps its contract was not decided"})
		}
	}
	if o.Decisive != main || len(open) == 0 {
		return nil
	}
	main.Answer.Verdict = verdict.Unknown{Reasons: open}
	if main.Answer.Module == nil {
		main.Answer.Module = main.Program.Module
	}
	return nil
}

// moved is a reason of a part as one of the whole, whose positions are others.
func moved(p *Part, r verdict.Reason) verdict.Reason {
	r.Text = fmt.Sprintf("that %s keeps its contract is not proved: %s", p.Function, r.Text)
	if r.Pos.Line != 0 && p.Answer.Module != nil {
		r.Text = show.PositionOf(p.Answer.Module, r.Pos).String() + ": " + r.Text
	}
	r.Pos, r.Func = ir.Pos{}, ""
	return r
}

// decide answers the question for the part.
func (p *Part) decide(ctx context.Context, o frontend.Options, question conductor.Task) {
	if p.Function != "" {
		o.Function, o.Obligation, o.HavocGlobals = p.Function, true, true
		o.Arguments, o.NonNull, o.Nullable, o.Assumed, o.Warnings = nil, nil, nil, "", nil
		o.Harness.Infer = false
		loaded, err := frontend.Load(ctx, o)
		if err != nil {
			if ctx.Err() == nil {
				p.err = err
			}
			return
		}
		p.Program = loaded
		question.Module, question.Exact, question.Vectors, question.Assumed = loaded.Module, loaded.Exact, loaded.Vectors, ""
		question.Progress, question.Decided = nil, nil
	}
	p.Answer = conductor.Decide(ctx, question)
	if _, proved := p.Answer.Verdict.(verdict.True); !proved || p.Function == "" {
		return
	}
	o.Vacuous = true
	loaded, err := frontend.Load(ctx, o)
	if err != nil {
		return
	}
	ctx, cancel := work.WithTimeout(ctx, vacuity)
	defer cancel()
	question.Module, question.Exact, question.Vectors = loaded.Module, loaded.Exact, loaded.Vectors
	question.Targets, question.Disputed, question.Options.EachCheck = []ir.CheckKind{ir.Assertion}, nil, false
	_, p.Vacuous = conductor.Decide(ctx, question).Verdict.(verdict.True)
}
