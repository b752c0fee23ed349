package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// This file counts answers about costs: by class, and compared with the classes that other tools
// found for the same tasks.

// class is the asymptotic class of an answer: bound(O(n)) and O(n) are O(n); "" is no bound.
func class(answer string) string {
	if inner, ok := strings.CutPrefix(answer, "bound("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	if strings.HasPrefix(answer, "O(") || answer == "EXP" {
		return answer
	}
	return ""
}

// growth orders classes: the degree of a polynomial, logarithms between the degrees, exponentials
// above all.
func growth(class string) float64 {
	var degree float64
	switch class {
	case "O(1)":
		return 0
	case "O(log n)":
		return 0.5
	case "O(n)":
		return 1
	case "EXP":
		return 1000
	}
	polynomial, _, product := strings.Cut(strings.TrimSuffix(class, ")"), "*log")
	if product {
		return growth(polynomial+")") + 0.5
	}
	if n, err := fmt.Sscanf(class, "O(n^%g)", &degree); n == 1 && err == nil {
		return degree
	}
	if strings.HasPrefix(class, "O(log^") {
		return 0.75
	}
	return 999 // something that is no polynomial
}

// decidedCost says whether an answer is one about costs.
func decidedCost(answer string) bool { return class(answer) != "" || answer == "unbounded" }

// writeClasses prints how many bounds of each class there are in a set.
func writeClasses(w io.Writer, results []Result) {
	sets := map[string]map[string]int{}
	classes := map[string]bool{}
	for _, r := range results {
		if r.Task.question() != "complexity" || r.Answer == "skipped" {
			continue
		}
		c := class(r.Answer)
		switch {
		case r.Answer == "unbounded":
			c = "unbounded"
		case c == "":
			c = "none"
		default:
			classes[c] = true
		}
		if sets[r.Task.Set] == nil {
			sets[r.Task.Set] = map[string]int{}
		}
		sets[r.Task.Set][c]++
	}
	if len(sets) == 0 {
		return
	}
	order := slices.SortedFunc(maps.Keys(classes), func(a, b string) int { return int(2*growth(a)) - int(2*growth(b)) })
	order = append(order, "unbounded", "none")
	fmt.Fprintln(w, "\nBOUNDS BY CLASS")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "set\t"+strings.Join(order, "\t")+"\t")
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprint(tw, set+"\t")
		for _, c := range order {
			fmt.Fprintf(tw, "%d\t", sets[set][c])
		}
		fmt.Fprintln(tw)
	}
	tw.Flush()
}

// WriteClasses compares our classes with those of each tool that bounds costs, over the tasks that it ran:
// how many are finer, the same, and coarser, and how many tasks only one has a bound for. Coarser ones
// are listed.
func (p *Peers) WriteClasses(w io.Writer) {
	type row struct{ finer, same, coarser, gained, lost int }
	rows := map[string]*row{}
	var coarser []string
	for _, r := range p.runs {
		if r.our.Task.question() != "complexity" {
			continue
		}
		if rows[r.tool] == nil {
			rows[r.tool] = &row{}
		}
		c, ours, theirs := rows[r.tool], class(r.our.Answer), class(r.answer)
		switch {
		case ours == "" && theirs == "":
		case ours == "":
			c.lost++
		case theirs == "":
			c.gained++
		case growth(ours) < growth(theirs):
			c.finer++
		case growth(ours) == growth(theirs):
			c.same++
		default:
			c.coarser++
			coarser = append(coarser, fmt.Sprintf("  %s: %s, %s: %s", r.our.Task.ID, ours, r.tool, theirs))
		}
	}
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(w, "\nCLASSES OF UPPER BOUNDS")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "tool\tfiner\tsame\tcoarser\tonly we\tonly it\t")
	for _, tool := range slices.Sorted(maps.Keys(rows)) {
		c := rows[tool]
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t\n", tool, c.finer, c.same, c.coarser, c.gained, c.lost)
	}
	tw.Flush()
	for _, line := range coarser {
		fmt.Fprintln(w, line)
	}
}
