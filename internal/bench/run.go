package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/internal/process"
)

// Options of a run.
type Options struct {
	// Assay is the program to run, usually this one.
	Assay string
	// Sets restricts the tasks to these sets, Only to ids that match the glob.
	Sets []string
	Only string
	// Limit bounds the seconds of each task: processor time, and wall-clock
	// time given to the command.
	Limit time.Duration
	// Memory bounds the memory of each task, as `assay check --memory` reads it.
	Memory string
	// Parallel is the number of tasks at a time.
	Parallel int
	// CheckFlags are passed on to `assay check`.
	CheckFlags []string
	// Done, if not nil, is called after each task, from one goroutine at a time.
	Done func(done, total int, r Result)
}

// Result is what became of one task.
type Result struct {
	Task    Task
	Answer  string // true, true (uncertified), false(…), unknown, timeout, memory, error, crash, skipped
	Correct correctness
	CPU     time.Duration
	Wall    time.Duration
	Reason  string
}

// Run runs the tasks that the options choose, and returns one result for each
// in the order of the table. When the context ends, the tasks that have not
// run are left out.
func Run(ctx context.Context, tasks []Task, o Options) ([]Result, error) {
	chosen, err := choose(tasks, o)
	if err != nil {
		return nil, err
	}
	results := make([]*Result, len(chosen))
	next := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := 0
	for range max(1, o.Parallel) {
		wg.Go(func() {
			for i := range next {
				r := runTask(ctx, chosen[i], o)
				if ctx.Err() != nil {
					continue // half-done: no result
				}
				mu.Lock()
				results[i] = &r
				done++
				if o.Done != nil {
					o.Done(done, len(chosen), r)
				}
				mu.Unlock()
			}
		})
	}
	for i := range chosen {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	var out []Result
	for _, r := range results {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out, nil
}

// choose selects tasks by set and id; a set that does not exist is an error.
func choose(tasks []Task, o Options) ([]Task, error) {
	known := map[string]bool{}
	for _, t := range tasks {
		known[t.Set] = true
	}
	for _, s := range o.Sets {
		if !known[s] {
			return nil, fmt.Errorf("there is no set %q in the table", s)
		}
	}
	var out []Task
	for _, t := range tasks {
		if len(o.Sets) > 0 && !slices.Contains(o.Sets, t.Set) {
			continue
		}
		if o.Only != "" {
			ok, err := path.Match(o.Only, t.ID)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", o.Only, err)
			}
			if !ok {
				continue
			}
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no task is left to run")
	}
	return out, nil
}

// answerJSON is the part of the output of `assay check --json` that counts here.
type answerJSON struct {
	Result   string   `json:"result"`
	Replayed []string `json:"replayed"`
	Native   string   `json:"native_replay"`
	Passes   []struct {
		Text     string `json:"text"`
		Position struct {
			Line int `json:"line"`
		} `json:"position"`
	} `json:"undefined_behaviour_on_the_way"`
	Reasons []struct {
		Cause    string `json:"cause"`
		Text     string `json:"text"`
		Position struct {
			Line int `json:"line"`
		} `json:"position"`
	} `json:"reasons"`
}

// runTask runs one task to its end.
func runTask(ctx context.Context, t Task, o Options) Result {
	if why := t.skipReason(); why != "" {
		return Result{Task: t, Answer: "skipped", Reason: why}
	}
	property, _, _ := strings.Cut(t.Property, ":")
	args := []string{
		"check", "--json", "--quiet",
		"--property", supported[property],
		"--data-model", strings.ToLower(t.DataModel),
		"--timeout", strconv.FormatFloat(o.Limit.Seconds(), 'f', -1, 64) + "s",
	}
	if o.Memory != "" {
		args = append(args, "--memory", o.Memory)
	}
	args = append(append(args, o.CheckFlags...), t.Path)
	cmd := exec.Command(o.Assay, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	outcome, err := process.Run(ctx, cmd, process.Limits{CPU: o.Limit + time.Second, Wall: 2*o.Limit + 10*time.Second})
	if err != nil {
		return Result{Task: t, Answer: "error", Reason: err.Error()}
	}
	r := Result{Task: t, CPU: outcome.CPU, Wall: outcome.Wall}
	r.Answer, r.Reason = classify(outcome, stdout.Bytes(), stderr.String())
	r.Correct = t.judge(r.Answer)
	return r
}

// classify turns the end of a process into an answer and its reason.
func classify(o process.Outcome, stdout []byte, stderr string) (answer, reason string) {
	var a answerJSON
	parsed := json.Unmarshal(stdout, &a) == nil && a.Result != ""
	switch {
	case o.TimedOut:
		return "timeout", "killed at the limit"
	case o.Signal != 0:
		return "crash", fmt.Sprintf("signal %s: %s", signalName(o.Signal), lastLine(stderr))
	case o.ExitCode == 3:
		return "error", firstLine(stderr)
	case o.ExitCode == 4 || o.ExitCode > 4 || !parsed:
		return "crash", fmt.Sprintf("exit code %d: %s", o.ExitCode, firstLine(stderr))
	}
	if a.Result != "unknown" {
		switch {
		case slices.Contains(a.Replayed, "native"):
			reason = "replayed natively"
		case a.Native != "":
			reason = "native replay: " + a.Native
		}
		if len(a.Passes) > 0 {
			if reason != "" {
				reason += "; "
			}
			reason += fmt.Sprintf("passes through undefined behaviour: %s (line %d)", a.Passes[0].Text, a.Passes[0].Position.Line)
		}
		return a.Result, reason
	}
	for _, r := range a.Reasons {
		if r.Cause == "timeout" || r.Cause == "memory" {
			answer = r.Cause
		}
	}
	if len(a.Reasons) > 0 {
		first := a.Reasons[0]
		reason = first.Cause + ": " + first.Text
		if first.Position.Line > 0 {
			reason += fmt.Sprintf(" (line %d)", first.Position.Line)
		}
	}
	if answer == "" {
		answer = "unknown"
	}
	for _, r := range a.Reasons {
		if r.Cause == "internal error" {
			return "crash", "internal error: " + r.Text
		}
	}
	return answer, reason
}

func signalName(s syscall.Signal) string { return fmt.Sprintf("%d (%s)", int(s), s) }

// firstLine is the first line of a text that is not empty, shortened.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return clip(line)
}

// lastLine is the last line of a text, shortened.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return clip(s[strings.LastIndexByte(s, '\n')+1:])
}

func clip(s string) string {
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}
