package interp

// Numeric addresses. Every object has a base address from its birth. An input
// may prescribe it; otherwise a bump allocator takes the next free place of a
// region that is free of objects and prescribed bases, and leaves gaps, so that
// the end of one object is not the start of the next by accident. A region is the
// largest gap there is; when it is used up, the next one is looked for, and so
// the addresses of dead objects are used again.
//
// All objects that are not gone are in a list sorted by base, with some that are
// gone, which are swept out when they outnumber the others. The allocator
// appends to it, nearly always.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// gap is the least number of unused bytes between two objects that the
// allocator places.
const gap = 16

type addressSpace struct {
	low, high uint64 // what the allocator may use
	reserved  []uint64
	// prescribed says that an object has been placed by the input, perhaps
	// without notice in reserved.
	prescribed bool
	floor      uint64 // the start of the region
	cursor     uint64 // the next free address of the region
	ceiling    uint64 // the end of the region
	byBase     []uint32
	dead       int // objects in byBase that are gone
}

func (a *addressSpace) init(pointerBits uint32, reserved []uint64) {
	a.low, a.high = 1<<16, 1<<47
	if pointerBits == 32 {
		a.low, a.high = 1<<12, math.MaxUint32-1<<16
	}
	a.reserved = slices.Clone(reserved)
	slices.Sort(a.reserved)
}

// extent is the number of addresses that an object occupies: none can share
// even the base of an empty one.
func extent(size uint64) uint64 { return max(size, 1) }

// place finds the base of a new object, or checks the given one.
func (m *memory) place(size, align, base uint64) (uint64, error) {
	align = max(align, 1)
	a := &m.space
	if base != 0 {
		switch {
		case base%align != 0:
			return 0, fmt.Errorf("address %#x is not aligned to %d", base, align)
		case base > m.mask || extent(size)-1 > m.mask-base:
			return 0, fmt.Errorf("an object of %d bytes at %#x does not fit the address space", size, base)
		}
		a.prescribed = true
		return base, m.clash(base, size)
	}
	if size > a.high {
		return 0, fmt.Errorf("an object of %d bytes does not fit the address space", size)
	}
	start := alignUp(a.cursor, align)
	if start+extent(size)+gap > a.ceiling || a.prescribed && m.clash(start, size) != nil {
		if !a.nextRegion(m.objects, size, align) {
			return 0, fmt.Errorf("no room for an object of %d bytes", size)
		}
		start = alignUp(a.cursor, align)
	}
	a.cursor = start + extent(size) + gap
	return start, nil
}

// maxFirstFit bounds the objects that are looked at for a place.
const maxFirstFit = 1 << 10

// firstFit is the lowest place for an object, 0 if there is none, or too many objects to
// look for it. It depends on
// the objects that are there, and not on earlier ones.
func (m *memory) firstFit(size, align uint64) uint64 {
	a := &m.space
	if len(a.byBase)-a.dead > maxFirstFit {
		return 0
	}
	align = max(align, 1)
	start := alignUp(a.low, align)
	for _, id := range a.byBase {
		o := &m.objects[id]
		if o.state == stateGone || o.ceded {
			continue
		}
		if size < a.high && start+extent(size)+gap <= o.base {
			break
		}
		start = max(start, alignUp(o.base+extent(o.size)+gap, align))
	}
	if size >= a.high || start+extent(size)+gap > a.high {
		return 0
	}
	return start
}

func alignUp(x, align uint64) uint64 { return (x + align - 1) / align * align }

// clash says whether an object of that size at base would overlap a live one.
func (m *memory) clash(base, size uint64) error {
	a := &m.space
	i := a.search(m.objects, base)
	for j := i; j < len(a.byBase); j++ {
		if o := &m.objects[a.byBase[j]]; o.takes() {
			if o.base-base < extent(size) {
				return fmt.Errorf("address %#x+%d overlaps the live object at %#x+%d", base, size, o.base, o.size)
			}
			break
		}
	}
	for j := i - 1; j >= 0; j-- {
		if o := &m.objects[a.byBase[j]]; o.takes() {
			if base-o.base < extent(o.size) {
				return fmt.Errorf("address %#x+%d overlaps the live object at %#x+%d", base, size, o.base, o.size)
			}
			break
		}
	}
	return nil
}

