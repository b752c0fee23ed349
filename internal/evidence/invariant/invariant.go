// Package invariant holds what is known of a loop head: predicates over the
// values that are there, as template rows are [2LS §5.1.2]. Engines find them,
// package certify proves them again, and a person reads them in C.
//
// All arithmetic of a comparison is that of the integers: a value of w bits is
// read as signed or unsigned, and nothing wraps.
package invariant

import (
	"fmt"
	"strings"

	"assay/internal/program/ir"
)

// Relation compares the sum of a Comparison with its bound.
type Relation uint8

// The relations.
const (
	AtMost    Relation = iota // sum <= Bound
	NotEqual                  // sum != Bound
	Congruent                 // sum = Bound modulo Modulus
)

// Term is a summand: Coeff times the value of an integer.
type Term struct {
	Coeff int64
	// Value is defined at the loop head: a phi of it, or a value, parameter or
	// constant that dominates it. If Cell, it is a pointer (the address of a
	// global, an Alloca, or a parameter that points into one object), and the summand is the integer of Bits bits that is stored
	// there, Offset bytes behind it, when the head is reached.
	Value  ir.Value
	Cell   bool
	Offset uint64
	// Stride, if not 0, makes the cell an element: the integer is stored Offset +
	// Stride*k bytes into the object (modulo 2^w for pointers of w bits), where k
	// is the bound integer of the ForAll.
	Stride uint64
	// Index: the summand is k itself; Value is 0, Bits the width of pointers.
	Index bool
	// Square: it is k*k, in equations modulo a power of two.
	Square bool
	// Bits is the width of the integer, at most 64; Signed says how it is read.
	Bits   uint32
	Signed bool
	// Float: the value is a floating-point number; only in an Order.
	Float bool
	// Up says that Value is one of the caller (1), of its caller (2), and so on, of
	// the call string of the Head; only in a Literal.
	Up int
	// If Global is not empty, the summand is the integer stored Offset bytes into that global; Value is 0.
	// In contracts that is when the function is left, or if Old, when it is entered; the value is a
	// parameter, or 0: the function's first result.
	Global string
	Old    bool
}

// Literal says that a bit of what a term names is 1, or 0 if Negated; Coeff and
// Signed have no meaning. The bits of a pointer are those of its offset.
type Literal struct {
	Term    Term
	Bit     uint32
	Negated bool
}

// Clause is a disjunction. It holds if it speaks of memory that is not there.
type Clause []Literal

// Call is a call instruction of a function.
type Call struct {
	Func  string
	Value ir.Value
}

// Predicate says something of the values at a loop head, or at the ends of a function.
// It is one of these:
//
//	Comparison    a sum of integers compared with a bound
//	Order         a bound of a float, or the order of two
//	Guarded       a comparison or an order, where some comparisons hold
//	ForAll        a comparison for all k of a range
//	*Polynomial   a sum of products that is 0, modulo a power of two
//	*SumEquation  an equation about sums of elements of arrays
//
// No other package can add to them. Code that reads predicates switches over their types, and
// says in the default what becomes of those that it does not know: it passes over them if
// it looks for something, and panics (Unexpected) if it says what a predicate means.
type Predicate interface {
	// Each calls f for all terms; the arrays of a SumEquation appear as elements.
	Each(f func(Term))
	// Text is the predicate in the syntax of C; name gives the names of the terms.
	// Sums are meant over the integers, but in equations modulo the size of a type:
	// those begin with a cast to the unsigned type in which they hold.
	Text(name func(Term) string) string
	// holds is Holds.
	holds(e *evaluation) bool
}

// Unexpected is the panic of who meets a predicate that it does not know.
func Unexpected(p Predicate) string { return fmt.Sprintf("unexpected predicate %T", p) }

// Atom is a predicate without quantifiers and conditions: a Comparison or an Order.
type Atom interface {
	Predicate
	atom()
}

func (Comparison) atom() {}
func (Order) atom()      {}

// Head is a loop head with what holds each time it is reached.
type Head struct {
	Func       string
	Head       ir.BlockID
	Pos        ir.Pos
	Predicates []Predicate
	// Clauses and Formulas hold if the function was entered by these calls, the outermost
	// first: one for each activation but the first. Without calls they hold always.
	Calls    []Call
	Clauses  []Clause
	Formulas []Formula // as clauses are
}

// Text is the clause in the syntax of C.
func (c Clause) Text(name func(Term) string) string {
	if len(c) == 0 {
		return "false"
	}
	var out []string
	for _, l := range c {
		t := name(l.Term)
		if l.Term.Bits > 1 {
			t = fmt.Sprintf("%s[%d]", t, l.Bit)
		}
		if l.Negated {
			t = "!" + t
		}
		out = append(out, t)
	}
	return strings.Join(out, " || ")
}

// Contract is what holds of a recursive function: if it is entered with
// parameters and globals that satisfy Pre, and if it returns, Post holds then.
// Summands of Pre are parameters and globals, all of them old.
type Contract struct {
	Func      string
	Pos       ir.Pos
	Pre, Post []Predicate
}
