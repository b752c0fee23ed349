package certify

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"assay/internal/logic/bv"
	"assay/internal/logic/floats"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
	"assay/internal/run/work"
)

// This file decides the claims of a big program piece by piece. Most claims depend on
// little of what happened before them: on the last assignments, on the predicates of the
// loop around, on the last branches. One question about all claims together has the
// whole program in it, and its cost grows faster than the program.
//
// The piece of a claim is its condition, cut off: of the terms below it the youngest are
// kept, up to a number, and each of the others becomes a variable. Terms are numbered as
// they are made, in the order of the sweep, so the youngest are those of the segment before
// the claim: from the last cut point, if it is near.
//
// # Soundness
//
// Each model of a claim, with the facts, is one of its piece: give each variable
// the value of the term that it stands for. So a claim whose piece has no model has
// none. A model of a piece means nothing: the claim is asked about again with a
// piece four times as big, and in the end with all others and the whole program, as if
// there were no pieces. What is kept is thus a matter of cost alone.
//
// # Cost
//
// Pieces have a bounded size and are asked about in groups of a bounded size, each with a
// term store and a solver of its own: the cost is linear in the number of claims, as long
// as few need more.

// Limits of pieces.
const (
	fewClaims      = 8      // are not worth pieces
	smallFormula   = 600    // terms; formulas up to that are asked about as a whole
	middleFormula  = 20_000 // and up to that, as a whole first
	wholeTime      = 5 * time.Second
	wholeConflicts = 20_000
	groupTerms     = 1_500 // of a group of pieces
	pieceConflicts = 2_000 // of a question
	pieceFacts     = 64    // of a piece
	vain           = 12    // questions about a group without success, after which it is left
)

// pieceSizes are the numbers of terms that are kept, one after the other.
var pieceSizes = []int{50, 200, 800, 3_200}

// inPieces drops the claims that pieces decide.
func (c *checker) inPieces() error {
	sizes := c.o.pieces
	if len(c.claims) == 0 || sizes == nil && len(c.claims) < fewClaims {
		return nil
	}
	conds := make([]term.ID, len(c.claims))
	for i, x := range c.claims {
		conds[i] = x.cond
	}
	total := c.termsOf(conds)
	if sizes == nil {
		if sizes = pieceSizes; total <= smallFormula {
			return nil
		}
		if total <= middleFormula {
			if settled, err := c.atOnce(conds); settled || err != nil {
				return err
			}
		}
	}
	c.facts = append(c.facts, c.sp.Facts()...)
	p := &pieces{c: c, about: map[term.ID][]term.ID{}}
	for _, f := range c.facts {
		for _, v := range c.st.Vars(f) {
			p.about[v] = append(p.about[v], f)
		}
	}
	fruitless := 0
	for _, size := range sizes {
		before := len(c.claims)
		left, err := p.round(c.claims, size)
		if err != nil {
			return err
		}
		c.claims = left
		if before-len(left) <= before/20 {
			fruitless++
		}
		if len(left) == 0 || fruitless == 2 && c.o.pieces == nil {
			break // most claims need more than pieces have
		}
	}
	return nil
}

// termsOf is the number of terms of some conditions.
func (c *checker) termsOf(conds []term.ID) (n int) {
	c.st.Walk(conds, func(term.ID) { n++ })
	return n
}

// whole are the ways of asking about all claims.
var whole = []attempt{
	{proof: true, conflicts: soonConflicts, time: wholeTime},
	linear,
	{proof: true, conflicts: wholeConflicts, time: wholeTime},
}

// atOnce asks about all claims together, shortly: it drops them if none can fail. They are settled as well if one can,
// in a model that is right of memory: that is no matter of pieces.
func (c *checker) atOnce(conds []term.ID) (settled bool, err error) {
	if float, _, _ := c.contents(conds); float || c.o.Engine == Z3 {
		return false, nil
	}
	some := c.st.OrAll(conds...)
	for {
		c.facts = append(c.facts, c.sp.Facts()...)
		roots := append(c.facts[:len(c.facts):len(c.facts)], some)
		if c.byFunctions(roots, functionsSoon[:1]) || c.dividesByConstants(roots) && c.refutedOverIntegers(roots) || c.byFunctions(roots, functionsSoon[1:]) {
			c.claims = nil
			return true, nil
		}
		var status smt.Status
		for _, a := range whole {
			if status, err = c.try(a, roots); c.ctx.Err() != nil || err == nil && status != smt.Unknown {
				break
			}
		}
		switch {
		case c.ctx.Err() != nil:
			return false, c.ctx.Err()
		case err != nil || status == smt.Unknown:
			return false, nil
		case status == smt.Unsat:
			c.claims = nil
			return true, nil
		case !c.sp.Correct(c.solver.Value):
			return true, nil
		}
	}
}

