// Package image loads x86-64 ELF files: executables (static, dynamic, PIE) and
// object files become sections at addresses, with symbols.
//
// Invariants:
//  1. Sections are sorted by address and do not overlap, so that an address
//     lies in at most one of them.
//  2. A section of an object file has address 0 in the file. Load lays such
//     sections out one after the other from objectBase on, aligned as they
//     ask; symbols move along.
//  3. Section data are the bytes of the file with its relocations applied: those of an object
//     file, and those that the dynamic linker applies before a program starts (relocation.go). A
//     function that the file does not define is at an address of its own, where nothing is.
//
// What is not loaded (another machine, big endian, compressed sections) is an
// *Error, with what to do.
package image

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
)

const (
	objectBase   = 0x400000 // where the first section of an object file is put
	separation   = 64       // bytes between its sections: the end of one is not the start of the next
	maxFile      = 1 << 30  // bytes of a file
	maxMemory    = 1 << 32  // bytes that the sections of a file take
	maxAlignment = 1 << 16  // bytes
)

// Error says why a file is not loaded, and what to do.
type Error struct {
	File   string
	Reason string
}

func (e *Error) Error() string { return e.File + ": " + e.Reason }

// Section is memory that the program has at its start.
type Section struct {
	Name       string
	Address    uint64 // of the first byte
	Size       uint64 // bytes
	Data       []byte // Size bytes; nil: all zero (.bss)
	Writable   bool
	Executable bool
}

// Symbol is a named place. Undefined ones have neither address nor size.
type Symbol struct {
	Name    string
	Address uint64
	Size    uint64 // bytes; 0: the file does not say
	Type    elf.SymType
	Defined bool
}

// Image is a program as its file describes it.
type Image struct {
	File     string
	Type     elf.Type // ET_EXEC, ET_DYN or ET_REL
	Entry    uint64   // 0 for an object file
	Sections []Section
	// Symbols are the defined ones by address, then name; then undefined ones. Thread-local and absolute
	// symbols are not among them: code that refers to one cannot be given a meaning by this table.
	Symbols []Symbol
	// Externals are the names of what the file does not define, by the address that stands for it.
	Externals map[uint64]string
	// Copies are the names of objects of libraries that are put in the file's own data, by address.
	Copies map[uint64]string
	// Pointers are the addresses of 8 bytes of data that hold an address.
	Pointers map[uint64]bool
	// Constants are the addresses of 4 bytes that hold one, in the code of object files that is not
	// independent of its place.
	Constants map[uint64]bool
}

// Load reads an ELF file from its bytes; name is for messages.
func Load(name string, data []byte) (*Image, error) {
	fail := func(format string, args ...any) (*Image, error) {
		return nil, &Error{File: name, Reason: fmt.Sprintf(format, args...)}
	}
	if len(data) > maxFile {
		return fail("the file has more than %d bytes", maxFile)
	}
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return fail("not a readable ELF file (%v): give C, LLVM IR or an x86-64 ELF file", err)
	}
	if file.Class != elf.ELFCLASS64 || file.Machine != elf.EM_X86_64 || file.Data != elf.ELFDATA2LSB {
		return fail("an ELF file for %v, %v: only 64-bit x86-64 is supported; compile with -m64", file.Machine, file.Class)
	}
	switch file.Type {
	case elf.ET_EXEC, elf.ET_DYN, elf.ET_REL:
	default:
		return fail("an ELF file of type %v: give an executable or an object file", file.Type)
	}
	image := &Image{File: name, Type: file.Type, Entry: file.Entry}
	base, err := image.addSections(file)
	if err != nil {
		return nil, err
	}
	if err := image.addSymbols(file, base); err != nil {
		return nil, err
	}
	if err := image.relocate(file, base); err != nil {
		return nil, err
	}
	return image, nil
}

