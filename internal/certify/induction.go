package certify

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file checks certificates of k-induction with invariants [2LS §2.1]: K,
// and predicates for loop heads.
//
// # What is encoded
//
// The sweep of machine.go, with every loop cut at its head. When the sweep
// arrives at a loop with the state s, it makes a truth value, the selector, and
// goes into the loop with the state "s, or if selected, any" (cut.go): s on what
// the loop does not change, arbitrary on the rest. It sweeps the body K+1 times,
// visits 0 to K of the head; the last back edges lead nowhere.
//
// The place under way is early if some execution of a loop around it, in this
// activation or in a caller, is selected and not in its visit K. A bad event is
//
//	(V) a violation of a target for which something is claimed, or
//	(P) a visit of a loop head at which a predicate of the head is false, or
//	(O) an obstacle: an instruction or a call that has no meaning here.
//
// A certificate is accepted iff no bad event is possible but at early places,
// and no uncovered place is possible at all. On the way it is assumed
//
//	(1) after an event (P), or an early one of (V), that it did not happen,
//	(2) where a loop is left before visit K, that it was not selected.
//
// # Soundness
//
// Suppose some run has a bad event. Take the first one in the order of time. We
// follow the run in the encoding up to it, and choose the selectors so that the
// event is not early. Each execution of a loop that the run begins before the event
// has, up to its end or to the event, some number N of back edges taken. If
// N < K it is not selected, and its visits 0 to N are laid out. If N >= K it is
// selected, and its arbitrary state is that of the run after N-K back edges; its
// iterations before are skipped, the last ones are visits 0 to K. Then:
//
//	(a) Each state of a skipped place is one of "arbitrary", for which three
//	    things are needed: by (b) it is s on what the loop does not change; the
//	    values that the head is given are phis, or were made before the loop (compare
//	    checks that they come back unchanged); what of memory is arbitrary can be
//	    anything it was (cut.go).
//	(b) What an iteration changes is found by encoding it: the state at the back
//	    edges of visit 0 is compared with the one at the head, and everything
//	    that is not the same term is added to what is arbitrary; then the whole
//	    program is encoded again, with all new terms, until nothing is added. In
//	    the last encoding, visit 0 begins in s with the arbitrary rest, and ends in
//	    such a state. So by induction over the back edges of the run, all states at
//	    the head are such, if no assumption excludes them; see (c).
//	(c) The assumptions hold in the run. Those of (1): before the first bad
//	    event there is none, but excluded violations if the run goes on after
//	    them; these are not assumed. This includes those of (b), for its
//	    iterations are completed before the event. Those of (2): an execution that
//	    is left has N < K and is not selected, or is selected and left in visit K.
//	(d) The event is not early: every execution of a loop around it has N < K
//	    and is not selected, or N >= K and is in visit K.
//	(e) An uncovered place would be met, too: what is reported as such covers
//	    all runs that take the path to it, early or not.
//
// So the event is at a place that is not early, and the condition of its claim
// holds: the certificate is not accepted. No step depends on how the engine
// found the certificate, nor on an analysis made before the encoding.
//
// # What is not certifiable
//
// Loops with several entries, and loops and recursions (recursion.go) in which an
// iteration leaves an object alive that it made, moves a pointer to another
// object, or writes pointers (of other objects than before) to memory that
// lives longer. These are ErrIncomplete, where a run gets there.
//
// An ErrRejected of an induction says that the induction does not go through.
// There may be no such run: what is arbitrary here may be more than what the
// engine took into account.

// maxRounds bounds the number of encodings; each finds something that changes.
const maxRounds = 1000

