package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"assay"
	"assay/internal/run/process"
)

// This file runs `assay check --memory` in a child process, because the
// libraries and the Go runtime end the process when memory runs out. The child
// is this program with the same arguments; its standard output is ours, its
// standard error is kept back until it is clear whether it holds the last words
// of a library, and two more files are open:
//
//	3  where the child tells how far it is, a JSON object a line
//	4  the real standard error, for messages and the progress line

// childVariable is set in the environment of the child.
const childVariable = "ASSAY_MEMORY_CHILD"

const (
	statusFile = 3
	stderrFile = 4
)

// grace is how long a process may take to obey a signal or its own time limit: a little
// longer than its watchdog waits.
const grace = patience + 300*time.Millisecond

// isChild says that this process runs under --memory.
func isChild() bool { return os.Getenv(childVariable) != "" }

// errorOutput is where messages go.
var errorOutput = sync.OnceValue(func() *os.File {
	if isChild() {
		return os.NewFile(stderrFile, "stderr")
	}
	return os.Stderr
})

// status is what a child tells.
type status struct {
	Checks []assay.CheckResult `json:"checks,omitempty"`
	// Reasons say why there is no answer so far: the first is about what ends the process, without saying what that is.
	Reasons []assay.Reason `json:"reasons,omitempty"`
	Phase   string         `json:"phase,omitempty"`
	Depth   int            `json:"depth,omitempty"`
	Done    bool           `json:"done,omitempty"`
}

// maxStatus bounds what the child says at once: all checks of a program.
const maxStatus = 64 << 20

// childChannel is the child's end; nil in a process that has no parent.
type childChannel struct {
	mu    sync.Mutex
	w     *json.Encoder
	phase string
	depth int
}

// openChild sets the memory limit if this process is a child.
func openChild(memory uint64) (*childChannel, error) {
	if !isChild() {
		return nil, nil
	}
	// clang must not inherit them: the parent waits for their end.
	syscall.CloseOnExec(statusFile)
	syscall.CloseOnExec(stderrFile)
	if err := process.LimitMemory(memory); err != nil {
		return nil, &assay.EnvironmentError{Doing: "starting under --memory", Err: err}
	}
	return &childChannel{w: json.NewEncoder(os.NewFile(statusFile, "status"))}, nil
}

// progress tells the parent about a new depth or phase.
func (c *childChannel) progress(p assay.Progress) {
	if c != nil && (p.Phase != c.phase || p.Depth != c.depth) {
		c.phase, c.depth = p.Phase, p.Depth
		c.write(status{Phase: p.Phase, Depth: p.Depth})
	}
}

func (c *childChannel) write(s status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.w.Encode(s)
}

// tellEvery is how often the parent is told what is decided.
const tellEvery = time.Second

// tell tells the parent from time to time what is decided, until the returned function is called.
func (c *childChannel) tell(known *assay.Interim) (stop func()) {
	if c == nil {
		return func() {}
	}
	over := make(chan struct{})
	go func() {
		said := int64(0)
		for tick := time.NewTicker(tellEvery); ; {
			select {
			case <-over:
				tick.Stop()
				return
			case <-tick.C:
				if n := known.Changes(); n != said {
					said = n
					r := known.Result(assay.Reason{})
					c.write(status{Checks: r.Checks, Reasons: r.Reasons})
				}
			}
		}
	}()
	return func() { close(over) }
}

// done tells the parent that the output is complete.
func (c *childChannel) done() {
	if c != nil {
		c.write(status{Done: true})
	}
}

// superviseChild runs the child and explains its death.
func superviseChild(ctx context.Context, f *checkFlags, args []string) error {
	begin := time.Now()
	cmd, statusReader, lastWords, err := startChild(args)
	if err != nil {
		return &assay.EnvironmentError{Doing: "starting the process that --memory needs", Err: err}
	}
	var last status
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewScanner(statusReader)
		lines.Buffer(nil, maxStatus)
		for lines.Scan() {
			var s status
			if json.Unmarshal(lines.Bytes(), &s) != nil {
				continue
			}
			switch {
			case s.Done:
				last.Done = true
			case s.Checks != nil || s.Reasons != nil:
				last.Checks, last.Reasons = s.Checks, s.Reasons
			default:
				last.Phase, last.Depth = s.Phase, s.Depth
			}
		}
	}()
	cause := watch(ctx, cmd.Process, f.wallTime(), read)
	err = cmd.Wait()
	statusReader.Close()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) && !errors.Is(err, exec.ErrWaitDelay) {
		return &assay.EnvironmentError{Doing: "waiting for the process under --memory", Err: err}
	}
	state := cmd.ProcessState
	if last.Done && state.Exited() {
		os.Stderr.Write(lastWords.tail())
		return exit(state.ExitCode())
	}
	reason, internal := death(f, state, string(lastWords.tail()), last, cause)
	if internal != nil {
		return internal
	}
	result := &assay.Result{
		Answer: assay.Unknown, Files: f.task.Files, Properties: f.task.Properties,
		Reasons: last.explain(*reason), Stats: assay.Stats{Depth: last.Depth}, Checks: last.Checks,
	}
	f.reports.begin = begin
	return f.deliver(os.Stdout, result)
}

