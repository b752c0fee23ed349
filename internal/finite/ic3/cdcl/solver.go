// Package cdcl is a SAT solver made for the queries of IC3: hundreds of thousands
// of tiny ones, each about the cone of a few next-state functions, under
// assumptions, and with at most one temporary clause.
//
// Cited papers:
//
//	[EenSorensson03] N. Eén, N. Sörensson. An Extensible SAT-solver. SAT 2003.
//	[SuYangCiBu25] Y. Su, Q. Yang, Y. Ci, T. Bu, Z. Huang. The rIC3 Hardware Model
//	Checker. CAV 2025: decisions and propagation within the cone of the query.
//
// Why not CaDiCaL: it looks at all variables, and readies its search anew for each
// call. On the queries of BenchmarkQuery (package ic3; 200 latches with cones of
// 20 gates) it takes 238 µs each, this solver 24 µs.
//
// # Domains
//
// Variables are defined by gates, or free. A query is about a set of variables,
// its domain: those below its literals, and the permanent ones. Only variables
// of the domain are propagated to (above level 0), and of these only the free ones
// are decided: deciding gates, too, took three times as long on the set hwmc, most
// of it for the heap. A total assignment of the domain without conflict is
// reported as a model. That is right if
//
//	(1) the domain is closed under "is an operand of the gate that defines",
//	(2) every clause that is not part of a gate's definition, and not implied by
//	    the definitions and other such clauses, has all its variables in every
//	    domain,
//
// for then the gates outside can be computed from inside. Close makes (1) hold,
// and the user must make (2) hold, with Permanent.
//
// # Invariants
//
//	(3) the first two literals of a clause are watched; a false one of them was
//	    made false at a level not below that of a true one, or the other one is
//	    outside the domain, or both were false when level 0 was propagated;
//	(4) between queries only level 0 is assigned, or the model is still there;
//	(5) a temporary clause, and all that is learned from it, contain the literal
//	    "not act", which occurs nowhere else and in no other sign.
//
// By (5) everything temporary is found and removed after the query.
package cdcl

import "math"

// Lit is 2*variable + sign.
type Lit uint32

// Not is the negation.
func (l Lit) Not() Lit { return l ^ 1 }

// Var is the variable.
func (l Lit) Var() uint32 { return uint32(l >> 1) }

// MkLit is a literal of variable v.
func MkLit(v uint32, negated bool) Lit {
	if negated {
		return Lit(2*v + 1)
	}
	return Lit(2 * v)
}

// Gates says which variables each variable's defining gate has as operands. It is
// shared by all solvers of a circuit and does not change.
type Gates struct {
	start    []uint32 // of the operands of variable v; len is number of variables + 1
	operands []uint32
}

// NewGates is an empty table.
func NewGates() *Gates { return &Gates{start: []uint32{0}} }

// Add says what defines the next variable, which is returned: nothing, if there
// are no operands.
func (g *Gates) Add(operands ...uint32) uint32 {
	g.operands = append(g.operands, operands...)
	g.start = append(g.start, uint32(len(g.operands)))
	return uint32(len(g.start) - 2)
}

// Len is the number of variables.
func (g *Gates) Len() int { return len(g.start) - 1 }

const (
	undefined int8 = 0
	isTrue    int8 = 1
	isFalse   int8 = -1
)

const (
	learnedFlag = 1 << iota
	deletedFlag
	temporaryFlag
	flagBits = 3
)

const (
	noReason  = 0
	binaryRef = 1 << 31
	headWords = 2 // size and flags, activity
)

type watch struct {
	ref     uint32 // of the clause; binaryRef is set if it has two literals
	blocker Lit
}

// Solver is one instance. It belongs to one goroutine.
type Solver struct {
	gates   *Gates
	arena   []uint32 // clauses: size<<flagBits|flags, activity, literals
	wasted  int
	watches [][]watch // by the literal whose truth calls for a look

	value  []int8 // by literal
	level  []int32
	reason []uint32
	trail  []Lit
	limits []int32 // of the trail, by level
	head   int

	phase     []int8 // last value by variable
	activity  []float64
	increment float64
	heap      heap

	mark      []uint32 // by variable: in the domain if equal to epoch
	epoch     uint32
	domain    []uint32
	permanent []uint32
	isPerm    []bool

	act       uint32
	temporary []uint32 // clauses to remove after the query
	learned   []uint32
	maxLearnt int
	step      float32 // activity increment of clauses
	broken    bool    // the clauses are unsatisfiable

	seen    []uint8
	toClear []Lit
	learnt  []Lit
	core    []Lit
	failed  []bool // by literal: in the core
	scratch []Lit
	assumed []Lit
	sized   int // trail length at the last cleaning

	// Stop is polled now and then; the query then ends with Unknown.
	Stop func() bool
	// Limit bounds the conflicts of a query, which then ends with Unknown; 0 is none.
	Limit int
	// Work done so far.
	Queries, Conflicts, Decisions, Propagations int64
}

