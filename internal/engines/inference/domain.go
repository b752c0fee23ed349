package inference

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file says which predicates belong to which template domain [2LS §5.1.2].

// Domain is a set of template domains.
type Domain uint8

// The domains. Polyhedra has the rows that the user gives, and those that the
// program's guards and assertions suggest.
const (
	Intervals  Domain = 1 << iota // bounds of one integer
	Zones                         // and of x - y
	Octagons                      // and of x + y
	Equalities                    // equations modulo 2^w, disequalities, congruences
	Polyhedra                     // bounds of other sums
)

// allows says whether a predicate may be tried.
func (o *Options) allows(p invariant.Predicate) bool {
	if o.Havoc || o.Domains == 0 {
		return !o.Havoc
	}
	switch p := p.(type) {
	case invariant.Comparison:
		if p.Relation == invariant.AtMost {
			return o.Domains&domainOf(p.Terms) != 0
		}
		return o.Domains&Equalities != 0
	case invariant.Order:
		return o.Domains&domainOf(p.Terms) != 0
	}
	return false
}

// domainOf lists the domains that have a row.
func domainOf(terms []invariant.Term) Domain {
	for _, t := range terms {
		if guess.Magnitude(t.Coeff) != 1 {
			return Polyhedra
		}
	}
	switch {
	case len(terms) <= 1:
		return Intervals | Zones | Octagons | Polyhedra
	case len(terms) > 2:
		return Polyhedra
	case terms[0].Coeff == terms[1].Coeff:
		return Octagons | Polyhedra
	}
	return Zones | Octagons | Polyhedra
}

// Limits of the rows of one loop.
const (
	maxRowIntegers = 7
	maxRows        = 60
)

// templateRows are the sums of a loop whose bounds are searched.
func (p *Search) templateRows(l *cut.Loop) [][]invariant.Term {
	var out [][]invariant.Term
	seen := map[string]bool{}
	add := func(terms ...invariant.Term) {
		if len(terms) == 0 || len(out) >= maxRows {
			return
		}
		slices.SortFunc(terms, func(a, b invariant.Term) int { return int(a.Value) - int(b.Value) })
		for range 2 { // both directions
			if key := fmt.Sprint(terms); !seen[key] {
				seen[key] = true
				out = append(out, terms)
			}
			terms = slices.Clone(terms)
			for i := range terms {
				terms[i].Coeff = -terms[i].Coeff
			}
		}
	}
	for _, r := range p.o.Rows {
		if terms, ok := p.parseRow(l, r); ok {
			add(terms...)
		}
	}
	domains := p.o.Domains
	if domains == 0 {
		domains = Zones | Polyhedra
	}
	if domains&Polyhedra != 0 && len(p.o.Rows) == 0 {
		for _, terms := range p.suggested(l) {
			add(terms...)
		}
	}
	var changing, fixed []cut.Place
	for _, x := range p.places[l] {
		switch {
		case x.Bits == 1 || x.Float:
		case x.Cell || l.Func.Def(x.Value).Block == l.Head:
			changing = append(changing, x)
		default:
			fixed = append(fixed, x)
		}
	}
	changing = changing[:min(len(changing), maxRowIntegers)]
	fixed = fixed[:min(len(fixed), maxRowIntegers)]
	if domains&(Intervals|Zones|Octagons) != 0 {
		for _, x := range changing {
			add(x.Term(1, true))
			add(x.Term(1, false))
		}
	}
	for i, x := range changing {
		for _, y := range append(slices.Clone(changing[i+1:]), fixed...) {
			if x.Bits != y.Bits {
				continue
			}
			if domains&(Zones|Octagons) != 0 {
				add(x.Term(1, true), y.Term(-1, true))
			}
			if domains&Octagons != 0 {
				add(x.Term(1, true), y.Term(1, true))
			}
		}
	}
	return out
}

// suggested are the sums that comparisons in the function of a loop are about.
func (p *Search) suggested(l *cut.Loop) [][]invariant.Term {
	var out [][]invariant.Term
	f := l.Func
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			switch d.Op {
			case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
			default:
				continue
			}
			signed := d.Op != ir.ULt && d.Op != ir.ULe
			terms, ok := p.linear(l, d.Args[0], 1, signed, nil, 6)
			if ok {
				terms, ok = p.linear(l, d.Args[1], -1, signed, terms, 6)
			}
			if ok && len(terms) > 0 && len(terms) <= 4 {
				out = append(out, terms)
			}
		}
	}
	return out
}