// pieces is the work on the claims of a checker.
type pieces struct {
	c     *checker
	about map[term.ID][]term.ID // facts by their variables
}

// round asks about all claims with pieces of one size, and gives those that are left. The
// groups are independent: all processors work on them.
func (p *pieces) round(claims []claim, size int) (left []claim, err error) {
	var groups []*group
	for i := 0; i < len(claims); {
		g := p.newGroup(size)
		for begin := i; i < len(claims) && (i == begin || (i-begin)*size < groupTerms); i++ {
			g.claims = append(g.claims, claims[i])
		}
		groups = append(groups, g)
	}
	// With the first group in vain the others are left, too.
	groups[0].decide()
	hopeless := groups[0].err == nil && len(groups) > 1 && p.c.o.pieces == nil && !slices.Contains(groups[0].open, false)
	next := make(chan *group, len(groups))
	for _, g := range groups[1:] {
		if hopeless {
			g.leave()
		} else {
			next <- g
		}
	}
	close(next)
	workers := min(runtime.GOMAXPROCS(0), len(groups))
	if work.Counted(p.c.ctx) {
		workers = 1
	}
	var wait sync.WaitGroup
	var failed atomic.Pointer[any]
	for range workers {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failed.CompareAndSwap(nil, &p)
				}
			}()
			for g := range next {
				if failed.Load() == nil {
					g.decide()
				}
			}
		})
	}
	wait.Wait()
	if p := failed.Load(); p != nil {
		panic(*p)
	}
	for _, g := range groups {
		if g.err != nil {
			return nil, g.err
		}
		p.c.inParts = p.c.inParts || g.decided
		for i, x := range g.claims {
			if g.open[i] {
				left = append(left, x)
			}
		}
	}
	return left, nil
}

// group are the pieces of some claims, in a store of their own.
type group struct {
	*pieces
	size   int
	claims []claim
	st     *term.Store
	stands map[term.ID]term.ID // for terms that were cut off
	conds  []term.ID
	facts  []term.ID
	told   map[term.ID]bool
	// open says which claims are; decided that a solver excluded some. err is the context's.
	open    []bool
	decided bool
	asked   int // questions to the solver
	err     error
}

func (p *pieces) newGroup(size int) *group {
	st := term.NewStore()
	if p.c.o.Strict {
		st = term.NewPlainStore()
	}
	return &group{pieces: p, size: size, st: st, stands: map[term.ID]term.ID{}, told: map[term.ID]bool{}}
}

// add makes the piece of a claim, with the facts about its variables.
func (g *group) add(cond term.ID) {
	kept := g.youngest(cond, g.size)
	g.conds = append(g.conds, g.copy(cond, kept))
	n := 0
	for _, t := range kept {
		for _, f := range g.about[t] {
			if n < pieceFacts && !g.told[f] {
				g.told[f] = true
				n++
				g.facts = append(g.facts, g.copy(f, g.youngest(f, g.size)))
			}
		}
	}
}

// youngest are the youngest terms below a term, at most so many, in ascending order.
func (g *group) youngest(root term.ID, most int) (kept []term.ID) {
	st := g.c.st
	queue := &recent{in: map[term.ID]bool{}}
	queue.push(root)
	for len(queue.heap) > 0 && len(kept) < most {
		t := queue.pop()
		if g.opaque(t) {
			continue
		}
		kept = append(kept, t)
		for i := range st.NumArgs(t) {
			queue.push(st.Arg(t, i))
		}
	}
	slices.Reverse(kept)
	return kept
}

// opaque says that a term is always cut off: floating-point operations are decided with
// all others, in ways of their own.
func (g *group) opaque(t term.ID) bool { return g.c.isFloat(t) }

// copy is a term with those below it that are kept; they are in ascending order, so
// arguments come first.
func (g *group) copy(root term.ID, kept []term.ID) term.ID {
	image := make(map[term.ID]term.ID, len(kept))
	of := func(t term.ID) term.ID {
		if x, ok := image[t]; ok {
			return x
		}
		return g.standIn(t)
	}
	for _, t := range kept {
		image[t] = g.st.CopyNode(g.c.st, t, of, g.standIn)
	}
	return of(root)
}

