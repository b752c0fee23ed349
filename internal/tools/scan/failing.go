package scan

import (
	"slices"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/user/show"
)

// This file asks about allocations that fail. Elsewhere they do not (unless --malloc-may-fail is given), for then every question has more
// runs, and what goes wrong in them hides the rest. A function that allocates, itself or by a small function of the project that is
// made for that, is asked once more in the easy harness, where allocations may fail, for accesses through null that has come up in the run.

// failingKept is how many such places of one function are findings.
const failingKept = 2

// wrapperReach is the size of all that a function reaches, in instructions, up to which it may be one that allocates for others.
const wrapperReach = 400

// allocates says of each function that it allocates: it uses an allocator, one behind a pointer included, or a small function that reaches one.
func allocates(targets []*target, reached []frontend.Reached, callees [][]int) []bool {
	direct := append(slices.Clone(allocators), "strdup", "strndup")
	wrapper := func(n int) bool {
		return reached[n].Instructions <= wrapperReach && slices.ContainsFunc(direct, func(a string) bool { return slices.Contains(reached[n].Digests, a) })
	}
	out := make([]bool, len(targets))
	for n, t := range targets {
		out[n] = t.def.Allocates || slices.ContainsFunc(direct, func(a string) bool { return slices.Contains(t.def.Uses, a) }) || slices.ContainsFunc(callees[n], wrapper)
	}
	return out
}

// failing asks for accesses through null where an allocation has failed. What is not found out in time is not said to be open: it was not
// asked for.
func (x *examination) failing() {
	p := &x.task.Program
	out := x.out
	if p.MallocMayFail || out.TimedOut || !slices.Contains(x.task.Properties, assay.ValidDeref) {
		return
	}
	unsettled := out.Unsettled
	p.MallocMayFail = true
	defer func() { p.MallocMayFail, out.Unsettled, out.TimedOut = false, unsettled, false }()
	v := easy
	if x.internal {
		v = tame
	}
	for _, f := range out.Findings {
		v.Spared = append(v.Spared, site(f.Place.Pos))
	}
	for n := failingKept; n > 0 && len(v.Spared) < spareLimit; {
		r, err := x.check(v, assay.ValidDeref)
		if err != nil || r.Answer != assay.False || r.Violation.Pos.IsZero() || slices.Contains(v.Spared, site(r.Violation.Pos)) {
			return
		}
		v.Spared = append(slices.Clone(v.Spared), site(r.Violation.Pos))
		f := x.finding(r)
		if f.Place.Pointee.Kind != show.PointeeNull || f.Place.Pointee.Initial {
			continue
		}
		n--
		f.start = startOf(r)
		f.Fails, f.Confidence, f.Because = true, Medium, "an allocation that fails leads there"
		out.Findings = append(out.Findings, f)
	}
}
