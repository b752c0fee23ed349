package memory

import (
	"testing"

	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// TestSpansKeepPointers: what was copied from pointers, as elements or as bytes of addresses, may keep them.
func TestSpansKeepPointers(t *testing.T) {
	for _, x := range []struct {
		name    string
		at, to  uint64 // offsets of the copy
		pointer bool   // is in the source
		cell    uint64 // size of the elements of the target
	}{
		{"elements", 0, 0, true, 8}, {"elements at an offset", 8, 16, true, 8}, {"bytes", 0, 3, true, 1}, {"bytes into elements", 1, 0, true, 8},
		{"numbers", 0, 0, false, 8}, {"bytes of numbers", 0, 3, false, 1},
	} {
		st := term.NewStore()
		sp := NewSpace(st, 64)
		sp.onlySpans = true
		s := NewState(sp)
		object := func(k int, cell uint64) ObjectID {
			o := sp.Allocation(Key{Instance: 1, Value: ir.Value(k)}, HeapObject, "o", sp.word(800), 8, ir.Layout{Cell: cell})
			s.CreateArbitrary(o, sp.Generation(Key{Instance: 2, Value: ir.Value(k)}, 800), st.True())
			return o
		}
		from, to, object3 := object(1, 8), object(2, x.cell), object(3, 1)
		n := st.Concat(st.Var("n", term.BitVec(61)), st.ConstU(3, 0))
		v := Value{Bits: st.ConstU(64, 5)}
		if x.pointer {
			v = sp.Pointer(object3, sp.word(4))
		}
		s.StoreTo(sp.Pointer(from, sp.word(16)), v, 8, st.True())
		s.Copy(sp.Pointer(to, sp.word(x.to)), sp.Pointer(from, sp.word(x.at)), n, st.True())
		if g := sp.TakeGaveUp(); len(g) > 0 {
			t.Errorf("%s: gave up: %s", x.name, g[0].Why)
		}
		if s.KeepsPointers(to) != x.pointer {
			t.Errorf("%s: keeps pointers: %t", x.name, !x.pointer)
		}
		joined := Join(st.Var("c", term.Bool()), s, s.Fork())
		if joined.KeepsPointers(to) != x.pointer {
			t.Errorf("%s: keeps pointers when joined: %t", x.name, !x.pointer)
		}
	}
}
