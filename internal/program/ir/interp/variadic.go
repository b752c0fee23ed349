package interp

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// vaStart puts the variadic arguments of the frame into a new object and makes
// a va_list that reads all of them from there, as code compiled for the System V
// ABI does when no register is left:
//
//	x86-64:  | gp_offset = 48 | fp_offset = 176 | overflow_arg_area | reg_save_area = null |
//	i386:    | pointer to the arguments |
func (m *machine) vaStart(v ir.Value, list pointer) bool {
	word := m.mem.word
	size := word
	if word == 8 {
		size = 24
	}
	if _, _, ok := m.mem.writable(list, size); !ok {
		return m.violation(ir.InvalidDeref, v)
	}
	arguments := m.frames[len(m.frames)-1].arguments
	var offsets []uint64
	end := uint64(0)
	for _, a := range arguments {
		n := a.t.Size()
		if word == 8 && n == 16 {
			end = alignUp(end, 16)
		}
		offsets = append(offsets, end)
		end = alignUp(end+n, word)
	}
	if !m.fits(v, end) {
		return false
	}
	base := uint64(0)
	if m.repeat != nil {
		base = m.mem.firstFit(end, 16)
	}
	id, err := m.mem.allocate(kindArguments, end, 16, base)
	if err != nil {
		return m.end(MemoryLimit, v, err.Error())
	}
	area := &m.mem.objects[id]
	area.site, area.maker = v, m.cur.index
	for i, a := range arguments {
		at, n := offsets[i], a.t.Size()
		switch classOf(a.t) {
		case scalar:
			storeBits(area.bytes[at:at+n], a.x)
		case pair:
			m.mem.storePointer(area, at, a.p)
		case wide:
			copy(area.bytes[at:], a.b.ZExt(uint32(8*n)).Bytes())
		}
	}
	o, at, _ := m.mem.writable(list, size)
	o.overwrite(at, size)
	clear(o.bytes[at : at+size])
	if word == 8 {
		copy(o.bytes[at:], bv.New(64, 176<<32|48).Bytes())
		at += 8
	}
	m.mem.storePointer(o, at, pointer{area.base, id})
	return true
}
