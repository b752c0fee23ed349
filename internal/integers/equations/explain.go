package equations

import (
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// Replaced is a condition, or an update, that was replaced: for people.
type Replaced struct {
	At  string `json:"at"` // the name of a location
	Old string `json:"old"`
	New string `json:"new"`
	// Because are equations of the location between products that the replacement rests on.
	Because []string `json:"because,omitempty"`
}

// String is the replacement in a line.
func (r Replaced) String() string {
	text := "at " + r.At + ": " + r.Old + " is " + r.New
	if len(r.Because) > 0 {
		text += ", for " + strings.Join(r.Because, ", ")
	}
	return text
}

// Condition is one of a system, at the location At, whose name is Location.
type Condition struct {
	At             its.Location
	Location, Text string
}

// String is the condition with its location.
func (c Condition) String() string { return "at " + c.Location + ": " + c.Text }

// Nonlinear are the conditions with products that a system has, each once.
func Nonlinear(s *its.System) []Condition {
	var out []Condition
	for i := range s.Transitions {
		t := &s.Transitions[i]
		x := expand(s, t)
		for _, k := range x.guards {
			relation := " >= 0"
			if t.Guard[k].Equality {
				relation = " == 0"
			}
			if c := (Condition{t.From, s.Locations[t.From], x.guard[k].Format(s.VarName) + relation}); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// replaced lists what was replaced, each once, in the order of locations.
func (r *Result) replaced(s *its.System) []Replaced {
	var out []Replaced
	add := func(x Replaced) {
		if !slices.ContainsFunc(out, func(y Replaced) bool { return x.At == y.At && x.Old == y.Old }) {
			out = append(out, x)
		}
	}
	condition := func(p rational.Polynomial, equality bool) string {
		if equality {
			return p.Format(s.VarName) + " == 0"
		}
		return p.Format(s.VarName) + " >= 0"
	}
	for i := range r.Certificate.Splits {
		x := &r.Certificate.Splits[i]
		t := &s.Transitions[x.Transition]
		e := expand(s, t)
		var pieces []string
		for _, p := range x.Pieces {
			var both []string
			for _, c := range p.Constraints(x.Variable) {
				both = append(both, c.Format(s.VarName))
			}
			pieces = append(pieces, strings.Join(both, " && "))
		}
		if len(pieces) == 0 {
			pieces = []string{"false"}
		}
		add(Replaced{At: s.Locations[t.From], Old: condition(e.guard[x.Constraint], t.Guard[x.Constraint].Equality), New: strings.Join(pieces, " || ")})
		s = x.Apply(s)
	}
	for i := range s.Transitions {
		t := &s.Transitions[i]
		e := expand(s, t)
		because := func(cofactors []rational.Polynomial) (list []string) {
			for k, h := range r.Certificate.Equations[t.From] {
				if k < len(cofactors) && len(cofactors[k]) > 0 {
					list = append(list, h.Format(s.VarName)+" == 0")
				}
			}
			return list
		}
		for _, c := range r.Certificate.Guards[i] {
			if c.Root == nil {
				equality := t.Guard[c.Index].Equality
				now := linear.Constraint{Form: c.By, Equality: equality}.Tighten()
				add(Replaced{s.Locations[t.From], condition(e.guard[c.Index], equality), now.Format(s.VarName), because(c.Cofactors)})
			}
		}
		for _, c := range r.Certificate.Updates[i] {
			if !r.Certificate.Frozen[c.Index] {
				name := s.Variables[c.Index]
				add(Replaced{s.Locations[t.From], name + " = " + e.update[c.Index].Format(s.VarName), name + " = " + c.By.Format(s.VarName), because(c.Cofactors)})
			}
		}
	}
	return out
}
