package guess

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform/cut"
)

// This file guesses contracts of recursive functions. Runs are sampled: the
// arguments and globals of each call, and what they are when it returns. What
// holds in the samples is a candidate:
//
//	preconditions   bounds of arguments and of sums and differences of two, with
//	                constants of the callers; linear equations
//	postconditions  the same with the result and what globals are then; where a
//	                guard holds: a comparison of an argument with a constant of
//	                the program, or with another argument
//
// Functions of one small number get a table (table.go).

// Limits of what is guessed for one function.
const (
	maxGuards      = 28
	maxActivations = 400
	maxPromises    = 500
	maxKeys        = 10 // constants of a width
	maxGlobals     = 6
)

// activations are the sampled calls of one function.
type activations struct {
	f              *ir.Func
	entered, ended *States
}

// promiser collects the candidates of one function.
type promiser struct {
	m      *ir.Module
	r      *cut.Component
	f      *ir.Func
	a      *activations
	params []cut.Place
	keys   map[uint32][]*big.Int
	// bounds are what callers compare arguments with, by parameter.
	bounds   map[cut.Place][]*big.Int
	unsigned bool
	// sides are the two of the contract.
	Sides []*cut.Loop
	out   []cut.Candidate
	Seen  map[string]bool // by text: added without a guard
}

// contract is what is guessed of a recursive function: candidates for both sides of its contract,
// what was seen at its calls and returns, and how these are named in predicates.
type Contract struct {
	Sides      []*cut.Loop
	Seen       []*States
	Candidates []cut.Candidate
}

// contracts are those of all functions of components.
func Contracts(ctx context.Context, m *ir.Module, recursive []*cut.Component, targets []ir.CheckKind) (out []Contract) {
	w := cut.NewWrites(m)
	var all []*activations
	for _, r := range recursive {
		w.Complete(r)
		for _, f := range r.Funcs {
			all = append(all, newActivations(m, w, f))
		}
	}
	if len(all) == 0 {
		return nil
	}
	observe(ctx, m, all, targets)
	for _, r := range recursive {
		for _, f := range r.Funcs {
			a := all[len(out)]
			g := &promiser{m: m, r: r, f: f, a: a, keys: map[uint32][]*big.Int{}, bounds: map[cut.Place][]*big.Int{}, Seen: map[string]bool{}}
			for _, post := range []bool{false, true} {
				l := &cut.Loop{Func: f, Blocks: map[ir.BlockID]bool{}, Post: post}
				for b := 1; b < len(f.Blocks); b++ {
					l.Blocks[ir.BlockID(b)] = true
				}
				g.Sides = append(g.Sides, l)
			}
			g.constants()
			g.pre()
			g.table()
			g.post()
			out = append(out, Contract{Sides: g.Sides, Seen: []*States{a.entered, a.ended}, Candidates: g.out})
		}
	}
	return out
}

func newActivations(m *ir.Module, w *cut.Writes, f *ir.Func) *activations {
	a := &activations{f: f, entered: &States{}, ended: &States{}}
	for _, q := range f.Params {
		if t := f.Type(q); t.Kind == ir.Int && t.Bits <= 64 {
			a.entered.Values = append(a.entered.Values, cut.Place{Value: q, Bits: t.Bits})
		}
	}
	var globals []cut.Place
	e := w.Of[f.Name]
	for _, g := range m.Globals {
		if !e.Globals[g.Name] || g.Constant || g.Size > 8 || g.Size&(g.Size-1) != 0 || g.Layout.Stride != 0 || g.Layout.Pointers || g.Layout.Cell != g.Size || len(globals) == maxGlobals {
			continue
		}
		globals = append(globals, cut.Place{Bits: uint32(8 * g.Size), Global: g.Name, Old: true})
	}
	a.entered.Values = append(a.entered.Values, globals...)
	a.ended.Values = slices.Clone(a.entered.Values)
	if len(f.Results) > 0 && f.Results[0].Kind == ir.Int && f.Results[0].Bits <= 64 {
		a.ended.Values = append(a.ended.Values, cut.Place{Bits: f.Results[0].Bits})
	}
	for _, g := range globals {
		g.Old = false
		a.ended.Values = append(a.ended.Values, g)
	}
	return a
}

