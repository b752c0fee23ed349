package ranking

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file finds supporting invariants on demand: one affine form I_l for each
// location of an open component such that I_l >= 0 is inductive, together with
// functions f_l that do not increase on the component and decrease on one of its
// transitions if these invariants are assumed [BMS05 and BLNRR17 do so with
// non-linear solvers]. With Farkas' lemma, an unknown invariant gets an unknown
// multiplier wherever it is assumed. Here these multipliers are fixed: 1 in
// consecution (I must not shrink), 0 or 1 in the conditions on the rank, so that
// everything is one linear program for each choice:
//
//	for what enters the scope of I:   I_l'(x') >= 0
//	for transitions in that scope:    I_l'(x') >= I_l(x)
//	for those of the component:       f_l(x) - f_l'(x') >= a·I_l(x)
//	except the chosen one:            f_l(x) - f_l'(x') - 1 >= b·I_l(x),  f_l(x) >= c·I_l(x)

// maxStrengthens bounds the invariants that are found in one proof.
const maxStrengthens = 12

// maxStrengthened is the size of the components for which that is tried: the
// number of linear programs is 14 times that of the transitions.
const maxStrengthened = 12

// strengthen adds an invariant with which one more transition of an open component
// can be removed.
func (p *prover) strengthen(open []Open) bool {
	if p.stats.Strengthens >= maxStrengthens {
		return false
	}
	for _, o := range open {
		if len(o.Transitions) > maxStrengthened {
			continue
		}
		// The transitions of the copy are those of the prover, which has not
		// changed since. Invariants of the component alone come first, then such of
		// everything that leads to it.
		upstream := p.upstream(o.Transitions)
		for _, scope := range [][]int{o.Transitions, upstream} {
			for _, chosen := range o.Transitions {
				for choice := 1; choice < 8; choice++ {
					if p.ctx.Err() != nil {
						return false
					}
					if p.strengthenFor(scope, o.Transitions, chosen, choice) {
						p.stats.Strengthens++
						return true
					}
				}
			}
		}
	}
	return false
}

// upstream are the transitions on paths to the given ones, without those that
// leave the initial location.
func (p *prover) upstream(transitions []int) []int {
	reaches := make([]bool, len(p.nodes))
	for _, i := range transitions {
		reaches[p.s.Transitions[i].From] = true
	}
	for grew := true; grew; {
		grew = false
		for _, t := range p.s.Transitions {
			if reaches[t.To] && !reaches[t.From] {
				reaches[t.From], grew = true, true
			}
		}
	}
	var out []int
	for i, t := range p.s.Transitions {
		if reaches[t.To] && t.From != p.s.Initial {
			out = append(out, i)
		}
	}
	return out
}

// strengthenFor solves one program: invariants for the locations of the scope,
// ranks for those of the component.
func (p *prover) strengthenFor(scope, transitions []int, chosen, choice int) bool {
	const rank, invariant = 0, 1 // the two forms of a location
	t := p.template(scope, 2)
	a, b, c := int64(choice>>2&1), int64(choice>>1&1), int64(choice&1)
	if len(transitions) == 1 && a == 1 {
		return false // there are no others
	}
	one := linear.Constant(linear.Int(1))
	for i := range p.s.Transitions {
		tr := &p.s.Transitions[i]
		if _, ok := t.coef[tr.To]; !ok {
			continue
		}
		var keep linear.Parametric
		t.after(&keep, tr, invariant, 1)
		if _, ok := t.coef[tr.From]; ok {
			t.before(&keep, tr.From, invariant, -1)
		}
		t.f.Require(p.known[i], keep)
		if !slices.Contains(transitions, i) {
			continue
		}
		var decrease linear.Parametric
		t.before(&decrease, tr.From, rank, 1)
		t.after(&decrease, tr, rank, -1)
		if i != chosen {
			t.before(&decrease, tr.From, invariant, -a)
			t.f.Require(p.known[i], decrease)
			continue
		}
		t.before(&decrease, tr.From, invariant, -b)
		decrease.Add(one.Neg(), one)
		t.f.Require(p.known[i], decrease)
		var bounded linear.Parametric
		t.before(&bounded, tr.From, rank, 1)
		t.before(&bounded, tr.From, invariant, -c)
		t.f.Require(p.known[i], bounded)
	}
	if !t.solve(linear.Form{}) {
		return false
	}
	level := t.level(linear.Int(1))
	found := map[its.Location]linear.Constraint{}
	for l, fs := range level {
		found[l] = linear.Constraint{Form: fs[invariant]}.Tighten()
	}
	if !p.inductive(found) {
		return false
	}
	for l, c := range found {
		n := &p.nodes[l]
		n.extra = append(slices.Clone(n.extra), c)
	}
	p.useExtra()
	return true
}

// inductive re-checks the invariants, after tightening.
func (p *prover) inductive(found map[its.Location]linear.Constraint) bool {
	for i := range p.s.Transitions {
		t := &p.s.Transitions[i]
		c, ok := found[t.To]
		if !ok {
			continue
		}
		cs := p.known[i]
		if before, ok := found[t.From]; ok {
			cs = append(slices.Clone(cs), before)
		}
		after := c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true })
		n := int(max(linear.MaxVar(cs), after.MaxVar())) + 1
		if !linear.NewSolver(p.ctx, n, cs).Entails(linear.Constraint{Form: after}) {
			return false
		}
	}
	return true
}

// useExtra adds the invariants found on demand to what is known.
func (p *prover) useExtra() {
	for l := range p.nodes {
		if n := &p.nodes[l]; len(n.extra) > 0 {
			n.inv = n.inv.Meet(p.ctx, n.extra...)
		}
	}
	var kept []its.Transition
	var known [][]linear.Constraint
	for i, t := range p.s.Transitions {
		cs := p.known[i]
		if extra := p.nodes[t.From].extra; len(extra) > 0 {
			cs = linear.Irredundant(p.ctx, append(slices.Clone(cs), extra...))
			if len(cs) == 1 && cs[0].IsFalse() {
				continue
			}
		}
		kept, known = append(kept, t), append(known, cs)
	}
	p.s.Transitions, p.known = kept, known
}