// addSections fills Sections. It returns what is added to a symbol's value,
// by the index of its section in the file.
func (m *Image) addSections(file *elf.File) ([]uint64, error) {
	fail := func(s *elf.Section, reason string) ([]uint64, error) {
		return nil, &Error{File: m.File, Reason: fmt.Sprintf("section %q %s: the file is damaged or not supported", s.Name, reason)}
	}
	base := make([]uint64, len(file.Sections))
	next, total := uint64(objectBase), uint64(0)
	for i, s := range file.Sections {
		// Thread-local sections are templates and have no place of their own.
		if s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_TLS != 0 || s.Size == 0 {
			continue
		}
		if s.Flags&elf.SHF_COMPRESSED != 0 {
			return fail(s, "is compressed")
		}
		if total += s.Size; s.Size > maxMemory || total > maxMemory {
			return fail(s, "takes too much memory")
		}
		address := s.Addr
		if m.Type == elf.ET_REL {
			align := max(s.Addralign, 1)
			if align&(align-1) != 0 || align > maxAlignment {
				return fail(s, "has an alignment that is no small power of two")
			}
			address = (next + align - 1) &^ (align - 1)
			base[i], next = address, address+s.Size+separation
		}
		section := Section{Name: s.Name, Address: address, Size: s.Size,
			Writable: s.Flags&elf.SHF_WRITE != 0, Executable: s.Flags&elf.SHF_EXECINSTR != 0}
		if address+s.Size < address {
			return fail(s, "passes the end of the address space")
		}
		if s.Type != elf.SHT_NOBITS {
			content, err := s.Data()
			if err != nil || uint64(len(content)) != s.Size {
				return fail(s, "is not in the file as a whole")
			}
			section.Data = content
		}
		m.Sections = append(m.Sections, section)
	}
	slices.SortFunc(m.Sections, func(a, b Section) int { return cmp.Compare(a.Address, b.Address) })
	for i := 1; i < len(m.Sections); i++ {
		if p := m.Sections[i-1]; p.Address+p.Size > m.Sections[i].Address {
			return nil, &Error{File: m.File, Reason: fmt.Sprintf("sections %q and %q overlap: the file is damaged", p.Name, m.Sections[i].Name)}
		}
	}
	return base, nil
}

func (m *Image) addSymbols(file *elf.File, base []uint64) error {
	symbols, err := file.Symbols()
	if err != nil && err != elf.ErrNoSymbols {
		return &Error{File: m.File, Reason: fmt.Sprintf("the symbol table is damaged: %v", err)}
	}
	for _, s := range symbols {
		kind := elf.ST_TYPE(s.Info)
		if s.Name == "" || kind == elf.STT_FILE || kind == elf.STT_SECTION || kind == elf.STT_TLS {
			continue
		}
		if s.Section == elf.SHN_ABS {
			continue // a number, not a place
		}
		if s.Section == elf.SHN_COMMON {
			return &Error{File: m.File, Reason: fmt.Sprintf("symbol %q is a common one, which has no place yet: compile with -fno-common, or link", s.Name)}
		}
		symbol := Symbol{Name: s.Name, Size: s.Size, Type: kind}
		if int(s.Section) < len(base) && s.Section != elf.SHN_UNDEF {
			symbol.Defined, symbol.Address = true, s.Value+base[s.Section]
		}
		m.Symbols = append(m.Symbols, symbol)
	}
	slices.SortStableFunc(m.Symbols, func(a, b Symbol) int {
		if a.Defined != b.Defined {
			if a.Defined {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Name, b.Name))
	})
	return nil
}

// SectionAt is the section that contains an address, or nil.
func (m *Image) SectionAt(address uint64) *Section {
	i, found := slices.BinarySearchFunc(m.Sections, address, func(s Section, a uint64) int { return cmp.Compare(s.Address, a) })
	if !found {
		i--
	}
	if i < 0 || address-m.Sections[i].Address >= m.Sections[i].Size {
		return nil
	}
	return &m.Sections[i]
}
