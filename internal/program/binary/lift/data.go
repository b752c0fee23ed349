package lift

import (
	"bytes"
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
	marked   bool      // what it points to is used, too
	parts    []*object // that were joined
	pointers bool      // addresses are in it
	code     bool      // addresses that are not followed are, or it leads to them
	gap      bool      // it has no symbol
	end      bool      // an index is added to an address at its end
}

// data are the objects of a program, by address.
type data struct {
	image   *image.Image
	objects []*object
	// taken are addresses that are used as values.
	taken map[uint64]bool
	// function is the address of the function at an address as an expression, if there is one.
	function func(uint64) (string, bool)
}

// maxObject bounds the bytes of one object.
const maxObject = 1 << 24

// addWords finds the addresses in the data of a file with a fixed place, which has no relocations for them: aligned
// words that are the start of a function or of a string, or a place in an object that a symbol names, are taken for addresses.
func addWords(m *image.Image) {
	var named []image.Symbol // by address
	for _, x := range m.Symbols {
		if x.Defined && (x.Type == elf.STT_FUNC || x.Type == elf.STT_OBJECT) && x.Size > 0 {
			named = append(named, x)
		}
	}
	isNamed := func(a uint64) bool { // within an object, or the start of a function
		k, _ := slices.BinarySearchFunc(named, a+1, func(x image.Symbol, a uint64) int { return cmp.Compare(x.Address, a) })
		return k > 0 && (named[k-1].Address == a || named[k-1].Type == elf.STT_OBJECT && a-named[k-1].Address < named[k-1].Size)
	}
	isString := func(a uint64) bool {
		s := m.SectionAt(a)
		return s != nil && s.Name == ".rodata" && s.Data != nil && (a == s.Address || s.Data[a-s.Address-1] == 0) && bytes.IndexByte(s.Data[a-s.Address:], 0) > 0
	}
	for _, s := range m.Sections {
		if s.Data == nil || s.Executable || s.Name != ".data" && s.Name != ".rodata" && !strings.HasPrefix(s.Name, ".data.rel.ro") {
			continue
		}
		for at := (s.Address+addressBytes-1)&^(addressBytes-1) - s.Address; at+addressBytes <= s.Size; at += addressBytes {
			if a := binary.LittleEndian.Uint64(s.Data[at:]); a >= minAddress && (isNamed(a) || isString(a)) {
				m.Pointers[s.Address+at] = true
			}
		}
	}
}

