package term

import "fmt"

// check verifies the invariants of the store: arguments precede what uses them,
// every node is found under its own hash, and facts do not contradict
// themselves. Tests call it; it costs a pass over all terms.
func (s *Store) check() error {
	if len(s.facts) != len(s.nodes) {
		return fmt.Errorf("%d facts for %d nodes", len(s.facts), len(s.nodes))
	}
	for i := 1; i < len(s.nodes); i++ {
		t, n := ID(i), s.nodes[i]
		for _, a := range n.args[:arity[n.op]] {
			if a == 0 || a >= t {
				return fmt.Errorf("term %d has argument %d", t, a)
			}
		}
		if found := s.find(&n); found != t {
			return fmt.Errorf("term %d is found as %d", t, found)
		}
		w, ok := s.narrow(t)
		if f := s.facts[t]; ok && (f.lo > f.hi || f.zeros&f.ones != 0 || f.hi > ones(w)) {
			return fmt.Errorf("term %d has fact %+v", t, f)
		}
	}
	return nil
}
