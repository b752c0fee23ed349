package process

import (
	"errors"
	"os/exec"
	"syscall"
)

// Emulator runs 32-bit programs on machines whose kernel does not.
const Emulator = "qemu-i386"

// Command32 is a command that runs a 32-bit program, by itself or, where the kernel
// has no support for such programs, in qemu's user mode, if that is installed.
func Command32(binary string, args ...string) *exec.Cmd {
	emulator, err := exec.LookPath(Emulator)
	if err != nil || kernelRuns(binary) {
		return exec.Command(binary, args...)
	}
	return exec.Command(emulator, append([]string{binary}, args...)...)
}

// kernelRuns says whether the kernel takes the program: it is started, and stopped
// before its first instruction.
func kernelRuns(binary string) bool {
	cmd := exec.Command(binary)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return !errors.Is(err, syscall.ENOEXEC)
	}
	cmd.Process.Kill()
	cmd.Wait()
	return true
}
