// Package ts has transition systems at two levels: System, over bit-vector
// terms, which is what readers and encoders make and what evidence is checked
// against; and Circuit, an and-inverter graph with latches, which is what the
// engines work on. Blast goes from the first to the second; Lift and LiftClauses
// bring runs and invariants back.
//
// The formats are in the subpackages dimspec, aiger and btor2, the reductions of
// circuits in reduce, and the checker of invariants in inductive.
package ts

import (
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// System is a transition system over terms of Store. Its variables are those of
// States and Inputs; no other variable may occur in a term, and none is an array.
//
// A run is a sequence of states s0, s1, ... and inputs i0, i1, ... such that
//
//	every state variable with an Init has its value in s0,
//	Init holds for (s0, i0),
//	Constraints hold for every (sk, ik),
//	Transitions hold for (sk, ik) if the run goes on after step k,
//	s(k+1) is Next for (sk, ik).
//
// A system is safe if no run has a step in which a Bad holds. A relational
// transition has inputs for the next state, and says by Transitions which are
// allowed.
type System struct {
	Store       *term.Store
	States      []State
	Inputs      []Input
	Init        []term.ID // Bools
	Constraints []term.ID // Bools
	Transitions []term.ID // Bools
	Bad         []Property
	Justice     []Justice
	Fair        []term.ID // Bools that belong to every Justice
}

// State is a state variable.
type State struct {
	Term term.ID // the variable
	Init term.ID // 0 if arbitrary; may mention inputs, and states without a cycle
	Next term.ID // never 0: an arbitrary next value is an input
	Name string
}

// Input is an input variable, arbitrary in every step.
type Input struct {
	Term term.ID
	Name string
	// NextOf is one more than the index of the state whose arbitrary next value
	// this is, if a reader made it for that; else 0.
	NextOf int
}

// Property is a Bool that should never hold.
type Property struct {
	Term term.ID
	Name string
}

// Justice is violated by runs in which each of the Bools holds infinitely often.
type Justice struct {
	Terms []term.ID
	Name  string
}

// Width is the number of bits of a variable: 1 for a Bool.
func (s *System) Width(t term.ID) uint32 { return max(s.Store.Width(t), 1) }

// Check verifies what the type promises; readers and encoders may rely on it to
// find their mistakes.
func (s *System) Check() error {
	known := map[term.ID]bool{}
	var roots []term.ID
	for i, v := range s.States {
		if v.Next == 0 {
			return fmt.Errorf("state %d (%s) has no next value", i, v.Name)
		}
		for _, t := range []term.ID{v.Init, v.Next} {
			if t != 0 && s.Store.Sort(t) != s.Store.Sort(v.Term) {
				return fmt.Errorf("state %d (%s) of sort %v gets a value of sort %v", i, v.Name, s.Store.Sort(v.Term), s.Store.Sort(t))
			}
			if t != 0 {
				roots = append(roots, t)
			}
		}
		known[v.Term] = true
	}
	for _, v := range s.Inputs {
		known[v.Term] = true
	}
	bools := append(append(append([]term.ID{}, s.Init...), s.Constraints...), s.Transitions...)
	bools = append(bools, s.Fair...)
	for _, b := range s.Bad {
		bools = append(bools, b.Term)
	}
	for _, j := range s.Justice {
		bools = append(bools, j.Terms...)
	}
	for _, t := range bools {
		if s.Store.Sort(t).Kind != term.SortBool {
			return fmt.Errorf("property or constraint %s has sort %v", s.Store.String(t), s.Store.Sort(t))
		}
	}
	for t := range known {
		if s.Store.Op(t) != term.OpVar || s.Store.Sort(t).Kind == term.SortArray {
			return fmt.Errorf("%s is not a variable of a supported sort", s.Store.String(t))
		}
	}
	for _, v := range s.Store.Vars(append(roots, bools...)...) {
		if !known[v] {
			return fmt.Errorf("variable %s is neither state nor input", s.Store.VarName(v))
		}
	}
	_, err := s.InitOrder()
	return err
}

// InitOrder is an order of the states with an Init in which each comes after
// those that its Init mentions.
func (s *System) InitOrder() ([]int, error) {
	index := map[term.ID]int{}
	for i, v := range s.States {
		index[v.Term] = i
	}
	var order []int
	color := make([]uint8, len(s.States))
	type frame struct {
		state int
		below []term.ID
	}
	for root := range s.States {
		if s.States[root].Init == 0 || color[root] != 0 {
			continue
		}
		color[root] = 1
		stack := []frame{{root, s.Store.Vars(s.States[root].Init)}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.below) == 0 {
				color[top.state] = 2
				order = append(order, top.state)
				stack = stack[:len(stack)-1]
				continue
			}
			v := top.below[0]
			top.below = top.below[1:]
			i, ok := index[v]
			if !ok || s.States[i].Init == 0 || color[i] == 2 {
				continue
			}
			if color[i] == 1 {
				return nil, fmt.Errorf("the initial value of state %s depends on itself", s.States[i].Name)
			}
			color[i] = 1
			stack = append(stack, frame{i, s.Store.Vars(s.States[i].Init)})
		}
	}
	return order, nil
}

// Trace is a run that violates a property.
type Trace struct {
	Initial []bv.BV   // of the states in step 0
	Inputs  [][]bv.BV // by step, of the inputs
	// Justice says that Property is an index in Justice and not in Bad. Then the
	// state after the last step is that of step Loop.
	Justice  bool
	Property int
	Loop     int
}

