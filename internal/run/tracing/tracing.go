// Package tracing runs an x86-64 program under ptrace(2), stops it at addresses, and lets it do nothing to the
// machine: system calls that are not on a list (calls.go) fail as if the kernel had none of them. So there is no
// network, no other process, and no file that is written.
//
// A breakpoint is the byte of int3 in the place of the first byte of an instruction. What stands behind
// a call through a table (of the dynamic linker, or of the program) is caught by another means: the slot gets
// an address where nothing is, and the fault there is the stop.
//
// Invariants. 1: All requests come from one thread, which the kernel asks for. 2: The process and its group are
// dead when Run returns, and when this process dies (PTRACE_O_EXITKILL).
package tracing

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Program is what runs. Addresses are those of the file.
type Program struct {
	Path      string
	Arguments []string // without the program's name
	Folder    string   // where it runs
	// EntryPoint is the address in the file's header. It tells where the kernel put the program.
	EntryPoint uint64
	// Start is where the hooks are set: what runs before is not looked at.
	Start uint64
	// Begin is called at Start, before the hooks are set.
	Begin func(*Process) (Action, error)
	// Hooks are called where the program comes to an address.
	Hooks map[uint64]Hook
	// CPU and Wall bound the time, Memory the bytes of the address space.
	CPU, Wall time.Duration
	Memory    uint64
}

// Hook decides how the program goes on.
type Hook func(*Process) (Action, error)

// Action is what a hook wants.
type Action uint8

const (
	// Continue executes the instruction, Return goes back to the caller instead.
	Continue Action = iota
	Return
	// Stop ends the run.
	Stop
)

// Outcome is the end of a run.
type Outcome struct {
	// Stopped says that a hook ended it, Started that it came to Program.Start.
	Stopped, Started bool
	// ExitCode is the status, -1 if a signal ended it, which is Signal.
	ExitCode int
	Signal   syscall.Signal
	TimedOut bool
	// Cancelled says that the context ended it.
	Cancelled bool
	// Fault is the address of the access that ended it, At that of the instruction, in the file.
	Fault, At uint64
	Faulted   bool
	// Refused is the first system call that failed because it was not allowed; 0 is none, for read is.
	Refused uint64
}

// Process is a program that stands at a hook.
type Process struct {
	pid  int
	bias uint64 // of addresses, from those of the file
	// Registers are the general ones. Changes are written back when it goes on.
	Registers unix.PtraceRegs
	memory    *os.File
	scratch   uint64 // where code may be written for a moment
}

// Address is where an address of the file is in memory.
func (p *Process) Address(file uint64) uint64 { return file + p.bias }

// Read and Write are about memory, whatever its protection.
func (p *Process) Read(at uint64, to []byte) error {
	_, err := p.memory.ReadAt(to, int64(at))
	return err
}

func (p *Process) Write(at uint64, from []byte) error {
	_, err := p.memory.WriteAt(from, int64(at))
	return err
}

// SetFloat puts the bits of a number into the lower half of xmm0.
func (p *Process) SetFloat(bits uint64) error {
	const lengthOfState, xmm0 = 512, 160 // of fxsave [Intel SDM, vol. 1, 10.5.1]
	var state [lengthOfState]byte
	if err := request(unix.PTRACE_GETFPREGS, p.pid, 0, pointer(&state[0])); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(state[xmm0:], bits)
	return request(unix.PTRACE_SETFPREGS, p.pid, 0, pointer(&state[0]))
}

// tracer is the state of Run.
type tracer struct {
	*Process
	program *Program
	covered map[uint64]byte // what stood at a breakpoint, by address in memory
	hooks   map[uint64]Hook // by address in memory
	inCall  bool            // of the system
	outcome Outcome
}

// Run runs the program to its end. The error is about the machine.
func Run(ctx context.Context, program *Program) (Outcome, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(program.Path, program.Arguments...)
	cmd.Dir = program.Folder
	// With this glibc fills what malloc returns with zeros, as others do with memory that is new.
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "MALLOC_PERTURB_=255", "GLIBC_TUNABLES=glibc.malloc.perturb=255"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return Outcome{}, fmt.Errorf("starting %s: %w", program.Path, err)
	}
	pid := cmd.Process.Pid
	t := &tracer{Process: &Process{pid: pid}, program: program, covered: map[uint64]byte{}, hooks: map[uint64]Hook{}}
	defer func() {
		_ = unix.Kill(-pid, unix.SIGKILL)
		_ = cmd.Wait()
	}()
	done, watched := make(chan struct{}), make(chan struct{})
	var timedOut, cancelled bool
	go func() {
		defer close(watched)
		timer := time.NewTimer(program.Wall)
		defer timer.Stop()
		select {
		case <-done:
			return
		case <-timer.C:
			timedOut = true
		case <-ctx.Done():
			cancelled = true
		}
		_ = unix.Kill(-pid, unix.SIGKILL)
	}()
	err := t.run()
	close(done)
	<-watched
	t.outcome.TimedOut, t.outcome.Cancelled = t.outcome.TimedOut || timedOut, cancelled
	if timedOut || cancelled { // whatever failed when it was killed
		err = nil
	}
	return t.outcome, err
}

