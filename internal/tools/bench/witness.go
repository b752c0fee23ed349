package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"assay/internal/run/process"
)

// This file has the witnesses of answers judged by assay validate, each by a process of its own, with the limits of the task.

// quick is how many times the time of a false its validation may take, as the goal is.
const quick = 3

// witnessed says whether answers about a task have witnesses.
func (t Task) witnessed() bool {
	switch t.question() {
	case "ltl", "ctl", "complexity":
		return false
	}
	return true
}

// answered says that a result is one that may have a witness.
func (r Result) answered() bool {
	return strings.HasPrefix(r.Answer, "true") || strings.HasPrefix(r.Answer, "false")
}

// validate has the witness of a result judged.
func (r *runner) validate(ctx context.Context, t Task, witness, mark string, result *Result) {
	if !result.answered() {
		return
	}
	if info, err := os.Stat(witness); err != nil || info.Size() == 0 {
		result.Witness = "none"
		return
	}
	args := append([]string{"validate", "--quiet", "--witness", witness}, t.specified()...)
	args = append(append(args, t.semantics()...), "--timeout", fmt.Sprintf("%gs", r.o.Limit.Seconds()))
	if r.o.Memory != "" {
		args = append(args, "--memory", r.o.Memory)
	}
	cmd := exec.Command(r.o.Assay, append(args, t.Paths...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Dir(witness), taskVariable+"="+mark)
	stdout := capture{limit: 32 << 10}
	cmd.Stdout = &stdout
	r.orphans.running.RLock()
	outcome, err := process.Run(ctx, cmd, process.Limits{CPU: r.o.Limit + time.Second, Wall: 2*r.o.Limit + 10*time.Second})
	r.orphans.running.RUnlock()
	r.orphans.sweep(mark)
	result.Validation = outcome.CPU
	judgement, known := strings.CutPrefix(strings.TrimSpace(lastLine(string(stdout.bytes()))), "RESULT: ")
	switch {
	case err != nil, ctx.Err() != nil, !known && !outcome.TimedOut:
		result.Witness = "error"
	case outcome.TimedOut:
		result.Witness = "timeout"
	default:
		result.Witness = judgement
	}
}

// writeWitnesses prints what became of the witnesses of each set, and lists those that were not confirmed, or late.
func writeWitnesses(w io.Writer, results []Result) {
	type count struct{ trues, confirmedTrues, falses, confirmedFalses, quick int }
	counts := map[string]*count{}
	var order []string
	var open []string
	for _, r := range results {
		if r.Witness == "" {
			continue
		}
		c := counts[r.Task.Set]
		if c == nil {
			c = &count{}
			counts[r.Task.Set] = c
			order = append(order, r.Task.Set)
		}
		confirmed := r.Witness == "confirmed"
		late := false
		if strings.HasPrefix(r.Answer, "true") {
			c.trues++
			if confirmed {
				c.confirmedTrues++
			}
		} else {
			c.falses++
			if confirmed {
				c.confirmedFalses++
			}
			late = r.Validation >= quick*r.CPU
			if confirmed && !late {
				c.quick++
			}
		}
		if !confirmed || late {
			open = append(open, fmt.Sprintf("  %s: %s: witness %s, cpu %s s, then %s s", r.Task.File, r.Answer, r.Witness, seconds(r.CPU), seconds(r.Validation)))
		}
	}
	if len(counts) == 0 {
		return
	}
	slices.Sort(order)
	fmt.Fprintln(w, "\nWITNESSES")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "set\ttrue\tconfirmed\tfalse\tconfirmed\tin %d times the time\t\n", quick)
	for _, set := range order {
		c := counts[set]
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t\n", set, c.trues, c.confirmedTrues, c.falses, c.confirmedFalses, c.quick)
	}
	tw.Flush()
	for _, line := range open {
		fmt.Fprintln(w, line)
	}
}
