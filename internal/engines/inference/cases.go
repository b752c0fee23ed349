package inference

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file guesses bounds that hold in cases [2LS §6.5]: under the conditions on
// which the body of a loop branches (guards.go), and for each value of a state
// variable, which is one that the loop compares with several constants. Loops around
// a state machine have their invariants there: "in state 3, 1 <= n <= 2".
//
// The strongest bounds of a case are those of the states that real runs were seen in;
// after them come those that are tried without cases, where others may break them. A case that no run was seen in
// is at first one that there is not.

// Limits of the cases of one loop.
const (
	maxStates     = 24 // values of state variables
	maxCasePlaces = 10
	maxCaseRows   = 2400
)

// rowsByCases finds bounds that hold under conditions.
func (p *Search) rowsByCases(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	var all []cut.Candidate
	for _, l := range p.loops {
		if len(f.visits[l]) > 0 {
			all = append(all, p.caseRows(l, on)...)
		}
	}
	more, err := f.greatest(ctx, all, on, 1)
	return append(on, more...), err
}

// caseRows are the candidates of one loop that no rule implies.
func (p *Search) caseRows(l *cut.Loop, on []*rule) (out []cut.Candidate) {
	places := p.places[l]
	general := map[cut.Place][2][]*big.Int{} // bounds from above and below
	steps := p.steppedBy(l)
	guessed := guess.Candidates(p.m, []*cut.Loop{l}) // those, too, that fail in other cases
	for i := range guessed {
		c := &guessed[i]
		q, ok := rowOf(c.Predicate)
		if !ok || c.Loop != l || len(q.terms) != 1 || len(q.conditions) > 0 || !q.terms[0].Signed || guess.Magnitude(q.terms[0].Coeff) != 1 {
			continue
		}
		x, side := cut.PlaceOf(q.terms[0]), 0
		if q.terms[0].Coeff < 0 {
			side = 1
		}
		b := general[x]
		b[side] = append(b[side], q.bound)
		if !x.Float && x.Bits > 1 && q.bound.IsInt64() && guess.Magnitude(q.bound.Int64()) < 1<<20 { // one step beyond
			for _, k := range steps {
				b[side] = append(b[side], new(big.Int).Add(q.bound, k))
			}
		}
		general[x] = b
	}
	holds := map[invariant.Term]*big.Int{} // bounds of one summand
	for _, r := range on {
		q, ok := rowOf(r.Predicate)
		if ok && r.Loop == l && len(q.terms) == 1 && len(q.conditions) == 0 {
			if b := holds[q.terms[0]]; b == nil || q.bound.Cmp(b) < 0 {
				holds[q.terms[0]] = q.bound
			}
		}
	}
	for _, condition := range p.cases(l) {
		var seen [][]uint64
		for _, row := range p.at[l].Rows {
			if guess.Evaluate(condition, places, row) {
				seen = append(seen, row)
			}
		}
		add := func(terms []invariant.Term, bound *big.Int) {
			if len(out) < maxCaseRows {
				out = append(out, cut.Candidate{Loop: l, Predicate: row{[]invariant.Comparison{condition}, terms, bound}.predicate()})
			}
		}
		if len(seen) == 0 {
			add(nil, big.NewInt(-1))
		}
		n := 0
		for _, x := range places {
			if slices.ContainsFunc(condition.Terms, func(t invariant.Term) bool { return cut.PlaceOf(t) == x }) || x.Bits == 1 || !x.Cell && l.Func.Def(x.Value).Block != l.Head {
				continue
			}
			if n++; n > maxCasePlaces {
				break
			}
			for side, bounds := range general[x] {
				terms := []invariant.Term{x.Term(int64(1-2*side), true)}
				bounds = slices.Clone(bounds)
				var least *big.Int // of the bounds that hold in the states seen
				nan := false
				for _, row := range seen {
					b := sumOf(terms, places, row)
					nan = nan || x.Float && b.CmpAbs(big.NewInt(invariant.Infinity(x.Bits))) > 0
					if least == nil || b.Cmp(least) > 0 {
						least = b
					}
				}
				if nan {
					continue
				}
				if least != nil {
					bounds = append(bounds, least)
				}
				for _, b := range bounds {
					if known := holds[terms[0]]; (least == nil || b.Cmp(least) >= 0) && (known == nil || b.Cmp(known) < 0) {
						add(terms, b)
					}
				}
			}
		}
	}
	return out
}

// maxSteps bounds the constants of one loop that are added.
const maxSteps = 3

// steppedBy lists constants greater than 1 that the body of a loop adds or subtracts.
func (p *Search) steppedBy(l *cut.Loop) (out []*big.Int) {
	f := l.Func
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		if !l.Blocks[b] {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != ir.Add && d.Op != ir.Sub || len(out) == maxSteps {
				continue
			}
			if c := f.Def(d.Args[1]); c.Op == ir.Const && c.Type.Bits <= 64 {
				k := new(big.Int).Abs(c.Const.Signed())
				if k.BitLen() > 1 && k.BitLen() < 20 && !slices.ContainsFunc(out, func(n *big.Int) bool { return n.Cmp(k) == 0 }) {
					out = append(out, k)
				}
			}
		}
	}
	return out
}

// cases are the conditions, and for each state variable its values.
func (p *Search) cases(l *cut.Loop) (out []invariant.Comparison) {
	seen := map[string]bool{}
	add := func(c invariant.Comparison) {
		if key := c.Text(func(t invariant.Term) string { return fmt.Sprint(cut.PlaceOf(t)) }); !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	values := map[cut.Place][]*big.Int{}
	var order []cut.Place
	f := l.Func
	compared := func(v ir.Value, n *big.Int) {
		if x, ok := p.placeAt(l, v); ok && x.Bits > 1 && !slices.ContainsFunc(values[x], func(m *big.Int) bool { return m.Cmp(n) == 0 }) {
			if values[x] == nil {
				order = append(order, x)
			}
			values[x] = append(values[x], n)
		}
	}
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		if !l.Blocks[b] {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op == ir.Switch {
				for _, c := range d.Cases {
					if c.Width() <= 64 {
						compared(d.Args[0], c.Signed())
					}
				}
			}
			if d.Op != ir.Eq && d.Op != ir.Ne {
				continue
			}
			for i, a := range d.Args {
				if c := f.Def(d.Args[1-i]); c.Op == ir.Const && c.Type.Kind == ir.Int && c.Type.Bits <= 64 {
					compared(a, c.Const.Signed())
				}
			}
		}
	}
	for _, x := range order {
		if len(values[x]) < 2 || len(values[x]) > maxStates {
			continue
		}
		for _, n := range values[x] {
			add(negation(invariant.Comparison{Terms: []invariant.Term{x.Term(1, true)}, Relation: invariant.NotEqual, Bound: n}))
		}
	}
	for _, c := range p.conditions(l) {
		add(c)
		add(negation(c))
	}
	return out
}
