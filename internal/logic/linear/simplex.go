// This file implements the simplex method in the form that SMT solvers use
// [DutertredeMoura06, Sec. 3]: variables with optional lower and upper bounds,
// equations basic = Σ coef·nonbasic, and a valuation that satisfies all
// equations and the bounds of the nonbasic variables.
//
// Invariants:
//
//	(1) every row is basic = Σ coef·nonbasic, with the current values of both sides equal;
//	(2) a nonbasic variable's value is within its bounds;
//	(3) after Check has returned Feasible, so is that of a basic one.
//
// Departures from the paper: no strict bounds (integers do not need them), rows
// are sorted slices, the leaving variable is the one that is violated most until
// many pivots have been made, and Bland's rule holds from then on. Maximize is
// the textbook's primal simplex on the same tableau, with bounds.
package linear

import (
	"context"
	"slices"
)

// Status is the outcome of solving.
type Status uint8

// The outcomes. Stopped means that the context ended.
const (
	Stopped Status = iota
	Feasible
	Infeasible
	Unbounded
)

type bound struct {
	set    bool
	value  Number
	reason int32
}

type undo struct {
	v     Var
	upper bool
	old   bound
}

// Simplex is a linear program over the rationals that grows, with bounds that
// can be taken back. It belongs to one goroutine.
type Simplex struct {
	ctx          context.Context
	lower, upper []bound
	value        []Number
	row          []int32 // of a basic variable, else -1
	rows         []simplexRow
	trail        []undo
	levels       []int
	conflict     []Reason
	Pivots       int64 // a counter of work
}

type simplexRow struct {
	basic Var
	terms []Term // nonbasic
}

// Reason is one bound of a conflict: the number given when it was asserted, and
// its multiplier in Farkas' lemma, which is positive.
type Reason struct {
	ID         int32
	Multiplier Number
}

// NewSimplex is a program without variables. When the context ends, Check and
// Maximize return Stopped.
func NewSimplex(ctx context.Context) *Simplex { return &Simplex{ctx: ctx} }

// NewVar adds a variable without bounds.
func (s *Simplex) NewVar() Var {
	v := Var(len(s.value))
	s.lower = append(s.lower, bound{})
	s.upper = append(s.upper, bound{})
	s.value = append(s.value, Number{})
	s.row = append(s.row, -1)
	return v
}

// Define adds a variable that equals the terms of f; its constant is ignored.
func (s *Simplex) Define(f Form) Var {
	f = Form{Terms: f.Terms}.Substitute(func(v Var) (Form, bool) {
		if r := s.row[v]; r >= 0 {
			return Form{Terms: s.rows[r].terms}, true
		}
		return Form{}, false
	})
	v := s.NewVar()
	s.value[v] = f.Eval(s.Value)
	s.row[v] = int32(len(s.rows))
	s.rows = append(s.rows, simplexRow{v, slices.Clone(f.Terms)})
	return v
}

// Value is the value of v in the current valuation.
func (s *Simplex) Value(v Var) Number { return s.value[v] }

// Push opens a level; Pop takes back the bounds asserted since. Variables stay.
func (s *Simplex) Push() { s.levels = append(s.levels, len(s.trail)) }

// Pop closes the last level.
func (s *Simplex) Pop() {
	n := s.levels[len(s.levels)-1]
	s.levels = s.levels[:len(s.levels)-1]
	for len(s.trail) > n {
		u := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		if u.upper {
			s.upper[u.v] = u.old
		} else {
			s.lower[u.v] = u.old
		}
	}
}

// Vars is the number of variables; the next one has it as its name.
func (s *Simplex) Vars() Var { return Var(len(s.value)) }

