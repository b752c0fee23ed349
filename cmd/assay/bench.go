package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/tools/bench"
)

// benchFlags are the flags of `assay bench`.
type benchFlags struct {
	tables           []string
	options          bench.Options
	sets, properties string
	memory           uint64
	out, html        string
	resume           bool
	replay           string
	growth           string
	scale            []string
	reference        string
}

const benchHelp = `Run 'assay check' on every task of a table and compare the answers.

The tasks are CSV tables with the columns id, set, file, property, expected and
data_model (paths are relative to the folder of the table), task definitions of
BenchExec (.yml), or sets of those (.set). A file peers.csv beside a table, with
the answers of other tools, is compared as well. docs/bench.md explains the
output.

With --out every result is on the disk as soon as it is known. Ctrl-C kills the
running tasks and prints what is known; --resume continues such a run: tasks
that have a row with the same property, options and version are not run again.

Exit codes:
  0  all tasks ran, and no answer is wrong
  1  an answer is wrong
  2  the run was interrupted; none of the answers so far is wrong
  3  wrong use, wrong input, or something missing on the machine
  4  a bug of assay bench itself (a crash of a task is counted, not returned)`

// benchCommand is `assay bench`.
func benchCommand() *cobra.Command {
	f := &benchFlags{options: bench.Options{Limit: 10 * time.Second, Parallel: 1}, memory: 7 << 30}
	c := &cobra.Command{
		Use:   "bench tasks… [flags] [-- flags of check]",
		Short: "Run tasks with known verdicts and compare the answers",
		Long:  benchHelp,
		Example: `  assay bench tasks.csv --set basic,bitvector --limit 10 -j 2 --out results.csv --html results.html
  assay bench c/Loops.set --property unreach-call --limit 60 --out loops.csv --resume
  assay bench --growth loops --limit 60 --html growth.html
  assay bench tasks.csv --set kiki --compile 'gcc -O0 -g' --out binaries.csv
  assay bench compare before.csv after.csv`,
		Args: func(c *cobra.Command, args []string) error {
			dash := c.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			if dash == 0 && f.growth == "" {
				return &usageError{text: "a table of tasks is needed"}
			}
			f.tables, f.options.CheckFlags = args[:dash], args[dash:]
			if f.resume && f.out == "" {
				return &usageError{text: "--resume needs --out: the file with the results so far"}
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return f.run() },
	}
	fs := c.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.sets, "set", "", "run only these sets, separated by commas")
	fs.Var(&propertyValue{list: &f.properties}, "property", "run only tasks with these properties, separated by commas; may be repeated")
	fs.StringVar(&f.options.Only, "only", "", "run only tasks whose id, or its part after the last slash, matches this `glob`")
	fs.Var(durationValue{&f.options.Limit}, "limit", "time for each task")
	fs.Var(durationValue{&f.options.Limit}, "timeout", "the same")
	fs.Var(sizeValue{&f.memory}, "memory", "memory for each task")
	fs.IntVarP(&f.options.Parallel, "jobs", "j", 1, "tasks at a time")
	fs.StringVar(&f.options.Compile, "compile", "", "compile each C file by this `command`, such as 'gcc -O2 -g', and ask about the object file")
	fs.BoolVar(&f.options.Witnesses, "witness", false, "have each answer write a witness, which is judged by 'assay validate' with the same limits")
	fs.StringVar(&f.out, "out", "", "write the results to this CSV `file`, each at once")
	fs.BoolVar(&f.resume, "resume", false, "continue the run whose results are in the file of --out")
	fs.StringVar(&f.html, "html", "", "write a page with tables, plots and all results to this `file`")
	fs.StringVar(&f.growth, "growth", "", "also run programs that grow (nested loops, loops in sequence, functions, states, blocks of the heap, calls, with and without a bug), which are written to this `folder`, and show the times by size")
	fs.StringVar(&f.replay, "replay", "", "interpreter or native, passed on to check")
	fs.StringArrayVar(&f.scale, "scale", nil, "`tool=factor`: multiply the times of a tool in peers.csv; may be repeated")
	fs.StringVar(&f.reference, "reference", "", "scale the times of all tools by what assay took for the task `id` there: id, or id=seconds")
	c.AddCommand(compareCommand())
	return c
}

