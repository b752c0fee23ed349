package validate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/syntax"
	"assay/internal/user/show"
	"assay/internal/user/witness"
)

// This file judges correctness witnesses. A transition invariant R(x, \at(x, AnyPrev)) of a loop is checked in a copy of its
// variables: an arbitrary visit of the loop keeps them, and every later one of the same execution of the loop asserts R. In a function that may
// call itself executions are interleaved, which the copy does not tell apart: there R is not judged.

// correctness judges the invariants, and then the property with them.
func (j *judge) correctness() error {
	w := j.Witness
	x := &instrumented{files: j.files}
	defer x.close()
	var elements []element
	prelude := &strings.Builder{}
	unplaced := 0
	add := func(mark witness.Mark, at witness.Location, kind, text string, place func(owner int) error) error {
		owner := len(elements)
		elements = append(elements, element{mark, at, kind, text})
		j.out.Findings = append(j.out.Findings, Finding{Line: mark.Line, At: at.String(), Type: kind, Text: text, Status: "open"})
		err := place(owner)
		var none *errNoPlace
		if errors.As(err, &none) {
			unplaced++
			f := &j.out.Findings[owner]
			f.Status, f.Why = "unused", none.why
			return nil
		}
		return err
	}
	for _, i := range w.Invariants {
		err := add(i.Mark, i.At, string(i.Type), i.Value, func(owner int) error { return x.invariant(i, owner, prelude) })
		if err != nil {
			return err
		}
	}
	for _, c := range w.Contracts {
		text := strings.TrimSpace("requires " + c.Requires + " ensures " + c.Ensures)
		if err := add(c.Mark, c.At, string(witness.FunctionContract), text, func(owner int) error { return x.contract(c, owner) }); err != nil {
			return err
		}
	}
	termination := j.Ask.Question == conductor.Termination
	targets := j.Ask.Targets
	if termination {
		targets = nil
	}
	m, err := j.load(x, prelude.String(), elements)
	var bad *misfit
	switch {
	case errors.As(err, &bad):
		j.unknown(bad.Error())
		return nil
	case err != nil:
		return err
	}
	for k, i := range w.Invariants {
		if f, n, err := x.loopAt(i.At); err == nil && i.Type == witness.LoopTransitionInvariant && mayRecur(m, f.At(n.Begin).Name) {
			unplaced++
			j.out.Findings[k].Status, j.out.Findings[k].Why = "unused", "the function of the loop may call itself: its executions are not told apart"
		}
	}
	checked, err := x.asserted(m, targets)
	if errors.As(err, &bad) {
		j.unknown(bad.Error())
		return nil
	}
	if err != nil {
		return j.wrongElement(err, elements)
	}
	asked := slices.Clone(targets)
	if len(elements) > unplaced && !slices.Contains(asked, ir.Assertion) {
		asked = append(asked, ir.Assertion)
		slices.Sort(asked)
	}
	if len(asked) > 0 {
		j.Enter("checking the invariants")
		share := 1.0
		if termination {
			share = 0.5
		}
		answer := j.decide(checked, conductor.Safety, asked, share, nil)
		switch v := answer.Verdict.(type) {
		case verdict.False:
			return j.failed(answer.Module, &v, elements)
		case verdict.True:
			for i := range j.out.Findings {
				if f := &j.out.Findings[i]; f.Status == "open" {
					f.Status = "holds"
				}
			}
			j.out.Certificate = show.CertificateOf(answer.Module, v.Certificate)
		default:
			j.unknown("neither the invariants nor a run against them could be proved")
			j.reasons(answer.Module, answer.Verdict)
			return nil
		}
	}
	if termination {
		j.Enter("proving termination")
		answer := j.decide(checked, conductor.Termination, nil, 1, nil)
		switch v := answer.Verdict.(type) {
		case verdict.True:
			j.out.Certificate = show.CertificateOf(answer.Module, v.Certificate)
		case verdict.False:
			if doubt := v.Doubtful(j.ctx, answer.Module); doubt != nil || v.OverIntegers != nil {
				j.unknown("a run that may not end was found, but it is not certain")
				return nil
			}
			j.out.Outcome, j.out.Why = Rejected, "the property does not hold: a run does not end"
			j.run(answer.Module, &v)
			return nil
		default:
			j.unknown("termination could not be proved")
			j.reasons(answer.Module, answer.Verdict)
			return nil
		}
	}
	if c := j.out.Certificate; c != nil && c.Unchecked != "" {
		j.unknown("the proof was not checked")
		return nil
	}
	if unplaced > 0 {
		j.unknown(fmt.Sprintf("the property is proved, but %s of the witness stand where nothing can be checked", count(unplaced, "element")))
		return nil
	}
	j.out.Outcome = Confirmed
	switch n := len(elements); {
	case n == 0:
		j.out.Why = "the property is proved; the witness has no invariants"
	default:
		j.out.Why = fmt.Sprintf("the property is proved, and %s", count(n, "element")+" of the witness")
	}
	return nil
}

