package inference

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/logic/polynomial"
	"assay/internal/logic/smt/algebra"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform/cut"
)

// This file finds polynomial equations that loops keep [RodriguezCarbonellKapur07], as
// x*u + y*v = a*b. As there, and in [SharmaGuptaHariharanAikenLiangNori13], they are
// guessed from states of real runs: as the generators, of low degree, of the polynomials
// that are 0 in all of them (polynomial.Vanishing). The equations are meant modulo 2^w,
// which is what programs compute, so that nothing depends on sizes; what depends on the
// order of numbers stays with the other domains.
//
// The greatest inductive set of them is found as of other candidates (houdini.go), in a
// formula in which products are variables and lemmas come by calculation (package
// smt/algebra). This is a try of its own, before the others, and only for programs that
// multiply or divide what they do not know.

// Limits of the search.
const (
	maxLemmaRounds   = 1000 // for one question
	maxAllRounds     = 5000
	maxFactors       = 12  // integers of one loop in polynomials
	maxUnfolded      = 4   // how deep these are taken apart
	maxMonomials     = 220 // of these
	maxTotalDegree   = 6
	maxCompared      = 60 // equations of the program
	maxRead          = 24 // how deep these are read
	maxPolynomials   = 24 // of one loop and width
	maxSummands      = 8  // of one of them: longer ones fit the states by chance
	polynomialRuns   = 400
	polynomialSteps  = 3000 // of one run
	polynomialStates = 1500 // of one loop
	polynomialPoints = 280  // of these, to begin with
	maxGuesses       = 8
	statesOfRun      = 16
)

// multiplies says whether the program multiplies values that it does not know, or divides
// by such, with a result that is too wide for circuits and is more than a place in an
// array.
func multiplies(m *ir.Module) bool {
	return slices.ContainsFunc(m.Funcs, usesProducts)
}

func usesProducts(f *ir.Func) bool {
	made := make([]bool, len(f.Values)) // of products
	for grew := true; grew; {
		grew = false
		for v := ir.Value(1); int(v) < len(f.Values); v++ {
			d := f.Def(v)
			if made[v] {
				continue
			}
			wide := d.Type.Kind == ir.Int && d.Type.Bits >= algebra.MinWidth
			switch d.Op {
			case ir.Mul:
				made[v] = wide && f.Def(d.Args[0]).Op != ir.Const && f.Def(d.Args[1]).Op != ir.Const
			case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
				made[v] = wide && f.Def(d.Args[1]).Op != ir.Const
			}
			of := slices.ContainsFunc(d.Args, func(a ir.Value) bool { return made[a] })
			switch d.Op {
			case ir.Add, ir.Sub, ir.Mul, ir.Shl, ir.SExt, ir.ZExt, ir.Trunc, ir.Freeze:
				made[v] = made[v] || of
			case ir.PtrAdd, ir.Load:
			case ir.Store:
				if made[d.Args[0]] {
					return true
				}
			default:
				if of {
					return true
				}
			}
			grew = grew || made[v]
		}
	}
	return false
}

// watch looks for the equations in what is told or asked of the solver.
func (f *formula) watch(ts ...term.ID) {
	if f.products != nil {
		f.products.Watch(ts...)
	}
}

// lemmas are those about products that the model breaks.
func (f *formula) lemmas(round int, goals []term.ID) []term.ID {
	if f.products == nil || round > maxLemmaRounds || f.rounds > maxAllRounds {
		return nil
	}
	f.rounds++
	return f.products.Refine(f.solver.Value, goals...)
}

// quickly lets lemmas be looked for less hard, until what it returns is called.
func (f *formula) quickly() func() {
	if f.products == nil {
		return func() {}
	}
	f.products.Quick = true
	return func() { f.products.Quick = false }
}