// New has no clauses, and the variables of gates.
func New(gates *Gates) *Solver {
	n := gates.Len() + 1
	s := &Solver{
		gates: gates, arena: make([]uint32, 1, 1024), increment: 1, step: 1, maxLearnt: 2000,
		watches: make([][]watch, 2*n), value: make([]int8, 2*n), level: make([]int32, n), reason: make([]uint32, n),
		phase: make([]int8, n), activity: make([]float64, n), mark: make([]uint32, n), isPerm: make([]bool, n),
		seen: make([]uint8, n), failed: make([]bool, 2*n), act: uint32(n - 1), epoch: 1,
	}
	s.heap.init(n)
	for i := range s.phase {
		s.phase[i] = isFalse
	}
	return s
}

// Clone is a copy of a solver between queries.
func (s *Solver) Clone() *Solver {
	s.reset()
	n := len(s.level)
	c := &Solver{
		gates: s.gates, arena: append(make([]uint32, 0, len(s.arena)+len(s.arena)/4), s.arena...), wasted: s.wasted, increment: s.increment, step: s.step, maxLearnt: s.maxLearnt,
		value: append([]int8(nil), s.value...), level: append([]int32(nil), s.level...), reason: append([]uint32(nil), s.reason...),
		trail: append([]Lit(nil), s.trail...), head: s.head,
		phase: append([]int8(nil), s.phase...), activity: append([]float64(nil), s.activity...), mark: make([]uint32, n), epoch: 1,
		permanent: append([]uint32(nil), s.permanent...), isPerm: append([]bool(nil), s.isPerm...),
		learned: append([]uint32(nil), s.learned...), broken: s.broken, act: s.act, sized: s.sized, Stop: s.Stop,
		seen: make([]uint8, n), failed: make([]bool, 2*n),
	}
	c.heap.init(n)
	total := 0
	for _, ws := range s.watches {
		total += len(ws)
	}
	all := make([]watch, 0, total)
	c.watches = make([][]watch, len(s.watches))
	for i, ws := range s.watches {
		if len(ws) > 0 {
			at := len(all)
			all = append(all, ws...)
			c.watches[i] = all[at:len(all):len(all)]
		}
	}
	return c
}

// Permanent puts variables, and all below them, into every domain.
func (s *Solver) Permanent(vars ...uint32) {
	stack := append([]uint32(nil), vars...)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.isPerm[v] {
			continue
		}
		s.isPerm[v] = true
		s.permanent = append(s.permanent, v)
		stack = append(stack, s.gates.operands[s.gates.start[v]:s.gates.start[v+1]]...)
	}
}

func (s *Solver) size(ref uint32) int { return int(s.arena[ref] >> flagBits) }

func (s *Solver) lits(ref uint32) []uint32 {
	at := ref + headWords
	return s.arena[at : at+s.arena[ref]>>flagBits]
}

// store puts a clause of at least two literals into the arena and watches it.
func (s *Solver) store(lits []Lit, flags uint32) uint32 {
	ref := uint32(len(s.arena))
	if len(s.arena)+len(lits) >= 1<<30 {
		panic("cdcl: more than 2^30 literals")
	}
	s.arena = append(s.arena, uint32(len(lits))<<flagBits|flags, 0)
	for _, l := range lits {
		s.arena = append(s.arena, uint32(l))
	}
	s.attach(ref)
	return ref
}

func (s *Solver) attach(ref uint32) {
	ls := s.lits(ref)
	tag := ref
	if len(ls) == 2 && s.arena[ref]&temporaryFlag == 0 {
		tag |= binaryRef
	}
	a, b := Lit(ls[0]), Lit(ls[1])
	s.watches[a.Not()] = append(s.watches[a.Not()], watch{tag, b})
	s.watches[b.Not()] = append(s.watches[b.Not()], watch{tag, a})
}

// AddClause adds a clause for good.
func (s *Solver) AddClause(lits ...Lit) {
	s.reset()
	if s.broken {
		return
	}
	out := s.scratch[:0]
	for _, l := range lits {
		switch {
		case s.value[l] == isTrue:
			return
		case s.value[l] == isFalse:
			continue
		}
		duplicate := false
		for _, m := range out {
			if m == l {
				duplicate = true
			} else if m == l.Not() {
				return
			}
		}
		if !duplicate {
			out = append(out, l)
		}
	}
	s.scratch = out
	switch len(out) {
	case 0:
		s.broken = true
	case 1:
		s.enqueue(out[0], noReason)
		s.broken = s.propagate() != noReason
	default:
		s.store(out, 0)
	}
}

