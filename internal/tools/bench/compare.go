package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Change is a task whose result differs between two runs.
type Change struct{ Old, New Result }

// Comparison of two runs, task by task. A task is solved if its answer is
// right and was confirmed.
type Comparison struct {
	Common           int // tasks with a result in both
	OnlyOld, OnlyNew int
	OldSolved        int // of the common ones
	NewSolved        int
	OldPoints        int
	NewPoints        int
	BothSolved       int
	OldCPU, NewCPU   time.Duration // of those that both solved
	// BecameWrong includes tasks without an old result.
	BecameWrong, StillWrong, NoLongerWrong []Change
	BecameCrash                            []Change
	Lost, Gained                           []Change
	// Faster and Slower are solved in both.
	Faster, Slower []Change
}

// Threshold of a remarkable change of processor time: both must be passed.
type Threshold struct {
	Factor     float64
	Difference time.Duration
}

func (t Threshold) passed(less, more time.Duration) bool {
	return more-less >= t.Difference && float64(more) >= t.Factor*float64(less)
}

// Compare compares two runs. Skipped tasks count as not run.
func Compare(old, new []Result, t Threshold) *Comparison {
	c := &Comparison{}
	before := map[Key]Result{}
	for _, r := range old {
		if r.Answer != "skipped" {
			before[r.Task.Key()] = r
		}
	}
	c.OnlyOld = len(before)
	for _, n := range new {
		if n.Answer == "skipped" {
			continue
		}
		o, known := before[n.Task.Key()]
		if n.Correct == wrong && o.Correct != wrong {
			c.BecameWrong = append(c.BecameWrong, Change{o, n})
		}
		if n.Answer == "crash" && o.Answer != "crash" {
			c.BecameCrash = append(c.BecameCrash, Change{o, n})
		}
		if !known {
			c.OnlyNew++
			continue
		}
		c.OnlyOld--
		c.add(Change{o, n}, t)
	}
	return c
}

// add counts a task that both runs have.
func (c *Comparison) add(d Change, t Threshold) {
	o, n := d.Old, d.New
	c.Common++
	c.OldPoints += o.Points()
	c.NewPoints += n.Points()
	switch {
	case o.Correct == wrong && n.Correct == wrong:
		c.StillWrong = append(c.StillWrong, d)
	case o.Correct == wrong:
		c.NoLongerWrong = append(c.NoLongerWrong, d)
	}
	switch {
	case o.solved() && n.solved():
		c.OldSolved++
		c.NewSolved++
		c.BothSolved++
		c.OldCPU += o.CPU
		c.NewCPU += n.CPU
		if t.passed(n.CPU, o.CPU) {
			c.Faster = append(c.Faster, d)
		} else if t.passed(o.CPU, n.CPU) {
			c.Slower = append(c.Slower, d)
		}
	case o.solved():
		c.OldSolved++
		c.Lost = append(c.Lost, d)
	case n.solved():
		c.NewSolved++
		c.Gained = append(c.Gained, d)
	}
}

// Write prints the comparison, what is worst at the end.
func (c *Comparison) Write(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\told\tnew\t")
	fmt.Fprintf(tw, "solved of %d tasks in both\t%d\t%d\t\n", c.Common, c.OldSolved, c.NewSolved)
	fmt.Fprintf(tw, "score\t%d\t%d\t\n", c.OldPoints, c.NewPoints)
	fmt.Fprintf(tw, "cpu s of %d solved by both\t%s\t%s\t\n", c.BothSolved, seconds(c.OldCPU), seconds(c.NewCPU))
	fmt.Fprintf(tw, "tasks only there\t%d\t%d\t\n", c.OnlyOld, c.OnlyNew)
	tw.Flush()
	for _, l := range []struct {
		title   string
		changes []Change
	}{
		{"faster", c.Faster}, {"slower", c.Slower}, {"gained", c.Gained}, {"lost", c.Lost},
		{"crashes now", c.BecameCrash}, {"no longer wrong", c.NoLongerWrong}, {"still wrong", c.StillWrong}, {"BECAME WRONG", c.BecameWrong},
	} {
		if len(l.changes) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s: %d\n", l.title, len(l.changes))
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, d := range l.changes {
			fmt.Fprintf(tw, "  %s\t%s\t%s -> %s\t%s\n", d.New.Task.ID, d.New.Task.Property, brief(d.Old), brief(d.New), d.New.Reason)
		}
		tw.Flush()
	}
}

// brief is a result in two words.
func brief(r Result) string {
	if r.Answer == "" {
		return "(not run)"
	}
	return fmt.Sprintf("%s %s s", r.Answer, seconds(r.CPU))
}
