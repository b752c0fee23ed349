package algebra

import (
	"fmt"
	"maps"
	"slices"

	"assay/internal/logic/polynomial"
	"assay/internal/logic/term"
)

// This file states which equations follow from others in a model.

// targets states which of the equations no follow from those of yes.
func (m *model) targets(no, yes []term.ID, state func(term.ID)) {
	given := m.equations(yes[max(0, len(yes)-maxGiven):])
	type target struct {
		equation term.ID
		known
	}
	var goals []target
	for _, e := range no {
		if p, premises, ok := m.difference(e); ok {
			goals = append(goals, target{e, known{p: p, premises: premises}})
		}
	}
	m.narrow(yes)
	given = append(given, m.facts...)
	for _, g := range goals {
		if m.o.enough() {
			return
		}
		near := relevant(g.p, given)
		if lemma, premises, used := m.lemma(g.equation, g.known, near, given); lemma != 0 {
			state(lemma)
			m.others(g.equation, premises, used, near, state)
		}
	}
}

// equations are equations between terms as polynomials.
func (m *model) equations(list []term.ID) (out []known) {
	st := m.o.st
	for _, e := range list {
		if st.Width(st.Arg(e, 0)) < m.ring.Width {
			continue
		}
		if p, premises, ok := m.difference(e); ok && len(p) > 0 {
			out = append(out, known{p, with(premises, e), e})
		}
	}
	return out
}

// lemma is that an equation, which is target as a polynomial, follows from others: from
// those that are near, or from all together with remainders; 0 if it does not.
func (m *model) lemma(equation term.ID, target known, near, all []known) (lemma term.ID, premises []term.ID, used []known) {
	st := m.o.st
	used, impossible := m.needed(target.p, near[:min(len(near), maxNearest)])
	if used == nil && len(near) > maxNearest {
		used, impossible = m.needed(target.p, near)
	}
	if used == nil && len(m.remainders) > 0 {
		all = append(all[:len(all):len(all)], m.remainders...)
		used, impossible = m.needed(target.p, relevant(target.p, all))
	}
	if used == nil {
		if tight := m.tight(); len(tight) > 0 {
			used, impossible = m.needed(target.p, relevant(target.p, append(all[:len(all):len(all)], tight...)))
		}
	}
	if used == nil {
		return 0, nil, nil
	}
	lemma, premises = equation, target.premises
	if impossible {
		lemma, premises = st.False(), nil
	}
	for _, k := range used {
		premises = with(premises, k.premises...)
	}
	for _, x := range premises {
		lemma = st.Or(lemma, st.Not(x))
	}
	return lemma, premises, used
}

// others states lemmas with the same conclusion for other ways than that of the model:
// one choice after the other is made otherwise. The next models would ask for them.
func (m *model) others(equation term.ID, premises []term.ID, used, near []known, state func(term.ID)) {
	type way struct {
		premises   []term.ID
		conditions map[term.ID]term.ID
		flipped    map[term.ID]bool
	}
	of := func(list []known) (out []term.ID) {
		for _, k := range list {
			if k.equation != 0 {
				out = append(out, k.equation)
			}
		}
		return out
	}
	// Most often the same equations do.
	lists := [][]term.ID{of(used), of(near[:min(len(near), maxNearest)])}
	seen := map[string]bool{}
	queue := []way{{premises, m.conditions, nil}}
	for tried := 0; len(queue) > 0; queue = queue[1:] {
		for _, x := range queue[0].premises {
			c := queue[0].conditions[x]
			if c == 0 || tried == maxWays || m.o.enough() {
				continue
			}
			flipped := maps.Clone(queue[0].flipped)
			if flipped == nil {
				flipped = map[term.ID]bool{}
			}
			if flipped[c] {
				delete(flipped, c)
			} else {
				flipped[c] = true
			}
			key := fmt.Sprint(slices.Sorted(maps.Keys(flipped)))
			if len(flipped) == 0 || seen[key] {
				continue
			}
			seen[key] = true
			tried++
			for _, list := range lists {
				n := newModel(m.o, m.value, m.ring.Width, flipped)
				given := n.equations(list)
				p, target, ok := n.difference(equation)
				if !ok {
					break
				}
				n.narrow(list)
				given = append(given, n.facts...)
				if lemma, premises, _ := n.lemma(equation, known{p: p, premises: target}, given, given); lemma != 0 {
					state(lemma)
					queue = append(queue, way{premises, n.conditions, flipped})
					break
				}
			}
		}
	}
}

// needed are some of the equations from which p = 0 follows, or a contradiction, as few as
// come by leaving out one after the other; nil if it does not follow.
func (m *model) needed(p polynomial.Polynomial, from []known) (used []known, impossible bool) {
	used, impossible, rounds := m.combination(p, from, polynomial.MaxRounds)
	for i := 0; i < len(used) && len(used) > 1 && len(used) <= maxMinimized; {
		rest := slices.Delete(slices.Clone(used), i, i+1)
		if fewer, no, _ := m.combination(p, rest, rounds); fewer != nil && no == impossible {
			used = fewer
		} else {
			i++
		}
	}
	return used, impossible
}

// combination are equations of which p is a combination, or a constant other than 0; nil
// if none is found in so many rounds.
func (m *model) combination(p polynomial.Polynomial, from []known, rounds int) (used []known, impossible bool, took int) {
	m.o.work++
	hypotheses := make([]polynomial.Polynomial, len(from))
	for i, k := range from {
		hypotheses[i] = k.p
	}
	id := polynomial.NewIdeal(m.ring, hypotheses)
	cofactors, took := id.Express(p, rounds)
	if cofactors == nil {
		constant, c, ok := id.Contradiction()
		if !ok || !m.ring.Proves(constant, hypotheses, c) {
			return nil, false, 0
		}
		cofactors, impossible = c, true
	}
	used = []known{}
	for i, c := range cofactors {
		if len(c) > 0 {
			used = append(used, from[i])
		}
	}
	return used, impossible, took
}

// with adds premises that are not there yet.
func with(premises []term.ID, more ...term.ID) []term.ID {
	out := slices.Clone(premises)
	for _, x := range more {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// relevant are the equations that are connected with p by variables, the nearest first.
func relevant(p polynomial.Polynomial, given []known) []known {
	have := map[uint16]bool{}
	p.Each(func(v uint16) { have[v] = true })
	taken := make([]bool, len(given))
	var out []known
	for grew := true; grew && len(out) < maxPremises; {
		grew = false
		var fresh []int
		for i, k := range given {
			if taken[i] {
				continue
			}
			touches := k.p.Degree() == 0
			k.p.Each(func(v uint16) { touches = touches || have[v] })
			if touches {
				fresh = append(fresh, i)
			}
		}
		for _, i := range fresh {
			if len(out) == maxPremises {
				break
			}
			taken[i], grew = true, true
			out = append(out, given[i])
			given[i].p.Each(func(v uint16) { have[v] = true })
		}
	}
	return out
}
