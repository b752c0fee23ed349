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

	"assay/internal/program/llvm"
	"assay/internal/run/process"
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
// status: 0 if libLLVM accepts the module, which is then on the standard output
// as bitcode; 1 if it does not; then the message is there. args are the arguments after ChildCommand: the
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
	clean, err := cleanModule(name, content)
	if err != nil {
		fmt.Print(err)
		return 1
	}
	if _, err := os.Stdout.Write(clean); err != nil {
		return 1
	}
	return 0
}

// cleanModule reads and verifies a module, writes it as bitcode, and tries
// what readModules does with that.
func cleanModule(name string, content []byte) ([]byte, error) {
	s := llvm.Open()
	defer s.Close()
	if err := s.Read(name, content); err != nil {
		return nil, err
	}
	if err := s.Verify(); err != nil {
		return nil, err
	}
	clean := s.Bitcode()
	if _, err := readModules(&Options{}, []module{{name: name, content: clean}}, s.FunctionNames()...); err != nil {
		return nil, err
	}
	return clean, nil
}

// readInChild lets a child process read a module and write it anew.
func readInChild(ctx context.Context, file string, content []byte) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, &EnvironmentError{What: "finding this program to run it again", Err: err}
	}
	var out, stderr bytes.Buffer
	cmd := exec.Command(self, ChildCommand, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(content), &out, &stderr
	outcome, err := process.Run(ctx, cmd, process.Limits{Wall: childTime})
	switch {
	case err != nil:
		return nil, &EnvironmentError{What: "running " + self + " again", Err: err}
	case outcome.Cancelled:
		return nil, context.Cause(ctx)
	case outcome.TimedOut:
		return nil, inputError(file, "libLLVM does not finish reading the module")
	case outcome.Signal != 0:
		return nil, inputError(file, fmt.Sprintf("libLLVM crashes on the module (%v)", outcome.Signal))
	case outcome.ExitCode == 0:
		return out.Bytes(), nil
	}
	text := strings.TrimSpace(out.String())
	if text == "" { // libLLVM ended the process, or Go's runtime did
		text, _, _ = strings.Cut(strings.TrimSpace(stderr.String()), "\n")
	}
	if d := parseDiagnostics(text); len(d) > 0 {
		return nil, &InputError{Text: text, Diagnostics: d}
	}
	return nil, inputError(file, text)
}