// linear reads a value as a sum over the integers at the head, constants left
// out; it ignores that they may wrap, for a row may be any sum.
func (p *Search) linear(l *cut.Loop, v ir.Value, coeff int64, signed bool, sum []invariant.Term, depth int) ([]invariant.Term, bool) {
	d := l.Func.Def(v)
	if d.Type.Kind != ir.Int || d.Type.Bits > 64 || depth == 0 || guess.Magnitude(coeff) > guess.MaxCoefficient {
		return nil, false
	}
	if x, ok := p.placeAt(l, v); ok {
		for i, t := range sum {
			if cut.PlaceOf(t) == x && t.Signed == signed {
				sum[i].Coeff += coeff
				if sum[i].Coeff == 0 {
					sum = slices.Delete(sum, i, i+1)
				}
				return sum, true
			}
		}
		return append(sum, x.Term(coeff, signed)), true
	}
	constant := func(a ir.Value) (int64, bool) {
		c := l.Func.Def(a)
		if c.Op != ir.Const || !c.Const.Signed().IsInt64() {
			return 0, false
		}
		n := c.Const.Signed().Int64()
		return n, guess.Magnitude(n) <= guess.MaxCoefficient
	}
	switch d.Op {
	case ir.Const:
		return sum, true
	case ir.Add, ir.Sub:
		sum, ok := p.linear(l, d.Args[0], coeff, signed, sum, depth-1)
		if !ok {
			return nil, false
		}
		if d.Op == ir.Sub {
			coeff = -coeff
		}
		return p.linear(l, d.Args[1], coeff, signed, sum, depth-1)
	case ir.Mul:
		for i := range 2 {
			if n, ok := constant(d.Args[i]); ok {
				return p.linear(l, d.Args[1-i], coeff*n, signed, sum, depth-1)
			}
		}
	case ir.Shl:
		if n, ok := constant(d.Args[1]); ok && n >= 0 && n < 10 {
			return p.linear(l, d.Args[0], coeff<<n, signed, sum, depth-1)
		}
	case ir.SExt, ir.ZExt, ir.Freeze:
		return p.linear(l, d.Args[0], coeff, d.Op == ir.SExt || d.Op == ir.Freeze && signed, sum, depth-1)
	}
	return nil, false
}

// Names are the C variables at a loop head: of several values of a variable the
// one at the head.
func Names(m *ir.Module, l *cut.Loop) map[string]ir.Value {
	f := l.Func
	names := map[string]ir.Value{}
	dom := ir.Dominators(f)
	rank := func(v ir.Value) int {
		d := f.Def(v)
		switch {
		case d.Block == l.Head && d.Op == ir.Phi:
			return 3
		case d.Op == ir.Param:
			return 1
		case d.Block != 0 && d.Block != l.Head && dom.Reachable(d.Block) && dom.Dominates(d.Block, l.Head):
			return 2
		}
		return 0
	}
	for b := 1; b < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != ir.Dbg || len(d.Args) == 0 {
				continue
			}
			name, x := f.Vars[d.Aux].Name, d.Args[0]
			if r := rank(x); r > 0 && (names[name] == 0 || r >= rank(names[name])) {
				names[name] = x
			}
		}
	}
	for _, g := range m.Globals {
		if g.CName == "" || names[g.CName] != 0 {
			continue
		}
		for v := 1; v < len(f.Values); v++ {
			if d := f.Def(ir.Value(v)); d.Op == ir.GlobalAddr && d.Sym == g.Name && g.Size <= 8 && g.Size&(g.Size-1) == 0 {
				names[g.CName] = ir.Value(v)
			}
		}
	}
	return names
}

// parseRow reads a row such as "x - 2*y"; false if a variable is not there.
func (p *Search) parseRow(l *cut.Loop, row string) ([]invariant.Term, bool) {
	summands, err := ParseRow(row)
	if err != nil {
		return nil, false
	}
	names := Names(p.m, l)
	var out []invariant.Term
	for _, s := range summands {
		v := names[s.Name]
		if v == 0 {
			return nil, false
		}
		d := l.Func.Def(v)
		x := cut.Place{Value: v, Bits: d.Type.Bits}
		if d.Op == ir.GlobalAddr {
			for _, g := range p.m.Globals {
				if g.Name == d.Sym {
					x.Cell, x.Bits = true, uint32(8*g.Size)
				}
			}
		} else if d.Type.Kind != ir.Int || d.Type.Bits > 64 {
			return nil, false
		}
		out = append(out, x.Term(s.Coeff, true))
	}
	return out, true
}

// Summand is a summand of a row as the user writes it.
type Summand struct {
	Coeff int64
	Name  string
}

// ParseRow reads a sum of variables with integer coefficients: "x - y",
// "2*x + y".
func ParseRow(row string) ([]Summand, error) {
	wrong := func() ([]Summand, error) {
		return nil, fmt.Errorf("%q is no sum of variables such as x - 2*y", row)
	}
	text := strings.ReplaceAll(row, " ", "")
	if text == "" {
		return wrong()
	}
	if text[0] != '-' && text[0] != '+' {
		text = "+" + text
	}
	var out []Summand
	for text != "" {
		s := Summand{Coeff: 1}
		if text[0] == '-' {
			s.Coeff = -1
		}
		text = text[1:]
		end := strings.IndexAny(text, "+-")
		if end < 0 {
			end = len(text)
		}
		item := text[:end]
		text = text[end:]
		if c, name, ok := strings.Cut(item, "*"); ok {
			var n int64
			if _, err := fmt.Sscanf(c+";", "%d;", &n); err != nil || n > guess.MaxCoefficient || n < 1 {
				return wrong()
			}
			s.Coeff, item = s.Coeff*n, name
		}
		if item == "" || strings.ContainsFunc(item, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) || item[0] <= '9' {
			return wrong()
		}
		s.Name = item
		out = append(out, s)
	}
	return out, nil
}
