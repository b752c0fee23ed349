package buchi

import (
	"math/bits"
	"strings"

	"assay/internal/temporal/ltl"
)

// MaxAtoms is how many atoms an automaton can speak about.
const MaxAtoms = 64

// Letter is an observation: bit i says whether atom i is true.
type Letter uint64

// Cube is a conjunction of atoms and negated atoms: those with a bit in Pos are
// true, those with a bit in Neg are false. No atom has both.
type Cube struct{ Pos, Neg uint64 }

// Holds says that a letter satisfies the cube.
func (c Cube) Holds(l Letter) bool { return uint64(l)&c.Pos == c.Pos && uint64(l)&c.Neg == 0 }

// And is the conjunction of two cubes; ok says that a letter satisfies it.
func (c Cube) And(d Cube) (e Cube, ok bool) {
	e = Cube{c.Pos | d.Pos, c.Neg | d.Neg}
	return e, e.Pos&e.Neg == 0
}

// Implies says that all letters of c are letters of d.
func (c Cube) Implies(d Cube) bool { return d.Pos&^c.Pos == 0 && d.Neg&^c.Neg == 0 }

// Without are cubes for the letters of c that are not of d; they exclude each other.
func (c Cube) Without(d Cube) []Cube {
	if _, ok := c.And(d); !ok {
		return []Cube{c}
	}
	var all []Cube
	for bit := uint64(1); bit != 0; bit <<= 1 {
		switch {
		case (c.Pos|c.Neg)&bit != 0:
		case d.Pos&bit != 0:
			all = append(all, Cube{c.Pos, c.Neg | bit})
			c.Pos |= bit
		case d.Neg&bit != 0:
			all = append(all, Cube{c.Pos | bit, c.Neg})
			c.Neg |= bit
		}
	}
	return all
}

// Letter is a letter of the cube: the one with the fewest atoms true.
func (c Cube) Letter() Letter { return Letter(c.Pos) }

// Covered says that every letter of the cube is a letter of one of others. It splits
// the cube on atoms of those that overlap with it.
func (c Cube) Covered(others []Cube) bool {
	var overlap []Cube
	for _, d := range others {
		if c.Implies(d) {
			return true
		}
		if _, ok := c.And(d); ok {
			overlap = append(overlap, d)
		}
	}
	if len(overlap) < 2 {
		return false
	}
	// An atom that one of them decides and c does not.
	d := overlap[0]
	bit := uint64(1) << bits.TrailingZeros64((d.Pos|d.Neg)&^(c.Pos|c.Neg))
	return Cube{c.Pos | bit, c.Neg}.Covered(overlap) && Cube{c.Pos, c.Neg | bit}.Covered(overlap)
}

// Text prints the cube as a formula.
func (c Cube) Text(atoms []ltl.Atom) string {
	var all []string
	for i, a := range atoms {
		switch {
		case c.Pos>>i&1 != 0:
			all = append(all, a.String())
		case c.Neg>>i&1 != 0:
			all = append(all, "!"+a.String())
		}
	}
	if len(all) == 0 {
		return "true"
	}
	return strings.Join(all, " && ")
}

// minimise takes cubes out that others imply, and merges those that differ in the
// sign of one atom only.
func minimise(cubes []Cube) []Cube {
	for {
		var kept []Cube
	next:
		for i, c := range cubes {
			for j, d := range cubes {
				// Of equal ones the first stays.
				if i != j && c.Implies(d) && (c != d || j < i) {
					continue next
				}
			}
			kept = append(kept, c)
		}
		merged := make([]bool, len(kept))
		var all []Cube
		for i, c := range kept {
			for j := i + 1; j < len(kept) && !merged[i]; j++ {
				if m, ok := merge(c, kept[j]); ok && !merged[j] {
					merged[i], merged[j] = true, true
					all = append(all, m)
				}
			}
			if !merged[i] {
				all = append(all, c)
			}
		}
		if len(all) == len(kept) {
			return all
		}
		cubes = all
	}
}

// merge is the cube of the letters of two; ok says that they differ in the sign of
// one atom only.
func merge(c, d Cube) (Cube, bool) {
	sign := c.Pos&d.Neg | c.Neg&d.Pos
	if bits.OnesCount64(sign) != 1 || c.Pos&^sign != d.Pos&^sign || c.Neg&^sign != d.Neg&^sign {
		return Cube{}, false
	}
	return Cube{c.Pos &^ sign, c.Neg &^ sign}, true
}
