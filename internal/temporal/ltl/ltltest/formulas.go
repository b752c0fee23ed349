// Package ltltest has formulas for tests, and all lassos of a length at once.
package ltltest

import (
	"math/rand/v2"

	"assay/internal/temporal/ltl"
)

// Names are the atoms of the formulas here.
var Names = []string{"a", "b", "c", "d"}

// Prop is one of these atoms.
func Prop(i int) ltl.Formula { return ltl.Prop{Atom: ltl.Atom{Kind: ltl.CAtom, Text: Names[i]}} }

// binaries are all binary operators.
var binaries = []ltl.BinaryOp{ltl.AndOp, ltl.OrOp, ltl.UntilOp, ltl.ReleaseOp, ltl.WeakUntilOp, ltl.ImpliesOp, ltl.IffOp, ltl.XorOp}

// Random is a formula of a size over so many atoms.
func Random(r *rand.Rand, size, atoms int) ltl.Formula {
	switch {
	case size <= 1:
		if r.IntN(12) == 0 {
			return ltl.Constant(r.IntN(2) == 0)
		}
		return Prop(r.IntN(atoms))
	case size == 2 || r.IntN(2) == 0:
		return ltl.Unary{Op: ltl.UnaryOp(r.IntN(4)), F: Random(r, size-1, atoms)}
	}
	left := 1 + r.IntN(size-2)
	// Equivalences are rare, as in life.
	op := binaries[r.IntN(len(binaries)*2-2)%len(binaries)]
	return ltl.Binary{Op: op, L: Random(r, left, atoms), R: Random(r, size-1-left, atoms)}
}

// All calls f with every formula of at most a size over so many atoms.
func All(size, atoms int, f func(ltl.Formula)) {
	bySize := [][]ltl.Formula{nil}
	for n := 1; n <= size; n++ {
		var fs []ltl.Formula
		if n == 1 {
			fs = append(fs, ltl.True, ltl.False)
			for i := range atoms {
				fs = append(fs, Prop(i))
			}
		}
		for _, g := range bySize[n-1] {
			for op := ltl.NotOp; op <= ltl.GloballyOp; op++ {
				fs = append(fs, ltl.Unary{Op: op, F: g})
			}
		}
		for left := 1; left < n-1; left++ {
			for _, l := range bySize[left] {
				for _, r := range bySize[n-1-left] {
					for _, op := range binaries {
						fs = append(fs, ltl.Binary{Op: op, L: l, R: r})
					}
				}
			}
		}
		bySize = append(bySize, fs)
		for _, g := range fs {
			f(g)
		}
	}
}
