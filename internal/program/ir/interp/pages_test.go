package interp

import (
	"slices"
	"testing"
)

// TestPages: large objects are zero when they are made, also where another one was, and their pages are given back when
// they die, when a small or a larger one takes their place in the table, and at the end of a run.
func TestPages(t *testing.T) {
	m := newMemory(64, nil)
	make := func(kind objectKind, size uint64) *object {
		t.Helper()
		id, err := m.allocate(kind, size, 16, 0)
		if err != nil {
			t.Fatal(err)
		}
		o := &m.objects[id]
		if uint64(len(o.bytes)) != size || slices.ContainsFunc(o.bytes, func(b byte) bool { return b != 0 }) {
			t.Fatalf("%d bytes of %d, or not all are zero", len(o.bytes), size)
		}
		if size > 0 {
			o.bytes[0], o.bytes[size-1] = 1, 1
		}
		return o
	}
	pages := func(n int) {
		t.Helper()
		if len(m.pages) != n {
			t.Errorf("%d objects have pages, not %d", len(m.pages), n)
		}
	}
	make(kindHeap, 8)
	pages(0)
	make(kindHeap, pagesFrom)
	pages(1)
	m.kill(uint64(len(m.objects)-1), stateGone)
	pages(0)
	for _, size := range []uint64{pagesFrom, pagesFrom, 2 * pagesFrom, pagesFrom + 1, 16, pagesFrom} {
		make(kindStack, size)
		pages(1 - int(16/size))
		m.popTo(0)
	}
	make(kindStack, pagesFrom)
	id := uint64(len(m.objects) - 1)
	m.kill(id, stateAsleep)
	if err := m.revive(id); err != nil || m.objects[id].bytes[0] != 0 {
		t.Errorf("revived: %v", err)
	}
	make(kindHeap, 3*pagesFrom)
	pages(2)
	m.giveAllBack()
	pages(0)
	if _, _, ok := m.readable(pointer{m.objects[id].base, id}, 1); ok {
		t.Error("what is given back can be read")
	}
}
