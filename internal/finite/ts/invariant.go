package ts

import (
	"context"
	"strconv"

	"assay/internal/logic/term"
)

// Literal says that a bit of a state variable is 1, or 0 if Negated.
type Literal struct {
	State   int32
	Bit     uint32
	Negated bool
}

// Invariant is the certificate that a bad state is unreachable: a formula that
// is inductive together with the property. Let P be the conjunction of Clauses,
// of Formulas, of the disjunction of Cubes unless there are none, and of the negations
// of the bad conditions in question, the latter under the Constraints. Then
//
//	(1) no bad condition holds in the first Prefix steps of a run,
//	(2) P holds in the first K states from step Prefix on,
//	(3) P holds in every state after K states in a row in which P holds, where if
//	    Simple only sequences of K+1 states that are pairwise different count: a
//	    shortest run that violates P is one.
//
// K is 1 for an inductive invariant.
type Invariant struct {
	Prefix  int
	K       int
	Simple  bool
	Clauses [][]Literal
	Cubes   [][]Literal
	// Formulas are Bools over the states of the system.
	Formulas []term.ID
	// Bits are the bits of the state in which states must differ if Simple: with
	// the inputs, they must determine their own next values and whether any
	// condition or P holds.
	Bits []Bit
}

// LatchLiteral says that a latch of a circuit is true, or false if Negated.
type LatchLiteral struct {
	Latch   int32
	Negated bool
}

// LiftClauses makes an invariant of the system from clauses over the latches of
// a circuit that Normalise made: an inductive invariant of the circuit. If the
// circuit has a latch `initialised`, its clauses speak of the system from step 1
// on, where that latch is true.
func LiftClauses(c *Circuit, clauses [][]LatchLiteral) *Invariant {
	inv := &Invariant{K: 1}
	for _, b := range c.LatchBits {
		if b.Index == Initialised {
			inv.Prefix = 1
		}
	}
next:
	for _, clause := range clauses {
		var out []Literal
		for _, l := range clause {
			b := c.LatchBits[l.Latch]
			if b.Index == Initialised {
				if !l.Negated {
					continue next
				}
				continue
			}
			if b.Index < 0 {
				panic("ts: invariant over a latch that the system does not have")
			}
			out = append(out, Literal{b.Index, b.Bit, l.Negated})
		}
		inv.Clauses = append(inv.Clauses, out)
	}
	return inv
}

// LiftCubes makes cubes over the system of cubes over the latches of a circuit; see
// LiftClauses.
func LiftCubes(c *Circuit, cubes [][]LatchLiteral) [][]Literal {
	out := [][]Literal{}
next:
	for _, cube := range cubes {
		literals := []Literal{}
		for _, l := range cube {
			b := c.LatchBits[l.Latch]
			if b.Index == Initialised {
				if l.Negated {
					continue next
				}
				continue
			}
			literals = append(literals, Literal{b.Index, b.Bit, l.Negated})
		}
		out = append(out, literals)
	}
	return out
}

// LatchBitsOf are the bits of the system that the circuit has.
func LatchBitsOf(c *Circuit) []Bit {
	var bits []Bit
	for _, b := range c.LatchBits {
		if b.Index >= 0 {
			bits = append(bits, b)
		}
	}
	return bits
}

// Format prints a clause with the names of the states.
func (s *System) Format(clause []Literal) string {
	var out []byte
	for i, l := range clause {
		if i > 0 {
			out = append(out, " | "...)
		}
		if l.Negated {
			out = append(out, '!')
		}
		v := s.States[l.State]
		out = append(out, v.Name...)
		if s.Width(v.Term) > 1 {
			out = append(out, '[')
			out = strconv.AppendUint(out, uint64(l.Bit), 10)
			out = append(out, ']')
		}
	}
	if len(clause) == 0 {
		return "false"
	}
	return string(out)
}

// Refuted says that an invariant does not prove what it should: the engine that
// made it has a bug.
type Refuted struct{ What string }

func (e *Refuted) Error() string { return "the invariant is refuted: " + e.What }

// Accept is a checker of invariants: whether one proves that the bad conditions with these
// indices cannot be reached. byZ3 says that Z3 found it. The error is a *Refuted, that of the
// context or that of a solver.
type Accept func(ctx context.Context, s *System, bad []int, inv *Invariant, byZ3 bool) error
