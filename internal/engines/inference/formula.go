package inference

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/logic/floats/ondemand"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/algebra"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
	"assay/internal/transform/cut"
)

// This file is the one incremental instance of a k: the formula of the cut
// program, encoded once, and what is assumed and asked about it. A predicate is
// added at any time, with a flag [2LS §5.1.1] that switches on, where it is set,
//
//	(F1) that it holds at the early visits of its loop head.
//
// Broken is the condition that it fails at a visit that is not early. The same
// for what the property excludes. An assertion of (F1) speaks about a whole run,
// though it may only strengthen what comes after: a run that violates something
// at a place that is not early need not make any later loop arbitrary, so later
// visits need not be early, and the assertions say nothing about them.

// visit is a visit of a loop head.
type visit struct {
	guard, early term.ID
	values       []term.ID // by place of the loop
	// bases are the pointers to arrays, mem the state, if predicates have ranges.
	bases []memory.Value
	mem   *memory.State
}

// claim is something that the property excludes, at one place of the cut
// program.
type claim struct {
	cond, early term.ID
	key         verdict.Site
	guard       verdict.Guard
}

// rule is a predicate in the formula.
type rule struct {
	cut.Candidate
	flag, broken term.ID
	// uses are the rules that exclude that this one breaks, if holds.
	uses  []*rule
	holds bool
}

// formula is the instance for one k.
type formula struct {
	m      *ir.Module
	places map[*cut.Loop][]cut.Place
	stats  *Stats

	st     *term.Store
	solver *ondemand.Solver
	u      *ssa.Unwinder
	f      *ssa.Formula
	visits map[*cut.Loop][]visit
	claims []claim
	// excluded are the flags of the claims, by property: what happened early
	// did not happen. held are the properties that are assumed early, all to begin
	// with. stuck is that the encoding does not cover a run.
	excluded map[verdict.Site]term.ID
	held     []verdict.Site
	stuck    term.ID
	// flags are all flags of rules: those that are not switched on are off.
	flags []term.ID
	// products are the operations that are variables, nil if none is; see polynomials.go.
	products *algebra.Operations
	prefixes []prefix // see prefix.go
	rounds   int      // of lemmas
	instances
}

