// Package ondemand decides formulas with floating-point arithmetic without
// most of its circuits: the result of an operation is a free variable, about
// which lemmas are stated where a model breaks them, as is done for arrays
// [BrummayerBiere09]. The lemmas are facts of interval arithmetic, as in abstract
// conflict-driven learning [BrainDSilvaGriggioHallerKroening14]:
//
//	0 <= a <= 2 and -1 <= b <= 1 imply -1 <= a+b <= 3
//
// in which the boxes of the operands are cut finer where models ask for it
// (box.go). Most proofs about filters, controllers and approximations rest on
// bounds with some room, and need few lemmas, where a circuit of a product of doubles
// has 26,000 gates. What no lemma of a reasonable fineness decides, such as that a sum
// is exact, gets its circuit, one operation at a time.
//
// Invariants:
//
//	(1) Every lemma is valid: it holds in all assignments in which the variable
//	    of each operation has the operation's value. So what is unsatisfiable
//	    with lemmas is unsatisfiable.
//	(2) Refine returns no lemma only if in the model every variable has the
//	    value of its operation. So a model at the end is one of the formula.
//	(3) Refine can be called only finitely often before (2): the level of
//	    fineness grows when no lemma of the level is broken, each operation has at
//	    most maxLemmas of them, and then gets its circuit.
//
// [BrainDSilvaGriggioHallerKroening14] decide on bounds of variables in a solver of
// their own; here the SAT solver does, for the comparisons with the corners of the
// boxes are terms as all others.
package ondemand

import (
	"cmp"
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/logic/bv"
	"assay/internal/logic/floats"
	"assay/internal/logic/term"
)

// Limits of the lemmas.
const (
	maxLevel = 7 // boxes are cut in two so often
	coarse   = 0 // so often if nothing depends on it
	// Rounds of lemmas without circuits, at the coarse level and at all.
	coarseRounds = 40
	fineRounds   = 80
	maxLemmas    = 48 // about one operation, for one question
	// The total bounds the work on formulas with many operations.
	maxTotal = 20000
)

// Operations are those of one formula that became variables. It belongs to one
// goroutine.
type Operations struct {
	st     *term.Store
	all    []operation
	order  []int           // of all, sorted by term
	index  map[term.ID]int // of an operation
	bounds map[term.ID][]float64
	own    map[term.ID]bool // comparisons of lemmas
	level  int
	round  int
	lemmas int
	// circuits counts operations with circuits.
	circuits int
}

// operation is one of them.
type operation struct {
	t, variable term.ID
	lemmas      int  // for the question under way
	nan         bool // that a NaN makes a NaN was stated
	circuit     bool
	stated      map[box]bool
	now         absdomain.Float // of the boxes of the operands
}

// New has no operations yet.
func New(st *term.Store) *Operations {
	return &Operations{st: st, index: map[term.ID]int{}, bounds: map[term.ID][]float64{}, own: map[term.ID]bool{}}
}

// Restart begins with coarse lemmas again, for another question.
func (o *Operations) Restart() {
	o.level, o.round = 0, 0
	for i := range o.all {
		o.all[i].lemmas = 0
	}
}

// Lower is floats.Lower, but gives a variable in the place of operations whose
// circuit is large. An operation gets the same variable each time.
func (o *Operations) Lower(st *term.Store, t term.ID) term.ID {
	if i, ok := o.index[t]; ok {
		return o.all[i].variable
	}
	switch op := st.Op(t); op {
	case term.OpFAdd, term.OpFMul, term.OpFDiv, term.OpFSqrt:
		if st.Width(t) < 32 {
			break
		}
		v := st.Fresh("float", term.BitVec(st.Width(t)))
		o.index[t] = len(o.all)
		o.all = append(o.all, operation{t: t, variable: v, stated: map[box]bool{}})
		return v
	case term.OpFEq, term.OpFLt, term.OpFLe:
		if !o.own[t] {
			o.compared(t)
		}
	}
	return floats.Lower(st, t)
}

