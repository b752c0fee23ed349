package placement

import "slices"

// This file makes the choices of a run.

const (
	// origin is about where the first object stands.
	origin = 0x4000000
	// far is a distance that no program walks. It is a multiple of all alignments.
	far = 0x10000
	// near is how many units addresses are moved, at most, before they are compared or used.
	near = 3
	// maxAlign is the greatest alignment of an object.
	maxAlign = wordBits / 4
)

// choice is a point of the tree.
type choice struct{ taken, of int }

// choose takes one of n ways.
func (x *machine) choose(n int) int {
	if n == 1 {
		return 0
	}
	if x.depth == len(x.path) {
		x.path = append(x.path, choice{0, n})
	}
	c := x.path[x.depth]
	if c.of != n {
		panic("placement: the same choices led elsewhere")
	}
	x.depth++
	return c.taken
}

// next moves to the next leaf of the tree; false if there is none.
func (x *machine) next() bool {
	for len(x.path) > 0 {
		last := &x.path[len(x.path)-1]
		if last.taken++; last.taken < last.of {
			return true
		}
		x.path = x.path[:len(x.path)-1]
	}
	return false
}

// mark is an address from which others are within reach: an object, dead or alive, or a number.
type mark struct{ base, size uint64 }

// places are the addresses near to known ones at which something of that size may stand, and
// two far ones.
func (x *machine) places(size, align uint64) []uint64 {
	list := x.scratch[:0]
	low, high := uint64(origin), uint64(origin)
	for _, m := range x.marks {
		for a := m.base - min(m.base, (size+x.unit-1)/x.unit*x.unit+near*x.unit); a <= m.base+m.size+near*x.unit; a += x.unit {
			list = append(list, a&^(align-1))
		}
		low, high = min(low, m.base), max(high, m.base)
	}
	// What is far may stand in several ways to the multiples of its neighbours' alignments.
	for r := uint64(0); r < x.residues; r++ {
		if len(x.marks) > 0 {
			list = append(list, ((low-far)&^(maxAlign-1)+r*x.unit)&^(align-1))
		}
		list = append(list, ((high+far)&^(maxAlign-1)+r*x.unit)&^(align-1))
	}
	list = slices.DeleteFunc(list, func(a uint64) bool { return a == 0 || a >= 1<<wordBits-far })
	slices.Sort(list)
	x.scratch = slices.Compact(list)
	return x.scratch
}

// place chooses the base of a new object. It may be in the first page, near the number
// that the program has.
func (x *machine) place(size, align uint64) uint64 {
	list := x.places(extent(size), align)
	if x.tried { // so that the pointers that a program makes, a few units beside the object, meet the number
		for a := x.unit; a <= pageNumber+near*x.unit; a += x.unit {
			if a%align == 0 && !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	list = slices.DeleteFunc(list, func(a uint64) bool {
		if a < page && !x.low {
			return true
		}
		for i := range x.objects {
			if o := &x.objects[i]; o.alive && !o.ceded && a < o.base+extent(o.size) && o.base < a+extent(size) {
				return true
			}
		}
		return false
	})
	a := list[x.choose(len(list))]
	x.marks = append(x.marks, mark{a, extent(size)})
	return a
}

// number chooses a number where an address may be wanted: also one into the middle of what is
// there, and those that wrap around when they are moved.
func (x *machine) number() uint64 {
	list := append(x.places(1, 1), 0, pageNumber)
	for i := uint64(1); i <= near; i++ { // what is moved to null, or to the number of the first page
		list = append(list, i*x.unit, 1<<wordBits-i*x.unit, pageNumber+i*x.unit, (pageNumber-i*x.unit)&(1<<wordBits-1))
	}
	high := slices.Max(x.scratch)
	for i := range x.unit {
		list = append(list, high+i)
	}
	for _, m := range x.marks {
		for i := range m.size {
			list = append(list, m.base+i)
		}
		for i := uint64(1); i <= near && m.size > 1; i++ { // what is moved into the middle
			list = append(list, m.base+1-i*x.unit, m.base+1+i*x.unit)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	a := list[x.choose(len(list))]
	x.scratch = list
	if pageNumber < a && a < 1<<wordBits-far {
		x.marks = append(x.marks, mark{a, 1})
	}
	return a
}

const (
	// page is where the first page ends.
	page = 4096
	// pageNumber is a number of the first page.
	pageNumber = 8
)

// small are the values of a byte: those that programs tell apart, and one more.
var small = []uint64{0, 1, 2, 200}

// arbitrary chooses a value of that many bits.
func (x *machine) arbitrary(bits uint32) uint64 {
	switch bits {
	case 1:
		return uint64(x.choose(2))
	case wordBits:
		return x.number()
	case 8:
		return small[x.choose(len(small))]
	}
	panic("placement: arbitrary value of unknown width")
}
