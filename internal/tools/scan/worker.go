package scan

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"assay/internal/program/frontend"
	"assay/internal/run/process"
	"assay/internal/run/work"
)

// This file is about the processes that look at functions: this program, started with WorkerCommand and a limit of
// memory. One answers many requests, a line of JSON each on its standard input and output. What ends it (no memory, a fault in
// a library) ends nothing but the answer for one function.

// WorkerCommand is the first argument that makes the program call WorkerMain.
const WorkerCommand = "__scan-worker"

// unitsKept is how many units a worker keeps in memory.
const unitsKept = 64

// WorkerMain answers requests until its input ends. args is the limit of memory in bytes.
func WorkerMain(args []string) int {
	if len(args) == 1 {
		if bytes, err := strconv.ParseUint(args[0], 10, 64); err == nil && bytes > 0 {
			if err := process.LimitMemory(bytes); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	// A terminal's Ctrl-C reaches the whole process group: the parent decides what ends.
	known := map[string]*frontend.Unit{}
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if err := out.Encode(reply(&r, known)); err != nil {
			return 1
		}
	}
}

// reply answers one request.
func reply(r *request, known map[string]*frontend.Unit) *answer {
	link, err := linkOf(r.Units, known)
	if err != nil {
		return &answer{Failed: err.Error()}
	}
	madeLink, err := linkOf(r.MadeUnits, known)
	if err != nil {
		return &answer{Failed: err.Error()}
	}
	ctx, idle := context.Background(), runtime.NumGoroutine()
	if !r.Until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, r.Until)
		defer cancel()
		idle++ // it may have a goroutine
	}
	a := examine(ctx, r, link, madeLink)
	a.Recycle = a.Recycle || resident() > memoryKept || !rests(idle)
	return a
}

// memoryKept is with how much memory a worker is asked again.
const memoryKept = 512 << 20

// rests waits a little until no more goroutines are left than there were, and says whether that is so: what was given up because it did
// not end in its time goes on, and would take the time of the next function.
func rests(idle int) bool {
	for range 20 {
		if runtime.NumGoroutine() <= idle {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// linkOf reads units, unless they are known.
func linkOf(units []unitRef, known map[string]*frontend.Unit) (link []frontend.Linked, err error) {
	for _, ref := range units {
		u := known[ref.Path]
		if u == nil {
			stored, err := readUnit(ref.Path)
			if err != nil {
				return nil, fmt.Errorf("reading a compiled file: %w", err)
			}
			if len(known) >= unitsKept {
				clear(known)
			}
			u = &stored.Unit
			known[ref.Path] = u
		}
		link = append(link, frontend.Linked{Unit: u, Names: ref.Names})
	}
	return link, nil
}

// resident is the memory that this process has, 0 if that is not known.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(fields[1], 10, 64)
	return pages * uint64(os.Getpagesize())
}

// worker is such a process, from outside.
type worker struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	pipe  *os.File
	out   *bufio.Reader
	words *lastWords
	used  time.Duration // processor time, when it was looked at last
}

// lastWords keeps the beginning of what a process says on its way out.
type lastWords struct{ text []byte }

func (w *lastWords) Write(p []byte) (int, error) {
	if room := 4096 - len(w.text); room > 0 {
		w.text = append(w.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func startWorker(memory uint64, root string) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd: exec.Command(self, WorkerCommand, strconv.FormatUint(memory, 10)), words: &lastWords{}}
	w.cmd.Stderr = w.words
	w.cmd.Dir = root // what it says of places is relative to that, as is all that the report says
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	pipe, written, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	w.pipe, w.out, w.cmd.Stdout = pipe, bufio.NewReader(pipe), written
	err = w.cmd.Start()
	written.Close()
	if err != nil {
		pipe.Close()
		return nil, err
	}
	return w, nil
}

// stop ends the process.
func (w *worker) stop() {
	_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
	w.in.Close()
	w.pipe.Close()
	_ = w.cmd.Wait() // it was killed
}

// slowest is how many times longer than its processor time a worker may take for an answer.
const slowest = 30

// errDied is the end of a worker before it answered.
type errDied struct{ why string }

func (e *errDied) Error() string { return e.why }

// ask waits for the answer. After an error the worker is of no use any more.
func (w *worker) ask(ctx context.Context, r *request) (*answer, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) })
	defer stop()
	limit := 3*r.Timeout + 5*time.Second // of processor time
	begin := w.used
	last := time.Now().Add(slowest * limit)
	if err := w.pipe.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return nil, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return nil, w.death()
	}
	line = nil
	for {
		part, e := w.out.ReadBytes('\n')
		line, err = append(line, part...), e
		used, known := work.ProcessorTime(w.cmd.Process.Pid)
		if known {
			w.used = used
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil || !known || used-begin >= limit || time.Now().After(last) {
			break
		}
		if err := w.pipe.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			return nil, err
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &errDied{"it did not end in its time"}
	case err != nil:
		return nil, w.death()
	}
	a := &answer{}
	if err := json.Unmarshal(line, a); err != nil {
		return nil, err
	}
	return a, nil
}

// errMemory is the end of a worker without memory.
var errMemory = errors.New("the limit of memory was reached")

// memoryWords are what libraries and the run-time say when memory runs out.
var memoryWords = []string{"bad_alloc", "out of memory", "cannot allocate memory", "failed to allocate", "memory exhausted", "errno=12", "pthread_create failed"}

// death explains why a worker ended.
func (w *worker) death() error {
	_ = w.cmd.Wait()
	words := string(w.words.text)
	lower := strings.ToLower(words)
	for _, m := range memoryWords {
		if strings.Contains(lower, m) {
			return errMemory
		}
	}
	status, _ := w.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGKILL {
		return errMemory // by the kernel, which has none left
	}
	first, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	return &errDied{fmt.Sprintf("the process that looked at it ended: %s: %s", w.cmd.ProcessState, first)}
}
