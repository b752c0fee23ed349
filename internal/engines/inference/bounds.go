package inference

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/transform/cut"
)

// This file finds the bounds of template rows [2LS §5.1.2, §6.1]: a row is
// sum <= δ, where δ is a variable of the formula, as wide as the sum needs so that
// nothing wraps. The bounds begin with what real runs reach. While some model
// exceeds bounds, those are raised together: the greatest sum of the δ is searched
// by bisection, such that a step from a state within the δ leads beyond them all.
// So a guard i < n lets the bound of i jump to n at once, in as many queries as an
// integer has bits.
//
// Every query is one under assumptions on the same formula. The bounds only grow;
// those that still do when the work is used up are given up.

// bound is a row with its parameter.
type bound struct {
	loop  *cut.Loop
	terms []invariant.Term
	w     uint32
	delta term.ID
	// flag switches the row on; broken is that it is exceeded.
	flag, broken term.ID
	// value is the bound so far; lost is a row that was given up.
	value *big.Int
	lost  bool
}

// limits bounds the work: raises of bounds, queries, and conflicts of a query. The
// domains that a user asks for get more.
func (p *Search) limits() (raises, queries int, conflicts int64) {
	if p.o.Domains == 0 {
		return 20, 200, 2000
	}
	return 80, 2000, 20000
}

// addBound puts a row into the formula.
func (p *Search) addBound(f *formula, l *cut.Loop, terms []invariant.Term) *bound {
	st := f.st
	b := &bound{loop: l, terms: terms}
	q := invariant.Comparison{Terms: terms, Bound: new(big.Int)}
	b.w = q.Width() + 1
	b.delta = st.Fresh("bound", term.BitVec(b.w))
	b.flag, b.broken = st.Fresh("row", term.Bool()), st.False()
	// Below all sums: nothing was seen.
	b.value = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(b.w-1)))
	for _, row := range p.at[l].Rows {
		if n := sumOf(terms, f.places[l], row); n.Cmp(b.value) > 0 {
			b.value = n
		}
	}
	places := f.places[l]
	for _, v := range f.visits[l] {
		sum := f.sum(terms, b.w, func(t invariant.Term) term.ID { return v.values[slices.Index(places, cut.PlaceOf(t))] })
		within := st.SLe(sum, b.delta)
		f.assume(b.flag, v, within)
		b.broken = st.Or(b.broken, f.fails(v, within))
	}
	return b
}

// sumOf is the value of a sum in a state.
func sumOf(terms []invariant.Term, places []cut.Place, row []uint64) *big.Int {
	sum := new(big.Int)
	for _, t := range terms {
		x := bv.New(t.Bits, row[slices.Index(places, cut.PlaceOf(t))])
		n := x.Unsigned()
		switch {
		case t.Float:
			n = big.NewInt(invariant.Position(x))
		case t.Signed:
			n = x.Signed()
		}
		sum.Add(sum, n.Mul(n, big.NewInt(t.Coeff)))
	}
	return sum
}

// bounds finds rows with their bounds, given rules that hold.
func (p *Search) bounds(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	var rows []*bound
	for _, l := range p.loops {
		if len(f.visits[l]) > 0 {
			for _, terms := range p.templateRows(l) {
				rows = append(rows, p.addBound(f, l, terms))
			}
		}
	}
	defer func() {
		f.solver.SetConflictLimit(0)
		for _, b := range rows {
			f.solver.Assert(f.st.Not(b.flag))
		}
	}()
	_, _, conflicts := p.limits()
	f.solver.SetConflictLimit(conflicts)
	s := &boundSearch{Search: p, f: f, given: f.given(on, f.held), rows: rows, before: f.solver.Stats().Conflicts}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	for _, b := range rows {
		q := invariant.Comparison{Terms: b.terms, Bound: b.value}
		if !b.lost && !invariant.Trivial(q) {
			on = append(on, f.add(cut.Candidate{Loop: b.loop, Predicate: q}))
		}
	}
	return on, nil
}

type boundSearch struct {
	*Search
	f       *formula
	given   []term.ID
	rows    []*bound
	queries int
	before  int64 // conflicts before
}

// manyBoundConflicts is all that is spent if the user chose no domain.
const manyBoundConflicts = 60000

// fixed are the assumptions of rows with their bounds as they are.
func (s *boundSearch) fixed(but []*bound) []term.ID {
	ts := slices.Clone(s.given)
	for _, b := range s.rows {
		if b.lost {
			continue
		}
		ts = append(ts, b.flag)
		if !slices.Contains(but, b) {
			ts = append(ts, s.f.st.Eq(b.delta, s.f.number(b.w, b.value)))
		}
	}
	return ts
}

