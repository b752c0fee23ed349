package ltl

// This file gives formulas their meaning on the beginning of a row: true or false if they are so
// however it goes on, as far as the definitions of the operators tell one by one (strong three-valued logic
// [Kleene52, §64]). `p || !p` of what is not known is not known.

// Verdict is the truth of a formula on the beginning of a row.
type Verdict int8

// The verdicts. Open is not known yet.
const (
	Open Verdict = iota
	Yes
	No
)

// Of is the verdict of a truth value.
func Of(b bool) Verdict {
	if b {
		return Yes
	}
	return No
}

func not(v Verdict) Verdict { return [...]Verdict{Open: Open, Yes: No, No: Yes}[v] }

func and(v, w Verdict) Verdict {
	switch {
	case v == No || w == No:
		return No
	case v == Yes && w == Yes:
		return Yes
	}
	return Open
}

func or(v, w Verdict) Verdict { return not(and(not(v), not(w))) }

// EvaluatePrefix is the verdict on f and all its subformulas at each of n observations, of which holds says
// whether an atom is true.
func EvaluatePrefix(f Formula, n int, holds func(a Atom, at int) bool) map[Formula][]Verdict {
	t := map[Formula][]Verdict{}
	for _, g := range Subformulas(f) {
		row := make([]Verdict, n+1) // behind the last, nothing is known
		for i := n - 1; i >= 0; i-- {
			row[i] = begins(t, g, i, row[i+1], holds)
		}
		if c, ok := g.(Constant); ok {
			row[n] = Of(bool(c))
		}
		t[g] = row
	}
	for g := range t {
		t[g] = t[g][:n]
	}
	return t
}

// begins is the verdict on f at an observation; next is that at the one behind it.
func begins(t map[Formula][]Verdict, f Formula, at int, next Verdict, holds func(a Atom, at int) bool) Verdict {
	switch f := f.(type) {
	case Constant:
		return Of(bool(f))
	case Prop:
		return Of(holds(f.Atom, at))
	case Unary:
		row := t[f.F]
		switch f.Op {
		case NotOp:
			return not(row[at])
		case NextOp:
			return row[at+1]
		case FinallyOp:
			return or(row[at], next)
		case GloballyOp:
			return and(row[at], next)
		}
	case Binary:
		l, r := t[f.L][at], t[f.R][at]
		switch f.Op {
		case AndOp:
			return and(l, r)
		case OrOp:
			return or(l, r)
		case XorOp, IffOp:
			if l == Open || r == Open {
				return Open
			}
			return Of((l == r) == (f.Op == IffOp))
		case ImpliesOp:
			return or(not(l), r)
		case UntilOp, WeakUntilOp:
			return or(r, and(l, next))
		case ReleaseOp:
			return and(r, or(l, next))
		}
	}
	panic("ltl: an operator without meaning: " + f.String())
}