// newFormula encodes the program, cut for k; observed values are recorded at
// checks, by function, behind whether these are early. With algebraic, products are
// variables with lemmas.
func newFormula(ctx context.Context, m *ir.Module, o Options, k int, loops []*cut.Loop, places map[*cut.Loop][]cut.Place, bases map[*cut.Loop][]ir.Value, ranged []cut.Candidate, stats *Stats, observed map[string]map[ir.Value][]ir.Value, algebraic bool) (*formula, error) {
	targets := append(append([]ir.CheckKind(nil), o.Targets...), o.Disputed...)
	program, err := cut.Cut(m, loops, k, places, bases, targets, o.Label)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(program.Module); err != nil {
		panic("induction: the cut program is malformed: " + err.Error())
	}
	for name, checks := range observed {
		for check, values := range checks {
			program.Probes[name][check] = append(program.Probes[name][check], values...)
		}
	}
	st := term.NewStore()
	f := &formula{m: m, places: places, stats: stats, st: st, visits: map[*cut.Loop][]visit{}, excluded: map[verdict.Site]term.ID{}}
	f.u = ssa.New(program.Module, st, ssa.Options{Targets: targets, All: true, Label: o.Label, Probes: program.Probes, Memory: program.Memory})
	f.u.Default = k + 2
	if f.f, err = f.u.Encode(ctx); err != nil {
		return nil, err
	}
	f.solver = ondemand.NewSolver(st, func(lower func(*term.Store, term.ID) term.ID) smt.Solver {
		options := bitblast.Options{Lower: lower}
		if algebraic {
			f.products = algebra.New(st)
			options.Leave = f.products.Leave
		}
		return bitblast.New(st, options)
	})
	for _, t := range f.f.Facts {
		f.solver.Assert(t)
		f.watch(t)
	}
	for _, p := range f.f.Probes {
		if l := program.Heads[cut.Site{Function: p.Func, Value: p.Value}]; l != nil {
			v := visit{guard: p.Guard, early: st.BVToBool(p.Values[0].Bits)}
			n := 1 + len(places[l])
			for _, x := range p.Values[1:n] {
				v.values = append(v.values, x.Bits)
			}
			v.bases, v.mem = p.Values[n:], p.Mem
			f.visits[l] = append(f.visits[l], v)
		} else if program.Reads[p.Func][p.Value] {
			f.read(elementRead{at: p.Values[len(p.Values)-1]})
		}
	}
	f.loopBases = bases
	f.chooseIndex(ranged)
	for _, v := range f.f.Violations {
		pause.Wait(ctx)
		if ctx.Err() != nil {
			f.solver.Close()
			return nil, ctx.Err()
		}
		early := st.False()
		if v.Probe > 0 {
			b := f.f.Probes[v.Probe-1].Values[0].Bits
			early = st.Not(st.Eq(b, st.ConstU(8, 0)))
		}
		key := verdict.Site{Func: cut.Original(v.Guard.Func), Value: v.Value, Kind: v.Guard.Kind}
		if f.excluded[key] == 0 {
			f.excluded[key] = st.Fresh("property", term.Bool())
			f.held = append(f.held, key)
		}
		if !algebraic {
			v.Cond = st.ByCases([]term.ID{v.Cond}, maxCases, func(ts []term.ID) term.ID { return ts[0] })
		}
		f.claims = append(f.claims, claim{v.Cond, early, key, v.Guard})
		f.solver.Assert(st.Not(st.And(f.excluded[key], st.And(v.Cond, early))))
		f.watch(v.Cond)
	}
	f.stuck = st.False()
	for _, l := range f.f.Limits {
		f.stuck = st.Or(f.stuck, l.Cond)
	}
	for _, o := range f.f.Obstacles {
		if !o.OverApproximated {
			f.stuck = st.Or(f.stuck, o.Cond)
		}
	}
	return f, nil
}

func (f *formula) close() {
	if f.solver != nil {
		s := f.solver.Stats()
		f.stats.Checks += s.Checks
		f.stats.Conflicts += s.Conflicts
		f.stats.Clauses = s.Clauses
		f.solver.Close()
	}
}

// violated is that a property fails at a place that is not early.
func (f *formula) violated(key verdict.Site) term.ID {
	bad := f.st.False()
	for _, c := range f.claims {
		if c.key == key {
			bad = f.st.Or(bad, f.st.And(c.cond, f.st.Not(c.early)))
		}
	}
	return bad
}

// add puts a predicate into the formula.
func (f *formula) add(c cut.Candidate) *rule {
	if all, ok := c.Predicate.(invariant.ForAll); ok {
		return f.addRanged(c, all)
	}
	st := f.st
	r := &rule{Candidate: c, flag: st.Fresh("rule", term.Bool()), broken: st.False()}
	for _, v := range f.visits[c.Loop] {
		var holds term.ID
		if e, ok := r.Predicate.(*invariant.SumEquation); ok {
			exact := false
			if holds, exact = f.equationOfSums(c.Loop, e, &v); !exact {
				r.broken = st.Or(r.broken, v.guard)
				continue
			}
		} else {
			holds = f.holds(r.Predicate, c.Loop, &v)
		}
		f.watch(holds)
		f.assume(r.flag, v, holds)
		r.broken = st.Or(r.broken, f.fails(v, holds))
	}
	f.flags = append(f.flags, r.flag)
	return r
}

// assume asserts (F1) for one visit.
func (f *formula) assume(flag term.ID, v visit, holds term.ID) {
	st := f.st
	if early := st.And(v.guard, v.early); !st.IsFalse(early) {
		f.solver.Assert(st.Implies(st.And(flag, early), holds))
	}
}

// fails says that something does not hold at a visit that is not early.
func (f *formula) fails(v visit, holds term.ID) term.ID {
	return f.st.And(f.st.And(v.guard, f.st.Not(v.early)), f.st.Not(holds))
}

