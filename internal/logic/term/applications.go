package term

import "slices"

// This file replaces the applications of some operations in terms by other terms,
// with what chooses between operands outside: in
//
//	f(ite(c, x, y), b) = ite(c, f(x, b), f(y, b))
//
// what is replaced is f(x, b) and f(y, b). Where values are merged from program paths,
// applications to the same operands are different terms before, and one after. Choices
// that go by the same condition are taken apart together; a pair of operands is
// looked at once, so the work is at most the product of the sizes of both.

// maxLifts bounds the work; after it operands are taken as they are.
const maxLifts = 20_000

// Applications replaces the applications of operations.
type Applications struct {
	st *Store
	// is says which terms are replaced, name by what. name is asked once for each; its
	// term has no choices in its operands, unless the work was too much.
	is    func(t ID) bool
	name  func(t ID) ID
	image map[ID]ID
	// active are the terms that are being replaced.
	active    map[ID]bool
	flattened map[ID]ID
	lifted    map[[3]ID]ID // by operation and operands
}

// NewApplications makes a replacement of the bit-vector operations of which is says so.
func NewApplications(st *Store, is func(t ID) bool, name func(t ID) ID) *Applications {
	return &Applications{st: st, is: is, name: name, image: map[ID]ID{}, active: map[ID]bool{}, flattened: map[ID]ID{}, lifted: map[[3]ID]ID{}}
}

// Some says whether anything was replaced.
func (a *Applications) Some() bool { return len(a.image) > 0 }

// All are terms with the outermost applications replaced.
func (a *Applications) All(ts []ID) []ID {
	some := false
	a.st.Walk(ts, func(t ID) { some = some || a.is(t) })
	if !some {
		return ts
	}
	a.prepare(ts)
	return a.st.SubstituteAll(ts, a.image)
}

// One is All on one term.
func (a *Applications) One(t ID) ID { return a.All([]ID{t})[0] }

// prepare finds images for the outermost applications in terms.
func (a *Applications) prepare(ts []ID) {
	seen := map[ID]bool{}
	stack := slices.Clone(ts)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] {
			continue
		}
		seen[t] = true
		if a.is(t) {
			a.replace(t)
			continue
		}
		for i := range a.st.NumArgs(t) {
			stack = append(stack, a.st.Arg(t, i))
		}
	}
}

// replace finds the image of an application: the choice between the images of its
// cases.
func (a *Applications) replace(t ID) {
	if a.image[t] != 0 {
		return
	}
	cases := a.flat(t)
	if cases == t || a.active[t] { // the second if the simplifier makes new choices
		a.image[t] = a.name(t)
		return
	}
	a.active[t] = true
	a.prepare([]ID{cases}) // the conditions are below t, and the cases have no choices
	delete(a.active, t)
	if a.image[t] == 0 {
		a.image[t] = a.st.Substitute(cases, a.image)
	}
}

// flat is a term as choices between terms without choices. Conditions are left as
// they are.
func (a *Applications) flat(t ID) ID {
	if f, ok := a.flattened[t]; ok {
		return f
	}
	st := a.st
	words := st.Sort(t).Kind == SortBV
	for i := range st.NumArgs(t) {
		words = words && (st.Sort(st.Arg(t, i)).Kind == SortBV || i == 0 && st.Op(t) == OpIte)
	}
	out := t
	switch {
	case !words:
	case st.Op(t) == OpIte:
		out = st.Ite(st.Arg(t, 0), a.flat(st.Arg(t, 1)), a.flat(st.Arg(t, 2)))
	case st.NumArgs(t) == 1:
		out = a.lift(t, a.flat(st.Arg(t, 0)), 0)
	case st.NumArgs(t) == 2:
		out = a.lift(t, a.flat(st.Arg(t, 0)), a.flat(st.Arg(t, 1)))
	}
	a.flattened[t] = out
	return out
}

// lift is the operation of t on flat operands, with the choices outside.
func (a *Applications) lift(t, x, y ID) ID {
	st := a.st
	choice := func(x ID) bool { return x != 0 && st.Op(x) == OpIte }
	if len(a.lifted) > maxLifts || !choice(x) && !choice(y) {
		return st.Rebuild(t, func(i int, _ ID) ID { return [2]ID{x, y}[i] })
	}
	key := [3]ID{t, x, y}
	if known, ok := a.lifted[key]; ok {
		return known
	}
	by := x
	if !choice(x) {
		by = y
	}
	c := st.Arg(by, 0)
	under := func(x ID, i int) ID {
		if choice(x) && st.Arg(x, 0) == c {
			return st.Arg(x, i)
		}
		return x
	}
	a.lifted[key] = 0 // counts
	out := st.Ite(c, a.lift(t, under(x, 1), under(y, 1)), a.lift(t, under(x, 2), under(y, 2)))
	a.lifted[key] = out
	return out
}
