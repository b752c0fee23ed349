// This file implements a persistent map from small integers to values: a
// 16-way radix tree whose nodes are copied when they are written.
//
// Symbolic execution forks its state at every branch and joins it at every
// merge. With a persistent map a fork is O(1), a write O(log n), and a join
// visits only the subtrees in which the two sides differ: shared subtrees are
// recognised by pointer equality [Okasaki98, ch. 2; the transient ownership
// mark is the one of Bagwell's hash array mapped tries in Clojure].
//
// Invariant: a node is written in place only by the map whose owner mark it
// carries, and no two maps have the same owner mark.
package memory

import (
	"math/bits"
	"sync/atomic"
)

var owners atomic.Uint64

func newOwner() uint64 { return owners.Add(1) }

const (
	radixBits = 4
	radix     = 1 << radixBits
)

type pnode[V any] struct {
	owner uint64
	mask  uint16            // present entries
	kids  *[radix]*pnode[V] // inner nodes
	vals  *[radix]V         // leaves
}

// pmap is a persistent map; the zero value is empty. Copy it only by clone.
type pmap[V any] struct {
	root   *pnode[V]
	levels uint8 // 0: empty; 1: the root is a leaf
	owner  uint64
}

func (m *pmap[V]) clone() pmap[V] {
	m.owner = newOwner()
	c := *m
	c.owner = newOwner()
	return c
}

func (m *pmap[V]) get(k uint32) (v V, ok bool) {
	if m.levels == 0 || uint64(k)>>(radixBits*uint(m.levels)) != 0 {
		return v, false
	}
	n := m.root
	for l := m.levels - 1; ; l-- {
		i := k >> (radixBits * uint(l)) & (radix - 1)
		if n.mask>>i&1 == 0 {
			return v, false
		}
		if l == 0 {
			return n.vals[i], true
		}
		n = n.kids[i]
	}
}

func (m *pmap[V]) own(n *pnode[V]) *pnode[V] {
	if n.owner == m.owner {
		return n
	}
	c := &pnode[V]{owner: m.owner, mask: n.mask}
	if n.kids != nil {
		k := *n.kids
		c.kids = &k
	} else {
		v := *n.vals
		c.vals = &v
	}
	return c
}

func (m *pmap[V]) grow(levels uint8) {
	for m.levels < levels {
		if m.levels == 0 {
			m.root = &pnode[V]{owner: m.owner, vals: new([radix]V)}
		} else {
			r := &pnode[V]{owner: m.owner, mask: 1, kids: new([radix]*pnode[V])}
			r.kids[0] = m.root
			m.root = r
		}
		m.levels++
	}
}

func levelsFor(k uint32) uint8 {
	return uint8(max(1, (bits.Len32(k)+radixBits-1)/radixBits))
}

func (m *pmap[V]) set(k uint32, v V) {
	if m.owner == 0 {
		m.owner = newOwner()
	}
	m.grow(levelsFor(k))
	m.root = m.own(m.root)
	n := m.root
	for l := m.levels - 1; ; l-- {
		i := k >> (radixBits * uint(l)) & (radix - 1)
		if l == 0 {
			n.vals[i] = v
			n.mask |= 1 << i
			return
		}
		if n.mask>>i&1 == 0 {
			c := &pnode[V]{owner: m.owner}
			if l == 1 {
				c.vals = new([radix]V)
			} else {
				c.kids = new([radix]*pnode[V])
			}
			n.kids[i] = c
			n.mask |= 1 << i
		} else {
			n.kids[i] = m.own(n.kids[i])
		}
		n = n.kids[i]
	}
}

func (m *pmap[V]) delete(k uint32) {
	if _, ok := m.get(k); !ok {
		return
	}
	m.root = m.own(m.root)
	n := m.root
	for l := m.levels - 1; ; l-- {
		i := k >> (radixBits * uint(l)) & (radix - 1)
		if l == 0 {
			var zero V
			n.vals[i] = zero
			n.mask &^= 1 << i
			return
		}
		n.kids[i] = m.own(n.kids[i])
		n = n.kids[i]
	}
}

// each visits the entries by ascending key.
func (m *pmap[V]) each(f func(k uint32, v V)) {
	if m.levels > 0 {
		eachNode(m.root, m.levels-1, 0, f)
	}
}

func eachNode[V any](n *pnode[V], level uint8, base uint32, f func(uint32, V)) {
	for mask := n.mask; mask != 0; mask &= mask - 1 {
		i := uint32(bits.TrailingZeros16(mask))
		k := base | i<<(radixBits*uint(level))
		if level == 0 {
			f(k, n.vals[i])
		} else {
			eachNode(n.kids[i], level-1, k, f)
		}
	}
}

// diff visits, by ascending key, the keys in leaves that a and b do not share.
// A missing entry has ok false. Entries visited may be equal.
func diff[V any](a, b *pmap[V], f func(k uint32, va V, oka bool, vb V, okb bool)) {
	levels := max(a.levels, b.levels)
	if levels == 0 {
		return
	}
	ca, cb := *a, *b
	if ca.owner == 0 {
		ca.owner = newOwner()
	}
	if cb.owner == 0 {
		cb.owner = newOwner()
	}
	ca.grow(levels)
	cb.grow(levels)
	diffNode(ca.root, cb.root, levels-1, 0, f)
}

func diffNode[V any](a, b *pnode[V], level uint8, base uint32, f func(uint32, V, bool, V, bool)) {
	if a == b {
		return
	}
	var ma, mb uint16
	if a != nil {
		ma = a.mask
	}
	if b != nil {
		mb = b.mask
	}
	for mask := ma | mb; mask != 0; mask &= mask - 1 {
		i := uint32(bits.TrailingZeros16(mask))
		k := base | i<<(radixBits*uint(level))
		ina, inb := ma>>i&1 == 1, mb>>i&1 == 1
		if level == 0 {
			var va, vb V
			if ina {
				va = a.vals[i]
			}
			if inb {
				vb = b.vals[i]
			}
			f(k, va, ina, vb, inb)
			continue
		}
		var ka, kb *pnode[V]
		if ina {
			ka = a.kids[i]
		}
		if inb {
			kb = b.kids[i]
		}
		diffNode(ka, kb, level-1, k, f)
	}
}
