package guess

import (
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file guesses equations between integers that a loop counts in step: in
//
//	for (i = 0, j = 0; i < 16; i++, j += 4)
//
// it is 4*i - j = 0 modulo 2^32, whatever overflows. They follow from the form of the loop, so that a
// search that begins with them, and with what abstract interpretation knows, needs few questions.

// Lockstep are equations between phis of a loop's head that begin at constants and to which each iteration adds a
// constant: each with the first of its width, so that there are fewer equations than phis.
func Lockstep(loops []*cut.Loop) (out []cut.Candidate) {
	type counter struct {
		place cut.Place
		start *big.Int
		step  int64
	}
	for _, l := range loops {
		g := &guesser{l: l, f: l.Func}
		first := map[uint32]*counter{}
		for _, v := range l.Func.Blocks[l.Head].Instrs {
			d := l.Func.Def(v)
			if d.Op != ir.Phi {
				break
			}
			if d.Type.Kind != ir.Int || d.Type.Bits < 8 || d.Type.Bits > 64 {
				continue
			}
			x := &counter{place: g.value(v)}
			if x.start, x.step = g.start(x.place), g.step(x.place); x.start == nil || x.step == 0 || Magnitude(x.step) >= 1<<20 {
				continue
			}
			y := first[d.Type.Bits]
			if y == nil {
				first[d.Type.Bits] = x
				continue
			}
			// y.step*x - x.step*y stays what it is at the start.
			n := new(big.Int).Mul(big.NewInt(y.step), x.start)
			n.Sub(n, new(big.Int).Mul(big.NewInt(x.step), y.start))
			p := invariant.Comparison{Terms: []invariant.Term{x.place.Term(y.step, true), y.place.Term(-x.step, true)}, Relation: invariant.Congruent, Bound: n}
			if d.Type.Bits < 64 {
				p.Modulus = 1 << d.Type.Bits
			}
			out = append(out, cut.Candidate{Loop: l, Predicate: p})
		}
	}
	return out
}
