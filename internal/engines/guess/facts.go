package guess

import (
	"cmp"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/absdomain"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file turns what the abstract interpretation knows at the heads of loops into
// candidates: bounds, and congruences. They hold, but are proved again with the others.

// OfHeads are candidates about the phis of the loop heads, and about integers in objects that
// the loops write, for a search.
func OfHeads(m *ir.Module, facts *absint.Facts, loops []*cut.Loop) []cut.Candidate {
	cells := ofCells(m, facts, loops)
	if len(cells) > 0 {
		writes, counts := cut.NewWrites(m), map[*cut.Loop]int{}
		about := map[*cut.Loop]func(invariant.Term) bool{}
		for _, l := range loops {
			g := &guesser{m: m, w: writes, l: l, f: l.Func, dom: ir.Dominators(l.Func)}
			globals, roots := g.written()
			about[l] = func(t invariant.Term) bool {
				d := l.Func.Def(t.Value)
				return roots[t.Value] || d.Op == ir.GlobalAddr && globals[d.Sym]
			}
		}
		cells = slices.DeleteFunc(cells, func(c cut.Candidate) bool {
			if counts[c.Loop] == maxFactsOfCells || !about[c.Loop](c.Predicate.(invariant.Comparison).Terms[0]) {
				return true
			}
			counts[c.Loop]++
			return false
		})
	}
	return append(ofPhis(m, facts, loops, each), cells...)
}

// maxFactsOfCells bounds the facts about integers in memory that a search takes for one loop.
const maxFactsOfCells = 20

// Known are the predicates that say what the analysis knows of phis, and of integers in
// memory, at the loop heads.
func Known(m *ir.Module, facts *absint.Facts, loops []*cut.Loop) []cut.Candidate {
	return slices.Concat(ofPhis(m, facts, loops, fewest), ofCells(m, facts, loops), ofCases(m, facts, loops))
}

func ofPhis(m *ir.Module, facts *absint.Facts, loops []*cut.Loop, choose func([]part) []cut.Candidate) []cut.Candidate {
	if facts == nil || facts.Incomplete != "" {
		return nil
	}
	index := numbers(m)
	var out []cut.Candidate
	for _, l := range loops {
		for _, v := range l.Func.Blocks[l.Head].Instrs {
			d := l.Func.Def(v)
			if d.Op != ir.Phi {
				break
			}
			x := facts.Value(index[l.Func], v)
			switch {
			case d.Type.Kind == ir.Float && (d.Type.Bits == 32 || d.Type.Bits == 64):
				out = append(out, FloatBounds(l, cut.Place{Value: v, Bits: d.Type.Bits, Float: true}, x.Float())...)
			case d.Type.Kind == ir.Int && d.Type.Bits <= 64:
				out = append(out, choose(intBounds(l, invariant.Term{Value: v, Bits: d.Type.Bits}, x.Int()))...)
			}
		}
	}
	return out
}

func numbers(m *ir.Module) map[*ir.Func]int {
	index := map[*ir.Func]int{}
	for i, f := range m.Funcs {
		index[f] = i
	}
	return index
}

// part is one predicate about an integer, and the same as an abstract value.
type part struct {
	predicate cut.Candidate
	value     absdomain.Int
}

// intBounds are what is known of one integer, each by itself.
func intBounds(l *cut.Loop, t invariant.Term, x absdomain.Int) (out []part) {
	if x.IsTop() || x.IsBottom() {
		return nil
	}
	add := func(coeff int64, signed bool, r invariant.Relation, bound *big.Int, modulus uint64, value absdomain.Int) {
		t.Coeff, t.Signed = coeff, signed
		p := invariant.Comparison{Terms: []invariant.Term{t}, Relation: r, Bound: bound, Modulus: modulus}
		out = append(out, part{cut.Candidate{Loop: l, Predicate: p}, value})
	}
	top, w := absdomain.Top(t.Bits), t.Bits
	add(1, true, invariant.AtMost, big.NewInt(x.SHi), 0, absdomain.SignedRange(w, top.SLo, x.SHi))
	add(-1, true, invariant.AtMost, new(big.Int).Neg(big.NewInt(x.SLo)), 0, absdomain.SignedRange(w, x.SLo, top.SHi))
	add(1, false, invariant.AtMost, new(big.Int).SetUint64(x.UHi), 0, absdomain.Range(w, 0, x.UHi))
	add(-1, false, invariant.AtMost, new(big.Int).Neg(new(big.Int).SetUint64(x.ULo)), 0, absdomain.Range(w, x.ULo, top.UHi))
	if mod, rem := x.Congruence(); mod > 1 {
		low := mod&-mod - 1 // the known bits at the low end
		value := absdomain.KnownBits(w, low&^rem, low&rem)
		if odd := mod / (low + 1); odd > 1 {
			value = value.Meet(absdomain.Congruent(w, odd, rem%odd))
		}
		add(1, false, invariant.Congruent, new(big.Int).SetUint64(rem), mod, value)
	}
	return out
}

// each are the predicates of parts. A search can do without some of them, and not without
// others, though these follow from all.
func each(parts []part) (out []cut.Candidate) {
	for _, p := range parts {
		out = append(out, p.predicate)
	}
	return out
}

// fewest are the predicates of parts without those that follow from the others, the
// unsigned ones first: what is to be proved is less, and so is what is read. Lower bounds come
// first.
func fewest(parts []part) (out []cut.Candidate) {
	if len(parts) == 0 {
		return nil
	}
	meet := func(parts []part) absdomain.Int {
		x := absdomain.Top(uint32(parts[0].value.Width))
		for _, p := range parts {
			x = x.Meet(p.value)
		}
		return x
	}
	all := meet(parts)
	for i := len(parts) - 1; i >= 0 && len(parts) > 1; i-- {
		if rest := slices.Delete(slices.Clone(parts), i, i+1); meet(rest).Leq(all) {
			parts = rest
		}
	}
	for _, c := range each(parts) {
		p := c.Predicate.(invariant.Comparison)
		if p.Relation == invariant.Congruent && all.SLo >= 0 { // both readings are the same
			p.Terms = slices.Clone(p.Terms)
			p.Terms[0].Signed = true
			c.Predicate = p
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b cut.Candidate) int {
		x, y := a.Predicate.(invariant.Comparison), b.Predicate.(invariant.Comparison)
		return cmp.Or(cmp.Compare(x.Relation, y.Relation), cmp.Compare(x.Terms[0].Coeff, y.Terms[0].Coeff))
	})
	return out
}

// ofCells are predicates about integers in memory, which a value of the loop's function
// points to.
func ofCells(m *ir.Module, facts *absint.Facts, loops []*cut.Loop) (out []cut.Candidate) {
	if facts == nil || facts.Incomplete != "" {
		return nil
	}
	contexts := map[*ir.Func][]*absint.Context{}
	for _, c := range facts.Contexts {
		contexts[c.Func] = append(contexts[c.Func], c)
	}
	names := map[*ir.Func]map[string]ir.Value{}
	for _, l := range loops {
		if names[l.Func] == nil {
			names[l.Func] = addresses(l.Func)
		}
		dom := ir.Dominators(l.Func)
		known := map[invariant.Term]absdomain.Int{}
		reached := 0
		var order []invariant.Term
		for _, c := range contexts[l.Func] {
			inv, ok := c.At(l.Head)
			if !ok {
				continue
			}
			reached++
			here := map[invariant.Term]absdomain.Int{}
			for _, x := range inv.Cells {
				t, ok := cellAt(l, c, dom, names[l.Func], &x)
				if ok && x.Fact.Type().Kind == ir.Int {
					here[t] = x.Fact.Int()
					if reached == 1 {
						order = append(order, t)
					}
				}
			}
			if reached == 1 {
				known = here
				continue
			}
			for t, x := range known {
				if y, ok := here[t]; ok {
					known[t] = x.Join(y)
				} else {
					delete(known, t)
				}
			}
		}
		for _, t := range order {
			if x, ok := known[t]; ok {
				out = append(out, fewest(intBounds(l, t, x))...)
			}
		}
	}
	return out
}

// ofCases are the predicates of loops whose states were kept apart by a value: what holds where it is one of its
// keys, and that it is one.
func ofCases(m *ir.Module, facts *absint.Facts, loops []*cut.Loop) (out []cut.Candidate) {
	if facts == nil || facts.Incomplete != "" {
		return nil
	}
	contexts := map[*ir.Func][]*absint.Context{}
	for _, c := range facts.Contexts {
		contexts[c.Func] = append(contexts[c.Func], c)
	}
	for _, l := range loops {
		if of := contexts[l.Func]; len(of) == 1 { // what holds in one context only is no fact of the loop
			out = append(out, casesOf(l, of[0])...)
		}
	}
	return out
}

// casesOf are those of one loop.
func casesOf(l *cut.Loop, c *absint.Context) (out []cut.Candidate) {
	dom, names := ir.Dominators(l.Func), addresses(l.Func)
	// about gives what is known at the head, by terms.
	about := func(inv *absint.Invariant) (order []invariant.Term, known map[invariant.Term]absdomain.Int) {
		known = map[invariant.Term]absdomain.Int{}
		add := func(t invariant.Term, x absdomain.Int) {
			order = append(order, t)
			known[t] = x
		}
		for _, x := range inv.Values {
			d := l.Func.Def(x.Value)
			if d.Type.Kind == ir.Int && d.Type.Bits <= 64 && (d.Op == ir.Phi && d.Block == l.Head || d.Block != l.Head && dom.Dominates(d.Block, l.Head)) {
				add(invariant.Term{Value: x.Value, Bits: d.Type.Bits}, x.Fact.Int())
			}
		}
		for _, x := range inv.Cells {
			if t, ok := cellAt(l, c, dom, names, &x); ok && x.Fact.Type().Kind == ir.Int {
				add(t, x.Fact.Int())
			}
		}
		return order, known
	}
	all, ok := c.At(l.Head)
	if !ok {
		return nil
	}
	_, joined := about(&all)
	var keys []uint64
	var of invariant.Term
	for _, k := range c.Cases(l.Head) {
		d := l.Func.Def(k.Value)
		if d.Block == l.Head && d.Op != ir.Phi || d.Block != l.Head && !dom.Dominates(d.Block, l.Head) {
			return nil
		}
		of = invariant.Term{Coeff: 1, Value: k.Value, Bits: d.Type.Bits}
		keys = append(keys, k.Key)
		is := invariant.Comparison{Terms: []invariant.Term{of}, Relation: invariant.Congruent, Bound: new(big.Int).SetUint64(k.Key)}
		if of.Bits < 64 {
			is.Modulus = 1 << of.Bits
		}
		order, known := about(&k.Invariant)
		for _, t := range order {
			x, before := known[t], absdomain.Top(t.Bits)
			if y, ok := joined[t]; ok {
				before = y
			}
			if t.Value == k.Value && !t.Cell || before.Leq(x) {
				continue
			}
			more := slices.DeleteFunc(intBounds(l, t, x), func(p part) bool { return before.Leq(p.value) })
			for _, p := range fewest(more) {
				out = append(out, cut.Candidate{Loop: l, Predicate: invariant.Guarded{If: []invariant.Comparison{is}, Then: p.Predicate.(invariant.Comparison)}})
			}
		}
	}
	// Between the keys there is nothing.
	slices.Sort(keys)
	for i, k := range keys {
		if i > 0 && k-keys[i-1] > 1 && k-keys[i-1] <= maxHole {
			for n := keys[i-1] + 1; n < k; n++ {
				out = append(out, cut.Candidate{Loop: l, Predicate: invariant.Comparison{Terms: []invariant.Term{of}, Relation: invariant.NotEqual, Bound: new(big.Int).SetUint64(n)}})
			}
		}
	}
	return out
}

// maxHole bounds what is excluded between two keys, one by one.
const maxHole = 16

// addresses are the values of a function that are addresses of globals.
func addresses(f *ir.Func) map[string]ir.Value {
	out := map[string]ir.Value{}
	for v := range f.Values {
		if d := &f.Values[v]; d.Op == ir.GlobalAddr {
			out[d.Sym] = ir.Value(v)
		}
	}
	return out
}

// cellAt is the summand for a place in memory: by a value of the loop's function, or by the name of a global that the
// function does not use itself.
func cellAt(l *cut.Loop, c *absint.Context, dom *ir.DomTree, names map[string]ir.Value, x *absint.CellFact) (t invariant.Term, ok bool) {
	t = invariant.Term{Offset: x.Offset, Bits: uint32(8 * x.Size)}
	if g := x.Object.Global; g != nil && names[g.Name] == 0 {
		t.Global = g.Name
		return t, !g.Constant
	}
	at, begin, ok := address(l, c, dom, names, &x.Object)
	t.Value, t.Cell, t.Offset = at, true, x.Offset-begin
	return t, ok && x.Offset >= begin
}

// address is a value of the loop's function that points into an object of a context, and
// where.
func address(l *cut.Loop, c *absint.Context, dom *ir.DomTree, names map[string]ir.Value, o *absint.Object) (v ir.Value, at uint64, ok bool) {
	switch {
	case o.Global != nil:
		if v, ok = names[o.Global.Name]; ok {
			return v, 0, !o.Global.Constant
		}
	case o.Context != nil && !o.Heap && o.Context.Same(c):
		d := l.Func.Def(o.Site)
		return o.Site, 0, d.Op == ir.Alloca && d.Block != l.Head && dom.Dominates(d.Block, l.Head)
	}
	for _, v := range l.Func.Params {
		if x := c.Value(v); x.Type().Kind == ir.Ptr {
			if list, known := x.Targets(); known && len(list) == 1 && list[0].Same(o) {
				if at, ok := x.Int().Value(); ok {
					return v, at, true
				}
			}
		}
	}
	return 0, 0, false
}

// Heads are the predicates of loops that are not trivial.
func Heads(loops []*cut.Loop, candidates []cut.Candidate) (out []invariant.Head) {
	of := map[*cut.Loop][]invariant.Predicate{}
	for _, c := range candidates {
		if !invariant.Trivial(c.Predicate) {
			of[c.Loop] = append(of[c.Loop], c.Predicate)
		}
	}
	for _, l := range loops {
		out = append(out, invariant.Head{Func: l.Func.Name, Head: l.Head, Pos: l.Pos(), Predicates: of[l]})
	}
	return out
}