// run runs the tasks and prints the tables. It fails if an answer is wrong.
func (f *benchFlags) run() error {
	o := &f.options
	if o.Parallel < 1 {
		return &usageError{text: "--jobs must be positive"}
	}
	o.Sets, o.Properties = list(f.sets), list(f.properties)
	o.Memory = fmt.Sprint(f.memory)
	if f.replay != "" {
		o.CheckFlags = append(slices.Clip(o.CheckFlags), "--replay="+f.replay)
	}
	scale, err := f.readScale()
	if err != nil {
		return err
	}
	if f.growth != "" {
		table, err := bench.WriteFamilies(f.growth)
		if err != nil {
			return &assay.EnvironmentError{Doing: "writing the generated programs", Err: err}
		}
		f.tables = append(f.tables, table)
	}
	tasks, err := bench.ReadTasks(f.tables, undecidable)
	if err != nil {
		return asInput(err)
	}
	// Mistakes in peers.csv show before hours of work, not after.
	if _, err := bench.ReadPeers(f.tables, nil, bench.Scale{Factors: scale.Factors}); err != nil {
		return asInput(err)
	}
	if o.Assay, err = os.Executable(); err != nil {
		return &assay.EnvironmentError{Doing: "finding this program", Err: err}
	}
	log, err := f.openLog()
	if err != nil {
		return err
	}
	if log != nil {
		defer log.Close()
		o.Record = log.Append
	}
	if o.Temporary, err = os.MkdirTemp("", "assay-bench-"); err != nil {
		return &assay.EnvironmentError{Doing: "creating a folder for temporary files", Err: err}
	}
	defer os.RemoveAll(o.Temporary)
	// Crashes shall not leave core files in the folder of the user.
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})

	ctx, stop := interruptible(o.Temporary)
	defer stop()
	progress := newBenchProgress(os.Stderr)
	o.Progress = progress.update
	results, err := bench.Run(ctx, tasks, *o)
	progress.end()
	_ = os.RemoveAll(o.Temporary)
	if err != nil {
		return asInput(err)
	}
	interrupted := ctx.Err() != nil
	if err := f.report(results, scale); err != nil {
		return err
	}
	if interrupted {
		fmt.Fprintf(os.Stderr, "assay: interrupted with %d results; --out and --resume continue such a run\n", len(results))
	}
	switch {
	case bench.AnyWrong(results):
		return exit(exitFalse)
	case interrupted:
		return exit(exitUnknown)
	}
	return nil
}

// report prints the tables and writes the page.
func (f *benchFlags) report(results []bench.Result, scale bench.Scale) error {
	// A reference task that was not solved costs the comparison, not the page.
	peers, failure := bench.ReadPeers(f.tables, results, scale)
	if failure != nil {
		peers, failure = &bench.Peers{}, asInput(failure)
	}
	peers.Write(os.Stdout)
	peers.WriteClasses(os.Stdout)
	bench.WriteSummary(os.Stdout, results, f.options)
	if f.html == "" {
		return failure
	}
	err := writeFile(f.html, func(w io.Writer) error {
		return bench.WritePage(w, "assay bench "+strings.Join(f.tables, " "), time.Now(), results, peers, f.options)
	})
	if err != nil {
		return &assay.EnvironmentError{Doing: "writing the page", Err: err}
	}
	return failure
}

// openLog opens the file of results, nil if there is none.
func (f *benchFlags) openLog() (*bench.Log, error) {
	if f.out == "" {
		return nil, nil
	}
	build, err := fingerprint(f.options.Assay)
	if err != nil {
		return nil, &assay.EnvironmentError{Doing: "reading this program", Err: err}
	}
	p := bench.Provenance{Settings: f.options.Settings(), Version: assay.Version() + " " + build}
	if !f.resume {
		log, err := bench.CreateLog(f.out, p)
		if err != nil {
			return nil, &assay.EnvironmentError{Doing: "writing the results", Err: err}
		}
		return log, nil
	}
	log, found, err := bench.ResumeLog(f.out, p)
	if err != nil {
		return nil, asInput(err)
	}
	f.options.Known = found.Known
	fmt.Fprintf(os.Stderr, "%s: %d results of this version with these options\n", f.out, len(found.Known))
	if found.Dropped > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d results of another version or with other options do not count; the old file is %s now\n", f.out, found.Dropped, found.Backup)
	}
	return log, nil
}

// fingerprint identifies a build: versions of development builds are equal.
func fingerprint(program string) (string, error) {
	file, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), nil
}

// readScale reads --scale and --reference.
func (f *benchFlags) readScale() (bench.Scale, error) {
	s := bench.Scale{Factors: map[string]float64{}}
	for _, text := range f.scale {
		tool, number, _ := strings.Cut(text, "=")
		factor, err := strconv.ParseFloat(number, 64)
		if err != nil || tool == "" || !(factor > 0 && factor < 1e6) {
			return s, &usageError{text: fmt.Sprintf("--scale %q: write tool=factor, for example cbmc=0.8", text)}
		}
		s.Factors[tool] = factor
	}
	id, number, given := strings.Cut(f.reference, "=")
	s.Reference = id
	if given {
		var err error
		if s.Seconds, err = strconv.ParseFloat(number, 64); err != nil || id == "" || !(s.Seconds > 0 && s.Seconds < 1e6) {
			return s, &usageError{text: fmt.Sprintf("--reference %q: write id or id=seconds", f.reference)}
		}
	}
	return s, nil
}

// undecidable are the formulas of a property file that no engine decides yet.
func undecidable(path string) ([]string, error) {
	s, err := assay.ReadPropertyFile(path)
	if err != nil {
		return nil, err
	}
	return s.Unsupported, nil
}

// interruptible is a context that a signal ends. The second signal ends this
// process at once: the kernel kills the running tasks then.
func interruptible(temporary string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	// A reader of our output that goes away (head) does not end the run. To
	// ignore the signal would make the tasks ignore it, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ended:
			return
		}
		select {
		case <-signals:
			_ = os.RemoveAll(temporary)
			os.Exit(exitUnknown)
		case <-ended:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(ended)
	}
}

// list splits a list at its commas.
func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// asInput makes an error one about the input, unless it is of a kind already.
func asInput(err error) error {
	var i *assay.InputError
	var e *assay.EnvironmentError
	if errors.As(err, &i) || errors.As(err, &e) {
		return err
	}
	return &assay.InputError{Message: err.Error()}
}

// writeFile writes a file; an error to close it counts.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(file)
	return errors.Join(err, file.Close())
}
