package linear

import "context"

// Solver answers questions about the rational points of constraints that stay,
// under constraints that come and go. It wraps a Simplex whose variables 0..n-1
// are those of the constraints.
type Solver struct {
	s      *Simplex
	vars   int
	broken []bool // by level: an assertion failed at once
}

// NewSolver is a solver for constraints over the variables below n.
func NewSolver(ctx context.Context, n int, cs []Constraint) *Solver {
	s := &Solver{s: NewSimplex(ctx), broken: []bool{false}}
	s.Grow(n)
	for _, c := range cs {
		s.Assert(c)
	}
	return s
}

// Grow makes variables below n known. It must precede all constraints.
func (s *Solver) Grow(n int) {
	if len(s.s.rows) > 0 && n > s.vars {
		panic("linear: too late for variables")
	}
	for ; s.vars < n; s.vars++ {
		s.s.NewVar()
	}
}

// Push opens a level that Pop closes.
func (s *Solver) Push() {
	s.s.Push()
	s.broken = append(s.broken, s.broken[len(s.broken)-1])
}

// Pop takes back what was asserted since the last Push.
func (s *Solver) Pop() {
	s.s.Pop()
	s.broken = s.broken[:len(s.broken)-1]
}

// Assert adds a constraint to the current level.
func (s *Solver) Assert(c Constraint) {
	if top := len(s.broken) - 1; !s.broken[top] && !s.s.Assert(c, 0) {
		s.broken[top] = true
	}
}

// Check says whether there is a point.
func (s *Solver) Check() Status {
	if s.broken[len(s.broken)-1] {
		return Infeasible
	}
	return s.s.Check()
}

// Minimize is the infimum of f.
func (s *Solver) Minimize(f Form) (Number, Status) {
	if s.broken[len(s.broken)-1] {
		return Number{}, Infeasible
	}
	return s.s.Minimize(f)
}

// Entails says whether c is sure to hold; false if the context has ended.
func (s *Solver) Entails(c Constraint) bool {
	for _, f := range c.Inequalities() {
		n, st := s.Minimize(f)
		if st == Infeasible {
			return true
		}
		if st != Feasible || n.Sign() < 0 {
			return false
		}
	}
	return true
}

// Value is the value of v at the point found last.
func (s *Solver) Value(v Var) Number { return s.s.Value(v) }

// MaxVar is the greatest variable of the constraints, or -1.
func MaxVar(cs []Constraint) Var {
	m := Var(-1)
	for _, c := range cs {
		m = max(m, c.Form.MaxVar())
	}
	return m
}

// IsFeasible says whether the constraints have a rational point; true if the
// context has ended.
func IsFeasible(ctx context.Context, cs []Constraint) bool {
	return NewSolver(ctx, int(MaxVar(cs))+1, cs).Check() != Infeasible
}

// Irredundant drops constraints that the others imply, from the end. The result
// is one False if there is no rational point.
func Irredundant(ctx context.Context, cs []Constraint) []Constraint {
	cs = Simplify(cs)
	if len(cs) < 2 {
		return cs
	}
	n := int(MaxVar(cs)) + 1
	if !IsFeasible(ctx, cs) {
		return []Constraint{False()}
	}
	out := append([]Constraint(nil), cs...)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i].Equality {
			continue
		}
		s := NewSolver(ctx, n, nil)
		for j, c := range out {
			if j != i {
				s.Assert(c)
			}
		}
		if s.Entails(out[i]) {
			out = append(out[:i], out[i+1:]...)
		}
	}
	return out
}
