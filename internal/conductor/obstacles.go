package conductor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/work"
	"assay/internal/transform/cut"
)

// This file says why there is no answer: from what the engines say, those that gave up and
// those that were still at work, it makes a list that a person can act on.
//
//	(1) Engines whose time was over have one line together. It is about the first check, or
//	    loop, of the program that is open, and has what is known of all checks.
//	(2) What names a place comes before what does not. Engines that are quiet are heard if
//	    they name one, and come last.
//	    Asked whether the program ends, what names no place is about its first loop.
//	(3) A line about a place in a loop has what is proved of that loop.
//	(4) Each line says what one can do: what the engine knows, or what helps against its cause.
//
// The same list is made while the engines run, for those who have to end them.

// heard is what an engine has said.
type heard struct {
	engine  *Engine
	reasons []verdict.Reason
	// atWork says that it has not come to an end.
	atWork bool
}

// began notes that an engine runs on a module; the returned function, that it came to an end.
func (r *run) began(m *ir.Module, e *Engine) (ended func(Reply)) {
	r.said.mu.Lock()
	r.said.list = append(r.said.list, heard{engine: e, atWork: true})
	i := len(r.said.list) - 1
	r.said.mu.Unlock()
	return func(a Reply) {
		r.said.mu.Lock()
		if u, ok := a.Verdict.(verdict.Unknown); ok {
			r.said.list[i].reasons = u.Reasons
		}
		r.said.list[i].atWork = false
		if r.said.end != nil {
			close(r.said.end)
			r.said.end = nil
		}
		r.said.mu.Unlock()
		r.tell(m)
	}
}

// awaitEnd waits until an engine that is at work comes to an end, for a time. Where time is work it is not at work.
func (r *run) awaitEnd(ctx context.Context, engine string, limit time.Duration) {
	if work.Counted(ctx) {
		return
	}
	ctx, stop := work.WithTimeout(ctx, limit)
	defer stop()
	for ctx.Err() == nil {
		r.said.mu.Lock()
		atWork := slices.ContainsFunc(r.said.list, func(x heard) bool { return x.engine.Name == engine && x.atWork })
		if r.said.end == nil {
			r.said.end = make(chan struct{})
		}
		end := r.said.end
		r.said.mu.Unlock()
		if !atWork {
			return
		}
		select {
		case <-end:
		case <-ctx.Done():
		}
	}
}

