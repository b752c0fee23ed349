package term

import "fmt"

// SortKind distinguishes the families of sorts.
type SortKind uint8

// The families of sorts.
const (
	SortBool SortKind = iota
	SortBV
	SortArray
)

// Sort is the type of a term. Sorts are compared with ==.
type Sort struct {
	Kind  SortKind
	Width uint32 // of a bit-vector, or of the elements of an array
	Index uint32 // width of the indices of an array
}

// Bool is the sort of truth values.
func Bool() Sort { return Sort{Kind: SortBool} }

// BitVec is the sort of the bit-vectors of the given width.
func BitVec(width uint32) Sort {
	if width == 0 {
		panic("term: bit-vector sort of width 0")
	}
	return Sort{Kind: SortBV, Width: width}
}

// Array is the sort of the total maps from BitVec(index) to BitVec(elem). An
// index has at most 64 bits, so that a model of an array is a Go map.
func Array(index, elem uint32) Sort {
	if index == 0 || index > 64 || elem == 0 {
		panic(fmt.Sprintf("term: array sort from width %d to width %d", index, elem))
	}
	return Sort{Kind: SortArray, Width: elem, Index: index}
}

// String prints the sort as in SMT-LIB.
func (s Sort) String() string {
	switch s.Kind {
	case SortBool:
		return "Bool"
	case SortBV:
		return fmt.Sprintf("(_ BitVec %d)", s.Width)
	}
	return fmt.Sprintf("(Array (_ BitVec %d) (_ BitVec %d))", s.Index, s.Width)
}

// sortTable numbers the sorts in use. Bool is number 0.
type sortTable struct {
	sorts  []Sort
	narrow [257]uint32 // number of BitVec(w), 0 if there is none yet
	other  map[Sort]uint32
}

func newSortTable() sortTable {
	return sortTable{sorts: []Sort{Bool()}, other: map[Sort]uint32{}}
}

func (t *sortTable) bitVec(width uint32) uint32 {
	if width < uint32(len(t.narrow)) && t.narrow[width] != 0 {
		return t.narrow[width]
	}
	return t.number(BitVec(width))
}

func (t *sortTable) number(s Sort) uint32 {
	if s.Kind == SortBool {
		return 0
	}
	small := s.Kind == SortBV && s.Width < uint32(len(t.narrow))
	if small && t.narrow[s.Width] != 0 {
		return t.narrow[s.Width]
	}
	if n, ok := t.other[s]; ok {
		return n
	}
	n := uint32(len(t.sorts))
	t.sorts = append(t.sorts, s)
	if small {
		t.narrow[s.Width] = n
	} else {
		t.other[s] = n
	}
	return n
}
