package conductor

import (
	"cmp"
	"context"
	"slices"
	"time"

	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/run/pause"
	"assay/internal/run/work"
)

// This file asks all engines about the checks of a program that is decided check by check
// (Options.EachCheck). Engines answer questions about sets of checks: whether no run violates any.
// The first set is all of them; a set that is not decided in its time is divided, first by kinds, then
// in halves, and the parts are asked about with more time.
//
//	(1) A proof for a set is one for each of its checks.
//	(2) A violation is one of one check: its run is made again in the whole program, which goes on behind other
//	    violations, and must meet the check. The others of the set are asked about again, without it.
//	(3) A check that is an instruction of its own, and decided or in another set, is left out of a question by making
//	    its condition true.
//	    Checks that are part of an operation (an access, a division) cannot be left out: a question that asks for
//	    a kind of these asks for all of the kind.
//	(4) A proof speaks of runs that go on behind violations that are not asked about, as it does with a
//	    property that asks for the kind only.

// A question about all checks together (without Options.EachCheck) is divided in the same way, beside the engines
// that work on the whole: proveParts. What abstract interpretation excludes is proved first and leaves the question.
// Only proofs count there, for the whole has its own search for violations.

// firstSet is the time for the first set; it is four times as much for the next ones.
const firstSet = 2 * time.Second

// partsDelay is how long the engines work on the whole alone, for each instruction: parts of a long program are long questions.
const partsDelay = 200 * time.Microsecond

// sets divides the checks of a program.
type sets struct {
	r     *run
	m     *ir.Module
	stats Stats
	why   []verdict.Reason // why the engines did not decide the last set
	last  Answer           // the last one that decided something
	// whole is the run about all checks together, if only its answer is wanted; found is the violation that ends it.
	whole *run
	found *verdict.False
}

// askTogether decides checks as far as the engines decide sets of them.
func (r *run) askTogether(ctx context.Context, m *ir.Module) Reply {
	s := &sets{r: r, m: m}
	s.ask(ctx, [][]verdict.Site{r.sites(m)})
	a := Reply{Stats: s.stats, Verdict: verdict.Unknown{Reasons: s.why}}
	if len(r.open(m)) == 0 && s.last.Verdict != nil {
		a.Verdict, a.About = s.last.Verdict, s.last.Module
		if found := r.known.violations(); len(found) > 0 {
			a.Verdict, a.About = found[0].Verdict, m
		}
	}
	return a
}

// proveParts proves the checks of a program in parts, each with a certificate of its own, whose conjunction is a proof:
// what abstract interpretation and induction prove of them one by one, and the rest in sets. There is nothing to do if the checks
// cannot be divided.
func (r *run) proveParts(ctx context.Context, m *ir.Module) Reply {
	none := func(why ...verdict.Reason) Reply {
		return unknown(append(why, verdict.Reason{Cause: verdict.CauseUnwinding, Text: "parts: not every check was proved"})...)
	}
	sub := r.with(func(t *Task) {
		t.Targets, t.Disputed = slices.Concat(r.Targets, r.Disputed), nil // a proof is one of both
		t.Options.EachCheck, t.Options.Parts, t.Options.beside = true, false, true
		t.Progress, t.Decided = nil, nil
	})
	s := &sets{r: sub, m: m, whole: r}
	behind := doomedOf(m, sub.Targets)
	if len(s.divide(slices.DeleteFunc(slices.Clone(sub.sites(m)), behind.has))) < 2 { // one question, which all engines are at
		return none()
	}
	if !work.Counted(ctx) {
		select {
		case <-time.After(partsDelay * time.Duration(instructions(m))):
		case <-ctx.Done():
			return none()
		}
	}
	ctx = pause.With(ctx) // a certificate of a part does not end the run, so the others go on beside it
	a := sub.inductEachBeside(ctx, m, r)
	if !sub.allProved(m) && ctx.Err() == nil {
		s.ask(ctx, s.divide(sub.sites(m)))
	}
	a.Stats.add(&s.stats)
	switch {
	case s.found != nil:
		a.Verdict = *s.found
	case !sub.allProved(m):
		return none(s.why...)
	case r.Options.Uncertified:
		a.Verdict = verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}}
	default:
		a.Verdict, a.About = sub.known.whole()
	}
	return a
}