// given lists the assumptions that switch on these rules and no others, and the
// properties.
func (f *formula) given(on []*rule, properties []verdict.Site) []term.ID {
	is := make(map[term.ID]bool, len(on))
	for _, r := range on {
		is[r.flag] = true
	}
	ts := make([]term.ID, 0, len(f.flags)+len(properties))
	for _, flag := range f.flags {
		if is[flag] {
			ts = append(ts, flag)
		} else {
			ts = append(ts, f.st.Not(flag))
		}
	}
	for _, p := range properties {
		ts = append(ts, f.excluded[p])
	}
	return ts
}

func (f *formula) check(ctx context.Context, ts ...term.ID) (smt.Status, error) {
	return f.ask(ctx, f.solver.Check, ts)
}

// checkLoosely is check where a model only says what not to try: it may give floats
// other values than they have.
func (f *formula) checkLoosely(ctx context.Context, ts ...term.ID) (smt.Status, error) {
	return f.ask(ctx, f.solver.CheckLoosely, ts)
}

// checkByLemmas is the same with more work.
func (f *formula) checkByLemmas(ctx context.Context, ts ...term.ID) (smt.Status, error) {
	return f.ask(ctx, f.solver.CheckWithoutCircuits, ts)
}

func (f *formula) ask(ctx context.Context, check func(context.Context, ...term.ID) (smt.Status, error), ts []term.ID) (smt.Status, error) {
	f.watch(ts...)
	for round := 0; ; round++ {
		status, err := check(ctx, ts...)
		if err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return status, err
		}
		if status != smt.Sat {
			return status, nil
		}
		more := f.lemmas(round, ts)
		if f.u.Space().Correct(f.solver.Value) {
			more = append(more, f.u.Space().Facts()...)
		} else if len(more) == 0 {
			return status, nil
		}
		for _, t := range more {
			f.solver.Assert(t)
		}
	}
}

// isTrue evaluates a condition in the model.
func (f *formula) isTrue(t term.ID) bool { return f.solver.Value(t).IsTrue() }

// maxCases bounds the cases in which an equation is looked at.
const maxCases = 150

// isEquation says that a predicate is a congruence of several summands, maybe under conditions.
func isEquation(p invariant.Predicate) bool {
	switch p := p.(type) {
	case invariant.Guarded:
		return isEquation(p.Then)
	case invariant.Comparison:
		return p.Relation == invariant.Congruent && len(p.Terms) > 1
	}
	return false
}

// holds is a predicate about the values at a visit.
func (f *formula) holds(p invariant.Predicate, l *cut.Loop, v *visit) term.ID {
	places := f.places[l]
	if !isEquation(p) || f.products != nil {
		return f.inOneCase(p, places, v.values)
	}
	mentioned := make([]bool, len(places))
	p.Each(func(t invariant.Term) { mentioned[slices.Index(places, cut.PlaceOf(t))] = true })
	var used []cut.Place
	var values []term.ID
	for i, x := range places {
		if mentioned[i] {
			used, values = append(used, x), append(values, v.values[i])
		}
	}
	return f.st.ByCases(values, maxCases, func(values []term.ID) term.ID { return f.inOneCase(p, used, values) })
}

func (f *formula) inOneCase(p invariant.Predicate, places []cut.Place, values []term.ID) term.ID {
	return f.relation(p, func(t invariant.Term) term.ID {
		for i, x := range places {
			if x == cut.PlaceOf(t) {
				return values[i]
			}
		}
		panic("induction: a predicate speaks of a value that was not asked for")
	})
}

func (f *formula) number(w uint32, n *big.Int) term.ID { return f.st.Const(bv.FromBig(w, n)) }

// relation is a predicate without elements.
func (f *formula) relation(p invariant.Predicate, value func(invariant.Term) term.ID) term.ID {
	st := f.st
	switch p := p.(type) {
	case invariant.Comparison:
		return f.comparison(p, value)
	case invariant.Order:
		return f.order(p, value)
	case invariant.Guarded:
		h := f.relation(p.Then, value)
		for _, c := range p.If {
			h = st.Or(st.Not(f.comparison(c, value)), h)
		}
		return h
	case *invariant.Polynomial:
		return f.polynomial(p, value)
	}
	panic(invariant.Unexpected(p))
}

