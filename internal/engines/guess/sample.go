package guess

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform/cut"
)

// This file looks at real runs. A candidate that a run breaks need not be
// asked about; and linear equations that hold in all states seen at a loop head
// are candidates that no list of patterns would have.

// Limits of the runs.
const (
	sampleRuns     = 24
	sampleSteps    = 4000
	longSteps      = 800 * sampleSteps // of the first run of a program with arrays
	maxSamples     = 160               // of one loop
	maxEquations   = 8
	maxColumns     = 10
	MaxCoefficient = 1 << 10
)

// states are the values at a loop head, by value of the function.
type States struct {
	Values []cut.Place
	Rows   [][]uint64
	// broken are the predicates with ranges that some state breaks, by index.
	Broken map[int]bool
	seen   map[string]bool // of sample
	// elements are told of the states, too.
	elements []*Series
	sums     []*Prefixes
}

// choices is an oracle that prefers small numbers.
type choices struct {
	rng   *rand.Rand
	inner interp.Oracle
	size  int64
}

func (o choices) Global(name string, size uint64) ir.GlobalChoice { return o.inner.Global(name, size) }

func (o choices) Next(r interp.Request) (ir.Choice, error) {
	c, err := o.inner.Next(r)
	if err == nil && r.Kind == interp.WantValue && r.Type.Kind == ir.Int && o.rng.IntN(8) != 0 {
		n := o.rng.Int64N(o.size)
		if o.rng.IntN(6) == 0 {
			n = -n
		}
		c.Bits = bv.FromBig(r.Type.Bits, big.NewInt(n))
	}
	return c, err
}

// SmallChoices decides at random, and prefers small numbers; runs with a greater
// number get a greater range.
func SmallChoices(run uint64) interp.Oracle {
	return SmallNumbers(run, 1, 2+2*int64(run))
}

// smallNumbers decides at random, and prefers numbers below size; stream tells such oracles of a
// run apart.
func SmallNumbers(run, stream uint64, size int64) interp.Oracle {
	return choices{rand.New(rand.NewPCG(run, stream)), interp.Random(run), size}
}

