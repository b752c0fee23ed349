package branching

import "assay/internal/temporal/ctl"

// This file is about runs that do not exist: those that break an assumption of the program. In the system they end at a
// location of their own, where the atom of Problem.Excluded is true, x for short. A state from which each run comes there is in
// no run. Formulas are about the others, and so about the tree of runs in which
//
//	E[f U g]  is  E[f U g && EG !x]            A[f U g]  is  A[f U g || AF x]
//	E[f W g]  is  E[f && !x W g && EG !x]      A[f W g]  is  A[f W g || AF x]
//	EX f      is  EX(f && EG !x)               AX f      is  AX(f || AF x)
//	E(G f && G F g) is E(G(f && !x) && G F g)  A(F f || F G g) is A(F(f || x) || F G g)
//
// for a state in which EG !x holds is in a run, and one before it, too; and where AF x holds there is nothing to be said. For AF
// it is enough that g || x holds some time.

// lasts says that some run goes on without being excluded.
func lasts(x ctl.Formula) ctl.Formula { return ctl.Globally(ctl.Some, ctl.Not{F: x}) }

// without says the same of the runs that are not excluded as a formula in negation normal form of all.
func without(f, x ctl.Formula) ctl.Formula {
	either := func(g ctl.Formula) ctl.Formula {
		if g == ctl.Constant(false) {
			return ctl.Finally(ctl.All, x)
		}
		return ctl.Or{F: g, G: ctl.Finally(ctl.All, x)}
	}
	both := func(g, h ctl.Formula) ctl.Formula {
		switch ctl.Constant(true) {
		case g:
			return h
		case h:
			return g
		}
		if g == ctl.Constant(false) {
			return g
		}
		return ctl.And{F: g, G: h}
	}
	switch f := f.(type) {
	case ctl.Constant, ctl.Atom, ctl.Not:
		return f
	case ctl.And:
		return ctl.And{F: without(f.F, x), G: without(f.G, x)}
	case ctl.Or:
		return ctl.Or{F: without(f.F, x), G: without(f.G, x)}
	case ctl.Next:
		g := without(f.F, x)
		if f.Q == ctl.All {
			return ctl.Next{Q: f.Q, F: either(g)}
		}
		return ctl.Next{Q: f.Q, F: both(g, lasts(x))}
	case ctl.Until:
		g, h := without(f.F, x), without(f.G, x)
		switch {
		case f.Q == ctl.Some:
			return ctl.Until{Q: f.Q, F: g, G: both(h, lasts(x))}
		case g == ctl.Constant(true):
			return ctl.Until{Q: f.Q, F: g, G: ctl.Or{F: h, G: x}}
		}
		return ctl.Until{Q: f.Q, F: g, G: either(h)}
	case ctl.Weak:
		g, h := without(f.F, x), without(f.G, x)
		if f.Q == ctl.Some {
			return ctl.Weak{Q: f.Q, F: both(g, ctl.Not{F: x}), G: both(h, lasts(x))}
		}
		return ctl.Weak{Q: f.Q, F: g, G: either(h)}
	case ctl.Often:
		return ctl.Often{F: both(without(f.F, x), ctl.Not{F: x}), G: without(f.G, x)}
	case ctl.Settles:
		if g := without(f.F, x); g != ctl.Constant(false) {
			return ctl.Settles{F: ctl.Or{F: g, G: x}, G: without(f.G, x)}
		}
		return ctl.Settles{F: x, G: without(f.G, x)}
	}
	panic("branching: unexpected formula")
}

// Exclude makes the question one about runs that do not come to where the atom is true.
func (p *Problem) Exclude(x ctl.Atom) {
	p.Formula, p.Excluded = without(ctl.Normal(p.Formula), x), x
}

// Lasting is the question whether some run is not excluded.
func (p *Problem) Lasting() Problem {
	q := *p
	q.Formula = lasts(p.Excluded)
	return q
}