// comparison is a comparison of integers.
func (f *formula) comparison(p invariant.Comparison, value func(invariant.Term) term.ID) term.ID {
	st := f.st
	if t := f.simple(p, value); t != 0 {
		return t
	}
	w := p.Width()
	sum := f.sum(p.Terms, w, value)
	bound := f.number(w, p.Bound)
	switch p.Relation {
	case invariant.AtMost:
		return st.SLe(sum, bound)
	case invariant.NotEqual:
		return st.Not(st.Eq(sum, bound))
	}
	// The remainder of a division that rounds to zero is 0 for multiples only.
	return st.Eq(st.SRem(st.Sub(sum, bound), st.ConstU(w, p.Modulus)), st.ConstU(w, 0))
}

// sum is a sum of integers in a width in which it does not wrap.
func (f *formula) sum(terms []invariant.Term, w uint32, value func(invariant.Term) term.ID) term.ID {
	st := f.st
	sum := st.ConstU(w, 0)
	for _, t := range terms {
		x := value(t)
		if t.Signed {
			x = st.SExt(x, w)
		} else {
			x = st.ZExt(x, w)
		}
		sum = st.Add(sum, st.Mul(f.number(w, big.NewInt(t.Coeff)), x))
	}
	return sum
}

// simple makes comparisons that need no wider arithmetic: bounds of one value,
// the order of two, remainders by powers of two; 0 for others.
func (f *formula) simple(p invariant.Comparison, value func(invariant.Term) term.ID) term.ID {
	st := f.st
	if len(p.Terms) == 0 {
		return 0
	}
	x := p.Terms[0]
	if p.Relation == invariant.Congruent {
		return f.modular(p, value)
	}
	for _, t := range p.Terms {
		if t.Bits != x.Bits || t.Signed != x.Signed || guess.Magnitude(t.Coeff) != 1 {
			return 0
		}
	}
	le := st.ULe
	lo, hi := limits(x)
	if x.Signed {
		le = st.SLe
	}
	switch {
	case p.Relation == invariant.AtMost && len(p.Terms) == 1 && x.Coeff == 1:
		switch {
		case p.Bound.Cmp(hi) >= 0:
			return st.True()
		case p.Bound.Cmp(lo) < 0:
			return st.False()
		}
		return le(value(x), f.number(x.Bits, p.Bound))
	case p.Relation == invariant.AtMost && len(p.Terms) == 1:
		b := new(big.Int).Neg(p.Bound)
		switch {
		case b.Cmp(lo) <= 0:
			return st.True()
		case b.Cmp(hi) > 0:
			return st.False()
		}
		return le(f.number(x.Bits, b), value(x))
	case p.Relation == invariant.AtMost && len(p.Terms) == 2 && x.Coeff == -p.Terms[1].Coeff && p.Bound.Sign() == 0:
		a, b := value(x), value(p.Terms[1])
		if x.Coeff < 0 {
			a, b = b, a
		}
		return le(a, b)
	}
	return 0
}

// limits are the least and the greatest value of a summand's integer.
func limits(t invariant.Term) (lo, hi *big.Int) {
	lo, hi = new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	if t.Signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	return lo, hi.Sub(hi, big.NewInt(1))
}

// modular makes a congruence modulo a power of two; 0 for others.
func (f *formula) modular(p invariant.Comparison, value func(invariant.Term) term.ID) term.ID {
	m := p.Mod()
	w := uint32(m.TrailingZeroBits())
	if m.BitLen() != int(w)+1 || w == 0 {
		return 0
	}
	st := f.st
	sum := st.ConstU(w, 0)
	for _, s := range p.Terms {
		x := value(s)
		switch {
		case s.Bits > w:
			x = st.Extract(x, w-1, 0)
		case s.Signed:
			x = st.SExt(x, w)
		default:
			x = st.ZExt(x, w)
		}
		if s.Square {
			x = st.Mul(x, x)
		}
		sum = st.Add(sum, st.Mul(f.number(w, big.NewInt(s.Coeff)), x))
	}
	return st.Eq(sum, f.number(w, p.Bound))
}
