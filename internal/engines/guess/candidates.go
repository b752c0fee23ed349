// Package guess guesses predicates that may hold at the heads of loops, and contracts of recursive
// functions: from what the program says (candidates, segments, series), and from runs of the
// interpreter, which break most of the wrong ones (sample). Nothing here is proved; package
// inference asks which of them hold.
package guess

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file guesses predicates of loop heads: rows of the template domains of
// intervals, zones, equalities and congruences [2LS §5.1.2] whose bounds come
// from the program: its constants, and the values that its guards compare.

// Limits of what is guessed for one loop.
const (
	maxConstants  = 24
	maxPartners   = 12
	maxCandidates = 600
)

// guesser collects the candidates of one loop.
type guesser struct {
	m    *ir.Module
	w    *cut.Writes
	l    *cut.Loop
	f    *ir.Func
	dom  *ir.DomTree
	out  []cut.Candidate
	seen map[string]bool
}

// Candidates guesses predicates for all loops.
func Candidates(m *ir.Module, loops []*cut.Loop) []cut.Candidate {
	var out []cut.Candidate
	w := cut.NewWrites(m)
	for _, l := range loops {
		g := &guesser{m: m, w: w, l: l, f: l.Func, dom: ir.Dominators(l.Func), seen: map[string]bool{}}
		g.guess()
		out = append(out, g.out...)
	}
	return out
}

func (g *guesser) guess() {
	var vars []cut.Place
	var phis []ir.Value
	for _, v := range g.f.Blocks[g.l.Head].Instrs {
		d := g.f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		if d.Type.Kind == ir.Int && d.Type.Bits <= 64 {
			phis = append(phis, v)
			vars = append(vars, cut.Place{Value: v, Bits: d.Type.Bits})
		}
	}
	cells := g.cells()
	g.floats(cells)
	for _, x := range cells {
		if !x.Float {
			vars = append(vars, x)
		}
	}
	constants, partners := g.compared(phis, cells)
	for _, x := range vars {
		bits := x.Bits
		if constants[bits] == nil {
			constants[bits] = []*big.Int{big.NewInt(0), big.NewInt(1)}
		}
		if bits == 1 {
			g.single(x, false, invariant.AtMost, 1, big.NewInt(0))
			g.single(x, false, invariant.AtMost, -1, big.NewInt(-1))
			continue
		}
		for _, signed := range []bool{true, false} {
			for _, c := range constants[bits] {
				n := c
				if !signed && n.Sign() < 0 {
					n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
				}
				g.single(x, signed, invariant.AtMost, 1, n)
				g.single(x, signed, invariant.AtMost, -1, new(big.Int).Neg(n))
			}
		}
		for _, c := range constants[bits] {
			g.single(x, true, invariant.NotEqual, 1, c)
		}
		g.congruences(x)
	}
	for i, x := range vars {
		for _, y := range vars[i+1:] {
			g.pair(x, y)
		}
		for _, y := range partners {
			g.pair(x, y)
		}
	}
}

// maxCells bounds the scalars in memory that are looked at.
const maxCells = 10

// cells are the scalar globals and locals that the loop writes, and the numbers
// of objects of pools.
func (g *guesser) cells() []cut.Place {
	globals, roots := g.written()
	var out []cut.Place
	for v := ir.Value(1); int(v) < len(g.f.Values); v++ {
		d := g.f.Def(v)
		if !roots[v] || d.Op != ir.Alloca || len(out) == maxCells {
			continue
		}
		if n := g.f.Def(d.Args[0]); n.Op == ir.Const && n.Const.Uint64() == d.Layout.Cell && d.Layout.Stride == 0 {
			if t, ok := g.scalar(v); ok {
				out = append(out, cut.Place{Value: v, Cell: true, Bits: t.Bits, Float: t.Kind == ir.Float})
			}
		}
	}
	counters := slices.Collect(maps.Values(g.m.Counters()))
	for _, x := range g.m.Globals {
		if !globals[x.Name] && !slices.Contains(counters, x.Name) || x.Constant || x.Size > 8 || x.Size&(x.Size-1) != 0 || x.Layout.Stride != 0 || x.Layout.Pointers || x.Layout.Cell != x.Size || len(out) == maxCells {
			continue
		}
		if v := g.w.Address(g.f, x.Name); v != 0 {
			t := cellType(g.m, x.Name, uint32(8*x.Size))
			out = append(out, cut.Place{Value: v, Cell: true, Bits: t.Bits, Float: t.Kind == ir.Float})
		}
	}
	return out
}

