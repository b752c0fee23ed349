package ir

import "assay/internal/logic/bv"

// Choice is one nondeterministic decision of a run. The decisions of a run are
// listed in the order in which the run makes them; a replay consumes them in
// that order and fails if an instruction asks for a decision that the list
// does not have next.
//
// Which instructions decide: Nondet; Alloca, Malloc, LifetimeStart and Havoc
// (the content of memory); every operation whose result is "arbitrary" in the
// state at hand (a division by zero, a shift that is too far, an invalid read,
// a float conversion out of range).
type Choice struct {
	// Func and Value are the instruction that decides.
	Func  string
	Value Value
	// Bits is the value of a Nondet, or of an arbitrary result. A pointer is
	// given by its numeric address: 0 is null, and an address outside of every
	// object is a pointer to nothing.
	Bits bv.BV
	// Bytes is the content of the object or range, from its start; missing
	// bytes are 0. A byte that is not read is left at 0.
	Bytes []byte
	// Base is the address of the object made here, 0 if it does not matter.
	Base uint64
}

// GlobalChoice is the part of the initial state that a run may choose.
type GlobalChoice struct {
	Bytes []byte // content of an External global
	Base  uint64 // its address, 0 if it does not matter
}

// Input determines a run completely.
type Input struct {
	Globals map[string]GlobalChoice // by symbol, functions included (Base only)
	Choices []Choice
	// Jumps are the places where iterations of loops are made at once, in their
	// order. Without them, the interpreter makes every step of the run.
	Jumps []Jump
}