// mayRecur says whether a function may be called while it is active; a call through a pointer may be of any.
func mayRecur(m *ir.Module, name string) bool {
	seen := map[string]bool{}
	var reach func(from string) bool
	reach = func(from string) bool {
		f := m.Func(from)
		if f == nil || seen[from] {
			return false
		}
		seen[from] = true
		return slices.ContainsFunc(f.Values, func(d ir.Def) bool {
			return d.Op == ir.Call && (d.Sym == "" || d.Sym == name || reach(d.Sym))
		})
	}
	return reach(name)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// failed says what a run refutes.
func (j *judge) failed(m *ir.Module, v *verdict.False, elements []element) error {
	if doubt := v.Doubtful(j.ctx, m); doubt != nil {
		j.unknown("a run against the witness was found, but it is not certain")
		j.out.Reasons = show.ReasonsOf(m, []verdict.Reason{*doubt})
		return nil
	}
	text, owned := strings.CutPrefix(v.Violation.Text, ownedText)
	number, what, _ := strings.Cut(text, ": ")
	owner, err := strconv.Atoi(number)
	if owned && err == nil && owner < len(elements) && j.out.Findings[owner].Status == "unused" {
		j.unknown(j.out.Findings[owner].Why)
		return nil
	}
	j.out.Outcome = Rejected
	j.run(m, v)
	if !owned || err != nil || owner >= len(elements) {
		j.out.Why = "the property does not hold: " + j.out.Broken.Text
		return nil
	}
	e := elements[owner]
	f := &j.out.Findings[owner]
	f.Status, f.Why = "fails", "the run below reaches it, and it is false"
	if what != "" {
		f.Why = "the run below reaches it, where it has no value: " + what
	}
	j.out.Why = fmt.Sprintf("%s:%d: the %s %q at %s does not hold", j.Name, e.mark.Line, strings.ReplaceAll(e.kind, "_", " "), e.text, e.at)
	j.out.Broken.Text = strings.ReplaceAll(e.kind, "_", " ") + " of the witness: " + e.text
	j.out.Broken.Kind = "witness"
	return nil
}

// check is the assertion of an expression.
func check(text string, owner int) []code {
	return []code{{"__assay_check(!!(" + text + `), 1, "` + insertedText + `"); `, owner}}
}

// invariant puts an invariant into the text.
func (x *instrumented) invariant(i witness.Invariant, owner int, prelude *strings.Builder) error {
	if i.Type == witness.LocationInvariant {
		f, n, err := x.statementAt(i.At)
		if err != nil {
			return err
		}
		s := x.at(f, n, before)
		s.code = append(s.code, check(i.Value, owner)...)
		return nil
	}
	f, n, err := x.loopAt(i.At)
	if err != nil {
		return err
	}
	if n.Kind == syntax.Do && n.Inner[0].Kind != syntax.Compound && f.StatementEnd(n.Inner[0]) < 0 {
		return noPlace("the body of the loop there ends in a macro")
	}
	s := x.at(f, n, head)
	if i.Type == witness.LoopInvariant {
		s.code = append(s.code, check(i.Value, owner)...)
		return nil
	}
	parts, err := witness.AtPrevious(i.Value)
	if err != nil {
		return err
	}
	kept := fmt.Sprintf("__assay_kept_%d", owner)
	linkage := "static "
	if len(x.files) > 1 {
		return noPlace("transition invariants of several files are not judged")
	}
	fmt.Fprintf(prelude, "%sint %s; int __VERIFIER_nondet_assay_keep(void); ", linkage, kept)
	declared, stored, text := "", "", ""
	done := 0
	for k, p := range parts {
		name := fmt.Sprintf("__assay_previous_%d_%d", owner, k)
		inner := i.Value[p.TextBegin:p.TextEnd]
		declared += fmt.Sprintf("static __typeof__((%s) + 0) %s; ", inner, name)
		stored += fmt.Sprintf("%s = (%s); ", name, inner)
		text += i.Value[done:p.Begin] + name
		done = p.End
	}
	text += i.Value[done:]
	s.code = append(s.code, code{declared + "if (" + kept + ") { ", noOwner})
	s.code = append(s.code, check(text, owner)...)
	s.code = append(s.code, code{"} else if (__VERIFIER_nondet_assay_keep()) { " + kept + " = 1; " + stored + "} ", noOwner})
	// Another execution of the loop begins anew.
	if n.Executed() && n.Parent != nil && f.StatementEnd(n) > 0 {
		b := x.at(f, n, before)
		b.code = append(b.code, code{kept + " = 0; ", noOwner})
	}
	return nil
}
