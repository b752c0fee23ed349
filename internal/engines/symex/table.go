package symex

// Tables: what is read from a constant object at an offset that is not constant. As a function of the
// offset it is linear in each of a few pieces: classes of characters and their other case, digits and what they
// stand for. The cases are told apart, and in each of them the value is known.
//
// Often a table has one bit for each of several questions, and only one of them is looked at. So where all
// that is done with what is read is to take bits of it, the pieces are those of these bits; the others of the
// result are 0 here, which nobody sees.

import (
	"slices"

	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// Limits of the pieces of a table that are told apart, and of the elements that are looked at.
const maxPieces, maxElements = 8, 4096

// piece says that from an element to another one a table is first + slope·(offset - from)/size.
type piece struct {
	from, to, first, slope int64
}

// lookUp is the value of a read of type t at off from a constant object, if it is known. If it is not ok, the
// instruction has to be split.
func (x *explorer) lookUp(f *frame, v ir.Value, ob *object, off linear.Form, t ir.Type) (r value, known, ok bool) {
	g := ob.Global
	if g == nil || !g.Constant || !ob.Pristine || len(g.Relocs) > 0 || t.Kind != ir.Int || t.Bits%8 != 0 || t.Bits > 64 {
		return r, false, true
	}
	n := int64(t.Size())
	unit := linear.Int(n)
	if !off.Scale(unit.Inv()).IsIntegral() {
		return r, false, true
	}
	low, lowSmall := x.k.low(off).Int64()
	high, highSmall := x.k.high(off).Int64()
	if !lowSmall || !highSmall || low < 0 || high > int64(g.Size)-n || (high-low)/n > maxElements {
		return r, false, true
	}
	pieces := piecesOf(g, low, high, n, x.taken(f.Func, v, t))
	if len(pieces) > maxPieces {
		return r, false, true
	}
	for _, p := range pieces {
		if x.k.atLeast(off, linear.Int(p.from)) && x.k.atLeast(off.Neg(), linear.Int(-p.to)) {
			steps := off.Plus(linear.Int(-p.from)).Scale(unit.Inv())
			return integer(steps.Scale(linear.Int(p.slope)).Plus(linear.Int(p.first))), true, true
		}
	}
	for _, p := range pieces {
		x.split = append(x.split, alternative{facts: []linear.Constraint{
			linear.AtLeast(off, linear.Constant(linear.Int(p.from))), linear.AtLeast(linear.Constant(linear.Int(p.to)), off),
		}})
	}
	return r, true, false
}

// piecesOf are the pieces of the elements of n bytes from low to high, of which some bits count; more than
// maxPieces are not looked for.
func piecesOf(g *ir.Global, low, high, n int64, bits uint64) (pieces []piece) {
	for at := low; at <= high && len(pieces) <= maxPieces; at += n {
		e := element(g, at, n, bits)
		if k := len(pieces) - 1; k >= 0 {
			p := &pieces[k]
			if p.from == p.to && e != p.first && at+n <= high && element(g, at+n, n, bits)-e == e-p.first { // three in a line
				p.slope = e - p.first
			}
			if e == p.first+p.slope*((at-p.from)/n) {
				p.to = at
				continue
			}
		}
		pieces = append(pieces, piece{from: at, to: at, first: e})
	}
	return pieces
}

// element is the signed number of n bytes at an offset, of which some bits count.
func element(g *ir.Global, at, n int64, bits uint64) int64 {
	var e uint64
	for i := range n {
		if g.Init != nil {
			e |= uint64(g.Init[at+i]) << (8 * i)
		}
	}
	shift := 64 - 8*n
	return int64((e&bits)<<shift) >> shift
}

// taken are the bits of an integer that anything is done with.
func (x *explorer) taken(f *ir.Func, v ir.Value, t ir.Type) (bits uint64) {
	all := ^uint64(0) >> (64 - t.Bits)
	p := x.prepare(f)
	for u := range f.Values {
		d := &f.Values[u]
		if d.Block == 0 || !p.needed[u] || !slices.Contains(d.Args, v) {
			continue
		}
		switch d.Op {
		case ir.ZExt:
			bits |= x.taken(f, ir.Value(u), ir.IntType(min(d.Type.Bits, 64)))
		case ir.Trunc:
			bits |= x.taken(f, ir.Value(u), d.Type)
		case ir.And:
			other := f.Def(d.Args[0])
			if d.Args[0] == v {
				other = f.Def(d.Args[1])
			}
			if other.Op != ir.Const {
				return all
			}
			bits |= other.Const.Uint64()
		default:
			return all
		}
		if bits&all == all {
			return all
		}
	}
	return bits & all
}
