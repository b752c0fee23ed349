package checked

import "encoding/binary"

// This file decides whether words are equal, which is most of what formulas about memory ask: whether a read
// meets a store. A gate for each bit and those that join them are 7n clauses for n bits. Here are 4n + 1:
//
//	e and the i-th bit of one word  implies  that of the other, and the reverse
//	d(i)  implies  that the i-th bits differ
//	e or d(1) or … or d(n)
//
// # Soundness
//
// In every model e is true iff the words are equal: if e is true, by the first; if not, some d(i) is true, and
// the words differ. And every assignment of the words has one: e and all d(i) as the words are. Unit
// propagation finds as much as through gates: two bits that differ make e false; where all bits are equal, no d(i) can
// be true, and e is.

// same is true where two words are equal.
func (t *translation) same(a, b word) int32 {
	var pairs [][2]int32 // of which both are true, or none
	for i := range a {
		x, y := a[i], b[i]
		if magnitude(x) > magnitude(y) {
			x, y = y, x
		}
		if x < 0 {
			x, y = -x, -y
		}
		switch {
		case x == y:
		case x == -y:
			return no
		default:
			pairs = append(pairs, [2]int32{x, y})
		}
	}
	switch len(pairs) {
	case 0:
		return yes
	case 1:
		return t.equal(pairs[0][0], pairs[0][1])
	}
	key := make([]byte, 0, 8*len(pairs))
	for _, p := range pairs {
		key = binary.LittleEndian.AppendUint32(key, uint32(p[0]))
		key = binary.LittleEndian.AppendUint32(key, uint32(p[1]))
	}
	if e, made := t.equals[string(key)]; made {
		return e
	}
	e := t.fresh()
	t.equals[string(key)] = e
	long := []int32{e}
	for _, p := range pairs {
		x, y := p[0], p[1]
		if x == yes {
			t.clause(-e, y)
			long = append(long, -y)
			continue
		}
		t.clause(-e, -x, y)
		t.clause(-e, x, -y)
		long = append(long, t.differ(x, y))
	}
	t.clause(long...)
	return e
}

// differ is true only where two variables, or a variable and a negated one, have different values; where they
// have, it need not be.
func (t *translation) differ(x, y int32) int32 {
	d, made := t.known(differGate, x, y, 0)
	if !made {
		t.clause(-d, x, y)
		t.clause(-d, -x, -y)
	}
	return d
}

func magnitude(l int32) int32 {
	if l < 0 {
		return -l
	}
	return l
}
