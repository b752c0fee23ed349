// This file names epochs. Two states of the same epoch have the same objects
// alive under the same conditions; what came to life or died, and which states
// were joined, is hash-consed, so that a program point has the same epoch each
// time it is encoded after the same past.
package memory

import "assay/internal/logic/term"

type epochEvent uint8

const (
	born epochEvent = iota + 1
	died
	joined
)

// epochKey is an event on an epoch: (born or died, epoch, object, condition), or
// (joined, epoch, epoch, condition).
type epochKey struct {
	event   epochEvent
	a, b, c uint32
}

func (sp *Space) nextEpoch(k epochKey) uint32 {
	e, ok := sp.epochs[k]
	if !ok {
		e = uint32(len(sp.epochs)) + 1
		sp.epochs[k] = e
		sp.history = append(sp.history, k)
	}
	return e
}

// aliveAt gives, for each epoch, the condition under which an object lives in it.
func (sp *Space) aliveAt(o ObjectID) []term.ID {
	st := sp.Store
	alive := make([]term.ID, len(sp.history)+1)
	alive[0] = st.False()
	for i, k := range sp.history {
		switch {
		case k.event == joined:
			alive[i+1] = st.Ite(term.ID(k.c), alive[k.a], alive[k.b])
		case k.b != uint32(o):
			alive[i+1] = alive[k.a]
		case k.event == born:
			alive[i+1] = st.Or(alive[k.a], term.ID(k.c))
		default:
			alive[i+1] = st.And(alive[k.a], st.Not(term.ID(k.c)))
		}
	}
	return alive
}

// birth is an object's coming to life: the epoch that begins then, and where
// it is reached.
type birth struct {
	object ObjectID
	epoch  uint32
	guard  term.ID
}

// birth records that an object comes to life under cond.
func (s *State) birth(o ObjectID, cond, guard term.ID) {
	s.turn(born, uint32(o), uint32(cond))
	b := birth{o, s.epoch, s.space.Store.And(guard, cond)}
	if !s.space.birthSet[b] {
		s.space.birthSet[b] = true
		s.space.births = append(s.space.births, b)
	}
}

// turn begins a new epoch.
func (s *State) turn(event epochEvent, object, cond uint32) {
	s.epoch = s.space.nextEpoch(epochKey{event, s.epoch, object, cond})
}

// die ends the life of an object where cond holds.
func (s *State) die(o ObjectID, cond term.ID) {
	st := s.space.Store
	c := s.own(o)
	alive := st.And(c.alive, st.Not(cond))
	if alive != c.alive {
		c.alive = alive
		s.turn(died, uint32(o), uint32(cond))
	}
}
