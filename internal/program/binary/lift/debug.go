package lift

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"

	"assay/internal/program/binary/image"
)

// This file reads what debugging information says: types of globals and of places of the frame, and lines.
// Without it names and sizes are those of the symbol table.

// variable is a C variable.
type variable struct {
	name    string
	element string // the C type of the variable, or of its elements
	size    uint64 // of an element, in bytes
	count   uint64 // of elements; 0 is no array
	offset  int64  // of a local, from the stack pointer at the entry
	slot    bool   // it is known by accesses only: how far what is there reaches is not
}

func (v *variable) bytes() uint64 { return v.size * max(v.count, 1) }

// debugging is what debugging information says.
type debugging struct {
	globals map[string]variable   // by name
	locals  map[string][]variable // by function
	lines   map[uint64]line       // by address
	clash   map[string]bool       // names of several globals
	labels  map[string][]uint64   // addresses, by name
	data    *dwarf.Data
}

type line struct {
	file   string
	number int
}

// readDebugging reads what there is; damaged information counts as none.
func readDebugging(m *image.Image, content []byte) (d *debugging) {
	d = &debugging{globals: map[string]variable{}, locals: map[string][]variable{}, lines: map[uint64]line{}, clash: map[string]bool{}, labels: map[string][]uint64{}}
	defer func() {
		if recover() != nil { // debug/dwarf panics on some damaged files
			d = &debugging{}
		}
	}()
	file, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return d
	}
	data, err := file.DWARF()
	if err != nil {
		return d
	}
	d.data = data
	offset := uint64(0) // of the code of object files
	if m.Type == elf.ET_REL {
		for _, s := range m.Sections {
			if s.Name == ".text" {
				offset = s.Address
			}
		}
	}
	d.read(offset)
	return d
}

func (d *debugging) read(offset uint64) {
	r := d.data.Reader()
	function, based := "", int64(0)
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			d.readLines(e, offset)
		case dwarf.TagSubprogram:
			function, _ = e.Val(dwarf.AttrName).(string)
			based = 0
			switch base, _ := e.Val(dwarf.AttrFrameBase).([]byte); {
			case len(base) == 1 && base[0] == 0x9c: // DW_OP_call_frame_cfa
				based = 8
			case len(base) == 1 && base[0] == 0x56: // DW_OP_reg6: rbp, after it was pushed
				based = -8
			default:
				function = ""
			}
		case dwarf.TagLabel:
			d.readLabel(e, offset)
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			d.readVariable(e, function, based)
		}
	}
}

// readVariable reads one that has one place, of a type that is known.
func (d *debugging) readVariable(e *dwarf.Entry, function string, based int64) {
	name, ok := e.Val(dwarf.AttrName).(string)
	location, _ := e.Val(dwarf.AttrLocation).([]byte)
	at, isType := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok || !isType || len(location) == 0 {
		return
	}
	t, err := d.data.Type(at)
	if err != nil {
		return
	}
	v, ok := typed(t)
	if !ok {
		return
	}
	v.name = name
	switch location[0] {
	case 0x03: // DW_OP_addr
		if old, twice := d.globals[name]; twice && old != v {
			d.clash[name] = true
		}
		d.globals[name] = v
	case 0x91: // DW_OP_fbreg
		n, rest := signedLEB(location[1:])
		if function == "" || rest != 0 {
			return
		}
		v.offset = n + based
		d.locals[function] = append(d.locals[function], v)
	}
}

// signedLEB decodes a number, and says how many bytes are left.
func signedLEB(b []byte) (n int64, left int) {
	shift := uint(0)
	for k, x := range b {
		n |= int64(x&0x7f) << shift
		if shift += 7; x&0x80 == 0 {
			if shift < 64 && x&0x40 != 0 {
				n |= -1 << shift
			}
			return n, len(b) - k - 1
		}
		if shift > 63 {
			break
		}
	}
	return 0, -1
}

// typed gives a type the form that it has in C here: integers, and arrays of them; everything else is bytes, or
// an unsigned integer of its size.
func typed(t dwarf.Type) (v variable, ok bool) {
	for {
		switch x := t.(type) {
		case *dwarf.TypedefType:
			t = x.Type
			continue
		case *dwarf.QualType:
			t = x.Type
			continue
		case *dwarf.ArrayType:
			e, ok := typed(x.Type)
			if !ok || x.Count < 0 || e.count > 1<<24 || x.Count > 1<<24 {
				return v, false
			}
			e.count = max(e.count, 1) * uint64(x.Count)
			return e, e.count > 0
		}
		break
	}
	size := t.Size()
	if size <= 0 || size > 1<<24 {
		return v, false
	}
	v.size = uint64(size)
	switch t.(type) {
	case *dwarf.IntType, *dwarf.CharType:
		v.element = fmt.Sprintf("i%d", 8*size)
	case *dwarf.UintType, *dwarf.UcharType, *dwarf.BoolType, *dwarf.PtrType:
		v.element = fmt.Sprintf("u%d", 8*size)
	case *dwarf.EnumType:
		v.element = fmt.Sprintf("i%d", 8*size)
	}
	switch {
	case v.element != "" && (size == 1 || size == 2 || size == 4 || size == 8):
	case size == 1 || size == 2 || size == 4 || size == 8:
		v.element = fmt.Sprintf("u%d", 8*size)
	default:
		v.element, v.size, v.count = "u8", 1, uint64(size)
	}
	return v, true
}

func (d *debugging) readLines(unit *dwarf.Entry, offset uint64) {
	r, err := d.data.LineReader(unit)
	if err != nil || r == nil {
		return
	}
	var e dwarf.LineEntry
	for {
		switch err := r.Next(&e); {
		case err == io.EOF, err != nil:
			return
		case e.File != nil && !e.EndSequence && e.Line > 0:
			if _, ok := d.lines[e.Address+offset]; !ok {
				d.lines[e.Address+offset] = line{e.File.Name, e.Line}
			}
		}
	}
}
