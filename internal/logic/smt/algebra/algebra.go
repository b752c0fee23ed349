// Package algebra decides formulas with products, quotients and remainders of words
// without their circuits: the result of an operation is a free variable, about which
// lemmas are stated where a model breaks them, as package floats/ondemand does for
// floating point. The lemmas are equations that follow from others by calculation in the
// ring of the integers modulo 2^w:
//
//	a = y*r + x*p and a = k*b + c and c' = c - b imply a = (k+1)*b + c'
//
// which is what is to be shown of loops that keep polynomial equations
// [RodriguezCarbonellKapur07], and which no solver finds in circuits of multipliers. The
// SAT solver chooses: which equations of the formula hold, and which way values
// come (the branches of choices); package polynomial says whether an equation that is
// false in the model follows from those that are true, and the lemma names those that were
// needed. So the calculation never looks at more than one path.
//
// Invariants:
//
//	(1) Every lemma is valid: it holds in all assignments in which the variable of each
//	    operation has the operation's value. For polynomials this is checked by
//	    multiplying out the combination (polynomial.Ring.Proves). So what is
//	    unsatisfiable with lemmas is unsatisfiable.
//	(2) A model that breaks no lemma need not be one of the formula: inequalities between
//	    products are not looked at. Then there is no answer.
//	(3) A lemma is stated once, and there are finitely many choices of premises. Still the
//	    rounds for a question are bounded, for each path may need one.
//
// An equation between sums of products is a variable, too, for no model needs to know the
// sum; it gets its circuit, with variables for the products, if no lemma helps.
//
// Of comparisons by order is known what they say of such sums: the sides that are equal by
// calculation are (sides), and what is one beside the other in a model is an equation to
// try (tight), as that of i and n + 1 behind a loop that counts up to n.
//
// Of a division is known that x = (x/y)*y + x%y, and how large the remainder is; a value
// shifted right by a constant, or divided by a power of two, is a quotient, too.
package algebra

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/logic/polynomial"
	"assay/internal/logic/term"
)

// MinWidth is the least width of operations that become variables: circuits of smaller
// ones are easy.
const MinWidth = 16

// Limits of the lemmas.
const (
	maxEquations   = 2000 // of the formula
	maxGiven       = 300  // equations that are true in a model
	maxTargets     = 40   // equations that are asked about for one model
	maxPremises    = 80   // equations that are looked at for one of them
	maxWork        = 600  // combinations that are looked for in one model, if there is a lemma
	maxTotal       = 60000
	maxAtoms       = 50000
	maxNearest     = 16  // of these, which are tried first
	maxMinimized   = 24  // that a lemma may need, to look for fewer
	maxComparisons = 60  // by order that are looked at
	maxWays        = 24  // other than that of the model, for one of them
	maxExpanded    = 400 // terms that are looked into for one equation
	maxSize        = 120 // terms of its polynomial
	maxWrites      = 24  // that are looked through for what is read of an array
)

// Operations are those of one formula that became variables. It belongs to one
// goroutine.
type Operations struct {
	// Quick leaves out lemmas about what the goals do not say themselves: for questions
	// whose answer only saves something.
	Quick bool

	st        *term.Store
	least     uint32              // width of operations that become variables
	variables map[term.ID]term.ID // by operation
	abstract  map[term.ID]term.ID // terms with these instead; see refute.go
	divisions []term.ID           // that became variables
	// seen are terms that were watched, with whether there is an operation in them.
	seen      map[term.ID]bool
	kept      map[term.ID]bool // equations that become variables although there is none
	equations []term.ID
	// comparisons are those by order.
	comparisons []term.ID
	compared    []term.ID       // equations between their sides, for the model
	widths      map[uint32]bool // of operations
	stated      map[term.ID]bool
	numbers     map[term.ID]uint16 // variables of polynomials
	atoms       []term.ID          // by number - 1
	// work counts the combinations looked for since the model, total those before; found
	// the lemmas of the model.
	work, total, found int
}

// New has no operations yet.
func New(st *term.Store) *Operations {
	return &Operations{
		st: st, least: MinWidth, variables: map[term.ID]term.ID{}, abstract: map[term.ID]term.ID{}, seen: map[term.ID]bool{}, kept: map[term.ID]bool{}, widths: map[uint32]bool{},
		stated: map[term.ID]bool{}, numbers: map[term.ID]uint16{},
	}
}

// is says whether a term is an operation that becomes a variable.
func (o *Operations) is(t term.ID) bool {
	st := o.st
	switch st.Op(t) {
	case term.OpMul:
		return st.Width(t) >= o.least && !st.IsConst(st.Arg(t, 0)) && !st.IsConst(st.Arg(t, 1))
	case term.OpUDiv, term.OpURem, term.OpSDiv, term.OpSRem:
		// By a power of two it is a shift.
		return st.Width(t) >= o.least && !powerOfTwo(st, st.Arg(t, 1))
	}
	return false
}

