package lift

import (
	"maps"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file follows what registers have to do with the stack of an activation: for each register, and each
// eight bytes of the frame, whether it holds the address of a place of the frame, what a register held
// at the entry, or an address of data.
//
// Offsets count from the stack pointer at the entry, where the return address is: [0, 8). So the frame is
// what is below 0, and arguments are from 8 on.

// register is one of the sixteen, in the order of their encoding.
type register uint8

const (
	rax register = iota
	rcx
	rdx
	rbx
	rsp
	rbp
	rsi
	rdi
	r8
	r15       = register(15)
	registers = 16
	// allRegisters has those of 128 bits, too.
	allRegisters = registers + 16
)

var registerNames = [registers]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

func (r register) String() string { return registerNames[r] }

// calleeSaved are the registers that a function gives back as they were [psABI, 3.2.1].
var calleeSaved = []register{rbx, rbp, 12, 13, 14, r15}

// argumentRegisters are those of integer arguments, in order.
var argumentRegisters = []register{rdi, rsi, rdx, rcx, r8, 9}

// parameterRegisters are all in which something may be passed: also how many vector registers a call of a variadic function
// uses, and the frame of an outer function.
var parameterRegisters = append(slices.Clone(argumentRegisters), rax, 10)

// registerOf is the register that an operand is part of, the part's width in bits, and whether it is the
// second byte.
func registerOf(r x86asm.Reg) (reg register, bits uint32, high, ok bool) {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return register(r - x86asm.AL), 8, false, true
	case r >= x86asm.AH && r <= x86asm.BH:
		return register(r - x86asm.AH), 8, true, true
	case r >= x86asm.SPB && r <= x86asm.DIB:
		return register(r-x86asm.SPB) + rsp, 8, false, true
	case r >= x86asm.R8B && r <= x86asm.R15B:
		return register(r-x86asm.R8B) + r8, 8, false, true
	case r >= x86asm.AX && r <= x86asm.R15W:
		return register(r - x86asm.AX), 16, false, true
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return register(r - x86asm.EAX), 32, false, true
	case r >= x86asm.RAX && r <= x86asm.R15:
		return register(r - x86asm.RAX), 64, false, true
	}
	return 0, 0, false, false
}

// kind says what is known of a value.
type kind uint8

const (
	top     kind = iota // nothing
	stack               // the address of the frame's byte at an offset
	entry               // what a register held at the entry
	address             // an address of data
	dynamic             // the address of the last block that the instruction at an address took of the stack (dynamic.go)
)

// fact is what is known of a value: n is the offset, the register, the address, or, of a dynamic one, that of the instruction, or
// someBlock.
type fact struct {
	kind kind
	n    int64
}

// isSaved says that a value is what the caller has in a register that it gets back.
func (x fact) isSaved() bool { return x.kind == entry && slices.Contains(calleeSaved, register(x.n)) }

// frame is what is known between two instructions.
type frame struct {
	// fixed says that the file has a fixed place: constants may be addresses. In an object file those are that
	// relocations change (relocated, by the address of the four bytes); nil is all.
	fixed     bool
	relocated map[uint64]bool
	growths   map[uint64]growth              // by instruction (dynamic.go)
	imported  func(at uint64) (uint64, bool) // what stands for the function of another file whose address is at a place; may be nil
	registers [registers]fact
	slots     map[int64]fact // by offset, of what fills eight bytes there
}

// minAddress is the least constant that may be an address: files with a fixed place begin there by default.
const minAddress = 0x10000

func entryFrame(fixed bool, relocated map[uint64]bool, growths map[uint64]growth) *frame {
	f := &frame{fixed: fixed, relocated: relocated, growths: growths, slots: map[int64]fact{}}
	for r := range f.registers {
		f.registers[r] = fact{entry, int64(r)}
	}
	f.registers[rsp] = fact{stack, 0}
	return f
}

func (f *frame) clone() *frame {
	c := *f
	c.slots = maps.Clone(f.slots)
	return &c
}

// join keeps what both know, and says whether that is less than before.
func (f *frame) join(g *frame) (changed bool) {
	for r := range f.registers {
		joined := fact{}
		if register(r) == rsp {
			joined = joinStackPointer(f.registers[r], g.registers[r])
		}
		if f.registers[r] != g.registers[r] && f.registers[r] != joined {
			f.registers[r], changed = joined, true
		}
	}
	for at, x := range f.slots {
		if g.slots[at] != x {
			delete(f.slots, at)
			changed = true
		}
	}
	return changed
}

// overwrite forgets the slots that share bytes with what is written.
func (f *frame) overwrite(at int64, size uint64) {
	for slot := range f.slots {
		if slot < at+int64(size) && at < slot+8 {
			delete(f.slots, slot)
		}
	}
}

