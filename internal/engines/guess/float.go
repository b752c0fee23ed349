package guess

import (
	"math"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/absdomain"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file guesses intervals of floating-point numbers at loop heads, and their
// order: rows whose bounds are positions in the order of a format (package
// invariant). A bound is a constant of the program, its opposite or its double, one
// that abstract interpretation found, or a round number: of an accumulator or a
// filter the least bound that is inductive is rarely a number of few digits, and the
// proof of a greater one has room for rounding errors, so that few lemmas of
// interval arithmetic prove it (package floats/ondemand). As of all rows, the
// strongest is tried first, and all are raised together, until they are inductive.

// Limits of what is guessed about one loop.
const (
	maxFloats         = 8
	maxFloatConstants = 24
	maxFloatPartners  = 4
)

// roundNumbers are bounds to try for any float, with their opposites.
var roundNumbers = []float64{0, 0x1p-10, 0.125, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 1 << 16, 1 << 20, 1 << 31, 1 << 53, 1 << 100, math.MaxFloat32, math.MaxFloat64, math.Inf(1)}

// encodeFloat is a number in a format, rounded to nearest.
func encodeFloat(bits uint32, v float64) bv.BV {
	if bits == 32 {
		return bv.New(32, uint64(math.Float32bits(float32(v))))
	}
	return bv.New(64, math.Float64bits(v))
}

func decodeFloat(x bv.BV) float64 {
	if x.Width() == 32 {
		return float64(math.Float32frombits(uint32(x.Uint64())))
	}
	return math.Float64frombits(x.Uint64())
}

// floats guesses about the phis of the head and the scalars in memory that are
// floats.
func (g *guesser) floats(cells []cut.Place) {
	var vars []cut.Place
	for _, v := range g.f.Blocks[g.l.Head].Instrs {
		d := g.f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		if d.Type.Kind == ir.Float && (d.Type.Bits == 32 || d.Type.Bits == 64) {
			vars = append(vars, cut.Place{Value: v, Bits: d.Type.Bits, Float: true})
		}
	}
	for _, x := range cells {
		if x.Float {
			vars = append(vars, x)
		}
	}
	if vars = vars[:min(len(vars), maxFloats)]; len(vars) == 0 {
		return
	}
	constants, partners := g.floatConstants()
	for _, x := range vars {
		for _, n := range floatBounds(x.Bits, constants) {
			g.out = append(g.out, g.floatBound(x, 1, n), g.floatBound(x, -1, n))
		}
	}
	for i, x := range vars {
		others := vars[i+1:]
		for _, y := range partners {
			others = append(others[:len(others):len(others)], cut.Place{Value: y, Bits: g.f.Def(y).Type.Bits, Float: true})
		}
		for _, y := range others {
			if x.Bits == y.Bits {
				for _, sign := range []int64{1, -1} {
					p := invariant.Order{Terms: []invariant.Term{x.Term(sign, true), y.Term(-sign, true)}, Bound: new(big.Int)}
					g.out = append(g.out, cut.Candidate{Loop: g.l, Predicate: p})
				}
			}
		}
	}
}

// floatBound is x <= n, or x >= n if the coefficient is -1, for a position n.
func (g *guesser) floatBound(x cut.Place, coeff, n int64) cut.Candidate {
	return floatBound(g.l, x, coeff, n)
}

func floatBound(l *cut.Loop, x cut.Place, coeff, n int64) cut.Candidate {
	return cut.Candidate{Loop: l, Predicate: invariant.Order{Terms: []invariant.Term{x.Term(coeff, true)}, Bound: big.NewInt(coeff * n)}}
}

// floatBounds are the positions to try as bounds.
func floatBounds(bits uint32, constants []float64) []int64 {
	var out []int64
	for _, v := range append(constants[:len(constants):len(constants)], roundNumbers...) {
		for _, w := range []float64{v, -v} {
			if x := encodeFloat(bits, w); !math.IsInf(decodeFloat(x), 0) || math.IsInf(v, 0) {
				out = append(out, invariant.Position(x))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// floatConstants collects the numbers of the function, those of integer type too, for
// they may be converted, and floats from before the loop that are compared.
func (g *guesser) floatConstants() (numbers []float64, partners []ir.Value) {
	add := func(v float64) {
		if v == v && !math.IsInf(v, 0) && !slices.Contains(numbers, v) && len(numbers) < maxFloatConstants {
			numbers = append(numbers, v)
		}
	}
	var integers []float64
	for v := ir.Value(1); int(v) < len(g.f.Values); v++ {
		d := g.f.Def(v)
		switch {
		case d.Op == ir.Const && d.Type.Kind == ir.Float && d.Type.Bits >= 32 && d.Type.Bits <= 64:
			x := decodeFloat(d.Const)
			add(math.Abs(x))
			add(2 * math.Abs(x))
		case d.Op == ir.Const && d.Type.Kind == ir.Int && d.Type.Bits > 1 && d.Type.Bits <= 64:
			if n := d.Const.Signed(); n.IsInt64() && Magnitude(n.Int64()) < 1<<24 {
				integers = append(integers, math.Abs(float64(n.Int64())))
			}
		case d.Op == ir.FEq || d.Op == ir.FLt || d.Op == ir.FLe:
			for _, a := range d.Args {
				x := g.f.Def(a)
				if x.Op != ir.Const && (x.Op == ir.Param || x.Block != 0 && !g.l.Blocks[x.Block] && g.dom.Reachable(x.Block) && g.dom.Dominates(x.Block, g.l.Head)) &&
					!slices.Contains(partners, a) && len(partners) < maxFloatPartners {
					partners = append(partners, a)
				}
			}
		}
	}
	for _, x := range integers {
		add(x)
	}
	return numbers, partners
}

// fromFloat makes candidates of what abstract interpretation knows of a float.
func FloatBounds(l *cut.Loop, x cut.Place, f absdomain.Float) []cut.Candidate {
	if f.NaN || f.Lo > f.Hi {
		return nil
	}
	return []cut.Candidate{
		floatBound(l, x, 1, invariant.Position(encodeFloat(x.Bits, f.Hi))),
		floatBound(l, x, -1, invariant.Position(encodeFloat(x.Bits, f.Lo))),
	}
}

// cellType is the type with which a global is accessed: a float, if all accesses
// of it as a whole are.
func cellType(m *ir.Module, global string, bits uint32) ir.Type {
	t := ir.IntType(bits)
	if bits != 32 && bits != 64 {
		return t
	}
	some := false
	for _, f := range m.Funcs {
		for v := 1; v < len(f.Values); v++ {
			d := f.Def(ir.Value(v))
			address, x := ir.Value(0), d.Type
			switch d.Op {
			case ir.Load:
				address = d.Args[0]
			case ir.Store:
				address, x = d.Args[1], f.Type(d.Args[0])
			default:
				continue
			}
			if a := f.Def(address); a.Op != ir.GlobalAddr || a.Sym != global {
				continue
			}
			if x != ir.FloatType(bits) {
				return t
			}
			some = true
		}
	}
	if some {
		return ir.FloatType(bits)
	}
	return t
}
