package harness

import "assay/internal/program/llvm"

// This file says what functions that a harness makes do. Most return anything (small numbers, where integers are ordinary; new objects, where it is a pointer), and change nothing. One of the type of fgets
// reads: it puts a string into the buffer that it is passed, of the size behind it, and returns the buffer, or null.

// Reads says that a function is of the type char *(char *, integer, …).
func Reads(t *llvm.CType) bool {
	if t == nil || len(t.Signature) < 3 {
		return false
	}
	size := t.Signature[2].Strip()
	return isBuffer(t.Signature[0]) && isBuffer(t.Signature[1]) && size != nil && size.Kind == llvm.CInt && size.Bits >= 32
}

// isBuffer says that a type is char *, of characters that may be written.
func isBuffer(t *llvm.CType) bool {
	s := t.Strip()
	return s != nil && s.Kind == llvm.CPointer && isCharacter(s.Base.Strip()) && !constant(s.Base)
}

// returnsPointer says that a function of the type returns a pointer.
func returnsPointer(t *llvm.CType) bool {
	if len(t.Signature) == 0 {
		return false
	}
	s := t.Signature[0].Strip()
	return s != nil && s.Kind == llvm.CPointer
}

// ReturnsInteger says that a function of the type returns an integer of more than 8 bits.
func ReturnsInteger(t *llvm.CType) bool {
	if len(t.Signature) == 0 {
		return false
	}
	s := t.Signature[0].Strip()
	return s != nil && s.Kind == llvm.CInt && s.Bits > 8
}
