package assay

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/run/schedule"
)

// InputError says that the question cannot be asked as it is: a file that does
// not compile, a missing file, an unknown property.
type InputError struct {
	Pos     Position
	Message string
	Hint    string // what to do about it, may be empty
	// Verbatim says that Message is the output of clang, which carries its
	// positions itself.
	Verbatim bool
}

func (e *InputError) Error() string {
	var b strings.Builder
	if !e.Pos.IsZero() {
		b.WriteString(e.Pos.String() + ": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("\n" + e.Hint)
	}
	return b.String()
}

// EnvironmentError says that the machine lacks something: a program, a
// library, room on the disk.
type EnvironmentError struct {
	Doing string // what was being done
	Err   error
	Hint  string
}

func (e *EnvironmentError) Error() string {
	return strings.TrimSuffix(e.Doing+": "+e.Err.Error()+"\n"+e.Hint, "\n")
}

// Unwrap is the cause.
func (e *EnvironmentError) Unwrap() error { return e.Err }

// InternalError is a bug of assay: a broken invariant, or a panic of an
// engine. It is made in one place, the boundary of a run.
type InternalError struct {
	Phase string // what was running
	Panic any
	Stack string
	Files []string
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error while %s: %v", e.Phase, e.Panic)
}

// Report is what a person should send us: the error, the version, the input
// and the stack.
func (e *InternalError) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", e.Error())
	fmt.Fprintf(&b, "This is a bug of assay, not of your program. Please report it with the lines below\nand, if you can, with the preprocessed input (clang-19 -E).\n\n")
	fmt.Fprintf(&b, "assay %s, input %s\n%s", Version(), strings.Join(e.Files, " "), e.Stack)
	return b.String()
}

// boundary recovers a panic of the run into err. It is deferred once, by Check
// and by every goroutine that Check starts.
func boundary(phase *string, files []string, err *error) {
	if p := recover(); p != nil {
		f := schedule.Recovered(context.Background(), p)
		*err = &InternalError{Phase: *phase, Panic: f.Error(), Stack: f.Stack, Files: files}
	}
}
