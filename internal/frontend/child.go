package frontend

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"assay/internal/llvm"
	"assay/internal/process"
)

// This file reads modules that were made elsewhere in a child process first:
// this program itself, started with ChildCommand. libLLVM does not survive
// every malformed file, and what kills the child is reported as an error of
// the input. The child does all that the parent will do with libLLVM, on the
// same bytes, so that what it survives the parent survives, too.

// ChildCommand is the first argument that makes the program call ChildMain.
const ChildCommand = "__read-bitcode"

const (
	childMemory = 4 << 30
	childTime   = 60 * time.Second
)

// ChildMain reads a module from the standard input and returns the exit
// status: 0 if libLLVM accepts the module, 1 if it does not; then the message
// is on the standard output. args are the arguments after ChildCommand: the
// name of the file.
func ChildMain(args []string) int {
	name := strings.Join(args, " ")
	content, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Print(err)
		return 1
	}
	if err := process.LimitMemory(childMemory); err != nil {
		fmt.Print(err)
		return 1
	}
	if err := verifyModule(name, content); err != nil {
		fmt.Print(err)
		return 1
	}
	return 0
}

// verifyModule does what readModules does, and verifies before and after.
func verifyModule(name string, content []byte) error {
	s := llvm.Open()
	defer s.Close()
	if err := s.Read(name, content); err != nil {
		return err
	}
	if err := s.Verify(); err != nil {
		return err
	}
	if _, err := readModules(&Options{}, []module{{name, content}}, s.FunctionNames()...); err != nil {
		return err
	}
	return nil
}

// tryInChild lets a child process read the module.
func tryInChild(ctx context.Context, file string, content []byte) error {
	self, err := os.Executable()
	if err != nil {
		return &EnvironmentError{What: "finding this program to run it again", Err: err}
	}
	var out, stderr bytes.Buffer
	cmd := exec.Command(self, ChildCommand, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(content), &out, &stderr
	outcome, err := process.Run(ctx, cmd, process.Limits{Wall: childTime})
	switch {
	case err != nil:
		return &EnvironmentError{What: "running " + self + " again", Err: err}
	case outcome.Cancelled:
		return context.Cause(ctx)
	case outcome.TimedOut:
		return inputError(file, "libLLVM does not finish reading the module")
	case outcome.Signal != 0:
		return inputError(file, fmt.Sprintf("libLLVM crashes on the module (%v)", outcome.Signal))
	case outcome.ExitCode == 0:
		return nil
	}
	text := strings.TrimSpace(out.String())
	if text == "" { // libLLVM ended the process, or Go's runtime did
		text, _, _ = strings.Cut(strings.TrimSpace(stderr.String()), "\n")
	}
	if d := parseDiagnostics(text); len(d) > 0 {
		return &InputError{Text: text, Diagnostics: d}
	}
	return inputError(file, text)
}