// written are the globals that the loop writes, the locals that are there at its head, and the
// parameters through which it writes.
func (g *guesser) written() (globals map[string]bool, roots map[ir.Value]bool) {
	e := &cut.Effects{Globals: map[string]bool{}, Params: map[int]bool{}}
	roots = map[ir.Value]bool{}
	for b := range g.f.Blocks {
		if !g.l.Blocks[ir.BlockID(b)] {
			continue
		}
		for _, v := range g.f.Blocks[b].Instrs {
			g.w.Instruction(g.f, v, e, func(r ir.Value) {
				switch d := g.f.Def(r); d.Op {
				case ir.GlobalAddr:
					e.Globals[d.Sym] = true
				case ir.Alloca:
					roots[r] = !g.l.Blocks[d.Block] && g.dom.Dominates(d.Block, g.l.Head)
				case ir.Param:
					roots[r] = true
				}
			})
		}
	}
	return e.Globals, roots
}

// scalar is the type of a number with which a local is read and written, if it is
// one.
func (g *guesser) scalar(v ir.Value) (t ir.Type, ok bool) {
	for w := 1; w < len(g.f.Values); w++ {
		d := g.f.Def(ir.Value(w))
		x := d.Type
		switch {
		case d.Op == ir.Load && d.Args[0] == v:
		case d.Op == ir.Store && d.Args[1] == v:
			x = g.f.Type(d.Args[0])
		default:
			continue
		}
		if x.Kind != ir.Int && x.Kind != ir.Float || x.Bits%8 != 0 || x.Bits > 64 || x == ir.FloatType(16) || ok && x != t {
			return t, false
		}
		t, ok = x, true
	}
	return t, ok
}

func (g *guesser) add(p invariant.Predicate) {
	if len(g.seen) >= maxCandidates {
		return
	}
	key := p.Text(func(t invariant.Term) string {
		return fmt.Sprint(t.Value, t.Cell, t.Signed)
	})
	if !g.seen[key] {
		g.seen[key] = true
		g.out = append(g.out, cut.Candidate{Loop: g.l, Predicate: p})
	}
}

func (g *guesser) single(x cut.Place, signed bool, r invariant.Relation, coeff int64, bound *big.Int) {
	g.add(invariant.Comparison{Terms: []invariant.Term{x.Term(coeff, signed)}, Relation: r, Bound: bound})
}

// pair guesses x - y <= c and y - x <= c, and x + y <= c, for small c.
func (g *guesser) pair(x, y cut.Place) {
	if x == y || x.Bits != y.Bits || x.Bits == 1 {
		return
	}
	for _, signed := range []bool{true, false} {
		for _, c := range []int64{0, 1, -1} {
			g.add(invariant.Comparison{Terms: []invariant.Term{x.Term(1, signed), y.Term(-1, signed)}, Bound: big.NewInt(c)})
			g.add(invariant.Comparison{Terms: []invariant.Term{y.Term(1, signed), x.Term(-1, signed)}, Bound: big.NewInt(c)})
		}
	}
	g.add(invariant.Comparison{Terms: []invariant.Term{x.Term(1, true), y.Term(-1, true)}, Relation: invariant.NotEqual, Bound: new(big.Int)})
	dx, dy := g.start(x), g.start(y)
	if dx != nil && dy != nil {
		g.equation([]invariant.Term{x.Term(1, true), y.Term(-1, true)}, new(big.Int).Sub(dx, dy))
		g.equation([]invariant.Term{x.Term(1, true), y.Term(1, true)}, new(big.Int).Add(dx, dy))
		// Steps a and b of constant size keep b*x - a*y.
		a, b := g.step(x), g.step(y)
		if a != 0 && b != 0 && Magnitude(a) <= 1<<16 && Magnitude(b) <= 1<<16 {
			e := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(b), dx), new(big.Int).Mul(big.NewInt(a), dy))
			g.equation([]invariant.Term{x.Term(b, true), y.Term(-a, true)}, e)
		}
	}
}

