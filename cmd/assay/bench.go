package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"assay"
	"assay/internal/bench"
	"assay/internal/report"
)

// benchCommand is `assay bench`.
func benchCommand() *cobra.Command {
	o := bench.Options{Limit: 10 * time.Second, Parallel: 1}
	var sets, out, replay string
	memory := uint64(7 << 30)
	c := &cobra.Command{
		Use:   "bench tasks.csv [flags] [-- flags of check]",
		Short: "Run a table of tasks with known verdicts and compare the answers",
		Long: `Run 'assay check' on every task of a table and compare the answers.

The table is a CSV file with the columns id, set, file, property, expected and
data_model; paths are relative to its folder. A file peers.csv beside it, with
the answers of other tools, is compared as well.`,
		Example: "  assay bench tasks.csv --set basic,bitvector --limit 10 -j 2 --out results.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 {
				return &usageError{"a table of tasks is needed"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if sets != "" {
				o.Sets = strings.Split(sets, ",")
			}
			o.Memory = fmt.Sprint(memory)
			o.CheckFlags = args[1:]
			if replay != "" {
				o.CheckFlags = append(o.CheckFlags, "--replay="+replay)
			}
			return runBench(args[0], out, o)
		},
	}
	f := c.Flags()
	f.StringVar(&sets, "set", "", "run only these sets, separated by commas")
	f.StringVar(&o.Only, "only", "", "run only tasks whose id matches this `glob`")
	f.Var(durationValue{&o.Limit}, "limit", "time for each task")
	f.Var(durationValue{&o.Limit}, "timeout", "the same")
	f.Var(sizeValue{&memory}, "memory", "memory for each task")
	f.IntVarP(&o.Parallel, "jobs", "j", 1, "tasks at a time")
	f.StringVar(&out, "out", "", "write the results to this CSV `file`")
	f.StringVar(&replay, "replay", "", "interpreter or native, passed on to check")
	return c
}

// runBench runs the tasks and prints the tables. It fails if an answer is wrong.
func runBench(tasksPath, out string, o bench.Options) error {
	tasks, err := bench.ReadTasks(tasksPath)
	if err != nil {
		return &assay.InputError{Message: err.Error()}
	}
	if o.Assay, err = os.Executable(); err != nil {
		return &assay.EnvironmentError{Doing: "finding this program", Err: err}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p := report.NewProgress(os.Stderr)
		defer p.Clear()
		o.Done = func(done, total int, r bench.Result) {
			p.Line(fmt.Sprintf("%d/%d %s %s", done, total, r.Task.File, r.Answer))
			if done == total {
				p.Clear()
			}
		}
	}
	results, err := bench.Run(ctx, tasks, o)
	if err != nil {
		return &assay.InputError{Message: err.Error()}
	}
	if out != "" {
		if err := bench.WriteCSV(out, results); err != nil {
			return &assay.EnvironmentError{Doing: "writing the results", Err: err}
		}
	}
	bench.WriteSummary(os.Stdout, results)
	if err := bench.WritePeers(os.Stdout, tasksPath, results); err != nil {
		return &assay.InputError{Message: err.Error()}
	}
	if bench.AnyWrong(results) {
		return exit(exitFalse)
	}
	return nil
}
