package frontend

import (
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file maps LLVM's types to ir's. ir knows scalars only: a struct, an
// array or a vector becomes the list of its scalars, in the order of memory,
// and every value of such a type becomes a list of values. The same list says
// where the scalars lie when the aggregate is in memory.

// scalar is a component of a flattened type.
type scalar struct {
	Type   ir.Type
	Offset uint64 // bytes from the start of the aggregate
}

// flat is a flattened type.
type flat struct {
	scalars []scalar
	// problem says why values of the type cannot be represented, "" if they can.
	problem string
	// memory says why the type cannot be loaded or stored, "" if it can.
	memory string
}

// maxScalars bounds first-class aggregates. clang makes none beyond a few
// registers; foreign modules could ask for millions of values at once.
const maxScalars = 1 << 12

func (im *importer) flatten(t *llvm.Type) *flat {
	if known, ok := im.flats[t]; ok {
		return known
	}
	f := &flat{}
	im.flattenInto(f, t, 0)
	if f.problem != "" {
		f.scalars = nil
	}
	im.flats[t] = f
	return f
}

func (im *importer) flattenInto(f *flat, t *llvm.Type, offset uint64) {
	add := func(s ir.Type) {
		if len(f.scalars) >= maxScalars {
			f.problem = "an aggregate of more than 4096 scalars as one value"
			return
		}
		f.scalars = append(f.scalars, scalar{s, offset})
	}
	if f.problem != "" {
		return
	}
	switch t.Kind {
	case llvm.VoidType:
	case llvm.IntType:
		add(ir.IntType(t.Bits))
	case llvm.PointerType:
		add(im.m.PtrType())
	case llvm.HalfType:
		add(ir.FloatType(16))
	case llvm.FloatType:
		add(ir.FloatType(32))
	case llvm.DoubleType:
		add(ir.FloatType(64))
	case llvm.ExtendedType: // its bits: models compute with them (llvm/extended.go)
		add(ir.IntType(80))
	case llvm.VectorType:
		size := t.Elem.StoreSize
		if t.Elem.Kind == llvm.IntType && t.Elem.Bits%8 != 0 {
			f.memory = "memory access to a vector of " + t.Elem.Text
		}
		im.flattenElements(f, t, offset, size)
	case llvm.ArrayType:
		im.flattenElements(f, t, offset, t.Elem.Size)
	case llvm.StructType:
		for i, field := range t.Fields {
			if !t.Sized {
				f.memory = "memory access to " + t.Text
				im.flattenInto(f, field, offset)
				continue
			}
			im.flattenInto(f, field, offset+t.Offsets[i])
		}
	case llvm.OtherFloatType:
		f.problem = "values of type " + floatName[t.Text]
		if floatName[t.Text] == "" {
			f.problem += t.Text
		}
	default:
		f.problem = "values of type " + t.Text
	}
}

func (im *importer) flattenElements(f *flat, t *llvm.Type, offset, step uint64) {
	before := len(f.scalars)
	for i := range t.Len {
		im.flattenInto(f, t.Elem, offset+i*step)
		if f.problem != "" || len(f.scalars) == before { // elements without scalars can be very many
			return
		}
	}
}

// floatName is how C calls the floating-point formats that are not modelled.
var floatName = map[string]string{"fp128": "__float128 (or long double)", "bfloat": "__bf16"}

// storage is the type that a scalar has in memory: integers take whole bytes.
func storage(t ir.Type) ir.Type {
	if t.Kind == ir.Int {
		return ir.IntType((t.Bits + 7) / 8 * 8)
	}
	return t
}

// layoutOf describes how an object of the type is usually accessed.
func layoutOf(t *llvm.Type, pointerBytes uint64) ir.Layout {
	var l ir.Layout
	cells := uint64(0) // union of the bits of all offsets and sizes
	walkScalars(t, 0, pointerBytes, func(offset, size uint64, pointer bool) {
		cells |= offset | size
		l.Pointers = l.Pointers || pointer
	})
	l.Cell = cells & -cells
	for t.Kind == llvm.ArrayType {
		t = t.Elem
		l.Stride = t.Size
	}
	return l
}

// walkScalars visits the scalars of a type, but only the first two elements of
// an array: with them, all multiples of the stride are known.
func walkScalars(t *llvm.Type, offset, pointerBytes uint64, visit func(offset, size uint64, pointer bool)) {
	switch t.Kind {
	case llvm.PointerType:
		visit(offset, pointerBytes, true)
	case llvm.ArrayType, llvm.VectorType:
		step := t.Elem.Size
		if t.Kind == llvm.VectorType {
			step = t.Elem.StoreSize
		}
		for i := range min(t.Len, 2) {
			walkScalars(t.Elem, offset+i*step, pointerBytes, visit)
		}
	case llvm.StructType:
		for i, f := range t.Fields {
			if t.Sized {
				walkScalars(f, offset+t.Offsets[i], pointerBytes, visit)
			}
		}
	default:
		if t.StoreSize > 0 {
			visit(offset, t.StoreSize, false)
		}
	}
}
