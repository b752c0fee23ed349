package ltl

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Source is a text that holds a formula, and where it comes from.
type Source struct {
	File string // a file, or a flag; may be empty
	Line int    // the line of the first byte, 0 where lines mean nothing
	Col  int    // the column of the first byte, from 1
	Text string
}

// Span is a part of the text of a Source, in bytes.
type Span struct{ Start, End int }

// Error is something wrong in a formula.
type Error struct {
	Source  Source
	Span    Span
	Message string
	Hint    string // what to do about it, may be empty
}

// Errorf makes an error about a part of the source.
func (s Source) Errorf(span Span, hint, format string, args ...any) *Error {
	return &Error{Source: s, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Error is the message with the line and a caret.
func (e *Error) Error() string {
	var b strings.Builder
	if line, col := e.Position(); e.Source.File != "" && line > 0 {
		fmt.Fprintf(&b, "%s:%d:%d: ", e.Source.File, line, col)
	} else if e.Source.File != "" {
		fmt.Fprintf(&b, "%s: ", e.Source.File)
	}
	b.WriteString(e.Message)
	b.WriteString("\n" + e.Caret())
	if e.Hint != "" {
		b.WriteString("\n" + e.Hint)
	}
	return b.String()
}

// Position is the line and the column of the error in the file; the line is 0 if
// the source is not part of a file.
func (e *Error) Position() (line, col int) {
	before := e.Source.Text[:e.Span.Start]
	n := strings.Count(before, "\n")
	col = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	if n == 0 && e.Source.Col > 0 {
		col += e.Source.Col - 1
	}
	if e.Source.Line == 0 {
		return 0, col
	}
	return e.Source.Line + n, col
}

// Caret shows the line of the source with marks below the part that is wrong.
func (e *Error) Caret() string {
	text, span := e.Source.Text, e.Span
	start := strings.LastIndexByte(text[:span.Start], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[span.Start:], '\n'); i >= 0 {
		end = span.Start + i
	}
	var indent strings.Builder
	for _, r := range text[start:span.Start] {
		if r != '\t' {
			r = ' '
		}
		indent.WriteRune(r)
	}
	marked := text[span.Start:max(span.Start, min(span.End, end))]
	return "  " + text[start:end] + "\n  " + indent.String() + "^" + strings.Repeat("~", max(0, utf8.RuneCountInString(marked)-1))
}
