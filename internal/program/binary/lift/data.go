package lift

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/image"
	"assay/internal/program/binary/x86"
)

// This file makes C objects of the data of a program: each symbol of the symbol table is one, with the
// type that debugging information gives it, and so is what lies between two symbols of a section.
// An access has to lie within one object.

// object is a C object.
type object struct {
	variable
	address  uint64
	length   uint64 // bytes
	section  *image.Section
	used     bool
	marked   bool // what it points to is used, too
	pointers bool // addresses are in it
	code     bool // addresses of functions are, which are not followed
}

// data are the objects of a program, by address.
type data struct {
	image   *image.Image
	objects []*object
	// taken are addresses that are used as values.
	taken map[uint64]bool
}

// maxObject bounds the bytes of one object.
const maxObject = 1 << 24

func newData(m *image.Image, d *debugging, name func(string) string) *data {
	out := &data{image: m, taken: map[uint64]bool{}}
	for k := range m.Sections {
		s := &m.Sections[k]
		if s.Executable {
			continue
		}
		end := s.Address + s.Size
		at := s.Address
		gap := func(to uint64) {
			if at < to {
				out.add(&object{variable: variable{name: name(fmt.Sprintf("data_%x", at))}, address: at, length: to - at, section: s})
			}
		}
		for _, x := range m.Symbols {
			if !x.Defined || x.Type != elf.STT_OBJECT || x.Size == 0 || x.Address < at || x.Address >= end || x.Size > end-x.Address {
				continue
			}
			gap(x.Address)
			o := &object{variable: variable{name: name(x.Name)}, address: x.Address, length: x.Size, section: s}
			if v, ok := d.globals[x.Name]; ok && !d.clash[x.Name] && v.bytes() == x.Size {
				v.name = o.name
				o.variable, o.used = v, !out.holdsAddress(o)
			}
			out.add(o)
			at = x.Address + x.Size
		}
		gap(end)
	}
	slices.SortFunc(out.objects, func(a, b *object) int { return cmp.Compare(a.address, b.address) })
	for _, o := range out.objects {
		o.code = slices.ContainsFunc(out.targets(o), func(target uint64) bool { return out.find(target) == nil })
	}
	return out
}

// holdsAddress says whether an address is in an object at the start.
func (d *data) holdsAddress(o *object) bool {
	for a := o.address; a < o.address+min(o.length, maxObject); a++ {
		if d.image.Pointers[a] {
			return true
		}
	}
	return false
}

// add completes the type of an object.
func (d *data) add(o *object) {
	o.pointers = d.holdsAddress(o)
	switch {
	case o.pointers && o.address%8 == 0 && o.length%8 == 0:
		o.element, o.size, o.count = "u64", 8, o.length/8
	case o.element != "":
	case o.length == 1 || o.length == 2 || o.length == 4 || o.length == 8:
		o.element, o.size = fmt.Sprintf("u%d", 8*o.length), o.length
	default:
		o.element, o.size, o.count = "u8", 1, o.length
	}
	d.objects = append(d.objects, o)
}

// find is the object of an address, nil if there is none.
func (d *data) find(address uint64) *object {
	k, found := slices.BinarySearchFunc(d.objects, address, func(o *object, a uint64) int { return cmp.Compare(o.address, a) })
	if !found {
		k--
	}
	if k < 0 || address-d.objects[k].address >= d.objects[k].length {
		return nil
	}
	return d.objects[k]
}

// isAddress says whether a constant is an address: in programs with a fixed place, addresses look like
// numbers. One that a register gets is taken for one. If it is a number, what is proved of it holds
// of any address. Where addresses are compared with constants, their values would count: that is refused.
func (p *program) isAddress(i *x86.Instruction, n x86asm.Imm) bool {
	if p.image.Type != elf.ET_EXEC || i.DataSize < 32 {
		return false
	}
	inside := p.data.find(uint64(n)) != nil || p.data.find(uint64(n-1)) != nil
	if _, register := i.Args[0].(x86asm.Reg); register && i.Op == x86asm.MOV {
		return inside
	}
	if inside {
		refuse("the constant may be an address, whose value would count: compile with -fpie")
	}
	return false
}

// address is the address of a byte of data, or of a function, as an expression of type u64.
func (d *data) address(a uint64) string {
	if o := d.find(a); o != nil {
		d.use(o)
		d.taken[a] = true
		if a == o.address {
			return "(u64)&" + o.name
		}
		return fmt.Sprintf("((u64)&%s + %d)", o.name, a-o.address)
	}
	if o := d.find(a - 1); o != nil { // its end
		d.use(o)
		return fmt.Sprintf("((u64)&%s + %d)", o.name, o.length)
	}
	refuse("the address 0x%x is that of no object", a)
	return ""
}

