package lift

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file has the registers of 128 bits: variables of type x128, two words. Vectors of other elements (x8, x16, x32
// unsigned, y8 to y64 signed, f32, f64) are casts of it, which keep the bits.

// xmm0 is the first of the sixteen in sets of registers, behind the general ones.
const xmm0 = register(16)

// allVectors are all of them as a set, of which the first vectorParameters may hold arguments, vectorResults results.
const (
	allVectors       = uint32(0xffff) << xmm0
	vectorParameters = 8
	vectorResults    = uint32(3) << xmm0
)

// vectorTypes are the types of the C.
const vectorTypes = `#define VECTOR(n, t) typedef t n __attribute__((vector_size(16)));
VECTOR(x128, u64) VECTOR(y64, i64) VECTOR(x32, u32) VECTOR(y32, i32) VECTOR(x16, u16) VECTOR(y16, i16) VECTOR(x8, u8) VECTOR(y8, i8)
VECTOR(f32, float) VECTOR(f64, double)
typedef u32 w32 __attribute__((vector_size(32))); typedef i32 z32 __attribute__((vector_size(32))); typedef i8 h8 __attribute__((vector_size(8)));
typedef u8 k8 __attribute__((vector_size(8))); typedef i16 h16 __attribute__((vector_size(8))); typedef i32 h32 __attribute__((vector_size(8))); typedef float hf __attribute__((vector_size(8)));
`

// vectorOf is the number of a register of 128 bits.
func vectorOf(a x86asm.Arg) (register, bool) {
	r, ok := a.(x86asm.Reg)
	if !ok || r < x86asm.X0 || r > x86asm.X15 {
		return 0, false
	}
	return xmm0 + register(r-x86asm.X0), true
}

func vectorName(r register) string { return fmt.Sprintf("_xmm%d", r-xmm0) }

// vector is an operand of 128 bits as an expression of type x128, which may be subscripted.
func (w *writer) vector(i *x86.Instruction, a x86asm.Arg) string {
	if r, ok := vectorOf(a); ok {
		w.reads |= 1 << r
		return vectorName(r)
	}
	m, ok := a.(x86asm.Mem)
	if !ok || i.MemBytes != 16 {
		refuse("an operand of a kind that is not supported here")
	}
	return w.loadVector(i, m)
}

// loadVector reads 16 bytes.
func (w *writer) loadVector(i *x86.Instruction, m x86asm.Mem) string {
	low, high := w.halves(i, m, false)
	return w.temporaryOf("x128", fmt.Sprintf("{%s, %s}", low, high))
}

// halves are lvalues for 16 bytes of memory.
func (w *writer) halves(i *x86.Instruction, m x86asm.Mem, write bool) (low, high string) {
	if w.dry {
		w.place(i, m, 128, write)
		return "0", "0"
	}
	p := w.place(i, m, 128, write)
	if at, ok := strings.CutPrefix(p, "*(u128 *)"); ok {
		q := w.temporaryOf("u64 *", "(u64 *)("+at+")")
		return q + "[0]", q + "[1]"
	}
	refuse("16 bytes at a place that is not known")
	return "", ""
}

// setVector assigns to an operand of 128 bits.
func (w *writer) setVector(i *x86.Instruction, a x86asm.Arg, value string) {
	if r, ok := vectorOf(a); ok {
		w.writes |= 1 << r
		w.line("%s = (x128)(%s);", vectorName(r), value)
		return
	}
	m, ok := a.(x86asm.Mem)
	if !ok || i.MemBytes != 16 {
		refuse("an operand of a kind that is not supported here")
	}
	x := w.temporaryOf("x128", "(x128)("+value+")")
	low, high := w.halves(i, m, true)
	w.line("%s = %s[0]; %s = %s[1];", low, x, high, x)
}

// low are the low bits of an operand, 32 or 64, as an unsigned expression.
func (w *writer) low(i *x86.Instruction, a x86asm.Arg, bits uint32) string {
	if r, ok := vectorOf(a); ok {
		w.reads |= 1 << r
		if bits == 64 {
			return vectorName(r) + "[0]"
		}
		return fmt.Sprintf("(u%d)%s[0]", bits, vectorName(r))
	}
	if m, ok := a.(x86asm.Mem); ok && uint32(8*i.MemBytes) != bits {
		refuse("a memory operand of %d bytes (%v)", i.MemBytes, m)
	}
	return w.get(i, a, bits)
}

// setLow assigns to the low bits of a register of 128 bits; the others stay.
func (w *writer) setLow(a x86asm.Arg, bits uint32, value string) {
	r, ok := vectorOf(a)
	if !ok {
		refuse("an operand of a kind that is not supported here")
	}
	w.reads |= 1 << r
	w.writes |= 1 << r
	n := vectorName(r)
	if bits == 64 {
		w.line("%s[0] = %s;", n, value)
	} else {
		w.line("%s[0] = %s[0] & ~0xfffffffful | (u32)(%s);", n, n, value)
	}
}

// asFloat is the number whose bits an expression has.
func asFloat(bits uint32, x string) string {
	if bits == 64 {
		return fmt.Sprintf("((f64)(x128){%s, 0})[0]", x)
	}
	return fmt.Sprintf("((f32)(x128){(u32)(%s), 0})[0]", x)
}

// asBits are the bits of a number.
func asBits(bits uint32, x string) string {
	if bits == 64 {
		return fmt.Sprintf("((x128)(f64){%s, 0})[0]", x)
	}
	return fmt.Sprintf("((x32)(f32){%s, 0, 0, 0})[0]", x)
}

func floatType(bits uint32) string { return map[uint32]string{32: "float", 64: "double"}[bits] }

// vectorMove writes what only moves bits; false if the instruction is another one.
func (w *writer) vectorMove(i *x86.Instruction) bool {
	a, b := i.Args[0], i.Args[1]
	_, toVector := vectorOf(a)
	_, fromVector := vectorOf(b)
	_, toMemory := a.(x86asm.Mem)
	_, fromMemory := b.(x86asm.Mem)
	switch i.Op {
	case x86asm.MOVAPS, x86asm.MOVAPD, x86asm.MOVUPS, x86asm.MOVUPD, x86asm.MOVDQA, x86asm.MOVDQU, x86asm.MOVNTDQ, x86asm.MOVNTPS, x86asm.MOVNTPD:
		w.setVector(i, a, w.vector(i, b))
	case x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.MOVD, x86asm.MOVQ:
		bits := uint32(64)
		if i.Op == x86asm.MOVSS || i.Op == x86asm.MOVD {
			bits = 32
		}
		for _, x := range []x86asm.Arg{a, b} { // movd with a prefix REX.W
			if r, ok := x.(x86asm.Reg); ok && r >= x86asm.RAX && r <= x86asm.R15 {
				bits = 64
			}
		}
		scalar := i.Op == x86asm.MOVSS || i.Op == x86asm.MOVSD_XMM
		switch {
		case toVector && fromVector && scalar: // the others stay
			w.setLow(a, bits, w.low(i, b, bits))
		case toVector && (fromVector || fromMemory || !scalar):
			w.setVector(i, a, fmt.Sprintf("(x128){%s, 0}", w.low(i, b, bits)))
		case fromVector && toMemory && uint32(8*i.MemBytes) == bits, fromVector && !scalar && !toMemory:
			w.set(i, a, w.low(i, b, bits))
		default:
			return false
		}
	case x86asm.MOVLPS, x86asm.MOVLPD, x86asm.MOVHPS, x86asm.MOVHPD:
		half := 0
		if i.Op == x86asm.MOVHPS || i.Op == x86asm.MOVHPD {
			half = 1
		}
		switch {
		case toVector && fromMemory:
			r, _ := vectorOf(a)
			x := w.get(i, b, 64)
			w.reads |= 1 << r
			w.writes |= 1 << r
			w.line("%s[%d] = %s;", vectorName(r), half, x)
		case fromVector && toMemory:
			w.set(i, a, fmt.Sprintf("%s[%d]", w.vector(i, b), half))
		default:
			return false
		}
	case x86asm.MOVLHPS:
		w.setVector(i, a, fmt.Sprintf("(x128){%s[0], %s[0]}", w.vector(i, a), w.vector(i, b)))
	case x86asm.MOVHLPS:
		w.setVector(i, a, fmt.Sprintf("(x128){%s[1], %s[1]}", w.vector(i, b), w.vector(i, a)))
	case x86asm.MOVNTI:
		w.set(i, a, w.get(i, b, w.bits(i, b)))
	default:
		return false
	}
	return true
}
