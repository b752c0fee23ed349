package certify

import (
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

// This file does without arrays: what is read from a chain of writes is a choice
// among what was written, and what is read from an array variable is a variable
// for each index, with
//
//	i = j  implies  a[i] = a[j]
//
// for each pair of indices read. A few reads of large programs with arrays are
// decided much faster so.

// together is how it is asked about all claims.
var together = attempt{options: z3.Options{OneShot: true, Circuits: true}, conflicts: 200000}

// Limits of what is eliminated.
const (
	maxReads  = 400
	maxChoice = 20000
)

// refute asks without arrays: about all claims together, and if that is too hard,
// about each on its own. It is true if no claim can fail; else nothing is known.
func (c *checker) refute() (bool, error) {
	c.facts = append(c.facts, c.sp.Facts()...)
	var roots []term.ID
	for _, x := range c.claims {
		roots = append(roots, x.cond)
	}
	n := len(roots)
	roots, ok := c.withoutArrays(append(roots, c.facts...))
	if !ok {
		return false, nil
	}
	some := c.st.False()
	for i := n - 1; i >= 0; i-- {
		some = c.st.Or(roots[i], some)
	}
	query := append([]term.ID{some}, roots[n:]...)
	if c.o.Engine != Z3 && c.induction != nil && c.induction.algebraic {
		if refuted, err := c.byAlgebra(query); refuted || err != nil {
			return refuted, err
		}
	}
	if float, _, _ := c.contents(query); !float {
		status, err := c.try(together, query)
		if c.ctx.Err() != nil {
			return false, c.ctx.Err()
		}
		if err == nil && status != smt.Unknown {
			return status == smt.Unsat, nil
		}
	}
	if c.solver != nil {
		c.solver.Close()
	}
	c.solver = c.newSolver(attempt{})
	for _, t := range roots[n:] {
		c.solver.Assert(t)
	}
	for _, t := range roots[:n] {
		status, err := c.solver.Check(c.ctx, t)
		if err != nil && c.ctx.Err() != nil {
			return false, c.ctx.Err()
		}
		if err != nil || status != smt.Unsat {
			return false, nil
		}
	}
	return true, nil
}

type readKey struct{ array, index term.ID }

// elimination replaces reads.
type elimination struct {
	st    *term.Store
	image map[term.ID]term.ID // of reads, without arrays
	memo  map[readKey]term.ID
	of    map[term.ID][]readKey // reads of a variable, with what they give
	value map[readKey]term.ID
	extra []term.ID
	work  int
}

// withoutArrays gives terms without arrays that have a model if roots have one; ok is
// false if there is too much to read.
func (c *checker) withoutArrays(roots []term.ID) (out []term.ID, ok bool) {
	st := c.st
	var reads []term.ID
	ok = true
	st.Walk(roots, func(t term.ID) {
		switch st.Op(t) {
		case term.OpSelect:
			reads = append(reads, t)
		case term.OpEq:
			ok = ok && st.Sort(st.Arg(t, 0)).Kind != term.SortArray
		}
	})
	if !ok || len(reads) > maxReads {
		return nil, false
	}
	e := &elimination{st: st, image: map[term.ID]term.ID{}, of: map[term.ID][]readKey{}, value: map[readKey]term.ID{}}
	for _, t := range reads { // arguments come first
		index := st.Substitute(st.Arg(t, 1), e.image)
		e.memo = map[readKey]term.ID{}
		x, ok := e.read(st.Arg(t, 0), index)
		if !ok {
			return nil, false
		}
		e.image[t] = x
	}
	return append(st.SubstituteAll(roots, e.image), e.extra...), true
}

// read is what an array holds at an index that has no arrays.
func (e *elimination) read(a, index term.ID) (x term.ID, ok bool) {
	st := e.st
	k := readKey{a, index}
	if x, known := e.memo[k]; known {
		return x, true
	}
	if e.work++; e.work > maxChoice {
		return 0, false
	}
	plain := func(t term.ID) term.ID { return st.Substitute(t, e.image) }
	switch st.Op(a) {
	case term.OpVar:
		x = e.variable(k)
	case term.OpStore:
		hit := st.Eq(index, plain(st.Arg(a, 1)))
		if st.IsTrue(hit) {
			x = plain(st.Arg(a, 2))
			break
		}
		if x, ok = e.read(st.Arg(a, 0), index); !ok {
			return 0, false
		}
		if !st.IsFalse(hit) {
			x = st.Ite(hit, plain(st.Arg(a, 2)), x)
		}
	case term.OpIte:
		y, ok := e.read(st.Arg(a, 1), index)
		z, ok2 := e.read(st.Arg(a, 2), index)
		if !ok || !ok2 {
			return 0, false
		}
		x = st.Ite(plain(st.Arg(a, 0)), y, z)
	case term.OpConstArray:
		x = plain(st.Arg(a, 0))
	default:
		return 0, false
	}
	e.memo[k] = x
	return x, true
}

func (e *elimination) variable(k readKey) term.ID {
	st := e.st
	if x, ok := e.value[k]; ok {
		return x
	}
	x := st.Fresh("element", term.BitVec(st.Sort(k.array).Width))
	for _, o := range e.of[k.array] {
		e.extra = append(e.extra, st.Implies(st.Eq(o.index, k.index), st.Eq(e.value[o], x)))
	}
	e.of[k.array] = append(e.of[k.array], k)
	e.value[k] = x
	return x
}
