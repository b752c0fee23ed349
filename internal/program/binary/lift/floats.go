package lift

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes operations on floats: those of C, which are the processor's, rounded to nearest. What MXCSR
// says is not looked at, and instructions that change it are not supported. Which NaN comes out is for the front end to
// say (soundness.md, I5).

// arithmetic are operations on one float each.
var arithmetic = map[x86asm.Op]struct {
	op   string
	bits uint32
}{
	x86asm.ADDSS: {"+", 32}, x86asm.SUBSS: {"-", 32}, x86asm.MULSS: {"*", 32}, x86asm.DIVSS: {"/", 32}, x86asm.MINSS: {"<", 32}, x86asm.MAXSS: {">", 32},
	x86asm.ADDSD: {"+", 64}, x86asm.SUBSD: {"-", 64}, x86asm.MULSD: {"*", 64}, x86asm.DIVSD: {"/", 64}, x86asm.MINSD: {"<", 64}, x86asm.MAXSD: {">", 64},
}

// packedArithmetic are operations on all floats of a register.
var packedArithmetic = map[x86asm.Op]struct{ op, lanes string }{
	x86asm.ADDPS: {"+", "f32"}, x86asm.SUBPS: {"-", "f32"}, x86asm.MULPS: {"*", "f32"}, x86asm.DIVPS: {"/", "f32"}, x86asm.MINPS: {"<", "f32"}, x86asm.MAXPS: {">", "f32"},
	x86asm.ADDPD: {"+", "f64"}, x86asm.SUBPD: {"-", "f64"}, x86asm.MULPD: {"*", "f64"}, x86asm.DIVPD: {"/", "f64"}, x86asm.MINPD: {"<", "f64"}, x86asm.MAXPD: {">", "f64"},
}

// float is the low number of an operand, as a temporary.
func (w *writer) float(i *x86.Instruction, a x86asm.Arg, bits uint32) string {
	return w.temporaryOf(floatType(bits), asFloat(bits, w.low(i, a, bits)))
}

// masks are the integers of a vector of floats.
var masks = map[string]string{"f32": "y32", "f64": "y64"}

