package memory

import (
	"fmt"

	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// ObjectBits is the width of object names in terms.
const ObjectBits = 24

// ObjectID names an object of a Space. Object 0 is no object: a pointer
// (0, a) is the bare address a, and (0, 0) is null.
type ObjectID uint32

// ObjectKind is the storage class of an object.
type ObjectKind uint8

// The storage classes.
const (
	GlobalObject ObjectKind = iota
	StackObject
	HeapObject
	FunctionObject
)

// Key names one execution of one instruction in the unwound program; it is the
// same in every unwinding depth, so that what it makes (objects, contents,
// free variables) is shared by all depths.
type Key struct {
	Instance uint32
	Value    ir.Value
	Sub      int32
}

// Object is what does not change during an object's life.
type Object struct {
	ID     ObjectID
	Kind   ObjectKind
	Name   string
	Global *ir.Global
	Func   *ir.Func
	// Size in bytes, pointer-wide; ConstSize is its value if Sized.
	Size      term.ID
	ConstSize uint64
	Sized     bool
	Align     uint64
	Layout    ir.Layout
	ReadOnly  bool

	elem uint32  // bytes of an array element, 0: not yet decided
	base term.ID // address variable, 0: not needed so far
}

// Value is a value of the program: a scalar is Bits; a pointer has Object (of
// ObjectBits) and Offset (pointer-wide) instead.
type Value struct {
	Bits   term.ID
	Object term.ID
	Offset term.ID
}

// IsPointer says whether v is a pointer.
func (v Value) IsPointer() bool { return v.Bits == 0 }

// generation is one arbitrary content of an object or of a range of it.
type generation struct {
	array term.ID // array variable, 0: never read so far
	elem  uint32
	size  uint64
}

// Generation names a generation of a Space.
type Generation uint32

// GaveUp is a condition under which the formula is not exact: a proof must
// exclude it, a counterexample may depend on it.
type GaveUp struct {
	Cond term.ID
	Why  string
}

// Space is the table of all objects, contents and address variables of a run.
// It only grows.
type Space struct {
	Store *term.Store
	// PointerBits is the width of offsets and addresses.
	PointerBits uint32
	// low says that objects may lie in the first page; see Numbers.
	low bool

	objects     []Object
	byKey       map[Key]ObjectID
	bySymbol    map[string]ObjectID
	generations []generation
	genByKey    map[Key]Generation
	pointees    []*pointee
	pointeeOf   map[[2]uint32]*pointee     // by address and epoch
	pointeeBy   map[term.ID]*pointee       // by variable
	loaded      map[term.ID]*loadedPointer // by object variable
	wildReads
	epochs    map[epochKey]uint32
	history   []epochKey // of epoch e at e - 1
	births    []birth
	birthSet  map[birth]bool
	byBase    map[term.ID]ObjectID // by address variable
	pointerOf map[term.ID]Value    // inverse of PtrToInt
	// functionRanges caches functionNames.
	functionRanges [][2]ObjectID
	facts          []term.ID
	factSet        map[term.ID]bool
	plain          map[term.ID]bool // terms that hold no address; see cut.go
	gaveUp         []GaveUp
	// spans are the elements of variables, over the arrays of which it is known whether they are made of such, elements
	// those that were read, parts what they are made of; see span.go.
	spans    map[term.ID]func(index term.ID) term.ID
	over     map[term.ID]bool
	elements map[[2]term.ID]term.ID
	weight   map[term.ID]int
	parts    map[term.ID][]term.ID
	// onlySpans lets no range be treated piece by piece, in tests.
	onlySpans bool
}

// wildReads are the reads through wild pointers; see wild.go.
type wildReads struct {
	reads    []wildRead // since Begin
	readOf   map[Key]wildValue
	readFrom map[term.ID]term.ID // variables of reads to the object read from
}

// NewSpace makes an empty space.
func NewSpace(store *term.Store, pointerBits uint32) *Space {
	return &Space{
		Store: store, PointerBits: pointerBits,
		objects:     make([]Object, 1),
		byKey:       map[Key]ObjectID{},
		bySymbol:    map[string]ObjectID{},
		generations: make([]generation, 1),
		genByKey:    map[Key]Generation{},
		pointeeOf:   map[[2]uint32]*pointee{},
		pointeeBy:   map[term.ID]*pointee{},
		loaded:      map[term.ID]*loadedPointer{},
		wildReads:   wildReads{readOf: map[Key]wildValue{}, readFrom: map[term.ID]term.ID{}},
		epochs:      map[epochKey]uint32{},
		birthSet:    map[birth]bool{},
		byBase:      map[term.ID]ObjectID{},
		pointerOf:   map[term.ID]Value{},
		factSet:     map[term.ID]bool{},
	}
}

// Numbers lets objects lie in the first page if the program can tell: if it makes
// numbers of pointers or pointers of numbers. In others an object there is as good as
// one elsewhere, and proofs are shorter without.
func (sp *Space) Numbers(m *ir.Module) {
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			sp.low = sp.low || r.Target == "" && r.Addend != 0
		}
	}
	for _, f := range m.Funcs {
		for v := 1; v < len(f.Values) && !f.Model; v++ {
			if op := f.Def(ir.Value(v)).Op; op == ir.PtrToInt || op == ir.IntToPtr {
				sp.low = true
				return
			}
		}
	}
}