// constant says whether a constant of an instruction may be an address.
func (f *frame) constant(i *x86.Instruction) bool {
	if !f.fixed || f.relocated == nil {
		return f.fixed
	}
	for k := range uint64(i.Len) {
		if f.relocated[i.Address+k] {
			return true
		}
	}
	return false
}

// effective is what is known of the address of a memory operand.
func (f *frame) effective(i *x86.Instruction, m x86asm.Mem) fact {
	if m.Index != 0 || m.Segment != 0 || i.AddrSize != 64 {
		return fact{}
	}
	switch m.Base {
	case 0:
		if !f.constant(i) {
			return fact{}
		}
		return fact{address, m.Disp}
	case x86asm.RIP:
		return fact{address, int64(i.Next()) + m.Disp}
	}
	b, _, _, ok := registerOf(m.Base)
	if x := f.registers[b]; ok && (x.kind == stack || x.kind == address) {
		return fact{x.kind, x.n + m.Disp}
	}
	return fact{}
}

// value is what is known of an operand of 64 bits.
func (f *frame) value(i *x86.Instruction, a x86asm.Arg) fact {
	switch a := a.(type) {
	case x86asm.Reg:
		if r, bits, _, ok := registerOf(a); ok && bits == 64 {
			return f.registers[r]
		}
	case x86asm.Mem:
		if at := f.effective(i, a); at.kind == stack && i.MemBytes == 8 {
			if x := f.slots[at.n]; x.kind == entry || x.kind == stack || x.kind == dynamic {
				return x
			}
		}
	}
	return fact{}
}

// step is what is known behind an instruction that writes some registers (a set of bits).
func (f *frame) step(i *x86.Instruction, written uint32) {
	moved := fact{}
	destination, isRegister := i.Args[0].(x86asm.Reg)
	r, bits, _, ok := registerOf(destination)
	isRegister = isRegister && ok && bits == 64
	switch i.Op {
	case x86asm.PUSH:
		x := f.value(i, i.Args[0])
		f.shift(-8)
		if sp := f.registers[rsp]; sp.kind == stack {
			f.overwrite(sp.n, 8)
			f.slots[sp.n] = x
		}
		return
	case x86asm.POP, x86asm.LEAVE:
		if i.Op == x86asm.LEAVE {
			f.registers[rsp], r, isRegister = f.registers[rbp], rbp, true
		}
		x := fact{}
		if sp := f.registers[rsp]; sp.kind == stack && f.slots[sp.n].kind == entry {
			x = f.slots[sp.n]
		}
		f.shift(8)
		if isRegister {
			f.registers[r] = x
		}
		return
	case x86asm.MOV:
		moved = f.value(i, i.Args[1])
		if n, constant := i.Args[1].(x86asm.Imm); constant && f.constant(i) && ok && (bits == 32 || bits == 64) && n >= minAddress {
			moved, isRegister = fact{address, int64(n)}, i.Args[0] == destination
		}
		if m, ok := i.Args[1].(x86asm.Mem); ok && i.MemBytes == addressBytes && f.imported != nil && m.Base == x86asm.RIP { // clang -fno-plt
			if at := f.effective(i, m); at.kind == address {
				if target, ok := f.imported(uint64(at.n)); ok {
					moved = fact{address, int64(target)}
				}
			}
		}
	case x86asm.LEA:
		if m, ok := i.Args[1].(x86asm.Mem); ok && i.DataSize == 64 {
			moved = f.effective(i, m)
		}
	case x86asm.ADD, x86asm.SUB:
		n, constant := i.Args[1].(x86asm.Imm)
		if x := f.value(i, i.Args[0]); constant && isRegister && (x.kind == stack || x.kind == address) {
			if i.Op == x86asm.SUB {
				n = -n
			}
			moved = fact{x.kind, x.n + int64(n)}
		}
	}
	if f.grows(i) {
		moved = f.grown(i)
	}
	for k := range register(registers) {
		if written&(1<<k) != 0 {
			f.registers[k] = fact{}
		}
	}
	if isRegister && i.Op != x86asm.CMP && i.Op != x86asm.TEST && written&(1<<r) != 0 {
		f.registers[r] = moved
	}
	if m, ok := i.Args[0].(x86asm.Mem); ok && i.Op != x86asm.CMP && i.Op != x86asm.TEST {
		if at := f.effective(i, m); at.kind == stack {
			f.overwrite(at.n, uint64(i.MemBytes))
			if i.Op == x86asm.MOV && i.MemBytes == 8 && (moved.kind == entry || f.isSavedPointer(moved)) {
				f.slots[at.n] = moved
			}
		}
	}
}

// shift moves the stack pointer.
func (f *frame) shift(by int64) {
	if sp := &f.registers[rsp]; sp.kind == stack {
		sp.n += by
	} else {
		*sp = fact{}
	}
}
