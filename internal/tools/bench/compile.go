package bench

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/internal/run/process"
)

// This file compiles the C of a task: what is asked then is the object file. It is of 64 bits, whatever data model
// the task has, so tasks that depend on the size of long mean something else.

// compileTime bounds a run of the compiler.
const compileTime = time.Minute

// ofObjects are the questions that an object file can be asked.
var ofObjects = []string{"unreach-call", "termination", "ltl"}

// compiled is a task with its C files compiled in a folder; the text says why it cannot be run.
func (o Options) compiled(ctx context.Context, t Task, folder string) (_ Task, why string, err error) {
	if !slices.Contains(ofObjects, t.question()) {
		return t, "not a question about binaries: " + t.question(), nil
	}
	if len(t.Paths) != 1 || !slices.Contains([]string{".c", ".i"}, filepath.Ext(t.Paths[0])) {
		return t, "not one C file", nil
	}
	words := strings.Fields(o.Compile)
	object := filepath.Join(folder, "task.o")
	cmd := exec.Command(words[0], slices.Concat(words[1:], []string{"-w", "-c", "-o", object, t.Paths[0]})...)
	output := capture{limit: 4 << 10}
	cmd.Stdout, cmd.Stderr = &output, &output
	outcome, err := process.Run(ctx, cmd, process.Limits{CPU: compileTime, Wall: compileTime})
	switch {
	case err != nil:
		return t, "", fmt.Errorf("%s: %w", words[0], err)
	case outcome.ExitCode != 0:
		line, _, _ := strings.Cut(string(output.bytes()), "\n")
		return t, "does not compile: " + line, nil
	}
	t.Paths, t.DataModel = []string{object}, ""
	return t, "", nil
}