// explain are the reasons of a child that died for one.
func (s *status) explain(why assay.Reason) []assay.Reason {
	for i := range s.Reasons {
		if x := &s.Reasons[i]; strings.HasPrefix(x.Text, "; ") {
			x.Cause, x.Text, x.Hint = why.Cause, why.Text+x.Text, cmp.Or(why.Hint, x.Hint)
			return s.Reasons
		}
	}
	return append([]assay.Reason{why}, s.Reasons...)
}

// startChild starts this program again with the two extra files.
func startChild(args []string) (*exec.Cmd, *os.File, *tailBuffer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	defer writer.Close()
	words := &tailBuffer{}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, words
	cmd.ExtraFiles = []*os.File{writer, os.Stderr}
	cmd.WaitDelay = time.Second
	// The child stays in our process group and dies with us; the signal is tied
	// to this thread, which the main goroutine keeps until the end.
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		reader.Close()
		return nil, nil, nil, err
	}
	return cmd, reader, words, nil
}

// watch passes an interrupt on to the child, and kills it if it does not obey
// in time. It returns when the child has closed its status file, and says
// why the child was killed.
func watch(ctx context.Context, p *os.Process, timeout time.Duration, ended <-chan struct{}) (cause string) {
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout + grace)
	}
	select {
	case <-ended:
		return ""
	case <-ctx.Done():
		_ = p.Signal(syscall.SIGTERM)
		cause, expired = "interrupted", time.After(grace)
	case <-expired:
		_ = p.Kill()
		<-ended
		return "timeout"
	}
	select {
	case <-ended:
	case <-expired:
		_ = p.Kill()
		<-ended
	}
	return cause
}

// memoryWords are what libraries and run-times say when memory runs out.
var memoryWords = []string{
	"bad_alloc", "out of memory", "cannot allocate memory", "failed to allocate", "memory exhausted",
	"failed to create new os thread", "pthread_create failed", "errno=12",
}

// death explains why a child ended without a result.
func death(f *checkFlags, state *os.ProcessState, words string, last status, cause string) (*assay.Reason, error) {
	if cause != "" {
		return &assay.Reason{Cause: cause, Text: "stopped while " + doing(last)}, nil
	}
	lower := strings.ToLower(words)
	for _, w := range memoryWords {
		if strings.Contains(lower, w) {
			return memoryReason(f, last), nil
		}
	}
	status, _ := state.Sys().(syscall.WaitStatus)
	usage, _ := state.SysUsage().(*syscall.Rusage)
	if status.Signaled() && outOfProcessorTime(status.Signal(), state.UserTime()+state.SystemTime()) {
		return &assay.Reason{Cause: "timeout", Text: "the limit on processor time (ulimit -t) was reached while " + doing(last)}, nil
	}
	goDied := status.Signaled() && status.Signal() == syscall.SIGABRT && strings.Contains(words, "\ngoroutine ")
	if status.Signaled() && !goDied && (status.Signal() == syscall.SIGKILL || usage != nil && uint64(usage.Maxrss)*1024 > f.memory/2) {
		return memoryReason(f, last), nil
	}
	return nil, &assay.InternalError{
		Phase: doing(last), Panic: fmt.Sprintf("the process ended with %s", state), Stack: words, Files: f.task.Files,
	}
}

// outOfProcessorTime says that a signal came from the limit on processor time
// that this process and its child inherited.
func outOfProcessorTime(s syscall.Signal, used time.Duration) bool {
	var limit unix.Rlimit
	if s != syscall.SIGKILL && s != syscall.SIGXCPU || unix.Getrlimit(unix.RLIMIT_CPU, &limit) != nil {
		return false
	}
	// What is reported of a process is less than what the limit counts, by some percent.
	most := time.Duration(limit.Cur) * time.Second
	return limit.Cur < 1<<32 && used >= most-most/20-time.Second/4
}

// memoryReason is the reason of a child that ran out of memory.
func memoryReason(f *checkFlags, last status) *assay.Reason {
	return &assay.Reason{
		Cause: "memory",
		Text:  fmt.Sprintf("the limit of %s was reached while %s", humanize.IBytes(f.memory), doing(last)),
		Hint:  "allow more with --memory, or bound the search with --unwind",
	}
}

func doing(s status) string {
	if s.Phase == "" {
		return "reading the program"
	}
	return s.Phase
}

// tailBuffer keeps the beginning and the end of what is written to it.
type tailBuffer struct {
	mu   sync.Mutex
	head bytes.Buffer
	rest []byte
}

// kept is how many bytes of each end are kept.
const kept = 32 << 10

var _ io.Writer = (*tailBuffer)(nil)

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if room := kept - t.head.Len(); room > 0 {
		t.head.Write(p[:min(room, n)])
		p = p[min(room, n):]
	}
	t.rest = append(t.rest, p...)
	if len(t.rest) > 2*kept {
		t.rest = append([]byte("\n…\n"), t.rest[len(t.rest)-kept:]...)
	}
	return n, nil
}

// tail is what was kept.
func (t *tailBuffer) tail() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append(t.head.Bytes(), t.rest...)
}