// observe samples runs.
func observe(ctx context.Context, m *ir.Module, all []*activations, targets []ir.CheckKind) {
	of := map[*ir.Func]*activations{}
	for _, a := range all {
		of[a.f] = a
	}
	type call struct {
		a     *activations
		depth int
		row   []uint64
	}
	var stack []call
	watch := func(ev interp.Event) {
		if ev.Kind != interp.Enter && ev.Kind != interp.Leave {
			return
		}
		a := of[ev.Func]
		if a == nil {
			return
		}
		read := func(x cut.Place) uint64 {
			b, ok := ev.State.Memory(ev.State.Symbol(x.Global), uint64(x.Bits/8))
			if !ok {
				return 0
			}
			return bv.FromBytes(b).Uint64()
		}
		if ev.Kind == interp.Enter {
			row := make([]uint64, 0, len(a.ended.Values))
			for _, x := range a.entered.Values {
				if x.Global != "" {
					row = append(row, read(x))
				} else {
					row = append(row, ev.State.Value(x.Value).Uint64())
				}
			}
			a.entered.sample(row)
			stack = append(stack, call{a, ev.Depth, row})
			return
		}
		for len(stack) > 0 && (stack[len(stack)-1].depth != ev.Depth || stack[len(stack)-1].a != a) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return
		}
		row := stack[len(stack)-1].row
		stack = stack[:len(stack)-1]
		for _, x := range a.ended.Values[len(row):] {
			if x.Global != "" {
				row = append(row, read(x))
			} else {
				row = append(row, ev.Bits.Uint64())
			}
		}
		a.ended.sample(row)
	}
	stop := func(ev interp.Event) bool { return ev.Kind == interp.Violation && slices.Contains(targets, ev.Check) }
	p, err := interp.Compile(m)
	if err != nil {
		return
	}
	for run := range uint64(2 * sampleRuns) {
		stack = stack[:0]
		o := choices{rand.New(rand.NewPCG(run, 2)), interp.Random(run), 2 + 2*int64(run/2)}
		if _, err := p.Run(ctx, interp.Options{Oracle: o, Observe: watch, StopAt: stop, MaxSteps: 8 * sampleSteps, MaxFrames: 2000, MaxMemory: 1 << 24}); err != nil {
			return
		}
	}
}

