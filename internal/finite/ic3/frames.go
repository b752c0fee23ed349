package ic3

import (
	"slices"

	"assay/internal/finite/ic3/cdcl"
	"assay/internal/run/pause"
)

// This file has the frames: their lemmas, their solvers, and the propagation of
// lemmas to later frames.
//
// Each frame has a solver of its own. Where the circuit is so large that copies of
// it would fill the memory, the frames from 1 on share one: a lemma of level i is
// guarded by an activation literal, and a query to F_i assumes those of the levels
// from i on.

// lemma is the clause ¬cube at some level.
type lemma struct {
	cube cube
	sig  uint64
	dead bool // subsumed by a later one
}

// last is k, the number of the last frame.
func (e *engine) last() int { return len(e.solvers) - 1 }

// extend opens a new last frame.
func (e *engine) extend() {
	if e.shared && e.last() > 0 {
		e.solvers = append(e.solvers, e.solvers[1])
	} else {
		e.solvers = append(e.solvers, e.base.Clone())
	}
	e.stale = append(e.stale, 0)
	e.frames = append(e.frames, nil)
	e.bumping /= 0.9
}

// add puts a lemma at a level, and into the solvers of the frames from there
// down to 1, except those below and including known, which have it.
func (e *engine) add(c cube, level, known int) {
	e.stats.Lemmas++
	l := &lemma{cube: c, sig: c.signature()}
	e.subsume(l, level)
	e.frames[level] = append(e.frames[level], l)
	if e.shared {
		e.learn(e.solvers[1], c, e.guards[level].Not())
		if e.stale[1] > 500 && e.stale[1] > e.stats.Lemmas/2 {
			e.rebuild(1)
		}
		return
	}
	for i := known + 1; i <= level; i++ {
		e.learn(e.solvers[i], c)
	}
	for i := 1; i <= level; i++ {
		if e.stale[i] > 500 && e.stale[i] > len(e.frames[i]) {
			e.rebuild(i)
		}
	}
}

// subsume removes lemmas of the levels up to most that l implies.
func (e *engine) subsume(l *lemma, most int) {
	for i := 1; i <= most; i++ {
		kept := e.frames[i][:0]
		for _, m := range e.frames[i] {
			if l.sig&^m.sig == 0 && l.cube.subset(m.cube) {
				m.dead = true
				if e.shared {
					e.stale[1]++
				} else {
					e.stale[i]++
				}
				continue
			}
			kept = append(kept, m)
		}
		clear(e.frames[i][len(kept):])
		e.frames[i] = kept
	}
}

// addForever puts a lemma into the infinite frame: every solver has it, those of
// later frames through base.
func (e *engine) addForever(c cube) {
	e.stats.Lemmas++
	e.stats.Forever++
	l := &lemma{cube: c, sig: c.signature()}
	e.subsume(l, e.last())
	e.forever = append(e.forever, l)
	e.learn(e.base, c)
	for i, s := range e.solvers[1:] {
		if i == 0 || !e.shared {
			e.learn(s, c)
		}
	}
}

// tryForever asks whether the lemma ¬c, which holds up to the last frame, is
// inductive relative to the infinite frame alone, and adds it there.
func (e *engine) tryForever(c cube) (bool, error) {
	if !e.options.Infinite {
		return false, nil
	}
	r, err := e.ask(e.base, nil, c, true)
	if r != cdcl.Unsat {
		return false, err
	}
	e.addForever(e.coreOf(e.base, c))
	return true, nil
}

func (e *engine) learn(s *cdcl.Solver, c cube, more ...cdcl.Lit) {
	e.clause = append(e.clause[:0], more...)
	for _, l := range c {
		e.clause = append(e.clause, e.current(l).Not())
		s.Permanent(e.current(l).Var())
	}
	s.AddClause(e.clause...)
}

// rebuild makes a new solver for a frame, without the clauses that are subsumed.
func (e *engine) rebuild(i int) {
	old := e.solvers[i]
	e.stats.Queries += old.Queries
	e.stats.Conflicts += old.Conflicts
	s := e.base.Clone()
	s.Inherit(old)
	for j := i; j <= e.last(); j++ {
		for _, l := range e.frames[j] {
			if e.shared {
				e.learn(s, l.cube, e.guards[j].Not())
			} else {
				e.learn(s, l.cube)
			}
		}
	}
	e.solvers[i] = s
	e.stale[i] = 0
	if e.shared {
		for j := range e.solvers[1:] {
			e.solvers[1+j] = s
		}
	}
}

