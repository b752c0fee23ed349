package its

import (
	"slices"

	"assay/internal/logic/linear"
)

// Builder makes one transition out of commands that are executed one after the
// other: the values of the variables are forms over the state before the first
// command. The forms given to its methods are over the current values.
type Builder struct {
	s *System
	t Transition
}

// Build begins a transition without conditions and changes, of cost 1.
func (s *System) Build(from, to Location) *Builder {
	return &Builder{s, Transition{From: from, To: to, Update: s.Identity(), Cost: linear.Constant(linear.Int(1)), Fair: true, Exact: true}}
}

// now is a form over the current values as one over the state before. The
// variables beyond those of the system are temporaries of the builder.
func (b *Builder) now(f linear.Form) linear.Form {
	return f.Substitute(func(v linear.Var) (linear.Form, bool) {
		if int(v) < len(b.t.Update) {
			return b.t.Update[v], true
		}
		return linear.Form{}, false
	})
}

// Temp is a new temporary: an arbitrary integer.
func (b *Builder) Temp() linear.Form {
	b.t.Temps++
	return linear.Variable(b.s.Temp(b.t.Temps - 1))
}

// Assume requires a constraint.
func (b *Builder) Assume(c linear.Constraint) *Builder {
	b.t.Guard = append(b.t.Guard, linear.Constraint{Form: b.now(c.Form), Equality: c.Equality}.Tighten())
	return b
}

// Assign gives v the value of an integral form.
func (b *Builder) Assign(v linear.Var, f linear.Form) *Builder {
	f = b.now(f)
	b.t.Update = slices.Clone(b.t.Update)
	b.t.Update[v] = f
	return b
}

// AssignAll gives all variables their values at once.
func (b *Builder) AssignAll(update []linear.Form) *Builder {
	next := make([]linear.Form, len(update))
	for v, f := range update {
		next[v] = b.now(f)
	}
	b.t.Update = next
	return b
}

// Havoc gives v an arbitrary value.
func (b *Builder) Havoc(v linear.Var) *Builder { return b.Assign(v, b.Temp()) }

// Product is the product of two forms over the current values, as such a form.
func (b *Builder) Product(f, g linear.Form) linear.Form {
	before, f, g := [2]linear.Form{f, g}, b.now(f), b.now(g)
	switch {
	case f.IsConstant():
		return before[1].Scale(f.Const)
	case g.IsConstant():
		return before[0].Scale(g.Const)
	}
	for _, p := range b.t.Products {
		if p.A.Equal(f) && p.B.Equal(g) || p.A.Equal(g) && p.B.Equal(f) {
			return linear.Variable(p.Temp)
		}
	}
	t := b.Temp()
	b.t.Products = append(b.t.Products, Product{t.Terms[0].Var, f, g})
	return t
}

// Cost sets the cost, a form over the current values.
func (b *Builder) Cost(f linear.Form) *Builder {
	b.t.Cost = b.now(f)
	return b
}

// Name names the transition for people.
func (b *Builder) Name(name string) *Builder {
	b.t.Name = name
	return b
}

// Inexact marks the transition as an over-approximation.
func (b *Builder) Inexact() *Builder {
	b.t.Exact = false
	return b
}

// Clone is a builder that goes on from here on its own.
func (b *Builder) Clone() *Builder {
	c := *b
	c.t.Guard = slices.Clip(c.t.Guard)
	c.t.Products = slices.Clip(c.t.Products)
	return &c
}

// Add adds the transition to the system, unless its guard is plainly
// unsatisfiable, and returns its number or -1.
func (b *Builder) Add() int {
	t := b.t
	t.Guard = linear.Simplify(t.Guard)
	if len(t.Guard) == 1 && t.Guard[0].IsFalse() {
		return -1
	}
	return b.s.Add(t)
}

// AddNormalized is Add after Normalize, which solves for temporaries.
func (b *Builder) AddNormalized() int {
	b.t.Inputs = nil
	b.t = b.s.Normalize(b.t)
	return b.Add()
}
