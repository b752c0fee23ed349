package lift

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file finds the tables of computed jumps, which compilers write for switch:
//
//	cmp edi, 5; ja …; lea rdx, [rip+T]; movsxd rax, [rdx+rdi*4]; add rax, rdx; jmp rax	(distances from T)
//	cmp edi, 5; ja …; jmp [rdi*8+T]														(addresses)
//
// The jump is followed back within its block, to the instruction that reads the table. What is found
// is a guess about where the jump may go, and is not trusted: the C keeps the index, and an index for which no
// target was found is not supported, so that a proof has to show that the bounds are checked.

// table is that of a computed jump.
type table struct {
	jump, load uint64 // addresses of the jump, and of the instruction that reads the table
	index      register
	step       uint64   // of the index from one entry to the next
	targets    []uint64 // by entry
	// keep says that what is read has other uses.
	keep bool
}

const (
	maxEntries   = 4096
	addressBytes = 8
	jumpBytes    = 4 // of distances
)

// constant says whether nothing changes a section once the program runs.
func constantSection(writable bool, name string) bool {
	return !writable || len(name) >= 12 && name[:12] == ".data.rel.ro"
}

// word is a number at an address that nothing changes.
func (s *symbols) word(address uint64, size uint64) (uint64, bool) {
	x := s.image.SectionAt(address)
	if x == nil || x.Data == nil || !constantSection(x.Writable, x.Name) || address-x.Address+size > x.Size {
		return 0, false
	}
	at := x.Data[address-x.Address:]
	if size == jumpBytes {
		return uint64(int64(int32(binary.LittleEndian.Uint32(at)))), true
	}
	return binary.LittleEndian.Uint64(at), true
}

// resolve finds tables of jumps of which none is known yet, and says whether there are new ones.
func (p *program) resolve(f *body) (found bool) {
	for _, start := range f.order {
		b := f.blocks[start]
		if len(b.code) == 0 || f.entry[start] == nil {
			continue
		}
		last := &b.code[len(b.code)-1]
		if _, direct := last.Target(); last.Op != x86asm.JMP || direct || f.tables[last.Address] != nil {
			continue
		}
		if t := p.tableOf(f, b); t != nil {
			f.tables[last.Address], found = t, true
		}
	}
	return found
}

// tableOf is the table of a block's jump, nil if none is found.
func (p *program) tableOf(f *body, b *block) *table {
	before := make([]*frame, len(b.code)) // each instruction
	x := f.entry[b.start].clone()
	for k := range b.code {
		before[k] = x.clone()
		x.step(&b.code[k], f.effects[b.code[k].Address].writes)
	}
	n := len(b.code) - 1
	jump := &b.code[n]
	t := &table{jump: jump.Address}
	if m, ok := jump.Args[0].(x86asm.Mem); ok {
		return p.entries(f, b, t, n, m, before[n], addressBytes, nil)
	}
	target, _ := jump.Args[0].(x86asm.Reg)
	r, bits, _, ok := registerOf(target)
	if !ok || bits != 64 {
		return nil
	}
	var base *uint64
	extended := false
	for k := n - 1; k >= 0; k-- {
		i := &b.code[k]
		e := f.effects[i.Address]
		if e.writes&(1<<r) == 0 {
			t.keep = t.keep || e.reads&(1<<r) != 0
			continue
		}
		d, isRegister := i.Args[0].(x86asm.Reg)
		to, width, _, known := registerOf(d)
		if i.Op == x86asm.CDQE && r == rax {
			extended = true
			continue
		}
		if !isRegister || !known || to != r || width < 32 {
			return nil
		}
		switch m, memory := i.Args[1].(x86asm.Mem); {
		case i.Op == x86asm.ADD && base == nil && width == 64:
			q, ok := i.Args[1].(x86asm.Reg)
			if !ok {
				return nil
			}
			other, _, _, ok := registerOf(q)
			if !ok {
				return nil
			}
			switch x := before[k].registers; {
			case x[other].kind == address:
				a := uint64(x[other].n)
				base = &a
			case x[r].kind == address:
				a := uint64(x[r].n)
				base, r = &a, other
			default:
				return nil
			}
		case i.Op == x86asm.MOVSXD && memory && base != nil:
			return p.entries(f, b, t, k, m, before[k], jumpBytes, base)
		case i.Op == x86asm.MOV && memory && base != nil && extended && width == 32:
			return p.entries(f, b, t, k, m, before[k], jumpBytes, base)
		case i.Op == x86asm.MOV && memory && base == nil && width == 64:
			return p.entries(f, b, t, k, m, before[k], addressBytes, nil)
		case i.Op == x86asm.MOVSXD && !memory && !extended, i.Op == x86asm.MOV && !memory && (width == 64 || !extended):
			q, ok := i.Args[1].(x86asm.Reg)
			if !ok {
				return nil
			}
			if r, _, _, ok = registerOf(q); !ok {
				return nil
			}
			extended = extended || i.Op == x86asm.MOVSXD
		default:
			return nil
		}
	}
	return nil
}

