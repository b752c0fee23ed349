package tracing

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// build compiles a program, and returns it with the addresses of its functions.
func build(t *testing.T, source string, options ...string) (*Program, map[string]uint64) {
	t.Helper()
	folder := t.TempDir()
	in, out := filepath.Join(folder, "a.c"), filepath.Join(folder, "a.out")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("gcc", append(options, "-w", "-o", out, in)...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	file, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]uint64{}
	for _, s := range symbols {
		at[s.Name] = s.Value
	}
	return &Program{
		Path: out, Folder: folder, EntryPoint: file.Entry, Start: at["main"], CPU: 5 * time.Second, Wall: 10 * time.Second, Memory: 1 << 30, Hooks: map[uint64]Hook{},
		Begin: func(*Process) (Action, error) { return Continue, nil },
	}, at
}

func outcome(t *testing.T, p *Program) Outcome {
	t.Helper()
	o, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestHooks: a hook answers calls, another one counts them and lets them go on, the last one ends the run.
func TestHooks(t *testing.T) {
	const source = `int input(void) { return 0; } double real(void) { return 0; } void last(void) {}
int twice(int x) { return 2 * x; }
int main(int argc, char **argv) { int n = 0; for (int k = 0; k < 3; k++) n += twice(input()); if (n == 12 && real() == 0.5 && argc == 2) last(); return n; }`
	for _, option := range []string{"-pie", "-no-pie", "-static"} {
		p, at := build(t, source, "-fPIE", option)
		p.Arguments = []string{"x"}
		inputs, calls, began := uint64(0), 0, 0
		p.Begin = func(*Process) (Action, error) { began++; return Continue, nil }
		p.Hooks[at["input"]] = func(p *Process) (Action, error) { inputs++; p.Registers.Rax = inputs; return Return, nil }
		p.Hooks[at["twice"]] = func(p *Process) (Action, error) { calls++; return Continue, nil }
		p.Hooks[at["real"]] = func(p *Process) (Action, error) { return Return, p.SetFloat(0x3fe0000000000000) }
		p.Hooks[at["last"]] = func(p *Process) (Action, error) { return Stop, nil }
		if o := outcome(t, p); !o.Stopped || !o.Started || inputs != 3 || calls != 3 || began != 1 {
			t.Errorf("%s: %+v, %d inputs, %d calls, begun %d times", option, o, inputs, calls, began)
		}
	}
}

// TestSandbox: nothing gets out.
func TestSandbox(t *testing.T) {
	const head = "#include <fcntl.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n#include <sys/socket.h>\n#include <unistd.h>\n"
	for name, body := range map[string]string{
		"socket": "return socket(AF_INET, SOCK_STREAM, 0) >= 0;", "fork": "return fork() >= 0;", "exec": "execl(\"/bin/true\", \"true\", (char *)0); return 0;",
		"write": "return open(\"made\", O_WRONLY | O_CREAT, 0600) >= 0;", "remove": "return unlink(\"a.c\") == 0;", "truncate": "return open(\"a.c\", O_RDONLY | O_TRUNC) >= 0;",
		"kill": "return kill(getppid(), 0) == 0;",
		// fork has the number 2 in 32 bits, which is open in 64.
		"other numbers": "int r; __asm__ volatile(\"int $0x80\" : \"=a\"(r) : \"0\"(2), \"b\"(0), \"c\"(0)); return r >= 0;",
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := build(t, head+"int main(void) { "+body+" }")
			var died *exec.ExitError
			if name == "other numbers" && errors.As(exec.Command(p.Path).Run(), &died) && died.ExitCode() < 0 {
				t.Skip("this kernel has no system calls of 32 bits")
			}
			if o := outcome(t, p); o.ExitCode != 0 || o.Refused == 0 {
				t.Errorf("got %+v", o)
			}
			if entries, _ := os.ReadDir(p.Folder); len(entries) != 2 {
				t.Errorf("there are %d files", len(entries))
			}
		})
	}
}

func TestEnds(t *testing.T) {
	p, _ := build(t, "int main(void) { return 7; }")
	if o := outcome(t, p); o.ExitCode != 7 || o.Stopped || o.Refused != 0 {
		t.Errorf("exit: %+v", o)
	}
	p, _ = build(t, "#include <stdlib.h>\nint main(void) { abort(); }")
	if o := outcome(t, p); o.Signal != syscall.SIGABRT {
		t.Errorf("abort: %+v", o)
	}
	p, _ = build(t, "int main(void) { *(volatile int *)0 = 1; }")
	if o := outcome(t, p); o.Signal != syscall.SIGSEGV {
		t.Errorf("fault: %+v", o)
	}
	p, _ = build(t, "int main(void) { for (;;) ; }")
	p.Wall = 200 * time.Millisecond
	if o := outcome(t, p); !o.TimedOut {
		t.Errorf("endless: %+v", o)
	}
	p, _ = build(t, "#include <stdlib.h>\nint main(void) { volatile char *p = malloc(1 << 20); int n = 0; for (int k = 0; k < 1 << 20; k++) n |= p[k]; return n; }")
	if o := outcome(t, p); o.ExitCode != 0 {
		t.Errorf("the heap is not cleared: %+v", o)
	}
	p.Path = filepath.Join(p.Folder, "a.c")
	if _, err := Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), "starting") {
		t.Errorf("no program: %v", err)
	}
}
