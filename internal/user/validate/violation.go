package validate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/syntax"
	"assay/internal/user/show"
	"assay/internal/user/witness"
)

// This file judges violation witnesses, in three attempts:
//
//	(1) a run of the interpreter with the values that the witness tells
//	(2) a search among the runs that pass each waypoint at the first visit
//	(3) a search among all runs along the witness; if none of them violates the property, the witness is rejected
//
// What they find is a run of the program with the witness. It counts when the same decisions violate the property in the program
// without it, at the same place.

// guidedSteps bounds the run of the first attempt.
const guidedSteps = 1 << 26

// attempt is a program that is confined to the witness.
type attempt struct {
	*instrumented
	module *ir.Module
	target *target
	last   int // the number of segments before the target
}

// violation judges a violation witness.
func (j *judge) violation() error {
	w := j.Witness
	endless := j.Ask.Question == conductor.Termination
	last := w.Segments[len(w.Segments)-1].Last()
	if endless == (last.Type == witness.Target) {
		what := "a cycle"
		if !endless {
			what = "a target"
		}
		return &InputError{File: j.Name, Line: last.Mark.Line, Column: last.Mark.Column, Message: "a witness against " + j.Ask.Question.String() + " ends with " + what}
	}
	var elements []element
	for _, s := range w.Segments {
		for _, p := range s {
			elements = append(elements, element{p.Mark, p.At, string(p.Type), p.Value})
		}
	}
	strict, err := j.attempt(true, elements)
	if err != nil || strict == nil {
		return err
	}
	defer strict.close()
	j.Enter("replaying the witness")
	input, end, err := j.guided(strict)
	if err != nil {
		return err
	}
	if input != nil {
		if ok, err := j.replayed(strict, *input); ok || err != nil {
			return err
		}
	}
	j.Enter("searching along the witness")
	if done, err := j.search(strict, 0.5); done || err != nil {
		return err
	}
	if j.ctx.Err() != nil {
		j.unknown("no run along the witness was found in time" + end)
		return nil
	}
	lax, err := j.attempt(false, elements)
	if err != nil || lax == nil {
		return err
	}
	defer lax.close()
	j.out.Reasons = nil
	done, err := j.search(lax, 1)
	if !done && err == nil && j.out.Why == "" {
		j.unknown("no run along the witness was found" + end)
	}
	return err
}