// standIn is what stands for a term that is not kept: itself, if it is a constant.
func (g *group) standIn(t term.ID) term.ID {
	if x, ok := g.stands[t]; ok {
		return x
	}
	var x term.ID
	switch from := g.c.st; from.Op(t) {
	case term.OpTrue, term.OpFalse, term.OpConst:
		x = g.st.CopyNode(from, t, nil, nil)
	default:
		x = g.st.Fresh("piece", from.Sort(t))
	}
	g.stands[t] = x
	return x
}

// decide says of each claim whether it is open.
func (g *group) decide() {
	for _, x := range g.claims {
		g.add(x.cond)
	}
	g.open = make([]bool, len(g.conds))
	g.sample()
	var asked []int
	for i, t := range g.conds {
		if !g.open[i] && !g.st.IsFalse(t) {
			asked = append(asked, i)
		}
	}
	g.err = g.search(asked)
}

// leave decides nothing.
func (g *group) leave() {
	g.open = slices.Repeat([]bool{true}, len(g.claims))
}

// search looks for claims that are open among some: those that are true in a model of
// any, then in each half of the rest.
func (g *group) search(asked []int) error {
	if g.asked > vain && !g.decided {
		for _, i := range asked {
			g.open[i] = true
		}
		return nil
	}
	if len(asked) == 0 {
		return nil
	}
	g.asked++
	some := g.st.False()
	for _, i := range slices.Backward(asked) {
		some = g.st.Or(g.conds[i], some)
	}
	holds, err := g.ask(some)
	if err != nil {
		return err
	}
	if holds == nil {
		g.decided = true
		return nil
	}
	before := len(asked)
	asked = slices.DeleteFunc(asked, func(i int) bool {
		g.open[i] = holds(g.conds[i])
		return g.open[i]
	})
	if before == 1 { // it was too hard
		for _, i := range asked {
			g.open[i] = true
		}
		return nil
	}
	half := len(asked) / 2
	if err := g.search(slices.Clone(asked[:half])); err != nil {
		return err
	}
	return g.search(asked[half:])
}

// samples is the number of assignments that are tried before a solver is asked.
const samples = 12

// sample finds claims that are open by evaluating them.
func (g *group) sample() {
	for seed := range uint64(samples) {
		random := rand.New(rand.NewPCG(seed, 1))
		e := term.NewEvaluator(g.st, func(v term.ID) (bv.BV, bool) {
			if w := g.st.Sort(v).Width; g.st.Sort(v).Kind == term.SortBV && w <= 64 {
				return bv.New(w, random.Uint64()>>random.IntN(64)), true
			}
			return bv.New(1, min(1, random.Uint64N(8))), g.st.Sort(v).Kind == term.SortBool
		})
		if slices.ContainsFunc(g.facts, func(f term.ID) bool { return !e.Bool(f) }) {
			continue
		}
		for i, t := range g.conds {
			g.open[i] = g.open[i] || e.Bool(t)
		}
	}
}

// ask decides whether some can hold; if so, holds says what else does then. It
// says nothing of anything if that was too hard to decide.
func (g *group) ask(some term.ID) (holds func(term.ID) bool, err error) {
	c := g.c
	var solver smt.Solver
	if c.o.Engine == Z3 {
		solver = bitblast.New(g.st, bitblast.Options{Lower: floats.Lower})
	} else {
		solver = z3.New(g.st, z3.Options{OneShot: true, Circuits: true})
	}
	defer solver.Close()
	for _, f := range append(g.facts, some) {
		solver.Assert(f)
	}
	solver.SetConflictLimit(pieceConflicts)
	status, err := solver.Check(c.ctx)
	switch {
	case c.ctx.Err() != nil:
		return nil, c.ctx.Err()
	case status == smt.Unsat:
		return nil, nil
	case err != nil:
		return func(term.ID) bool { return false }, nil
	}
	held := map[term.ID]bool{}
	for _, t := range g.conds {
		held[t] = solver.Value(t).IsTrue()
	}
	return func(t term.ID) bool { return held[t] }, nil
}

// recent is a queue of terms, the youngest first, each once.
type recent struct {
	heap []term.ID
	in   map[term.ID]bool
}

func (q *recent) push(t term.ID) {
	if q.in[t] {
		return
	}
	q.in[t] = true
	i, _ := slices.BinarySearchFunc(q.heap, t, func(x, t term.ID) int { return cmp.Compare(x, t) })
	q.heap = slices.Insert(q.heap, i, t)
}

func (q *recent) pop() term.ID {
	t := q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	return t
}
