package ltl

import "fmt"

// This file gives formulas their meaning on lassos: rows of observations that come
// back to one of them for ever. Each operator is evaluated as it is defined, by
// walking along the row; nothing is shared with the automata, which are tested
// against it.

// Lasso is an infinite row of observations: the first Len, the last of which is
// followed by observation Loop.
type Lasso struct {
	Len, Loop int
	// Holds says whether an atom is true at an observation.
	Holds func(a Atom, at int) bool
}

// next is the observation that follows one.
func (l *Lasso) next(at int) int {
	if at+1 == l.Len {
		return l.Loop
	}
	return at + 1
}

// Truth has the truth of formulas at each observation of a lasso.
type Truth map[Formula][]bool

// Evaluate is the truth of f and all its subformulas at each observation. The lasso
// satisfies f if f is true at the first.
func (l *Lasso) Evaluate(f Formula) Truth {
	if l.Len <= 0 || l.Loop < 0 || l.Loop >= l.Len {
		panic(fmt.Sprintf("a lasso of %d observations that comes back to %d", l.Len, l.Loop))
	}
	t := Truth{}
	for _, g := range Subformulas(f) {
		row := make([]bool, l.Len)
		for i := range row {
			row[i] = l.holds(t, g, i)
		}
		t[g] = row
	}
	return t
}

// Satisfies says that f is true of the lasso.
func (l *Lasso) Satisfies(f Formula) bool { return l.Evaluate(f)[f][0] }

// holds is the truth of f at one observation; that of its operands is known.
func (l *Lasso) holds(t Truth, f Formula, at int) bool {
	switch f := f.(type) {
	case Constant:
		return bool(f)
	case Prop:
		return l.Holds(f.Atom, at)
	case Unary:
		row := t[f.F]
		switch f.Op {
		case NotOp:
			return !row[at]
		case NextOp:
			return row[l.next(at)]
		case FinallyOp:
			return !l.walk(at, func(i int) bool { return row[i] }, nil)
		case GloballyOp:
			return l.walk(at, func(i int) bool { return !row[i] }, nil)
		}
	case Binary:
		left, right := t[f.L], t[f.R]
		switch f.Op {
		case AndOp:
			return left[at] && right[at]
		case OrOp:
			return left[at] || right[at]
		case XorOp:
			return left[at] != right[at]
		case IffOp:
			return left[at] == right[at]
		case ImpliesOp:
			return !left[at] || right[at]
		case UntilOp:
			// Somewhere right, left until there.
			return !l.walk(at, func(i int) bool { return right[i] }, func(i int) bool { return !left[i] })
		case WeakUntilOp:
			// No place without left, unless right came before it or there.
			return l.walk(at, func(i int) bool { return !left[i] && !right[i] }, func(i int) bool { return right[i] })
		case ReleaseOp:
			// No place without right, unless left came before it.
			return l.walk(at, func(i int) bool { return !right[i] }, func(i int) bool { return left[i] })
		}
	}
	panic(fmt.Sprintf("unexpected %v", f))
}

// walk goes along the row and says that it met no bad observation: before the
// walk ended, at one that is the last, or had seen all.
func (l *Lasso) walk(at int, bad, last func(int) bool) bool {
	for range l.Len {
		if bad(at) {
			return false
		}
		if last != nil && last(at) {
			return true
		}
		at = l.next(at)
	}
	return true
}
