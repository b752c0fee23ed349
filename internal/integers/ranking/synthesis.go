package ranking

import (
	"maps"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file finds a level for a component: affine functions f_l, one for each
// location, that do not increase on any transition of the component and decrease
// on some of them while being bounded there. "Where it decreases it must be
// bounded" is no linear condition, so, in this order:
//
//	(A) bounded on all transitions, decreasing by δ_t with 0 <= δ_t <= 1,
//	    maximal Σ δ_t: one linear program [ADFG10, Sec. 3.2];
//	(B) for each transition t in turn: bounded and decreasing on t;
//	(C) nested functions [LeikeHeizmann15] of growing depth, for all transitions at
//	    once and then for each in turn.
//
// A solution is checked for further transitions on which it happens to decrease.

// template is a level with unknown coefficients: by location and depth.
type template struct {
	p      *prover
	f      linear.Farkas
	depth  int
	coef   map[its.Location][][]linear.Var // [depth][relevant variable + constant]
	pivots int64
}

func (p *prover) template(transitions []int, depth int) *template {
	t := &template{p: p, f: linear.Farkas{Simplex: linear.NewSimplex(p.ctx)}, depth: depth, coef: map[its.Location][][]linear.Var{}}
	add := func(l its.Location) {
		if _, ok := t.coef[l]; ok {
			return
		}
		for range depth {
			vars := make([]linear.Var, len(p.relevant)+1)
			for i := range vars {
				vars[i] = t.f.NewVar()
			}
			t.coef[l] = append(t.coef[l], vars)
		}
	}
	for _, i := range transitions {
		add(p.s.Transitions[i].From)
		add(p.s.Transitions[i].To)
	}
	return t
}

// before adds k·f_d of the location to the parametric form, after the value of
// f_d behind the transition.
func (t *template) before(q *linear.Parametric, l its.Location, d int, k int64) {
	if k == 0 {
		return // forms have no terms with coefficient 0
	}
	vars := t.coef[l][d]
	for i, v := range t.p.relevant {
		q.Add(linear.Form{Terms: []linear.Term{{Var: vars[i], Coef: linear.Int(k)}}}, linear.Variable(v))
	}
	q.Add(linear.Form{Terms: []linear.Term{{Var: vars[len(vars)-1], Coef: linear.Int(k)}}}, linear.Constant(linear.Int(1)))
}

func (t *template) after(q *linear.Parametric, tr *its.Transition, d int, k int64) {
	vars := t.coef[tr.To][d]
	for i, v := range t.p.relevant {
		q.Add(linear.Form{Terms: []linear.Term{{Var: vars[i], Coef: linear.Int(k)}}}, tr.Update[v])
	}
	q.Add(linear.Form{Terms: []linear.Term{{Var: vars[len(vars)-1], Coef: linear.Int(k)}}}, linear.Constant(linear.Int(1)))
}

// nonIncreasing requires f_d(x) - f_d(x') - δ >= 0 on transition i.
func (t *template) nonIncreasing(i, d int, delta linear.Form) {
	var q linear.Parametric
	tr := &t.p.s.Transitions[i]
	t.before(&q, tr.From, d, 1)
	t.after(&q, tr, d, -1)
	q.Add(delta.Neg(), linear.Constant(linear.Int(1)))
	t.f.Require(t.p.known[i], q)
}

// bounded requires f_d(x) >= 0 on transition i.
func (t *template) bounded(i, d int) {
	var q linear.Parametric
	t.before(&q, t.p.s.Transitions[i].From, d, 1)
	t.f.Require(t.p.known[i], q)
}

// nested requires the conditions of its.Level on transition i.
func (t *template) nested(i int) {
	one := linear.Constant(linear.Int(1))
	tr := &t.p.s.Transitions[i]
	for d := range t.depth {
		var q linear.Parametric
		t.before(&q, tr.From, d, 1)
		t.after(&q, tr, d, -1)
		if d > 0 {
			t.before(&q, tr.From, d-1, 1)
		}
		q.Add(one.Neg(), linear.Constant(linear.Int(1)))
		t.f.Require(t.p.known[i], q)
	}
	t.bounded(i, t.depth-1)
}

// solve maximizes and returns the levels, with integral coefficients, each
// multiplied by the same factor that is at least scale.
func (t *template) solve(objective linear.Form) bool {
	t.p.stats.Programs++
	_, st := t.f.Solve(objective)
	t.p.stats.Pivots += t.f.Pivots
	return st == linear.Feasible
}

// level reads the solution, multiplied by factor and then by the least number
// that makes it integral.
func (t *template) level(factor linear.Number) map[its.Location]its.Level {
	common := linear.Int(1)
	for _, ds := range t.coef {
		for _, vars := range ds {
			for _, v := range vars {
				d := t.f.Value(v).Mul(factor).Denominator()
				common = common.Mul(d).Div(linear.GCD(common, d))
			}
		}
	}
	factor = factor.Mul(common)
	out := map[its.Location]its.Level{}
	for l, ds := range t.coef {
		for _, vars := range ds {
			terms := make([]linear.Term, 0, len(vars))
			for i, v := range t.p.relevant {
				terms = append(terms, linear.Term{Var: v, Coef: t.f.Value(vars[i]).Mul(factor)})
			}
			out[l] = append(out[l], linear.NewForm(t.f.Value(vars[len(vars)-1]).Mul(factor), terms...))
		}
	}
	return out
}

// level finds a level and the transitions on which it decreases, or nil.
func (p *prover) level(transitions []int) (map[its.Location]its.Level, map[int]bool) {
	if l, d := p.allBounded(transitions); d != nil {
		return l, d
	}
	for _, i := range transitions {
		if p.ctx.Err() != nil {
			return nil, nil
		}
		if l, d := p.oneBounded(transitions, i, 1); d != nil {
			return l, d
		}
	}
	for depth := 2; depth <= p.depth; depth++ {
		t := p.template(transitions, depth)
		for _, i := range transitions {
			t.nested(i)
		}
		if t.solve(linear.Form{}) {
			return p.accept(t.level(linear.Int(1)), transitions)
		}
		if len(transitions) == 1 {
			continue
		}
		for _, i := range transitions {
			if p.ctx.Err() != nil {
				return nil, nil
			}
			if l, d := p.oneBounded(transitions, i, depth); d != nil {
				return l, d
			}
		}
	}
	return nil, nil
}

// allBounded is (A).
func (p *prover) allBounded(transitions []int) (map[its.Location]its.Level, map[int]bool) {
	t := p.template(transitions, 1)
	var objective linear.Form
	deltas := make([]linear.Var, len(transitions))
	for k, i := range transitions {
		delta := t.f.NewVar()
		deltas[k] = delta
		t.f.AssertLower(delta, linear.Number{}, 0)
		t.f.AssertUpper(delta, linear.Int(1), 0)
		objective = objective.Add(linear.Variable(delta))
		t.nonIncreasing(i, 0, linear.Variable(delta))
		t.bounded(i, 0)
	}
	if !t.solve(objective) {
		return nil, nil
	}
	factor := linear.Number{}
	for _, d := range deltas {
		if v := t.f.Value(d); v.Sign() > 0 && (factor.IsZero() || v.Inv().Cmp(factor) > 0) {
			factor = v.Inv()
		}
	}
	if factor.IsZero() {
		return nil, nil
	}
	return p.accept(t.level(factor), transitions)
}

// oneBounded is (B), or its nested variant.
func (p *prover) oneBounded(transitions []int, chosen, depth int) (map[its.Location]its.Level, map[int]bool) {
	t := p.template(transitions, depth)
	for _, i := range transitions {
		if i == chosen {
			t.nested(i)
			continue
		}
		for d := range depth {
			t.nonIncreasing(i, d, linear.Form{})
		}
	}
	if !t.solve(linear.Form{}) {
		return nil, nil
	}
	return p.accept(t.level(linear.Int(1)), transitions)
}

// accept re-checks a level by entailment and finds all transitions on which it
// decreases; nil if there is none or the level is wrong, which would be a bug.
func (p *prover) accept(level map[its.Location]its.Level, transitions []int) (map[its.Location]its.Level, map[int]bool) {
	decreasing := map[int]bool{}
	for _, i := range transitions {
		t := &p.s.Transitions[i]
		from, to := level[t.From], level[t.To]
		n := int(linear.MaxVar(p.known[i]))
		after := make([]linear.Form, len(to))
		for d, f := range to {
			after[d] = f.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true })
			n = max(n, int(from[d].MaxVar()), int(after[d].MaxVar()))
		}
		s := linear.NewSolver(p.ctx, n+1, p.known[i])
		holds := func(f linear.Form) bool { return s.Entails(linear.Constraint{Form: f}) }
		dec := holds(from[len(from)-1])
		for d := range from {
			f := from[d].Sub(after[d]).Plus(linear.Int(-1))
			if d > 0 {
				f = f.Add(from[d-1])
			}
			dec = dec && holds(f)
		}
		if dec {
			decreasing[i] = true
			continue
		}
		for d := range from {
			if !holds(from[d].Sub(after[d])) {
				if p.ctx.Err() == nil {
					panic("ranking: a solution of Farkas' program increases")
				}
				return nil, nil
			}
		}
	}
	if len(decreasing) == 0 {
		return nil, nil
	}
	return maps.Clone(level), decreasing
}
