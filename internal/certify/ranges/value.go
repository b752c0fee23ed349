package ranges

import "assay/internal/logic/term"

// This file finds the interval of a term under assumptions, from those of its arguments.

// context are assumptions: intervals of terms. Contexts with the same intervals are the same.
type context struct {
	bounds map[term.ID]interval
	values map[term.ID]interval // of terms asked about so far
	truths map[term.ID]truth
	// refuted says of conditions, and of their negations, that were asked about whether they are refuted.
	refuted [2]map[term.ID]bool
}

// hasInterval says whether a term is a bit vector that has intervals.
func (r *Refuter) hasInterval(t term.ID) bool {
	sort := r.st.Sort(t)
	return sort.Kind == term.SortBV && sort.Width <= maxWidth
}

// value is the interval of a bit vector of at most 64 bits, wherever the assumptions hold.
func (r *Refuter) value(c *context, t term.ID) interval {
	if v, ok := r.st.ConstUint64(t); ok {
		return constant(v, r.st.Width(t))
	}
	if x, ok := c.values[t]; ok {
		return x
	}
	width := r.st.Width(t)
	defer r.leave()
	if !r.enter() {
		return all(width)
	}
	x := r.transfer(c, t, width)
	if y, ok := c.bounds[t]; ok {
		x = x.meet(y, width)
	}
	c.values[t] = x
	return x
}

func (r *Refuter) transfer(c *context, t term.ID, width uint32) interval {
	st := r.st
	if st.Op(t) == term.OpIte {
		return r.choice(c, t, width)
	}
	var args [2]interval
	for i := range st.NumArgs(t) {
		a := st.Arg(t, i)
		if i == len(args) || !r.hasInterval(a) {
			return all(width)
		}
		if args[i] = r.value(c, a); args[i].empty() {
			return args[i]
		}
	}
	x, y := args[0], args[1]
	switch st.Op(t) {
	case term.OpAdd:
		return add(x, y, width)
	case term.OpMul:
		return multiply(x, y, width)
	case term.OpNeg:
		return negate(x, width)
	case term.OpUDiv:
		return divide(x, y, width)
	case term.OpURem:
		return remainder(x, y, width)
	case term.OpSDiv:
		return signedDivide(x, y, width)
	case term.OpSRem:
		return signedRemainder(x, y, width)
	case term.OpShl:
		return shiftLeft(x, y, width)
	case term.OpLShr:
		return shiftRight(x, y, width)
	case term.OpAShr:
		return arithmeticShiftRight(x, y, width)
	case term.OpBVNot:
		return complement(x, width)
	case term.OpBVAnd:
		return and(x, y, width)
	case term.OpBVOr:
		return or(x, y, width)
	case term.OpBVXor:
		return xor(x, y, width)
	case term.OpConcat:
		return concatenate(x, y, st.Width(st.Arg(t, 1)), width)
	case term.OpExtract:
		_, from := st.ExtractBounds(t)
		return extract(x, from, width)
	case term.OpZExt:
		return between(x.lo, x.hi, width)
	case term.OpSExt:
		return extendSigned(x, width)
	}
	return all(width)
}

// choice is the interval of an if-then-else. What the condition says of a branch itself is used, so
// that limits of values are known: x < 5 ? x : 5.
func (r *Refuter) choice(c *context, t term.ID, width uint32) interval {
	st := r.st
	condition := st.Arg(t, 0)
	var x interval
	known := r.truth(c, condition)
	for i, taken := range []truth{yes, no} {
		if known == taken.not() {
			if i == 0 {
				x = interval{lo: 1}
			}
			continue
		}
		a := st.Arg(t, i+1)
		y := r.value(c, a)
		if b, ok := r.bound(c, condition, taken == no, a); ok {
			y = y.meet(b, width)
		}
		if i == 0 {
			x = y
		} else {
			x = x.join(y)
		}
	}
	return x
}

// truth is what is known of a condition wherever the assumptions hold.
func (r *Refuter) truth(c *context, t term.ID) truth {
	st := r.st
	negated := false
	for st.Op(t) == term.OpNot {
		t, negated = st.Arg(t, 0), !negated
	}
	v, ok := c.truths[t]
	if !ok {
		v = r.decide(c, t)
		c.truths[t] = v
	}
	if negated {
		return v.not()
	}
	return v
}

func (r *Refuter) decide(c *context, t term.ID) truth {
	defer r.leave()
	if !r.enter() {
		return unknown
	}
	st := r.st
	switch op := st.Op(t); op {
	case term.OpTrue:
		return yes
	case term.OpFalse:
		return no
	case term.OpAnd, term.OpOr:
		decisive := no
		if op == term.OpOr {
			decisive = yes
		}
		x := r.truth(c, st.Arg(t, 0))
		if x == decisive {
			return x
		}
		y := r.truth(c, st.Arg(t, 1))
		switch {
		case y == decisive:
			return y
		case x == unknown || y == unknown:
			return unknown
		}
		return decisive.not()
	case term.OpIte:
		switch r.truth(c, st.Arg(t, 0)) {
		case yes:
			return r.truth(c, st.Arg(t, 1))
		case no:
			return r.truth(c, st.Arg(t, 2))
		}
		if x := r.truth(c, st.Arg(t, 1)); x != unknown && x == r.truth(c, st.Arg(t, 2)) {
			return x
		}
	case term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
		if x, y, ok := r.operands(c, t); ok {
			return less(x, y, op == term.OpSLt || op == term.OpSLe, op == term.OpULt || op == term.OpSLt)
		}
	case term.OpEq:
		if x, y, ok := r.operands(c, t); ok {
			return same(x, y)
		}
		if st.Sort(st.Arg(t, 0)).Kind == term.SortBool {
			x, y := r.truth(c, st.Arg(t, 0)), r.truth(c, st.Arg(t, 1))
			switch {
			case x == unknown || y == unknown:
			case x == y:
				return yes
			default:
				return no
			}
		}
	}
	return unknown
}

// operands are the intervals of what is compared, if they have any.
func (r *Refuter) operands(c *context, t term.ID) (x, y interval, ok bool) {
	a, b := r.st.Arg(t, 0), r.st.Arg(t, 1)
	if !r.hasInterval(a) {
		return x, y, false
	}
	return r.value(c, a), r.value(c, b), true
}
