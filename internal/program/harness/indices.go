package harness

import "assay/internal/program/llvm"

// This file finds the members of structures that the program uses as an index of an array in the same structure: there is
// an element at them when a function is called, whatever they are called.

// subscript is how a member is used as an index of arrays: the least of their sizes, and what is added at least.
type subscript struct {
	count uint64
	added int64
}

// subscripted notes the members that are an index of an array in the same structure, as in s->stack[s->depth - 1].
func (in *inference) subscripted(i *llvm.Inst) {
	if len(i.Args) == 0 {
		return
	}
	// clang steps to the array and in the array by one instruction, or by two.
	whole := i.Elem
	indices := i.Args[min(2, len(i.Args)):]
	if outer, ok := i.Args[0].(*llvm.Inst); ok && outer.Op == llvm.GetElementPtr && whole.Kind == llvm.ArrayType && len(i.Args) == 3 {
		list := placesOf(outer)
		if len(list) > 0 {
			in.subscriptOf(list[len(list)-1].size, whole, i.Args[2])
		}
		return
	}
	size := uint64(0)
	for t := whole; len(indices) > 0; indices = indices[1:] {
		switch t.Kind {
		case llvm.StructType:
			c, ok := indices[0].(*llvm.Const)
			if !ok || c.Kind != llvm.IntConst || c.Bits.Uint64() >= uint64(len(t.Fields)) {
				return
			}
			size, t = t.Size, t.Fields[c.Bits.Uint64()]
		case llvm.ArrayType:
			if size > 0 {
				in.subscriptOf(size, t, indices[0])
			}
			t = t.Elem
		default:
			return
		}
	}
}

// subscriptOf notes that an index is that of an array in a structure of a size.
func (in *inference) subscriptOf(size uint64, array *llvm.Type, index llvm.Value) {
	x, ok := loaded(index)
	if !ok || x.size != size || array.Len < 2 {
		return
	}
	_, added := rooted(index)
	use := subscript{array.Len, added}
	if old, ok := in.subscripts[x]; ok {
		use.count, use.added = min(use.count, old.count), max(use.added, old.added)
	}
	in.subscripts[x] = use
}

// indices bounds members that the program uses as an index of an array beside them: an element is there. Where it takes the element
// before, as in stack[depth - 1], the member may be the size of the array, too.
func (in *inference) indices(members []member) (bounds []Field) {
	for _, m := range members {
		use, ok := in.subscripts[m.inner]
		s := m.Type.Strip()
		if !ok || s == nil || s.Kind != llvm.CInt || s.Bits < 8 {
			continue
		}
		bounds = append(bounds, Field{Member: m.Member, Under: use.count + uint64(max(-use.added, 0))})
	}
	return bounds
}