// Drop removes the variables from n on. They must have no bounds: they were made in levels that are closed. What
// follows from their equations for other variables stays; that is nothing new if they were defined by those.
func (s *Simplex) Drop(n Var) {
	for i := len(s.rows) - 1; i >= 0; i-- {
		if s.rows[i].basic >= n {
			s.removeRow(i)
		}
	}
	for v := s.Vars() - 1; v >= n; v-- { // not basic, so some row may have it
		at := -1
		for i := range s.rows {
			if (Form{Terms: s.rows[i].terms}).Coef(v).IsZero() {
				continue
			}
			if within := s.violation(s.rows[i].basic).IsZero(); at < 0 || within {
				at = i
				if within {
					break
				}
			}
		}
		if at < 0 {
			continue
		}
		old := s.rows[at].basic
		s.pivot(at, v)
		s.removeRow(at)
		if d := s.violation(old); !d.IsZero() {
			s.update(old, s.value[old].Sub(d))
		}
	}
	s.lower, s.upper, s.value, s.row = s.lower[:n], s.upper[:n], s.value[:n], s.row[:n]
}

// removeRow removes a row, and leaves its variable to the caller.
func (s *Simplex) removeRow(i int) {
	last := len(s.rows) - 1
	s.row[s.rows[i].basic] = -1
	if i < last {
		s.rows[i] = s.rows[last]
		s.row[s.rows[i].basic] = int32(i)
	}
	s.rows[last] = simplexRow{}
	s.rows = s.rows[:last]
}

// Sample is the value of f in some valuation within all bounds; false if there is none, or the context ended.
func (s *Simplex) Sample(f Form) (Number, bool) {
	if s.Check() != Feasible {
		return Number{}, false
	}
	return f.Eval(s.Value), true
}

// AssertLower asserts v >= n for a reason; false if that contradicts a bound of v.
func (s *Simplex) AssertLower(v Var, n Number, reason int32) bool {
	if l := s.lower[v]; l.set && l.value.Cmp(n) >= 0 {
		return true
	}
	if u := s.upper[v]; u.set && u.value.Cmp(n) < 0 {
		s.conflict = append(s.conflict[:0], Reason{u.reason, Int(1)}, Reason{reason, Int(1)})
		return false
	}
	s.trail = append(s.trail, undo{v, false, s.lower[v]})
	s.lower[v] = bound{true, n, reason}
	if s.row[v] < 0 && s.value[v].Cmp(n) < 0 {
		s.update(v, n)
	}
	return true
}

// AssertUpper asserts v <= n for a reason; false if that contradicts a bound of v.
func (s *Simplex) AssertUpper(v Var, n Number, reason int32) bool {
	if u := s.upper[v]; u.set && u.value.Cmp(n) <= 0 {
		return true
	}
	if l := s.lower[v]; l.set && l.value.Cmp(n) > 0 {
		s.conflict = append(s.conflict[:0], Reason{l.reason, Int(1)}, Reason{reason, Int(1)})
		return false
	}
	s.trail = append(s.trail, undo{v, true, s.upper[v]})
	s.upper[v] = bound{true, n, reason}
	if s.row[v] < 0 && s.value[v].Cmp(n) > 0 {
		s.update(v, n)
	}
	return true
}

// constraintBound is a constraint as a bound of a variable.
type constraintBound struct {
	v     Var
	limit Number
	upper bool // of an inequality
}

// boundOf finds or defines the variable that a constraint with variables bounds.
func (s *Simplex) boundOf(c Constraint) constraintBound {
	b := constraintBound{limit: c.Form.Const.Neg()}
	if len(c.Form.Terms) == 1 {
		t := c.Form.Terms[0]
		b.v, b.limit, b.upper = t.Var, b.limit.Div(t.Coef), t.Coef.Sign() < 0
	} else {
		b.v = s.Define(c.Form)
	}
	return b
}

// put asserts the bound, without a reason.
func (s *Simplex) put(b constraintBound, equality bool) bool {
	return (b.upper && !equality || s.AssertLower(b.v, b.limit, 0)) && (!b.upper && !equality || s.AssertUpper(b.v, b.limit, 0))
}

// relax takes the bound of an inequality away, whatever its level.
func (s *Simplex) relax(b constraintBound) {
	if b.upper {
		s.upper[b.v] = bound{}
	} else {
		s.lower[b.v] = bound{}
	}
}

