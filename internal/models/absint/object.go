package absint

// Objects and their cells.
//
// An abstract object stands for the objects that one instruction makes in one
// calling context, for a global, or for a function. Of each there are
//
//	life      an Int of three bits: bit 0, alive; bit 1, there may be several;
//	          bit 2, dead for good. Missing: no such object has been made.
//	size      in bytes. Missing: as life.
//	pristine  1: the bytes that no data cell covers are those of the initialiser.
//	smash     a value that every chunk of the object's smash width, counted
//	          from its start, holds, as far as no data cell covers it and it is
//	          not pristine. Missing: anything.
//	data      a range of bytes. Missing: as pristine and smash say.
//
// Data cells may overlap: what is known is the conjunction. Writing a cell makes
// those that overlap it unknown, explicitly, with the value of kind Void, because a
// missing one would fall back to smash.

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// The objects that always exist. Functions and globals of the module follow.
const (
	objNull objectID = iota // the null pointer
	objBare                 // a bare address, null perhaps; an access looks up what lives there
	objFirst
)

type objectKind uint8

const (
	bareObject objectKind = iota // null, and bare addresses
	functionObject
	globalObject
	stackObject
	argumentsObject // made by VaStart
	heapObject
)

type object struct {
	kind   objectKind
	fn     int          // functionObject: index of the function
	global *ir.Global   // globalObject
	maker  *callContext // stackObject, heapObject: where it is made
	value  ir.Value

	life, size, pristine, smash cellID
	smashWidth                  uint64 // bytes; 0: only zeros are known
	data                        []cellID
	// stored says that a pointer to the object may be in memory or may have
	// been returned: pointers to it can outlive the frame.
	stored bool
	// leaks says that a block may be alive at the end of the program.
	leaks bool
}

type cellRole uint8

const (
	lifeCell cellRole = iota
	sizeCell
	pristineCell
	smashCell
	dataCell
)

type cell struct {
	object objectID
	role   cellRole
	size   uint8 // bytes of data
	offset uint64
}

// maxCells bounds the data cells of an object; further accesses smash.
const maxCells = 512

// maxChunks bounds the chunks of an initialiser that are looked at for one value.
const maxChunks = 4096

func (a *analysis) newCell(c cell) cellID {
	a.cells = append(a.cells, c)
	return cellID(len(a.cells) - 1)
}

func (a *analysis) newObject(o object, layout ir.Layout) objectID {
	id := objectID(len(a.objects))
	for _, w := range []uint64{layout.Stride, layout.Cell} {
		if o.smashWidth == 0 && (w == 1 || w == 2 || w == 4 || w == 8) {
			o.smashWidth = w
		}
	}
	o.life = a.newCell(cell{object: id, role: lifeCell})
	o.size = a.newCell(cell{object: id, role: sizeCell})
	o.pristine = a.newCell(cell{object: id, role: pristineCell})
	o.smash = a.newCell(cell{object: id, role: smashCell})
	a.objects = append(a.objects, o)
	return id
}

// dataCell is the cell for a range, -1 if the object has too many.
func (a *analysis) dataCell(o objectID, offset uint64, size uint64) cellID {
	obj := &a.objects[o]
	for _, c := range obj.data {
		if a.cells[c].offset == offset && uint64(a.cells[c].size) == size {
			return c
		}
	}
	if len(obj.data) >= maxCells || size > 255 {
		return -1
	}
	c := a.newCell(cell{object: o, role: dataCell, offset: offset, size: uint8(size)})
	obj.data = append(obj.data, c)
	return c
}

// The values of life cells.
var (
	aliveOnce = absdomain.Const(3, 1)
	asleep    = absdomain.Const(3, 0)
	goneOnce  = absdomain.Const(3, 4)
)

// mustLive says that every object that o stands for is alive.
func (a *analysis) mustLive(m store, o objectID) bool {
	v := m.get(a.objects[o].life)
	return v != nil && v.Int.Ones&1 != 0
}

// mustDead says that none is alive.
func (a *analysis) mustDead(m store, o objectID) bool {
	v := m.get(a.objects[o].life)
	return v != nil && v.Int.Zeros&1 != 0
}

// unique says that o stands for one object.
func (a *analysis) unique(m store, o objectID) bool {
	v := m.get(a.objects[o].life)
	return v != nil && v.Int.Zeros&2 != 0
}

func (a *analysis) sizeOf(m store, o objectID) absdomain.Int {
	if v := m.get(a.objects[o].size); v != nil {
		return v.Int
	}
	return absdomain.Top(a.m.PointerBits)
}

func (a *analysis) setInt(m store, c cellID, x absdomain.Int) store {
	v := intValue(x)
	if old := m.get(c); old != nil && *old == v {
		return m
	}
	return m.set(c, &v)
}

// unknown is the explicit content of a cell of which nothing is known. Every use
// allocates: the address of a value identifies one write (see refine.go).
func unknown() *Value { return &Value{} }

// fromInit is the content of a pristine object, as a value of n bytes.
func (a *analysis) fromInit(g *ir.Global, offset, n uint64) Value {
	if n > 8 || offset > g.Size || n > g.Size-offset {
		return Value{}
	}
	word := uint64(a.m.PointerBits / 8)
	first, _ := slices.BinarySearchFunc(g.Relocs, offset, func(r ir.Reloc, at uint64) int { return cmp.Compare(r.Offset+word, at+1) })
	for _, r := range g.Relocs[first:] {
		if r.Offset >= offset+n {
			break
		}
		if r.Offset == offset && n == word {
			v := Value{Kind: ir.Ptr, Int: absdomain.Const(a.m.PointerBits, uint64(r.Addend)), Targets: anything}
			switch {
			case r.Target != "":
				v.Targets = a.sets.singleton(a.symbols[r.Target])
			case r.Addend == 0:
				v.Targets = a.sets.singleton(objNull)
			default:
				return topOf(a.m.PtrType())
			}
			return v
		}
		if r.Offset < offset+n && offset < r.Offset+word {
			return Value{}
		}
	}
	var x uint64
	if g.Init != nil {
		for i := range n {
			x |= uint64(g.Init[offset+i]) << (8 * i)
		}
	}
	return intValue(absdomain.Const(uint32(8*n), x))
}

// offsets enumerates the offsets in x that an access of n bytes of an object of
// the given size can have; ok is false if there are too many.
func offsets(x absdomain.Int, n, size uint64, f func(uint64)) bool {
	if n > size {
		return true
	}
	mod, rem := x.Congruence()
	if mod == 0 {
		if rem <= size-n {
			f(rem)
		}
		return true
	}
	hi := min(x.UHi, size-n)
	if x.ULo > hi {
		return true
	}
	if (hi-x.ULo)/mod > maxChunks {
		return false
	}
	for at := x.ULo; at <= hi; at += mod {
		f(at)
		if at > math.MaxUint64-mod {
			break
		}
	}
	return true
}
