package precondition

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/transform"
)

// Relation of an atom.
type Relation uint8

// The relations.
const (
	AtMost Relation = iota
	AtLeast
	Less
	Greater
	Equal
	Differs
)

var relationText = [...]string{"<=", ">=", "<", ">", "==", "!="}

// Atom compares an input with another one, or with a constant. Inputs are numbered as
// Inputs lists them, and compared as numbers of the type of Left.
type Atom struct {
	Left     int
	Relation Relation
	Right    int      // an input of the same type, or -1
	Constant *big.Int // then
}

// Condition is a conjunction.
type Condition []Atom

// Text is the atom in C.
func (a Atom) Text(inputs []Input) string {
	right := ""
	if a.Right >= 0 {
		right = inputs[a.Right].Name
	} else {
		right = a.Constant.String()
	}
	return fmt.Sprintf("%s %s %s", inputs[a.Left].Name, relationText[a.Relation], right)
}

// Text is the condition in C.
func (c Condition) Text(inputs []Input) string {
	var parts []string
	for _, a := range c {
		parts = append(parts, a.Text(inputs))
	}
	return strings.Join(parts, " && ")
}

// interval is what an atom about a constant leaves of an input, nil for no bound.
func (a Atom) interval() (low, high *big.Int, ok bool) {
	if a.Right >= 0 {
		return nil, nil, false
	}
	switch one := big.NewInt(1); a.Relation {
	case AtMost:
		return nil, a.Constant, true
	case AtLeast:
		return a.Constant, nil, true
	case Less:
		return nil, one.Sub(a.Constant, one), true
	case Greater:
		return one.Add(a.Constant, one), nil, true
	case Equal:
		return a.Constant, a.Constant, true
	}
	return nil, nil, false
}

// same says that two atoms are about the same constant in the same way.
func (a Atom) same(b Atom) bool {
	return a.Left == b.Left && a.Relation == b.Relation && a.Right < 0 && b.Right < 0 && a.Constant.Cmp(b.Constant) == 0
}

// Implies says that the atom is at least as strong as another one, as far as that is
// easily seen.
func (a Atom) Implies(b Atom) bool {
	if a.Left == b.Left && a.Right >= 0 && a.Right == b.Right {
		switch {
		case a.Relation == b.Relation:
			return true
		case a.Relation == Less:
			return b.Relation == AtMost || b.Relation == Differs
		case a.Relation == Greater:
			return b.Relation == AtLeast || b.Relation == Differs
		case a.Relation == Equal:
			return b.Relation == AtMost || b.Relation == AtLeast
		}
		return false
	}
	if a.Left != b.Left || a.Right >= 0 || b.Right >= 0 {
		return false
	}
	if a.same(b) {
		return true
	}
	low, high, ok := a.interval()
	if !ok {
		return false
	}
	if b.Relation == Differs {
		return low != nil && low.Cmp(b.Constant) > 0 || high != nil && high.Cmp(b.Constant) < 0
	}
	l, h, ok := b.interval()
	return ok && (l == nil || low != nil && low.Cmp(l) >= 0) && (h == nil || high != nil && high.Cmp(h) <= 0)
}

// Implies says the same of conditions.
func (c Condition) Implies(d Condition) bool {
	for _, b := range d {
		if !slices.ContainsFunc(c, func(a Atom) bool { return a.Implies(b) }) {
			return false
		}
	}
	return true
}

// Holds evaluates the atom; nil values are inputs that were not read, of which
// everything holds.
func (a Atom) Holds(inputs []Input, values []*bv.BV) bool {
	x := values[a.Left]
	if x == nil || a.Right >= 0 && values[a.Right] == nil {
		return true
	}
	var y bv.BV
	if a.Right >= 0 {
		y = *values[a.Right]
	} else {
		y = bv.FromBig(x.Width(), a.Constant)
	}
	order := x.Cmp(y)
	if inputs[a.Left].Signed {
		order = x.SCmp(y)
	}
	switch a.Relation {
	case AtMost:
		return order <= 0
	case AtLeast:
		return order >= 0
	case Less:
		return order < 0
	case Greater:
		return order > 0
	case Equal:
		return order == 0
	}
	return order != 0
}

// Holds evaluates the condition.
func (c Condition) Holds(inputs []Input, values []*bv.BV) bool {
	for _, a := range c {
		if !a.Holds(inputs, values) {
			return false
		}
	}
	return true
}

// Assume is the program in which a run ends where an atom does not hold, once its
// inputs are read. An atom about two inputs of different functions is assumed where
// the later one is read; there is no such program if it cannot be told which one that is.
func Assume(m *ir.Module, inputs []Input, c Condition) *transform.Program {
	out := m.Clone()
	for _, a := range c {
		x := inputs[a.Left]
		last := x
		if a.Right >= 0 {
			y := inputs[a.Right]
			if y.Func != x.Func {
				return nil
			}
			dom := ir.Dominators(out.Func(x.Func))
			switch bx, by := out.Func(x.Func).Def(x.Value).Block, out.Func(x.Func).Def(y.Value).Block; {
			case bx == by:
				at := out.Func(x.Func).Blocks[bx].Instrs
				if slices.Index(at, x.Value) < slices.Index(at, y.Value) {
					last = y
				}
			case dom.Dominates(bx, by):
				last = y
			case !dom.Dominates(by, bx):
				return nil
			}
		}
		assume(out.Func(x.Func), inputs, a, last.Value)
	}
	if err := ir.Verify(out); err != nil {
		panic("precondition: the program that assumes it is malformed: " + err.Error())
	}
	return &transform.Program{From: m, Module: out, Runs: transform.Fewer}
}

// assume puts an atom behind an instruction.
func assume(f *ir.Func, inputs []Input, a Atom, after ir.Value) {
	x := inputs[a.Left]
	e := &ir.Editor{Func: f}
	left := x.Value
	var right ir.Value
	if a.Right >= 0 {
		right = inputs[a.Right].Value
	} else {
		right = e.Constant(bv.FromBig(x.Bits, a.Constant))
	}
	less, atMost := ir.ULt, ir.ULe
	if x.Signed {
		less, atMost = ir.SLt, ir.SLe
	}
	var op ir.Op
	switch a.Relation {
	case AtMost:
		op = atMost
	case AtLeast:
		op, left, right = atMost, right, left
	case Less:
		op = less
	case Greater:
		op, left, right = less, right, left
	case Equal:
		op = ir.Eq
	case Differs:
		op = ir.Ne
	}
	e.After(after, func() { e.Op(ir.Assume, ir.Type{}, e.Op(op, ir.BoolType, left, right)) })
}
