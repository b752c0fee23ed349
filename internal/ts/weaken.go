package ts

import "assay/internal/term"

// This file leaves out the arithmetic that bit-level engines cannot do: a product of
// variables, a quotient or a remainder becomes an input, which may be anything.
//
// Every run of the system is one of the weakened system, with the values of the
// arithmetic as inputs. So an invariant of the weakened system is one of the system;
// a run says nothing.

// hardWidth is the least width of arithmetic that is left out.
const hardWidth = 16

// hard says whether a term is arithmetic to leave out.
func hard(s *term.Store, t term.ID) bool {
	if s.Width(t) < hardWidth {
		return false
	}
	switch s.Op(t) {
	case term.OpMul:
		return s.Op(s.Arg(t, 0)) != term.OpConst && s.Op(s.Arg(t, 1)) != term.OpConst
	case term.OpUDiv, term.OpURem, term.OpSDiv, term.OpSRem:
		return true
	}
	return false
}

// Weaken is the system without hard arithmetic, nil if it has none. The states are
// the same; the properties, too. It adds terms to the store.
func (s *System) Weaken() *System {
	roots := append([]term.ID{}, s.Init...)
	for _, v := range s.States {
		roots = append(roots, v.Next)
		if v.Init != 0 {
			roots = append(roots, v.Init)
		}
	}
	roots = append(append(roots, s.Constraints...), s.Transitions...)
	for _, b := range s.Bad {
		roots = append(roots, b.Term)
	}
	image := map[term.ID]term.ID{}
	weak := *s
	weak.Inputs = append([]Input{}, s.Inputs...)
	var found []term.ID
	s.Store.Walk(roots, func(t term.ID) {
		if hard(s.Store, t) {
			found = append(found, t)
		}
	})
	if len(found) == 0 {
		return nil
	}
	for _, t := range found {
		image[t] = s.Store.Fresh("arithmetic", s.Store.Sort(t))
		weak.Inputs = append(weak.Inputs, Input{Term: image[t], Name: s.Store.VarName(image[t])})
	}
	all := func(ts []term.ID) []term.ID { return s.Store.SubstituteAll(ts, image) }
	one := func(t term.ID) term.ID {
		if t == 0 {
			return 0
		}
		return s.Store.Substitute(t, image)
	}
	weak.Init, weak.Constraints, weak.Transitions = all(s.Init), all(s.Constraints), all(s.Transitions)
	weak.States = append([]State{}, s.States...)
	for i := range weak.States {
		v := &weak.States[i]
		v.Init, v.Next = one(v.Init), one(v.Next)
	}
	weak.Bad = append([]Property{}, s.Bad...)
	for i := range weak.Bad {
		weak.Bad[i].Term = one(weak.Bad[i].Term)
	}
	weak.Justice, weak.Fair = nil, nil
	return &weak
}