// instructions is how many a program has, library models included.
func instructions(m *ir.Module) (n int) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			n += len(b.Instrs)
		}
	}
	return n
}

// whole is the proof that the proofs of all checks are together. If it is one of them, about is the program that it is
// about; parts name theirs.
func (t *checkTable) whole() (proof verdict.True, about *ir.Module) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.parts) == 1 {
		return t.parts[0].True, t.parts[0].Program
	}
	out, all := verdict.True{}, &verdict.Several{}
	for _, p := range t.parts {
		all.Parts = append(all.Parts, verdict.Part{Program: p.Program, Certificate: p.Certificate})
		for _, g := range p.Unclean {
			if !slices.Contains(out.Unclean, g) {
				out.Unclean = append(out.Unclean, g)
			}
		}
	}
	out.Certificate = all
	return out, nil
}

// ask asks about sets, and about their parts with more time.
func (s *sets) ask(ctx context.Context, open [][]verdict.Site) {
	for limit := firstSet; len(open) > 0 && ctx.Err() == nil && s.found == nil; limit *= 4 {
		var hard [][]verdict.Site
		for i, set := range open {
			if s.found != nil {
				return
			}
			single := len(hard) == 0 && i == len(open)-1 && len(s.divide(set)) == 1
			limited, stop := ctx, context.CancelFunc(func() {})
			if !single {
				limited, stop = work.WithTimeout(ctx, limit)
			}
			decided := s.decide(limited, set)
			late := limited.Err() != nil
			stop()
			if parts := s.divide(set); !decided && (late || len(parts) > 1) {
				hard = append(hard, parts...)
			}
		}
		open = hard
	}
}

// decide asks about those of a set that are open. It says whether none is afterwards, or nothing more can be asked.
func (s *sets) decide(ctx context.Context, set []verdict.Site) bool {
	for {
		question, kinds, asked := s.question(set)
		if len(asked) == 0 {
			return true
		}
		sub := s.r.with(func(t *Task) {
			t.Module, t.Exact, t.Vectors, t.Targets, t.Decided = question, nil, nil, kinds, nil
			if question == s.m {
				t.Exact, t.Vectors = s.r.Exact, s.r.Vectors
			}
			if !slices.Contains(kinds, ir.Overflow) {
				t.Disputed = nil
			}
			t.Options.EachCheck, t.Options.Parts, t.Options.beside, t.Options.proving = false, false, true, s.whole != nil
		})
		soon, stop := s.whileOpen(ctx, asked)
		a, _ := sub.play(soon, question)
		decided := soon.Err() != nil && ctx.Err() == nil
		stop()
		s.stats.add(&a.Stats)
		switch v := a.Verdict.(type) {
		case verdict.True:
			a.Verdict = s.r.asPart(v)
			s.last = a
			var others []verdict.Site
			for _, x := range s.r.sites(s.m) {
				if !slices.Contains(asked, x) {
					others = append(others, x)
				}
			}
			s.r.prove(ctx, s.m, part{v, a.Module}, others, "together", false)
			return true
		case verdict.False:
			if s.whole != nil {
				s.found, _ = s.whole.replayed(ctx, s.m, v)
				return false
			}
			if !s.refuted(ctx, v, asked) {
				return true
			}
			s.last = a
		case verdict.Unknown:
			if !decided {
				s.why = v.Reasons
				return false
			}
		}
	}
}

// whileOpen is a context that ends when none of the checks is open, whoever decides them.
func (s *sets) whileOpen(ctx context.Context, asked []verdict.Site) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	t := &s.r.known
	t.mu.Lock()
	t.asked, t.stop = asked, stop
	t.mu.Unlock()
	s.r.decidedOne()
	return ctx, stop
}

// decidedOne ends a question about checks that are decided.
func (r *run) decidedOne() {
	t := &r.known
	t.mu.Lock()
	asked, stop := t.asked, t.stop
	t.mu.Unlock()
	if stop != nil && !slices.ContainsFunc(asked, func(x verdict.Site) bool { return !r.isProved(x) && !r.isRefuted(x) }) {
		stop()
	}
}