// search is the index in byBase of the first object whose base is not below.
func (a *addressSpace) search(objects []object, base uint64) int {
	return sort.Search(len(a.byBase), func(i int) bool { return objects[a.byBase[i]].base >= base })
}

// insert adds a new object to the sorted list.
func (a *addressSpace) insert(objects []object, id uint32) {
	if a.dead > len(a.byBase)/2+32 {
		a.sweep(objects)
	}
	base := objects[id].base
	if n := len(a.byBase); n == 0 || objects[a.byBase[n-1]].base < base {
		a.byBase = append(a.byBase, id)
		return
	}
	a.byBase = slices.Insert(a.byBase, a.search(objects, base), id)
}

// pop removes the youngest object, which has this base, if it is the last of the
// list, and frees its addresses.
func (a *addressSpace) pop(id uint32, base uint64) bool {
	n := len(a.byBase)
	if n == 0 || a.byBase[n-1] != id {
		return false
	}
	a.byBase = a.byBase[:n-1]
	if a.floor <= base && base < a.cursor && !a.prescribed && len(a.reserved) == 0 {
		a.cursor = base
	}
	return true
}

func (a *addressSpace) sweep(objects []object) {
	a.byBase = slices.DeleteFunc(a.byBase, func(id uint32) bool { return objects[id].state == stateGone })
	a.dead = 0
}

// nextRegion makes the largest gap between objects and reserved addresses the
// region of the allocator. The size of a reserved object is not known yet, so of
// a gap above one only the upper half is taken.
func (a *addressSpace) nextRegion(objects []object, size, align uint64) bool {
	a.sweep(objects)
	type block struct {
		start, end uint64
		reserved   bool
	}
	// What is reserved below all that the allocator may use may reach above it, too.
	blocks := []block{{end: a.low, reserved: len(a.reserved) > 0 && a.reserved[0] <= a.low}, {start: a.high}}
	for _, id := range a.byBase {
		o := &objects[id]
		blocks = append(blocks, block{start: o.base, end: o.base + extent(o.size) - 1})
	}
	for _, r := range a.reserved {
		blocks = append(blocks, block{start: r, end: r, reserved: true})
	}
	slices.SortFunc(blocks, func(x, y block) int { return cmp.Compare(x.start, y.start) })
	var best, bestEnd uint64
	last := blocks[0]
	for _, b := range blocks[1:] {
		start, end := last.end+gap, min(b.start, a.high)
		if last.reserved && start < end {
			start += (end - start) / 2
		}
		if start < end && end-start > bestEnd-best {
			best, bestEnd = start, end
		}
		if b.end >= last.end {
			last = b
		}
	}
	a.floor, a.cursor, a.ceiling = best, best, bestEnd
	start := alignUp(best, align)
	return bestEnd > best && start >= best && size <= bestEnd-best && start+extent(size)+gap <= bestEnd
}

// find is the pointer with that address: to the live object that holds it (the
// end excluded), else to nothing.
func (m *memory) find(address uint64) pointer {
	if address == 0 {
		return pointer{}
	}
	a := &m.space
	i := len(a.byBase)
	if address < m.mask {
		i = a.search(m.objects, address+1)
	}
	for i--; i >= 0; i-- {
		if o := &m.objects[a.byBase[i]]; o.takes() {
			if address-o.base < extent(o.size) {
				return pointer{address, uint64(a.byBase[i])}
			}
			break // live objects do not overlap: those before end before this one
		}
	}
	return pointer{address: address}
}