// run follows the process from its first stop.
func (t *tracer) run() error {
	var status unix.WaitStatus
	if err := wait(t.pid, &status); err != nil {
		return err
	}
	if !status.Stopped() {
		return fmt.Errorf("the program does not start: status %#x", int(status))
	}
	if err := t.prepare(); err != nil {
		return err
	}
	defer t.memory.Close()
	for signal := 0; ; {
		if err := request(unix.PTRACE_SYSCALL, t.pid, 0, uintptr(signal)); err != nil {
			return err
		}
		if err := wait(t.pid, &status); err != nil {
			return err
		}
		signal = 0
		switch {
		case status.Exited():
			t.outcome.ExitCode, t.outcome.Faulted = status.ExitStatus(), false
			return nil
		case status.Signaled():
			t.outcome.ExitCode, t.outcome.Signal = -1, status.Signal()
			t.outcome.TimedOut = status.Signal() == unix.SIGXCPU || status.Signal() == unix.SIGKILL
			return nil
		case !status.Stopped():
			continue
		}
		if status.StopSignal() == unix.SIGTRAP|systemCall {
			if err := t.call(); err != nil {
				return err
			}
			continue
		}
		handled, stop, err := t.arrived(status.StopSignal())
		if err != nil || stop {
			return err
		}
		if !handled {
			signal = int(status.StopSignal())
			if a, ok := fault(t.pid); ok && status.StopSignal() == unix.SIGSEGV {
				t.outcome.Fault, t.outcome.At, t.outcome.Faulted = a, t.Registers.Rip-t.bias, true
			}
		}
	}
}

// systemCall marks stops at system calls (PTRACE_O_TRACESYSGOOD).
const systemCall = 0x80

// prepare sets limits, and finds out where the program is.
func (t *tracer) prepare() error {
	p := t.program
	if err := unix.PtraceSetOptions(t.pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACESYSGOOD); err != nil {
		return err
	}
	seconds := uint64((p.CPU + time.Second - 1) / time.Second)
	for limit, n := range map[int]uint64{unix.RLIMIT_CPU: seconds, unix.RLIMIT_AS: p.Memory, unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0} {
		if err := unix.Prlimit(t.pid, limit, &unix.Rlimit{Cur: n, Max: n}, nil); err != nil {
			return err
		}
	}
	auxiliary, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", t.pid))
	if err != nil {
		return err
	}
	const atEntry = 9
	for ; len(auxiliary) >= 16; auxiliary = auxiliary[16:] {
		if binary.LittleEndian.Uint64(auxiliary) == atEntry {
			t.bias = binary.LittleEndian.Uint64(auxiliary[8:]) - p.EntryPoint
		}
	}
	if t.memory, err = os.OpenFile(fmt.Sprintf("/proc/%d/mem", t.pid), os.O_RDWR, 0); err != nil {
		return err
	}
	t.scratch = t.Address(p.Start)
	return t.cover(p.Start, t.begin)
}

// begin is the hook at the start: it sets the others.
func (t *tracer) begin(p *Process) (Action, error) {
	t.outcome.Started = true
	if own, ok := t.program.Hooks[t.program.Start]; ok {
		t.hooks[t.Address(t.program.Start)] = own
	} else {
		t.hooks[t.Address(t.program.Start)] = func(*Process) (Action, error) { return Continue, nil }
	}
	for at, h := range t.program.Hooks {
		if at == t.program.Start {
			continue
		}
		if err := t.cover(at, h); err != nil {
			return Stop, err
		}
	}
	return t.program.Begin(p)
}

// cover sets a breakpoint; at an address where nothing is, the fault is one.
func (t *tracer) cover(file uint64, h Hook) error {
	at := t.Address(file)
	var old [1]byte
	t.hooks[at] = h
	if err := t.Read(at, old[:]); err != nil {
		if errors.Is(err, unix.EIO) || errors.Is(err, unix.EFAULT) {
			return nil
		}
		return err
	}
	t.covered[at] = old[0]
	return t.Write(at, []byte{int3})
}

const int3 = 0xcc

// arrived asks the hook of the place where the program stands, if it has one.
func (t *tracer) arrived(signal syscall.Signal) (handled, stop bool, err error) {
	if signal != unix.SIGTRAP && signal != unix.SIGSEGV {
		return false, false, nil
	}
	if err := unix.PtraceGetRegs(t.pid, &t.Registers); err != nil {
		return false, true, err
	}
	at := t.Registers.Rip
	if signal == unix.SIGTRAP {
		at--
	}
	old, covered := t.covered[at]
	h := t.hooks[at]
	if h == nil || covered != (signal == unix.SIGTRAP) {
		return false, false, nil
	}
	t.Registers.Rip = at
	action, err := h(t.Process)
	if err != nil || action == Stop {
		t.outcome.Stopped = err == nil
		return true, true, err
	}
	if action == Return {
		var back [8]byte
		if err := t.Read(t.Registers.Rsp, back[:]); err != nil {
			return true, true, err
		}
		t.Registers.Rip, t.Registers.Rsp = binary.LittleEndian.Uint64(back[:]), t.Registers.Rsp+8
	}
	if err := unix.PtraceSetRegs(t.pid, &t.Registers); err != nil {
		return true, true, err
	}
	if action == Continue && covered && t.Registers.Rip == at {
		return true, false, t.stepOver(at, old)
	}
	return true, false, nil
}

// stepOver executes the instruction that a breakpoint covers.
func (t *tracer) stepOver(at uint64, old byte) error {
	if err := t.Write(at, []byte{old}); err != nil {
		return err
	}
	if err := unix.PtraceSingleStep(t.pid); err != nil {
		return err
	}
	var status unix.WaitStatus
	if err := wait(t.pid, &status); err != nil {
		return err
	}
	if !status.Stopped() || status.StopSignal() != unix.SIGTRAP {
		return fmt.Errorf("the program ends at an instruction that a breakpoint covers")
	}
	return t.Write(at, []byte{int3})
}

func wait(pid int, status *unix.WaitStatus) error {
	for {
		if _, err := unix.Wait4(pid, status, 0, nil); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
