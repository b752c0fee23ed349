package show

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// loopRanking shows the ranking functions of a loop in terms of C.
func loopRanking(m *ir.Module, l *verdict.RankedLoop, heads []invariant.Head) Ranking {
	out := Ranking{Pos: PositionOf(m, l.Pos), Func: ir.NameInC(l.Func), Recursion: l.Recursion}
	names := newNamer(m, m.Func(l.Func))
	name := names.name
	for _, f := range l.Functions {
		if sum, w, ok := vanishing(f); ok {
			out.Functions = append(out.Functions, fmt.Sprintf("%d - (number of low zero bits of %s)", w, invariant.SumText(sum.Terms, sum.Constant, name)))
			continue
		}
		var text string
		for _, c := range f {
			if len(f) == 1 {
				c = reduced(c)
			}
			sum := invariant.SumText(c.Terms, c.Constant, name)
			if len(c.When) == 0 {
				text += sum
				continue
			}
			var when []string
			for i := range c.When {
				when = append(when, c.When[i].Text(name))
			}
			text += strings.Join(when, " && ") + " ? " + sum + " : "
		}
		out.Functions = append(out.Functions, text)
	}
	for i := range heads {
		if heads[i].Func == l.Func && heads[i].Head == l.Head {
			out.Invariants = append(out.Invariants, names.texts(heads[i].Predicates, nil)...)
		}
	}
	return out
}

// reduced is a sum divided by what its coefficients have in common: it goes down where the sum does.
func reduced(c verdict.RankingCase) verdict.RankingCase {
	common := new(big.Int)
	for _, t := range c.Terms {
		common.GCD(nil, nil, common, new(big.Int).Abs(big.NewInt(t.Coeff)))
	}
	if !common.IsInt64() || common.Int64() <= 1 {
		return c
	}
	c.Terms = slices.Clone(c.Terms)
	for i := range c.Terms {
		c.Terms[i].Coeff /= common.Int64()
	}
	c.Constant /= common.Int64()
	return c
}

// vanishing says that a function is w less the number of low bits that are 0 of a sum modulo 2^w, which
// has a case for each number.
func vanishing(f verdict.RankingFunction) (sum verdict.RankingCase, w int, ok bool) {
	w = len(f) - 1
	if w < 2 || len(f[w].Terms) > 0 || f[w].Constant != int64(w) {
		return sum, 0, false
	}
	for i, c := range f[:w] {
		if len(c.When) != 1 || len(c.Terms) > 0 || c.Constant != int64(i) {
			return sum, 0, false
		}
		p := &c.When[0]
		if p.Relation != invariant.Congruent || p.Modulus != 1<<(w-i) || p.Bound.Cmp(f[0].When[0].Bound) != 0 || !slices.Equal(p.Terms, f[0].When[0].Terms) {
			return sum, 0, false
		}
	}
	p := &f[0].When[0]
	if !p.Bound.IsInt64() {
		return sum, 0, false
	}
	return verdict.RankingCase{Terms: p.Terms, Constant: -p.Bound.Int64()}, w, true
}
