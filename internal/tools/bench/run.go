package bench

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay/internal/run/process"
	"assay/internal/run/schedule"
)

// Options of a run.
type Options struct {
	// Assay is the program to run, usually this one.
	Assay string
	// Sets restricts the tasks to these sets, Properties to these properties,
	// Only to ids that match the glob, as a whole or after the last slash.
	Sets       []string
	Properties []string
	Only       string
	// Limit bounds the seconds of each task: processor time, and wall-clock
	// time given to the command.
	Limit time.Duration
	// Memory bounds the memory of each task, as `assay check --memory` reads it.
	Memory string
	// Parallel is the number of tasks at a time.
	Parallel int
	// Compile, if not empty, is a compiler with its flags: each task's C file is compiled, and the
	// object file is what is asked about.
	Compile string
	// Witnesses asks for a witness of each answer, and has it judged.
	Witnesses bool
	// CheckFlags are passed on to `assay check`.
	CheckFlags []string
	// Temporary is an existing folder below which each task gets its own for
	// temporary files; empty for that of the system.
	Temporary string
	// Known are results of an earlier run: their tasks do not run again.
	Known map[Key]Result
	// Record, if not nil, is called with each new result, from one goroutine at
	// a time. Its error ends the run.
	Record func(Result) error
	// Progress, if not nil, is called after each task, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is the state of a run after one more task.
type Progress struct {
	Done, Total                     int
	Solved, Wrong, Crashed, Skipped int
	CPU                             time.Duration // of the solved tasks
	Last                            Result
	Known                           bool // Last is of an earlier run
}

// Settings are the options that may change an answer, as one text.
func (o Options) Settings() string {
	text := strings.Join(o.settings(), " ")
	if o.Compile != "" {
		text += " of " + o.Compile
	}
	if o.Witnesses {
		text += " with witnesses"
	}
	return text
}

func (o Options) settings() []string {
	args := []string{"--timeout", strconv.FormatFloat(o.Limit.Seconds(), 'f', -1, 64) + "s"}
	if o.Memory != "" {
		args = append(args, "--memory", o.Memory)
	}
	return append(args, o.CheckFlags...)
}

// arguments of the program for a task.
func (o Options) arguments(t Task, output ...string) []string {
	args := append([]string{"check"}, output...)
	if t.question() == "ctl" && len(t.Paths) == 1 && filepath.Ext(t.Paths[0]) == ".t2" {
		args[0] = "solve"
		return append(append(append(args, "--ctl", t.formula()), o.settings()...), t.Paths...)
	}
	if t.question() == "complexity" {
		args[0] = "bound"
	} else if t.question() == "ctl" {
		args = append(args, "--ctl", t.formula(), "--unmodelled", "pure")
		if t.Precondition != "" {
			args = append(args, "--assume", strings.TrimSpace(t.Precondition), "--havoc-uninitialised")
		}
	} else {
		args = append(args, t.specified()...)
		if t.question() == "ltl" {
			args = append(args, "--ltl", t.formula())
		}
	}
	return append(append(append(args, t.semantics()...), o.settings()...), t.Paths...)
}

// specified are the flags for the property of a task.
func (t Task) specified() []string {
	if t.Spec != "" {
		return []string{"--spec", t.Spec}
	}
	return []string{"--property", supported[t.question()], "--unmodelled", "pure"} // the labels of tables are those of the competition, too
}

// semantics are the flags for the machine of a task.
func (t Task) semantics() (args []string) {
	if t.DataModel != "" {
		args = append(args, "--data-model", strings.ToLower(t.DataModel))
	}
	if t.Integers {
		args = append(args, "--semantics", "integers")
	}
	return args
}

// Command is the command line for a shell that runs a task again.
func (o Options) Command(t Task) string {
	words := append([]string{o.Assay}, o.arguments(t)...)
	for i, w := range words {
		words[i] = quote(w)
	}
	return strings.Join(words, " ")
}

// quote protects a word from the shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_./=:,+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Run runs the tasks that the options choose, and returns one result for each
// in the order of the table. When the context ends, the running ones are
// killed, and the tasks that have no result are left out.
//
// From the first call on this process adopts orphans, see orphans.go.
func Run(ctx context.Context, tasks []Task, o Options) ([]Result, error) {
	chosen, err := choose(tasks, o)
	if err != nil {
		return nil, err
	}
	if err := adopt(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &runner{o: o, results: make([]*Result, len(chosen)), stop: stop}
	r.progress.Total = len(chosen)
	next := make(chan int, len(chosen))
	for i, t := range chosen {
		if known, ok := o.Known[t.Key()]; ok {
			known.Task = t
			known.Correct = t.judge(known.Answer)
			r.finish(i, known, false)
			continue
		}
		next <- i
	}
	close(next)
	worker := schedule.Engine[struct{}]{Name: "worker", Run: func(ctx context.Context) struct{} {
		for i := range next {
			if ctx.Err() != nil {
				break
			}
			if result, ok := r.runTask(ctx, i, chosen[i]); ok {
				r.finish(i, result, true)
			}
		}
		return struct{}{}
	}}
	schedule.Run(ctx, slices.Repeat([]schedule.Engine[struct{}]{worker}, max(1, o.Parallel)), func(struct{}) schedule.Side { return schedule.Open })
	r.orphans.sweep("")
	var out []Result
	for _, result := range r.results {
		if result != nil {
			out = append(out, *result)
		}
	}
	return out, r.failure
}

// runner is the state of a run.
type runner struct {
	o       Options
	orphans orphanage
	stop    context.CancelCauseFunc

	mu       sync.Mutex
	results  []*Result
	progress Progress
	failure  error // of Record
}

// finish notes the result of task i.
func (r *runner) finish(i int, result Result, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return
	}
	if fresh && r.o.Record != nil {
		if r.failure = r.o.Record(result); r.failure != nil {
			r.stop(r.failure)
			return
		}
	}
	r.results[i] = &result
	p := &r.progress
	p.Done, p.Last, p.Known = p.Done+1, result, !fresh
	switch result.category() {
	case "correct":
		p.Solved++
		p.CPU += result.CPU
	case "wrong":
		p.Wrong++
	case "crash":
		p.Crashed++
	case "skipped":
		p.Skipped++
	}
	if r.o.Progress != nil {
		r.o.Progress(*p)
	}
}

// choose selects tasks; a set or property that does not exist is an error.
func choose(tasks []Task, o Options) ([]Task, error) {
	for _, s := range o.Sets {
		if !slices.ContainsFunc(tasks, func(t Task) bool { return t.Set == s }) {
			return nil, fmt.Errorf("there is no set %q in the table", s)
		}
	}
	for _, p := range o.Properties {
		if !slices.ContainsFunc(tasks, func(t Task) bool { return t.question() == p }) {
			return nil, fmt.Errorf("there is no task with the property %q", p)
		}
	}
	if _, err := path.Match(o.Only, ""); err != nil {
		return nil, fmt.Errorf("pattern %q: %w", o.Only, err)
	}
	var out []Task
	for _, t := range tasks {
		if len(o.Sets) > 0 && !slices.Contains(o.Sets, t.Set) || len(o.Properties) > 0 && !slices.Contains(o.Properties, t.question()) {
			continue
		}
		whole, _ := path.Match(o.Only, t.ID)
		base, _ := path.Match(o.Only, path.Base(t.ID))
		if o.Only == "" || whole || base {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no task is left to run")
	}
	return out, nil
}

// outputLimit bounds what is kept of the output of a task.
const outputLimit = 4 << 20

// runTask runs task i to its end; not ok if the context ended it.
func (r *runner) runTask(ctx context.Context, i int, t Task) (result Result, ok bool) {
	if why := t.skipReason(); why != "" {
		return Result{Task: t, Answer: "skipped", Reason: why}, true
	}
	failed := func(err error) (Result, bool) {
		return Result{Task: t, Answer: "error", Reason: err.Error()}, ctx.Err() == nil
	}
	folder, err := os.MkdirTemp(r.o.Temporary, "assay-bench-")
	if err != nil {
		return failed(err)
	}
	defer func() {
		if err := removeAll(folder); err != nil && result.Reason == "" {
			result.Reason = err.Error()
		}
	}()
	asked := t
	if r.o.Compile != "" {
		var why string
		r.orphans.running.RLock()
		asked, why, err = r.o.compiled(ctx, t, folder)
		r.orphans.running.RUnlock()
		if err != nil {
			return failed(err)
		} else if why != "" {
			return Result{Task: t, Answer: "skipped", Reason: why}, ctx.Err() == nil
		}
	}
	mark := strconv.Itoa(os.Getpid()) + "." + strconv.Itoa(i)
	output := []string{"--json", "--quiet"}
	witness := ""
	if r.o.Witnesses && asked.witnessed() {
		witness = filepath.Join(folder, "witness.yml")
		output = append(output, "--witness", witness)
	}
	cmd := exec.Command(r.o.Assay, r.o.arguments(asked, output...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+folder, taskVariable+"="+mark)
	stdout, stderr := capture{limit: outputLimit}, capture{limit: 32 << 10}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	r.orphans.running.RLock()
	outcome, err := process.Run(ctx, cmd, process.Limits{CPU: r.o.Limit + time.Second, Wall: 2*r.o.Limit + 10*time.Second})
	r.orphans.running.RUnlock()
	r.orphans.sweep(mark)
	if err != nil {
		return failed(err)
	}
	if ctx.Err() != nil {
		return Result{}, false // half-done
	}
	result = Result{Task: t, CPU: outcome.CPU, Wall: outcome.Wall, Memory: outcome.Resident}
	result.Answer, result.Reason = classify(outcome, stdout.bytes(), string(stderr.bytes()))
	result.Correct = t.judge(result.Answer)
	if witness != "" {
		r.validate(ctx, asked, witness, mark, &result)
		if ctx.Err() != nil {
			return Result{}, false
		}
	}
	return result, true
}

// removeAll removes a folder, also if the task took away the permission for it.
func removeAll(folder string) error {
	if os.RemoveAll(folder) == nil {
		return nil
	}
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(folder)
}