// floats writes operations on floats; false if the instruction is another one.
func (w *writer) floats(i *x86.Instruction) bool {
	a, b := i.Args[0], i.Args[1]
	if x, ok := arithmetic[i.Op]; ok {
		p, q := w.float(i, a, x.bits), w.float(i, b, x.bits)
		if x.op == "<" || x.op == ">" { // the second one, if they are equal or one is a NaN
			w.setLow(a, x.bits, fmt.Sprintf("%s %s %s ? %s : %s", p, x.op, q, w.low(i, a, x.bits), asBits(x.bits, q)))
			return true
		}
		w.setLow(a, x.bits, asBits(x.bits, w.temporaryOf(floatType(x.bits), fmt.Sprintf("%s %s %s", p, x.op, q))))
		return true
	}
	if x, ok := packedArithmetic[i.Op]; ok {
		p, q := w.temporaryOf(x.lanes, fmt.Sprintf("(%s)%s", x.lanes, w.vector(i, a))), w.temporaryOf(x.lanes, fmt.Sprintf("(%s)%s", x.lanes, w.vector(i, b)))
		if x.op == "<" || x.op == ">" {
			m := w.temporaryOf("x128", fmt.Sprintf("(x128)(%s %s %s)", p, x.op, q))
			w.setVector(i, a, fmt.Sprintf("%s & (x128)%s | ~%s & (x128)%s", m, p, m, q))
			return true
		}
		w.setVector(i, a, fmt.Sprintf("%s %s %s", p, x.op, q))
		return true
	}
	switch i.Op {
	case x86asm.ANDPS, x86asm.ANDPD:
		w.setVector(i, a, fmt.Sprintf("%s & %s", w.vector(i, a), w.vector(i, b)))
	case x86asm.ANDNPS, x86asm.ANDNPD:
		w.setVector(i, a, fmt.Sprintf("~%s & %s", w.vector(i, a), w.vector(i, b)))
	case x86asm.ORPS, x86asm.ORPD:
		w.setVector(i, a, fmt.Sprintf("%s | %s", w.vector(i, a), w.vector(i, b)))
	case x86asm.XORPS, x86asm.XORPD:
		w.exclusive(i)
	case x86asm.SQRTSS, x86asm.SQRTSD:
		bits, name := uint32(64), "sqrt"
		if i.Op == x86asm.SQRTSS {
			bits, name = 32, "sqrtf"
		}
		w.p.declare(name, prototype{result: floatType(bits), parameters: []string{floatType(bits)}})
		w.setLow(a, bits, asBits(bits, fmt.Sprintf("%s(%s)", name, w.float(i, b, bits))))
	case x86asm.UCOMISS, x86asm.UCOMISD, x86asm.COMISS, x86asm.COMISD:
		bits := uint32(64)
		if i.Op == x86asm.UCOMISS || i.Op == x86asm.COMISS {
			bits = 32
		}
		p, q := w.float(i, a, bits), w.float(i, b, bits)
		w.flags(i, bits, p, q, "")
	case x86asm.CMPSS, x86asm.CMPSD_XMM:
		bits := uint32(64)
		if i.Op == x86asm.CMPSS {
			bits = 32
		}
		p, q := w.float(i, a, bits), w.float(i, b, bits)
		w.setLow(a, bits, fmt.Sprintf("(%s) ? ~0ul : 0", ordering(i.Args[2], p, q, "||")))
	case x86asm.CMPPS, x86asm.CMPPD:
		lanes := "f32"
		if i.Op == x86asm.CMPPD {
			lanes = "f64"
		}
		p, q := w.temporaryOf(lanes, fmt.Sprintf("(%s)%s", lanes, w.vector(i, a))), w.temporaryOf(lanes, fmt.Sprintf("(%s)%s", lanes, w.vector(i, b)))
		c := ordering(i.Args[2], p, q, "|")
		if rest, ok := strings.CutPrefix(c, "!"); ok { // of masks, all bits are turned
			c = "~" + rest
		}
		w.setVector(i, a, c)
	case x86asm.SHUFPD, x86asm.UNPCKLPD, x86asm.UNPCKHPD:
		p, q := 0, 0
		if n, ok := i.Args[2].(x86asm.Imm); ok {
			p, q = int(n&1), int(n>>1&1)
		}
		if i.Op == x86asm.UNPCKHPD {
			p, q = 1, 1
		}
		w.setVector(i, a, fmt.Sprintf("(x128){%s[%d], %s[%d]}", w.vector(i, a), p, w.vector(i, b), q))
	case x86asm.SHUFPS:
		n, _ := i.Args[2].(x86asm.Imm)
		w.shuffle(i, a, b, "x32", []int{int(n & 3), int(n >> 2 & 3), 4 + int(n>>4&3), 4 + int(n>>6&3)})
	case x86asm.UNPCKLPS:
		w.shuffle(i, a, b, "x32", []int{0, 4, 1, 5})
	case x86asm.UNPCKHPS:
		w.shuffle(i, a, b, "x32", []int{2, 6, 3, 7})
	case x86asm.MOVMSKPD:
		x := w.vector(i, b)
		w.set(i, a, fmt.Sprintf("%s[0] >> 63 | %s[1] >> 63 << 1", x, x))
	case x86asm.MOVMSKPS:
		x := w.vector(i, b)
		w.set(i, a, fmt.Sprintf("%s[0] >> 31 & 1 | %s[0] >> 63 << 1 | (%s[1] >> 31 & 1) << 2 | %s[1] >> 63 << 3", x, x, x, x))
	default:
		return w.conversion(i)
	}
	return true
}

// ordering is a comparison of cmpsd and the like; on masks, or is the operator |.
func ordering(a x86asm.Arg, p, q, or string) string {
	n, ok := a.(x86asm.Imm)
	if !ok || n < 0 || n > 7 {
		refuse("an unknown comparison")
	}
	not := ""
	if n >= 4 {
		not = "!"
	}
	text := fmt.Sprintf("(%s %s %s)", p, []string{"==", "<", "<="}[min(n&3, 2)], q)
	if n&3 == 3 { // unordered
		text = fmt.Sprintf("((%s != %s) %s (%s != %s))", p, p, or, q, q)
	}
	return not + text
}

// exclusive is a bitwise exclusive or; of a register with itself it does not depend on it.
func (w *writer) exclusive(i *x86.Instruction) {
	if i.Args[0] == i.Args[1] {
		w.setVector(i, i.Args[0], "(x128){0, 0}")
		return
	}
	w.setVector(i, i.Args[0], fmt.Sprintf("%s ^ %s", w.vector(i, i.Args[0]), w.vector(i, i.Args[1])))
}

