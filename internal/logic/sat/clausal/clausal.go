// Package clausal checks proofs that formulas in clauses are unsatisfiable: an independent
// reader of what a SAT solver says it has derived.
//
// Cited papers:
//
//	[GoldbergNovikov03] E. Goldberg, Y. Novikov. Verification of Proofs of Unsatisfiability for
//	CNF Formulas. DATE 2003.
//	[HeuleHuntWetzler13] M. Heule, W. Hunt, N. Wetzler. Trimming while Checking Clausal Proofs.
//	FMCAD 2013.
//
// A proof is a list of clauses, each of which has reverse unit propagation (RUP): if all its
// literals are false, unit propagation in the clauses so far meets a contradiction. Such a
// clause is implied by them [GoldbergNovikov03]. The proof ends with the empty clause.
//
// # Soundness
//
//	(1) Every clause in the database is one of the formula, or has passed RUP, and is so
//	    implied by the formula.
//	(2) The literals that are assigned for good follow from these clauses by unit propagation.
//	(3) Deletions only make the database smaller, which never makes a clause pass; so it does not
//	    matter which deletions are carried out.
//
// So what is read from the solver may be anything: the answer is true only if the formula is
// unsatisfiable. The watches of package clausal are a matter of speed, but for this: a clause
// whose watches were wrong could only be passed over, and again less would pass.
//
// Departures: the check goes forward, in the order of the proof, and takes RUP alone; a step that
// needs resolution asymmetric tautologies (RAT), which CaDiCaL does not make in the way it is
// used here, is refused. A proof may be read in parts, between which clauses of the formula come, and clauses
// that follow by (1).
package clausal

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Checker has the formula, and reads a proof. A Checker belongs to one goroutine.
type Checker struct {
	arena   []int32 // clauses: their length (negative: deleted), the next one of their bucket, their literals
	watches [][]watch
	value   []int8 // by literal: 1 true, -1 false
	trail   []int32
	head    int // of the trail: what is before it was propagated
	refuted bool
	keep    bool    // deletions are passed over
	buckets []int32 // of clauses by hash, for deletions: the first, 0 for none; as many as a power of two
	indexed int     // clauses in buckets
	scratch []int32
	seen    []bool // by literal, in add
}

// header is the number of words before the literals of a clause.
const header = 2

// watch is a clause that looks at the negation of a literal, with another literal of it: while
// that one is true, the clause need not be looked at.
type watch struct {
	clause  int32
	blocker int32
}

// New is a checker with an empty formula.
func New() *Checker {
	return &Checker{arena: make([]int32, 1), buckets: make([]int32, 1<<10)} // no clause has the place 0
}

// NewKeeping is a checker that deletes nothing: for proofs of several searches, between which clauses
// that were deleted may come back.
func NewKeeping() *Checker { return &Checker{arena: make([]int32, 1), keep: true} }

// literal is 2v or, negated, 2v+1, as in binary proofs; of DIMACS in the clauses that are given.
type literal = int32

func ofDIMACS(l int32) literal {
	if l < 0 {
		return -2*l + 1
	}
	return 2 * l
}

func (c *Checker) grow(l literal) {
	if n := int(l|1) + 1 - len(c.value); n > 0 {
		n += len(c.value) / 2
		c.value = append(c.value, make([]int8, n)...)
		c.seen = append(c.seen, make([]bool, n)...)
		c.watches = append(c.watches, make([][]watch, n)...)
	}
}

// AddClauses adds clauses of the formula: their literals, each clause ended by 0.
func (c *Checker) AddClauses(flat []int32) {
	if len(flat) > 0 && flat[len(flat)-1] != 0 {
		panic("clausal: last clause has no end")
	}
	c.reserve(flat)
	var lits []literal
	for begin, i := 0, 0; i < len(flat); i++ {
		if flat[i] == 0 {
			lits = lits[:0]
			for _, l := range flat[begin:i] {
				lits = append(lits, ofDIMACS(l))
			}
			c.add(lits)
			begin = i + 1
		}
	}
}

