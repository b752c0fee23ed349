package ic3

import (
	"assay/internal/finite/ic3/cdcl"
	"assay/internal/logic/sat"
)

// This file generalises a predecessor: from the model of a query, to a cube all
// of whose states, with the model's inputs, satisfy constraints and transition
// conditions and step into the target (or are bad).
//
// First a justification: from the literals that must be true, down the gates;
// of a false conjunction one false operand is enough. Then an unsatisfiable core
// of "the state so far, the inputs, and one of those literals is false", which is
// complete because every gate is a function of inputs and latches.

// justifier is the scratch of a pass over the gates.
type justifier struct {
	variable  []cdcl.Lit // of inputs and latches, by node
	latchOf   []int32    // by node, or -1
	eval      *sat.Evaluator
	solver    *cdcl.Solver // whose model eval sees
	mark      []uint32
	epoch     uint32
	stack     []int32
	roots     []sat.Lit
	temporary []cdcl.Lit
}

func (j *justifier) init(e *engine) {
	g := e.c.Graph
	j.variable = make([]cdcl.Lit, g.Len())
	j.latchOf = make([]int32, g.Len())
	j.mark = make([]uint32, g.Len())
	for n := range j.latchOf {
		j.latchOf[n] = -1
	}
	for i, l := range e.c.Latches {
		j.latchOf[l.Lit.Node()] = int32(i)
		j.variable[l.Lit.Node()] = e.latch[i]
	}
	for i, l := range e.c.Inputs {
		j.variable[l.Node()] = e.input[i]
	}
	j.eval = sat.NewEvaluator(g, func(n int32) bool {
		truth, _ := j.solver.Value(j.variable[n])
		return truth
	})
}

// lift generalises the model of a solver that has a state with a successor in
// the target, or, if that is nil, a bad one.
func (e *engine) lift(s *cdcl.Solver, target cube) (cube, []bool) {
	j := &e.nodes
	j.solver = s
	j.eval.Reset()
	j.roots = append(j.roots[:0], e.c.Constraints...)
	j.temporary = j.temporary[:0]
	for _, l := range e.constraints {
		j.temporary = append(j.temporary, l.Not())
	}
	bad := target == nil
	if !bad {
		j.roots = append(j.roots, e.c.Transitions...)
		for _, l := range e.transitions {
			j.temporary = append(j.temporary, l.Not())
		}
		for _, l := range target {
			j.roots = append(j.roots, e.c.Latches[l.latch()].Next.XorSign(l&1 != 0))
			j.temporary = append(j.temporary, e.primed(l).Not())
		}
	} else {
		j.roots = append(j.roots, e.badRoot)
		j.temporary = append(j.temporary, e.bad.Not())
	}
	inputs := make([]bool, len(e.input))
	for i, l := range e.input {
		inputs[i], _ = s.Value(l)
	}
	var c cube
	if e.options.Lifting == Core {
		for i, l := range e.latch {
			if truth, known := s.Value(l); known {
				c = append(c, latchLit(i, truth))
			}
		}
	} else {
		c = j.justify(e, s)
	}
	if e.options.Lifting == Justification || len(c) == 0 {
		return c, inputs
	}
	e.assumed = e.assumed[:0]
	for _, l := range e.input {
		if truth, known := s.Value(l); known {
			e.assumed = append(e.assumed, l^cdcl.Lit(b2i(!truth)))
		}
	}
	for _, l := range c {
		e.assumed = append(e.assumed, e.current(l))
	}
	d := e.definitions
	if r := d.Solve(e.assumed, j.temporary); r != cdcl.Unsat {
		if r == cdcl.Sat {
			panic("ic3: a lifted state has another successor")
		}
		return c, inputs // stopped
	}
	out := c[:0]
	for _, l := range c {
		if d.InCore(e.current(l)) {
			out = append(out, l)
		}
	}
	return out, inputs
}

func b2i(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func latchLit(latch int, truth bool) lit { return lit(2*uint32(latch) + b2i(!truth)) }

// justify is the latches that the truth of the roots follows from, with inputs.
func (j *justifier) justify(e *engine, s *cdcl.Solver) cube {
	g := e.c.Graph
	if j.epoch++; j.epoch == 0 {
		clear(j.mark)
		j.epoch = 1
	}
	j.stack = j.stack[:0]
	visit := func(n int32) {
		if n != 0 && j.mark[n] != j.epoch {
			j.mark[n] = j.epoch
			j.stack = append(j.stack, n)
		}
	}
	for _, l := range j.roots {
		if !j.eval.Value(l) {
			panic("ic3: a model does not satisfy its query")
		}
		visit(l.Node())
	}
	var latches []int32
	for len(j.stack) > 0 {
		n := j.stack[len(j.stack)-1]
		j.stack = j.stack[:len(j.stack)-1]
		if !g.IsAnd(n) {
			if k := j.latchOf[n]; k >= 0 {
				latches = append(latches, k)
			}
			continue
		}
		a, b := g.Children(n)
		if j.eval.Value(sat.Lit(2 * n)) {
			visit(a.Node())
			visit(b.Node())
			continue
		}
		va, vb := j.eval.Value(a), j.eval.Value(b)
		switch {
		case va:
			visit(b.Node())
		case vb:
			visit(a.Node())
		case j.mark[a.Node()] == j.epoch || j.mark[b.Node()] == j.epoch:
			// One false operand is justified already.
		case g.IsInput(a.Node()) && j.latchOf[a.Node()] < 0:
			visit(a.Node()) // an input costs nothing
		case g.IsInput(b.Node()) && j.latchOf[b.Node()] < 0:
			visit(b.Node())
		default:
			visit(a.Node()) // the older one, nearer to the leaves
		}
	}
	c := make(cube, 0, len(latches))
	for _, k := range latches {
		truth, known := s.Value(e.latch[k])
		if !known {
			truth = false // as eval has it
		}
		c = append(c, latchLit(int(k), truth))
	}
	sortCube(c)
	return c
}
