package differential

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/run/process"
)

// This file compares what is proved of programs that depend on addresses
// (addresses.go) with native runs: gcc's and clang's, at -O0, -O1 and -O2, with and
// without random addresses. A run that violates what was proved is a finding; at -O1 and
// -O2 only if the program leaves optimisers no choice (AddressProgram.Provenance).

// Placed compares programs that depend on addresses with native runs.
type Placed struct {
	// Decide is the limit of each proof.
	Decide time.Duration
	// Compilers are the commands that compile natively, with their options.
	Compilers [][]string
}

// NativeCompilers are the compilers that are there, at each level of optimisation.
func NativeCompilers() (list [][]string) {
	for _, c := range []string{"clang-19", "gcc"} {
		if _, err := exec.LookPath(c); err == nil {
			for _, level := range []string{"-O0", "-O1", "-O2"} {
				list = append(list, []string{c, level})
			}
		}
	}
	return list
}

// PlacedSummary counts programs.
type PlacedSummary struct {
	Programs, Proved, Refuted, Unknown, Listed int
	// Runs are native runs of proved programs. Tracked are programs for which an
	// optimiser chose otherwise, as it may.
	Runs, Tracked int
	Findings      []string
}

func (s *PlacedSummary) String() string {
	return fmt.Sprintf("%d programs: %d proved, %d more with undefined behaviour listed, %d refuted, %d unknown; %d native runs of those proved, %d programs decided otherwise by optimisers that track provenance; %d findings",
		s.Programs, s.Proved, s.Listed, s.Refuted, s.Unknown, s.Runs, s.Tracked, len(s.Findings))
}

// seenRun is what a native run says of the conditions of the programs.
type seenRun struct {
	command string
	plain   bool   // without optimisation
	values  []byte // '0' or '1', or '?' of a program that crashed
}

// Batch checks the programs of some seeds.
func (c *Placed) Batch(ctx context.Context, dir string, seeds []uint64, s *PlacedSummary) error {
	programs := make([]AddressProgram, len(seeds))
	for i, seed := range seeds {
		programs[i] = GenerateAddresses(seed)
	}
	runs, err := c.native(ctx, dir, programs)
	if err != nil {
		return err
	}
	for i, p := range programs {
		s.Programs++
		expected := seeds[i]%3 != 0 // mostly what the first run says, to prove more
		expected = expected == (runs[0].values[i] == '1')
		answer, err := c.prove(ctx, dir, p, expected)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		switch answer {
		case "true":
			s.Proved++
		case "listed":
			s.Listed++
			continue
		case "false":
			s.Refuted++
			continue
		default:
			s.Unknown++
			continue
		}
		tracked := false
		for _, r := range runs {
			s.Runs++
			switch {
			case r.values[i] == '0' && !expected, r.values[i] == '1' && expected:
			case r.plain || !p.Provenance:
				s.Findings = append(s.Findings, fmt.Sprintf("%s: %s == %v was proved, but not with %s\n%s", p.Name, p.Condition, expected, r.command, p.Body))
			default:
				tracked = true
			}
		}
		if tracked {
			s.Tracked++
		}
	}
	return nil
}

// inChild runs a program in a process of its own, as if nothing had run before, and prints
// its result, or a question mark if it does not come to its end.
const inChild = `#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void in_child(int (*program)(void)) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    close(1); // what is undefined may run into anything, or not end
    alarm(1);
    _exit(program());
  }
  waitpid(child, &status, 0);
  putchar(WIFEXITED(status) ? '0' + WEXITSTATUS(status) : '?');
  fflush(stdout);
}
`

// native compiles the programs with all compilers, and runs them with and without
// random addresses.
func (c *Placed) native(ctx context.Context, dir string, programs []AddressProgram) (list []seenRun, err error) {
	var b strings.Builder
	b.WriteString(addressPrelude + inChild)
	for _, p := range programs {
		b.WriteString("__attribute__((noinline)) " + p.Body)
	}
	b.WriteString("int main(void) {\n")
	for _, p := range programs {
		fmt.Fprintf(&b, "  in_child(%s);\n", p.Name)
	}
	b.WriteString("  return 0;\n}\n")
	source := filepath.Join(dir, "batch.c")
	if err := os.WriteFile(source, []byte(b.String()), 0o644); err != nil {
		return nil, err
	}
	for k, command := range c.Compilers {
		binary := filepath.Join(dir, fmt.Sprintf("native%d", k))
		args := append(append([]string{}, command[1:]...), "-w", "-fno-strict-aliasing", "-fwrapv", "-o", binary, source)
		if out, err := exec.CommandContext(ctx, command[0], args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", command[0], err, out)
		}
		for _, run := range [][]string{{binary}, {"setarch", "-R", binary}} {
			var out bytes.Buffer
			cmd := exec.Command(run[0], run[1:]...)
			cmd.Stdout = &out
			end, err := process.Run(ctx, cmd, process.Limits{Wall: 2 * time.Minute})
			if err != nil {
				return nil, err
			}
			if end.ExitCode != 0 || out.Len() != len(programs) {
				return nil, fmt.Errorf("%s: exit code %d, signal %v after program %d of %s", strings.Join(command, " "), end.ExitCode, end.Signal, out.Len(), source)
			}
			list = append(list, seenRun{strings.Join(command, " ") + " " + strings.Join(run[:len(run)-1], " "), command[1] == "-O0", out.Bytes()})
		}
	}
	return list, nil
}

// prove asks for a certified proof that the condition has the value: "true", "listed" if
// undefined behaviour was not excluded, "false" or "unknown".
func (c *Placed) prove(ctx context.Context, dir string, p AddressProgram, value bool) (string, error) {
	not := "!"
	if value {
		not = ""
	}
	text := addressPrelude + "extern void __VERIFIER_assert(int);\n" + p.Body +
		"extern void reach_error(void);\nint main(void) {\n  if (!(" + not + p.Name + "())) reach_error();\n  return 0;\n}\n"
	file := filepath.Join(dir, p.Name+".c")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return "", err
	}
	program, err := frontend.Load(ctx, frontend.Options{Files: []string{file}, ExtraArgs: []string{"-w"}})
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, c.Decide)
	defer cancel()
	switch v := bmc.Run(limited, program.Module, bmc.Options{Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program}).Verdict.(type) {
	case verdict.True:
		if len(v.Unclean) > 0 {
			return "listed", nil
		}
		return "true", nil
	case verdict.False:
		return "false", nil
	}
	return "unknown", nil
}
