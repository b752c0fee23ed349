package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file lifts blocks of the stack of a size that is computed (arrays of variable length, alloca): `sub rsp, rax`. The block is
// an object of its own, of that many bytes, that rsp points to until it gets a place of the frame again.
//
// Invariants. 1: The frame has no place below the one where the block begins. 2: The size is a multiple of 16 and the stack is
// aligned as [psABI, 3.2.2] says, so the block is. 3: What is in the block is not looked at once rsp is back: only a return follows.

// maxDynamic bounds the bytes of such a block: behind it the stack may be at its end.
const maxDynamic = 1 << 20

// stackAlignment is that of the stack pointer before a call.
const stackAlignment = 16

// grows says whether an instruction takes a computed number of bytes of the stack.
func (f *frame) grows(i *x86.Instruction) bool {
	_, register := i.Args[1].(x86asm.Reg)
	return i.Op == x86asm.SUB && i.Args[0] == x86asm.Arg(x86asm.RSP) && register && (f.registers[rsp].kind == stack || f.registers[rsp].kind == dynamic)
}

// grow writes such an instruction, and says whether it is one.
func (w *writer) grow(i *x86.Instruction) bool {
	if w.dry || !w.frame.grows(i) || w.needed[i.Address] {
		return false
	}
	sp := w.frame.registers[rsp]
	if sp.kind == stack && (sp.n+addressBytes)%stackAlignment != 0 {
		refuse("a stack that is not aligned")
	}
	for _, v := range w.f.layout {
		if sp.kind == stack && v.offset < sp.n {
			refuse("a place of the frame below what is taken of the stack")
		}
	}
	size := w.temporary(64, w.get(i, i.Args[1], 64))
	w.declare(64, "_rsp")
	w.line(`if (%s %% %d || %s > %d) __assay_unsupported("0x%x: %v: the size is not a multiple of %d, or large");`, size, stackAlignment, size, maxDynamic, i.Address, i, stackAlignment)
	w.line("_rsp = (u64)__builtin_alloca(%s);", size)
	w.writes |= 1 << rsp
	return true
}

// checkRestore refuses to give the stack pointer a place of the frame while code follows that may look at the block.
func (w *writer) checkRestore(i *x86.Instruction) {
	if w.dry || w.frame.registers[rsp].kind != dynamic {
		return
	}
	after := w.frame.clone()
	after.step(i, w.f.effects[i.Address].writes)
	if after.registers[rsp].kind == dynamic {
		return
	}
	for k := w.index + 1; k < len(w.block.code); k++ {
		x := &w.block.code[k]
		for _, a := range x.Args {
			if m, ok := a.(x86asm.Mem); ok && x.Op != x86asm.LEA && after.effective(x, m).kind != stack {
				refuse("memory is looked at behind a block of the stack that is given back")
			}
		}
		switch x.Op {
		case x86asm.RET:
			return
		case x86asm.POP, x86asm.LEAVE, x86asm.NOP, x86asm.MOV, x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD, x86asm.LEA, x86asm.ADD, x86asm.SUB, x86asm.XOR, x86asm.CDQE:
		default:
			refuse("code follows behind a block of the stack that is given back")
		}
		after.step(x, w.f.effects[x.Address].writes)
	}
	refuse("code follows behind a block of the stack that is given back")
}
