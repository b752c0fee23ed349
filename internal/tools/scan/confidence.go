package scan

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay"
	"assay/internal/user/show"
)

// This file joins the findings of all functions and ranks them. A place that several functions reach is one finding:
// of the one of which the most is known. That is main, and functions that others may call (roots): their arguments are
// those that anybody may pass. What calls only the project itself establishes something for is worth less, unless a
// root was seen to lead there.

// callGraph knows who calls whom, by index of function.
type callGraph struct {
	callers [][]int
	// open says that somebody who is not in callers may call the function: another file of another project, or a pointer.
	open []bool
	// root says that anybody may call the function, or that it is main.
	root []bool
}

// callees are the functions that each calls.
func (g *callGraph) callees() [][]int {
	list := make([][]int, len(g.callers))
	for f, callers := range g.callers {
		for _, c := range callers {
			list[c] = append(list[c], f)
		}
	}
	return list
}

// findRoots fills in root: main is one, and a function that is not static is one unless it belongs to a program, as
// main reaches it by calls.
func (g *callGraph) findRoots(isMain, isStatic func(int) bool) {
	n, callees := len(g.callers), g.callees()
	reached := make([]bool, n)
	var visit func(int)
	visit = func(f int) {
		for _, c := range callees[f] {
			if !reached[c] {
				reached[c] = true
				visit(c)
			}
		}
	}
	for f := range n {
		if isMain(f) {
			visit(f)
		}
	}
	g.root = make([]bool, n)
	for f := range n {
		g.root[f] = isMain(f) || !isStatic(f) && !reached[f]
	}
}

// merge makes the list of findings.
func merge(root string, functions []*target, graph *callGraph) []Finding {
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
			if best < 0 || better(&g.findings[n], &g.findings[best], graph.root[g.entries[n]], graph.root[g.entries[best]]) {
				best = n
			}
		}
		f := inContext(g.findings[best], g.entries[best], functions, graph)
		for n, other := range g.findings {
			if n != best && other.Entry != f.Entry && !slices.Contains(f.Also, other.Entry) {
				f.Also = append(f.Also, other.Entry)
			}
		}
		f.ID = identify(root, &f)
		out = append(out, f)
	}
	slices.SortStableFunc(out, compare)
	return out
}

// fold makes one finding of those that are about the same argument in the same function, in the same way, or about the end of the same heap block
// where the same entry leads: they have one cause. Those that need a precondition stay as they are.
func fold(list []Finding) []Finding {
	type cause struct {
		property              assay.Property
		function, file, entry string
		pointee               show.Pointee
	}
	first := map[cause]int{}
	out := []Finding{}
	for _, f := range list {
		p := f.Place.Pointee
		key := cause{property: f.Property, function: f.Place.Func, pointee: p}
		key.pointee.Bytes, key.pointee.Reads = 0, false
		block := p.Kind == show.PointeeHeap && p.Via != "" && !p.Gone && p.Where != show.WhereInside
		if block {
			key.file, key.entry = f.File, f.Entry
		}
		if n, ok := first[key]; ok && f.Confidence != Low {
			out[n].AlsoAt = append(out[n].AlsoAt, f.Place.Pos)
			continue
		}
		if f.Confidence != Low && (block || hasCause(p) && (p.Name != "" || p.Kind == show.PointeeNull)) {
			first[key] = len(out)
		}
		out = append(out, f)
	}
	return out
}

// spread puts further findings of one function behind the first findings of the others, before those that need a precondition: where a run goes
// on behind one violation, the next is often its consequence. Runs of main lead to all of a program: of these, further findings are those in
// the same function and file.
func spread(list []Finding) []Finding {
	type entry struct {
		file, name, at string
	}
	seen := map[entry]bool{}
	var first, further, low []Finding
	for _, f := range list {
		key := entry{file: f.File, name: f.Entry}
		if f.Entry == "main" {
			key.at = f.Place.Pos.File + ":" + f.Place.Func
		}
		switch {
		case f.Confidence == Low:
			low = append(low, f)
		case seen[key]:
			further = append(further, f)
		default:
			seen[key] = true
			first = append(first, f)
		}
	}
	return slices.Concat(first, further, low)
}

// inContext lowers the confidence of a finding in a function that only the project itself calls: no root was seen to
// lead there.
func inContext(f Finding, entry int, functions []*target, graph *callGraph) Finding {
	if graph.root[entry] || f.Confidence == Low || f.Fails { // no caller keeps an allocation from failing
		return f
	}
	callers := graph.callers[entry]
	proved := 0
	for _, c := range callers {
		if a := functions[c].answer; a != nil && slices.Contains(a.Proved, f.Property) {
			proved++
		}
	}
	who := "what its callers establish"
	if len(callers) > 0 {
		who = "what " + names(functions, callers) + " establish"
	}
	switch {
	case len(callers) > 0 && proved == len(callers) && !graph.open[entry]:
		f.lower(LabelCallers, "its callers in the project ("+names(functions, callers)+") are proved not to lead there", who)
	case restsOnStart(f.Place.Pointee) && !f.Explicit, f.Property == assay.UnreachCall:
		f.lower(LabelCallers, "no caller in the project was seen to lead there, and it is about what they pass: "+f.Because, who)
	case f.Made && f.Property != assay.ValidFree && !f.Place.Pointee.Gone && len(callers) > 0 && !graph.open[entry] && !slices.ContainsFunc(callers, func(c int) bool { return !slices.Contains(functions[c].def.Prepares, f.Entry) }):
		f.lower(LabelCallers, "no caller in the project was seen to lead there, and they may change what they pass before: "+f.Because, who)
	default:
		f.Confidence = Medium
		f.Because = "only the project itself calls " + f.Entry + ", and nobody was seen to lead there: " + f.Because
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
	assay.ValidInit: 2, assay.ArrayBounds: 2, assay.FloatCast: 5, assay.Undefined: 5, assay.NotANumber: 6, assay.UnsignedWrap: 7, assay.Conversion: 7,
}

// compare orders findings: confidence, property, length of the trace, place.
func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(rank[a.Confidence], rank[b.Confidence]), cmp.Compare(weight[a.Property], weight[b.Property]),
		cmp.Compare(len(a.Trace)+a.Cut, len(b.Trace)+b.Cut),
		cmp.Compare(a.Place.Pos.File, b.Place.Pos.File), cmp.Compare(a.Place.Pos.Line, b.Place.Pos.Line), cmp.Compare(a.Place.Pos.Col, b.Place.Pos.Col))
}

// better prefers the finding to show for a place: one from a root that needs no precondition, then confidence, then the longer way.
func better(a, b *Finding, aRoot, bRoot bool) bool {
	if x, y := aRoot && a.Confidence != Low, bRoot && b.Confidence != Low; x != y {
		return x
	}
	if rank[a.Confidence] != rank[b.Confidence] {
		return rank[a.Confidence] < rank[b.Confidence]
	}
	return len(a.Trace)+a.Cut > len(b.Trace)+b.Cut
}

// identify is the same for the same text of a line in the same function of the same file.
func identify(root string, f *Finding) string {
	text := ""
	if content, err := os.ReadFile(f.Place.Pos.File); err == nil {
		lines := strings.Split(string(content), "\n")
		if n := f.Place.Pos.Line; n >= 1 && n <= len(lines) {
			text = strings.TrimSpace(lines[n-1])
		}
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{string(f.Property), filepath.ToSlash(relativeTo(root, f.Place.Pos.File)), f.Place.Func, text}, "\n")))
	return fmt.Sprintf("%x", sum[:6])
}