// refuted notes the check of those asked about that a run violates. It says whether the run is one of the whole program.
func (s *sets) refuted(ctx context.Context, v verdict.False, asked []verdict.Site) bool {
	label := ""
	if slices.Contains(s.r.Targets, ir.ErrorLabel) {
		label = cmp.Or(s.r.Label, "ERROR")
	}
	found := false
	_, err := interp.Run(ctx, s.m, interp.Options{Oracle: interp.Replay(v.Input), MaxSteps: replaySteps, Accelerate: true, StopAt: func(e interp.Event) bool {
		g, broken := verdict.Broken(e, label)
		if !broken || g.Kind != v.Violation.Kind || g.Func != v.Violation.Func || g.Pos != v.Violation.Pos {
			return false
		}
		if !slices.Contains(asked, verdict.Site{Func: g.Func, Value: e.Value, Kind: g.Kind}) {
			return false // another check at the same place, as those of a macro are
		}
		found = true
		g.Pos = e.State.UserPos(e.Pos) // a check of a library model is that of the call
		s.r.violated(s.m, bmc.CheckResult{Guard: g, Value: e.Value, Verdict: v})
		return true
	}})
	return found && err == nil
}

// question is the program with those checks of a set that are open, and with their kinds; asked are the checks that an answer
// is about, none if there is nothing to ask.
func (s *sets) question(set []verdict.Site) (m *ir.Module, kinds []ir.CheckKind, asked []verdict.Site) {
	open := map[verdict.Site]bool{}
	inseparable := map[ir.CheckKind]bool{} // kinds with a check that is refuted, and cannot be left out
	for _, x := range s.r.sites(s.m) {
		switch {
		case s.r.isRefuted(x) && !s.separable(x):
			inseparable[x.Kind] = true
		case !s.r.isRefuted(x) && !s.r.isProved(x):
			open[x] = true
		}
	}
	in := map[verdict.Site]bool{}
	for _, x := range set {
		if open[x] && !inseparable[x.Kind] {
			in[x] = true
			if !slices.Contains(kinds, x.Kind) {
				kinds = append(kinds, x.Kind)
			}
		}
	}
	m = s.m
	copied := map[string]*ir.Func{}
	for _, x := range s.r.sites(s.m) {
		switch {
		case !slices.Contains(kinds, x.Kind), in[x]:
		case s.separable(x):
			if m == s.m {
				c := *s.m
				c.Funcs = slices.Clone(s.m.Funcs)
				m = &c
			}
			leaveOut(m, copied, x)
			continue
		case !s.r.isProved(x):
			in[x] = true // of a kind that is asked for as a whole
		}
		if in[x] {
			asked = append(asked, x)
		}
	}
	return m, kinds, asked
}

// separable says that a check can be left out of a question.
func (s *sets) separable(x verdict.Site) bool {
	return s.m.Func(x.Func).Def(x.Value).Op == ir.Check
}

// leaveOut makes the condition of a check true.
func leaveOut(m *ir.Module, copied map[string]*ir.Func, x verdict.Site) {
	f := copied[x.Func]
	if f == nil {
		old := m.Func(x.Func)
		c := *old
		f = &c
		f.Values, f.Blocks = slices.Clone(old.Values), slices.Clone(old.Blocks)
		copied[x.Func] = f
		m.Funcs[slices.Index(m.Funcs, old)] = f
	}
	always := (&ir.Editor{Module: m, Func: f}).Number(1, 1)
	f.Values[x.Value].Args = []ir.Value{always}
}

// divide makes several sets of those of a set that are open: by kinds, or else in halves; one if it cannot be divided.
func (s *sets) divide(set []verdict.Site) (parts [][]verdict.Site) {
	var kinds []ir.CheckKind
	byKind := map[ir.CheckKind][]verdict.Site{}
	whole := false
	for _, x := range set {
		if s.r.isProved(x) || s.r.isRefuted(x) {
			continue
		}
		if byKind[x.Kind] == nil {
			kinds = append(kinds, x.Kind)
		}
		byKind[x.Kind] = append(byKind[x.Kind], x)
		whole = whole || !s.separable(x)
	}
	switch {
	case len(kinds) > 1:
		for _, k := range kinds {
			parts = append(parts, byKind[k])
		}
	case len(kinds) == 1 && !whole && len(byKind[kinds[0]]) > 1:
		open := byKind[kinds[0]]
		parts = [][]verdict.Site{open[:len(open)/2], open[len(open)/2:]}
	case len(kinds) == 1:
		parts = [][]verdict.Site{byKind[kinds[0]]}
	}
	return parts
}