// entries reads a table that an operand of instruction k of a block reads; base is what is added to its distances.
func (p *program) entries(f *body, b *block, t *table, k int, m x86asm.Mem, x *frame, size uint64, base *uint64) *table {
	var index x86asm.Reg
	var at uint64
	scale := uint64(m.Scale)
	known := func(r x86asm.Reg) (uint64, bool) {
		n, bits, _, ok := registerOf(r)
		return uint64(x.registers[n].n), ok && bits == 64 && x.registers[n].kind == address
	}
	baseAt, baseKnown := known(m.Base)
	indexAt, indexKnown := known(m.Index)
	switch {
	case m.Segment != 0 && m.Segment != x86asm.DS: // notrack
		return nil
	case m.Base != 0 && baseKnown && m.Index != 0:
		at, index = baseAt+uint64(m.Disp), m.Index
	case m.Index != 0 && m.Scale == 1 && indexKnown && m.Base != 0:
		at, index = indexAt+uint64(m.Disp), m.Base
	case m.Base == 0 && m.Index != 0 && p.fixed():
		at, index = uint64(m.Disp), m.Index
	case m.Index == 0 && m.Base != 0 && m.Base != x86asm.RIP && p.fixed():
		at, index, scale = uint64(m.Disp), m.Base, 1
	default:
		return nil
	}
	r, bits, _, ok := registerOf(index)
	if base != nil && at != *base || !ok || bits != 64 || scale == 0 || size%scale != 0 {
		return nil
	}
	t.load, t.index, t.step = b.code[k].Address, r, size/scale
	most, bounded := f.bound(b)
	if !bounded {
		most = maxEntries
	}
	symbol := p.functions.extent(f.address)
	for n := range uint64(most) {
		target, ok := p.functions.word(at+n*size, size)
		if base != nil {
			target += *base
		}
		if !ok || p.functions.code(target) == nil || !bounded && (target < f.address || target >= symbol || n > 0 && p.functions.referred[at+n*size]) {
			break
		}
		t.targets = append(t.targets, target)
	}
	if len(t.targets) == 0 {
		return nil
	}
	return t
}

// bound is how many values pass the comparison before a block, if there is one with a constant on the only way to it.
func (f *body) bound(b *block) (int, bool) {
	for range 4 {
		var before *block
		for _, x := range f.blocks {
			if slices.Contains(x.successors, b.start) {
				if before != nil {
					return 0, false
				}
				before = x
			}
		}
		if before == nil || before == b || len(before.code) == 0 {
			return 0, false
		}
		last := &before.code[len(before.code)-1]
		if !isConditionalJump(last) {
			b = before
			continue
		}
		taken, _ := last.Target()
		for k := len(before.code) - 2; k >= 0; k-- {
			i := &before.code[k]
			if flagsOf(i) == keeps {
				continue
			}
			n, constant := i.Args[1].(x86asm.Imm)
			if i.Op != x86asm.CMP && i.Op != x86asm.SUB || !constant || n < 0 || n >= maxEntries {
				return 0, false
			}
			switch below := taken == b.start; {
			case last.Op == x86asm.JA && !below, last.Op == x86asm.JBE && below:
				return int(n) + 1, true
			case last.Op == x86asm.JAE && !below, last.Op == x86asm.JB && below:
				return int(n), true
			}
			return 0, false
		}
		return 0, false
	}
	return 0, false
}

// extent is the end of the function at an address: of its symbol, else of the section.
func (s *symbols) extent(address uint64) uint64 {
	end := uint64(0)
	for _, x := range s.image.Symbols {
		if x.Defined && x.Address == address && x.Size > 0 && x.Size < maxObject {
			end = max(end, address+x.Size)
		}
	}
	if x := s.image.SectionAt(address); end == 0 && x != nil {
		end = x.Address + x.Size
	}
	return end
}

// keepIndex notes the index of a table where it is read, and says whether nothing else is to be done there.
func (w *writer) keepIndex(i *x86.Instruction) bool {
	for _, jump := range slices.Sorted(maps.Keys(w.f.tables)) {
		t := w.f.tables[jump]
		if t.load != i.Address || w.dry {
			continue
		}
		name := t.name()
		w.declare(64, name)
		w.line("%s = %s;", name, w.value(t.index))
		if jump != i.Address {
			target, _ := i.Args[0].(x86asm.Reg)
			d, _, _, _ := registerOf(target)
			return !t.keep && w.f.live[jump]&(1<<d) == 0
		}
	}
	return false
}

func (t *table) name() string { return fmt.Sprintf("index$%x", t.jump) }

// choose is a jump by a table.
func (w *writer) choose(i *x86.Instruction, t *table) {
	if w.dry {
		w.reads |= 1 << t.index
		return
	}
	w.declare(64, t.name()) // where it is kept may not be supported
	w.line("switch (%s) {", t.name())
	for n, target := range t.targets {
		w.line("case %d: goto L_%x;", uint64(n)*t.step, target)
	}
	w.line("default: ;}")
	w.unsupported(i.Address, i.String()+": an index for which the table of jumps has no entry that is known")
}
