package interp

import "syscall"

// Large objects. A run of a few thousand steps may allocate hundreds of megabytes, for sizes are inputs, and touch a
// few bytes of them; to make zeros of all of it would take longer than the steps. So objects from a size on are pages of
// their own, which the kernel makes when they are touched, and takes back when the object dies or the run ends.
//
// Nothing outside of this package holds bytes of an object: a State may look at them while its event is handled.

// pagesFrom is the size from which an object is pages: to fill a smaller one with zeros takes no longer than the kernel does.
const pagesFrom = 1 << 20

// zeros are the bytes of a new object; mapped says that they are pages.
func (m *memory) zeros(size uint64) (bytes []byte, mapped bool) {
	if size >= pagesFrom {
		b, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		if err == nil {
			m.pages[&b[0]] = b
			return b, true
		}
	}
	return make([]byte, size), false
}

// giveBack ends the life of the bytes of an object that are pages.
func (m *memory) giveBack(o *object) {
	if o.mapped {
		m.unmap(&o.bytes[:1][0])
		o.bytes, o.mapped = nil, false
	}
}

// giveAllBack is for the end of a run.
func (m *memory) giveAllBack() {
	for i := range m.objects {
		m.giveBack(&m.objects[i])
	}
	for first := range m.pages { // of objects that were popped from the table
		m.unmap(first)
	}
}

func (m *memory) unmap(first *byte) {
	if b, ok := m.pages[first]; ok {
		delete(m.pages, first)
		syscall.Munmap(b) // fails for no slice of Mmap
	}
}