// Assert asserts f >= 0, or f = 0; false if that contradicts a bound at once.
func (s *Simplex) Assert(c Constraint, reason int32) bool {
	if len(c.Form.Terms) == 0 {
		if c.IsTrue() {
			return true
		}
		s.conflict = append(s.conflict[:0], Reason{reason, Int(1)})
		return false
	}
	b := s.boundOf(c)
	if (!b.upper || c.Equality) && !s.AssertLower(b.v, b.limit, reason) {
		return false
	}
	if (b.upper || c.Equality) && !s.AssertUpper(b.v, b.limit, reason) {
		return false
	}
	return true
}

// Conflict explains the last Infeasible, or false of an assertion: bounds that
// are contradictory together. Multipliers refer to the variables bounded.
func (s *Simplex) Conflict() []Reason { return s.conflict }

// update moves a nonbasic variable.
func (s *Simplex) update(v Var, n Number) {
	delta := n.Sub(s.value[v])
	if delta.IsZero() {
		return
	}
	s.value[v] = n
	for i := range s.rows {
		r := &s.rows[i]
		if c := (Form{Terms: r.terms}).Coef(v); !c.IsZero() {
			s.value[r.basic] = s.value[r.basic].Add(c.Mul(delta))
		}
	}
}

// pivot exchanges the basic variable of row i with the nonbasic v of that row.
func (s *Simplex) pivot(i int, v Var) {
	s.Pivots++
	r := &s.rows[i]
	old := r.basic
	c := (Form{Terms: r.terms}).Coef(v)
	// v = (old - others)/c
	f := Form{Terms: r.terms}.AddScaled(c.Neg(), Variable(v)).AddScaled(Int(-1), Variable(old)).Scale(c.Inv().Neg())
	r.basic, r.terms = v, f.Terms
	s.row[old], s.row[v] = -1, int32(i)
	for j := range s.rows {
		if j == i {
			continue
		}
		q := &s.rows[j]
		if k := (Form{Terms: q.terms}).Coef(v); !k.IsZero() {
			q.terms = replace(q.terms, v, k, f.Terms)
		}
	}
}

// violation is how far v is outside of its bounds, negative if below.
func (s *Simplex) violation(v Var) Number {
	if l := s.lower[v]; l.set {
		if d := s.value[v].Sub(l.value); d.Sign() < 0 {
			return d
		}
	}
	if u := s.upper[v]; u.set {
		if d := s.value[v].Sub(u.value); d.Sign() > 0 {
			return d
		}
	}
	return Number{}
}

// Check looks for a valuation within all bounds.
func (s *Simplex) Check() Status {
	for steps := 0; ; steps++ {
		if steps&15 == 15 && s.ctx.Err() != nil {
			return Stopped
		}
		bland := steps > 100+2*len(s.rows)
		leaving, worst := -1, Number{}
		for i := range s.rows {
			d := s.violation(s.rows[i].basic)
			if d.IsZero() {
				continue
			}
			switch {
			case leaving < 0,
				bland && s.rows[i].basic < s.rows[leaving].basic,
				!bland && d.Abs().Cmp(worst.Abs()) > 0:
				leaving, worst = i, d
			}
		}
		if leaving < 0 {
			return Feasible
		}
		r := &s.rows[leaving]
		raise := worst.Sign() < 0
		entering := Var(-1)
		for _, t := range r.terms {
			if s.canMove(t.Var, (t.Coef.Sign() > 0) == raise) {
				entering = t.Var
				break // least index: the rows are sorted
			}
		}
		if entering < 0 {
			s.explain(r, raise)
			return Infeasible
		}
		target := s.lower[r.basic].value
		if !raise {
			target = s.upper[r.basic].value
		}
		c := (Form{Terms: r.terms}).Coef(entering)
		s.update(entering, s.value[entering].Add(target.Sub(s.value[r.basic]).Div(c)))
		s.pivot(leaving, entering)
	}
}

// canMove says whether the nonbasic v may grow (up) or shrink.
func (s *Simplex) canMove(v Var, up bool) bool {
	if up {
		return !s.upper[v].set || s.value[v].Cmp(s.upper[v].value) < 0
	}
	return !s.lower[v].set || s.value[v].Cmp(s.lower[v].value) > 0
}

