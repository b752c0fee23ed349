// Command checker stands for `assay check` in tests of the bench: it behaves as
// the name of the last file on its command line says.
package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// role is the variable that makes this program a descendant of a checker.
const role = "ASSAY_BENCH_ROLE"

func main() {
	switch os.Getenv(role) {
	case "sleep":
		time.Sleep(time.Minute)
	case "burn":
		burn(300 * time.Millisecond)
		os.Stdout.WriteString("burnt\n")
		time.Sleep(time.Minute)
	default:
		os.Exit(check(strings.TrimSuffix(filepath.Base(os.Args[len(os.Args)-1]), ".c")))
	}
}

func check(behaviour string) int {
	// Every task leaves a file behind, in a folder that cannot be listed.
	folder, _ := os.MkdirTemp("", "left")
	_ = os.WriteFile(filepath.Join(folder, "x"), []byte("x"), 0o600)
	_ = os.Chmod(folder, 0)
	for i, a := range os.Args {
		if a != "--witness" || behaviour == "bad" && os.Args[1] == "check" {
			continue
		}
		if os.Args[1] == "check" {
			_ = os.WriteFile(os.Args[i+1], []byte(behaviour), 0o600)
			break
		}
		text, _ := os.ReadFile(os.Args[i+1])
		switch string(text) {
		case "unsure":
			burn(200 * time.Millisecond)
			os.Stdout.WriteString("RESULT: unknown\n")
			return 2
		case "memory":
			return 4
		}
		os.Stdout.WriteString("RESULT: confirmed\n")
		return 0
	}
	switch behaviour {
	case "bad":
		os.Stdout.WriteString(`{"result":"false(no-overflow)"}`)
		return 1
	case "unsure":
		os.Stdout.WriteString(`{"result":"true (uncertified)"}`)
		return 0
	case "hang":
		descendant("sleep", nil, true)
		time.Sleep(time.Minute)
	case "burn":
		// It ends without waiting for the descendant, which has done its work.
		descendant("burn", nil, false)
	case "grandchild":
		descendant("sleep", nil, true)
	case "session":
		descendant("sleep", &syscall.SysProcAttr{Setsid: true}, false)
	case "memory":
		block := make([]byte, 64<<20)
		for i := range block {
			block[i] = byte(i)
		}
		runtime.KeepAlive(block)
	case "talk":
		line := []byte(strings.Repeat("x", 1<<16))
		for range 16 * 16 { // 16 MiB
			os.Stdout.Write(line)
		}
	case "dead":
		os.Stderr.WriteString("about to crash\n")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	}
	os.Stdout.WriteString(`{"result":"true"}`)
	return 0
}

// descendant starts this program in another role and does not wait for it.
func descendant(as string, attributes *syscall.SysProcAttr, output bool) {
	self, _ := os.Executable()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), role+"="+as)
	cmd.SysProcAttr = attributes
	if output {
		cmd.Stdout = os.Stdout
	}
	if as == "burn" {
		pipe, _ := cmd.StdoutPipe()
		defer pipe.Read(make([]byte, 1))
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// burn uses processor time.
func burn(d time.Duration) {
	var usage syscall.Rusage
	for time.Duration(usage.Utime.Nano()+usage.Stime.Nano()) < d {
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	}
}
