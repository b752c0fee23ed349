package image

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// This file applies relocations [psABI, 4.4]. What the file does not define gets an address from externalBase on, 16
// bytes apart, so that code and data refer to it as to anything else; where a relocation asks for an entry of
// the global offset table, it gets one in a section behind the others.

const (
	externalBase = 0x7_e000_0000 // far from everything, within reach of nothing
	nearExternal = 0x7000_0000   // of object files: within 2 GiB of objectBase
	pointerSize  = 8
)

// relocation is an entry of type Rela.
type relocation struct {
	at     uint64 // the address of what is changed
	kind   elf.R_X86_64
	symbol elf.Symbol
	addend int64
	none   bool // it has no symbol
}

// relocate applies all relocations of the file.
func (m *Image) relocate(file *elf.File, base []uint64) error {
	m.Externals, m.Copies, m.Pointers, m.Constants = map[uint64]string{}, map[uint64]string{}, map[uint64]bool{}, map[uint64]bool{}
	r := relocator{image: m, addresses: map[string]uint64{}, table: map[string]uint64{}, next: externalBase}
	if m.Type == elf.ET_REL {
		r.next = nearExternal
	}
	for _, s := range file.Sections {
		if s.Type != elf.SHT_RELA || s.Size == 0 {
			continue
		}
		dynamic := s.Flags&elf.SHF_ALLOC != 0
		if !dynamic && m.Type != elf.ET_REL {
			continue // kept for tools, and applied already
		}
		offset := uint64(0)
		if m.Type == elf.ET_REL {
			if int(s.Info) >= len(base) || file.Sections[s.Info].Flags&elf.SHF_ALLOC == 0 {
				continue // of debugging information
			}
			offset = base[s.Info]
		}
		list, err := r.read(file, s, dynamic, offset)
		if err != nil {
			return err
		}
		for _, x := range list {
			if err := r.apply(x, base); err != nil {
				return err
			}
		}
	}
	r.addTable()
	return nil
}

// relocator is the state of relocate.
type relocator struct {
	image     *Image
	addresses map[string]uint64 // of externals
	table     map[string]uint64 // entries of the global offset table that were added, by what they point to
	entries   []byte
	next      uint64
}

func (r *relocator) fail(format string, args ...any) error {
	return &Error{File: r.image.File, Reason: fmt.Sprintf(format, args...)}
}

// read decodes a section of type Rela.
func (r *relocator) read(file *elf.File, s *elf.Section, dynamic bool, offset uint64) ([]relocation, error) {
	data, err := s.Data()
	if err != nil || len(data)%24 != 0 {
		return nil, r.fail("section %q is damaged", s.Name)
	}
	symbols, err := file.Symbols()
	if dynamic {
		symbols, err = file.DynamicSymbols()
	}
	if err != nil && err != elf.ErrNoSymbols {
		return nil, r.fail("the symbol table is damaged: %v", err)
	}
	var out []relocation
	for ; len(data) > 0; data = data[24:] {
		info := binary.LittleEndian.Uint64(data[8:])
		x := relocation{at: binary.LittleEndian.Uint64(data) + offset, kind: elf.R_X86_64(uint32(info)), addend: int64(binary.LittleEndian.Uint64(data[16:]))}
		switch n := info >> 32; {
		case n == 0:
			x.none = true
		case n > uint64(len(symbols)):
			return nil, r.fail("section %q has a relocation by a symbol that is not there", s.Name)
		default:
			x.symbol = symbols[n-1] // debug/elf leaves out the first
		}
		out = append(out, x)
	}
	return out, nil
}

// external is the address that stands for a name.
func (r *relocator) external(name string) uint64 {
	a, ok := r.addresses[name]
	if !ok {
		a = r.next
		r.next += 16
		r.addresses[name] = a
		r.image.Externals[a] = name
	}
	return a
}