// reserve makes room for clauses: most of them are watched by their first two literals.
func (c *Checker) reserve(flat []int32) {
	var most int32
	clauses := 0
	for _, l := range flat {
		if most = max(most, l, -l); l == 0 {
			clauses++
		}
	}
	c.grow(ofDIMACS(most))
	c.arena = slices.Grow(c.arena, len(flat)+(header-1)*clauses)
	counts := make([]int32, len(c.watches))
	place := 0
	for _, l := range flat {
		switch {
		case l == 0:
			place = 0
		case place < 2:
			counts[ofDIMACS(-l)]++
			place++
		}
	}
	block := make([]watch, 2*clauses)
	for i, n := range counts {
		if n := int(n); n > cap(c.watches[i])-len(c.watches[i]) {
			if len(c.watches[i]) > 0 {
				c.watches[i] = slices.Grow(c.watches[i], n)
			} else {
				c.watches[i], block = block[:0:n], block[n:]
			}
		}
	}
}

// add puts a clause into the database. Literals that occur twice are left out, and clauses
// that are always true.
func (c *Checker) add(lits []int32) {
	if c.refuted {
		return
	}
	unique := c.scratch[:0]
	tautology := false
	for _, l := range lits {
		c.grow(l)
		if c.seen[l^1] {
			tautology = true
		}
		if !c.seen[l] {
			c.seen[l] = true
			unique = append(unique, l)
		}
	}
	c.scratch = unique
	for _, l := range unique {
		c.seen[l] = false
	}
	if tautology {
		return
	}
	// The literals that are not false come first: they are watched.
	free := 0
	for i, l := range unique {
		if c.value[l] >= 0 {
			unique[free], unique[i] = l, unique[free]
			free++
		}
	}
	at := int32(len(c.arena))
	c.arena = append(append(c.arena, int32(len(unique)), 0), unique...)
	if len(unique) > 1 {
		if !c.keep {
			c.file(at)
		}
		c.watch(unique[0], at, unique[1])
		c.watch(unique[1], at, unique[0])
	}
	switch {
	case free == 0:
		c.refuted = true
	case free == 1 && c.value[unique[0]] == 0:
		c.assign(unique[0])
		c.refuted = !c.propagate()
	}
}

func (c *Checker) watch(l, clause, blocker int32) {
	c.watches[l^1] = append(c.watches[l^1], watch{clause, blocker})
}

func (c *Checker) assign(l int32) {
	c.value[l], c.value[l^1] = 1, -1
	c.trail = append(c.trail, l)
}

// propagate assigns all that follows by unit propagation; false if it meets a contradiction.
func (c *Checker) propagate() bool {
	value, arena := c.value, c.arena
	for c.head < len(c.trail) {
		l := c.trail[c.head]
		c.head++
		list := c.watches[l]
		kept := 0
		for i, w := range list {
			if value[w.blocker] > 0 {
				list[kept] = w
				kept++
				continue
			}
			n := arena[w.clause]
			if n < 0 {
				continue // deleted
			}
			lits := arena[w.clause+header:][:n]
			if lits[0] == l^1 {
				lits[0], lits[1] = lits[1], lits[0]
			}
			first := lits[0]
			if value[first] > 0 {
				list[kept] = watch{w.clause, first}
				kept++
				continue
			}
			free := 0
			for k := 2; k < len(lits); k++ {
				if value[lits[k]] >= 0 {
					free = k
					break
				}
			}
			if free > 0 {
				lits[1], lits[free] = lits[free], lits[1]
				c.watch(lits[1], w.clause, first)
				continue
			}
			list[kept] = watch{w.clause, first}
			kept++
			if value[first] < 0 {
				kept += copy(list[kept:], list[i+1:])
				c.watches[l] = list[:kept]
				return false
			}
			c.assign(first)
		}
		c.watches[l] = list[:kept]
	}
	return true
}

// implied says whether a clause has reverse unit propagation.
func (c *Checker) implied(lits []int32) bool {
	before := len(c.trail)
	ok := false
	for _, l := range lits {
		c.grow(l)
		if c.value[l] > 0 {
			ok = true
			break
		}
		if c.value[l] == 0 {
			c.assign(l ^ 1)
		}
	}
	ok = ok || !c.propagate()
	for _, l := range c.trail[before:] {
		c.value[l], c.value[l^1] = 0, 0
	}
	c.trail, c.head = c.trail[:before], before
	return ok
}

// hash is the same for the same literals in any order.
func hash(lits []int32) uint64 {
	var sum, product, xor uint64 = 0, 1, 0
	for _, l := range lits {
		x := uint64(uint32(l))*0x9e3779b97f4a7c15 + 1
		sum, product, xor = sum+x, product*(x|1), xor^(x>>7)
	}
	return sum ^ product*31 ^ xor*17
}

