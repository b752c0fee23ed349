// Package its is the model of integer transition systems: locations, variables
// over the mathematical integers, transitions with guards and updates. Ranking,
// recurrence and cost analysis work on it.
//
// A run starts at the initial location with any values of the variables and
// takes transitions for ever or until none is possible. A transition is *fair*
// if it leaves a fair location, or if it composes one that does. A system
// *fair-terminates* if no run takes fair transitions infinitely often;
// termination is the case where all are fair.
//
// The flat form: the variables of a transition are the numbers 0..n-1 for the n
// variables of the system and n.. for its temporaries, integers that each step
// chooses anew. Guards and updates are linear over both. A product of forms is a
// temporary of its own, listed in Products: engines that are linear see an
// arbitrary integer there, which over-approximates; execution, Z3 and the writers
// see the product.
package its

import (
	"fmt"
	"slices"

	"assay/internal/logic/linear"
)

// Location is the index of a location of a system.
type Location int32

// System is an integer transition system.
type System struct {
	Variables   []string
	Locations   []string
	Initial     Location
	Transitions []Transition
	// Branching: a step of the file makes several calls, of each of which the system
	// follows one at a time. Whether every run ends is the same; what they cost together is not.
	Branching bool
}

// Transition is an edge: if the guard holds for the variables and some integers
// as temporaries, all variables get the values of their updates at once.
type Transition struct {
	From, To Location
	Temps    int                 // temporaries are len(Variables) .. len(Variables)+Temps-1
	Guard    []linear.Constraint // all hold
	Products []Product
	Update   []linear.Form // by variable, integral
	Cost     linear.Form   // 1 unless the input says otherwise
	Fair     bool
	// Exact: the program that the system was made from has all these steps.
	// If not, the transition over-approximates and no run through it counts.
	Exact bool

	Name string // for people; a position or a label
	// Path lists the transitions of the original system that this one composes,
	// and Inputs the values of their temporaries, in their order, as forms over
	// the variables and temporaries here. For an original transition: itself.
	Path   []int
	Inputs []linear.Form
}

// Product says that the temporary Temp is A·B.
type Product struct {
	Temp linear.Var
	A, B linear.Form
}

// NewSystem is a system with these variables and one location, the initial one.
func NewSystem(variables ...string) *System {
	return &System{Variables: variables, Locations: []string{"start"}}
}

// AddLocation adds a location.
func (s *System) AddLocation(name string) Location {
	s.Locations = append(s.Locations, name)
	return Location(len(s.Locations) - 1)
}

// SetFair makes exactly the given locations fair.
func (s *System) SetFair(fair func(Location) bool) {
	for i := range s.Transitions {
		t := &s.Transitions[i]
		t.Fair = fair(t.From)
	}
}

// Add adds a transition as an original one: its path is itself.
func (s *System) Add(t Transition) int {
	i := len(s.Transitions)
	t.Path = []int{i}
	t.Inputs = nil
	for k := range t.Temps {
		t.Inputs = append(t.Inputs, linear.Variable(s.Temp(k)))
	}
	s.Transitions = append(s.Transitions, t)
	return i
}

// Temp is the variable of a transition's temporary k.
func (s *System) Temp(k int) linear.Var { return linear.Var(len(s.Variables) + k) }

// Identity is the update that changes nothing.
func (s *System) Identity() []linear.Form {
	u := make([]linear.Form, len(s.Variables))
	for v := range u {
		u[v] = linear.Variable(linear.Var(v))
	}
	return u
}

// VarName names a variable or temporary.
func (s *System) VarName(v linear.Var) string {
	if int(v) < len(s.Variables) {
		return s.Variables[v]
	}
	return fmt.Sprintf("tmp%d", int(v)-len(s.Variables))
}

// Outgoing lists the transitions by the location they leave.
func (s *System) Outgoing() [][]int {
	out := make([][]int, len(s.Locations))
	for i, t := range s.Transitions {
		out[t.From] = append(out[t.From], i)
	}
	return out
}

// Clone is a copy whose slices of transitions and locations can be changed.
func (s *System) Clone() *System {
	c := *s
	c.Variables = slices.Clone(s.Variables)
	c.Locations = slices.Clone(s.Locations)
	c.Transitions = slices.Clone(s.Transitions)
	return &c
}

// Check says what is wrong with the shape of a system, or nil.
func (s *System) Check() error {
	n := len(s.Variables)
	location := func(l Location) bool { return l >= 0 && int(l) < len(s.Locations) }
	if !location(s.Initial) {
		return fmt.Errorf("its: initial location %d does not exist", s.Initial)
	}
	for i, t := range s.Transitions {
		if !location(t.From) || !location(t.To) || len(t.Update) != n {
			return fmt.Errorf("its: transition %d has a wrong location or number of updates", i)
		}
		known := linear.Var(n + t.Temps)
		for _, c := range t.Guard {
			if c.Form.MaxVar() >= known {
				return fmt.Errorf("its: transition %d: unknown variable in the guard", i)
			}
		}
		for _, u := range t.Update {
			if u.MaxVar() >= known || !u.IsIntegral() {
				return fmt.Errorf("its: transition %d: update is not an integral form over known variables", i)
			}
		}
		for _, p := range t.Products {
			if int(p.Temp) < n || p.Temp >= known || p.A.MaxVar() >= known || p.B.MaxVar() >= known || !p.A.IsIntegral() || !p.B.IsIntegral() {
				return fmt.Errorf("its: transition %d: bad product", i)
			}
		}
	}
	return nil
}