// addFactors adds the integers from before the loops that are multiplied.
func (p *Search) addFactors() {
	if !multiplies(p.m) {
		return
	}
	for _, l := range p.loops {
		dom := ir.Dominators(l.Func)
		for _, x := range factors(l, dom, p.places[l]) {
			if !slices.Contains(p.places[l], x) {
				p.places[l] = append(p.places[l], x)
			}
		}
	}
}

// factors are the integers at a loop head of which there may be polynomials: those that the
// loop changes, and those from before it with which the function adds or multiplies.
func factors(l *cut.Loop, dom *ir.DomTree, places []cut.Place) []cut.Place {
	f := l.Func
	var out []cut.Place
	add := func(x cut.Place) {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	wide := func(v ir.Value) bool {
		d := f.Def(v)
		return d.Type.Kind == ir.Int && d.Type.Bits >= algebra.MinWidth && d.Type.Bits <= 64 && d.Op != ir.Const
	}
	for _, v := range f.Blocks[l.Head].Instrs {
		if f.Def(v).Op != ir.Phi {
			break
		}
		if wide(v) {
			add(cut.Place{Value: v, Bits: f.Def(v).Type.Bits})
		}
	}
	for _, x := range places {
		if x.Cell && x.Offset == 0 && x.Bits >= algebra.MinWidth && !x.Float {
			add(x)
		}
	}
	// What is a polynomial of others is not needed beside them.
	var before func(v ir.Value, inside bool, depth int)
	before = func(v ir.Value, inside bool, depth int) {
		d := f.Def(v)
		switch {
		case !wide(v) || d.Op != ir.Param && (d.Block == 0 || l.Blocks[d.Block] || !dom.Reachable(d.Block) || !dom.Dominates(d.Block, l.Head)):
		case depth < maxUnfolded && (d.Op == ir.Add || d.Op == ir.Sub || d.Op == ir.Mul):
			before(d.Args[0], inside, depth+1)
			before(d.Args[1], inside, depth+1)
		case inside == (d.Op == ir.Phi) && !slices.ContainsFunc(out, func(x cut.Place) bool { return !x.Cell && same(f.Def(x.Value), d) }):
			add(cut.Place{Value: v, Bits: d.Type.Bits})
		}
	}
	// Phis before the loop are those of loops around it, or behind others: they come last.
	for _, inside := range []bool{false, true} {
		for _, ops := range [][]ir.Op{{ir.Mul, ir.Phi}, {ir.Add, ir.Sub, ir.Eq, ir.Ne}, {ir.SExt, ir.ZExt}} {
			for v := ir.Value(1); int(v) < len(f.Values); v++ {
				if d := f.Def(v); slices.Contains(ops, d.Op) && (d.Op != ir.Phi || d.Block == l.Head) {
					for _, a := range d.Args {
						before(a, inside, 0)
					}
				}
			}
		}
	}
	return out[:min(len(out), 2*maxFactors)]
}

// same says that two values are the same function of the same values.
func same(a, b *ir.Def) bool {
	return a == b || (a.Op == ir.SExt || a.Op == ir.ZExt || a.Op == ir.Trunc) && a.Op == b.Op && a.Type == b.Type && a.Args[0] == b.Args[0]
}

// compared finds equations that the program itself compares, with what is there at the
// loop heads.
func (p *Search) compared(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	var all []cut.Candidate
	for _, l := range p.loops {
		for v := ir.Value(1); int(v) < len(l.Func.Values) && len(all) < maxCompared; v++ {
			d := l.Func.Def(v)
			if d.Op != ir.Eq && d.Op != ir.Ne || l.Func.Def(d.Args[0]).Type.Kind != ir.Int {
				continue
			}
			w := l.Func.Def(d.Args[0]).Type.Bits
			if !slices.Contains(widths, w) || w < algebra.MinWidth {
				continue
			}
			t := &reading{f: l.Func, places: p.places[l], unsigned: map[int]bool{}, ring: polynomial.Ring{Width: w}}
			q := t.ring.Plus(t.read(d.Args[0], 0), ^uint64(0), t.read(d.Args[1], 0))
			if c := (cut.Candidate{Loop: l, Predicate: t.equation(q)}); !t.failed && q.Degree() > 1 && len(q) <= 2*maxSummands && !slices.ContainsFunc(all, func(x cut.Candidate) bool { return textOf(x) == textOf(c) }) {
				all = append(all, c)
			}
		}
	}
	if len(all) == 0 {
		return on, nil
	}
	p.stats.Candidates += len(all)
	found, err := f.greatest(ctx, all, on, 2)
	return append(on, found...), err
}

// reading makes polynomials of places of values of a function.
type reading struct {
	f      *ir.Func
	places []cut.Place
	// unsigned are the places that are extended with zeros.
	unsigned map[int]bool
	ring     polynomial.Ring
	failed   bool
}

func (t *reading) read(v ir.Value, depth int) polynomial.Polynomial {
	d := t.f.Def(v)
	if d.Op == ir.Const {
		return t.ring.Constant(d.Const.Uint64())
	}
	if i := slices.Index(t.places, cut.Place{Value: v, Bits: t.ring.Width}); i >= 0 {
		return t.ring.Variable(uint16(i + 1))
	}
	if depth < maxRead {
		switch d.Op {
		case ir.Add, ir.Sub, ir.Mul:
			a, b := t.read(d.Args[0], depth+1), t.read(d.Args[1], depth+1)
			switch d.Op {
			case ir.Add:
				return t.ring.Plus(a, 1, b)
			case ir.Sub:
				return t.ring.Plus(a, ^uint64(0), b)
			}
			p, ok := t.ring.Times(a, b)
			t.failed = t.failed || !ok
			return p
		case ir.SExt, ir.ZExt: // another value may be the same
			for i, x := range t.places {
				if !x.Cell && x.Bits == t.ring.Width && same(t.f.Def(x.Value), d) {
					return t.ring.Variable(uint16(i + 1))
				}
			}
			for i, x := range t.places {
				if c, ok := columnOf(t.f, t.places, i, t.ring.Width); ok && !x.Cell && x.Value == d.Args[0] && c.signed == (d.Op == ir.SExt) {
					t.unsigned[i] = !c.signed
					return t.ring.Variable(uint16(i + 1))
				}
			}
		}
	}
	t.failed = true
	return nil
}

// equation is that a polynomial is 0.
func (t *reading) equation(q polynomial.Polynomial) invariant.Predicate {
	c := &invariant.Polynomial{Width: t.ring.Width}
	for _, x := range q {
		m := invariant.Monomial{Coeff: x.Coeff}
		for _, v := range x.Monomial[:x.Monomial.Degree()] {
			m.Factors = append(m.Factors, t.places[v-1].Term(1, !t.unsigned[int(v-1)]))
		}
		c.Monomials = append(c.Monomials, m)
	}
	return c
}

// polynomials finds equations between products.
func (p *Search) polynomials(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	if p.equations == nil {
		p.equations = p.guessPolynomials(ctx)
		p.stats.Candidates += len(p.equations)
	}
	// Those that hold are not asked for again, if this comes with more that is known.
	have := map[string]bool{}
	for _, r := range on {
		if _, ok := r.Predicate.(*invariant.Polynomial); ok {
			have[textOf(r.Candidate)] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(p.equations), func(c cut.Candidate) bool { return have[textOf(c)] })
	if len(rest) == 0 {
		return on, nil
	}
	found, err := f.greatest(ctx, rest, on, 2)
	return append(on, found...), err
}

// guessPolynomials makes candidates of the states of runs.
func (p *Search) guessPolynomials(ctx context.Context) []cut.Candidate {
	out := []cut.Candidate{}
	places := map[*cut.Loop][]cut.Place{}
	for _, l := range p.loops {
		for _, x := range factors(l, ir.Dominators(l.Func), p.places[l]) {
			if slices.Contains(p.places[l], x) { // else the formula does not have it
				places[l] = append(places[l], x)
			}
		}
	}
	runs := p.m
	if p.o.Runs != nil {
		runs = p.o.Runs
	}
	states := p.manyStates(ctx, runs, places)
	most := degree(p.m)
	for _, l := range p.loops {
		for _, w := range widths {
			var columns []column
			for i, x := range places[l] {
				if c, ok := columnOf(l.Func, places[l], i, w); ok && x.Bits <= w && len(columns) < maxFactors {
					columns = append(columns, c)
				}
			}
			if w >= algebra.MinWidth && len(columns) > 0 {
				out = append(out, equationsAmong(l, places[l], columns, w, states[l], most)...)
			}
		}
	}
	return out
}

// column is a place by number, and how it is extended to a width.
type column struct {
	place  int
	signed bool
}

// columnOf is a place in polynomials of a width: if it is narrower the function must
// extend it, and the result not be a place itself.
func columnOf(f *ir.Func, places []cut.Place, i int, w uint32) (c column, ok bool) {
	x := places[i]
	if x.Bits == w || x.Cell {
		return column{i, true}, x.Bits == w
	}
	for v := ir.Value(1); int(v) < len(f.Values); v++ {
		d := f.Def(v)
		if d.Op != ir.SExt && d.Op != ir.ZExt || d.Type.Bits != w || d.Args[0] != x.Value {
			continue
		}
		if slices.ContainsFunc(places, func(y cut.Place) bool { return !y.Cell && same(f.Def(y.Value), d) }) {
			return c, false
		}
		c, ok = column{i, d.Op == ir.SExt}, true
	}
	return c, ok
}

// equationsAmong are the polynomials of some columns that are 0 in all states, up to a degree.
func equationsAmong(l *cut.Loop, places []cut.Place, columns []column, w uint32, states [][]uint64, most int) []cut.Candidate {
	var all [][]int64
	for _, s := range states {
		point := make([]int64, len(columns))
		for k, c := range columns {
			point[k] = guess.Number(s[c.place], places[c.place].Bits, c.signed)
		}
		all = append(all, point)
	}
	degree := 2
	for degree < most && binomial(len(columns)+degree+1, degree+1) <= maxMonomials {
		degree++
	}
	// Guesses from some points that others break are made again with those.
	points := slices.Clone(all[:min(len(all), polynomialPoints)])
	var found []polynomial.Polynomial
	for range maxGuesses {
		found = polynomial.Vanishing(points, len(columns), degree, maxPolynomials)
		before := len(points)
		found = slices.DeleteFunc(found, func(q polynomial.Polynomial) bool {
			i := slices.IndexFunc(all, func(x []int64) bool {
				return polynomial.Ring{Width: w}.Eval(q, func(v uint16) uint64 { return uint64(x[v-1]) }) != 0
			})
			if i >= 0 {
				points = append(points, all[i])
			}
			return i >= 0
		})
		if len(points) == before {
			break
		}
	}
	chosen, unsigned := make([]cut.Place, len(columns)), map[int]bool{}
	for k, c := range columns {
		chosen[k], unsigned[k] = places[c.place], !c.signed
	}
	var out []cut.Candidate
	for _, q := range found {
		if len(q) > maxSummands {
			continue
		}
		for i := range q {
			q[i].Coeff &= ^uint64(0) >> (64 - w)
		}
		t := &reading{places: chosen, unsigned: unsigned, ring: polynomial.Ring{Width: w}}
		out = append(out, cut.Candidate{Loop: l, Predicate: t.equation(q)})
	}
	return out
}

// degree is the greatest degree of what the program computes from what it reads and from
// what meets in phis, at most maxTotalDegree.
func degree(m *ir.Module) int {
	most := 1
	for _, f := range m.Funcs {
		known := make([]int, len(f.Values))
		var of func(v ir.Value) int
		of = func(v ir.Value) int {
			if known[v] > 0 {
				return known[v]
			}
			d, n := f.Def(v), 1
			switch d.Op {
			case ir.Const:
				n = 0
			case ir.Mul:
				n = of(d.Args[0]) + of(d.Args[1])
			case ir.Add, ir.Sub:
				n = max(of(d.Args[0]), of(d.Args[1]))
			case ir.SExt, ir.ZExt, ir.Trunc, ir.Freeze, ir.Shl:
				n = of(d.Args[0])
			}
			known[v] = min(n, maxTotalDegree)
			return known[v]
		}
		for v := ir.Value(1); int(v) < len(f.Values); v++ {
			most = max(most, of(v))
		}
	}
	return most
}

func binomial(n, k int) int {
	x := 1
	for i := 1; i <= k; i++ {
		x = x * (n - k + i) / i
	}
	return x
}

// manyStates are states of the loops in runs with small inputs.
func (p *Search) manyStates(ctx context.Context, m *ir.Module, places map[*cut.Loop][]cut.Place) map[*cut.Loop][][]uint64 {
	type head struct {
		f *ir.Func
		b ir.BlockID
	}
	loops := map[head]*cut.Loop{}
	for _, l := range p.loops {
		if f := m.Func(l.Func.Name); f != nil {
			loops[head{f, l.Head}] = l
		}
	}
	out := map[*cut.Loop][][]uint64{}
	count, visits := map[*cut.Loop]int{}, map[*cut.Loop]int{}
	seen := map[*cut.Loop]map[string]bool{}
	for _, l := range p.loops {
		seen[l] = map[string]bool{}
	}
	observe := func(ev interp.Event) {
		if ev.Kind != interp.BlockEntered {
			return
		}
		l := loops[head{ev.Func, ev.Block}]
		if l == nil || len(places[l]) == 0 || count[l] >= statesOfRun || len(out[l]) >= polynomialStates {
			return
		}
		// Of many visits the first, and some later ones.
		if visits[l]++; visits[l] > statesOfRun/2 && visits[l]%5 != 0 {
			return
		}
		row := guess.StateAt(ev, places[l])
		for i, x := range row {
			if b := places[l][i].Bits; guess.Magnitude(guess.Number(x, b, true)) >= 1<<(b-3) {
				count[l] = statesOfRun // what may have wrapped is no integer, and what comes later
				return
			}
		}
		if key := fmt.Sprint(row); row != nil && !seen[l][key] {
			seen[l][key] = true
			out[l] = append(out[l], row)
			count[l]++
		}
	}
	for run := range uint64(polynomialRuns) {
		clear(count)
		clear(visits)
		oracle := guess.SmallNumbers(run, 2, 2+2*int64(run%40))
		if _, err := interp.Run(ctx, m, interp.Options{Oracle: oracle, Observe: observe, Blocks: true, MaxSteps: polynomialSteps, MaxMemory: 1 << 24}); err != nil {
			break
		}
		if !slices.ContainsFunc(p.loops, func(l *cut.Loop) bool { return len(places[l]) > 0 && len(out[l]) < polynomialStates }) {
			break
		}
	}
	return out
}

// polynomial is that a polynomial is 0.
func (f *formula) polynomial(p *invariant.Polynomial, value func(invariant.Term) term.ID) term.ID {
	st := f.st
	sum := st.ConstU(p.Width, 0)
	for _, m := range p.Monomials {
		x := st.ConstU(p.Width, m.Coeff)
		for _, t := range m.Factors {
			v := value(t)
			if t.Signed {
				v = st.SExt(v, p.Width)
			} else {
				v = st.ZExt(v, p.Width)
			}
			x = st.Mul(x, v)
		}
		sum = st.Add(sum, x)
	}
	return st.Eq(sum, st.ConstU(p.Width, 0))
}