// Assignment is the values of all variables in one step.
type Assignment struct {
	States, Inputs []bv.BV
}

// Simulate runs the trace on the terms with the concrete evaluator. It returns
// the states of each step, and an error if the trace is not a run that violates
// its property.
func (s *System) Simulate(t *Trace) ([]Assignment, error) {
	steps := len(t.Inputs)
	if steps == 0 || len(t.Initial) != len(s.States) {
		return nil, fmt.Errorf("the trace has %d steps and %d initial values for %d states", steps, len(t.Initial), len(s.States))
	}
	var seen []bool // of the justice and fairness terms, in the loop
	var wanted []term.ID
	if t.Justice {
		if t.Property >= len(s.Justice) || t.Loop < 0 || t.Loop >= steps {
			return nil, fmt.Errorf("the trace is for justice property %d with a loop to step %d of %d", t.Property, t.Loop, steps)
		}
		wanted = append(append(wanted, s.Justice[t.Property].Terms...), s.Fair...)
		seen = make([]bool, len(wanted))
	} else if t.Property >= len(s.Bad) {
		return nil, fmt.Errorf("the trace is for bad state property %d of %d", t.Property, len(s.Bad))
	}
	values := make([]bv.BV, s.Store.Len())
	e := term.NewEvaluator(s.Store, func(v term.ID) (bv.BV, bool) { return values[v], values[v].Width() != 0 })
	var run []Assignment
	states := t.Initial
	for k := range steps {
		if len(t.Inputs[k]) != len(s.Inputs) {
			return nil, fmt.Errorf("step %d has %d values for %d inputs", k, len(t.Inputs[k]), len(s.Inputs))
		}
		for i, v := range s.States {
			values[v.Term] = states[i]
		}
		for i, v := range s.Inputs {
			values[v.Term] = t.Inputs[k][i]
		}
		e.Reset()
		run = append(run, Assignment{states, t.Inputs[k]})
		if k == 0 {
			for i, v := range s.States {
				if v.Init != 0 && !e.Value(v.Init).Equal(states[i]) {
					return nil, fmt.Errorf("state %s does not have its initial value", v.Name)
				}
			}
			for i, c := range s.Init {
				if !e.Bool(c) {
					return nil, fmt.Errorf("initial condition %d does not hold", i)
				}
			}
		}
		for i, c := range s.Constraints {
			if !e.Bool(c) {
				return nil, fmt.Errorf("constraint %d does not hold in step %d", i, k)
			}
		}
		last := k == steps-1
		if !last || t.Justice {
			for i, c := range s.Transitions {
				if !e.Bool(c) {
					return nil, fmt.Errorf("transition condition %d does not hold in step %d", i, k)
				}
			}
			next := make([]bv.BV, len(s.States))
			for i, v := range s.States {
				next[i] = e.Value(v.Next)
			}
			states = next
		}
		if t.Justice && k >= t.Loop {
			for i, w := range wanted {
				seen[i] = seen[i] || e.Bool(w)
			}
		}
		if last && !t.Justice && !e.Bool(s.Bad[t.Property].Term) {
			return nil, fmt.Errorf("bad state property %d does not hold in the last step %d", t.Property, k)
		}
	}
	if t.Justice {
		for i, v := range states {
			if !v.Equal(run[t.Loop].States[i]) {
				return nil, fmt.Errorf("state %s after the last step differs from step %d", s.States[i].Name, t.Loop)
			}
		}
		for i := range seen {
			if !seen[i] {
				return nil, fmt.Errorf("justice or fairness condition %d never holds in the loop", i)
			}
		}
	}
	return run, nil
}

// states are the states of each step, whether or not conditions hold.
func (s *System) states(t *Trace) [][]bv.BV {
	values := make([]bv.BV, s.Store.Len())
	e := term.NewEvaluator(s.Store, func(v term.ID) (bv.BV, bool) { return values[v], values[v].Width() != 0 })
	run := [][]bv.BV{t.Initial}
	for k := range len(t.Inputs) - 1 {
		for i, v := range s.States {
			values[v.Term] = run[k][i]
		}
		for i, v := range s.Inputs {
			values[v.Term] = t.Inputs[k][i]
		}
		e.Reset()
		next := make([]bv.BV, len(s.States))
		for i, v := range s.States {
			next[i] = e.Value(v.Next)
		}
		run = append(run, next)
	}
	return run
}

// Complete gives the initial states with an Init their values, which depend on
// the other initial states and on the inputs of step 0.
func (s *System) Complete(t *Trace) {
	order, err := s.InitOrder()
	if err != nil {
		panic("ts: " + err.Error())
	}
	values := make(map[term.ID]bv.BV, len(s.States)+len(s.Inputs))
	for i, v := range s.States {
		values[v.Term] = t.Initial[i]
	}
	for i, v := range s.Inputs {
		values[v.Term] = t.Inputs[0][i]
	}
	e := term.NewEvaluator(s.Store, func(v term.ID) (bv.BV, bool) { x, ok := values[v]; return x, ok })
	for _, i := range order {
		// A value that was computed stays valid: what it mentions comes before it.
		if init := s.States[i].Init; s.Store.IsConst(init) || s.Store.IsTrue(init) || s.Store.IsFalse(init) {
			t.Initial[i] = s.Store.ConstValue(init)
		} else {
			e.Reset()
			t.Initial[i] = e.Value(init)
		}
		values[s.States[i].Term] = t.Initial[i]
	}
}