// place is so many bytes at an address, as an lvalue of an unsigned type.
func (d *data) place(a uint64, bits uint32, write bool) string {
	o := d.find(a)
	if o == nil || uint64(bits/8) > o.length-(a-o.address) {
		refuse("%d bytes at 0x%x are no object", bits/8, a)
	}
	if write && !o.section.Writable {
		refuse("%s is written, which is not writable", o.name)
	}
	d.use(o)
	return o.variable.part(a-o.address, bits)
}

// literal is the string at an address that nothing writes.
func (d *data) literal(a uint64) (string, bool) {
	s := d.image.SectionAt(a)
	if s == nil || s.Writable || s.Data == nil {
		return "", false
	}
	text, _, ok := strings.Cut(string(s.Data[a-s.Address:]), "\x00")
	return text, ok
}

// part is an lvalue for some bytes of a variable.
func (v *variable) part(at uint64, bits uint32) string {
	switch {
	case v.count == 0 && at == 0 && uint64(bits) == 8*v.size:
		return v.name
	case v.count > 0 && uint64(bits) == 8*v.size && at%v.size == 0:
		return fmt.Sprintf("%s[%d]", v.name, at/v.size)
	case at == 0:
		return fmt.Sprintf("*(u%d *)&%s", bits, v.name)
	}
	return fmt.Sprintf("*(u%d *)((u8 *)&%s + %d)", bits, v.name, at)
}

// declaration is the C declaration of a variable.
func (v *variable) declaration() string {
	if v.count > 0 {
		return fmt.Sprintf("%s %s[%d]", v.element, v.name, v.count)
	}
	return v.element + " " + v.name
}

// write writes the definitions of the objects that are used.
func (d *data) write(b *strings.Builder) {
	for _, o := range d.objects {
		if o.used {
			fmt.Fprintf(b, "extern %s;\n", o.declaration())
		}
	}
	for _, o := range d.objects {
		if !o.used {
			continue
		}
		b.WriteString(o.declaration())
		if o.section.Data != nil {
			content := o.section.Data[o.address-o.section.Address:][:o.length]
			if text := d.initialiser(o, content); text != "" {
				b.WriteString(" = " + text)
			}
		}
		b.WriteString(";\n")
	}
}

// join makes one object of two where an address that is used as a value is the end of the first and the start of
// the second: code that runs to the end of an array compares with it. Behind a single value nobody points.
func (d *data) join() {
	for k := 0; k+1 < len(d.objects); {
		a, b := d.objects[k], d.objects[k+1]
		if a.address+a.length != b.address || !d.taken[b.address] || a.count == 0 || !a.used || a.section != b.section {
			k++
			continue
		}
		one := &object{variable: variable{name: a.name, element: "u8", size: 1, count: a.length + b.length}, address: a.address, length: a.length + b.length, section: a.section, code: a.code || b.code}
		if a.element == b.element && a.size == b.size {
			one.variable = variable{name: a.name, element: a.element, size: a.size, count: one.length / a.size}
		}
		if one.pointers = a.pointers || b.pointers; one.pointers {
			one.element, one.size, one.count, one.code = "u64", 8, one.length/8, one.code || one.length%8 != 0 || one.address%8 != 0
		}
		d.objects[k] = one
		d.objects = slices.Delete(d.objects, k+1, k+2)
	}
}

// targets are the addresses that an object holds at the start.
func (d *data) targets(o *object) (out []uint64) {
	if !o.pointers || o.section.Data == nil {
		return nil
	}
	content := o.section.Data[o.address-o.section.Address:][:o.length]
	for k := uint64(0); k+8 <= o.length; k++ {
		if d.image.Pointers[o.address+k] {
			out = append(out, binary.LittleEndian.Uint64(content[k:]))
		}
	}
	return out
}

// use marks an object, and those that it points to.
func (d *data) use(o *object) {
	if o.code {
		refuse("%s holds the address of a function, or of what another file defines", o.name)
	}
	if o.used && o.marked {
		return
	}
	o.used, o.marked = true, true
	for _, target := range d.targets(o) {
		d.use(d.find(target))
	}
}

// initialiser is the content of an object in C; empty if all of it is 0.
func (d *data) initialiser(o *object, content []byte) string {
	if !slices.ContainsFunc(content, func(b byte) bool { return b != 0 }) {
		return ""
	}
	var parts []string
	for k := uint64(0); k < o.length; k += o.size {
		var n uint64
		for j := range o.size {
			n |= uint64(content[k+j]) << (8 * j)
		}
		switch {
		case d.image.Pointers[o.address+k]:
			parts = append(parts, d.address(n))
		case o.element[0] == 'i':
			parts = append(parts, fmt.Sprintf("(%s)%#x", o.element, n))
		default:
			parts = append(parts, fmt.Sprintf("%#x", n))
		}
	}
	if o.count == 0 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