func (g *guesser) equation(terms []invariant.Term, bound *big.Int) {
	for _, p := range equation(terms, bound) {
		g.add(p)
	}
}

// equation says that a sum is bound: modulo 2^w if all terms have the width w,
// which is how programs compute and costs solvers least; else over the integers.
func equation(terms []invariant.Term, bound *big.Int) []invariant.Comparison {
	w := terms[0].Bits
	for _, t := range terms {
		if t.Bits != w || w > 64 {
			neg := make([]invariant.Term, len(terms))
			for i, t := range terms {
				t.Coeff = -t.Coeff
				neg[i] = t
			}
			return []invariant.Comparison{{Terms: terms, Bound: bound}, {Terms: neg, Bound: new(big.Int).Neg(bound)}}
		}
	}
	return []invariant.Comparison{{Terms: terms, Relation: invariant.Congruent, Bound: bound, Modulus: uint64(1) << w}}
}

func Magnitude(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// start is the constant with which a phi enters the loop, nil if there is none.
func (g *guesser) start(x cut.Place) *big.Int {
	d := g.f.Def(x.Value)
	var c *big.Int
	if x.Cell || d.Op != ir.Phi || d.Block != g.l.Head {
		return nil
	}
	for i, p := range g.f.Blocks[g.l.Head].Preds {
		if g.l.Blocks[p] {
			continue
		}
		a := g.f.Def(d.Args[i])
		if a.Op != ir.Const || a.Type.Kind != ir.Int || c != nil && c.Cmp(a.Const.Signed()) != 0 {
			return nil
		}
		c = a.Const.Signed()
	}
	return c
}

// step is the constant that an iteration adds to a phi, 0 if it is not seen.
func (g *guesser) step(x cut.Place) int64 {
	d := g.f.Def(x.Value)
	step := int64(0)
	for i, p := range g.f.Blocks[g.l.Head].Preds {
		if !g.l.Blocks[p] {
			continue
		}
		a := g.f.Def(d.Args[i])
		if a.Op != ir.Add && a.Op != ir.Sub || a.Args[0] != x.Value {
			return 0
		}
		c := g.f.Def(a.Args[1])
		if c.Op != ir.Const || !c.Const.Signed().IsInt64() {
			return 0
		}
		n := c.Const.Signed().Int64()
		if a.Op == ir.Sub {
			n = -n
		}
		if step != 0 && step != n {
			return 0
		}
		step = n
	}
	return step
}

// congruences guesses x modulo small powers of two, and the constants that
// the loop adds to it.
func (g *guesser) congruences(x cut.Place) {
	c := g.start(x)
	if c == nil {
		return
	}
	moduli := []uint64{2, 4}
	for b := ir.BlockID(1); int(b) < len(g.f.Blocks); b++ {
		if !g.l.Blocks[b] {
			continue
		}
		for _, v := range g.f.Blocks[b].Instrs {
			d := g.f.Def(v)
			if d.Op != ir.Add && d.Op != ir.Sub && d.Op != ir.Mul {
				continue
			}
			k := g.f.Def(d.Args[1])
			if k.Op == ir.Const && k.Const.Width() <= 64 {
				if n := Magnitude(k.Const.Int64()); n > 2 && n < 1<<20 {
					moduli = append(moduli, uint64(n))
				}
			}
		}
	}
	slices.Sort(moduli)
	for _, m := range slices.Compact(moduli) {
		g.add(invariant.Comparison{Terms: []invariant.Term{x.Term(1, false)}, Relation: invariant.Congruent, Bound: g.unsigned(x, c), Modulus: m})
	}
}

func (g *guesser) unsigned(x cut.Place, c *big.Int) *big.Int {
	if c.Sign() >= 0 {
		return c
	}
	return new(big.Int).Add(c, new(big.Int).Lsh(big.NewInt(1), uint(x.Bits)))
}

// compared collects the constants of the function by width, with their
// neighbours, and the integers from before the loop that are compared in it or
// combined with its phis: values, and scalars in memory other than the given ones.
func (g *guesser) compared(phis []ir.Value, cells []cut.Place) (constants map[uint32][]*big.Int, partners []cut.Place) {
	constants = map[uint32][]*big.Int{}
	seen := map[ir.Value]bool{}
	live := g.live()
	for v := ir.Value(1); int(v) < len(g.f.Values); v++ {
		d := g.f.Def(v)
		if d.Op == ir.Const && d.Type.Kind == ir.Int && d.Type.Bits <= 64 && d.Type.Bits > 1 {
			n := d.Const.Signed()
			for _, k := range []int64{0, 1, -1} {
				c := new(big.Int).Add(n, big.NewInt(k))
				if c.BitLen() < int(d.Type.Bits) {
					constants[d.Type.Bits] = append(constants[d.Type.Bits], c)
				}
			}
		}
		switch d.Op {
		case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.Add, ir.Sub, ir.Select:
			for _, a := range d.Args {
				if x := g.f.Def(a); x.Op == ir.PtrAdd {
					a = x.Args[1] // pointers are compared, by their offsets if the object is one
				}
				if len(partners) < maxPartners && !seen[a] {
					if g.before(a) && live(a) {
						partners = append(partners, g.value(a))
					} else if x, ok := g.kept(a); ok && !slices.Contains(cells, x) && !slices.Contains(partners, x) {
						partners = append(partners, x)
					}
				}
				seen[a] = true
			}
		}
	}
	// A phi that starts with a value from before the loop is compared with it.
	for _, x := range phis {
		for i, p := range g.f.Blocks[g.l.Head].Preds {
			if a := g.f.Def(x).Args[i]; !g.l.Blocks[p] && !seen[a] && g.before(a) {
				seen[a] = true
				partners = append(partners, g.value(a))
			}
		}
	}
	for bits, cs := range constants {
		if bits > 8 {
			cs = append(cs, big.NewInt(0), big.NewInt(1), big.NewInt(-1))
		}
		slices.SortFunc(cs, func(a, b *big.Int) int { return cmp.Or(a.CmpAbs(b), a.Cmp(b)) })
		cs = slices.CompactFunc(cs, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
		constants[bits] = cs[:min(len(cs), maxConstants)]
	}
	return constants, partners
}

// live says of values whether something that can come after the loop head uses them.
// The rest, such as the counters of loops that are over, is left out.
func (g *guesser) live() func(ir.Value) bool {
	reached := make([]bool, len(g.f.Blocks))
	used := make([]bool, len(g.f.Values))
	for work := []ir.BlockID{g.l.Head}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[b] {
			continue
		}
		reached[b] = true
		for _, v := range g.f.Blocks[b].Instrs {
			d := g.f.Def(v)
			for i, a := range d.Args {
				// What a phi is when the loop is entered is used before.
				used[a] = used[a] || d.Op != ir.Phi || b != g.l.Head || g.l.Blocks[g.f.Blocks[b].Preds[i]]
			}
		}
		work = append(work, g.f.Succs(b)...)
	}
	return func(v ir.Value) bool { return used[v] }
}

func (g *guesser) value(v ir.Value) cut.Place { return cut.Place{Value: v, Bits: g.f.Def(v).Type.Bits} }

// kept is a scalar global that the loop reads as the value v.
func (g *guesser) kept(v ir.Value) (x cut.Place, ok bool) {
	d := g.f.Def(v)
	if d.Op != ir.Load || d.Type.Kind != ir.Int || d.Type.Bits > 64 || !g.l.Blocks[d.Block] {
		return x, false
	}
	a := g.f.Def(d.Args[0])
	if a.Op != ir.GlobalAddr || g.m.Global(a.Sym) == nil || g.m.Global(a.Sym).Constant {
		return x, false
	}
	return cut.Place{Value: g.w.Address(g.f, a.Sym), Cell: true, Bits: d.Type.Bits}, true
}

// before says whether an integer is defined before the loop, as no constant.
func (g *guesser) before(v ir.Value) bool {
	d := g.f.Def(v)
	if d.Type.Kind != ir.Int || d.Type.Bits > 64 || d.Op == ir.Const {
		return false
	}
	return d.Op == ir.Param || d.Block != 0 && !g.l.Blocks[d.Block] && g.dom.Reachable(d.Block) && g.dom.Dominates(d.Block, g.l.Head)
}