// integerOf is a number as an integer, where the processor gives the smallest one if it does not fit.
func integerOf(bits uint32, x string) string {
	least, name := "-2147483648.0", "0x80000000u"
	if bits == 64 {
		least, name = "-9223372036854775808.0", "0x8000000000000000ul"
	}
	below := fmt.Sprintf("%s > %s - 1", x, least) // of a double with an integer of 32 bits
	if bits == 64 {
		below = fmt.Sprintf("%s >= %s", x, least)
	}
	return fmt.Sprintf("%s && %s < -(%s) ? (u%d)(i%d)%s : %s", below, x, least, bits, bits, x, name)
}

// rounded is the nearest integer, as a float.
func (w *writer) rounded(bits uint32, x string) string {
	name := map[uint32]string{32: "rintf", 64: "rint"}[bits]
	w.p.declare(name, prototype{result: floatType(bits), parameters: []string{floatType(bits)}})
	return w.temporaryOf(floatType(bits), fmt.Sprintf("%s(%s)", name, x))
}

// conversion writes conversions; false if the instruction is another one.
func (w *writer) conversion(i *x86.Instruction) bool {
	a, b := i.Args[0], i.Args[1]
	lane := func(lanes string, k int) string { return fmt.Sprintf("((%s)%s)[%d]", lanes, w.vector(i, b), k) }
	switch i.Op {
	case x86asm.CVTSI2SD, x86asm.CVTSI2SS:
		from, to := w.bits(i, b), uint32(64)
		if i.Op == x86asm.CVTSI2SS {
			to = 32
		}
		w.setLow(a, to, asBits(to, fmt.Sprintf("(%s)(i%d)%s", floatType(to), from, w.get(i, b, from))))
	case x86asm.CVTTSD2SI, x86asm.CVTSD2SI:
		to := w.bits(i, a)
		x := w.float(i, b, 64)
		if i.Op == x86asm.CVTSD2SI {
			x = w.rounded(64, x)
		}
		w.set(i, a, integerOf(to, x))
	case x86asm.CVTTSS2SI, x86asm.CVTSS2SI:
		to := w.bits(i, a)
		x := w.float(i, b, 32)
		if i.Op == x86asm.CVTSS2SI {
			x = w.rounded(32, x)
		}
		w.set(i, a, integerOf(to, w.temporaryOf("double", x)))
	case x86asm.CVTSS2SD:
		w.setLow(a, 64, asBits(64, "(double)"+w.float(i, b, 32)))
	case x86asm.CVTSD2SS:
		w.setLow(a, 32, asBits(32, "(float)"+w.float(i, b, 64)))
	case x86asm.CVTDQ2PS:
		w.setVector(i, a, fmt.Sprintf("__builtin_convertvector((y32)%s, f32)", w.vector(i, b)))
	case x86asm.CVTDQ2PD:
		x := w.temporary(64, w.low(i, b, 64))
		w.setVector(i, a, fmt.Sprintf("(f64){(double)(i32)%s, (double)(i32)(%s >> 32)}", x, x))
	case x86asm.CVTPS2PD:
		x := w.temporary(64, w.low(i, b, 64))
		w.setVector(i, a, fmt.Sprintf("(f64){(double)%s, (double)%s}", asFloat(32, x), asFloat(32, x+" >> 32")))
	case x86asm.CVTPD2PS:
		w.setVector(i, a, fmt.Sprintf("(f32){(float)%s, (float)%s, 0, 0}", lane("f64", 0), lane("f64", 1)))
	case x86asm.CVTTPS2DQ, x86asm.CVTPS2DQ, x86asm.CVTTPD2DQ, x86asm.CVTPD2DQ:
		lanes, bits, count := "f32", uint32(32), 4
		if i.Op == x86asm.CVTTPD2DQ || i.Op == x86asm.CVTPD2DQ {
			lanes, bits, count = "f64", 64, 2
		}
		parts := []string{"0", "0", "0", "0"}
		for k := range count {
			x := w.temporaryOf(floatType(bits), lane(lanes, k))
			if i.Op == x86asm.CVTPS2DQ || i.Op == x86asm.CVTPD2DQ {
				x = w.rounded(bits, x)
			}
			parts[k] = integerOf(32, w.temporaryOf("double", x))
		}
		w.setVector(i, a, "(x32){"+strings.Join(parts, ", ")+"}")
	default:
		return false
	}
	return true
}