func powerOfTwo(st *term.Store, t term.ID) bool {
	if !st.IsConst(t) {
		return false
	}
	n := st.ConstValue(t).Unsigned()
	return n.BitLen() == int(n.TrailingZeroBits())+1
}

// Leave gives the variable in the place of an operation, or of an equation in which there
// are some; others stay.
func (o *Operations) Leave(st *term.Store, t term.ID) term.ID {
	if !o.is(t) && !((o.seen[t] || o.kept[t]) && o.isEquation(t)) {
		return t
	}
	v, ok := o.variables[t]
	if !ok {
		v = st.Fresh("product", st.Sort(t))
		o.variables[t] = v
		if op := st.Op(t); op != term.OpMul && op != term.OpEq {
			o.divisions = append(o.divisions, t)
		}
	}
	return v
}

// Keep lets an equation of the least width become a variable although there is no operation in it, before the solver
// knows it.
func (o *Operations) Keep(e term.ID) {
	if o.isEquation(e) && o.st.Width(o.st.Arg(e, 0)) >= o.least {
		o.kept[e] = true
		o.widths[o.st.Width(o.st.Arg(e, 0))] = true
	}
}

// Watch looks for the equations in terms, of which lemmas will speak.
func (o *Operations) Watch(ts ...term.ID) {
	st := o.st
	stack := slices.Clone(ts)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if _, ok := o.seen[t]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		ready, has := true, o.is(t)
		for i := range st.NumArgs(t) {
			a := st.Arg(t, i)
			x, ok := o.seen[a]
			if !ok {
				ready = false
				stack = append(stack, a)
			}
			has = has || x
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		o.seen[t] = has
		if o.is(t) {
			o.widths[st.Width(t)] = true
		}
		switch st.Op(t) {
		case term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
			if st.Width(st.Arg(t, 0)) <= 64 {
				o.comparisons = append(o.comparisons, t)
			}
		}
		if o.isEquation(t) {
			o.equations = append(o.equations, t)
		}
	}
}

// isEquation says whether a term is an equation between words.
func (o *Operations) isEquation(t term.ID) bool {
	st := o.st
	if st.Op(t) != term.OpEq || st.Sort(st.Arg(t, 0)).Kind != term.SortBV {
		return false
	}
	w := st.Width(st.Arg(t, 0))
	return w > 1 && w <= 64
}

// Refine returns lemmas that a model breaks; value gives the values of terms in it, of an
// operation that of its variable. Goals are terms of which it is asked why they
// are true.
func (o *Operations) Refine(value func(term.ID) bv.BV, goals ...term.ID) []term.ID {
	if o.total += o.work; o.total > maxTotal || len(o.atoms) > maxAtoms {
		return nil
	}
	o.work, o.found = 0, 0
	var out []term.ID
	state := func(l term.ID) {
		if !o.stated[l] && !o.st.IsTrue(l) {
			o.stated[l] = true
			o.found++
			out = append(out, l)
		}
	}
	for _, d := range o.divisions {
		if l := o.bounds(d); !value(l).IsTrue() {
			state(l)
		}
	}
	yes, no := o.split(value)
	matter := o.matter(value, goals)
	var first, later []term.ID
	for _, e := range no {
		if matter[e] {
			first = append(first, e)
		} else {
			later = append(later, e)
		}
	}
	if o.follow(value, yes, first, state); o.Quick {
		o.Watch(out...)
		return out
	}
	if len(out) == 0 {
		o.follow(value, yes, later[max(0, len(later)-maxTargets):], state)
	}
	if len(out) == 0 {
		o.follow(value, yes, o.comparedSides(value, matter), state)
		for _, l := range slices.Clone(out) {
			for _, e := range o.compared {
				if o.mentions(l, e) {
					state(o.circuit(e))
				}
			}
		}
	}
	if len(out) == 0 {
		o.define(value, matter, state)
	}
	o.Watch(out...)
	return out
}

// Limits of the sides of comparisons.
const (
	maxSides = 24
	maxPairs = 30
)

// comparedSides are equations between what the goals compare by order, that are false in the
// model: of products, and of what they may be.
func (o *Operations) comparedSides(value func(term.ID) bv.BV, matter map[term.ID]bool) []term.ID {
	st := o.st
	var sides []term.ID
	for _, c := range o.comparisons {
		if !matter[c] {
			continue
		}
		for i := range 2 {
			if x := st.Arg(c, i); len(sides) < maxSides && !st.IsConst(x) && !slices.Contains(sides, x) {
				sides = append(sides, x)
			}
		}
	}
	o.compared = o.compared[:0]
	for i, a := range sides {
		for _, b := range sides[:i] {
			if (!o.seen[a] && !o.seen[b]) || st.Width(a) != st.Width(b) || value(a).Equal(value(b)) || len(o.compared) == maxPairs {
				continue
			}
			if e := st.Eq(a, b); st.Op(e) == term.OpEq {
				o.compared = append(o.compared, e)
			}
		}
	}
	return o.compared
}

