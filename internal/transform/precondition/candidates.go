package precondition

import (
	"math/big"
	"slices"

	"assay/internal/program/ir"
)

// This file lists conditions that are worth a try.

// limits are the least and the greatest number of an input.
func (x Input) limits() (low, high *big.Int) {
	one := big.NewInt(1)
	if !x.Signed {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(x.Bits)), one)
	}
	half := new(big.Int).Lsh(one, uint(x.Bits-1))
	return new(big.Int).Neg(half), half.Sub(half, one)
}

// maxConstants bounds the constants of the program that inputs are compared with.
const maxConstants = 4

// Candidates are the conditions about one or two inputs: weaker ones before
// stronger ones, where they are comparable.
func Candidates(m *ir.Module, inputs []Input) []Condition {
	constants := compared(m, inputs)
	var out []Condition
	add := func(a Atom) { out = append(out, Condition{a}) }
	ofInput := make([][]Atom, len(inputs))
	longest := 0
	for i, x := range inputs {
		low, high := x.limits()
		bound := func(r Relation, n *big.Int) {
			// The bounds of the type say nothing, beyond them is nothing.
			if n.Cmp(low) <= 0 && r == AtLeast || n.Cmp(high) >= 0 && r == AtMost || n.Cmp(low) < 0 || n.Cmp(high) > 0 {
				return
			}
			if a := (Atom{i, r, -1, n}); !slices.ContainsFunc(ofInput[i], a.same) {
				ofInput[i] = append(ofInput[i], a)
			}
		}
		extremes := []*big.Int{new(big.Int), low, high}
		if !x.Signed {
			extremes = extremes[1:]
		}
		for _, n := range extremes {
			ofInput[i] = append(ofInput[i], Atom{i, Differs, -1, n})
		}
		ns := []*big.Int{new(big.Int), big.NewInt(1)}
		for _, n := range constants[i] {
			if !slices.ContainsFunc(ns, func(k *big.Int) bool { return k.Cmp(n) == 0 }) {
				ns = append(ns, n)
			}
		}
		slices.SortFunc(ns, (*big.Int).Cmp)
		for _, n := range ns {
			bound(AtLeast, n)
		}
		slices.Reverse(ns)
		for _, n := range ns {
			bound(AtMost, n)
			bound(AtMost, new(big.Int).Sub(n, big.NewInt(1)))
		}
		longest = max(longest, len(ofInput[i]))
	}
	// All inputs in turn.
	for k := range longest {
		for _, atoms := range ofInput {
			if k < len(atoms) {
				add(atoms[k])
			}
		}
	}
	for i, x := range inputs {
		for j, y := range inputs[:i] {
			if x.Bits != y.Bits || x.Signed != y.Signed || x.Func != y.Func {
				continue
			}
			for _, r := range []Relation{Differs, AtMost, AtLeast, Less, Greater, Equal} {
				add(Atom{j, r, i, nil})
			}
		}
	}
	// Equality with a constant says the most.
	for i := range inputs {
		add(Atom{i, Equal, -1, new(big.Int)})
	}
	return out
}

// compared are the constants in comparisons of the program, by input of their width.
func compared(m *ir.Module, inputs []Input) [][]*big.Int {
	out := make([][]*big.Int, len(inputs))
	for _, f := range m.Funcs {
		for v := range f.Values {
			switch d := &f.Values[v]; d.Op {
			case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
				for _, a := range d.Args {
					c := f.Def(a)
					if c.Op != ir.Const || c.Type.Kind != ir.Int {
						continue
					}
					for i, x := range inputs {
						n := c.Const.Unsigned()
						if x.Signed {
							n = c.Const.Signed()
						}
						if x.Bits == c.Type.Bits && len(out[i]) < maxConstants && n.BitLen() < int(x.Bits)-1 &&
							!slices.ContainsFunc(out[i], func(k *big.Int) bool { return k.Cmp(n) == 0 }) {
							out[i] = append(out[i], n)
						}
					}
				}
			}
		}
	}
	return out
}

// Moderate is the condition that no input is near the bounds of its type: arithmetic
// with it has room.
func Moderate(inputs []Input) Condition {
	var out Condition
	for i := range inputs {
		out = append(out, inputs[i].moderate(i)...)
	}
	return out
}

func (x Input) moderate(i int) Condition {
	n := new(big.Int).Lsh(big.NewInt(1), uint(x.Bits/2)-1)
	out := Condition{{i, AtMost, -1, n}}
	if x.Signed {
		out = append(out, Atom{i, AtLeast, -1, new(big.Int).Neg(n)})
	}
	return out
}

// Weaker are weaker forms of an atom of a condition, the weakest first.
func Weaker(inputs []Input, a Atom) []Atom {
	if a.Right >= 0 || a.Relation != AtMost && a.Relation != AtLeast {
		return nil
	}
	low, high := inputs[a.Left].limits()
	one := big.NewInt(1)
	limit, next := high, new(big.Int).Sub(high, one)
	if a.Relation == AtLeast {
		limit, next = low, new(big.Int).Add(low, one)
	}
	half := new(big.Int).Quo(limit, big.NewInt(2))
	quarter := new(big.Int).Quo(limit, big.NewInt(4))
	var out []Atom
	for _, n := range []*big.Int{next, half, quarter} {
		if b := (Atom{a.Left, a.Relation, -1, n}); !b.Implies(a) {
			out = append(out, b)
		}
	}
	return out
}
