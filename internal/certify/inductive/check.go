// Package inductive checks invariants of transition systems on the terms of the
// system, with Z3: it shares neither circuits nor clauses nor the SAT solver with
// the engines that find them. What Z3 itself found (Spacer) is checked with CaDiCaL.
package inductive

import (
	"context"
	"fmt"
	"math/big"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

// unroller instantiates the terms of a system for the steps of a run. States
// after step 0 are next-state terms, not variables.
type unroller struct {
	s     *ts.System
	bad   []int
	inv   *ts.Invariant
	steps []map[term.ID]term.ID
}

// at is the replacement of variables in step k; step 0 has the variables of the
// system itself.
func (u *unroller) at(k int) map[term.ID]term.ID {
	store := u.s.Store
	for len(u.steps) <= k {
		m := map[term.ID]term.ID{}
		if n := len(u.steps); n > 0 {
			var next []term.ID
			for _, v := range u.s.States {
				next = append(next, v.Next)
			}
			if n > 1 {
				next = store.SubstituteAll(next, u.steps[n-1])
			}
			for i, v := range u.s.States {
				m[v.Term] = next[i]
			}
			for _, v := range u.s.Inputs {
				m[v.Term] = store.Fresh(fmt.Sprintf("%s@%d", v.Name, n), store.Sort(v.Term))
			}
		}
		u.steps = append(u.steps, m)
	}
	return u.steps[k]
}

func (u *unroller) terms(k int, list []term.ID) []term.ID {
	m := u.at(k)
	if k == 0 {
		return list
	}
	return u.s.Store.SubstituteAll(list, m)
}

func (u *unroller) state(k, i int) term.ID {
	v := u.s.States[i].Term
	if k == 0 {
		return v
	}
	return u.at(k)[v]
}

// literal is the truth of a literal in step k.
func (u *unroller) literal(k int, l ts.Literal) term.ID {
	store := u.s.Store
	t := u.state(k, int(l.State))
	if store.Sort(t).Kind == term.SortBV {
		bit := uint64(1)
		if l.Negated {
			bit = 0
		}
		return store.Eq(store.Extract(t, l.Bit, l.Bit), store.ConstU(1, bit))
	}
	if l.Negated {
		return store.Not(t)
	}
	return t
}

// badTerms are the bad conditions in step k.
func (u *unroller) badTerms(k int) []term.ID {
	var list []term.ID
	for _, i := range u.bad {
		list = append(list, u.s.Bad[i].Term)
	}
	return u.terms(k, list)
}

// word collects literals that fix bits of one state variable.
type word struct {
	state       int
	mask, value *big.Int
}

// words groups literals by state; the order is that of first occurrence.
func words(literals []ts.Literal) []word {
	at := map[int32]int{}
	var out []word
	for _, l := range literals {
		i, ok := at[l.State]
		if !ok {
			i = len(out)
			at[l.State] = i
			out = append(out, word{int(l.State), new(big.Int), new(big.Int)})
		}
		out[i].mask.SetBit(out[i].mask, int(l.Bit), 1)
		if !l.Negated {
			out[i].value.SetBit(out[i].value, int(l.Bit), 1)
		}
	}
	return out
}

// equal is the conjunction of the literals of one word, in step k, as an equation
// of words: Z3's preprocessing then sees constants and not thousands of bits.
func (u *unroller) equal(k int, w word) term.ID {
	store := u.s.Store
	t := u.state(k, w.state)
	if store.Sort(t).Kind == term.SortBool {
		if w.value.Sign() == 0 {
			return store.Not(t)
		}
		return t
	}
	lo, hi := uint32(w.mask.TrailingZeroBits()), uint32(w.mask.BitLen()-1)
	t = store.Extract(t, hi, lo)
	width := hi - lo + 1
	mask := bv.FromBig(width, new(big.Int).Rsh(w.mask, uint(lo)))
	if !mask.IsOnes() {
		t = store.BVAnd(t, store.Const(mask))
	}
	return store.Eq(t, store.Const(bv.FromBig(width, new(big.Int).Rsh(w.value, uint(lo)))))
}

// parts are the conjuncts of P in step k, but for the cubes: equations for the
// clauses of one literal, and the other clauses.
func (u *unroller) parts(k int) []term.ID {
	store := u.s.Store
	var units []ts.Literal
	var out []term.ID
	seen := map[ts.Literal]bool{}
	for _, clause := range u.inv.Clauses {
		if len(clause) == 1 {
			opposite := clause[0]
			opposite.Negated = !opposite.Negated
			if !seen[opposite] { // an equation cannot hold both
				seen[clause[0]] = true
				units = append(units, clause[0])
				continue
			}
		}
		c := store.False()
		for _, l := range clause {
			c = store.Or(c, u.literal(k, l))
		}
		out = append(out, c)
	}
	for _, w := range words(units) {
		out = append(out, u.equal(k, w))
	}
	out = append(out, u.terms(k, u.inv.Formulas)...)
	for _, b := range u.badTerms(k) {
		out = append(out, store.Not(b))
	}
	return out
}

// cube says that the i-th cube holds in step k.
func (u *unroller) cube(k, i int) term.ID {
	store := u.s.Store
	all := store.True()
	for _, w := range words(u.inv.Cubes[i]) {
		all = store.And(all, u.equal(k, w))
	}
	return all
}

// covered says that one of the cubes holds in step k.
func (u *unroller) covered(k int) term.ID {
	store := u.s.Store
	some := store.False()
	for i := range u.inv.Cubes {
		some = store.Or(some, u.cube(k, i))
	}
	return some
}

// holds asserts P in step k.
func (u *unroller) holds(solver smt.Solver, k int) {
	for _, t := range u.parts(k) {
		solver.Assert(t)
	}
	if len(u.inv.Cubes) > 0 {
		solver.Assert(u.covered(k))
	}
}

// fails is the negation of P in step k.
func (u *unroller) fails(k int) term.ID {
	store := u.s.Store
	f := store.False()
	for _, t := range u.parts(k) {
		f = store.Or(f, store.Not(t))
	}
	if len(u.inv.Cubes) > 0 {
		f = store.Or(f, store.Not(u.covered(k)))
	}
	return f
}

// path asserts that steps 0 to k are a part of a run.
func (u *unroller) path(solver smt.Solver, k int) {
	for j := range k + 1 {
		for _, t := range u.terms(j, u.s.Constraints) {
			solver.Assert(t)
		}
		if j < k {
			for _, t := range u.terms(j, u.s.Transitions) {
				solver.Assert(t)
			}
		}
	}
}

func (u *unroller) initial(solver smt.Solver) {
	store := u.s.Store
	for _, v := range u.s.States {
		if v.Init != 0 {
			solver.Assert(store.Eq(v.Term, v.Init))
		}
	}
	for _, t := range u.s.Init {
		solver.Assert(t)
	}
}

// other is a solver that did not find the invariant.
func other(st *term.Store, byZ3 bool) smt.Solver {
	if byZ3 {
		return bitblast.New(st, bitblast.Options{})
	}
	return z3.New(st, z3.Options{OneShot: true})
}

// Check verifies that the invariant proves the bad conditions with these indices
// unreachable. The error is a *ts.Refuted, the context's, or the solver's. byZ3 says that
// Z3 found it.
func Check(ctx context.Context, s *ts.System, bad []int, inv *ts.Invariant, byZ3 bool) error {
	if inv.K < 1 {
		return &ts.Refuted{What: "no step is assumed"}
	}
	for _, literals := range append(append([][]ts.Literal(nil), inv.Clauses...), inv.Cubes...) {
		for _, l := range literals {
			if l.State < 0 || int(l.State) >= len(s.States) || l.Bit >= s.Width(s.States[l.State].Term) {
				return &ts.Refuted{What: "a clause or cube names a bit that no state has"}
			}
		}
	}
	for _, b := range inv.Bits {
		if b.Index < 0 || int(b.Index) >= len(s.States) || b.Bit >= s.Width(s.States[b.Index].Term) {
			return &ts.Refuted{What: "states must differ in a bit that no state has"}
		}
	}
	if why := overStates(s, inv.Formulas); why != "" {
		return &ts.Refuted{What: why}
	}
	u := &unroller{s: s, bad: bad, inv: inv}
	expect := func(what string, assert func(smt.Solver)) error {
		solver := other(s.Store, byZ3)
		defer solver.Close()
		assert(solver)
		status, err := solver.Check(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("checking the invariant (%s): %w", what, err)
		case status == smt.Sat:
			return &ts.Refuted{What: what}
		}
		return nil
	}
	for j := range inv.Prefix + inv.K {
		what := fmt.Sprintf("it does not hold in step %d", j)
		if err := expect(what, func(solver smt.Solver) {
			u.initial(solver)
			u.path(solver, j)
			if j < inv.Prefix {
				solver.Assert(s.Store.OrAll(u.badTerms(j)...))
			} else {
				solver.Assert(u.fails(j))
			}
		}); err != nil {
			return err
		}
	}
	if inv.Simple {
		if err := expect("the bits that must differ do not determine enough", func(solver smt.Solver) {
			solver.Assert(u.undetermined())
		}); err != nil {
			return err
		}
	}
	// One query for each cube of the first state: together they cover it.
	for i := range max(len(inv.Cubes), 1) {
		if err := expect("it is not inductive", func(solver smt.Solver) {
			if len(inv.Cubes) > 0 {
				solver.Assert(u.cube(0, i))
			}
			u.step(solver)
		}); err != nil {
			return err
		}
	}
	return nil
}

// overStates says what is wrong with formulas that should be Bools over the states.
func overStates(s *ts.System, formulas []term.ID) string {
	states := map[term.ID]bool{}
	for _, v := range s.States {
		states[v.Term] = true
	}
	for _, f := range formulas {
		if s.Store.Sort(f).Kind != term.SortBool {
			return "a formula has the sort " + s.Store.Sort(f).String()
		}
	}
	for _, v := range s.Store.Vars(formulas...) {
		if !states[v] {
			return "a formula has the variable " + s.Store.VarName(v) + ", which is no state"
		}
	}
	return ""
}

// step asserts that P holds in the first K steps of some run, and not in the next.
func (u *unroller) step(solver smt.Solver) {
	inv := u.inv
	u.path(solver, inv.K)
	for j := range inv.K {
		u.holds(solver, j)
	}
	if inv.Simple {
		for j := range inv.K + 1 {
			for i := range j {
				solver.Assert(u.different(i, j))
			}
		}
	}
	solver.Assert(u.fails(inv.K))
}

// bit is a bit of a state in step k, as a Bool.
func (u *unroller) bit(k int, b ts.Bit) term.ID {
	return u.literal(k, ts.Literal{State: b.Index, Bit: b.Bit})
}

// different says that the states of two steps differ in the bits of the invariant.
func (u *unroller) different(i, j int) term.ID {
	store := u.s.Store
	same := store.True()
	for _, b := range u.inv.Bits {
		same = store.And(same, store.Eq(u.bit(i, b), u.bit(j, b)))
	}
	return store.Not(same)
}

// undetermined says that two states that agree on the bits differ, with the same
// inputs, in the next value of a bit or in the truth of something.
func (u *unroller) undetermined() term.ID {
	store := u.s.Store
	in := map[ts.Bit]bool{}
	for _, b := range u.inv.Bits {
		in[b] = true
	}
	other := map[term.ID]term.ID{}
	for i, v := range u.s.States {
		if store.Sort(v.Term).Kind == term.SortBool {
			if !in[ts.Bit{Index: int32(i)}] {
				other[v.Term] = store.Fresh(v.Name, term.Bool())
			}
			continue
		}
		var word term.ID
		for b := range u.s.Width(v.Term) {
			bit := store.Extract(v.Term, b, b)
			if !in[ts.Bit{Index: int32(i), Bit: b}] {
				bit = store.Fresh(v.Name, term.BitVec(1))
			}
			if word == 0 {
				word = bit
			} else {
				word = store.Concat(bit, word)
			}
		}
		other[v.Term] = word
	}
	var list []term.ID
	for _, b := range u.inv.Bits {
		list = append(list, u.bit(1, b))
	}
	list = append(append(append(list, u.s.Constraints...), u.s.Transitions...), u.badTerms(0)...)
	list = append(list, u.inv.Formulas...)
	for _, literals := range append(append([][]ts.Literal(nil), u.inv.Clauses...), u.inv.Cubes...) {
		for _, l := range literals {
			list = append(list, u.literal(0, l))
		}
	}
	differ := store.False()
	for i, t := range store.SubstituteAll(list, other) {
		differ = store.Or(differ, store.Not(store.Eq(list[i], t)))
	}
	return differ
}
