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
			w.declare(bits, x[0])
			w.line("%s = %s;", x[0], x[1])
		}
	}
}

// newSetter names what an instruction that set flags left.
func newSetter(i *x86.Instruction, bits uint32) *setter {
	return &setter{flagsOf(i), bits, fmt.Sprintf("a_%x", i.Address), fmt.Sprintf("b_%x", i.Address), fmt.Sprintf("r_%x", i.Address)}
}

// condition is the truth of the condition of a jump, move or set.
func (w *writer) condition(c string) string {
	of := func(at uint64) *setter {
		i, ok := w.f.at[at]
		if !ok {
			return nil
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
func (w *writer) flagBits(i *x86.Instruction) uint32 { return w.bits(i, i.Args[0]) }

// operators are the operations whose result is that of a C operator.
var operators = map[x86asm.Op]string{
	x86asm.ADD: "+", x86asm.SUB: "-", x86asm.AND: "&", x86asm.OR: "|", x86asm.XOR: "^", x86asm.CMP: "-", x86asm.TEST: "&",
}

// instruction writes one that does not end a block.
func (w *writer) instruction(i *x86.Instruction) {
	if i.AddrSize != 0 && i.AddrSize != 64 {
		refuse("addresses of %d bits", i.AddrSize)
	}
	for _, p := range i.Prefix {
		switch p & 0xff {
		case x86asm.PrefixREP, x86asm.PrefixREPN:
			if p&x86asm.PrefixImplicit == 0 && p&x86asm.PrefixIgnored == 0 && i.Op != x86asm.RET && !i.Marker && i.Op != x86asm.NOP {
				refuse("repeated instructions")
			}
		}
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
	case x86asm.NOP:
	case x86asm.MOV:
		if n, ok := i.Args[1].(x86asm.Imm); ok && !w.dry && w.bits(i, a) == 32 && (w.f.relocated(i) || w.p.isAddress(i, n)) { // of 32 bits, as all there
			r, _, _, _ := registerOf(a.(x86asm.Reg))
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
		w.set(i, a, fmt.Sprintf("(u%d)(%s)", w.bits(i, a), w.addressOf(i, i.Args[1].(x86asm.Mem))))
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
	case x86asm.BT:
		bits := w.bits(i, a)
		if _, memory := a.(x86asm.Mem); memory {
			refuse("a bit of memory")
		}
		w.flags(i, bits, fmt.Sprintf("%s >> (%s & %d) & 1", w.get(i, a, bits), w.get(i, i.Args[1], bits), bits-1), "", "")
	case x86asm.BSWAP:
		bits := w.bits(i, a)
		w.set(i, a, fmt.Sprintf("__builtin_bswap%d(%s)", bits, w.get(i, a, bits)))
	case x86asm.PUSH:
		w.push(i)
	case x86asm.POP:
		w.pop(i, a.(x86asm.Reg))
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
		refuse("the instruction is not supported")
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
			if w.frame.registers[n].kind == stack || w.dry {
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
	x, y := w.temporary(bits, w.get(i, a, bits)), w.temporary(bits, w.get(i, b, bits))
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
	w.flags(i, bits, "("+over+") ? 1 : 0", "", r)
	w.set(i, i.Args[0], r)
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
	if bits != 32 && bits != 64 {
		refuse("a product of %d bits with all its digits", bits)
	}
	low, high := x86asm.EAX, x86asm.EDX
	if bits == 64 {
		low, high = x86asm.RAX, x86asm.RDX
	}
	a, b := w.temporary(bits, w.get(i, low, bits)), w.temporary(bits, w.get(i, i.Args[0], bits))
	wide, cast := wider(bits), fmt.Sprintf("(i%d)", bits)
	if !signed {
		wide, cast = "unsigned "+wide, ""
		if bits == 32 {
			wide = "u64"
		}
	}
	r := w.temporaryOf(wide, fmt.Sprintf("(%s)%s%s * %s%s", wide, cast, a, cast, b))
	if w.needed[i.Address] {
		w.flags(i, bits, fmt.Sprintf("%s != (%s)%s(u%d)%s", r, wide, cast, bits, r), "", "")
	}
	w.setRegister(low, fmt.Sprintf("(u%d)%s", bits, r))
	w.setRegister(high, fmt.Sprintf("(u%d)(%s >> %d)", bits, r, bits))
}

// divide is the quotient and the rest of rdx and rax by an operand. Where the processor raises an error, the
// program ends.
func (w *writer) divide(i *x86.Instruction, signed bool) {
	bits := w.bits(i, i.Args[0])
	if bits != 32 && bits != 64 {
		refuse("a division of %d bits", 2*bits)
	}
	low, high := x86asm.EAX, x86asm.EDX
	if bits == 64 {
		low, high = x86asm.RAX, x86asm.RDX
	}
	wide, narrow := wider(bits), "i"
	if !signed {
		narrow = "u"
		if wide = "unsigned " + wide; bits == 32 {
			wide = "u64"
		}
	}
	unsignedWide := "unsigned __int128"
	if bits == 32 {
		unsignedWide = "u64"
	}
	divisor := w.temporaryOf(fmt.Sprintf("%s%d", narrow, bits), w.get(i, i.Args[0], bits))
	a, d := w.get(i, low, bits), w.get(i, high, bits)
	w.line("if (%s == 0) abort(); /* the processor raises an error */", divisor)
	if !w.dry && w.extendsLow(i, signed) { // what cdq or xor edx, edx put there: the division is one of the width itself
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
	if n, ok := i.Args[1].(x86asm.Imm); ok {
		k := uint64(n) & mask
		if k >= uint64(bits) {
			refuse("a shift by more than the width")
		}
		var r, carry string
		switch i.Op {
		case x86asm.SHL:
			r, carry = fmt.Sprintf("(u%d)(%s << %d)", bits, x, k), fmt.Sprintf("%s >> %d & 1", x, uint64(bits)-k)
		case x86asm.SHR:
			r, carry = fmt.Sprintf("(u%d)(%s >> %d)", bits, x, k), fmt.Sprintf("%s >> %d & 1", x, k-1)
		default:
			r, carry = fmt.Sprintf("(u%d)((i%d)%s >> %d)", bits, bits, x, k), fmt.Sprintf("%s >> %d & 1", x, k-1)
		}
		r = w.temporary(bits, r)
		if k > 0 {
			w.flags(i, bits, carry, "", r)
		}
		w.set(i, a, r)
		return
	}
	if bits < 32 {
		refuse("a shift of %d bits by an amount that may be greater", bits)
	}
	k := w.temporary(8, fmt.Sprintf("%s & %d", w.get(i, i.Args[1], 8), mask))
	switch i.Op {
	case x86asm.SHL:
		w.set(i, a, fmt.Sprintf("%s << %s", x, k))
	case x86asm.SHR:
		w.set(i, a, fmt.Sprintf("%s >> %s", x, k))
	default:
		w.set(i, a, fmt.Sprintf("(u%d)((i%d)%s >> %s)", bits, bits, x, k))
	}
}

// rotate is one by a constant.
func (w *writer) rotate(i *x86.Instruction) {
	bits := w.bits(i, i.Args[0])
	n, ok := i.Args[1].(x86asm.Imm)
	k := uint64(n) % uint64(bits)
	if !ok {
		refuse("a rotation by an amount that is not constant")
	}
	if i.Op == x86asm.ROR {
		k = (uint64(bits) - k) % uint64(bits)
	}
	x := w.temporary(bits, w.get(i, i.Args[0], bits))
	if k == 0 {
		w.set(i, i.Args[0], x)
		return
	}
	w.set(i, i.Args[0], fmt.Sprintf("(u%d)(%s << %d | %s >> %d)", bits, x, k, x, uint64(bits)-k))
}
