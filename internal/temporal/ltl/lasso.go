package ltl

import "fmt"

// This file gives formulas their meaning on lassos: rows of observations that come
// back to one of them for ever. Each operator is evaluated as it is defined, by
// what a walk along the row meets first, in time linear in the row; nothing is shared
// with the automata, which are tested against it.

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
		t[g] = l.row(t, g)
	}
	return t
}

// Satisfies says that f is true of the lasso.
func (l *Lasso) Satisfies(f Formula) bool { return l.Evaluate(f)[f][0] }

// row is the truth of f at each observation; that of its operands is known.
func (l *Lasso) row(t Truth, f Formula) []bool {
	each := func(truth func(at int) bool) []bool {
		row := make([]bool, l.Len)
		for i := range row {
			row[i] = truth(i)
		}
		return row
	}
	switch f := f.(type) {
	case Constant:
		return each(func(int) bool { return bool(f) })
	case Prop:
		return each(func(i int) bool { return l.Holds(f.Atom, i) })
	case Unary:
		inner := t[f.F]
		switch f.Op {
		case NotOp:
			return each(func(i int) bool { return !inner[i] })
		case NextOp:
			return each(func(i int) bool { return inner[l.next(i)] })
		case FinallyOp:
			found := l.walks(func(i int) bool { return inner[i] }, nil)
			return each(func(i int) bool { return !found[i] })
		case GloballyOp:
			return l.walks(func(i int) bool { return !inner[i] }, nil)
		}
	case Binary:
		left, right := t[f.L], t[f.R]
		switch f.Op {
		case AndOp:
			return each(func(i int) bool { return left[i] && right[i] })
		case OrOp:
			return each(func(i int) bool { return left[i] || right[i] })
		case XorOp:
			return each(func(i int) bool { return left[i] != right[i] })
		case IffOp:
			return each(func(i int) bool { return left[i] == right[i] })
		case ImpliesOp:
			return each(func(i int) bool { return !left[i] || right[i] })
		case UntilOp:
			// Somewhere right, left until there.
			without := l.walks(func(i int) bool { return right[i] }, func(i int) bool { return !left[i] })
			return each(func(i int) bool { return !without[i] })
		case WeakUntilOp:
			// No place without left, unless right came before it or there.
			return l.walks(func(i int) bool { return !left[i] && !right[i] }, func(i int) bool { return right[i] })
		case ReleaseOp:
			// No place without right, unless left came before it.
			return l.walks(func(i int) bool { return !right[i] }, func(i int) bool { return left[i] })
		}
	}
	panic(fmt.Sprintf("unexpected %v", f))
}

// walks says of each observation whether a walk from there along the row meets no bad observation
// before it ends, at one that is the last, or for ever. What a walk meets first is what the one from the next
// observation meets, if it is not here; so the row is gone through from its end. Around the loop that
// is done twice: what the first round, in which nothing bad is behind the end, says of Loop is true of it.
func (l *Lasso) walks(bad, last func(int) bool) []bool {
	good := make([]bool, l.Len)
	back := func(from int, behind bool) {
		for i := l.Len - 1; i >= from; i-- {
			behind = !bad(i) && (behind || last != nil && last(i))
			good[i] = behind
		}
	}
	back(l.Loop, true)
	back(0, good[l.Loop])
	return good
}