// value is the address of a relocation's symbol.
func (r *relocator) value(x relocation, base []uint64) (uint64, error) {
	switch s := x.symbol; {
	case x.none:
		return 0, nil
	case elf.ST_TYPE(s.Info) == elf.STT_TLS:
		return 0, r.fail("the thread-local variable %q is not supported", s.Name)
	case s.Section == elf.SHN_UNDEF:
		return r.external(s.Name), nil
	case s.Section == elf.SHN_ABS:
		return s.Value, nil
	case int(s.Section) < len(base):
		return s.Value + base[s.Section], nil
	default:
		return 0, r.fail("symbol %q lies in no section", s.Name)
	}
}

// apply changes the bytes of one relocation.
func (r *relocator) apply(x relocation, base []uint64) error {
	s, err := r.value(x, base)
	if err != nil {
		return err
	}
	target := s + uint64(x.addend)
	switch x.kind {
	case elf.R_X86_64_NONE:
		return nil
	case elf.R_X86_64_IRELATIVE: // the program chooses an implementation when it starts, and writes its address there
		if name, ok := r.image.chosenAtStart(uint64(x.addend)); ok {
			r.image.Pointers[x.at] = true
			return r.write(x, r.external(name), pointerSize)
		}
		return nil
	case elf.R_X86_64_64, elf.R_X86_64_RELATIVE, elf.R_X86_64_GLOB_DAT, elf.R_X86_64_JMP_SLOT:
		if x.kind == elf.R_X86_64_GLOB_DAT || x.kind == elf.R_X86_64_JMP_SLOT {
			target = s
		}
		r.image.Pointers[x.at] = true
		return r.write(x, target, pointerSize)
	case elf.R_X86_64_PC32, elf.R_X86_64_PLT32:
		return r.write(x, target-x.at, 4)
	case elf.R_X86_64_32, elf.R_X86_64_32S:
		r.image.Constants[x.at] = true
		return r.write(x, target, 4)
	case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
		return r.write(x, r.entry(s)+uint64(x.addend)-x.at, 4)
	case elf.R_X86_64_COPY:
		r.image.Copies[x.at] = x.symbol.Name // an object of a library, which has room here
		return nil
	}
	return r.fail("relocations of type %v (at 0x%x) are not supported", x.kind, x.at)
}

// chosenAtStart is the plainest name of the indirect function that is chosen by the code at an address, as strlen of a static glibc is.
func (m *Image) chosenAtStart(resolver uint64) (name string, ok bool) {
	for _, s := range m.Symbols {
		plainer := len(s.Name) < len(name) || strings.HasPrefix(name, "_") && !strings.HasPrefix(s.Name, "_")
		if s.Defined && s.Type == elf.STT_GNU_IFUNC && s.Address == resolver && (!ok || plainer && (strings.HasPrefix(name, "_") || !strings.HasPrefix(s.Name, "_"))) {
			name, ok = s.Name, true
		}
	}
	return name, ok
}

// tableBase is where entries of the global offset table are put that an object file asks for.
const tableBase = 0x6000_0000

// entry is the address of a new entry of the global offset table.
func (r *relocator) entry(target uint64) uint64 {
	key := fmt.Sprint(target)
	a, ok := r.table[key]
	if !ok {
		a = tableBase + uint64(len(r.entries))
		r.table[key] = a
		r.entries = binary.LittleEndian.AppendUint64(r.entries, target)
		r.image.Pointers[a] = true
	}
	return a
}

func (r *relocator) addTable() {
	if len(r.entries) > 0 {
		r.image.Sections = append(r.image.Sections, Section{Name: ".got", Address: tableBase, Size: uint64(len(r.entries)), Data: r.entries})
	}
}

// write changes some bytes, which have to be there.
func (r *relocator) write(x relocation, value uint64, size uint64) error {
	s := r.image.SectionAt(x.at)
	if s == nil || s.Data == nil || x.at-s.Address+size > s.Size {
		return r.fail("a relocation is about address 0x%x, where nothing is: the file is damaged", x.at)
	}
	if size == 4 {
		if n := int64(value); n > math.MaxUint32 || n < math.MinInt32 {
			return r.fail("the relocation at 0x%x does not fit: the file is damaged", x.at)
		}
	}
	for i := range size {
		s.Data[x.at-s.Address+i] = byte(value >> (8 * i))
	}
	return nil
}