// sample runs the program and collects the states at the loop heads, and what
// the runs violate.
func Sample(ctx context.Context, m *ir.Module, loops []*cut.Loop, targets []ir.CheckKind, terms map[*cut.Loop][]cut.Place, ranged []cut.Candidate, elements map[*cut.Loop][]*Series, sums map[*cut.Loop][]*Prefixes) (map[*cut.Loop]*States, map[verdict.Site]bool) {
	type head struct {
		f *ir.Func
		b ir.BlockID
	}
	at := map[head]*States{}
	out := map[*cut.Loop]*States{}
	byName := map[string]*ir.Func{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	for _, l := range loops {
		s := &States{Values: terms[l], Broken: map[int]bool{}, elements: elements[l], sums: sums[l]}
		out[l], at[head{byName[l.Func.Name], l.Head}] = s, s
	}
	observe := func(ev interp.Event) {
		if ev.Kind != interp.BlockEntered {
			return
		}
		s := at[head{ev.Func, ev.Block}]
		if s == nil || len(s.Rows) >= maxSamples {
			return
		}
		for i, c := range ranged {
			if c.Loop.Func.Name == ev.Func.Name && c.Loop.Head == ev.Block && !s.Broken[i] && !rangeHolds(m, c.Predicate.(invariant.ForAll), ev.State) {
				s.Broken[i] = true
			}
		}
		if row := StateAt(ev, s.Values); row != nil {
			s.Rows = append(s.Rows, row)
			for _, x := range s.elements {
				x.observe(m, ev.State, x.scalarsOf(s.Values, row))
			}
			for _, x := range s.sums {
				x.observe(m, ev.State, s.Values, row)
			}
		}
	}
	refuted := map[verdict.Site]bool{}
	stop := func(ev interp.Event) bool {
		bad := ev.Kind == interp.Violation && slices.Contains(targets, ev.Check)
		if bad {
			refuted[verdict.Site{Func: ev.Func.Name, Value: ev.Value, Kind: ev.Check}] = true
		}
		return bad
	}
	for run := range uint64(sampleRuns) {
		before := 0
		for _, s := range out {
			before += len(s.Rows)
		}
		steps := int64(sampleSteps)
		if run == 0 && len(ranged) > 0 {
			steps = longSteps // beyond some long loops
		}
		// Later runs get room of their own, for they may take other ways.
		_, err := interp.Run(ctx, m, interp.Options{Oracle: SmallChoices(run), Observe: observe, StopAt: stop, Blocks: true, MaxSteps: steps, MaxMemory: 1 << 24})
		if err != nil {
			break
		}
		for _, s := range out {
			limit := int(run+1) * maxSamples / sampleRuns
			if len(s.Rows) > max(limit, 12) {
				s.Rows = s.Rows[:max(limit, 12)]
			}
		}
	}
	return out, refuted
}

// stateAt are the integers at places, nil if one is not there.
func StateAt(ev interp.Event, places []cut.Place) []uint64 {
	row := make([]uint64, len(places))
	for i, v := range places {
		row[i] = ev.State.Value(v.Value).Uint64()
		if v.Cell {
			b, ok := ev.State.Memory(row[i]+v.Offset, uint64(v.Bits/8))
			if !ok {
				return nil
			}
			row[i] = bv.FromBytes(b).Uint64()
		}
	}
	return row
}

// interesting lists the integers at a loop head that predicates are about.
func Places(candidates []cut.Candidate) map[*cut.Loop][]cut.Place {
	out := map[*cut.Loop][]cut.Place{}
	for _, c := range candidates {
		c.Predicate.Each(func(t invariant.Term) {
			if !t.Index && t.Stride == 0 && !slices.Contains(out[c.Loop], cut.PlaceOf(t)) {
				out[c.Loop] = append(out[c.Loop], cut.PlaceOf(t))
			}
		})
	}
	return out
}

// evaluate evaluates a predicate without elements in a state.
func Evaluate(p invariant.Predicate, places []cut.Place, row []uint64) bool {
	return invariant.Holds(p, func(t invariant.Term, _ int64) (bv.BV, bool) {
		return bv.New(t.Bits, row[slices.Index(places, cut.PlaceOf(t))]), true
	}, 0)
}

// holds evaluates a predicate in all states.
func (s *States) holds(q invariant.Predicate) bool {
	p, ok := q.(invariant.Comparison)
	if !ok || !p.Bound.IsInt64() || p.Modulus > 1<<32 || p.Modulus == 0 && p.Relation == invariant.Congruent || p.Bound.BitLen() >= 40 ||
		slices.ContainsFunc(p.Terms, func(t invariant.Term) bool { return t.Bits > 32 || Magnitude(t.Coeff) >= 1<<16 }) {
		return !slices.ContainsFunc(s.Rows, func(row []uint64) bool { return !Evaluate(q, s.Values, row) })
	}
	index := make([]int, len(p.Terms))
	for i, t := range p.Terms {
		index[i] = slices.Index(s.Values, cut.PlaceOf(t))
	}
	for _, row := range s.Rows {
		sum := -p.Bound.Int64()
		for i, t := range p.Terms {
			sum += t.Coeff * Number(row[index[i]], t.Bits, t.Signed)
		}
		switch {
		case p.Relation == invariant.AtMost && sum > 0, p.Relation == invariant.NotEqual && sum == 0,
			p.Relation == invariant.Congruent && sum%int64(p.Modulus) != 0:
			return false
		}
	}
	return true
}

func Number(x uint64, bits uint32, signed bool) int64 {
	if signed {
		return int64(x<<(64-bits)) >> (64 - bits)
	}
	return int64(x)
}

// filter drops the candidates that some state breaks.
func Unrefuted(candidates []cut.Candidate, at map[*cut.Loop]*States) []cut.Candidate {
	var out []cut.Candidate
	for _, c := range candidates {
		if at[c.Loop].holds(c.Predicate) {
			out = append(out, c)
		}
	}
	return out
}

// equations finds the linear equations, over the integers, that hold in all
// states of a loop.
func Equations(l *cut.Loop, s *States) (out []cut.Candidate) {
	for _, p := range s.Equations() {
		out = append(out, cut.Candidate{Loop: l, Predicate: p})
	}
	return out
}

func (s *States) Equations() []invariant.Comparison {
	var columns []int
	for i, v := range s.Values {
		if v.Bits > 1 && !v.Float && len(columns) < maxColumns {
			columns = append(columns, i)
		}
	}
	n := len(columns)
	if n < 2 || len(s.Rows) < n+3 {
		return nil
	}
	// Reduce the rows (values, 1) to echelon form; the null space is read off.
	var basis [][]*big.Rat
	var pivots []int
	for _, row := range s.Rows {
		r := make([]*big.Rat, n+1)
		for k, i := range columns {
			r[k] = new(big.Rat).SetInt64(Number(row[i], s.Values[i].Bits, true))
		}
		r[n] = big.NewRat(1, 1)
		for b, p := range pivots {
			if r[p].Sign() != 0 {
				f := new(big.Rat).Set(r[p])
				for k := range r {
					r[k] = new(big.Rat).Sub(r[k], new(big.Rat).Mul(f, basis[b][k]))
				}
			}
		}
		p := slices.IndexFunc(r, func(x *big.Rat) bool { return x.Sign() != 0 })
		if p < 0 {
			continue
		}
		f := new(big.Rat).Inv(r[p])
		for k := range r {
			r[k] = new(big.Rat).Mul(r[k], f)
		}
		for b := range basis {
			if basis[b][p].Sign() != 0 {
				f := new(big.Rat).Set(basis[b][p])
				for k := range r {
					basis[b][k] = new(big.Rat).Sub(basis[b][k], new(big.Rat).Mul(f, r[k]))
				}
			}
		}
		basis, pivots = append(basis, r), append(pivots, p)
		if len(basis) == n+1 {
			return nil
		}
	}
	var out []invariant.Comparison
	for free := 0; free <= n && len(out) < 2*maxEquations; free++ {
		if slices.Contains(pivots, free) {
			continue
		}
		// The vector of the null space with 1 in the free column.
		v := make([]*big.Rat, n+1)
		lcm := big.NewInt(1)
		for k := range v {
			v[k] = new(big.Rat)
		}
		v[free].SetInt64(1)
		for b, p := range pivots {
			v[p] = new(big.Rat).Neg(basis[b][free])
			d := v[p].Denom()
			g := new(big.Int).GCD(nil, nil, lcm, d)
			lcm.Div(lcm, g).Mul(lcm, d)
		}
		terms := []invariant.Term{}
		bound := new(big.Int)
		ok := true
		for k := range v {
			c := new(big.Rat).Mul(v[k], new(big.Rat).SetInt(lcm)).Num()
			if k == n {
				bound.Neg(c)
				continue
			}
			if c.Sign() == 0 {
				continue
			}
			ok = ok && c.IsInt64() && Magnitude(c.Int64()) <= MaxCoefficient
			if ok {
				x := s.Values[columns[k]]
				terms = append(terms, x.Term(c.Int64(), true))
			}
		}
		if !ok || len(terms) == 0 {
			continue
		}
		out = append(out, equation(terms, bound)...)
	}
	return out
}
