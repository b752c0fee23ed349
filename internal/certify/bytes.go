package certify

import (
	"fmt"
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file refutes conjunctions by trying values. The claims of a tree of paths are mostly about one byte
// of the input: the path says that it is a digit, and the claim is that it is a space. A conjunct that is
// about one small variable alone has a set of values; if the sets of all conjuncts about one
// variable have none in common, the conjunction has no model, whatever the others say. Conjuncts about
// several small variables are tried with all values that are left of these, if there are few.
//
// A small variable is one of at most 8 bits, or the element of an array variable at a constant
// index: whatever else is known of the array, its element has some value.
//
// To leave out conjuncts only weakens a conjunction. So what is refuted is refuted.

// bytes remembers what was tried.
type bytes struct {
	c     *checker
	parts map[term.ID]*conjunct
	lists map[term.ID]*conjunction
	// slices are the conjunctions of which it was found that they have no model, or not, by
	// the conjuncts that were looked at.
	slices map[string]bool
	// canon has the names of slices, fixed are the variables in the facts seen so far.
	canon *term.Store
	fixed map[term.ID]bool
	seen  int
	// registers are for one evaluation after the other.
	registers term.Registers
}

// conjunction is a list of conjuncts, the newest first, shared by the conditions of a path.
type conjunction struct {
	before *conjunction
	*conjunct
}

// conjunct is a term with its variables.
type conjunct struct {
	t    term.ID
	vars []term.ID // small and other ones; elements of arrays at constant indices count as variables
	// small says that all variables are small ones; then it is a function of them.
	small bool
	large bool // it has too many terms to be looked at
	// function is the conjunct as one of vars, if it is small.
	function *term.Function
	// values are those of the variable, if there is only one.
	values *[256]bool
}

// Limits of what is tried.
const (
	maxTest   = 400     // terms of a conjunct
	maxTuples = 1 << 14 // of values
)

// refute says whether a conjunction has no model, as far as this is found by trying.
func (b *bytes) refute(cond term.ID) bool {
	if b.parts == nil {
		b.parts, b.lists, b.slices = map[term.ID]*conjunct{}, map[term.ID]*conjunction{}, map[string]bool{}
		b.canon, b.fixed = term.NewPlainStore(), map[term.ID]bool{}
	}
	list := b.list(cond)
	left := map[term.ID]*[256]bool{}
	for l := list; l != nil; l = l.before {
		if l.values == nil {
			continue
		}
		v := l.vars[0]
		s := left[v]
		if s == nil {
			all := *l.values
			s = &all
			left[v] = s
		} else {
			for i := range s {
				s[i] = s[i] && l.values[i]
			}
		}
		if !slices.Contains(s[:], true) {
			return true
		}
	}
	return b.outside(list, left) || b.tuples(list, left)
}

// newest is the number of conjuncts that are looked at by intervals.
const newest = 12

// outside says whether one of the newest conjuncts is false wherever the variables are between the least
// and the greatest value that the others leave them.
func (b *bytes) outside(list *conjunction, left map[term.ID]*[256]bool) bool {
	var box *absdomain.Box
	for l, n := list, 0; l != nil && n < newest; l, n = l.before, n+1 {
		if l.values != nil || l.large {
			continue
		}
		if box == nil {
			box = absdomain.NewBox(b.c.st, func(t term.ID) (absdomain.Int, bool) {
				s := left[t]
				if s == nil {
					return absdomain.Int{}, false
				}
				w, _ := b.width(t)
				hi := uint64(255)
				for !s[hi] {
					hi--
				}
				return absdomain.Range(w, uint64(slices.Index(s[:], true)), hi), true
			})
		}
		if v, known := box.Value(l.t).Value(); known && v == 0 {
			return true
		}
	}
	return false
}

// related lists the conjuncts that share variables with the newest, also through others, and the
// variables. It leaves out those about one small variable.
func (b *bytes) related(list *conjunction) (parts []*conjunct, vars map[term.ID]bool) {
	if list == nil {
		return nil, nil
	}
	vars = map[term.ID]bool{}
	add := func(p *conjunct) {
		parts = append(parts, p)
		for _, v := range p.vars {
			vars[v] = true
		}
	}
	add(list.conjunct)
	for again := true; again; {
		again = false
		for l := list.before; l != nil; l = l.before {
			if l.values == nil && !slices.Contains(parts, l.conjunct) && slices.ContainsFunc(l.vars, func(v term.ID) bool { return vars[v] }) {
				add(l.conjunct)
				again = true
			}
		}
	}
	return parts, vars
}

// slice is the conjunction of what is related to its newest conjunct, as a term, and its name.
func (b *bytes) slice(cond term.ID) (t, name term.ID) {
	list := b.list(cond)
	parts, vars := b.related(list)
	for l := list; l != nil; l = l.before {
		if l.values != nil && vars[l.vars[0]] && !slices.Contains(parts, l.conjunct) {
			parts = append(parts, l.conjunct)
		}
	}
	var terms []term.ID
	for _, p := range parts {
		terms = append(terms, p.t)
	}
	slices.Sort(terms)
	t = b.c.st.True()
	for _, x := range terms {
		t = b.c.st.And(t, x)
	}
	return t, b.canonical(t)
}

// canonical names a term such that terms have one name which differ only in variables that no
// fact is about: there they are satisfiable, or not, together.
func (b *bytes) canonical(t term.ID) term.ID {
	st := b.c.st
	b.c.facts = append(b.c.facts, b.c.sp.Facts()...)
	for ; b.seen < len(b.c.facts); b.seen++ {
		for _, v := range st.Vars(b.c.facts[b.seen]) {
			b.fixed[v] = true
		}
	}
	n := 0
	return b.canon.Copy(st, t, func(v term.ID) term.ID {
		name := fmt.Sprintf("fixed%d", v)
		if !b.fixed[v] {
			n++
			name = fmt.Sprintf("%d!%s", n, st.Sort(v))
		}
		return b.canon.Var(name, st.Sort(v))
	})
}

// tuples tries all values of the variables of what is related to the newest conjunct.
func (b *bytes) tuples(list *conjunction, left map[term.ID]*[256]bool) bool {
	parts, vars := b.related(list)
	if len(parts) == 0 {
		return false
	}
	n := 1
	var order []term.ID
	for v := range vars {
		order = append(order, v)
	}
	slices.Sort(order)
	var domains [][]bv.BV
	for _, v := range order {
		w, ok := b.width(v)
		if !ok || w > 8 {
			return false
		}
		var d []bv.BV
		for i := uint64(0); i < 1<<w; i++ {
			if s := left[v]; s == nil || s[i] {
				d = append(d, bv.New(w, i))
			}
		}
		domains = append(domains, d)
		if n *= len(d); n > maxTuples {
			return false
		}
	}
	var terms []term.ID
	for _, p := range parts {
		if !p.small {
			return false
		}
		terms = append(terms, p.t)
	}
	slices.Sort(terms)
	name := fmt.Sprint(terms, domains)
	if known, ok := b.slices[name]; ok {
		return known
	}
	at := make([]int, len(order))
	place := map[term.ID]int{}
	for i, v := range order {
		place[v] = i
	}
	// Cheap conjuncts first.
	slices.SortFunc(parts, func(x, y *conjunct) int { return x.function.Size() - y.function.Size() })
	for {
		all := true
		for _, p := range parts {
			if !b.holds(p, func(v term.ID) bv.BV { i := place[v]; return domains[i][at[i]] }) {
				all = false
				break
			}
		}
		if all {
			b.slices[name] = false
			return false
		}
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < len(domains[i]) {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			b.slices[name] = true
			return true
		}
	}
}

// width is the number of bits of a variable; false for arrays.
func (b *bytes) width(v term.ID) (uint32, bool) {
	switch s := b.c.st.Sort(v); s.Kind {
	case term.SortBool:
		return 1, true
	case term.SortBV:
		return s.Width, true
	}
	return 0, false
}

// list lists the conjuncts of a condition. Conditions of a path are those of its beginning and
// more, so lists share what they have in common.
func (b *bytes) list(t term.ID) *conjunction {
	st := b.c.st
	var chain []term.ID
	for st.Op(t) == term.OpAnd {
		if _, ok := b.lists[t]; ok {
			break
		}
		chain = append(chain, t)
		t = b.longer(t)
	}
	list, ok := b.lists[t]
	if !ok {
		list = b.append(nil, t)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		x, y := st.Arg(chain[i], 0), st.Arg(chain[i], 1)
		if b.longer(chain[i]) == y {
			y = x
		}
		list = b.append(list, y)
		b.lists[chain[i]] = list
	}
	return list
}

// append adds the conjuncts of t to a list.
func (b *bytes) append(list *conjunction, t term.ID) *conjunction {
	st := b.c.st
	if st.IsTrue(t) {
		return list
	}
	if st.Op(t) == term.OpAnd {
		return b.append(b.append(list, st.Arg(t, 0)), st.Arg(t, 1))
	}
	p, ok := b.parts[t]
	if !ok {
		p = b.conjunct(t)
		b.parts[t] = p
	}
	return &conjunction{list, p}
}

// longer is the argument of a conjunction that is likely to be the condition of the path: one
// itself, or else the one made later.
func (b *bytes) longer(t term.ID) term.ID {
	st := b.c.st
	x, y := st.Arg(t, 0), st.Arg(t, 1)
	_, listed := b.lists[x]
	_, other := b.lists[y]
	switch {
	case listed && !other:
		return x
	case other && !listed:
		return y
	case st.Op(x) == term.OpAnd && st.Op(y) != term.OpAnd:
		return x
	case st.Op(y) == term.OpAnd && st.Op(x) != term.OpAnd:
		return y
	}
	return max(x, y)
}

// conjunct finds the variables of t, and its values, if they are those of one small variable.
func (b *bytes) conjunct(t term.ID) *conjunct {
	st := b.c.st
	p := &conjunct{t: t, small: true}
	seen := map[term.ID]bool{}
	stack := []term.ID{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[x] {
			continue
		}
		if seen[x] = true; len(seen) > maxTest {
			p.small, p.large = false, true
		}
		op := st.Op(x)
		if op == term.OpVar || op == term.OpSelect && st.Op(st.Arg(x, 0)) == term.OpVar && st.IsConst(st.Arg(x, 1)) {
			p.vars = append(p.vars, x)
			if op == term.OpSelect { // what else is said of the array is about it, too
				p.vars = append(p.vars, st.Arg(x, 0))
			}
			if w, ok := b.width(x); !ok || w > 8 {
				p.small = false
			}
			continue
		}
		for i := range st.NumArgs(x) {
			stack = append(stack, st.Arg(x, i))
		}
	}
	if p.small {
		// Arrays of which only such elements are read do not matter.
		p.vars = slices.DeleteFunc(p.vars, func(v term.ID) bool { _, ok := b.width(v); return !ok })
	}
	slices.Sort(p.vars)
	p.vars = slices.Compact(p.vars)
	if !p.small || len(p.vars) == 0 {
		p.small = false
		return p
	}
	if p.function, p.small = st.Function(t, p.vars, 2*maxTest); !p.small || len(p.vars) > 1 {
		return p
	}
	w, _ := b.width(p.vars[0])
	p.values = &[256]bool{}
	for i := uint64(0); i < 1<<w; i++ {
		p.values[i] = b.holds(p, func(term.ID) bv.BV { return bv.New(w, i) })
	}
	return p
}

// holds evaluates a conjunct about small variables.
func (b *bytes) holds(p *conjunct, value func(v term.ID) bv.BV) bool {
	return p.function.Value(&b.registers, func(i int) bv.BV { return value(p.vars[i]) }).IsTrue()
}
