package ir

import (
	"math/big"

	"assay/internal/logic/bv"
)

// Jump is a place of a run where many iterations of a loop are made at once: what
// the loop changes gets the values that it has after Rounds iterations. That it has
// them, and that nothing else happens on the way, is for somebody else to prove. What
// is called an iteration here may be several of the loop.
type Jump struct {
	// Func and Head are the loop.
	Func string
	Head BlockID
	// Visit says at which visit of the head on the run the jump begins, from 1.
	Visit  int64
	Rounds uint64
	// Passes is the number of iterations of the loop in an iteration, if it is not 1.
	Passes int
	// Unwound are the loops in an iteration, of Func and of functions that it calls, with
	// how often they go around: a hint for the proof.
	Unwound []InnerLoop
	// Changes are the phis of the head and the memory that the iterations change.
	// Other phis stay as they are, and so does other memory.
	Changes []Change
	// Choices are what instructions decide in all of the iterations; what is not
	// listed does not matter.
	Choices []Choice
}

// InnerLoop is a loop by its head, and the number of its back edges.
type InnerLoop struct {
	Func string
	Head BlockID
	N    int
}

// Change is how the iterations of a Jump change an integer.
type Change struct {
	// Value is a phi of the head. If it is 0, Cell is in memory.
	Value Value
	Cell  Cell
	Kind  ChangeKind
	// Start is the value before, End after the iterations. Step and Second are of
	// the same width, unless Kind is Replaced.
	Start, Step, Second, End bv.BV
}

// Cell is an integer in memory: its bits are at an offset of a global, or of what the
// pointer value of the function of the Jump points to.
type Cell struct {
	Global  string
	Pointer Value
	Offset  uint64
	Bits    uint32
}

// ChangeKind says how an integer changes from one iteration to the next, modulo 2^w.
type ChangeKind uint8

// The kinds of changes.
const (
	Stepped  ChangeKind = iota // iteration i (from 0) adds Step
	Summed                     // iteration i adds Step + i*Second
	Replaced                   // each iteration makes it anew
)

// After is the value after n iterations of a change that is not Replaced:
// Start + n*Step + n*(n-1)/2*Second modulo 2^w.
func (c *Change) After(n uint64) bv.BV {
	k := new(big.Int).SetUint64(n)
	x := new(big.Int).Mul(k, c.Step.Unsigned())
	if c.Kind == Summed && n > 0 {
		pairs := new(big.Int).SetUint64(n - 1)
		pairs.Mul(pairs, k).Rsh(pairs, 1)
		x.Add(x, pairs.Mul(pairs, c.Second.Unsigned()))
	}
	return c.Start.Add(bv.FromBig(c.Start.Width(), x))
}
