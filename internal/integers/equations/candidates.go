package equations

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file gives candidates to locations that too few sampled states have: of few states, the polynomials that are 0
// are many, and a basis of them need not contain those that hold always; of none, there is no telling. So
// such a location gets what its neighbours have: the equations of locations before it, and those of locations
// behind it, as they are before the update. What does not hold is dropped later (E2).

// maxCandidates bounds what a location gets.
const maxCandidates = 40

// candidates are the equations of the monomials that hold in sampled states.
func (x *rewriting) candidates(monomials []rational.Monomial) {
	var sampled []bool
	for l := range x.s.Locations {
		var found []rational.Polynomial
		if its.Location(l) != x.s.Initial && len(x.states[l]) > 0 {
			found = rational.Vanishing(x.states[l], monomials)
		}
		x.equations = append(x.equations, found)
		sampled = append(sampled, its.Location(l) == x.s.Initial || len(x.states[l]) > len(monomials))
	}
	x.spread(sampled)
}

// spread adds candidates of neighbours to locations that are not marked.
func (x *rewriting) spread(sampled []bool) {
	has := slices.Clone(sampled)
	for {
		next := slices.Clone(has)
		for i := range x.s.Transitions {
			t := &x.s.Transitions[i]
			if has[t.From] && !has[t.To] && t.To != x.s.Initial {
				for _, h := range x.equations[t.From] {
					x.add(t.To, h)
				}
				next[t.To] = true
			}
			if !has[t.To] || has[t.From] || t.From == x.s.Initial || !x.expanded[i].ok {
				continue
			}
			for _, h := range x.equations[t.To] {
				if before, ok := h.Substitute(func(v linear.Var) rational.Polynomial { return x.expanded[i].update[v] }); ok && !x.hasTemporaries(before) {
					x.add(t.From, before)
				}
			}
			next[t.From] = true
		}
		if slices.Equal(has, next) {
			return
		}
		has = next
	}
}

// add adds a candidate that is not there.
func (x *rewriting) add(l its.Location, h rational.Polynomial) {
	there := func(g rational.Polynomial) bool { return len(h.AddScaled(linear.Int(-1), g)) == 0 }
	if len(h) > 0 && len(x.equations[l]) < maxCandidates && !slices.ContainsFunc(x.equations[l], there) {
		x.equations[l] = append(x.equations[l], h)
	}
}

// hasTemporaries says whether a polynomial is about more than variables.
func (x *rewriting) hasTemporaries(p rational.Polynomial) bool {
	for m := range p {
		if slices.ContainsFunc(m[:m.Degree()], func(v uint16) bool { return int(v) > len(x.s.Variables) }) {
			return true
		}
	}
	return false
}
