package bitranking

import (
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file lists functions to try before others: single values, differences and
// sums of two, distances, and where the sign of a condition of the loop flips.

// maxPool bounds the functions of one loop.
const maxPool = 1500

// pool lists functions for a loop.
func pool(l *cut.Loop, places []place, fixed int) []function {
	var out []function
	add := func(f function) {
		if len(out) < maxPool {
			out = append(out, f)
		}
	}
	one := func(i int, c int64, signed bool) summand { return summand{i, c, signed} }
	changing := places[:len(places)-fixed]
	for i, x := range changing {
		if x.Bits == 1 {
			continue
		}
		for _, signed := range []bool{true, false} {
			add(affine(one(i, 1, signed)))
			add(affine(one(i, -1, signed)))
		}
	}
	for i, x := range changing {
		for j := range i {
			if y := places[j]; x.Bits != y.Bits || x.Bits == 1 {
				continue
			}
			for _, signed := range []bool{true, false} {
				add(affine(one(i, 1, signed), one(j, -1, signed)))
				add(affine(one(j, 1, signed), one(i, -1, signed)))
				add(affine(one(i, 1, signed), one(j, 1, signed)))
				add(affine(one(i, -1, signed), one(j, -1, signed)))
			}
		}
	}
	for i, x := range changing {
		if x.Bits == 1 {
			add(affine(one(i, 1, false)))
			add(affine(one(i, -1, false)))
		}
	}
	// Distances: |x|, |x - y|.
	for i, x := range places {
		if x.Bits > 1 && i < len(changing) {
			add(distance([]summand{one(i, 1, true)}))
		}
		for j := range min(i, len(changing)) {
			if y := places[j]; x.Bits == y.Bits && x.Bits > 1 {
				for _, signed := range []bool{true, false} {
					add(distance([]summand{one(i, 1, signed), one(j, -1, signed)}))
				}
			}
		}
	}
	// The greater and the smaller one of two, up to 1.
	for i, x := range changing {
		for j, y := range changing {
			if i == j || x.Bits != y.Bits || x.Bits == 1 {
				continue
			}
			for _, c := range []int64{-1, 0} {
				if c == 0 && j < i {
					continue // the same
				}
				for _, sign := range []int64{1, -1} {
					add(greatest(i, j, c, sign))
				}
			}
		}
	}
	// Conditions that change once, and what decreases as long as they hold or not.
	for _, c := range conditions(l, places) {
		when := []condition{c}
		add(function{{when: when, constant: 1}, {}})
		add(function{{when: when}, {constant: 1}})
		for i, x := range changing {
			if x.Bits == 1 {
				continue
			}
			for _, signed := range []bool{true, false} {
				for _, k := range []int64{1, -1} {
					sum := []summand{one(i, k, signed)}
					add(function{{when: when, sum: sum}, {}})
					add(function{{when: when}, {sum: sum}})
				}
			}
		}
	}
	return out
}

func negated(sum []summand) []summand {
	var out []summand
	for _, s := range sum {
		s.coeff = -s.coeff
		out = append(out, s)
	}
	return out
}

// distance is the absolute value of a sum.
func distance(sum []summand) function {
	return function{{when: []condition{{sum: negated(sum)}}, sum: sum}, {sum: negated(sum)}}
}

// greatest is the maximum of the values x and y + c or, for sign -1, that of -x and -(y + c).
func greatest(x, y int, c, sign int64) function {
	// sign·x <= sign·(y + c)
	when := condition{sum: []summand{{x, sign, true}, {y, -sign, true}}, bound: sign * c}
	return function{
		{when: []condition{when}, sum: []summand{{y, sign, true}}, constant: sign * c},
		{sum: []summand{{x, sign, true}}},
	}
}

// maxConditions bounds the conditions of one loop.
const maxConditions = 12

// maxModulus bounds the moduli of conditions.
const maxModulus = 64

// conditions are the comparisons in a loop of places with each other and with
// small constants, and the signs of the places.
func conditions(l *cut.Loop, places []place) []condition {
	var out []condition
	add := func(c condition) {
		for _, d := range out {
			if same(c, d) {
				return
			}
		}
		if len(out) < maxConditions {
			out = append(out, c)
		}
	}
	f := l.Func
	// find is the place that a value is, up to a constant: v = place + offset.
	find := func(v ir.Value) (i int, ok bool) {
		d := f.Def(v)
		for j, x := range places {
			if !x.Cell && x.Value == v {
				return j, true
			}
			if x.Cell && d.Op == ir.Load && d.Args[0] == x.Value && x.Offset == 0 && d.Type.Bits == x.Bits {
				return j, true
			}
		}
		return 0, false
	}
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		if !l.In(b) {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			less := int64(0)
			signed := true
			switch d.Op {
			case ir.SLt:
				less = 1
			case ir.ULt:
				less, signed = 1, false
			case ir.ULe:
				signed = false
			case ir.SLe, ir.Eq, ir.Ne:
			case ir.SRem, ir.URem, ir.And:
				// x % m, x & (m-1)
				i, ok := find(d.Args[0])
				m, isConstant := constant(f, d.Args[1], true)
				if d.Op == ir.And {
					m++
				}
				if ok && isConstant && m > 1 && m <= maxModulus && (d.Op != ir.And || m&(m-1) == 0) {
					add(condition{[]summand{{i, 1, d.Op == ir.SRem}}, 0, uint64(m)})
				}
				continue
			default:
				continue
			}
			i, ok := find(d.Args[0])
			j, ok2 := find(d.Args[1])
			ka, isA := constant(f, d.Args[0], signed)
			kb, isB := constant(f, d.Args[1], signed)
			switch {
			case ok && ok2: // x - y <= -less
				add(condition{[]summand{{i, 1, signed}, {j, -1, signed}}, -less, 0})
			case ok && isB:
				add(condition{[]summand{{i, 1, signed}}, kb - less, 0})
			case ok2 && isA:
				add(condition{[]summand{{j, -1, signed}}, -ka - less, 0})
			}
		}
	}
	for i, x := range places {
		if x.Bits > 1 {
			add(condition{sum: []summand{{i, 1, true}}})
			add(condition{sum: []summand{{i, -1, true}}})
		}
	}
	return out
}

func same(c, d condition) bool {
	if c.bound != d.bound || c.modulus != d.modulus || len(c.sum) != len(d.sum) {
		return false
	}
	for i := range c.sum {
		if c.sum[i] != d.sum[i] {
			return false
		}
	}
	return true
}

func constant(f *ir.Func, v ir.Value, signed bool) (int64, bool) {
	d := f.Def(v)
	if d.Op != ir.Const || d.Type.Kind != ir.Int || d.Type.Bits > 64 {
		return 0, false
	}
	n := d.Const.Unsigned()
	if signed {
		n = d.Const.Signed()
	}
	if n.BitLen() > 62 {
		return 0, false
	}
	return n.Int64(), true
}