// active are the assumptions that make the shared solver that of F_i.
func (e *engine) active(i int) []cdcl.Lit {
	if !e.shared || i == 0 {
		return nil
	}
	return e.guards[i : e.last()+1]
}

// blocked says whether a lemma of F_i excludes the cube.
func (e *engine) blocked(c cube, i int) bool {
	sig := c.signature()
	for _, l := range e.forever {
		if l.sig&^sig == 0 && l.cube.subset(c) {
			return true
		}
	}
	for ; i <= e.last(); i++ {
		for _, l := range e.frames[i] {
			if l.sig&^sig == 0 && l.cube.subset(c) {
				return true
			}
		}
	}
	return false
}

// propagate moves lemmas to later frames where they hold. It returns true if two
// frames have become equal.
func (e *engine) propagate() (bool, error) {
	for i := 1; i < e.last(); i++ {
		// Lemmas are added while the loop runs, and only to later levels.
		lemmas := slices.Clone(e.frames[i])
		slices.SortStableFunc(lemmas, func(a, b *lemma) int { return len(a.cube) - len(b.cube) })
		for _, l := range lemmas {
			if l.dead {
				continue // subsumed meanwhile
			}
			r, err := e.step(i, l.cube, false)
			if err != nil {
				return false, err
			}
			if r == cdcl.Unsat {
				// The core is a lemma of F_(i+1), and of all before, too.
				c := e.core(i, l.cube)
				known := i
				if len(c) < len(l.cube) {
					known = 0
				}
				e.add(c, i+1, known)
			}
		}
		if len(e.frames[i]) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// inductiveLevel is the first level without a lemma of its own.
func (e *engine) inductiveLevel() int {
	for i := 1; i < len(e.frames); i++ {
		if len(e.frames[i]) == 0 {
			return i
		}
	}
	panic("ic3: no inductive frame")
}

// step asks whether a state of F_i, not in the cube if relative, has a successor
// in the cube.
func (e *engine) step(i int, c cube, relative bool) (cdcl.Result, error) {
	return e.ask(e.solvers[i], e.active(i), c, relative && i > 0) // an initial state is never in the cube
}

// ask is step for the states of a solver, of which active selects frames.
func (e *engine) ask(s *cdcl.Solver, active []cdcl.Lit, c cube, relative bool) (cdcl.Result, error) {
	pause.Wait(e.ctx)
	if err := e.ctx.Err(); err != nil {
		return cdcl.Unknown, err
	}
	e.assumed = append(append(e.assumed[:0], active...), e.transitions...)
	for _, l := range c {
		e.assumed = append(e.assumed, e.primed(l))
	}
	var temporary []cdcl.Lit
	if relative {
		e.clause = e.clause[:0]
		for _, l := range c {
			e.clause = append(e.clause, e.current(l).Not())
		}
		temporary = e.clause
	}
	r := s.Solve(e.assumed, temporary)
	if r == cdcl.Unknown {
		return r, e.ctx.Err()
	}
	return r, nil
}

// core is the part of the cube that the last query, to F_i, needed for
// unsatisfiability, and without an initial state.
func (e *engine) core(i int, c cube) cube { return e.coreOf(e.solvers[i], c) }

func (e *engine) coreOf(s *cdcl.Solver, c cube) cube {
	out := make(cube, 0, len(c))
	for _, l := range c {
		if s.InCore(e.primed(l)) {
			out = append(out, l)
		}
	}
	if e.initial(out) {
		best, found := lit(0), false
		for _, l := range c {
			if r := e.reset[l.latch()]; r >= 0 && r != int8(1^l&1) && (!found || e.activity[l] > e.activity[best]) {
				best, found = l, true
			}
		}
		if !found {
			panic("ic3: core of a cube with an initial state")
		}
		out = append(out, best)
		slices.Sort(out)
	}
	return out
}

// initial says whether the cube contains a state that the resets allow.
func (e *engine) initial(c cube) bool {
	for _, l := range c {
		if r := e.reset[l.latch()]; r >= 0 && r != int8(1^l&1) {
			return false
		}
	}
	return true
}