// sample adds a row that is new.
func (s *States) sample(row []uint64) {
	if len(s.Rows) >= maxActivations {
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	key := make([]byte, 0, 8*len(row))
	for _, x := range row {
		for k := range 8 {
			key = append(key, byte(x>>(8*k)))
		}
	}
	if !s.seen[string(key)] {
		s.seen[string(key)] = true
		s.Rows = append(s.Rows, slices.Clone(row))
	}
}

// constants collects what the component and its callers compare numbers with.
func (p *promiser) constants() {
	for _, x := range p.a.entered.Values {
		if x.Global == "" {
			p.params = append(p.params, x)
		}
	}
	compares := func(d *ir.Def) bool {
		switch d.Op {
		case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
			return true
		}
		return false
	}
	for _, f := range p.m.Funcs {
		var args [][]ir.Value
		for v := 1; v < len(f.Values); v++ {
			if d := f.Def(ir.Value(v)); d.Op == ir.Call && p.r.Has[d.Sym] {
				args = append(args, d.Args)
				for i, q := range p.f.Params {
					if d.Sym != p.f.Name || i >= len(d.Args) {
						continue
					}
					if a := f.Def(d.Args[i]); a.Op == ir.Const && a.Type.Kind == ir.Int && a.Type.Bits <= 64 {
						x := cut.Place{Value: q, Bits: a.Type.Bits}
						p.bounds[x] = append(p.bounds[x], a.Const.Signed())
					}
				}
			}
		}
		if len(args) == 0 {
			continue
		}
		inside := p.r.Has[f.Name]
		for v := 1; v < len(f.Values); v++ {
			d := f.Def(ir.Value(v))
			if d.Op == ir.Switch {
				for _, c := range d.Cases {
					if c.Width() <= 64 {
						p.keys[c.Width()] = append(p.keys[c.Width()], c.Signed())
					}
				}
			}
			if !compares(d) {
				continue
			}
			p.unsigned = p.unsigned || d.Op == ir.ULt || d.Op == ir.ULe
			for i, a := range d.Args {
				k := f.Def(a)
				if k.Op != ir.Const || k.Type.Kind != ir.Int || k.Type.Bits > 64 || k.Type.Bits == 1 {
					continue
				}
				n := k.Const.Signed()
				p.keys[k.Type.Bits] = append(p.keys[k.Type.Bits], n)
				if inside {
					continue
				}
				for j, q := range p.f.Params {
					for _, list := range args {
						if j < len(list) && list[j] == d.Args[1-i] && f.Type(list[j]) == p.f.Type(q) {
							x := cut.Place{Value: q, Bits: k.Type.Bits}
							for _, off := range []int64{0, 1, -1} {
								p.bounds[x] = append(p.bounds[x], new(big.Int).Add(n, big.NewInt(off)))
							}
						}
					}
				}
			}
		}
	}
	for w, ks := range p.keys {
		p.keys[w] = tidy(append(ks, big.NewInt(0), big.NewInt(1)), w)[:]
		p.keys[w] = p.keys[w][:min(len(p.keys[w]), maxKeys)]
	}
	for x, ks := range p.bounds {
		p.bounds[x] = tidy(append(ks, p.keysOf(x.Bits)...), x.Bits)
	}
}

func (p *promiser) keysOf(bits uint32) []*big.Int {
	if ks := p.keys[bits]; ks != nil {
		return ks
	}
	return []*big.Int{big.NewInt(0), big.NewInt(1)}
}

// tidy sorts numbers of a width, small ones first, without repetitions.
func tidy(ks []*big.Int, bits uint32) []*big.Int {
	ks = slices.DeleteFunc(slices.Clone(ks), func(n *big.Int) bool { return n.BitLen() >= int(bits) && n.Sign() >= 0 })
	slices.SortFunc(ks, func(a, b *big.Int) int { return cmp.Or(a.CmpAbs(b), a.Cmp(b)) })
	return slices.CompactFunc(ks, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
}

// add adds a candidate if the samples do not break it, and it is not one without
// the guard.
func (p *promiser) add(at *States, guard []invariant.Comparison, post bool, q invariant.Comparison) {
	if len(p.out) >= maxPromises || invariant.Trivial(q) {
		return
	}
	text := fmt.Sprint(post, q)
	if p.Seen[text] || !at.holds(q) {
		return
	}
	p.Seen[text] = guard == nil
	p.out = append(p.out, cut.Candidate{Loop: p.side(post), Predicate: invariant.When(guard, q)})
}

func (p *promiser) side(post bool) *cut.Loop {
	if post {
		return p.Sides[1]
	}
	return p.Sides[0]
}

func atMost(bound *big.Int, terms ...invariant.Term) invariant.Comparison {
	return invariant.Comparison{Terms: terms, Bound: bound}
}

// equal is the predicate x = n.
func equal(x cut.Place, n *big.Int) []invariant.Comparison {
	return equation([]invariant.Term{x.Term(1, true)}, n)
}

// bounded guesses bounds of x, with constants.
func (p *promiser) bounded(at *States, guard []invariant.Comparison, post bool, x cut.Place, ks []*big.Int) {
	if x.Bits == 1 {
		for n := range int64(2) {
			p.add(at, guard, post, equal(x, big.NewInt(n))[0])
		}
		return
	}
	for _, n := range ks {
		p.add(at, guard, post, atMost(n, x.Term(1, true)))
		p.add(at, guard, post, atMost(new(big.Int).Neg(n), x.Term(-1, true)))
		if p.unsigned && n.Sign() > 0 {
			p.add(at, guard, post, atMost(n, x.Term(1, false)))
			p.add(at, guard, post, atMost(new(big.Int).Neg(n), x.Term(-1, false)))
		}
	}
}

// pre guesses preconditions.
func (p *promiser) pre() {
	at := p.a.entered
	if len(at.Rows) == 0 {
		return
	}
	for _, q := range at.Equations() {
		p.add(at, nil, false, q)
	}
	for i, x := range at.Values {
		ks := p.bounds[x]
		if ks == nil {
			ks = p.keysOf(x.Bits)
		}
		p.bounded(at, nil, false, x, ks)
		for _, y := range at.Values[i+1:] {
			if x.Bits != y.Bits || x.Bits == 1 {
				continue
			}
			for _, c := range []int64{0, 1, -1} {
				p.add(at, nil, false, atMost(big.NewInt(c), x.Term(1, true), y.Term(-1, true)))
				p.add(at, nil, false, atMost(big.NewInt(c), y.Term(1, true), x.Term(-1, true)))
			}
			p.add(at, nil, false, invariant.Comparison{Terms: []invariant.Term{x.Term(1, true), y.Term(-1, true)}, Relation: invariant.NotEqual, Bound: new(big.Int)})
			var sums, differences []*big.Int
			for _, a := range p.bounds[x] {
				for _, b := range p.bounds[y] {
					sums = append(sums, new(big.Int).Add(a, b))
					differences = append(differences, new(big.Int).Sub(a, b))
				}
			}
			for _, n := range tidy(sums, 64) {
				p.add(at, nil, false, atMost(n, x.Term(1, true), y.Term(1, true)))
				p.add(at, nil, false, atMost(new(big.Int).Neg(n), x.Term(-1, true), y.Term(-1, true)))
			}
			for _, n := range tidy(differences, 64) {
				p.add(at, nil, false, atMost(n, x.Term(1, true), y.Term(-1, true)))
				p.add(at, nil, false, atMost(new(big.Int).Neg(n), x.Term(-1, true), y.Term(1, true)))
			}
		}
	}
}

// guards guesses conditions on the parameters.
func (p *promiser) guards() [][]invariant.Comparison {
	out := [][]invariant.Comparison{nil}
	have := map[string]bool{}
	add := func(q ...invariant.Comparison) {
		if key := fmt.Sprint(q); len(out) < maxGuards && !invariant.Trivial(q[0]) && !have[key] {
			have[key] = true
			out = append(out, q)
		}
	}
	for i, x := range p.params {
		for _, y := range p.params[i+1:] {
			if x.Bits == y.Bits && x.Bits > 1 {
				d := []invariant.Term{x.Term(1, true), y.Term(-1, true)}
				add(equation(d, new(big.Int))...)
				add(atMost(new(big.Int), d...))
				add(atMost(new(big.Int), y.Term(1, true), x.Term(-1, true)))
			}
		}
		for _, n := range p.keysOf(x.Bits) {
			if x.Bits == 1 {
				add(equal(x, n)...)
				continue
			}
			add(equal(x, n)...)
			add(atMost(n, x.Term(1, true)))
			add(atMost(new(big.Int).Neg(n), x.Term(-1, true)))
			add(atMost(new(big.Int).Sub(n, big.NewInt(1)), x.Term(1, true)))
			add(atMost(new(big.Int).Sub(big.NewInt(-1), n), x.Term(-1, true)))
			if p.unsigned && n.Sign() > 0 {
				add(atMost(n, x.Term(1, false)))
				add(atMost(new(big.Int).Sub(big.NewInt(-1), n), x.Term(-1, false)))
			}
		}
	}
	return out
}

// post guesses postconditions.
func (p *promiser) post() {
	all := p.a.ended
	if len(all.Rows) == 0 || len(all.Values) == len(p.a.entered.Values) {
		return
	}
	results := all.Values[len(p.a.entered.Values):]
	for _, guard := range p.guards() {
		at := &States{Values: all.Values}
		for _, row := range all.Rows {
			one := &States{Values: all.Values, Rows: [][]uint64{row}}
			if !slices.ContainsFunc(guard, func(q invariant.Comparison) bool { return !one.holds(q) }) {
				at.Rows = append(at.Rows, row)
			}
		}
		if len(at.Rows) == 0 || guard != nil && len(at.Rows) == len(all.Rows) {
			continue
		}
		for _, q := range at.Equations() {
			if slices.ContainsFunc(q.Terms, func(t invariant.Term) bool { return slices.Contains(results, cut.PlaceOf(t)) }) {
				p.add(at, guard, true, q)
			}
		}
		for _, x := range results {
			lo, hi := at.span(x, cut.Place{})
			if lo == hi {
				p.add(at, guard, true, equal(x, big.NewInt(lo))[0])
			}
			ks := append(small(lo, hi), p.keysOf(x.Bits)...)
			p.bounded(at, guard, true, x, tidy(ks, x.Bits))
			for _, n := range p.keysOf(x.Bits) {
				if lo <= n.Int64() && n.Int64() <= hi {
					p.add(at, guard, true, invariant.Comparison{Terms: []invariant.Term{x.Term(1, true)}, Relation: invariant.NotEqual, Bound: n})
				}
			}
			for _, y := range p.a.entered.Values {
				if y.Bits != x.Bits || x.Bits == 1 {
					continue
				}
				lo, hi := at.span(x, y)
				for _, n := range tidy(append(small(lo, hi), big.NewInt(0), big.NewInt(1), big.NewInt(-1)), 64) {
					p.add(at, guard, true, atMost(n, x.Term(1, true), y.Term(-1, true)))
					p.add(at, guard, true, atMost(new(big.Int).Neg(n), x.Term(-1, true), y.Term(1, true)))
				}
			}
		}
	}
}

// small are those of some numbers that a program may have to do with: what is
// seen by chance is great.
func small(ns ...int64) (out []*big.Int) {
	for _, n := range ns {
		if Magnitude(n) <= 64 {
			out = append(out, big.NewInt(n))
		}
	}
	return out
}

// span is the least and the greatest value of x - y; of x if y is no place.
func (s *States) span(x, y cut.Place) (lo, hi int64) {
	i, k := slices.Index(s.Values, x), slices.Index(s.Values, y)
	for n, row := range s.Rows {
		v := Number(row[i], x.Bits, true)
		if k >= 0 && y.Bits != 0 {
			v -= Number(row[k], y.Bits, true)
		}
		if n == 0 || v < lo {
			lo = v
		}
		if n == 0 || v > hi {
			hi = v
		}
	}
	return lo, hi
}