// Induction checks a certificate of k-induction: with K and the predicates of
// the loop heads, no run violates a target. The string names who accepted.
//
// The error is nil, the context's, an ErrRejected or an ErrIncomplete.
func Induction(ctx context.Context, m *ir.Module, o Options, cert *verdict.Induction) (checker string, err error) {
	entry := m.Func(m.Entry)
	if entry == nil || entry.IsDecl() {
		return "", ErrIncomplete{Why: fmt.Sprintf("the entry function %q has no body", m.Entry)}
	}
	parts := cert.K == 0 && len(cert.Contracts) > 0
	ind, err := newInduction(m, cert, parts)
	if err != nil {
		return "", err
	}
	if parts {
		checker, err := ind.inParts(ctx, m, o, entry)
		if err == nil && o.Strict {
			observe(ctx, m, o.Targets, cert)
		}
		return checker, err
	}
	for range maxRounds {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if done, checker, err := ind.round(ctx, m, o, entry); done || err != nil {
			if err == nil && o.Strict {
				observe(ctx, m, o.Targets, cert)
			}
			return checker, err
		}
	}
	return "", ErrIncomplete{Why: fmt.Sprintf("what the loops change is not known after %d encodings", maxRounds)}
}

// induction is what outlives one encoding: the certificate, and what loops change.
type induction struct {
	k          int
	predicates map[headKey][]invariant.Predicate
	clauses    map[headKey][]clauses
	// contexts number the call strings; 0 is that of the entry function.
	contexts map[contextKey]int32
	// changes are what the loops change, grew says that this encoding added to it.
	changes map[loopKey]map[site]*change
	moves   map[moveKey]aims // of pointers at loop heads
	grew    bool
	// See recursion.go.
	depth      int
	contracts  map[*ir.Func]invariant.Contract
	components map[*ir.Func]int
	nests      map[nestKey]map[site]*change
	origins    map[originKey]origin
	// See parts.go.
	summaries map[*ir.Func]*summary
	body      *ir.Func
	used      map[*ir.Func]int
	// endless is set if the claim is that no run ends; see endless.go.
	endless *fixedInputs
	// ranges says that some predicate is quantified.
	ranges bool
	// algebraic says that equations between products are to be calculated with; see algebra.go.
	algebraic bool
}

type headKey struct {
	f    string
	head ir.BlockID
}

// contextKey is a call in a context.
type contextKey struct {
	caller int32
	call   ir.Value
	callee *ir.Func
}

// round is one encoding. It is done if nothing was found that loops change
// beyond what was known.
func (ind *induction) round(ctx context.Context, m *ir.Module, o Options, entry *ir.Func) (done bool, checker string, err error) {
	c := newChecker(ctx, m, o, nil)
	defer c.close()
	c.induction, ind.grew = ind, false
	if err := c.unwind(entry); err != nil || ind.grew {
		return false, "", err
	}
	c.assumeIndexed()
	if ind.k == 0 {
		checker, err = c.judgeByVisits()
	} else {
		checker, err = c.judge()
	}
	return true, checker, err
}

