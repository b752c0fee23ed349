package ic3

import (
	"slices"

	"assay/internal/finite/ic3/cdcl"
)

// This file drops literals from cubes that are blocked, with counterexamples to
// generalisation [HassanBradleySomenzi13, Fig. 2 and 3].

// effort is how hard generalisation tries: the number of counterexamples to
// generalisation that are blocked for one literal, and the depth of recursion.
type effort struct{ ctgs, depth int }

// effort for an obligation grows with the number of times it was blocked before
// [SuYangCiBu25, dynamic generalisation]: what comes back again and again is worth
// better lemmas, and most obligations come once.
func (e *engine) effort(o *obligation) effort {
	switch {
	case !e.options.Dynamic:
		return effort{e.options.CTGs, e.options.CTGDepth}
	case o.blocked < 10:
		return effort{}
	case o.blocked < 40:
		return effort{e.options.CTGs, e.options.CTGDepth}
	}
	return effort{e.options.CTGs + 2, e.options.CTGDepth}
}

// bump makes the literals of a new lemma more active: literals that occur in
// lemmas are the last to be dropped.
func (e *engine) bump(c cube) {
	for _, l := range c {
		e.activity[l] += e.bumping
		if e.activity[l] > 1e100 {
			for i := range e.activity {
				e.activity[i] *= 1e-100
			}
			e.bumping *= 1e-100
		}
	}
}

// generalise shrinks a cube that F_(frame-1) blocks: ¬c is inductive relative to
// it, and c has no initial state.
func (e *engine) generalise(c cube, frame int, effort effort, depth int) (cube, error) {
	if depth == 0 {
		e.hard = 0
	}
	order := slices.Clone(c)
	slices.SortStableFunc(order, func(a, b lit) int {
		switch x, y := e.activity[a], e.activity[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var keep cube
	for _, l := range order {
		if len(c) == 1 || e.hard >= maxHard {
			break
		}
		if !c.has(l) {
			continue
		}
		d, err := e.down(c.without(l), frame, keep, effort, depth)
		if err != nil {
			return nil, err
		}
		if d != nil {
			c = d
		} else {
			keep = append(keep, l)
		}
	}
	if depth == 0 {
		e.bump(c)
	}
	return c, nil
}

// attemptConflicts bounds a query whose answer is worth having only if it comes soon:
// without a literal that ties the inputs of a division, a query can be as hard as any.
const attemptConflicts = 500

// maxHard bounds the attempts for one lemma that remain Unknown.
const maxHard = 4

// attempt is step, relative, that may remain Unknown.
func (e *engine) attempt(i int, c cube) (cdcl.Result, error) {
	s := e.solvers[i]
	s.Limit = attemptConflicts
	defer func() { s.Limit = 0 }()
	r, err := e.step(i, c, true)
	if r == cdcl.Unknown {
		e.hard++
	}
	return r, err
}

// down is a subset of c that F_(frame-1) blocks and that has all of keep, or nil
// if none is found.
func (e *engine) down(c cube, frame int, keep cube, effort effort, depth int) (cube, error) {
	tried := 0
	for {
		if e.initial(c) {
			return nil, nil
		}
		r, err := e.attempt(frame-1, c)
		if err != nil {
			return nil, err
		}
		if r == cdcl.Unsat {
			return e.core(frame-1, c), nil
		}
		if r == cdcl.Unknown || effort.ctgs == 0 || depth >= effort.depth || frame == 1 {
			return nil, nil
		}
		// What remains of c in the state from which it is reached.
		s := e.solvers[frame-1]
		joined := make(cube, 0, len(c))
		for _, l := range c {
			if truth, known := s.Value(e.current(l)); truth || !known {
				joined = append(joined, l)
			}
		}
		ctg, _ := e.lift(s, c)
		if tried < effort.ctgs && !e.initial(ctg) {
			r, err := e.attempt(frame-2, ctg)
			if err != nil {
				return nil, err
			}
			if r == cdcl.Unsat {
				tried++
				ctg = e.core(frame-2, ctg)
				level, err := e.forward(ctg, frame-1, frame)
				if err != nil {
					return nil, err
				}
				if ctg, err = e.generalise(ctg, level, effort, depth+1); err != nil {
					return nil, err
				}
				e.add(ctg, level, 0)
				continue
			}
		}
		tried = 0
		for _, l := range keep {
			if !joined.has(l) {
				return nil, nil
			}
		}
		if len(joined) == len(c) {
			panic("ic3: the predecessor is in the cube")
		}
		if len(joined) == 0 {
			return nil, nil
		}
		c = joined
	}
}
