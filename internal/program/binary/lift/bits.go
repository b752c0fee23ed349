package lift

import (
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes instructions on bits: tests, scans, rotations through the carry, shifts over two operands.

// bit is bt, bts, btr and btc.
func (w *writer) bit(i *x86.Instruction) {
	a := i.Args[0]
	bits := w.bits(i, a)
	if _, memory := a.(x86asm.Mem); memory {
		if _, constant := i.Args[1].(x86asm.Imm); !constant {
			refuse("a bit of memory that may be anywhere")
		}
	}
	x := w.temporary(bits, w.get(i, a, bits))
	k := w.temporary(8, fmt.Sprintf("%s & %d", w.get(i, i.Args[1], bits), bits-1))
	w.flags(i, bits, fmt.Sprintf("%s >> %s & 1", x, k), "", "")
	one := fmt.Sprintf("(u%d)1 << %s", bits, k)
	switch i.Op {
	case x86asm.BTS:
		w.set(i, a, fmt.Sprintf("(u%d)(%s | %s)", bits, x, one))
	case x86asm.BTR:
		w.set(i, a, fmt.Sprintf("(u%d)(%s & ~(%s))", bits, x, one))
	case x86asm.BTC:
		w.set(i, a, fmt.Sprintf("(u%d)(%s ^ %s)", bits, x, one))
	}
}

// scanBits is the number of the first, or last bit that is set. Of 0, which has none, the result is anything: processors
// differ. Most leave the register as it is, its upper half included, which other results of 32 bits clear.
func (w *writer) scanBits(i *x86.Instruction) {
	bits := w.bits(i, i.Args[0])
	x := w.temporary(bits, w.get(i, i.Args[1], bits))
	found := fmt.Sprintf("__builtin_ctzl(%s)", x)
	if i.Op == x86asm.BSR {
		found = fmt.Sprintf("63 - __builtin_clzl(%s)", x)
	}
	none := w.temporary(bits, fmt.Sprintf(`(u%d)__assay_approximate_size("the number of a bit of 0")`, bits))
	r := w.temporary(bits, none)
	w.line("if (%s) %s = %s;", x, r, found)
	if i.Op != x86asm.TZCNT { // which is bsf on old processors, with other flags
		w.flags(i, bits, "", "", x)
	}
	w.set(i, i.Args[0], r)
	if d, ok := i.Args[0].(x86asm.Reg); ok && bits == 32 {
		n, _, _, _ := registerOf(d)
		w.line(`if (!%s) %s = __assay_approximate_size("the number of a bit of 0");`, x, w.register(n))
	}
}

// population counts bits.
func (w *writer) population(i *x86.Instruction) {
	bits := w.bits(i, i.Args[0])
	x := w.temporary(bits, w.get(i, i.Args[1], bits))
	w.flags(i, bits, "", "", x)
	w.set(i, i.Args[0], fmt.Sprintf("__builtin_popcountl(%s)", x))
}

// rotateCarry is a rotation through the carry flag, bit by bit: the amount is 1 as a rule.
func (w *writer) rotateCarry(i *x86.Instruction) {
	a := i.Args[0]
	bits := w.bits(i, a)
	carry := "0"
	if !w.dry {
		carry = w.condition("B")
	}
	mask := 31
	if bits == 64 {
		mask = 63
	}
	k := w.temporary(8, fmt.Sprintf("(%s & %d)", w.get(i, i.Args[1], 8), mask))
	if bits < 32 {
		k = w.temporary(8, fmt.Sprintf("%s %% %d", k, bits+1))
	}
	c := w.temporary(bits, "("+carry+") ? 1 : 0")
	x := w.temporary(bits, w.get(i, a, bits))
	out := w.temporary(bits, "0")
	if i.Op == x86asm.RCL {
		w.line("for (u8 n$ = 0; n$ < %s; n$++) { %s = %s >> %d; %s = (u%d)(%s << 1 | %s); %s = %s; }", k, out, x, bits-1, x, bits, x, c, c, out)
	} else {
		w.line("for (u8 n$ = 0; n$ < %s; n$++) { %s = %s & 1; %s = (u%d)(%s >> 1 | %s << %d); %s = %s; }", k, out, x, x, bits, x, c, bits-1, c, out)
	}
	w.flags(i, bits, c, "", "")
	w.set(i, a, x)
}

// double is a shift over two operands.
func (w *writer) double(i *x86.Instruction) {
	a, b := i.Args[0], i.Args[1]
	bits := w.bits(i, a)
	if bits == 16 {
		refuse("a shift of 16 bits over two operands")
	}
	k := w.temporary(8, fmt.Sprintf("%s & %d", w.get(i, i.Args[2], 8), bits-1))
	x, y := w.temporary(bits, w.get(i, a, bits)), w.temporary(bits, w.get(i, b, bits))
	forward, back := "<<", ">>"
	if i.Op == x86asm.SHRD {
		forward, back = ">>", "<<"
	}
	r := w.temporary(bits, fmt.Sprintf("%s ? (u%d)(%s %s %s | %s %s (%d - %s)) : %s", k, bits, x, forward, k, y, back, bits, k, x))
	carry := fmt.Sprintf("%s ? %s >> (%d - %s) & 1 : 0", k, x, bits, k)
	if i.Op == x86asm.SHRD {
		carry = fmt.Sprintf("%s ? %s >> (%s - 1) & 1 : 0", k, x, k)
	}
	w.changes(i, k, carry, r)
	w.set(i, a, r)
}

// changes keeps the flags of a shift: by 0 places it changes none.
func (w *writer) changes(i *x86.Instruction, count, carry, r string) {
	bits := w.flagBits(i)
	if flagsOf(i) == shifts || flagsOf(i) == rotates {
		w.flags(i, bits, carry, "", r)
		return
	}
	if w.f.stores[i.Address] == 0 || w.dry {
		return
	}
	c := w.temporary(bits, carry)
	kind := shifts
	if i.Op == x86asm.ROL || i.Op == x86asm.ROR {
		kind = rotates
	}
	w.line("if (%s) {", count)
	w.storeFlags(i, &setter{kind, bits, c, "", r})
	w.line("}")
}