// newInduction takes over a certificate, if it has the right form; parts says that functions are parts of
// the proof.
func newInduction(m *ir.Module, cert *verdict.Induction, parts bool) (*induction, error) {
	wrong := func(format string, args ...any) (*induction, error) {
		return nil, ErrIncomplete{Why: "the certificate has not the right form: " + fmt.Sprintf(format, args...)}
	}
	if cert.K < 0 {
		return wrong("k is %d", cert.K)
	}
	ind := &induction{
		k: cert.K, predicates: map[headKey][]invariant.Predicate{}, clauses: map[headKey][]clauses{},
		contexts: map[contextKey]int32{}, changes: map[loopKey]map[site]*change{}, moves: map[moveKey]aims{},
		contracts: map[*ir.Func]invariant.Contract{}, nests: map[nestKey]map[site]*change{}, origins: map[originKey]origin{},
	}
	ind.algebraic = cert.Algebraic
	if why := ind.takeContracts(m, cert.Depth, cert.Contracts, parts); why != "" {
		return wrong("%s", why)
	}
	if cert.K == 0 && len(ind.components) > 0 {
		return wrong("k is 0, and there are recursive functions")
	}
	for _, h := range cert.Heads {
		f := m.Func(h.Func)
		if f == nil || f.IsDecl() || h.Head < 1 || int(h.Head) >= len(f.Blocks) {
			return wrong("%s has no block %d", h.Func, h.Head)
		}
		dom := ir.Dominators(f)
		if !dom.Reachable(h.Head) {
			continue
		}
		if !newForest(f).isHead(h.Head) {
			return wrong("block %d of %s is no loop head", h.Head, h.Func)
		}
		for _, p := range h.Predicates {
			if why := illFormed(m, f, dom, h.Head, p); why != "" {
				return wrong("block %d of %s: %s", h.Head, h.Func, why)
			}
			_, ranged := p.(invariant.ForAll)
			ind.ranges = ind.ranges || ranged
		}
		k := headKey{h.Func, h.Head}
		if why := illFormedClauses(m, f, dom, &h); why != "" {
			return wrong("block %d of %s: %s", h.Head, h.Func, why)
		}
		if parts && len(h.Calls) > 0 {
			return wrong("clauses of a call string, and functions are parts")
		}
		if len(h.Calls) > 0 && len(h.Clauses)+len(h.Formulas) > 0 && len(ind.components) > 0 {
			// Of call strings through a recursion only the early ones are laid out.
			for _, x := range append([]invariant.Call{{Func: h.Func}}, h.Calls...) {
				if ind.components[m.Func(x.Func)] != 0 {
					return wrong("clauses of a call string through the recursive function %s", x.Func)
				}
			}
		}
		if len(h.Clauses)+len(h.Formulas) > 0 {
			ind.clauses[k] = append(ind.clauses[k], clauses{h.Calls, h.Clauses, h.Formulas})
		}
		ind.predicates[k] = append(ind.predicates[k], h.Predicates...)
	}
	return ind, nil
}

func (l *forest) isHead(b ir.BlockID) bool {
	for r := l.in[b]; r != nil && r.outer != nil; r = r.outer {
		if r.head == b {
			return true
		}
	}
	return false
}

// illFormed says what is wrong with a predicate, if anything is.
func illFormed(m *ir.Module, f *ir.Func, dom *ir.DomTree, head ir.BlockID, p invariant.Predicate) (wrong string) {
	if why := wrongForm(p); why != "" {
		return why
	}
	elements, index := false, false // may be terms
	switch p := p.(type) {
	case invariant.ForAll:
		if why := illFormedRange(p, m.PointerBits); why != "" {
			return why
		}
		elements, index = true, true
	case *invariant.SumEquation:
		elements = true
	}
	p.Each(func(t invariant.Term) {
		switch {
		case t.Square && !t.Index:
			wrong = "a square of what is no index"
			return
		case t.Index && index:
			return
		case t.Index || t.Stride != 0 && (!elements || !t.Cell):
			wrong = "an element without a range"
			return
		case t.Global != "":
			if elements || t.Cell || t.Old || t.Up != 0 || t.Float || t.Value != 0 || !inGlobal(m, t) {
				wrong = "a summand is not in a global " + t.Global
			}
			return
		case t.Value < 1 || int(t.Value) >= len(f.Values):
			wrong = fmt.Sprintf("there is no value %d", t.Value)
			return
		}
		d := &f.Values[t.Value]
		switch {
		case t.Up != 0:
			wrong = "a summand is a value of a caller"
		case t.Bits < 1 || t.Bits > 64:
			wrong = fmt.Sprintf("a summand has %d bits", t.Bits)
		case t.Cell && d.Type.Kind != ir.Ptr:
			wrong = fmt.Sprintf("value %d is no pointer", t.Value)
		case t.Float && (t.Stride != 0 || !t.Cell && d.Type != ir.FloatType(t.Bits)):
			wrong = fmt.Sprintf("value %d is no float of %d bits", t.Value, t.Bits)
		case !t.Float && !t.Cell && d.Type != ir.IntType(t.Bits):
			wrong = fmt.Sprintf("value %d is no integer of %d bits", t.Value, t.Bits)
		case d.Block == head && d.Op != ir.Phi || d.Block != head && d.Block != 0 && !dom.Dominates(d.Block, head):
			wrong = fmt.Sprintf("value %d is not defined at the head", t.Value)
		}
	})
	return wrong
}

