package ts

import "fmt"

// SyntaxError is a mistake in a file of one of the formats.
type SyntaxError struct {
	Line   int   // from 1; 0 if Offset says where
	Offset int64 // of a byte in a binary file
	What   string
}

func (e *SyntaxError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.What)
	}
	return fmt.Sprintf("byte %d: %s", e.Offset, e.What)
}

// Unsupported says that a file uses something correctly that cannot be treated.
type Unsupported struct {
	Line int
	What string
}

func (e *Unsupported) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }
