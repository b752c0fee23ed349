package lift

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file lifts blocks of the stack of a size that is computed (arrays of variable length, alloca):
//
//	sub rsp, rax                              (gcc)
//	mov rcx, rsp; sub rcx, rax; mov rsp, rcx  (clang)
//
// Each is an object of its own, made anew by each run through the instruction. It lives until rsp gets a value that it had
// before: the level, where the frame of a known size ends, or the address of an older block. Such values are followed (stack.go)
// through registers and places of the frame. The C has the stack's state behind each block in a variable (__assay_stack_save), and goes
// back to it (__assay_stack_restore).
//
// Invariants. 1: The frame has no place below the level, and all blocks begin there or at one another. 2: The size is a positive multiple
// of 16 and the stack is aligned as [psABI, 3.2.2] says, so the block is. 3: A place of the frame that is known to hold
// such a value still holds it where it is read, which the C checks: it may have been written by its address.

// maxDynamic bounds the bytes of such a block: behind it the stack may be at its end.
const maxDynamic = 1 << 20

// stackAlignment is that of the stack pointer before a call.
const stackAlignment = 16

// someBlock is the address of no instruction: of rsp that it is the level, or the address of some block.
const someBlock = -1

// growth is an instruction that takes a block: from what rsp holds, into a register.
type growth struct{ into register }

// findGrowths finds the instructions that take blocks, by their form.
func (f *body) findGrowths() map[uint64]growth {
	found := map[uint64]growth{}
	for _, b := range f.blocks {
		for k := range b.code {
			i := &b.code[k]
			d, ok := i.Args[0].(x86asm.Reg)
			r, bits, _, known := registerOf(d)
			if _, constant := i.Args[1].(x86asm.Imm); i.Op != x86asm.SUB || !ok || !known || bits != 64 || constant {
				continue
			}
			if r == rsp || f.becomesStackPointer(b.code[k+1:], r) {
				found[i.Address] = growth{r}
			}
		}
	}
	return found
}

// becomesStackPointer says whether rsp gets what a register holds, before there is a call.
func (f *body) becomesStackPointer(code []x86.Instruction, r register) bool {
	holders := uint32(1) << r
	for k := range code {
		i := &code[k]
		d, isRegister := i.Args[0].(x86asm.Reg)
		to, bits, _, known := registerOf(d)
		isRegister = isRegister && known
		from, copied := i.Args[1].(x86asm.Reg)
		source, width, _, known := registerOf(from)
		copied = i.Op == x86asm.MOV && isRegister && copied && known && bits == 64 && width == 64 && holders&(1<<source) != 0
		switch {
		case copied && to == rsp:
			return true
		case copied:
			holders |= 1 << to
		case i.Op == x86asm.CALL:
			return false
		case isRegister && i.Op != x86asm.CMP && i.Op != x86asm.TEST:
			holders &^= 1 << to
		}
	}
	return false
}

// joinStackPointer is what is known of rsp where two ways meet.
func joinStackPointer(a, b fact) fact {
	switch {
	case a == b:
		return a
	case (a.kind == stack || a.kind == dynamic) && (b.kind == stack || b.kind == dynamic) && (a.kind == dynamic || b.kind == dynamic):
		return fact{dynamic, someBlock}
	}
	return fact{}
}

// levels notes where the frame ends, for rsp as it is before a block is taken, and as it is on one of two ways that meet.
func (f *body) noteLevel(rsp fact) {
	if rsp.kind == stack {
		f.levels[rsp.n] = true
	}
}

// level is the place where the frame ends; false if there are several, or none.
func (f *body) level() (int64, bool) {
	for at := range f.levels {
		return at, len(f.levels) == 1
	}
	return 0, false
}

// grows says whether an instruction takes a block of the stack.
func (f *frame) grows(i *x86.Instruction) bool {
	g, ok := f.growths[i.Address]
	sp := f.registers[rsp]
	return ok && (sp.kind == stack || sp.kind == dynamic) && f.registers[g.into] == sp
}

// grown is the address of the new block. The last one of the same instruction is not known any more.
func (f *frame) grown(i *x86.Instruction) fact {
	x := fact{dynamic, int64(i.Address)}
	for r, old := range f.registers {
		if old == x {
			if f.registers[r] = (fact{}); register(r) == rsp {
				f.registers[r] = fact{dynamic, someBlock}
			}
		}
	}
	maps.DeleteFunc(f.slots, func(_ int64, old fact) bool { return old == x })
	return x
}

// isSavedPointer says whether a value is what rsp holds, in a function that takes blocks of the stack.
func (f *frame) isSavedPointer(x fact) bool {
	return len(f.growths) > 0 && x == f.registers[rsp] && x != fact{dynamic, someBlock} && (x.kind == stack || x.kind == dynamic)
}

// dynamicStack writes what instructions do with such blocks, and says whether nothing else is to be done.
func (w *writer) dynamicStack(i *x86.Instruction) bool {
	if len(w.f.growths) == 0 || w.dry {
		return false
	}
	if w.frame.grows(i) {
		w.grow(i)
		return true
	}
	w.checkSaved(i)
	before, after := w.frame.registers[rsp], w.frame.clone()
	after.step(i, w.f.effects[i.Address].writes)
	if before.kind != dynamic || after.registers[rsp] == before || i.Op == x86asm.CALL || i.Op == x86asm.RET || i.Op == x86asm.JMP {
		if before.kind == stack && after.registers[rsp].kind == dynamic { // clang's way to take a block
			w.assignStackPointer(i, after.registers[rsp])
			return true
		}
		return false
	}
	switch x := after.registers[rsp]; {
	case x.kind == stack:
		if !w.returns() {
			w.line("__assay_stack_restore(token$level);")
		}
		if level, ok := w.f.level(); ok && level == x.n {
			w.line("_rsp = %s;", w.stackAddress(x.n))
		}
		return i.Op == x86asm.MOV || i.Op == x86asm.LEA
	case x.kind == dynamic && x.n != someBlock:
		w.assignStackPointer(i, x)
		return true
	}
	refuse("the stack pointer is not known")
	return false
}

// assignStackPointer gives rsp the address of a block that is known.
func (w *writer) assignStackPointer(i *x86.Instruction, x fact) {
	if i.Op != x86asm.MOV {
		refuse("the stack pointer is not known")
	}
	w.reads |= 1 << rsp
	w.line("__assay_stack_restore(token$%x);", x.n)
	w.line("_rsp = block$%x;", x.n)
	w.writes |= 1 << rsp
}

// returns says whether the function only returns from here on, so that nothing is to be given back before.
func (w *writer) returns() bool {
	for k := w.index + 1; k < len(w.block.code); k++ {
		switch w.block.code[k].Op {
		case x86asm.RET:
			return true
		case x86asm.POP, x86asm.LEAVE, x86asm.NOP:
		default:
			return false
		}
	}
	return false
}

// grow writes an instruction that takes a block.
func (w *writer) grow(i *x86.Instruction) {
	level, ok := w.f.level()
	if w.needed[i.Address] || !ok {
		refuse("a computed size of the stack, in a way that is not supported")
	}
	if (level+addressBytes)%stackAlignment != 0 {
		refuse("a stack that is not aligned")
	}
	for _, v := range w.f.layout {
		if v.offset < level {
			refuse("a place of the frame below what is taken of the stack")
		}
	}
	size := w.temporary(64, w.get(i, i.Args[1], 64))
	into := w.f.growths[i.Address].into
	w.declareStackPointer()
	w.declare(64, fmt.Sprintf("block$%x", i.Address))
	w.declareAs("void *", fmt.Sprintf("token$%x", i.Address))
	w.line(`if (!%s || %s %% %d || %s > %d) __assay_unsupported("0x%x: %v: the size is 0, not a multiple of %d, or large");`, size, size, stackAlignment, size, maxDynamic, i.Address, i, stackAlignment)
	w.line("_%v = block$%x = (u64)__builtin_alloca(%s); token$%x = __assay_stack_save();", into, i.Address, size, i.Address)
	w.writes |= 1 << into
}

// declareStackPointer declares what all blocks of a function need.
func (w *writer) declareStackPointer() {
	w.p.uses["blocks"] = true
	w.blocksTaken = true
	w.declare(64, "_rsp")
	w.declareAs("u8", "level$[1]")
	w.declareAs("void *", "token$level")
}

// beginStack writes what a function that takes blocks begins with.
func (w *writer) beginStack() string {
	level, ok := w.f.level()
	if !ok || !w.blocksTaken {
		return ""
	}
	return fmt.Sprintf("  token$level = __assay_stack_save(); _rsp = %s;\n", w.stackAddress(level))
}

// levelAddress is the address where the frame ends, if no variable is there: nothing can be accessed by it.
func (w *writer) levelAddress(at int64) (string, bool) {
	if level, ok := w.f.level(); !ok || level != at || w.local(at) != nil {
		return "", false
	}
	return "((u64)&level$ + 1)", true
}

// checkSaved writes the check that a place of the frame still holds what is known of it.
func (w *writer) checkSaved(i *x86.Instruction) {
	m, ok := i.Args[1].(x86asm.Mem)
	if !ok || i.Op != x86asm.MOV || i.MemBytes != addressBytes {
		return
	}
	wanted := ""
	switch x := w.frame.value(i, m); x.kind {
	case stack:
		wanted = w.stackAddress(x.n)
	case dynamic:
		wanted = fmt.Sprintf("block$%x", x.n)
	default:
		return
	}
	w.line("if (%s != %s) __assay_unsupported(\"0x%x: %v: the stack pointer that was saved there was changed\");", w.load(i, m, 64), wanted, i.Address, i)
}

// checkLevels refuses code that is reached with the stack pointer at the level where the frame ends, or at another place.
func (w *writer) checkLevels(at uint64) {
	if w.f.entry[at].registers[rsp].kind != dynamic {
		return
	}
	if levels := slices.Collect(maps.Keys(w.f.levels)); len(levels) != 1 {
		refuse("the stack pointer is not known")
	}
}