func (s *Simplex) explain(r *simplexRow, raise bool) {
	s.conflict = s.conflict[:0]
	own := s.lower[r.basic]
	if !raise {
		own = s.upper[r.basic]
	}
	s.conflict = append(s.conflict, Reason{own.reason, Int(1)})
	for _, t := range r.terms {
		b := s.upper[t.Var]
		if (t.Coef.Sign() > 0) != raise {
			b = s.lower[t.Var]
		}
		s.conflict = append(s.conflict, Reason{b.reason, t.Coef.Abs()})
	}
}

// Maximize finds the greatest value of f: Feasible with the value, which the
// valuation attains, Unbounded, Infeasible, or Stopped.
func (s *Simplex) Maximize(f Form) (Number, Status) {
	if st := s.Check(); st != Feasible {
		return Number{}, st
	}
	objective := f.Substitute(func(v Var) (Form, bool) {
		if r := s.row[v]; r >= 0 {
			return Form{Terms: s.rows[r].terms}, true
		}
		return Form{}, false
	})
	for steps := 0; ; steps++ {
		if steps&15 == 15 && s.ctx.Err() != nil {
			return Number{}, Stopped
		}
		bland := steps > 50+len(s.rows)
		entering, best := Var(-1), Number{}
		for _, t := range objective.Terms {
			if !s.canMove(t.Var, t.Coef.Sign() > 0) {
				continue
			}
			if entering < 0 || !bland && t.Coef.Abs().Cmp(best.Abs()) > 0 {
				entering, best = t.Var, t.Coef
			}
			if bland {
				break
			}
		}
		if entering < 0 {
			return f.Eval(s.Value), Feasible
		}
		up := best.Sign() > 0
		// The ratio test: how far may it move.
		limit, limited, leaving := Number{}, false, -1
		if b := s.upper[entering]; up && b.set {
			limit, limited = b.value.Sub(s.value[entering]), true
		}
		if b := s.lower[entering]; !up && b.set {
			limit, limited = s.value[entering].Sub(b.value), true
		}
		for i := range s.rows {
			r := &s.rows[i]
			c := (Form{Terms: r.terms}).Coef(entering)
			if c.IsZero() {
				continue
			}
			b := s.upper[r.basic]
			if (c.Sign() > 0) != up {
				b = s.lower[r.basic]
			}
			if !b.set {
				continue
			}
			room := b.value.Sub(s.value[r.basic]).Div(c).Abs()
			switch d := room.Cmp(limit); {
			case !limited, d < 0, d == 0 && leaving >= 0 && r.basic < s.rows[leaving].basic:
				limit, limited, leaving = room, true, i
			}
		}
		if !limited {
			return Number{}, Unbounded
		}
		if !up {
			limit = limit.Neg()
		}
		s.update(entering, s.value[entering].Add(limit))
		if leaving >= 0 {
			s.pivot(leaving, entering)
			objective = objective.SubstituteVar(entering, Form{Terms: s.rows[leaving].terms})
		}
	}
}

// Minimize is Maximize of the opposite.
func (s *Simplex) Minimize(f Form) (Number, Status) {
	n, st := s.Maximize(f.Neg())
	return n.Neg(), st
}

// check panics if an invariant of the tableau is broken; for tests.
func (s *Simplex) check() {
	for i, r := range s.rows {
		if s.row[r.basic] != int32(i) {
			panic("linear: a row is not the row of its variable")
		}
		if !(Form{Terms: r.terms}).Eval(s.Value).Equal(s.value[r.basic]) {
			panic("linear: invariant (1) is broken")
		}
		for _, t := range r.terms {
			if s.row[t.Var] >= 0 {
				panic("linear: a basic variable in a row")
			}
		}
	}
	for v := range s.value {
		if s.row[v] < 0 && !s.violation(Var(v)).IsZero() {
			panic("linear: invariant (2) is broken")
		}
	}
}
