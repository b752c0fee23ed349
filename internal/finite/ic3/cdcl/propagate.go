package cdcl

// propagate assigns what follows from the trail within the domain, and returns a
// clause that became false, or noReason. At level 0 there is no domain.
func (s *Solver) propagate() uint32 {
	everywhere := len(s.limits) == 0
	for s.head < len(s.trail) {
		p := s.trail[s.head]
		s.head++
		s.Propagations++
		ws := s.watches[p]
		falsified := p.Not()
		j := 0
		for i := 0; i < len(ws); i++ {
			w := ws[i]
			b := s.value[w.blocker]
			if b == isTrue {
				ws[j] = w
				j++
				continue
			}
			if w.ref&binaryRef != 0 {
				ws[j] = w
				j++
				if b == isFalse {
					j += copy(ws[j:], ws[i+1:])
					s.watches[p] = ws[:j]
					s.head = len(s.trail)
					return w.ref &^ binaryRef
				}
				if everywhere || s.mark[w.blocker.Var()] == s.epoch {
					s.enqueue(w.blocker, w.ref&^binaryRef)
				}
				continue
			}
			head := s.arena[w.ref]
			if head&deletedFlag != 0 {
				continue
			}
			ls := s.arena[w.ref+headWords : w.ref+headWords+head>>flagBits]
			if Lit(ls[0]) == falsified {
				ls[0], ls[1] = ls[1], ls[0]
			}
			first := Lit(ls[0])
			if first != w.blocker && s.value[first] == isTrue {
				ws[j] = watch{w.ref, first}
				j++
				continue
			}
			moved := false
			for k := 2; k < len(ls); k++ {
				if l := Lit(ls[k]); s.value[l] != isFalse {
					ls[1], ls[k] = uint32(l), uint32(falsified)
					s.watches[l^1] = append(s.watches[l^1], watch{w.ref, first})
					moved = true
					break
				}
			}
			if moved {
				continue
			}
			ws[j] = watch{w.ref, first}
			j++
			if s.value[first] == isFalse {
				j += copy(ws[j:], ws[i+1:])
				s.watches[p] = ws[:j]
				s.head = len(s.trail)
				return w.ref
			}
			if everywhere || s.mark[first.Var()] == s.epoch {
				s.enqueue(first, w.ref)
			}
		}
		s.watches[p] = ws[:j]
	}
	return noReason
}

// clean runs between queries: it removes clauses that are true at level 0, the
// less active half of the learned ones if there are too many, and garbage.
func (s *Solver) clean() {
	many := len(s.learned) > s.maxLearnt
	if !many && (len(s.trail) == s.sized || s.wasted < 1<<12) && s.wasted < len(s.arena)/2 {
		return
	}
	if many {
		s.maxLearnt += s.maxLearnt / 10
		s.reduce()
	}
	s.sized = len(s.trail)
	arena := make([]uint32, 1, len(s.arena))
	moved := make(map[uint32]uint32, len(s.learned))
	for ref := uint32(1); ref < uint32(len(s.arena)); {
		n := s.arena[ref] >> flagBits
		next := ref + headWords + n
		if s.arena[ref]&deletedFlag == 0 && !s.satisfied(ref) {
			if s.arena[ref]&learnedFlag != 0 {
				moved[ref] = uint32(len(arena))
			}
			arena = append(arena, s.arena[ref:next]...)
		}
		ref = next
	}
	s.arena, s.wasted = arena, 0
	learned := s.learned[:0]
	for _, ref := range s.learned {
		if to, ok := moved[ref]; ok {
			learned = append(learned, to)
		}
	}
	s.learned = learned
	for i := range s.watches {
		s.watches[i] = s.watches[i][:0]
	}
	// No reason of level 0 is ever looked at.
	for _, l := range s.trail {
		s.reason[l.Var()] = noReason
	}
	for ref := uint32(1); ref < uint32(len(s.arena)); ref += headWords + s.arena[ref]>>flagBits {
		s.order(ref)
		s.attach(ref)
	}
}

// order puts two literals first that are not false at level 0; there are two,
// since level 0 is propagated and the clause is not true there.
func (s *Solver) order(ref uint32) {
	ls := s.lits(ref)
	for at := range 2 {
		for k := at; k < len(ls); k++ {
			if s.value[ls[k]] != isFalse {
				ls[at], ls[k] = ls[k], ls[at]
				break
			}
		}
	}
}

func (s *Solver) satisfied(ref uint32) bool {
	for _, l := range s.lits(ref) {
		if s.value[l] == isTrue {
			return true
		}
	}
	return false
}

// reduce deletes the less active half of the learned clauses, never binary ones.
func (s *Solver) reduce() {
	median := s.medianActivity()
	for _, ref := range s.learned {
		if s.size(ref) > 2 && s.clauseActivity(ref) < median {
			s.arena[ref] |= deletedFlag
		}
	}
}