// remove deletes a clause, if it is there.
func (c *Checker) remove(lits []int32) {
	if len(lits) < 2 || c.keep {
		return
	}
	for link := &c.buckets[c.bucket(lits)]; *link != 0; link = &c.arena[*link+1] {
		if at := *link; c.arena[at] == int32(len(lits)) && c.same(at, lits) {
			c.arena[at], *link = -c.arena[at], c.arena[at+1]
			c.indexed--
			return
		}
	}
}

func (c *Checker) bucket(lits []int32) uint64 { return hash(lits) & uint64(len(c.buckets)-1) }

// file puts a clause into its bucket.
func (c *Checker) file(at int32) {
	if c.indexed++; c.indexed > len(c.buckets) {
		old := c.buckets
		c.buckets = make([]int32, 4*len(old))
		for _, x := range old {
			for x != 0 {
				next := c.arena[x+1]
				c.link(x)
				x = next
			}
		}
	}
	c.link(at)
}

func (c *Checker) link(at int32) {
	first := &c.buckets[c.bucket(c.arena[at+header:at+header+c.arena[at]])]
	c.arena[at+1], *first = *first, at
}

// same compares the literals of the clause at a place with others, of the same number.
func (c *Checker) same(at int32, lits []int32) bool {
	for _, l := range lits {
		if int(l) >= len(c.seen) {
			return false
		}
	}
	for _, l := range lits {
		c.seen[l] = true
	}
	equal := true
	for _, l := range c.arena[at+header : at+header+c.arena[at]] {
		equal = equal && c.seen[l]
	}
	for _, l := range lits {
		c.seen[l] = false
	}
	return equal
}

// ErrRefused says that a proof is none.
type ErrRefused struct {
	Step int // the number of the first step that is refused, from 1; the number of all if none is
	Why  string
}

func (e ErrRefused) Error() string { return fmt.Sprintf("step %d of the proof: %s", e.Step, e.Why) }

var errEnd = errors.New("it ends within a step")

// Check reads a proof in binary DRAT: 'a' or 'd', then the literals as 2v or 2v+1 in groups of
// seven bits, the lowest first, then 0. It is nil if the proof shows that the formula is
// unsatisfiable; else an ErrRefused, or the context's error.
func (c *Checker) Check(ctx context.Context, proof []byte) error {
	step, err := c.read(ctx, proof)
	if err == nil && !c.refuted {
		err = ErrRefused{step, "the proof ends without a contradiction"}
	}
	return err
}

// Read reads a part of a proof. It is nil if the clauses of the part follow; else an ErrRefused, or the
// context's error.
func (c *Checker) Read(ctx context.Context, proof []byte) error {
	_, err := c.read(ctx, proof)
	return err
}

// Derive says whether a clause follows by unit propagation, and adds it then.
func (c *Checker) Derive(clause ...int32) bool {
	if c.refuted {
		return true
	}
	var lits []literal
	for _, l := range clause {
		lits = append(lits, ofDIMACS(l))
	}
	if !c.implied(lits) {
		return false
	}
	c.add(lits)
	return true
}

func (c *Checker) read(ctx context.Context, proof []byte) (step int, err error) {
	var lits []int32
	for !c.refuted && len(proof) > 0 {
		step++
		if step%256 == 0 && ctx.Err() != nil {
			return step, ctx.Err()
		}
		kind := proof[0]
		if lits, proof, err = literals(lits[:0], proof[1:]); err != nil {
			return step, ErrRefused{step, err.Error()}
		}
		switch kind {
		case 'd':
			c.remove(lits)
		case 'a':
			if !c.implied(lits) {
				return step, ErrRefused{step, "the clause does not follow by unit propagation"}
			}
			c.add(lits)
		default:
			return step, ErrRefused{step, fmt.Sprintf("it is of unknown kind %d", kind)}
		}
	}
	return step, nil
}

// literals reads those of one step.
func literals(lits []int32, proof []byte) ([]int32, []byte, error) {
	for {
		var n uint64
		for shift := 0; ; shift += 7 {
			if len(proof) == 0 {
				return nil, nil, errEnd
			}
			b := proof[0]
			proof = proof[1:]
			n |= uint64(b&127) << shift
			if n >= 1<<31 || shift > 28 {
				return nil, nil, errors.New("a literal is too large")
			}
			if b < 128 {
				break
			}
		}
		switch {
		case n == 0:
			return lits, proof, nil
		case n == 1:
			return nil, nil, errors.New("a literal without a variable")
		default:
			lits = append(lits, literal(n))
		}
	}
}
