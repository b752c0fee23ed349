package term

import (
	"fmt"
	"sync"
)

// visited is a reusable set of terms with an image for each. It is emptied in
// constant time, so that a walk over a small cone of a large store costs as
// much as the cone.
type visited struct {
	epoch uint32
	mark  []uint32 // in the set if equal to epoch
	image []ID
	stack []ID
}

var visitedPool = sync.Pool{New: func() any { return new(visited) }}

func newVisited(size int) *visited {
	v := visitedPool.Get().(*visited)
	if len(v.mark) < size {
		v.mark = make([]uint32, size+size/4)
		v.image = make([]ID, size+size/4)
		v.epoch = 0
	}
	v.epoch++
	if v.epoch == 0 {
		clear(v.mark)
		v.epoch = 1
	}
	return v
}

func (v *visited) has(t ID) bool { return v.mark[t] == v.epoch }

// cone calls f for the terms of the cone of root that are not in the set yet,
// arguments first, and adds them.
func (v *visited) cone(s *Store, root ID, f func(ID)) {
	v.stack = append(v.stack[:0], root)
	for len(v.stack) > 0 {
		t := v.stack[len(v.stack)-1]
		if v.has(t) {
			v.stack = v.stack[:len(v.stack)-1]
			continue
		}
		n := &s.nodes[t]
		ready := true
		for i := int(arity[n.op]) - 1; i >= 0; i-- {
			if a := n.args[i]; !v.has(a) {
				v.stack = append(v.stack, a)
				ready = false
			}
		}
		if ready {
			v.stack = v.stack[:len(v.stack)-1]
			v.mark[t] = v.epoch
			f(t)
		}
	}
}

// Walk calls f once for each term that occurs in the roots, arguments first. f
// may add terms to the store.
func (s *Store) Walk(roots []ID, f func(ID)) {
	v := newVisited(s.Len())
	for _, r := range roots {
		v.cone(s, r, f)
	}
	visitedPool.Put(v)
}

// Vars are the variables that occur in the roots, in ascending order of first
// use.
func (s *Store) Vars(roots ...ID) []ID {
	var vars []ID
	s.Walk(roots, func(t ID) {
		if s.nodes[t].op == OpVar {
			vars = append(vars, t)
		}
	})
	return vars
}

// Rebuild is t with other arguments, of the same sorts, simplified anew.
func (s *Store) Rebuild(t ID, args func(i int, arg ID) ID) ID {
	n := s.nodes[t]
	same := true
	for i, a := range n.args[:arity[n.op]] {
		n.args[i] = args(i, a)
		same = same && n.args[i] == a
	}
	if same {
		return t
	}
	return s.mk(n)
}

// Copy is the term t of another store, built here and simplified anew; leaf gives
// the images of its variables, of the same sorts.
func (s *Store) Copy(from *Store, t ID, leaf func(ID) ID) ID {
	image := map[ID]ID{}
	from.Walk([]ID{t}, func(t ID) {
		image[t] = s.CopyNode(from, t, func(a ID) ID { return image[a] }, leaf)
	})
	return image[t]
}

// CopyNode is Copy where the images of the arguments of t are known.
func (s *Store) CopyNode(from *Store, t ID, argument, leaf func(ID) ID) ID {
	n := from.nodes[t]
	switch n.op {
	case OpTrue, OpFalse:
		return t
	case OpConst:
		return s.Const(from.ConstValue(t))
	case OpVar:
		x := leaf(t)
		if s.Sort(x) != from.Sort(t) {
			panic(fmt.Sprintf("term: copy of %s as %s", from.Sort(t), s.Sort(x)))
		}
		return x
	}
	for i, a := range n.args[:arity[n.op]] {
		n.args[i] = argument(a)
	}
	n.sort = s.number(from.Sort(t))
	return s.mk(n)
}

// Substitute is t with all occurrences of the keys replaced at once, simplified
// anew. A key need not be a variable; inside a replaced term nothing is looked
// at.
func (s *Store) Substitute(t ID, replacement map[ID]ID) ID {
	return s.SubstituteAll([]ID{t}, replacement)[0]
}

// SubstituteAll is Substitute on several terms, which shares the work on their
// common parts.
func (s *Store) SubstituteAll(ts []ID, replacement map[ID]ID) []ID {
	v := newVisited(s.Len())
	for from, to := range replacement {
		if s.nodes[from].sort != s.nodes[to].sort {
			panic(fmt.Sprintf("term: substitution of %s for %s", s.Sort(to), s.Sort(from)))
		}
		v.mark[from] = v.epoch
		v.image[from] = to
	}
	result := make([]ID, len(ts))
	for i, t := range ts {
		v.cone(s, t, func(t ID) {
			n := s.nodes[t]
			same := true
			for i, a := range n.args[:arity[n.op]] {
				n.args[i] = v.image[a]
				same = same && n.args[i] == a
			}
			v.image[t] = t
			if !same {
				v.image[t] = s.mk(n)
			}
		})
		result[i] = v.image[t]
	}
	visitedPool.Put(v)
	return result
}
