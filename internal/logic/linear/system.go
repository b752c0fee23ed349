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
	// One tableau for all: a constraint's bound is taken away while the others are
	// asked about it, and put back if they do not imply it. After Simplify no two
	// constraints bound the same side of a variable.
	s := NewSimplex(ctx)
	for range MaxVar(cs) + 1 {
		s.NewVar()
	}
	bounds := make([]constraintBound, len(cs))
	for i, c := range cs {
		bounds[i] = s.boundOf(c)
		if !s.put(bounds[i], c.Equality) {
			return []Constraint{False()}
		}
	}
	switch s.Check() {
	case Infeasible:
		return []Constraint{False()}
	case Stopped:
		return cs
	}
	keep := make([]bool, len(cs))
	for i := len(cs) - 1; i >= 0; i-- {
		keep[i] = true
		if cs[i].Equality {
			continue
		}
		s.relax(bounds[i])
		if n, st := s.Minimize(cs[i].Form); st == Feasible && n.Sign() >= 0 {
			keep[i] = false
			continue
		}
		s.put(bounds[i], false)
	}
	out := make([]Constraint, 0, len(cs))
	for i, c := range cs {
		if keep[i] {
			out = append(out, c)
		}
	}
	return out
}