func (s *boundSearch) check(ctx context.Context, ts []term.ID) (smt.Status, error) {
	s.queries++
	if s.o.Domains == 0 && s.f.solver.Stats().Conflicts > s.before+manyBoundConflicts {
		return smt.Unknown, nil // which ends soon
	}
	status, err := s.f.checkLoosely(ctx, ts...)
	if limited(err) {
		return smt.Unknown, nil
	}
	return status, err
}

// run raises bounds until they are inductive; rows that still grow at the end
// are lost.
func (s *boundSearch) run(ctx context.Context) error {
	f := s.f
	maxRaises, maxQueries, _ := s.limits()
	for raises := 0; ; raises++ {
		some := f.st.False()
		for _, b := range s.rows {
			if !b.lost {
				some = f.st.Or(some, b.broken)
			}
		}
		status, err := s.check(ctx, append(s.fixed(nil), some))
		if err != nil {
			return err
		}
		if status == smt.Unsat {
			return nil
		}
		if status != smt.Sat {
			if done, err := s.oneByOne(ctx); done || err != nil {
				return err
			}
			continue
		}
		s.stats.Rounds++
		broken := s.inModel()
		if raises >= maxRaises || s.queries >= maxQueries {
			for _, b := range broken {
				b.lost = true
			}
			continue
		}
		if err := s.raise(ctx, broken); err != nil {
			return err
		}
	}
}

// inModel lists the rows that the model exceeds, and raises them to what it
// reaches.
func (s *boundSearch) inModel() []*bound {
	var broken []*bound
	for _, b := range s.rows {
		if b.lost || !s.f.isTrue(b.broken) {
			continue
		}
		broken = append(broken, b)
		for _, v := range s.f.visits[b.loop] {
			if !s.f.isTrue(v.guard) || s.f.isTrue(v.early) {
				continue
			}
			row := make([]uint64, len(v.values))
			for i, t := range v.values {
				row[i] = s.f.solver.Value(t).Uint64()
			}
			if n := sumOf(b.terms, s.f.places[b.loop], row); n.Cmp(b.value) > 0 {
				b.value = n
			}
		}
	}
	return broken
}

// raise searches the greatest bounds that a step exceeds.
func (s *boundSearch) raise(ctx context.Context, rows []*bound) error {
	f, st := s.f, s.f.st
	base := s.fixed(rows)
	w := uint32(0)
	for _, b := range rows {
		base = append(base, b.broken, st.SLe(f.number(b.w, b.value), b.delta))
		w = max(w, b.w)
	}
	w += uint32(big.NewInt(int64(len(rows))).BitLen())
	total := st.ConstU(w, 0)
	lo, hi := new(big.Int), new(big.Int)
	for _, b := range rows {
		total = st.Add(total, st.SExt(b.delta, w))
		lo.Add(lo, b.value)
		hi.Add(hi, greatestSum(b.terms))
	}
	// lo is where all are as they are; a model above moves it.
	for step := big.NewInt(1); lo.Cmp(hi) < 0; {
		mid := new(big.Int).Add(lo, step)
		if mid.Cmp(hi) > 0 {
			mid.Set(hi)
		}
		status, err := s.check(ctx, append(base[:len(base):len(base)], st.SLe(f.number(w, mid), total)))
		if err != nil {
			return err
		}
		if status == smt.Sat {
			sum := new(big.Int)
			for _, b := range rows {
				d := f.solver.Value(b.delta).Signed()
				sum.Add(sum, d)
				if d.Add(d, big.NewInt(1)); d.Cmp(b.value) > 0 { // a step goes beyond δ
					b.value = d
				}
			}
			lo = sum
			step.Lsh(step, 2)
		} else {
			hi = mid.Sub(mid, big.NewInt(1))
			step.Sub(hi, lo)
			step.Add(step, big.NewInt(1)).Rsh(step, 1)
			if step.Sign() == 0 {
				step.SetInt64(1)
			}
		}
		if _, most, _ := s.limits(); s.queries >= most {
			return nil
		}
	}
	return nil
}

// greatestSum is the greatest value of a sum.
func greatestSum(terms []invariant.Term) *big.Int {
	sum := new(big.Int)
	for _, t := range terms {
		lo, hi := limits(t)
		if t.Coeff < 0 {
			hi = lo
		}
		sum.Add(sum, hi.Mul(hi, big.NewInt(t.Coeff)))
	}
	return sum
}

// oneByOne asks about each row when all at once cost too much: what is too
// costly by itself is lost. It is done if no row is exceeded.
func (s *boundSearch) oneByOne(ctx context.Context) (done bool, err error) {
	done = true
	_, most, _ := s.limits()
	for _, b := range slices.Backward(s.rows) {
		if b.lost {
			continue
		}
		status, err := s.check(ctx, append(s.fixed(nil), b.broken))
		switch {
		case err != nil:
			return false, err
		case status == smt.Sat:
			s.inModel()
			done = false
		case status != smt.Unsat || s.queries >= 2*most:
			b.lost, done = true, false
		}
	}
	return done, nil
}