// wrongForm says what is wrong with a predicate as such.
func wrongForm(p invariant.Predicate) string {
	switch p := p.(type) {
	case invariant.Comparison:
		return wrongComparison(p)
	case invariant.Order:
		return p.IllFormed()
	case invariant.Guarded:
		for _, c := range p.If {
			if why := wrongComparison(c); why != "" {
				return why
			}
		}
		return wrongForm(p.Then)
	case invariant.ForAll:
		return wrongComparison(p.Body)
	case *invariant.Polynomial:
		return p.IllFormed()
	case *invariant.SumEquation:
		return p.IllFormed()
	}
	return invariant.Unexpected(p)
}

// wrongComparison says what is wrong with a comparison as such.
func wrongComparison(p invariant.Comparison) string {
	switch {
	case p.Bound == nil:
		return "a predicate has no bound"
	case p.Relation > invariant.Congruent:
		return "a predicate has an unknown relation"
	case slices.ContainsFunc(p.Terms, func(t invariant.Term) bool { return t.Float }):
		return "a summand is a float"
	}
	return ""
}

// context numbers the call string of an activation.
func (ind *induction) context(caller int32, call ir.Value, callee *ir.Func) int32 {
	k := contextKey{caller, call, callee}
	n, ok := ind.contexts[k]
	if !ok {
		n = int32(len(ind.contexts)) + 1
		ind.contexts[k] = n
	}
	return n
}

// selected is an execution of a loop that was cut.
type selected struct {
	// selector says that the execution began in an arbitrary state, skipped that
	// it did and is not in its last visit.
	selector, skipped term.ID
	// outer and early say that the place around the loop is early, and the one in it.
	outer, early term.ID
	// mem and values are the state at visit 0.
	mem    *memory.State
	values []value
}

// early says that what happens now in a frame need not be excluded.
func (fr *frame) early() term.ID { return fr.sweeps[len(fr.sweeps)-1].early }

// enterLoop begins an execution of a loop at which the edges have arrived.
func (c *checker) enterLoop(fr *frame, r *region, edges []edge) {
	for _, b := range r.entries {
		fr.arrivals[b] = nil
	}
	if len(r.entries) != 1 || r.entries[0] != r.head {
		c.claim(uncovered, fr, c.either(edges), c.blockValue(fr.fn, r.head), "a loop with several entries")
		return
	}
	in := c.join(edges)
	if c.st.IsFalse(in.guard) {
		return
	}
	s := sweep{region: r, at: -1, entered: in.guard}
	if c.induction.k == 0 {
		c.enterCut(fr, s, in)
		return
	}
	s.selector, s.outer = c.st.Fresh("selected", term.Bool()), fr.early()
	s.early = s.outer // so far
	in = c.forget(fr, r.head, s.selector, in)
	fr.sweeps = append(fr.sweeps, s)
	c.visit(fr, in)
}

// nextVisit goes on with the edges that have come back to the head.
func (c *checker) nextVisit(fr *frame, edges []edge) {
	s := &fr.sweeps[len(fr.sweeps)-1]
	in := c.join(edges)
	if s.count == 1 {
		c.compare(fr, s, in)
	}
	if c.induction.k == 0 {
		c.claimPredicates(fr, s.region.head, in)
	} else if s.count <= c.induction.k {
		c.visit(fr, in)
	}
}

