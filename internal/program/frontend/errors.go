package frontend

import (
	"fmt"
	"strings"
)

// InputError says what is wrong with the input: it is for the user who wrote it.
type InputError struct {
	// Diagnostics are the messages that could be read, in order.
	Diagnostics []Diagnostic
	// Text is the output of the compiler as it is, empty if none ran.
	Text string
	// Hint is what the user could do about it, empty if nothing is known.
	Hint string
}

func (e *InputError) Error() string {
	text := strings.TrimRight(e.Text, "\n")
	if text == "" {
		var lines []string
		for _, d := range e.Diagnostics {
			lines = append(lines, d.String())
		}
		text = strings.Join(lines, "\n")
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Diagnostic is one message about the input. Line 0 is unknown.
type Diagnostic struct {
	File      string
	Line, Col int
	Severity  string // "error", "warning" or "note"
	Message   string
}

func (d Diagnostic) String() string {
	switch {
	case d.File == "":
		return d.Severity + ": " + d.Message
	case d.Line == 0:
		return fmt.Sprintf("%s: %s: %s", d.File, d.Severity, d.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", d.File, d.Line, d.Col, d.Severity, d.Message)
}

// EnvironmentError says that something is missing on this machine.
type EnvironmentError struct {
	What string
	Hint string // what to install
	Err  error
}

func (e *EnvironmentError) Error() string {
	text := e.What
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Unwrap is the cause.
func (e *EnvironmentError) Unwrap() error { return e.Err }