// Object gives the table entry of an object.
func (sp *Space) Object(o ObjectID) *Object { return &sp.objects[o] }

// Objects is the number of objects so far.
func (sp *Space) Objects() int { return len(sp.objects) - 1 }

// Facts returns the facts about addresses made since the last call. They hold
// in every run and must be asserted.
func (sp *Space) Facts() []term.ID {
	f := sp.facts
	sp.facts = nil
	return f
}

// TakeGaveUp returns what was given up since the last call.
func (sp *Space) TakeGaveUp() []GaveUp {
	g := sp.gaveUp
	sp.gaveUp = sp.gaveUp[:0]
	return g
}

func (sp *Space) giveUp(cond term.ID, format string, args ...any) {
	if !sp.Store.IsFalse(cond) {
		sp.gaveUp = append(sp.gaveUp, GaveUp{cond, fmt.Sprintf(format, args...)})
	}
}

func (sp *Space) fact(t term.ID) {
	if !sp.Store.IsTrue(t) && !sp.factSet[t] {
		sp.factSet[t] = true
		sp.facts = append(sp.facts, t)
	}
}

// word is a pointer-wide constant.
func (sp *Space) word(v uint64) term.ID { return sp.Store.ConstU(sp.PointerBits, v) }

// name is the constant that stands for an object in terms.
func (sp *Space) name(o ObjectID) term.ID { return sp.Store.ConstU(ObjectBits, uint64(o)) }

// Null is the null pointer.
func (sp *Space) Null() Value { return sp.Pointer(0, sp.word(0)) }

// Pointer is the pointer to an offset of an object.
func (sp *Space) Pointer(o ObjectID, offset term.ID) Value {
	return Value{Object: sp.name(o), Offset: offset}
}

func (sp *Space) add(o Object) ObjectID {
	o.ID = ObjectID(len(sp.objects))
	if o.ID >= 1<<ObjectBits {
		panic("memory: too many objects")
	}
	if v, ok := sp.Store.ConstUint64(o.Size); ok {
		o.ConstSize, o.Sized = v, true
	}
	sp.objects = append(sp.objects, o)
	return o.ID
}

// Symbol is the object of a global or function.
func (sp *Space) Symbol(name string) (ObjectID, bool) {
	o, ok := sp.bySymbol[name]
	return o, ok
}

// AddGlobal makes the object of a global.
func (sp *Space) AddGlobal(g *ir.Global) ObjectID {
	o := sp.add(Object{Kind: GlobalObject, Name: g.Name, Global: g, Size: sp.word(g.Size), Align: g.Align, Layout: g.Layout, ReadOnly: g.Constant})
	sp.bySymbol[g.Name] = o
	return o
}

// AddFunction makes the object of a function.
func (sp *Space) AddFunction(f *ir.Func) ObjectID {
	o := sp.add(Object{Kind: FunctionObject, Name: f.Name, Func: f, Size: sp.word(1), Align: 1, ReadOnly: true})
	sp.bySymbol[f.Name] = o
	return o
}

// Allocation is the object that the instruction execution key makes. Its size
// is that of the first call, unless it depends on the depth: then the key of a
// later, different size names another object.
func (sp *Space) Allocation(key Key, kind ObjectKind, name string, size term.ID, align uint64, layout ir.Layout) ObjectID {
	for {
		o, ok := sp.byKey[key]
		if !ok {
			o = sp.add(Object{Kind: kind, Name: name, Size: size, Align: max(1, align), Layout: layout})
			sp.byKey[key] = o
			return o
		}
		if sp.objects[o].Size == size {
			return o
		}
		key.Sub++
	}
}