// obstacles is the list. If somebody ends the engines that are at work, stopped says why.
func (r *run) obstacles(m *ir.Module, list []heard, stopped *verdict.Reason) []verdict.Reason {
	var main, others []verdict.Reason
	var late []string
	var open *verdict.Reason
	for _, x := range list {
		loud := r.alone || !x.engine.Quiet
		if x.atWork {
			if loud {
				late = append(late, x.engine.Name)
			}
			continue
		}
		for _, y := range x.reasons {
			switch {
			case y.Checks != nil && open == nil:
				open = &y
			case y.Cause == verdict.CauseTimeout && y.Pos == (ir.Pos{}):
				if loud {
					late = append(late, howFar(x.engine.Name, y.Text))
				}
			case loud:
				main = append(main, y)
			case y.Pos != (ir.Pos{}):
				others = append(others, y)
			}
		}
	}
	var end []verdict.Reason
	switch {
	case len(late) > 0 || stopped != nil:
		end = append(end, r.timeOver(m, open, late, stopped))
	case open != nil:
		others = append([]verdict.Reason{*open}, others...)
	}
	placeless := func(x verdict.Reason) int {
		if x.Pos == (ir.Pos{}) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(main, func(a, b verdict.Reason) int { return cmp.Compare(placeless(a), placeless(b)) })
	at := slices.IndexFunc(main, func(x verdict.Reason) bool {
		return x.Cause != verdict.CauseTimeout && x.Cause != verdict.CauseUnsupported
	})
	if at < 0 {
		at = len(main)
	}
	all := slices.Concat(main[:at], end, main[at:], others)
	if r.Question != Safety {
		if l, _ := firstLoop(m); l != nil {
			for i := range all {
				if all[i].Pos == (ir.Pos{}) {
					all[i].Func, all[i].Pos = l.Func.Name, l.Pos()
				}
			}
		}
	}
	out := distinct(all)
	for i := range out {
		out[i].Known = r.knownAt(m, &out[i])
		out[i].Hint = cmp.Or(out[i].Hint, r.hint(out[i].Cause))
	}
	return out
}

// boundIt is what helps where a proof about runs of any length is out of reach.
const boundIt = "bound what it runs over (a size, a length, by an assumption): then unwinding or following paths comes to an end"

// hint is what one can do about an obstacle of which the engine knows nothing better.
func (r *run) hint(c verdict.Cause) string {
	switch c {
	case verdict.CauseInexact:
		return "if it cannot happen, say why: an assertion before it, or an invariant of the loop around it (__CPROVER_loop_invariant), which is proved, too"
	case verdict.CauseSolver, verdict.CauseUncertified, verdict.CauseMemory:
		return "ask about less: fewer bytes of input, one function (--function), one property"
	case verdict.CauseUnsupported, verdict.CauseUnwinding, verdict.CauseUnranked:
		if r.Question != Safety { // of safety engines say whether the program or its loops are in their way
			return "bound what the loops run over (a size, a length, by an assumption), or ask about one function (--function)"
		}
	}
	return ""
}

// distinct drops repetitions.
func distinct(rs []verdict.Reason) []verdict.Reason {
	var out []verdict.Reason
	for _, r := range rs {
		if !slices.ContainsFunc(out, func(x verdict.Reason) bool { return x.Cause == r.Cause && x.Pos == r.Pos && x.Text == r.Text }) {
			out = append(out, r)
		}
	}
	return out
}

// howFar is the name of an engine, and how far it came in its time.
func howFar(engine, text string) string {
	if _, far, found := strings.Cut(text, "; "); found {
		return engine + " (" + far + ")"
	}
	return engine
}

// timeOver is the line about engines whose time was over. What abstract interpretation says of
// the checks is in open; without it, those that nobody has proved are open.
func (r *run) timeOver(m *ir.Module, open *verdict.Reason, late []string, stopped *verdict.Reason) verdict.Reason {
	out := verdict.Reason{Cause: verdict.CauseTimeout, Text: "the time limit was reached"}
	if stopped != nil {
		out = *stopped
	}
	out.Hint = cmp.Or(out.Hint, "allow more with --timeout")
	switch r.Question {
	case Safety:
		var checks *verdict.CheckCount
		if open != nil && len(open.Checks.Open) > 0 {
			checks = open.Checks
		} else {
			checks = r.openChecks(m)
		}
		if r.known.unwound.Load() {
			checks = r.withoutStraight(m, checks)
		}
		if n := len(checks.Open); n > 0 {
			i := r.foremost(m, checks)
			x, of := checks.Open[i], "one"
			if i == 0 {
				of = "the first"
			}
			out.Func, out.Pos, out.Checks = x.Func, x.Pos, checks
			out.Text += "; it is open whether this can happen: " + x.Text
			if n > 1 {
				out.Text += fmt.Sprintf(" (%s of %d open checks)", of, n)
			}
			out.Hint += ", or ask about less: fewer bytes of input, one function (--function), one property"
		}
	default:
		r.said.mu.Lock()
		loops := withPlace(r.said.loops)
		r.said.mu.Unlock()
		l, n := firstLoop(m)
		of := fmt.Sprintf("one of %d", n)
		if len(loops) > 0 && len(loops) < n {
			l, of = loops[0], fmt.Sprintf("the first of %d without ranking functions, of %d", len(loops), n)
		}
		if l != nil {
			out.Func, out.Pos = l.Func.Name, l.Pos()
			out.Text += "; it is open whether this loop ends, " + of
			out.Hint += ", or ask about one function (--function)"
		}
	}
	if len(late) > 0 {
		out.Text += "; at work: " + strings.Join(late, ", ")
	}
	return out
}

// firstLoop is the first loop of the program that has a place, nil if there is none, and how many have one.
func firstLoop(m *ir.Module) (*cut.Loop, int) {
	loops, err := cut.Loops(m)
	if err != nil {
		return nil, 0
	}
	loops = withPlace(loops)
	if len(loops) == 0 {
		return nil, 0
	}
	return loops[0], len(loops)
}

// withPlace are the loops that have a place in the program.
func withPlace(loops []*cut.Loop) (out []*cut.Loop) {
	for _, l := range loops {
		if !l.Func.Model && l.Pos().Line != 0 {
			out = append(out, l)
		}
	}
	return out
}

// openChecks are the checks of the program that nobody has proved so far.
func (r *run) openChecks(m *ir.Module) *verdict.CheckCount {
	out := &verdict.CheckCount{}
	proved, _, _ := look[ProvedChecks](r.board, m)
	for _, x := range r.sites(m) {
		f := m.Func(x.Func)
		if _, done := proved.Proofs[x]; done {
			out.Proved++
		} else if d := f.Def(x.Value); !f.Model && d.Pos.Line != 0 {
			out.Open = append(out.Open, verdict.Guard{Kind: x.Kind, Text: cmp.Or(guardText(d), verdict.KindText(x.Kind)), Func: x.Func, Pos: d.Pos})
		}
	}
	return out
}

// foremost is the index of the open check that tells a person most: behind a loop or a recursion, and not in the function in
// which the program starts, which may be a harness that makes inputs; the first of those.
func (r *run) foremost(m *ir.Module, checks *verdict.CheckCount) int {
	behind := map[verdict.Guard]bool{}
	for _, g := range r.withoutStraight(m, checks).Open {
		behind[g] = true
	}
	best, found := 0, -1
	for i, g := range checks.Open {
		rank := 0
		if behind[g] {
			rank += 2
		}
		if g.Func != m.Entry && g.Func != "main" {
			rank++
		}
		if rank > found {
			best, found = i, rank
		}
	}
	return best
}

// withoutStraight takes those that bounded search has decided out of open checks.
func (r *run) withoutStraight(m *ir.Module, checks *verdict.CheckCount) *verdict.CheckCount {
	type place struct {
		kind ir.CheckKind
		f    string
		pos  ir.Pos
	}
	s, behind := straightOf(m), map[place]bool{}
	for _, x := range r.sites(m) {
		if !s.has(x) {
			behind[place{x.Kind, x.Func, m.Func(x.Func).Def(x.Value).Pos}] = true
		}
	}
	out := &verdict.CheckCount{Proved: checks.Proved}
	for _, g := range checks.Open {
		if behind[place{g.Kind, g.Func, g.Pos}] {
			out.Open = append(out.Open, g)
		} else {
			out.Searched++
		}
	}
	return out
}

// knownAt is what is proved at the head of the innermost loop around the place of a reason, nil if
// it is in none, or if nothing is.
func (r *run) knownAt(m *ir.Module, x *verdict.Reason) *invariant.Head {
	facts, _, _ := look[Invariants](r.board, m)
	f := m.Func(x.Func)
	if f == nil || len(facts.Heads) == 0 {
		return nil
	}
	loops, err := cut.Loops(m)
	if err != nil {
		return nil
	}
	at := ir.BlockID(0)
	for b, block := range f.Blocks {
		if slices.ContainsFunc(block.Instrs, func(v ir.Value) bool { return f.Def(v).Pos == x.Pos }) {
			at = ir.BlockID(b)
		}
	}
	var inner *cut.Loop
	for _, l := range loops {
		if l.Func == f && at != 0 && l.In(at) && (inner == nil || len(l.Blocks) < len(inner.Blocks)) {
			inner = l
		}
	}
	if inner == nil {
		return nil
	}
	i := slices.IndexFunc(facts.Heads, func(h invariant.Head) bool {
		return h.Func == x.Func && h.Head == inner.Head && len(h.Calls) == 0 && len(h.Predicates) > 0
	})
	if i < 0 {
		return nil
	}
	return &facts.Heads[i]
}
