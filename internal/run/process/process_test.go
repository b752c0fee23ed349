package process

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func run(t *testing.T, limits Limits, script string) Outcome {
	t.Helper()
	o, err := Run(t.Context(), exec.Command("/bin/sh", "-c", script), limits)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestExitCode(t *testing.T) {
	if o := run(t, Limits{}, "exit 7"); o.ExitCode != 7 || o.Signal != 0 || o.TimedOut {
		t.Errorf("got %+v", o)
	}
	if o := run(t, Limits{}, "kill -SEGV $$"); o.Signal != syscall.SIGSEGV || o.TimedOut {
		t.Errorf("got %+v", o)
	}
}

func TestWallLimitKillsTheGroup(t *testing.T) {
	var out strings.Builder
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & echo $!; wait")
	cmd.Stdout = &out
	o, err := Run(t.Context(), cmd, Limits{Wall: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if !o.TimedOut || o.Wall > 5*time.Second {
		t.Errorf("got %+v", o)
	}
	assertDead(t, out.String())
}

func TestLeftoversDie(t *testing.T) {
	var out strings.Builder
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!")
	cmd.Stdout = &out
	if _, err := Run(t.Context(), cmd, Limits{}); err != nil {
		t.Fatal(err)
	}
	assertDead(t, out.String())
}

// assertDead waits for a killed process to disappear, or to be a zombie of init.
func assertDead(t *testing.T, pid string) {
	t.Helper()
	for range 100 {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %s is still alive", pid)
}

func TestCPULimit(t *testing.T) {
	o := run(t, Limits{CPU: time.Second, Wall: 30 * time.Second}, "while :; do :; done")
	if !o.TimedOut || o.Signal != syscall.SIGKILL || o.CPU < 800*time.Millisecond {
		t.Errorf("got %+v", o)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	o, err := Run(ctx, exec.Command("/bin/sleep", "60"), Limits{})
	if err != nil || !o.Cancelled || o.TimedOut {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestStartError(t *testing.T) {
	if _, err := Run(t.Context(), exec.Command("/no/such/program"), Limits{}); err == nil {
		t.Error("no error")
	}
}