// visit goes through the head of the innermost loop: its predicates are claimed
// or assumed.
func (c *checker) visit(fr *frame, in edge) {
	st := c.st
	s := &fr.sweeps[len(fr.sweeps)-1]
	s.skipped = s.selector
	if s.count == c.induction.k {
		s.skipped = st.False()
	}
	s.early = st.Or(s.outer, s.skipped)
	head := s.region.head
	for i, p := range c.induction.predicates[headKey{fr.fn.f.Name, head}] {
		var t term.ID
		if all, ok := p.(invariant.ForAll); ok {
			t = c.quantified(fr, head, in, all)
		} else {
			t = c.predicate(fr, head, in, p)
		}
		c.claim(violation, fr, st.And(in.guard, st.Not(t)), c.blockValue(fr.fn, head), "invariant: predicate %d of the loop head does not hold", i+1)
		in.guard = st.And(in.guard, t)
	}
	in.guard = c.visitClauses(fr, head, in)
	if s.count == 0 {
		s.mem, s.values = in.mem.Fork(), in.values
	}
	fr.arrivals[head] = append(fr.arrivals[head], in)
	s.at = -1
}

// predicate says whether a predicate of a head holds of a way into it; quantified is for
// those with a range. A predicate of memory that is not there holds, and so it does as a
// condition.
func (c *checker) predicate(fr *frame, head ir.BlockID, in edge, p invariant.Predicate) term.ID {
	if e, ok := p.(*invariant.SumEquation); ok {
		return c.elementSums(fr, head, in, e)
	}
	return c.holds(p, func(t invariant.Term) (bits, valid term.ID) {
		if t.Global != "" {
			return c.ofGlobal(fr, in.mem, t, c.blockValue(fr.fn, head), in.guard)
		}
		x := c.atHead(fr, head, in, t.Value)
		if t.Cell {
			return c.cellAtHead(fr, head, in, x.Value, t)
		}
		return x.Bits, c.st.True()
	})
}

// operand gives the bits of a term, and whether it is there.
type operand func(t invariant.Term) (bits, valid term.ID)

// holds says whether a predicate without elements holds.
func (c *checker) holds(p invariant.Predicate, of operand) term.ID {
	st := c.st
	switch p := p.(type) {
	case invariant.Comparison:
		values, there := c.operands(p.Terms, of)
		return st.Implies(there, c.byCases(values, func(values []term.ID) term.ID { return c.relation(p, values) }))
	case invariant.Order:
		values, there := c.operands(p.Terms, of)
		return st.Implies(there, c.order(p, values))
	case invariant.Guarded:
		applies := st.True()
		for _, x := range p.If {
			applies = st.And(applies, c.holds(x, of))
		}
		return st.Implies(applies, c.holds(p.Then, of))
	case *invariant.Polynomial:
		return c.polynomial(p, of)
	}
	panic(invariant.Unexpected(p))
}

// operands are the bits of terms, and whether all of them are there.
func (c *checker) operands(terms []invariant.Term, of operand) (values []term.ID, there term.ID) {
	values, there = make([]term.ID, len(terms)), c.st.True()
	for i, t := range terms {
		var valid term.ID
		values[i], valid = of(t)
		there = c.st.And(there, valid)
	}
	return values, there
}

// maxCases bounds the cases in which a predicate is looked at.
const maxCases = 150

// order compares floats: nothing holds of a NaN.
func (c *checker) order(p invariant.Order, values []term.ID) term.ID {
	st := c.st
	side := func(i int) term.ID {
		if i < 0 {
			return st.Const(p.FloatBound())
		}
		return values[i]
	}
	x, y, strict := p.Ordered()
	if strict {
		return st.FLt(side(x), side(y))
	}
	return st.FLe(side(x), side(y))
}