// Circuits counts the operations that got their circuits.
func (o *Operations) Circuits() int { return o.circuits }

// Refine returns lemmas that the model breaks, none if it is one of the
// formula. Value gives the values of terms in the model: of an operation that of its
// variable.
func (o *Operations) Refine(value func(term.ID) bv.BV) []term.ID {
	wrong := o.wrong(value)
	out := o.refine(wrong, value, maxLevel, true)
	if len(wrong) > 0 && len(out) == 0 {
		for _, i := range wrong {
			out = append(out, o.full(&o.all[i]))
		}
	}
	o.lemmas += len(out)
	return out
}

// refineCoarsely is Refine without the finer levels and without circuits.
func (o *Operations) refineCoarsely(value func(term.ID) bv.BV) []term.ID {
	return o.refineOnly(value, coarse, coarseRounds)
}

// refineFinely is Refine without circuits.
func (o *Operations) refineFinely(value func(term.ID) bv.BV) []term.ID {
	return o.refineOnly(value, maxLevel, fineRounds)
}

func (o *Operations) refineOnly(value func(term.ID) bv.BV, finest, rounds int) []term.ID {
	if o.round++; o.round > rounds {
		return nil
	}
	out := o.refine(o.wrong(value), value, finest, false)
	o.lemmas += len(out)
	return out
}

// wrong lists the operations whose variables have not their values.
func (o *Operations) wrong(value func(term.ID) bv.BV) []int {
	for n := len(o.order); n < len(o.all); n++ {
		o.order = append(o.order, n)
	}
	slices.SortFunc(o.order, func(i, j int) int { return cmp.Compare(o.all[i].t, o.all[j].t) }) // operands first
	var wrong []int
	for _, i := range o.order {
		if x := &o.all[i]; !x.circuit && !o.right(x, value) {
			wrong = append(wrong, i)
		}
	}
	return wrong
}

// refine states lemmas of the coarsest level of which some are broken.
func (o *Operations) refine(wrong []int, value func(term.ID) bv.BV, finest int, circuits bool) []term.ID {
	var out []term.ID
	for ; o.level <= finest && o.lemmas < maxTotal && len(wrong) > 0; o.level++ {
		next := 0
		for _, i := range o.order {
			x := &o.all[i]
			if next == len(wrong) {
				break
			}
			if wrong[next] != i { // only for what it makes of its operands
				o.lemma(x, value)
				continue
			}
			next++
			if x.lemmas >= maxLemmas {
				if circuits {
					out = append(out, o.full(x))
				}
				continue
			}
			if !x.nan {
				x.nan = true
				out = append(out, o.notANumber(x))
			}
			if l := o.lemma(x, value); l != 0 {
				x.lemmas++
				out = append(out, l)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// right says whether the variable has the value of the operation.
func (o *Operations) right(x *operation, value func(term.ID) bv.BV) bool {
	var args [3]term.ID
	n := o.st.NumArgs(x.t)
	for i := range n {
		args[i] = o.st.Const(value(o.st.Arg(x.t, i)))
	}
	return o.st.ConstValue(o.fold(o.st.Op(x.t), args[:n])).Equal(value(x.variable))
}

// fold is the value of an operation on constants.
func (o *Operations) fold(op term.Op, args []term.ID) term.ID {
	switch op {
	case term.OpFAdd:
		return o.st.FAdd(args[0], args[1])
	case term.OpFMul:
		return o.st.FMul(args[0], args[1])
	case term.OpFDiv:
		return o.st.FDiv(args[0], args[1])
	}
	return o.st.FSqrt(args[0])
}

// full states that the variable is the operation.
func (o *Operations) full(x *operation) term.ID {
	x.circuit = true
	o.circuits++
	return o.st.Eq(x.variable, floats.Lower(o.st, x.t))
}
