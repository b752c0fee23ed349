package tracing

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This file decides which system calls are made: those that a program needs that computes, reads files and
// prints. The others fail with ENOSYS.

// allowed are the system calls that are made, with what has to be true of their arguments besides.
var allowed = map[uint64]func(arguments []uint64) bool{}

func init() {
	for _, n := range []uint64{
		unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_READV, unix.SYS_LSEEK, unix.SYS_CLOSE, unix.SYS_DUP, unix.SYS_FSTAT, unix.SYS_STAT, unix.SYS_LSTAT,
		unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_ACCESS, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINK, unix.SYS_READLINKAT, unix.SYS_GETCWD,
		unix.SYS_BRK, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MADVISE,
		unix.SYS_ARCH_PRCTL, unix.SYS_SET_TID_ADDRESS, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY,
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_GETRLIMIT, unix.SYS_GETRUSAGE,
		unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_UNAME, unix.SYS_SYSINFO,
		unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY, unix.SYS_TIME, unix.SYS_TIMES, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
		unix.SYS_GETRANDOM, unix.SYS_RESTART_SYSCALL, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	} {
		allowed[n] = func([]uint64) bool { return true }
	}
	printing := func(a []uint64) bool { return a[0] == 1 || a[0] == 2 }
	allowed[unix.SYS_WRITE], allowed[unix.SYS_WRITEV] = printing, printing
	allowed[unix.SYS_IOCTL] = func(a []uint64) bool { return a[1] == unix.TCGETS }
	allowed[unix.SYS_OPEN] = func(a []uint64) bool { return onlyReads(a[1]) }
	allowed[unix.SYS_OPENAT] = func(a []uint64) bool { return onlyReads(a[2]) }
	allowed[unix.SYS_FCNTL] = func(a []uint64) bool { return a[1] == unix.F_GETFL || a[1] == unix.F_GETFD || a[1] == unix.F_SETFD }
	// What is shared would be written to files.
	allowed[unix.SYS_MMAP] = func(a []uint64) bool {
		return a[3]&unix.MAP_SHARED == 0 || a[3]&unix.MAP_ANONYMOUS != 0 || a[2]&unix.PROT_WRITE == 0
	}
	// Limits are read, and not of others.
	allowed[unix.SYS_PRLIMIT64] = func(a []uint64) bool { return a[0] == 0 && a[2] == 0 }
}

func onlyReads(flags uint64) bool {
	return flags&unix.O_ACCMODE == unix.O_RDONLY && flags&(unix.O_CREAT|unix.O_TRUNC) == 0
}

// call is a stop before or behind a system call.
func (t *tracer) call() error {
	if t.inCall = !t.inCall; !t.inCall {
		return nil
	}
	if err := unix.PtraceGetRegs(t.pid, &t.Registers); err != nil {
		return err
	}
	r := &t.Registers
	native, err := t.isNative()
	if err != nil {
		return err
	}
	abort := r.Orig_rax == unix.SYS_TGKILL && r.Rdi == uint64(t.pid) || r.Orig_rax == unix.SYS_KILL && r.Rdi == uint64(t.pid) || r.Orig_rax == unix.SYS_TKILL && r.Rdi == uint64(t.pid)
	if check := allowed[r.Orig_rax]; native && (abort || check != nil && check([]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9})) {
		return nil
	}
	if t.outcome.Refused == 0 {
		t.outcome.Refused = r.Orig_rax
	}
	r.Orig_rax = ^uint64(0)
	return unix.PtraceSetRegs(t.pid, r)
}

// isNative says whether a system call is one of 64 bits: numbers of others mean other things.
func (t *tracer) isNative() (bool, error) {
	const getSyscallInfo = 0x420e // PTRACE_GET_SYSCALL_INFO
	var info [88]byte             // op, flags, architecture at 4
	if err := request(getSyscallInfo, t.pid, uintptr(len(info)), pointer(&info[0])); err != nil {
		return false, err
	}
	return binary.LittleEndian.Uint32(info[4:]) == unix.AUDIT_ARCH_X86_64, nil
}

func pointer(b *byte) uintptr { return uintptr(unsafe.Pointer(b)) }

// request is ptrace(2).
func request(kind, pid int, address, data uintptr) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, uintptr(kind), uintptr(pid), address, data, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// Call makes a system call in the place of the process, which goes on as if nothing was. Nothing is refused here.
func (p *Process) Call(number uint64, arguments ...uint64) (uint64, error) {
	saved := p.Registers
	instruction := []byte{0x0f, 0x05} // syscall
	covered := make([]byte, len(instruction))
	at := p.scratch
	if err := p.Read(at, covered); err != nil {
		return 0, err
	}
	if err := p.Write(at, instruction); err != nil {
		return 0, err
	}
	r := saved
	r.Rip, r.Rax, r.Orig_rax = at, number, ^uint64(0)
	for k, to := range []*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.R10, &r.R8, &r.R9} {
		if k < len(arguments) {
			*to = arguments[k]
		}
	}
	if err := unix.PtraceSetRegs(p.pid, &r); err != nil {
		return 0, err
	}
	if err := unix.PtraceSingleStep(p.pid); err != nil {
		return 0, err
	}
	var status unix.WaitStatus
	if err := wait(p.pid, &status); err != nil {
		return 0, err
	}
	if !status.Stopped() {
		return 0, unix.ESRCH
	}
	if err := unix.PtraceGetRegs(p.pid, &r); err != nil {
		return 0, err
	}
	p.Registers = saved
	if err := p.Write(at, covered); err != nil {
		return 0, err
	}
	if n := -int64(r.Rax); n > 0 && n < 4096 {
		return 0, unix.Errno(n)
	}
	return r.Rax, nil
}

// fault is the address of an access that failed: not of one that the processor refused for another reason.
func fault(pid int) (address uint64, ok bool) {
	const getSiginfo = 0x4202 // PTRACE_GETSIGINFO
	var info [128]byte        // signo, errno, code, address at 16
	if request(getSiginfo, pid, 0, pointer(&info[0])) != nil {
		return 0, false
	}
	code := int32(binary.LittleEndian.Uint32(info[8:]))
	return binary.LittleEndian.Uint64(info[16:]), code == 1 || code == 2 // not mapped, or not allowed
}
