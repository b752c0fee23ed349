package bench

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteCSV writes one line a result.
func WriteCSV(path string, results []Result) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	_ = w.Write([]string{"id", "set", "file", "property", "expected", "answer", "correct", "cpu_s", "wall_s", "reason"})
	for _, r := range results {
		_ = w.Write([]string{
			r.Task.ID, r.Task.Set, r.Task.File, r.Task.Property, r.Task.Expected, r.Answer,
			string(r.Correct), seconds(r.CPU), seconds(r.Wall), r.Reason,
		})
	}
	w.Flush()
	return cmp.Or(w.Error(), f.Close())
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) }

// WriteSummary prints wrong answers first, then crashes and errors, then a
// table by set.
func WriteSummary(w io.Writer, results []Result) {
	list(w, "WRONG ANSWERS", results, func(r Result) bool { return r.Correct == wrong })
	list(w, "CRASHES AND INTERNAL ERRORS", results, func(r Result) bool { return r.Answer == "crash" })
	list(w, "REJECTED INPUT", results, func(r Result) bool { return r.Answer == "error" })
	list(w, "DECIDED WITHOUT A PUBLISHED VERDICT", results, func(r Result) bool { return r.Correct == unjudged })
	table(w, results)
	skipped(w, results)
}

// AnyWrong says whether an answer contradicts its label.
func AnyWrong(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Correct == wrong })
}

// list prints the results that pass the filter, under a title.
func list(w io.Writer, title string, results []Result, filter func(Result) bool) {
	first := true
	for _, r := range results {
		if !filter(r) {
			continue
		}
		if first {
			fmt.Fprintf(w, "%s\n", title)
			first = false
		}
		fmt.Fprintf(w, "  %s: %s, expected %s: %s %s\n", r.Task.File, r.Answer, r.Task.Expected, r.Task.Property, r.Reason)
	}
	if !first {
		fmt.Fprintln(w)
	}
}

// count holds the numbers of one set.
type count struct {
	run, right, rightFalse, wrong, unknown, timeout, memory, failed, uncertified, skipped int
	times                                                                                 []time.Duration
}

func (c *count) add(r Result) {
	if r.Answer == "skipped" {
		c.skipped++
		return
	}
	c.run++
	switch {
	case r.Correct == wrong:
		c.wrong++
	case r.Correct == correct && strings.HasPrefix(r.Answer, "true"):
		c.right++
	case r.Correct == correct:
		c.rightFalse++
	case r.Answer == "timeout":
		c.timeout++
	case r.Answer == "memory":
		c.memory++
	case r.Answer == "crash" || r.Answer == "error":
		c.failed++
	default:
		c.unknown++
	}
	if strings.Contains(r.Answer, "uncertified") {
		c.uncertified++
	}
	if r.Correct == correct {
		c.times = append(c.times, r.Wall)
	}
}

// table prints the counts of every set that was run, and their sum.
func table(w io.Writer, results []Result) {
	sets := map[string]*count{}
	var all count
	for _, r := range results {
		if sets[r.Task.Set] == nil {
			sets[r.Task.Set] = &count{}
		}
		sets[r.Task.Set].add(r)
		all.add(r)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "set\ttasks\tsolved\ttrue\tfalse\tWRONG\tunknown\ttimeout\tmemory\terror\tuncertified\tmedian s\ttotal s\t")
	line := func(name string, c *count) {
		if c.run == 0 {
			return
		}
		solved := c.right + c.rightFalse
		fmt.Fprintf(tw, "%s\t%d\t%d (%d%%)\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n", name, c.run, solved, 100*solved/c.run,
			c.right, c.rightFalse, c.wrong, c.unknown, c.timeout, c.memory, c.failed, c.uncertified, median(c.times), total(c.times))
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		line(name, sets[name])
	}
	if len(sets) > 1 {
		line("all", &all)
	}
	tw.Flush()
}

func median(ts []time.Duration) string {
	if len(ts) == 0 {
		return "-"
	}
	slices.Sort(ts)
	return seconds((ts[(len(ts)-1)/2] + ts[len(ts)/2]) / 2)
}

func total(ts []time.Duration) string {
	var sum time.Duration
	for _, t := range ts {
		sum += t
	}
	return seconds(sum)
}

// skipped says how many tasks were not run, and why.
func skipped(w io.Writer, results []Result) {
	why := map[string]int{}
	for _, r := range results {
		if r.Answer == "skipped" {
			why[r.Reason]++
		}
	}
	if len(why) == 0 {
		return
	}
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		parts = append(parts, fmt.Sprintf("%d (%s)", why[reason], reason))
	}
	fmt.Fprintf(w, "\nskipped: %s\n", strings.Join(parts, ", "))
}

// WritePeers compares the results with the table peers.csv beside the table of
// tasks, if there is one: for each set and tool, how many of the tasks that
// the tool ran, and that were run now, each of the two solved.
func WritePeers(w io.Writer, tasksPath string, results []Result) error {
	path := filepath.Join(filepath.Dir(tasksPath), "peers.csv")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	rows, err := readTable(path, []string{"id", "tool", "correct"})
	if err != nil {
		return err
	}
	byID := map[string]Result{}
	for _, r := range results {
		if r.Answer != "skipped" {
			byID[r.Task.ID] = r
		}
	}
	type key struct{ set, tool string }
	type score struct{ tasks, theirs, ours int }
	scores := map[key]*score{}
	tools := map[string]bool{}
	sets := map[string]bool{}
	for _, row := range rows {
		r, ok := byID[row["id"]]
		if !ok {
			continue
		}
		k := key{r.Task.Set, row["tool"]}
		if scores[k] == nil {
			scores[k] = &score{}
		}
		s := scores[k]
		s.tasks++
		if row["correct"] == "yes" {
			s.theirs++
		}
		if r.Correct == correct {
			s.ours++
		}
		tools[k.tool], sets[k.set] = true, true
	}
	if len(scores) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nassay and other tools, solved of the tasks that both ran (10 s each for the others):")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	names := slices.Sorted(maps.Keys(tools))
	fmt.Fprint(tw, "set\t")
	for _, tool := range names {
		fmt.Fprintf(tw, "assay : %s\tof\t", tool)
	}
	fmt.Fprintln(tw)
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprintf(tw, "%s\t", set)
		for _, tool := range names {
			if s := scores[key{set, tool}]; s != nil {
				fmt.Fprintf(tw, "%d : %d\t%d\t", s.ours, s.theirs, s.tasks)
			} else {
				fmt.Fprint(tw, "\t\t")
			}
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}
