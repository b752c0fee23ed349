// Package liveness reduces justice properties of transition systems to safety, in
// two ways. The results are systems over terms like every other one: invariants
// found for them are checked on their terms, and runs become lassos of the
// original system, which are simulated on it.
//
// Cited papers:
//
//	[BiereArthoSchuppan02] A. Biere, C. Artho, V. Schuppan. Liveness Checking as
//	Safety Checking. FMICS 2002.
//	[ClaessenSorensson12] K. Claessen, N. Sörensson. A Liveness Checking Algorithm
//	that Counts. FMCAD 2012.
//
// A justice property with the conditions c1, ..., cn (those of the property and
// the fairness conditions of the system) is violated by a run in which each of
// them holds infinitely often. Systems are finite, so there is such a run if and
// only if there is a lasso: a run that returns to a state, between which each
// condition holds at least once.
package liveness

import (
	"fmt"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// Reduction is a system one of whose bad states, Bad[0], says something about a
// justice property.
type Reduction struct {
	System   *ts.System
	original *ts.System
	property int
	save     int // the input that says when the loop starts; -1 in k-liveness
	saved    int // the state that says that it has started
}

// extend copies the system without its properties.
func extend(s *ts.System) *ts.System {
	return &ts.System{
		Store: s.Store,
		// Clip the capacity: appending must not write into the original.
		States:      append([]ts.State(nil), s.States...),
		Inputs:      append([]ts.Input(nil), s.Inputs...),
		Init:        s.Init,
		Constraints: s.Constraints,
		Transitions: s.Transitions,
	}
}

func flag(s *ts.System, name string) (index int, t term.ID) {
	t = s.Store.Fresh(name, term.Bool())
	s.States = append(s.States, ts.State{Term: t, Init: s.Store.False(), Name: s.Store.VarName(t)})
	return len(s.States) - 1, t
}

func conditions(s *ts.System, property int) []term.ID {
	return append(append([]term.ID(nil), s.Justice[property].Terms...), s.Fair...)
}

// ToSafety is the reduction of [BiereArthoSchuppan02]: an input says in which step
// the loop starts; the state of that step is saved; since then it is remembered
// which conditions have held; bad is that all have and the saved state is back.
// So bad is reachable exactly if the property is violated.
func ToSafety(s *ts.System, property int) *Reduction {
	d := extend(s)
	store := s.Store
	r := &Reduction{System: d, original: s, property: property, save: len(d.Inputs)}
	save := store.Fresh("save", term.Bool())
	d.Inputs = append(d.Inputs, ts.Input{Term: save, Name: store.VarName(save)})
	var saved term.ID
	r.saved, saved = flag(d, "saved")
	within := store.Or(saved, save)
	d.States[r.saved].Next = within
	bad := saved
	for _, v := range s.States {
		copied := store.Fresh("saved:"+v.Name, store.Sort(v.Term))
		d.States = append(d.States, ts.State{
			Term: copied, Name: store.VarName(copied),
			Next: store.Ite(store.And(save, store.Not(saved)), v.Term, copied),
			Init: zero(store, v.Term), // any constant: it is never read before it is saved
		})
		bad = store.And(bad, store.Eq(v.Term, copied))
	}
	for i, c := range conditions(s, property) {
		k, held := flag(d, fmt.Sprintf("held:%d", i))
		d.States[k].Next = store.Or(held, store.And(within, c))
		bad = store.And(bad, held)
	}
	d.Bad = []ts.Property{{Term: bad, Name: s.Justice[property].Name}}
	return r
}

func zero(store *term.Store, like term.ID) term.ID {
	if store.Sort(like).Kind == term.SortBool {
		return store.False()
	}
	return store.ConstU(store.Width(like), 0)
}

// Count is the reduction of [ClaessenSorensson12]: bad is reached when all
// conditions have held again and again, more than k times. If bad is unreachable
// for some k, the property holds; if it is reachable, that says nothing.
//
// A monitor makes one signal of several conditions: it waits until each has held,
// ticks, and starts again.
func Count(s *ts.System, property, k int) *Reduction {
	d := extend(s)
	store := s.Store
	r := &Reduction{System: d, original: s, property: property, save: -1}
	cs := conditions(s, property)
	tick := store.True()
	var held []term.ID
	if len(cs) == 1 {
		tick = cs[0]
	} else {
		for i, c := range cs {
			_, h := flag(d, fmt.Sprintf("held:%d", i))
			held = append(held, store.Or(h, c))
			tick = store.And(tick, held[i])
		}
		for i := range cs {
			d.States[len(s.States)+i].Next = store.And(held[i], store.Not(tick))
		}
	}
	// The count in unary: bit i is set when i+1 ticks have been.
	before := store.True()
	for i := range k {
		n, bit := flag(d, fmt.Sprintf("count:%d", i))
		d.States[n].Next = store.Or(bit, store.And(before, tick))
		before = bit
	}
	d.Bad = []ts.Property{{Term: store.And(before, tick), Name: s.Justice[property].Name}}
	return r
}

// Lasso makes a lasso of the original system from a run of ToSafety's system to
// its bad state.
func (r *Reduction) Lasso(t *ts.Trace) *ts.Trace {
	if r.save < 0 {
		panic("liveness: a count proves no violation")
	}
	l := &ts.Trace{Justice: true, Property: r.property, Initial: t.Initial[:len(r.original.States)]}
	steps := len(t.Inputs) - 1 // the last one only sees that the state is back
	l.Loop = -1
	for k := range steps {
		if l.Loop < 0 && t.Inputs[k][r.save].IsTrue() {
			l.Loop = k
		}
		l.Inputs = append(l.Inputs, append([]bv.BV(nil), t.Inputs[k][:len(r.original.Inputs)]...))
	}
	return l
}