func (s *Solver) enqueue(l Lit, reason uint32) {
	s.value[l], s.value[l^1] = isTrue, isFalse
	v := l.Var()
	s.level[v] = int32(len(s.limits))
	s.reason[v] = reason
	s.trail = append(s.trail, l)
}

// cancel undoes all above the level.
func (s *Solver) cancel(level int) {
	if len(s.limits) <= level {
		return
	}
	limit := int(s.limits[level])
	for i := len(s.trail) - 1; i >= limit; i-- {
		l := s.trail[i]
		v := l.Var()
		s.phase[v] = isTrue
		if l&1 != 0 {
			s.phase[v] = isFalse
		}
		s.value[l], s.value[l^1] = undefined, undefined
		if s.heap.at[v] < 0 && s.mark[v] == s.epoch && s.free(v) {
			s.heap.push(v, s.activity)
		}
	}
	s.trail = s.trail[:limit]
	s.limits = s.limits[:level]
	s.head = limit
}

// Result is the outcome of a query.
type Result uint8

// The outcomes.
const (
	Unknown Result = iota
	Sat
	Unsat
)

// Solve decides the clauses, with the temporary clause if it is not nil, under
// the assumptions. After Sat, Value has the model until the next call of a
// method that changes the solver; after Unsat, InCore has the core.
func (s *Solver) Solve(assumptions, temporary []Lit) Result {
	s.Queries++
	s.reset()
	for _, l := range s.core {
		s.failed[l] = false
	}
	s.core = s.core[:0]
	if s.broken || s.head < len(s.trail) && s.propagate() != noReason {
		s.broken = true
		return Unsat
	}
	s.clean()
	s.open(assumptions, temporary)
	all := assumptions
	if temporary != nil {
		live := s.scratch[:0]
		satisfied := false
		for _, l := range temporary {
			switch s.value[l] {
			case isTrue:
				satisfied = true
			case undefined:
				if !s.failed[l] { // as a mark against duplicates
					s.failed[l] = true
					live = append(live, l)
				}
			}
		}
		for _, l := range live {
			s.failed[l] = false
		}
		s.scratch = live
		if !satisfied {
			if len(live) == 0 {
				return Unsat
			}
			live = append(live, MkLit(s.act, true))
			s.scratch = live
			s.temporary = append(s.temporary, s.store(live, temporaryFlag))
			s.assumed = append(append(s.assumed[:0], MkLit(s.act, false)), assumptions...)
			all = s.assumed
		}
	}
	result := s.search(all)
	if len(s.temporary) > 0 {
		for _, ref := range s.temporary {
			s.arena[ref] |= deletedFlag
			s.wasted += s.size(ref) + headWords
		}
		s.temporary = s.temporary[:0]
		s.release()
	}
	return result
}

// release unassigns act if it was assigned at level 0; nothing follows from it.
func (s *Solver) release() {
	l := MkLit(s.act, true)
	if s.value[l] == undefined || s.level[s.act] != 0 {
		return
	}
	for i, t := range s.trail {
		if t == l {
			copy(s.trail[i:], s.trail[i+1:])
			s.trail = s.trail[:len(s.trail)-1]
			s.head--
			for k := range s.limits {
				s.limits[k]--
			}
			break
		}
	}
	s.value[l], s.value[l^1] = undefined, undefined
}

// reset ends the last query and forgets its domain.
func (s *Solver) reset() {
	if s.epoch++; s.epoch == math.MaxUint32 {
		clear(s.mark)
		s.epoch = 1
	}
	s.cancel(0)
}

// open makes the domain and fills the heap with it.
func (s *Solver) open(lists ...[]Lit) {
	d := s.domain[:0]
	for _, v := range s.permanent {
		s.mark[v] = s.epoch
		d = append(d, v)
	}
	at := len(d) // below the permanent ones everything is permanent
	for _, lits := range lists {
		for _, l := range lits {
			if v := l.Var(); s.mark[v] != s.epoch {
				s.mark[v] = s.epoch
				d = append(d, v)
			}
		}
	}
	start, operands := s.gates.start, s.gates.operands
	for ; at < len(d); at++ {
		v := d[at]
		for _, o := range operands[start[v]:start[v+1]] {
			if s.mark[o] != s.epoch {
				s.mark[o] = s.epoch
				d = append(d, o)
			}
		}
	}
	s.domain = d
	s.mark[s.act] = s.epoch
	s.heap.clear()
	for _, v := range d {
		if s.value[2*v] == undefined && s.free(v) {
			s.heap.append(v)
		}
	}
	s.heap.order(s.activity)
}

// Value is whether l is true in the model; variables outside the domain have no
// value, and known is false.
func (s *Solver) Value(l Lit) (truth, known bool) {
	return s.value[l] == isTrue, s.value[l] != undefined
}