// mentions says whether a disjunction has an equation.
func (o *Operations) mentions(l, e term.ID) bool {
	for o.st.Op(l) == term.OpOr {
		if o.mentions(o.st.Arg(l, 0), e) {
			return true
		}
		l = o.st.Arg(l, 1)
	}
	return l == e
}

// maxDefined bounds the equations that get their circuits at a time.
const maxDefined = 4

// define states what equations mean that are not so in the model, by a circuit. The
// first ones are enough for the next model.
func (o *Operations) define(value func(term.ID) bv.BV, matter map[term.ID]bool, state func(term.ID)) {
	st, n := o.st, 0
	for _, e := range o.equations {
		if !matter[e] || o.variables[e] == 0 || n == maxDefined {
			continue
		}
		if value(e).IsTrue() != value(st.Arg(e, 0)).Equal(value(st.Arg(e, 1))) {
			state(o.circuit(e))
			n++
		}
	}
}

// circuit says what an equation is, in another way, for which there is no variable.
func (o *Operations) circuit(e term.ID) term.ID {
	st := o.st
	a, b := st.Arg(e, 0), st.Arg(e, 1)
	return st.Not(st.Xor(e, st.And(st.ULe(a, b), st.ULe(b, a))))
}

// enough says that the work on a model should end.
func (o *Operations) enough() bool {
	return o.work > maxWork && o.found > 0 || o.work > 5*maxWork
}

// bounds says how large a quotient or remainder is.
func (o *Operations) bounds(t term.ID) term.ID {
	st := o.st
	x, y := st.Arg(t, 0), st.Arg(t, 1)
	zero := st.ConstU(st.Width(t), 0)
	switch st.Op(t) {
	case term.OpURem:
		return st.Or(st.Eq(y, zero), st.And(st.ULt(t, y), st.ULe(t, x)))
	case term.OpUDiv:
		return st.Or(st.Eq(y, zero), st.ULe(t, x))
	case term.OpSRem:
		// The sign is that of x, the size less than that of y.
		negative := func(t term.ID) term.ID { return st.SLt(t, zero) }
		size := func(t term.ID) term.ID { return st.Ite(negative(t), st.Neg(t), t) }
		return st.Or(st.Eq(y, zero), st.And(st.ULt(size(t), size(y)), st.Or(st.Eq(t, zero), st.Eq(negative(t), negative(x)))))
	}
	return st.True()
}

// known is an equation that is true in the model, as a polynomial that is 0.
type known struct {
	p        polynomial.Polynomial
	premises []term.ID
	equation term.ID // the premise that it is, 0 if it is none
}

// split tells the equations that are true in the model from others that are of interest.
func (o *Operations) split(value func(term.ID) bv.BV) (yes, no []term.ID) {
	for _, e := range o.equations[max(0, len(o.equations)-maxEquations):] {
		if value(e).IsTrue() {
			yes = append(yes, e)
		} else if o.widths[o.st.Width(o.st.Arg(e, 0))] || o.seen[e] {
			no = append(no, e)
		}
	}
	return yes, no
}

// matter are the equations because of which the goals have their values in the model.
func (o *Operations) matter(value func(term.ID) bv.BV, goals []term.ID) map[term.ID]bool {
	st := o.st
	seen := map[term.ID]bool{}
	stack := slices.Clone(goals)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] || st.Sort(t).Kind != term.SortBool {
			continue
		}
		seen[t] = true
		switch st.Op(t) {
		case term.OpAnd, term.OpOr:
			// Those arguments that alone make it what it is, or else both.
			a, b := st.Arg(t, 0), st.Arg(t, 1)
			decisive := st.Op(t) == term.OpOr
			x, y := value(a).IsTrue() == decisive, value(b).IsTrue() == decisive
			if x || !y {
				stack = append(stack, a)
			}
			if y || !x {
				stack = append(stack, b)
			}
		case term.OpIte:
			c := st.Arg(t, 0)
			stack = append(stack, c)
			if value(c).IsTrue() {
				stack = append(stack, st.Arg(t, 1))
			} else {
				stack = append(stack, st.Arg(t, 2))
			}
		default:
			for i := range st.NumArgs(t) {
				stack = append(stack, st.Arg(t, i))
			}
		}
	}
	return seen
}

// follow states which of the equations no follow from those of yes.
func (o *Operations) follow(value func(term.ID) bv.BV, yes, no []term.ID, state func(term.ID)) {
	byWidth := map[uint32][]term.ID{}
	var widths []uint32
	for _, e := range slices.Backward(no) {
		w := o.st.Width(o.st.Arg(e, 0))
		if byWidth[w] == nil {
			widths = append(widths, w)
		}
		if len(byWidth[w]) < maxTargets {
			byWidth[w] = append(byWidth[w], e)
		}
	}
	for _, w := range widths {
		newModel(o, value, w, nil).targets(byWidth[w], yes, state)
	}
}
