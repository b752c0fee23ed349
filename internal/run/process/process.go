// Package process runs a command in a process group of its own, under limits,
// and leaves no process behind.
package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Limits bound a run; zero fields do not.
type Limits struct {
	// CPU bounds the processor time of each process of the group, in whole
	// seconds, rounded up.
	CPU time.Duration
	// Wall bounds the time from start to end of the group.
	Wall time.Duration
}

// Outcome tells how a run ended.
type Outcome struct {
	// ExitCode is the exit status, -1 if a signal ended the process.
	ExitCode int
	// Signal ended the process, 0 if none did.
	Signal syscall.Signal
	// CPU is the processor time of the process and its descendants.
	CPU time.Duration
	// Wall is the time from start to end.
	Wall time.Duration
	// Resident is the peak resident memory in bytes of the largest process.
	Resident int64
	// TimedOut says that Limits.Wall was reached, or Limits.CPU by the process itself.
	TimedOut bool
	// Cancelled says that the context ended the run.
	Cancelled bool
}

// Run starts the command in a process group of its own, waits for it, and
// kills what is left of the group. The error is about the start only: how the
// command ended is in the Outcome.
//
// If this process dies, the kernel kills the command. That signal is tied to
// the thread that starts it, hence the lock.
func Run(ctx context.Context, cmd *exec.Cmd, limits Limits) (Outcome, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	// Pipes that a killed grandchild still holds must not block Wait.
	cmd.WaitDelay = time.Second

	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Outcome{}, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	pid := cmd.Process.Pid
	if limits.CPU > 0 {
		seconds := uint64((limits.CPU + time.Second - 1) / time.Second)
		// Soft and hard limit agree, so that the kernel kills at once.
		_ = unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
	}

	var o Outcome
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		var expired <-chan time.Time
		if limits.Wall > 0 {
			timer := time.NewTimer(limits.Wall)
			defer timer.Stop()
			expired = timer.C
		}
		select {
		case <-done:
			return
		case <-expired:
			o.TimedOut = true
		case <-ctx.Done():
			o.Cancelled = true
		}
		_ = unix.Kill(-pid, unix.SIGKILL)
	}()
	// The process stays a zombie until its group is dead: its number, which
	// names the group, cannot be given to another process before.
	waitUnreaped(pid)
	o.Wall = time.Since(start)
	close(done)
	<-watched
	_ = unix.Kill(-pid, unix.SIGKILL)
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return o, fmt.Errorf("waiting for %s: %w", cmd.Path, err)
	}

	state := cmd.ProcessState
	o.ExitCode = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.Signal = status.Signal()
	}
	o.CPU = state.UserTime() + state.SystemTime()
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		o.Resident = usage.Maxrss * 1024
	}
	o.addOrphans(pid)
	// The kernel's count and the one reported at the end differ by some ticks.
	if limits.CPU > 0 && o.Signal == syscall.SIGKILL && o.CPU >= limits.CPU-limits.CPU/4 {
		o.TimedOut = true
	}
	return o, nil
}

// addOrphans reaps the rest of the group and adds what it used. The rest are
// our children if this process adopts orphans (PR_SET_CHILD_SUBREAPER), else
// there are none to reap, and what a killed descendant used is not known.
func (o *Outcome) addOrphans(group int) {
	for {
		var usage unix.Rusage
		_, err := unix.Wait4(-group, nil, 0, &usage)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		o.CPU += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		o.Resident = max(o.Resident, usage.Maxrss*1024)
	}
}

// waitUnreaped blocks until the process has ended, without reaping it.
func waitUnreaped(pid int) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
