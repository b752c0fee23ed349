package certify

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file refutes conjunctions by trying all values of a byte. The claims of a tree of paths are mostly
// about one byte of the input: the path says that it is a digit, and the claim is that it is a space. A
// conjunct that is about one small variable alone has a set of values; if the sets of all
// conjuncts about one variable have none in common, the conjunction has no model, whatever the others say.
//
// A small variable is one of at most 8 bits, or the element of an array variable at a constant
// index: whatever else is known of the array, its element has some value.

// bytes remembers what was tried.
type bytes struct {
	c     *checker
	tests map[term.ID]*byteTest // nil for what is no test
	lists map[term.ID][]*byteTest
}

// byteTest is a conjunct about one variable.
type byteTest struct {
	about  term.ID
	values [256]bool
}

// maxTest bounds the terms of a test.
const maxTest = 200

// refute says whether a conjunction has no model, as far as single bytes show that.
func (b *bytes) refute(cond term.ID) bool {
	if b.tests == nil {
		b.tests, b.lists = map[term.ID]*byteTest{}, map[term.ID][]*byteTest{}
	}
	left := map[term.ID]*[256]bool{}
	for _, t := range b.list(cond) {
		s := left[t.about]
		if s == nil {
			all := t.values
			left[t.about] = &all
			continue
		}
		some := false
		for i := range s {
			s[i] = s[i] && t.values[i]
			some = some || s[i]
		}
		if !some {
			return true
		}
	}
	for _, s := range left {
		if !slices.Contains(s[:], true) {
			return true
		}
	}
	return false
}

// list lists the tests among the conjuncts of a condition. Conditions of a path are those of its
// beginning and more, so lists are kept for what they have in common.
func (b *bytes) list(t term.ID) []*byteTest {
	st := b.c.st
	// Down the longest side, which is the older one, without recursion.
	var chain []term.ID
	for st.Op(t) == term.OpAnd {
		if _, ok := b.lists[t]; ok {
			break
		}
		chain = append(chain, t)
		t = b.older(t)
	}
	list, ok := b.lists[t]
	if !ok {
		list = b.atom(t)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		x, y := st.Arg(chain[i], 0), st.Arg(chain[i], 1)
		other := y
		if b.older(chain[i]) == y {
			other = x
		}
		if st.Op(other) == term.OpAnd {
			list = append(list[:len(list):len(list)], b.list(other)...)
		} else {
			list = append(list[:len(list):len(list)], b.atom(other)...)
		}
		b.lists[chain[i]] = list
	}
	return list
}

// older is the argument of a conjunction that is one itself, or else was made earlier.
func (b *bytes) older(t term.ID) term.ID {
	st := b.c.st
	x, y := st.Arg(t, 0), st.Arg(t, 1)
	switch {
	case st.Op(x) == term.OpAnd && st.Op(y) != term.OpAnd:
		return x
	case st.Op(y) == term.OpAnd && st.Op(x) != term.OpAnd:
		return y
	}
	return max(x, y)
}

// atom is the list of a conjunct that is no conjunction.
func (b *bytes) atom(t term.ID) []*byteTest {
	x, ok := b.tests[t]
	if !ok {
		x = b.test(t)
		b.tests[t] = x
	}
	if x == nil {
		return nil
	}
	return []*byteTest{x}
}

// test tries all values of the variable of t, if it has exactly one, and a small one.
func (b *bytes) test(t term.ID) *byteTest {
	st := b.c.st
	about := term.ID(0)
	seen := map[term.ID]bool{}
	stack := []term.ID{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[x] {
			continue
		}
		if seen[x] = true; len(seen) > maxTest {
			return nil
		}
		op := st.Op(x)
		if op == term.OpVar || op == term.OpSelect && st.Op(st.Arg(x, 0)) == term.OpVar && st.IsConst(st.Arg(x, 1)) {
			if about != 0 && about != x || st.Sort(x).Kind != term.SortBV || st.Width(x) > 8 {
				return nil
			}
			about = x
			continue
		}
		for i := range st.NumArgs(x) {
			stack = append(stack, st.Arg(x, i))
		}
	}
	if about == 0 {
		return nil
	}
	// A copy of its own, for the evaluation of a store's term costs as much as the store.
	small := term.NewPlainStore()
	w := st.Width(about)
	v := small.Var("byte", term.BitVec(w))
	image := map[term.ID]term.ID{about: v}
	var copied func(x term.ID) term.ID
	copied = func(x term.ID) term.ID {
		if y, ok := image[x]; ok {
			return y
		}
		for i := range st.NumArgs(x) {
			copied(st.Arg(x, i))
		}
		y := small.CopyNode(st, x, func(a term.ID) term.ID { return image[a] }, nil)
		image[x] = y
		return y
	}
	root := copied(t)
	out := &byteTest{about: about}
	for i := uint64(0); i < 1<<w; i++ {
		e := term.NewEvaluator(small, func(term.ID) (bv.BV, bool) { return bv.New(w, i), true })
		out.values[i] = e.Bool(root)
	}
	return out
}