// relation compares the sum of a comparison, in a width in which it does not wrap.
func (c *checker) relation(p invariant.Comparison, values []term.ID) term.ID {
	st := c.st
	// No sum of some of the summands, nor its difference to the bound or the
	// modulus, is greater than most.
	most := new(big.Int).Abs(p.Bound)
	if p.Relation == invariant.Congruent {
		most.Add(most, p.Mod())
	}
	for _, t := range p.Terms {
		// A summand of coefficient 0 needs its width, too.
		weight := new(big.Int).Abs(big.NewInt(t.Coeff))
		most.Add(most, weight.Lsh(weight.Add(weight, big.NewInt(1)), uint(t.Bits)))
	}
	w := uint32(most.BitLen()) + 2
	sum := c.integer(w, new(big.Int).Neg(p.Bound))
	for i, t := range p.Terms {
		bits := values[i]
		if t.Signed {
			bits = st.SExt(bits, w)
		} else {
			bits = st.ZExt(bits, w)
		}
		sum = st.Add(sum, st.Mul(c.integer(w, big.NewInt(t.Coeff)), bits))
	}
	switch p.Relation {
	case invariant.AtMost:
		return st.SLe(sum, st.ConstU(w, 0))
	case invariant.NotEqual:
		return st.Not(st.Eq(sum, st.ConstU(w, 0)))
	}
	m := p.Mod()
	if n := uint32(m.TrailingZeroBits()); m.BitLen() == int(n)+1 { // a power of two
		if n == 0 {
			return st.True()
		}
		// Modulo 2^n the bits above do not matter: the sum is one of n bits.
		sum = st.Const(bv.FromBig(n, new(big.Int).Neg(p.Bound)))
		for i, t := range p.Terms {
			bits := values[i]
			switch {
			case t.Bits > n:
				bits = st.Extract(bits, n-1, 0)
			case t.Signed:
				bits = st.SExt(bits, n)
			default:
				bits = st.ZExt(bits, n)
			}
			sum = st.Add(sum, st.Mul(st.Const(bv.FromBig(n, big.NewInt(t.Coeff))), bits))
		}
		return st.Eq(sum, st.ConstU(n, 0))
	}
	return st.Eq(st.SRem(sum, c.integer(w, m)), st.ConstU(w, 0))
}

// integer is a number in two's complement.
func (c *checker) integer(w uint32, n *big.Int) term.ID {
	return c.st.Const(bv.FromBig(w, n))
}

// atHead is a value on a way into a head.
func (c *checker) atHead(fr *frame, head ir.BlockID, in edge, v ir.Value) value {
	fn := fr.fn
	if fn.isConstant[v] {
		return fn.constants[v]
	}
	for i, p := range fn.phis[head] {
		if p == v {
			return in.values[i]
		}
	}
	for i, s := range fn.live[head] {
		if s == v {
			return in.values[len(fn.phis[head])+i]
		}
	}
	if fr.stamp[v] != always {
		panic("certify: a value of a predicate of " + fn.f.Name + " is not carried to the loop head")
	}
	return fr.env[v]
}

// cellAtHead reads the integer of a summand.
func (c *checker) cellAtHead(fr *frame, head ir.BlockID, in edge, p memory.Value, t invariant.Term) (bits, valid term.ID) {
	n := (t.Bits + 7) / 8
	if _, ok := c.st.ConstUint64(p.Object); !ok {
		c.claim(uncovered, fr, in.guard, c.blockValue(fr.fn, head), "a predicate of a loop head reads through a pointer")
		return c.st.ConstU(t.Bits, 0), c.st.True()
	}
	x, valid := in.mem.Load(c.key(0), c.sp.Add(p, c.word(t.Offset)), n, false, in.guard)
	c.gaveUpAt(fr, c.blockValue(fr.fn, head), in.guard)
	return c.st.Extract(x.Bits, t.Bits-1, 0), valid
}

// ofPredicates lists, for each loop head of a function, the values of its
// predicates that must be carried there.
func (c *checker) ofPredicates(f *ir.Func) map[ir.BlockID][]ir.Value {
	if c.induction == nil {
		return nil
	}
	values := map[ir.BlockID][]ir.Value{}
	c.ofClauses(f, values)
	for k, ps := range c.induction.predicates {
		if k.f != f.Name {
			continue
		}
		for _, p := range ps {
			p.Each(func(t invariant.Term) {
				if b := f.Values[t.Value].Block; b != 0 && b != k.head {
					values[k.head] = append(values[k.head], t.Value)
				}
			})
		}
	}
	return values
}
