// This file names epochs. Two states of the same epoch have the same objects
// alive under the same conditions; what came to life or died, and which states
// were joined, is hash-consed, so that a program point has the same epoch each
// time it is encoded after the same past.
package memory

import "assay/internal/term"

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
	}
	return e
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