// Generation is the arbitrary content that the instruction execution key makes.
func (sp *Space) Generation(key Key, size uint64) Generation {
	g, ok := sp.genByKey[key]
	if !ok {
		g = Generation(len(sp.generations))
		sp.generations = append(sp.generations, generation{size: size})
		sp.genByKey[key] = g
	}
	return g
}

// Contents gives the array variable that holds a generation, its element size
// in bytes and the size of the content; ok is false if it was never read.
func (sp *Space) Contents(g Generation) (array term.ID, elem uint32, size uint64, ok bool) {
	e := sp.generations[g]
	return e.array, e.elem, e.size, e.array != 0
}

func (sp *Space) arrayOf(g Generation, elem uint32) (term.ID, uint32) {
	e := &sp.generations[g]
	if e.array == 0 {
		e.elem = elem
		e.array = sp.Store.Var(fmt.Sprintf("content!%d", g), term.Array(sp.PointerBits, 8*elem))
	}
	return e.array, e.elem
}

// elem decides the element size of an object's arrays: the size that all its
// scalars share, or the size of the first access that asks.
func (sp *Space) elem(o ObjectID, access uint32) uint32 {
	ob := &sp.objects[o]
	if ob.elem == 0 {
		e := uint32(min(ob.Layout.Cell, 8))
		if e == 0 {
			e = access
		}
		if e != 1 && e != 2 && e != 4 && e != 8 || ob.Sized && ob.ConstSize%uint64(e) != 0 {
			e = 1
		}
		ob.elem = e
	}
	return ob.elem
}

// BaseVariable is the address variable of an object, 0 if it never mattered.
func (sp *Space) BaseVariable(o ObjectID) term.ID { return sp.objects[o].base }

// base is the address of an object: a variable that is aligned, not 0, not in the
// last page, nor in the first unless that can matter, and leaves room for the object [docs/soundness.md, I7].
func (sp *Space) base(o ObjectID) term.ID {
	ob := &sp.objects[o]
	if ob.base != 0 {
		return ob.base
	}
	st := sp.Store
	b := st.Var(fmt.Sprintf("base!%d", o), term.BitVec(sp.PointerBits))
	ob.base = b
	sp.byBase[b] = o
	top := uint64(1)<<47 - page
	if sp.PointerBits == 32 {
		top = 1<<32 - page
	}
	lowest := uint64(page)
	if sp.low && ob.Kind != FunctionObject {
		lowest = 1
	}
	sp.fact(st.ULe(sp.word(lowest), b))
	sp.fact(st.ULe(b, sp.word(top)))
	// A size that is not constant may be too large on runs that never make the
	// object; they must not be excluded.
	sp.fact(st.Implies(st.ULe(ob.Size, sp.word(top-page)), st.ULe(ob.Size, st.Sub(sp.word(top), b))))
	for a, i := sp.alignment(o), uint32(0); a > 1; a, i = a/2, i+1 {
		sp.fact(st.Eq(st.Extract(b, i, i), st.ConstU(1, 0)))
	}
	return b
}

const page = 4096

// alignment is that of the base of an object.
func (sp *Space) alignment(o ObjectID) uint64 {
	if ob := &sp.objects[o]; ob.Kind != FunctionObject {
		return max(1, ob.Align)
	}
	return 1
}

// extent is the number of addresses that an object occupies: none can share
// even the base of an empty one.
func (sp *Space) extent(o ObjectID) term.ID {
	st, ob := sp.Store, &sp.objects[o]
	if ob.Sized {
		return sp.word(max(1, ob.ConstSize))
	}
	return st.Ite(st.Eq(ob.Size, sp.word(0)), sp.word(1), ob.Size)
}

// disjoint says that two objects do not overlap.
func (sp *Space) disjoint(a, b ObjectID) term.ID {
	st := sp.Store
	ba, bb := sp.base(a), sp.base(b)
	end := func(o ObjectID, base term.ID) term.ID { return st.Add(base, sp.extent(o)) }
	return st.Or(st.ULe(end(a, ba), bb), st.ULe(end(b, bb), ba))
}