func newData(m *image.Image, d *debugging, name func(string) string, function func(uint64) (string, bool)) *data {
	if m.Type == elf.ET_EXEC {
		addWords(m)
	}
	out := &data{image: m, taken: map[uint64]bool{}, function: function}
	for k := range m.Sections {
		s := &m.Sections[k]
		if s.Executable {
			continue
		}
		end := s.Address + s.Size
		at := s.Address
		gap := func(to uint64) {
			addresses := false
			for k := at; k < min(to, at+maxObject); k++ {
				addresses = addresses || m.Pointers[k]
			}
			if start := (at + addressBytes - 1) &^ (addressBytes - 1); addresses && at < start && start < to { // they are aligned
				out.add(&object{variable: variable{name: name(fmt.Sprintf("data_%x", at))}, address: at, length: start - at, section: s, gap: true})
				at = start
			}
			if end := to &^ (addressBytes - 1); addresses && at < end && end < to {
				out.add(&object{variable: variable{name: name(fmt.Sprintf("data_%x", at))}, address: at, length: end - at, section: s, gap: true})
				at = end
			}
			if at < to {
				out.add(&object{variable: variable{name: name(fmt.Sprintf("data_%x", at))}, address: at, length: to - at, section: s, gap: true})
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
	return out
}

// spread finds the objects that lead to addresses that are not followed, directly or by way of others.
func (d *data) spread() {
	for changed := true; changed; {
		changed = false
		for _, o := range d.objects {
			if _, copied := d.image.Copies[o.address]; !o.code && copied {
				o.code, changed = true, true
			}
			if !o.code && o.pointers && (o.element != "u64" || o.count == 0 || o.address%8 != 0 || d.unaligned(o)) {
				o.code, changed = true, true
			}
			if !o.code && slices.ContainsFunc(d.targets(o), func(target uint64) bool {
				if _, ok := d.function(target); ok {
					return false
				}
				t := d.pointee(target)
				return t == nil || t.code
			}) {
				o.code, changed = true, true
			}
		}
	}
}

// unaligned says whether an address is at a place in an object that is no multiple of 8.
func (d *data) unaligned(o *object) bool {
	for k := range o.length {
		if k%8 != 0 && d.image.Pointers[o.address+k] {
			return true
		}
	}
	return false
}

// pointee is the object that an address points to, or to the end of which.
func (d *data) pointee(address uint64) *object {
	if o := d.find(address); o != nil {
		return o
	}
	return d.find(address - 1)
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

// fixed says that addresses in the code are numbers: in an executable file with a fixed place, and
// in an object file where its sections were put.
func (p *program) fixed() bool { return p.image.Type != elf.ET_DYN }

// relocated are the places that relocations of an object file change.
func (p *program) relocated() map[uint64]bool {
	if p.image.Type != elf.ET_REL {
		return nil
	}
	return p.image.Constants
}

const constantBytes = 4 // of an address in code with a fixed place

// isAddress says whether a constant is an address: in programs with a fixed place, addresses look like
// numbers. One that a register gets is taken for one. If it is a number, what is proved of it holds
// of any address. Where addresses are compared with constants, their values would count: that is refused.
func (p *program) isAddress(i *x86.Instruction, n x86asm.Imm) bool {
	if p.image.Type != elf.ET_EXEC || i.DataSize < 32 {
		return false
	}
	_, inside := p.data.function(uint64(n))
	if inside && i.Op == x86asm.CMP && i.DataSize == 64 { // distinct functions have distinct addresses
		return true
	}
	inside = inside || p.data.find(uint64(n)) != nil || p.data.find(uint64(n-1)) != nil
	if _, register := i.Args[0].(x86asm.Reg); i.Op == x86asm.MOV && (register || i.MemBytes == 8) || i.Op == x86asm.ADD && register && i.DataSize == 64 {
		return inside
	}
	if inside {
		refuse("the constant may be an address, whose value would count: compile with -fpie")
	}
	return false
}

// address is the address of a byte of data, or of a function, as an expression of type u64.
func (d *data) address(a uint64) string {
	if x, ok := d.function(a); ok {
		return x
	}
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
		for o != nil && o.address+o.length < a+uint64(bits/8) { // of neighbours
			o.used, o.end = true, true
			o = d.find(o.address + o.length)
		}
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
		if o.used && !o.code {
			fmt.Fprintf(b, "extern %s%s;\n", o.qualifier(), o.declaration())
		}
	}
	for _, o := range d.objects {
		if !o.used || o.code {
			continue
		}
		b.WriteString(o.qualifier() + o.declaration())
		if o.section.Data != nil {
			content := o.section.Data[o.address-o.section.Address:][:o.length]
			if text := d.initialiser(o, content); text != "" {
				b.WriteString(" = " + text)
			}
		}
		b.WriteString(";\n")
		for _, x := range o.parts { // for formulas
			if x.size <= 8 && x.count == 0 {
				fmt.Fprintf(b, "#define %s (*(%s *)((u8 *)&%s + %d))\n", x.name, x.element, o.name, x.address-o.address)
			}
		}
	}
	d.writeReadOnly(b)
}

// qualifier is const for what may not be written.
func (o *object) qualifier() string {
	if o.constant() {
		return "const "
	}
	return ""
}

// constant says whether a write to an object faults; the dynamic linker makes those read-only that are called so.
func (o *object) constant() bool {
	return !o.section.Writable || strings.HasPrefix(o.section.Name, ".data.rel.ro")
}

// writeReadOnly writes a function that tells whether an address lies in an object that may not be written.
func (d *data) writeReadOnly(b *strings.Builder) {
	var parts []string
	for _, o := range d.objects {
		if o.used && !o.code && o.constant() {
			parts = append(parts, fmt.Sprintf("at$ - (u64)&%s < %d", o.name, o.length))
		}
	}
	if parts == nil {
		b.WriteString("#define read_only(at$) 0\n")
		return
	}
	fmt.Fprintf(b, "static __attribute__((always_inline, nodebug)) inline _Bool read_only(u64 at$) { return %s; }\n", strings.Join(parts, " || "))
}

// join makes one object of two where an address that is used as a value is the end of the first and the start of
// the second: code that runs to the end of an array compares with it. Behind a single value nobody points.
func (d *data) join() {
	d.joinIf(func(a, b *object) bool {
		return a.used && a.address+a.length == b.address && (d.taken[b.address] && a.count > 0 || a.end)
	})
}

// endBytes are how far from the end of an object an address is that may be meant for the next one.
const endBytes = 16

// index notes that an operand adds an index to an address. In a[i - 1] the constant is that of what lies before a: where it
// is at the end of an object, in the midst of it, or in what has no symbol, that is one with the next.
func (d *data) index(a uint64, m x86asm.Mem) {
	if o := d.find(a); o != nil && (m.Index != 0 || m.Base != 0) && (o.gap || a != o.address) && o.address+o.length-a <= endBytes {
		o.end = true
	}
}

// joinAll makes one object of all that lies together. Optimised loops compare with addresses that they
// would come to, in or behind other objects: so distances have to be those of the file.
func (d *data) joinAll() {
	d.joinIf(func(a, b *object) bool { return !a.code && !b.code })
}

// page is the distance up to which what lies between two objects is there, too.
const page = 4096

// joinIf joins neighbours. What had a name is a part then (parts).
func (d *data) joinIf(together func(a, b *object) bool) {
	for k := 0; k+1 < len(d.objects); {
		a, b := d.objects[k], d.objects[k+1]
		if b.address-a.address-a.length > page || b.address+b.length-a.address > maxObject || a.section.Writable != b.section.Writable || !together(a, b) {
			k++
			continue
		}
		d.objects[k] = a.join(b)
		d.objects = slices.Delete(d.objects, k+1, k+2)
	}
	for _, o := range d.objects {
		if o.pointers && len(o.parts) > 0 {
			o.asWords()
		}
	}
	d.spread()
}

// join is the object of two neighbours, with what lies between them.
func (a *object) join(b *object) *object {
	length := b.address + b.length - a.address
	one := &object{address: a.address, length: length, pointers: a.pointers || b.pointers, used: a.used || b.used, end: b.end}
	one.variable = variable{name: a.name, element: "u8", size: 1, count: length}
	if one.parts = append(one.parts, a.parts...); len(a.parts) == 0 {
		one.parts = append(one.parts, a)
		one.name = "joined_" + a.name
	}
	if one.parts = append(one.parts, b.parts...); len(b.parts) == 0 {
		one.parts = append(one.parts, b)
	}
	one.section = &image.Section{Name: a.section.Name, Address: a.address, Size: length, Writable: a.section.Writable, Data: make([]byte, length)}
	for _, o := range []*object{a, b} {
		if o.section.Data != nil {
			copy(one.section.Data[o.address-a.address:], o.section.Data[o.address-o.section.Address:][:o.length])
		}
	}
	if a.element == b.element && a.size == b.size && length%a.size == 0 {
		one.element, one.size, one.count = a.element, a.size, length/a.size
	}
	return one
}

// asWords gives an object with addresses in it elements of 8 bytes; up to 7 bytes behind it, which are there, belong to
// it then.
func (o *object) asWords() {
	length := (o.length + 7) &^ 7
	content := make([]byte, length)
	copy(content, o.section.Data)
	o.section = &image.Section{Name: o.section.Name, Address: o.address, Size: length, Writable: o.section.Writable, Data: content}
	o.length, o.element, o.size, o.count = length, "u64", 8, length/8
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
		refuse("%s holds addresses that are not followed: of what another file defines, or in a place that is not aligned", o.name)
	}
	if o.used && o.marked {
		return
	}
	o.used, o.marked = true, true
	for _, target := range d.targets(o) {
		if _, ok := d.function(target); !ok {
			d.use(d.pointee(target))
		}
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
