package assay

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/user/property"
	"assay/internal/user/show"
)

// explain turns an engine's verdict into a result.
func explain(m *ir.Module, v verdict.Verdict) *Result {
	r := &Result{}
	switch v := v.(type) {
	case verdict.True:
		r.Answer = True
		r.Unclean = show.PlacesOf(m, v.Unclean)
		r.Certificate = show.CertificateOf(m, v.Certificate)
		if c, ok := v.Certificate.(*verdict.OverIntegers); ok {
			r.Integer = c.Text
		}
	case verdict.False:
		if doubt := v.Doubtful(context.Background(), m); doubt != nil {
			r.Answer, r.Reasons = Unknown, show.ReasonsOf(m, []verdict.Reason{*doubt})
			break
		}
		r.Answer, r.Replayed = False, v.Replayed
		r.run = &show.Run{Module: m, Input: v.Input, Violation: v.Violation, Endless: v.Endless}
		if v.OverIntegers != nil {
			r.run, r.Violated, r.Integer = nil, Termination, v.OverIntegers.Text
			r.Violation = &Place{Pos: show.PositionOf(m, v.Violation.Pos), Func: v.Violation.Func, Kind: "non-termination", Text: "the loop runs for ever, over the mathematical integers"}
			break
		}
		if v.Endless != nil {
			r.Violated = Termination
			r.Endless, r.Violation, r.Passes = show.EndlessOf(m, &v)
			break
		}
		violation := show.PlaceOf(m, v.Violation)
		r.Violation = &violation
		r.Violated = property.Violated(v.Violation.Kind)
		for _, g := range v.Passes {
			if g.Kind.Undefined() {
				r.Passes = append(r.Passes, show.PlaceOf(m, g))
			}
		}
		r.Jumps = show.JumpsOf(m, &v)
	case verdict.Unknown:
		r.Answer = Unknown
		r.Reasons = show.ReasonsOf(m, v.Reasons)
	default:
		panic(fmt.Sprintf("unexpected verdict %T", v))
	}
	return r
}

// explainCheck translates the answer for one check.
func explainCheck(m *ir.Module, guard verdict.Guard, v verdict.Verdict) CheckResult {
	c := CheckResult{Place: show.PlaceOf(m, guard), Property: property.Violated(guard.Kind)}
	e := explain(m, v)
	c.Answer, c.Reasons, c.run = e.Answer, e.Reasons, e.run
	return c
}

// eachCheck lists every check with its own answer, in the order of the source. Those that
// a person cannot tell apart, such as the accesses of a library model to its arguments at
// one call, are one line: it is false if one is, and true if all are.
func eachCheck(m *ir.Module, checks []conductor.CheckResult) []CheckResult {
	var out []CheckResult
	at := map[Place]int{}
	for _, c := range checks {
		r := explainCheck(m, c.Guard, c.Verdict)
		key := r.Place
		if m.Func(c.Guard.Func).Model {
			key.Text, key.Func = "", ""
		}
		i, listed := at[key]
		if !listed {
			at[key] = len(out)
			out = append(out, r)
			continue
		}
		if rank(r.Answer) > rank(out[i].Answer) {
			out[i] = r
		}
	}
	slices.SortStableFunc(out, func(a, b CheckResult) int {
		p, q := a.Place.Pos, b.Place.Pos
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return out
}

// sites say of every place that the properties ask about what the result says of it.
func sites(m *ir.Module, asked []verdict.Guard, r *Result) []CheckResult {
	known := map[Place]Answer{}
	for _, c := range r.Checks {
		known[c.Place] = c.Answer
	}
	var out []CheckResult
	for _, g := range asked {
		c := CheckResult{Place: show.PlaceOf(m, g), Property: property.Violated(g.Kind), Answer: Unknown}
		if answer, listed := known[c.Place]; listed {
			c.Answer = answer
		} else if r.Answer == True || r.run != nil && r.run.Violation.Kind == g.Kind && r.run.Violation.Pos == g.Pos && r.run.Violation.Func == g.Func {
			c.Answer = r.Answer
		}
		out = append(out, c)
	}
	return out
}

// rank orders answers by what they say of all checks of a line.
func rank(a Answer) int { return slices.Index([]Answer{True, Unknown, False}, a) }
