package scan

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"

	"assay"
)

// This file joins the findings of all functions and ranks them. A place that several functions reach is one finding:
// of the function that is the furthest from it, for there the most is known of the arguments. A finding in a function
// that the project calls is worth less if its callers do not lead there.

// callGraph knows who calls whom, by index of function.
type callGraph struct {
	callers [][]int
	// open says that somebody outside of the project may call the function, or a pointer.
	open []bool
}

// merge makes the list of findings.
func merge(functions []*target, graph *callGraph) []Finding {
	type key struct {
		property assay.Property
		pos      assay.Position
	}
	type group struct {
		entries  []int
		findings []Finding
	}
	groups := map[key]*group{}
	var order []key
	for i, t := range functions {
		if t.answer == nil {
			continue
		}
		for _, f := range t.answer.Findings {
			k := key{f.Property, f.Place.Pos}
			if groups[k] == nil {
				groups[k] = &group{}
				order = append(order, k)
			}
			groups[k].entries = append(groups[k].entries, i)
			groups[k].findings = append(groups[k].findings, f)
		}
	}
	var out []Finding
	for _, k := range order {
		g := groups[k]
		best := -1
		for n := range g.findings {
			g.findings[n] = inContext(g.findings[n], g.entries[n], g.entries, functions, graph)
			if best < 0 || better(&g.findings[n], &g.findings[best]) {
				best = n
			}
		}
		f := g.findings[best]
		for n, other := range g.findings {
			if n != best && other.Entry != f.Entry && !slices.Contains(f.Also, other.Entry) {
				f.Also = append(f.Also, other.Entry)
			}
		}
		f.ID = identify(&f)
		out = append(out, f)
	}
	slices.SortStableFunc(out, compare)
	return out
}

// inContext lowers the confidence of a finding in a function whose callers do not lead there.
func inContext(f Finding, entry int, entries []int, functions []*target, graph *callGraph) Finding {
	callers := graph.callers[entry]
	if len(callers) == 0 || f.Confidence == Low {
		return f
	}
	for _, c := range callers {
		if slices.Contains(entries, c) { // it was seen from there as well
			f.Because = "it is reached from " + functions[c].name + ", too: " + f.Because
			return f
		}
	}
	proved := 0
	for _, c := range callers {
		if a := functions[c].answer; a != nil && slices.Contains(a.Proved, f.Property) {
			proved++
		}
	}
	switch {
	case proved == len(callers) && !graph.open[entry]:
		f.Confidence = Low
		f.Because = "its callers in the project (" + names(functions, callers) + ") are proved not to lead there"
		f.Needs = append(f.Needs, "what the callers establish")
	case graph.open[entry]:
	case dependsOnArguments(f.Place.Text), f.Property == assay.UnreachCall:
		f.Confidence = Low
		f.Because = "no caller in the project was seen to lead there, and it is about what they pass: " + f.Because
		f.Needs = append(f.Needs, "what "+names(functions, callers)+" establish")
	default:
		f.Confidence = Medium
		f.Because = "no caller in the project was seen to lead there: " + f.Because
	}
	return f
}

func names(functions []*target, list []int) string {
	var out []string
	for n, i := range list {
		if n == 3 {
			out = append(out, fmt.Sprintf("and %d more", len(list)-n))
			break
		}
		out = append(out, functions[i].name)
	}
	return strings.Join(out, ", ")
}

var rank = map[Confidence]int{High: 0, Medium: 1, Low: 2}

// weight orders properties by how bad a violation is.
var weight = map[assay.Property]int{
	assay.ValidFree: 0, assay.ValidDeref: 0, assay.UnreachCall: 1, assay.DivByZero: 2, assay.ValidMemTrack: 3, assay.Shift: 4, assay.NoOverflow: 5,
}

// compare orders findings: confidence, property, length of the trace, place.
func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(rank[a.Confidence], rank[b.Confidence]), cmp.Compare(weight[a.Property], weight[b.Property]),
		cmp.Compare(len(a.Trace)+a.Cut, len(b.Trace)+b.Cut),
		cmp.Compare(a.Place.Pos.File, b.Place.Pos.File), cmp.Compare(a.Place.Pos.Line, b.Place.Pos.Line), cmp.Compare(a.Place.Pos.Col, b.Place.Pos.Col))
}

// better prefers the finding to show for a place: confidence, then the longer way.
func better(a, b *Finding) bool {
	if rank[a.Confidence] != rank[b.Confidence] {
		return rank[a.Confidence] < rank[b.Confidence]
	}
	return len(a.Trace)+a.Cut > len(b.Trace)+b.Cut
}

// identify is the same for the same text of a line in the same function.
func identify(f *Finding) string {
	text := ""
	if content, err := os.ReadFile(f.Place.Pos.File); err == nil {
		lines := strings.Split(string(content), "\n")
		if n := f.Place.Pos.Line; n >= 1 && n <= len(lines) {
			text = strings.TrimSpace(lines[n-1])
		}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{string(f.Property), f.Place.Func, text}, "\n")))
	return fmt.Sprintf("%x", sum[:6])
}
