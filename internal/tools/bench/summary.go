package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteSummary prints a table by set, what became of witnesses, what was skipped, and at the end what
// needs a look: rejected input, answers without a published verdict, crashes,
// and wrong answers, the last two with the command line that shows them again.
func WriteSummary(w io.Writer, results []Result, o Options) {
	writeCounts(w, results)
	writeWitnesses(w, results)
	writeGrowth(w, results)
	writeClasses(w, results)
	writeSkipped(w, results)
	list := func(title, category string, command bool) {
		first := true
		for _, r := range results {
			if r.category() != category || category == "unjudged" && decidedCost(r.Answer) {
				continue
			}
			if first {
				fmt.Fprintf(w, "\n%s\n", title)
				first = false
			}
			fmt.Fprintf(w, "  %s: %s", r.Task.File, r.Answer)
			if r.Task.Expected != "" {
				fmt.Fprintf(w, ", expected %s", r.Task.Expected)
			}
			fmt.Fprintf(w, ": %s %s\n", r.Task.Property, r.Reason)
			if command {
				fmt.Fprintf(w, "    %s\n", o.Command(r.Task))
			}
		}
	}
	list("REJECTED INPUT", "error", false)
	list("DECIDED WITHOUT A PUBLISHED VERDICT", "unjudged", false)
	list("CRASHES AND INTERNAL ERRORS", "crash", true)
	list("WRONG ANSWERS", "wrong", true)
}

// AnyWrong says whether an answer contradicts its label.
func AnyWrong(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Correct == wrong })
}

// count holds the numbers of one set.
type count struct {
	run, solved, trues int
	category           map[string]int
	points             int
	times              []time.Duration // processor time of the solved
	memory             int64
}

func (c *count) add(r Result) {
	if r.Answer == "skipped" {
		return
	}
	c.run++
	c.points += r.Points()
	c.memory = max(c.memory, r.Memory)
	if c.category == nil {
		c.category = map[string]int{}
	}
	c.category[r.category()]++
	if !r.solved() {
		return
	}
	c.solved++
	c.times = append(c.times, r.CPU)
	if strings.HasPrefix(r.Answer, "true") {
		c.trues++
	}
}

// counts are the counts by set, and of all.
func counts(results []Result) (sets map[string]*count, all *count) {
	sets, all = map[string]*count{}, &count{}
	for _, r := range results {
		if r.Answer == "skipped" {
			continue
		}
		if sets[r.Task.Set] == nil {
			sets[r.Task.Set] = &count{}
		}
		sets[r.Task.Set].add(r)
		all.add(r)
	}
	return sets, all
}

// writeCounts prints the counts of every set that was run, and their sum.
func writeCounts(w io.Writer, results []Result) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range countTable(results) {
		fmt.Fprintln(tw, strings.Join(cells, "\t")+"\t")
	}
	tw.Flush()
}

// countTable is the table of the counts, with its header.
func countTable(results []Result) [][]string {
	table := [][]string{{
		"set", "tasks", "solved", "true", "false", "uncertified", "WRONG", "unjudged", "unknown", "timeout", "memory", "crash", "error",
		"score", "median cpu s", "total cpu s", "peak MiB",
	}}
	sets, all := counts(results)
	line := func(name string, c *count) {
		percent := ""
		if c.run > 0 {
			percent = fmt.Sprintf(" (%d%%)", 100*c.solved/c.run)
		}
		cells := []string{name, fmt.Sprint(c.run), fmt.Sprint(c.solved) + percent, fmt.Sprint(c.trues), fmt.Sprint(c.solved - c.trues)}
		for _, category := range []string{"uncertified", "wrong", "unjudged", "unknown", "timeout", "memory", "crash", "error"} {
			cells = append(cells, fmt.Sprint(c.category[category]))
		}
		table = append(table, append(cells, fmt.Sprint(c.points), median(c.times), seconds(sum(c.times)), mebibytes(c.memory)))
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		line(name, sets[name])
	}
	if len(sets) != 1 {
		line("all", all)
	}
	return table
}

func median(ts []time.Duration) string {
	if len(ts) == 0 {
		return "-"
	}
	ts = slices.Sorted(slices.Values(ts))
	return seconds((ts[(len(ts)-1)/2] + ts[len(ts)/2]) / 2)
}

func sum(ts []time.Duration) (total time.Duration) {
	for _, t := range ts {
		total += t
	}
	return total
}

// writeSkipped says how many tasks were not run, and why.
func writeSkipped(w io.Writer, results []Result) {
	why := map[string]int{}
	for _, r := range results {
		if r.Answer == "skipped" {
			why[r.Reason]++
		}
	}
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		parts = append(parts, fmt.Sprintf("%d (%s)", why[reason], reason))
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "\nskipped: %s\n", strings.Join(parts, ", "))
	}
}
