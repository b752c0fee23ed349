package tableau

import (
	"fmt"
	"slices"

	"assay/internal/temporal/ltl"
)

// This file writes formulas with few operators: negation, conjunctions of any number
// of formulas, equivalence, X and U. The others are
//
//	a || b = !(!a && !b)          F a = true U a
//	a ==> b = !(a && !b)          G a = !(true U !a)
//	a ^^ b = !(a <==> b)          a R b = !(!a U !b)
//	                              a W b = !(!b U (!a && !b))
//
// A signed formula is a core, which has no negation at the top, and a sign. So a
// formula and its negation, and those that differ in duals or in the order of
// conjunctions, have the same core; the claims that both are true exclude each other
// at once.

// signed is twice the number of a core, plus one for its negation.
type signed int

func (s signed) not() signed { return s ^ 1 }
func (s signed) core() int   { return int(s >> 1) }

// coreKind is the operator of a core.
type coreKind uint8

const (
	constant coreKind = iota // true
	prop
	conjunction
	equivalence
	next
	until
)

// core is a formula without negation at the top.
type core struct {
	kind     coreKind
	atom     int      // of prop
	operands []signed // sorted, for conjunction and equivalence
}

// maxCores bounds how many cores a formula has.
const maxCores = 256

// tooMany is the panic of a formula with more.
type tooMany struct{}

// cores are the cores of a formula.
type cores struct {
	all    []core
	number map[string]int
	atoms  []ltl.Atom
	memo   map[ltl.Formula]signed
}

// get is the number of a core.
func (c *cores) get(k core) signed {
	key := fmt.Sprint(k)
	i, ok := c.number[key]
	if !ok {
		if i = len(c.all); i == maxCores {
			panic(tooMany{})
		}
		c.number[key] = i
		c.all = append(c.all, k)
	}
	return signed(2 * i)
}

// truth is the constant true.
func (c *cores) truth() signed { return c.get(core{kind: constant}) }

// and is a conjunction: flat, sorted, without true and repetitions.
func (c *cores) and(fs ...signed) signed {
	var flat []signed
	for _, f := range fs {
		switch k := c.all[f.core()]; {
		case f == c.truth():
		case f == c.truth().not():
			return f
		case k.kind == conjunction && f&1 == 0:
			flat = append(flat, k.operands...)
		default:
			flat = append(flat, f)
		}
	}
	slices.Sort(flat)
	flat = slices.Compact(flat)
	switch len(flat) {
	case 0:
		return c.truth()
	case 1:
		return flat[0]
	}
	return c.get(core{kind: conjunction, operands: flat})
}

// of is a formula with these operators.
func (c *cores) of(f ltl.Formula) signed {
	if s, ok := c.memo[f]; ok {
		return s
	}
	s := c.make(f)
	c.memo[f] = s
	return s
}

func (c *cores) make(f ltl.Formula) signed {
	switch f := f.(type) {
	case ltl.Constant:
		if f {
			return c.truth()
		}
		return c.truth().not()
	case ltl.Prop:
		i := slices.Index(c.atoms, f.Atom)
		if i < 0 {
			i = len(c.atoms)
			c.atoms = append(c.atoms, f.Atom)
		}
		return c.get(core{kind: prop, atom: i})
	case ltl.Unary:
		a := c.of(f.F)
		switch f.Op {
		case ltl.NotOp:
			return a.not()
		case ltl.NextOp:
			// X !a is !X a.
			return c.get(core{kind: next, operands: []signed{a &^ 1}}) | a&1
		case ltl.FinallyOp:
			return c.until(c.truth(), a)
		case ltl.GloballyOp:
			return c.until(c.truth(), a.not()).not()
		}
	case ltl.Binary:
		a, b := c.of(f.L), c.of(f.R)
		switch f.Op {
		case ltl.AndOp:
			return c.and(a, b)
		case ltl.OrOp:
			return c.and(a.not(), b.not()).not()
		case ltl.ImpliesOp:
			return c.and(a, b.not()).not()
		case ltl.IffOp, ltl.XorOp:
			// Signs outwards: !a <==> b is !(a <==> b).
			sign := (a ^ b) & 1
			if f.Op == ltl.XorOp {
				sign ^= 1
			}
			return c.get(core{kind: equivalence, operands: []signed{min(a, b) &^ 1, max(a, b) &^ 1}}) | sign
		case ltl.UntilOp:
			return c.until(a, b)
		case ltl.ReleaseOp:
			return c.until(a.not(), b.not()).not()
		case ltl.WeakUntilOp:
			return c.until(b.not(), c.and(a.not(), b.not())).not()
		}
	}
	panic(fmt.Sprintf("unexpected %v", f))
}

func (c *cores) until(a, b signed) signed { return c.get(core{kind: until, operands: []signed{a, b}}) }
