package lift

import (
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes instructions as statements of C [Intel SDM, vol. 2]. Values are unsigned; _rax and so on are variables of 64 bits.

// unsupported is thrown where an instruction has no meaning here.
type unsupported string

func refuse(format string, args ...any) { panic(unsupported(fmt.Sprintf(format, args...))) }

// setRegister assigns to a register or a part of it.
func (w *writer) setRegister(r x86asm.Reg, value string) {
	n, bits, high, ok := registerOf(r)
	if !ok {
		refuse("the register %v is not supported", r)
	}
	name := w.register(n)
	switch {
	case bits == 64:
		w.writes |= 1 << n
		w.line("%s = %s;", name, value)
	case bits == 32:
		w.writes |= 1 << n
		w.line("%s = (u32)(%s);", name, value)
	case high:
		w.reads |= 1 << n
		w.writes |= 1 << n
		w.line("%s = (%s & ~0xff00ul) | (u64)(u8)(%s) << 8;", name, name, value)
	default:
		w.reads |= 1 << n
		w.writes |= 1 << n
		w.line("%s = (%s & ~%#xul) | (u%d)(%s);", name, name, uint64(1)<<bits-1, bits, value)
	}
}

// bits is the width of an instruction's operand.
func (w *writer) bits(i *x86.Instruction, a x86asm.Arg) uint32 {
	switch a := a.(type) {
	case x86asm.Reg:
		_, bits, _, ok := registerOf(a)
		if !ok {
			refuse("the register %v is not supported", a)
		}
		return bits
	case x86asm.Mem:
		switch i.MemBytes {
		case 1, 2, 4, 8:
			return uint32(8 * i.MemBytes)
		}
		refuse("a memory operand of %d bytes", i.MemBytes)
	}
	return uint32(i.DataSize)
}

// get is an operand's value as an expression of an unsigned type of so many bits.
func (w *writer) get(i *x86.Instruction, a x86asm.Arg, bits uint32) string {
	switch a := a.(type) {
	case x86asm.Reg:
		n, own, high, ok := registerOf(a)
		if !ok {
			refuse("the register %v is not supported", a)
		}
		w.reads |= 1 << n
		name := w.value(n)
		switch {
		case high:
			return fmt.Sprintf("(u8)(%s >> 8)", name)
		case own == 64:
			return name
		}
		return fmt.Sprintf("(u%d)%s", own, name)
	case x86asm.Imm:
		if !w.dry && (w.f.relocated(i) || w.p.isAddress(i, a)) {
			return fmt.Sprintf("(u%d)%s", bits, w.p.data.address(uint64(a)))
		}
		n := uint64(a)
		if bits < 64 {
			n &= 1<<bits - 1
		}
		if bits < 64 {
			return fmt.Sprintf("(u%d)%#x", bits, n)
		}
		return fmt.Sprintf("%#xul", n)
	case x86asm.Mem:
		return w.load(i, a, bits)
	}
	refuse("an operand of an unknown kind")
	return ""
}

// set assigns to an operand.
func (w *writer) set(i *x86.Instruction, a x86asm.Arg, value string) {
	switch a := a.(type) {
	case x86asm.Reg:
		w.setRegister(a, value)
	case x86asm.Mem:
		w.store(i, a, w.bits(i, a), value)
	default:
		refuse("an operand of an unknown kind is written")
	}
}

// flags keeps operands and result for a condition that depends on this instruction.
func (w *writer) flags(i *x86.Instruction, bits uint32, a, b, r string) {
	if !w.needed[i.Address] {
		return
	}
	s := newSetter(i, bits)
	for _, x := range [][2]string{{s.a, a}, {s.b, b}, {s.r, r}} {
		if x[1] != "" {
			if s.kind == orders {
				w.declareAs(floatType(bits), x[0])
			} else {
				w.declare(bits, x[0])
			}
			w.line("%s = %s;", x[0], x[1])
		}
	}
	w.storeFlags(i, s)
}

// newSetter names what an instruction that set flags left.
func newSetter(i *x86.Instruction, bits uint32) *setter {
	return &setter{flagsOf(i), bits, fmt.Sprintf("a$%x", i.Address), fmt.Sprintf("b$%x", i.Address), fmt.Sprintf("r$%x", i.Address)}
}

// condition is the truth of the condition of a jump, move or set.
func (w *writer) condition(c string) string {
	of := func(at uint64) *setter {
		i, ok := w.f.at[at]
		if !ok {
			w.declareFlags(usedBy(c))
			return &setter{kind: stored}
		}
		return newSetter(i, w.flagBits(i))
	}
	x := truth(c, of(w.setters.carry), of(w.setters.others))
	if x == "" {
		refuse("which instruction set the flags, or what they mean, is not known")
	}
	return x
}

// flagBits is the width of what an instruction that set flags computed with.
func (w *writer) flagBits(i *x86.Instruction) uint32 {
	switch i.Op {
	case x86asm.UCOMISS, x86asm.COMISS:
		return 32
	case x86asm.UCOMISD, x86asm.COMISD, x86asm.CMC, x86asm.CLC, x86asm.STC:
		return 64
	}
	if x, ok := stringOps[i.Op]; ok {
		return 8 * x.size
	}
	return w.bits(i, i.Args[0])
}

// operators are the operations whose result is that of a C operator.
var operators = map[x86asm.Op]string{
	x86asm.ADD: "+", x86asm.SUB: "-", x86asm.AND: "&", x86asm.OR: "|", x86asm.XOR: "^", x86asm.CMP: "-", x86asm.TEST: "&",
}

// instruction writes one that does not end a block.
func (w *writer) instruction(i *x86.Instruction) {
	if _, jumps := i.Target(); i.AddrSize != 0 && i.AddrSize != 64 && !jumps {
		refuse("addresses of %d bits", i.AddrSize)
	}
	if op, ok := operators[i.Op]; ok {
		w.binary(i, op)
		return
	}
	if c, ok := condition(i.Op); ok {
		w.conditional(i, c)
		return
	}
	a := i.Args[0]
	switch i.Op {
	case x86asm.NOP, x86asm.PAUSE, x86asm.MFENCE, x86asm.SFENCE, x86asm.LFENCE, x86asm.CLD,
		x86asm.PREFETCHNTA, x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHW:
	case x86asm.MOV:
		d, isRegister := a.(x86asm.Reg)
		if n, ok := i.Args[1].(x86asm.Imm); ok && isRegister && !w.dry && w.bits(i, a) == 32 && (w.f.relocated(i) || w.p.isAddress(i, n)) { // of 32 bits, as all there
			r, _, _, _ := registerOf(d)
			w.line("%s = %s;", w.register(r), w.p.data.address(uint64(n)))
			w.writes |= 1 << r
			return
		}
		w.set(i, a, w.get(i, i.Args[1], w.bits(i, a)))
	case x86asm.MOVZX:
		w.set(i, a, w.get(i, i.Args[1], w.bits(i, i.Args[1])))
	case x86asm.MOVSX, x86asm.MOVSXD:
		from, to := w.bits(i, i.Args[1]), w.bits(i, a)
		w.set(i, a, fmt.Sprintf("(u%d)(i%d)(i%d)%s", to, to, from, w.get(i, i.Args[1], from)))
	case x86asm.LEA:
		m, ok := i.Args[1].(x86asm.Mem)
		if !ok {
			refuse("an operand of an unknown kind")
		}
		w.set(i, a, fmt.Sprintf("(u%d)(%s)", w.bits(i, a), w.addressOf(i, m)))
	case x86asm.NOT:
		bits := w.bits(i, a)
		w.set(i, a, fmt.Sprintf("(u%d)~%s", bits, w.get(i, a, bits)))
	case x86asm.NEG:
		bits := w.bits(i, a)
		x := w.temporary(bits, w.get(i, a, bits))
		r := w.temporary(bits, fmt.Sprintf("(u%d)-%s", bits, x))
		w.flags(i, bits, "0", x, r)
		w.set(i, a, r)
	case x86asm.INC, x86asm.DEC:
		bits, op := w.bits(i, a), "+"
		if i.Op == x86asm.DEC {
			op = "-"
		}
		r := w.temporary(bits, fmt.Sprintf("(u%d)(%s %s 1)", bits, w.get(i, a, bits), op))
		w.flags(i, bits, "", "", r)
		w.set(i, a, r)
	case x86asm.ADC, x86asm.SBB:
		w.withCarry(i)
	case x86asm.IMUL:
		w.multiply(i)
	case x86asm.MUL:
		w.multiplyWide(i, false)
	case x86asm.DIV:
		w.divide(i, false)
	case x86asm.IDIV:
		w.divide(i, true)
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		w.shift(i)
	case x86asm.ROL, x86asm.ROR:
		w.rotate(i)
	case x86asm.CBW:
		w.setRegister(x86asm.AX, "(u16)(i16)(i8)"+w.get(i, x86asm.AL, 8))
	case x86asm.CWDE:
		w.setRegister(x86asm.EAX, "(u32)(i32)(i16)"+w.get(i, x86asm.AX, 16))
	case x86asm.CDQE:
		w.setRegister(x86asm.RAX, "(u64)(i64)(i32)"+w.get(i, x86asm.EAX, 32))
	case x86asm.CWD:
		w.setRegister(x86asm.DX, "(i16)"+w.get(i, x86asm.AX, 16)+" < 0 ? 0xffff : 0")
	case x86asm.CDQ:
		w.setRegister(x86asm.EDX, "(i32)"+w.get(i, x86asm.EAX, 32)+" < 0 ? 0xffffffffu : 0")
	case x86asm.CQO:
		w.setRegister(x86asm.RDX, "(i64)"+w.get(i, x86asm.RAX, 64)+" < 0 ? ~0ul : 0")
	case x86asm.XCHG:
		bits := w.bits(i, a)
		x := w.temporary(bits, w.get(i, a, bits))
		w.set(i, a, w.get(i, i.Args[1], bits))
		w.set(i, i.Args[1], x)
	case x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC:
		w.bit(i)
	case x86asm.BSF, x86asm.BSR, x86asm.TZCNT:
		w.scanBits(i)
	case x86asm.POPCNT:
		w.population(i)
	case x86asm.RCL, x86asm.RCR:
		w.rotateCarry(i)
	case x86asm.SHLD, x86asm.SHRD:
		w.double(i)
	case x86asm.CLC, x86asm.STC, x86asm.CMC:
		x := map[x86asm.Op]string{x86asm.CLC: "0", x86asm.STC: "1", x86asm.CMC: "0"}[i.Op]
		if i.Op == x86asm.CMC && !w.dry {
			x = "!(" + w.condition("B") + ")"
		}
		w.flags(i, 64, x, "", "")
	case x86asm.XADD:
		bits := w.bits(i, a)
		x, y := w.temporary(bits, w.get(i, a, bits)), w.temporary(bits, w.get(i, i.Args[1], bits))
		r := w.temporary(bits, fmt.Sprintf("(u%d)(%s + %s)", bits, x, y))
		w.flags(i, bits, x, y, r)
		w.set(i, i.Args[1], x)
		w.set(i, a, r)
	case x86asm.CMPXCHG:
		w.compareExchange(i)
	case x86asm.BSWAP:
		bits := w.bits(i, a)
		if bits == 16 { // processors give 0 [Intel SDM, vol. 2: undefined]
			refuse("a swap of the bytes of 16 bits, whose result is not defined")
		}
		w.set(i, a, fmt.Sprintf("__builtin_bswap%d(%s)", bits, w.get(i, a, bits)))
	case x86asm.PUSH:
		w.push(i)
	case x86asm.POP:
		r, ok := a.(x86asm.Reg)
		if !ok {
			refuse("a pop to memory")
		}
		w.pop(i, r)
	case x86asm.LEAVE:
		w.reads |= 1 << rbp
		w.writes |= 1<<rsp | 1<<rbp
		if w.frame.registers[rbp].kind != stack && !w.dry {
			refuse("the frame pointer is not where the function put it")
		}
		w.frame.registers[rsp] = w.frame.registers[rbp]
		w.pop(i, x86asm.RBP)
	case x86asm.CALL:
		w.call(i)
	default:
		if x, ok := stringOps[i.Op]; ok {
			w.stringInstruction(i, x)
		} else if !w.vectorMove(i) && !w.floats(i) && !w.packed(i) {
			refuse("the instruction is not supported")
		}
	}
}

// binary is an operation of two operands that sets all flags.
func (w *writer) binary(i *x86.Instruction, op string) {
	a, b := i.Args[0], i.Args[1]
	bits := w.bits(i, a)
	if bits == 64 && (i.Op == x86asm.CMP || i.Op == x86asm.SUB) && !w.dry {
		for _, x := range []x86asm.Arg{a, b} {
			if f := w.frame.value(i, x); f.kind == address && w.p.data.find(uint64(f.n)) != nil {
				w.p.compares = true
			}
		}
	}
	if x, ok := a.(x86asm.Reg); ok && a == b && (i.Op == x86asm.XOR || i.Op == x86asm.SUB) { // does not depend on it
		w.flags(i, bits, "0", "0", "0")
		w.setRegister(x, "0")
		return
	}
	if x, ok := a.(x86asm.Reg); ok && (x == x86asm.RSP || x == x86asm.RBP) && (i.Op == x86asm.ADD || i.Op == x86asm.SUB) {
		if _, constant := b.(x86asm.Imm); constant && !w.needed[i.Address] { // followed by stack.go
			n, _, _, _ := registerOf(x)
			w.reads |= 1 << n
			w.writes |= 1 << n
			if w.frame.registers[n].kind == stack && w.f.forgotten&(1<<n) == 0 || w.dry {
				return
			}
		}
	}
	if !w.needed[i.Address] {
		if i.Op != x86asm.CMP && i.Op != x86asm.TEST {
			w.set(i, a, fmt.Sprintf("(u%d)(%s %s %s)", bits, w.get(i, a, bits), op, w.get(i, b, bits)))
		} else if w.dry {
			w.get(i, a, bits)
			w.get(i, b, bits)
		}
		return
	}
	w.comparing = i.Op == x86asm.CMP && bits == 64
	x, y := w.temporary(bits, w.get(i, a, bits)), w.temporary(bits, w.get(i, b, bits))
	w.comparing = false
	r := w.temporary(bits, fmt.Sprintf("(u%d)(%s %s %s)", bits, x, op, y))
	w.flags(i, bits, x, y, r)
	if i.Op != x86asm.CMP && i.Op != x86asm.TEST {
		w.set(i, a, r)
	}
}

// conditional is a move or a set on a condition.
func (w *writer) conditional(i *x86.Instruction, c string) {
	if isConditionalJump(i) {
		return // the end of the block
	}
	x := "0"
	if !w.dry {
		x = w.condition(c)
	}
	a := i.Args[0]
	if i.Args[1] == nil {
		w.set(i, a, "("+x+") ? 1 : 0")
		return
	}
	bits := w.bits(i, a)
	w.set(i, a, fmt.Sprintf("(%s) ? %s : %s", x, w.get(i, i.Args[1], bits), w.get(i, a, bits)))
}

// withCarry is an addition or subtraction with the carry flag.
func (w *writer) withCarry(i *x86.Instruction) {
	bits := w.bits(i, i.Args[0])
	carry := "0"
	if !w.dry {
		carry = w.condition("B")
	}
	c := w.temporary(8, "("+carry+") ? 1 : 0")
	a, b := w.temporary(bits, w.get(i, i.Args[0], bits)), w.temporary(bits, w.get(i, i.Args[1], bits))
	r, over := w.temporary(bits, fmt.Sprintf("(u%d)(%s + %s + %s)", bits, a, b, c)), ""
	if i.Op == x86asm.SBB {
		r = w.temporary(bits, fmt.Sprintf("(u%d)(%s - %s - %s)", bits, a, b, c))
		over = fmt.Sprintf("%s < %s || %s && %s == %s", a, b, c, a, b)
	} else {
		over = fmt.Sprintf("%s < %s || %s && %s == %s", r, a, c, r, a)
	}
	differ := fmt.Sprintf("~(%s ^ %s)", a, b) // signs whose sum may overflow
	if i.Op == x86asm.SBB {
		differ = fmt.Sprintf("(%s ^ %s)", a, b)
	}
	w.flags(i, bits, "("+over+") ? 1 : 0", fmt.Sprintf("(i%d)(%s & (%s ^ %s)) < 0 ? 1 : 0", bits, differ, a, r), r)
	w.set(i, i.Args[0], r)
}

// compareExchange stores the second operand in the first one, if that is equal to rax; else rax becomes it.
func (w *writer) compareExchange(i *x86.Instruction) {
	a := i.Args[0]
	if _, ok := a.(x86asm.Mem); !ok {
		refuse("cmpxchg of a register")
	}
	bits := w.bits(i, a)
	accumulator := map[uint32]x86asm.Reg{8: x86asm.AL, 16: x86asm.AX, 32: x86asm.EAX, 64: x86asm.RAX}[bits]
	x, y := w.temporary(bits, w.get(i, accumulator, bits)), w.temporary(bits, w.get(i, a, bits))
	r := w.temporary(bits, fmt.Sprintf("(u%d)(%s - %s)", bits, x, y))
	w.flags(i, bits, x, y, r)
	n := w.temporary(bits, w.get(i, i.Args[1], bits))
	w.line("if (%s == %s) {", x, y)
	w.set(i, a, n)
	w.line("} else {")
	w.setRegister(accumulator, y)
	w.reads |= 1 << rax
	w.line("}")
}

// multiply is imul with one, two or three operands.
func (w *writer) multiply(i *x86.Instruction) {
	if i.Args[1] == nil {
		w.multiplyWide(i, true)
		return
	}
	x, y := i.Args[0], i.Args[1]
	if i.Args[2] != nil {
		x, y = i.Args[1], i.Args[2]
	}
	bits := w.bits(i, i.Args[0])
	a, b := w.temporary(bits, w.get(i, x, bits)), w.temporary(bits, w.get(i, y, bits))
	r := w.temporary(bits, fmt.Sprintf("(u%d)((u64)%s * %s)", bits, a, b))
	if w.needed[i.Address] {
		wide := wider(bits)
		w.flags(i, bits, fmt.Sprintf("(%[1]s)(i%[2]d)%[3]s * (i%[2]d)%[4]s != (i%[2]d)%[5]s", wide, bits, a, b, r), "", "")
	}
	w.set(i, i.Args[0], r)
}

// wider is a signed type of twice the bits.
func wider(bits uint32) string {
	if bits == 64 {
		return "__int128"
	}
	return fmt.Sprintf("i%d", 2*bits)
}

// multiplyWide is the product of rax with an operand, in rdx and rax.
func (w *writer) multiplyWide(i *x86.Instruction, signed bool) {
	bits := w.bits(i, i.Args[0])
	low, high := pair(bits)
	a, b := w.temporary(bits, w.get(i, low, bits)), w.temporary(bits, w.get(i, i.Args[0], bits))
	wide, cast := wider(bits), fmt.Sprintf("(i%d)", bits)
	if !signed {
		wide, cast = "unsigned "+wide, fmt.Sprintf("(u%d)", bits)
		if bits < 64 {
			wide = fmt.Sprintf("u%d", 2*bits)
		}
	}
	r := w.temporaryOf(wide, fmt.Sprintf("(%s)((%s)%s%s * %s%s)", wide, wide, cast, a, cast, b))
	if w.needed[i.Address] {
		w.flags(i, bits, fmt.Sprintf("%s != (%s)%s(u%d)%s", r, wide, cast, bits, r), "", "")
	}
	if bits == 8 {
		w.setRegister(x86asm.AX, r)
		return
	}
	w.setRegister(low, fmt.Sprintf("(u%d)%s", bits, r))
	w.setRegister(high, fmt.Sprintf("(u%d)(%s >> %d)", bits, r, bits))
}

// pair are the registers of a number of twice the bits.
func pair(bits uint32) (low, high x86asm.Reg) {
	switch bits {
	case 8:
		return x86asm.AL, x86asm.AH
	case 16:
		return x86asm.AX, x86asm.DX
	case 32:
		return x86asm.EAX, x86asm.EDX
	}
	return x86asm.RAX, x86asm.RDX
}

// divide is the quotient and the rest of rdx and rax by an operand. Where the processor raises an error, the
// program ends.
func (w *writer) divide(i *x86.Instruction, signed bool) {
	bits := w.bits(i, i.Args[0])
	low, high := pair(bits)
	wide, narrow := wider(bits), "i"
	if !signed {
		narrow = "u"
		if wide = "unsigned " + wide; bits < 64 {
			wide = fmt.Sprintf("u%d", 2*bits)
		}
	}
	unsignedWide := "unsigned __int128"
	if bits < 64 {
		unsignedWide = fmt.Sprintf("u%d", 2*bits)
	}
	divisor := w.temporaryOf(fmt.Sprintf("%s%d", narrow, bits), w.get(i, i.Args[0], bits))
	a, d := w.get(i, low, bits), w.get(i, high, bits)
	w.line("if (%s == 0) abort(); /* the processor raises an error */", divisor)
	if !w.dry && bits >= 32 && w.extendsLow(i, signed) { // what cdq or xor edx, edx put there: the division is one of the width itself
		x := w.temporaryOf(fmt.Sprintf("%s%d", narrow, bits), a)
		if signed {
			w.line("if (%s == -1 && %s == (i%d)((u%d)1 << %d)) abort();", divisor, x, bits, bits, bits-1)
		}
		q, r := w.temporaryOf(fmt.Sprintf("u%d", bits), fmt.Sprintf("%s / %s", x, divisor)), w.temporaryOf(fmt.Sprintf("u%d", bits), fmt.Sprintf("%s %% %s", x, divisor))
		w.setRegister(low, q)
		w.setRegister(high, r)
		return
	}
	x := w.temporaryOf(wide, fmt.Sprintf("(%s)((%s)%s << %d | %s)", wide, unsignedWide, d, bits, a))
	if signed {
		w.line("if (%s == -1 && %s == (%s)((%s)1 << %d)) abort();", divisor, x, wide, unsignedWide, 2*bits-1)
	}
	q, r := w.temporaryOf(wide, fmt.Sprintf("%s / %s", x, divisor)), w.temporaryOf(wide, fmt.Sprintf("%s %% %s", x, divisor))
	w.line("if (%s != (%s%d)%s) abort();", q, narrow, bits, q)
	w.setRegister(low, fmt.Sprintf("(u%d)%s", bits, q))
	w.setRegister(high, fmt.Sprintf("(u%d)%s", bits, r))
}

// shift is one by a constant, or by what cl holds.
func (w *writer) shift(i *x86.Instruction) {
	a := i.Args[0]
	bits := w.bits(i, a)
	mask := uint64(31)
	if bits == 64 {
		mask = 63
	}
	x := w.temporary(bits, w.get(i, a, bits))
	k := ""
	if n, ok := i.Args[1].(x86asm.Imm); ok {
		if uint64(n)&mask == 0 {
			w.set(i, a, x)
			return
		}
		k = fmt.Sprint(uint64(n) & mask)
	} else {
		k = w.temporary(8, fmt.Sprintf("%s & %d", w.get(i, i.Args[1], 8), mask))
	}
	wide := max(bits, 32) // of which fewer bits are shifted at once
	var r, carry string
	switch i.Op {
	case x86asm.SHL:
		r, carry = fmt.Sprintf("(u%d)((u%d)%s << %s)", bits, wide, x, k), fmt.Sprintf("%s >> (%d - %s) & 1", x, bits, k)
	case x86asm.SHR:
		r, carry = fmt.Sprintf("(u%d)((u%d)%s >> %s)", bits, wide, x, k), fmt.Sprintf("%s >> (%s - 1) & 1", x, k)
	default:
		r, carry = fmt.Sprintf("(u%d)((i%d)(i%d)%s >> %s)", bits, wide, bits, x, k), fmt.Sprintf("(i%d)(i%d)%s >> (%s - 1) & 1", wide, bits, x, k)
	}
	if i.Op != x86asm.SAR && bits < 32 { // behind the last bit it has no meaning
		carry = fmt.Sprintf(`%s < %d ? %s : __assay_approximate_size("the carry flag") & 1`, k, bits, carry)
	}
	if flagsOf(i) == perhaps {
		carry = fmt.Sprintf("%s ? %s : 0", k, carry)
	}
	r = w.temporary(bits, r)
	w.changes(i, k, carry, r)
	w.set(i, a, r)
}

// rotate is a rotation by a constant, or by what cl holds.
func (w *writer) rotate(i *x86.Instruction) {
	bits := w.bits(i, i.Args[0])
	mask := uint64(31)
	if bits == 64 {
		mask = 63
	}
	x := w.temporary(bits, w.get(i, i.Args[0], bits))
	count, k := "", ""
	if n, ok := i.Args[1].(x86asm.Imm); ok {
		count, k = fmt.Sprint(uint64(n)&mask), fmt.Sprint(uint64(n)&mask%uint64(bits))
	} else {
		count = w.temporary(8, fmt.Sprintf("%s & %d", w.get(i, i.Args[1], 8), mask))
		k = w.temporary(8, fmt.Sprintf("%s %% %d", count, bits))
	}
	back := fmt.Sprintf("(%d - %s) %% %d", bits, k, bits)
	left, right, carry := k, back, "%s & 1"
	if i.Op == x86asm.ROR {
		left, right, carry = back, k, fmt.Sprintf("%%s >> %d", bits-1)
	}
	r := w.temporary(bits, fmt.Sprintf("(u%d)(%s << (%s) | %s >> (%s))", bits, x, left, x, right))
	if flagsOf(i) != keeps {
		w.changes(i, count, fmt.Sprintf(carry, r), r)
	}
	w.set(i, i.Args[0], r)
}