// attempt makes the confined program; nil if the witness cannot be put into it, which the judgement says.
func (j *judge) attempt(strict bool, elements []element) (*attempt, error) {
	x := &instrumented{files: j.files}
	w := j.Witness
	a := &attempt{instrumented: x, last: len(w.Segments) - 1}
	var err error
	var returns *syntax.Node
	a.target, err = x.targetOf(w, slices.ContainsFunc(j.Ask.Targets, leak))
	if err == nil && a.target != nil && slices.ContainsFunc(j.Ask.Targets, leak) {
		if returns = a.target.returns(cmp.Or(j.Program.Function, "main")); returns != nil {
			a.last++
		}
	}
	if err == nil {
		err = x.mark(w, strict, returns)
	}
	var at *located
	var none *errNoPlace
	if errors.As(err, &at) {
		j.unknown(fmt.Sprintf("%s:%d: the waypoint at %s: %v", j.Name, at.mark.Line, at.at, at.err))
		return nil, nil
	} else if errors.As(err, &none) {
		j.unknown("the target: " + none.why)
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	m, err := j.load(x, "", elements)
	var bad *misfit
	switch {
	case errors.As(err, &bad):
		x.close()
		j.unknown(bad.Error())
		return nil, nil
	case err != nil:
		x.close()
		return nil, err
	}
	if a.module, err = x.confined(m, j.Ask.Targets, a.target, a.last); err != nil {
		x.close()
		return nil, j.wrongElement(err, elements)
	}
	if a.target == nil {
		a.module = busy(a.module, cycleOf(w), !strict)
	}
	return a, nil
}

// segment is the number of segments that a run has passed.
func segment(m *ir.Module, s interp.State) int {
	if m.Global(segmentName) == nil { // no waypoint is in what can be executed
		return 0
	}
	b, ok := s.Memory(s.Symbol(segmentName), 4)
	if !ok {
		return -1
	}
	return int(int32(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24))
}

// violates says whether an event violates the property.
func (j *judge) violates(e interp.Event) (verdict.Guard, bool) {
	label := j.Ask.Label
	if label == "" {
		label = "ERROR"
	}
	g, broken := verdict.Broken(e, label)
	if !broken {
		return g, false
	}
	for _, k := range j.Ask.Targets {
		if g.Kind == k {
			return g, true
		}
	}
	return g, false
}

// guided runs the program with the values that the witness tells. input is nil if the run does not violate the property along
// the witness; then end says how it ended.
func (j *judge) guided(a *attempt) (input *ir.Input, end string, err error) {
	endless := j.Ask.Question == conductor.Termination
	guide := newGuide(a.instrumented, a.module, j.Witness)
	oracle := interp.NewRecorder(guide)
	at := -1
	o := interp.Options{Oracle: oracle, MaxSteps: guidedSteps, Accelerate: !endless, Repeats: endless, Idle: endless, Blocks: endless}
	o.StopAt = func(e interp.Event) bool {
		if e.Kind == interp.Leave && e.Func.Model {
			guide.fromModel(e.Func.Name)
		}
		if endless {
			if e.Kind == interp.BlockEntered || e.Kind == interp.Enter {
				at = segment(a.module, e.State)
			}
			return false
		}
		if g, ok := j.violates(e); ok && (!leak(g.Kind) || a.leaksAt(a.module, e)) {
			at = segment(a.module, e.State)
			return true
		}
		return false
	}
	out, err := interp.Run(j.ctx, a.module, o)
	switch {
	case err != nil:
		if j.ctx.Err() != nil {
			return nil, "", nil
		}
		return nil, "", err
	case endless && out.End == interp.Repeats && at >= cycleOf(j.Witness), !endless && out.End == interp.Stopped && at == a.last:
		in := oracle.Input()
		return &in, "", nil
	case !endless && at >= 0 && at < a.last:
		end = fmt.Sprintf(" (the run with its values passes %d of %d segments)", at, a.last)
	}
	return nil, end, nil
}

// follower makes the decisions of a run of the program with the witness in the program without it. The functions are the same, the
// numbers of the instructions are not.
// The objects of what was inserted are not there: where they are in the way, a value is the next one that was decided, and an object
// takes the next decision about one of its size, or of another size, if there is one before the next value. Whether the run is one that counts, it shows itself.
type follower struct {
	in   ir.Input
	next int
}

// Global implements interp.Oracle.
func (o *follower) Global(name string, _ uint64) ir.GlobalChoice { return o.in.Globals[name] }

// Next implements interp.Oracle.
func (o *follower) Next(r interp.Request) (ir.Choice, error) {
	value := func(c ir.Choice) bool { return c.Bits.Width() > 0 }
	at, other := o.next, -1
	for at < len(o.in.Choices) && !value(o.in.Choices[at]) && (r.Kind == interp.WantValue || len(o.in.Choices[at].Bytes) > 0 && uint64(len(o.in.Choices[at].Bytes)) != r.Size) {
		if other < 0 && o.in.Choices[at].Func == r.Func.Name {
			other = at
		}
		at++
	}
	if r.Kind != interp.WantValue && (at == len(o.in.Choices) || value(o.in.Choices[at])) {
		if other < 0 {
			return ir.Choice{Func: r.Func.Name, Value: r.Value}, nil
		}
		at = other
	}
	o.next = at
	if o.next >= len(o.in.Choices) {
		return ir.Choice{}, interp.ErrOutOfChoices
	}
	c := o.in.Choices[o.next]
	if c.Func != r.Func.Name || r.Kind == interp.WantValue && c.Bits.Width() != r.Type.Bits {
		return c, &interp.DesyncError{Index: o.next, Want: r, Got: c, Msg: "the program with the witness decides something else"}
	}
	c.Value = r.Value
	o.next++
	return c, nil
}

// original is the program without the witness.
func (j *judge) original() (*ir.Module, error) {
	if j.plain == nil {
		o, _, done, err := j.Program.Physical()
		defer done()
		if err != nil {
			return nil, err
		}
		o.Warnings = nil
		p, err := frontend.Load(j.ctx, o)
		if err != nil {
			return nil, err
		}
		j.plain = p
	}
	return j.plain.Module, nil
}

// replayed makes the run in the program without the witness. It confirms the witness if the property is violated at the target.
func (j *judge) replayed(a *attempt, in ir.Input) (bool, error) {
	m, err := j.original()
	if err != nil {
		return false, err
	}
	recorder := interp.NewRecorder(&follower{in: in})
	if j.Ask.Question == conductor.Termination {
		if _, err := interp.Run(j.ctx, m, interp.Options{Oracle: recorder, Repeats: true, Idle: true, MaxSteps: guidedSteps}); err != nil {
			return false, nil
		}
		f, why := conductor.Endless(j.ctx, m, recorder.Input(), j.Ask.Semantics)
		if f == nil {
			j.out.Notes = append(j.out.Notes, "the run of the witness: "+why)
			return false, nil
		}
		j.confirm(m, f)
		return true, nil
	}
	var found verdict.Guard
	leaks := ""
	out, err := interp.Run(j.ctx, m, interp.Options{Oracle: recorder, MaxSteps: 2 * guidedSteps, Accelerate: true, StopAt: func(e interp.Event) bool {
		g, ok := j.violates(e)
		if ok && leak(g.Kind) && !a.leaksAt(m, e) {
			leaks = fmt.Sprintf("a run along the witness ends at %s with a block that was allocated at %s, and the target is neither of these places", show.PositionOf(m, e.Ends), show.PositionOf(m, e.Pos))
			return false
		}
		found = g
		return ok
	}})
	if err != nil || out.End != interp.Stopped {
		if leaks != "" && err == nil {
			j.unknown(leaks)
		}
		return false, nil
	}
	f := &verdict.False{Violation: found, Input: recorder.Input(), Replayed: []string{"interpreter"}}
	if doubt := f.Doubtful(j.ctx, m); doubt != nil {
		j.out.Reasons = show.ReasonsOf(m, []verdict.Reason{*doubt})
		return false, nil
	}
	if !j.atTarget(a, m, f) {
		return false, nil
	}
	j.confirm(m, f)
	return true, nil
}

// atTarget says whether a run violates the property at the target. Inside of library models that is the call of the program.
func (j *judge) atTarget(a *attempt, m *ir.Module, f *verdict.False) bool {
	if leak(f.Violation.Kind) { // leaksAt was asked
		return true
	}
	if a.target.matches(m, f.Violation.Pos) {
		return true
	}
	place := show.PlaceOf(m, f.Violation)
	run := &show.Run{Module: m, Input: f.Input, Violation: f.Violation}
	run.Locate(j.ctx, &place)
	for i, name := range m.Files {
		if sameFile(name, place.Pos.File) {
			return a.target.matches(m, ir.Pos{File: int32(i), Line: int32(place.Pos.Line), Col: int32(place.Pos.Col)})
		}
	}
	return false
}

// leak says whether a violation is one that the end of the program shows.
func leak(k ir.CheckKind) bool { return k == ir.MemTrack || k == ir.MemCleanup }

// leaksAt says whether a leak is at the target. It shows where the program ends; tools also give the place of the allocation.
func (a *attempt) leaksAt(m *ir.Module, e interp.Event) bool {
	if t := a.target; t.end > 0 && t.entry != nil && int(e.Ends.File) < len(m.Files) && sameFile(m.Files[e.Ends.File], t.file.Name) {
		// That the return was executed the segments say; all returns lead to the end of the body.
		if at, ok := t.file.Offset(int(e.Ends.Line), int(e.Ends.Col)); ok && at == t.entry.Body.End-1 {
			return true
		}
	}
	return a.target.matches(m, e.Ends) || a.target.matches(m, e.Pos)
}

// confirm says that a run is one along the witness.
func (j *judge) confirm(m *ir.Module, f *verdict.False) {
	j.out.Outcome, j.out.Why, j.out.Reasons = Confirmed, "a run along the witness violates the property, and was replayed", nil
	j.run(m, f)
}

// search looks for a run along the witness.
func (j *judge) search(a *attempt, share float64) (done bool, err error) {
	strict := share < 1
	answer := j.decide(a.module, j.Ask.Question, j.Ask.Targets, share, nil)
	switch v := answer.Verdict.(type) {
	case verdict.True:
		if strict {
			return false, nil
		}
		if a.partial {
			j.unknown("no run along the witness was found; of runs in which a constraint has no value at a visit of its place, as by an overflow, that is not proved")
			return true, nil
		}
		j.out.Outcome, j.out.Why = Rejected, "no run along the witness violates the property, which was proved"
		if j.Ask.Question == conductor.Termination {
			j.out.Why = "every run along the witness ends, which was proved"
		}
		j.out.Certificate = show.CertificateOf(answer.Module, v.Certificate)
		return true, nil
	case verdict.False:
		if doubt := v.Doubtful(j.ctx, answer.Module); doubt != nil || v.OverIntegers != nil {
			j.unknown("a run along the witness was found, but it is not certain")
			if doubt != nil {
				j.out.Reasons = show.ReasonsOf(answer.Module, []verdict.Reason{*doubt})
			}
			return false, nil
		}
		if !j.along(a, answer.Module, &v) {
			j.unknown("a violation was found, but not along the witness")
			return false, nil
		}
		if len(v.Input.Jumps) == 0 && (v.Endless == nil || v.Endless.Set == nil) {
			ok, err := j.replayed(a, v.Input)
			if !ok && err == nil {
				if j.out.Why == "" {
					j.unknown("a run along the witness was found, but it could not be replayed in the program without the witness")
				}
			}
			return ok, err
		}
		// Its loops go on in ways that only a proof tells: it counts as it is, for the program with the witness.
		j.confirm(answer.Module, &v)
		return true, nil
	default:
		j.reasons(answer.Module, answer.Verdict)
		return false, nil
	}
}

// along says whether the run of an answer has passed all segments at the end.
func (j *judge) along(a *attempt, m *ir.Module, f *verdict.False) bool {
	at := -1
	o := interp.Options{Oracle: interp.Replay(f.Input), Accelerate: f.Endless == nil, Blocks: f.Endless != nil}
	violated := false
	o.StopAt = func(e interp.Event) bool {
		if f.Endless != nil {
			if e.Kind == interp.BlockEntered || e.Kind == interp.Enter {
				at = segment(m, e.State)
			}
			return e.Step >= f.Endless.LastStep
		}
		if g, broken := verdict.Broken(e, strings.TrimPrefix(f.Violation.Text, "label ")); broken && g == f.Violation {
			at, violated = segment(m, e.State), true
		}
		return violated
	}
	if _, err := interp.Run(j.ctx, m, o); err != nil {
		return false
	}
	if f.Endless != nil {
		return at >= cycleOf(j.Witness)
	}
	return violated && at == a.last && j.atTarget(a, m, f)
}