// InCore says whether the assumption l was needed for unsatisfiability.
func (s *Solver) InCore(l Lit) bool { return s.failed[l] }

// search is CDCL under assumptions.
func (s *Solver) search(assumptions []Lit) Result {
	conflicts, restarts, budget := 0, 1, 100
	for {
		conflict := s.propagate()
		if conflict != noReason {
			conflicts++
			s.Conflicts++
			if len(s.limits) == 0 {
				s.broken = true
				return Unsat
			}
			back := s.analyze(conflict)
			s.cancel(back)
			if r := s.learn(); r == Unsat {
				return Unsat
			}
			s.increment /= 0.95
			s.step /= 0.999
			if s.increment > 1e100 {
				s.rescale()
			}
			if s.step > 1e20 {
				s.rescaleClauses()
			}
			if s.Limit > 0 && conflicts >= s.Limit {
				return Unknown
			}
			if conflicts&63 == 0 && s.Stop != nil && s.Stop() {
				return Unknown
			}
			continue
		}
		if conflicts >= budget {
			restarts++
			budget = conflicts + 100*luby(restarts)
			s.cancel(min(len(s.limits), len(assumptions)))
		}
		next := Lit(0)
		decided := false
		for len(s.limits) < len(assumptions) {
			p := assumptions[len(s.limits)]
			if s.value[p] == isTrue {
				s.limits = append(s.limits, int32(len(s.trail)))
				continue
			}
			if s.value[p] == isFalse {
				s.final(p)
				return Unsat
			}
			next, decided = p, true
			break
		}
		if !decided {
			for s.heap.len() > 0 {
				v := s.heap.pop(s.activity)
				if s.value[2*v] == undefined {
					next, decided = MkLit(v, s.phase[v] < 0), true
					break
				}
			}
			if !decided {
				return Sat
			}
			s.Decisions++
		}
		s.limits = append(s.limits, int32(len(s.trail)))
		s.enqueue(next, noReason)
	}
}

// learn adds the learned clause, whose first literal is then implied.
func (s *Solver) learn() Result {
	ls := s.learnt
	notAct := MkLit(s.act, true)
	if len(ls) == 1 {
		if ls[0] == notAct {
			return Unsat // the temporary clause alone contradicts the clauses
		}
		s.enqueue(ls[0], noReason)
		return Unknown
	}
	flags := uint32(learnedFlag)
	for _, l := range ls {
		if l == notAct {
			flags |= temporaryFlag
			break
		}
	}
	ref := s.store(ls, flags)
	if flags&temporaryFlag != 0 {
		s.temporary = append(s.temporary, ref)
	} else {
		s.learned = append(s.learned, ref)
		s.bumpClause(ref)
	}
	s.enqueue(ls[0], ref)
	return Unknown
}

// luby is the i-th number of the sequence 1 1 2 1 1 2 4 ..., from 1.
func luby(i int) int {
	for k := 1; ; k++ {
		if i == 1<<k-1 {
			return 1 << (k - 1)
		}
		if i < 1<<k-1 {
			return luby(i - (1<<(k-1) - 1))
		}
	}
}

// Inherit takes over the variables' activities and last values.
func (s *Solver) Inherit(from *Solver) {
	copy(s.activity, from.activity)
	copy(s.phase, from.phase)
	s.increment = from.increment
}

// Extend is a copy with more free variables, whose positive literals it returns.
func (s *Solver) Extend(n int) (*Solver, []Lit) {
	g := &Gates{start: append([]uint32(nil), s.gates.start...), operands: append([]uint32(nil), s.gates.operands...)}
	var lits []Lit
	for range n {
		lits = append(lits, MkLit(g.Add(), false))
	}
	s.reset()
	c := New(g)
	c.Stop = s.Stop
	for v, perm := range s.isPerm {
		if perm {
			c.Permanent(uint32(v))
		}
	}
	for _, l := range s.trail {
		c.AddClause(l)
	}
	var clause []Lit
	for ref := uint32(1); ref < uint32(len(s.arena)); ref += headWords + s.arena[ref]>>flagBits {
		if s.arena[ref]&(deletedFlag|temporaryFlag) != 0 {
			continue
		}
		clause = clause[:0]
		for _, l := range s.lits(ref) {
			clause = append(clause, Lit(l))
		}
		c.AddClause(clause...)
	}
	c.broken = c.broken || s.broken
	return c, lits
}

// free says that no gate defines v. Only such variables are decided: with all of
// them assigned, propagation has assigned the gates.
func (s *Solver) free(v uint32) bool {
	start := s.gates.start
	return int(v)+1 >= len(start) || start[v] == start[v+1]
}
