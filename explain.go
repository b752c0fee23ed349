package assay

import (
	"fmt"
	"slices"

	"assay/internal/ir"
	"assay/internal/show"
	"assay/internal/verdict"
)

// explain turns an engine's verdict into a result.
func explain(m *ir.Module, v verdict.Verdict) *Result {
	r := &Result{}
	switch v := v.(type) {
	case verdict.True:
		r.Answer = True
		r.Unclean = show.PlacesOf(m, v.Unclean)
		r.Certificate = show.CertificateOf(m, v.Certificate)
	case verdict.False:
		if i := slices.IndexFunc(v.Passes, func(g verdict.Guard) bool { return g.Doubt() != "" }); i >= 0 {
			cause := verdict.CauseInexact
			if v.Passes[i].Kind == ir.Overflow {
				cause = verdict.CauseOverflow
			}
			r.Answer = Unknown
			r.Reasons = show.ReasonsOf(m, []verdict.Reason{{
				Cause: cause, Func: v.Passes[i].Func, Pos: v.Passes[i].Pos,
				Text: "a violation was found, but on " + v.Passes[i].Doubt(),
			}})
			break
		}
		r.Answer, r.Replayed = False, v.Replayed
		r.run = &show.Run{Module: m, Input: v.Input, Violation: v.Violation, Endless: v.Endless}
		if v.Endless != nil {
			r.Violated = Termination
			r.Endless, r.Violation, r.Passes = show.EndlessOf(m, &v)
			break
		}
		violation := show.PlaceOf(m, v.Violation)
		r.Violation = &violation
		r.Violated = violated(v.Violation.Kind)
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
	c := CheckResult{Place: show.PlaceOf(m, guard), Property: violated(guard.Kind)}
	e := explain(m, v)
	c.Answer, c.Reasons = e.Answer, e.Reasons
	return c
}
