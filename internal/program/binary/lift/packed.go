package lift

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes operations on packed integers as operations on vectors of C.

// packedOperators are operators on all elements.
var packedOperators = map[x86asm.Op]struct{ lanes, op string }{
	x86asm.PADDB: {"x8", "+"}, x86asm.PADDW: {"x16", "+"}, x86asm.PADDD: {"x32", "+"}, x86asm.PADDQ: {"x128", "+"},
	x86asm.PSUBB: {"x8", "-"}, x86asm.PSUBW: {"x16", "-"}, x86asm.PSUBD: {"x32", "-"}, x86asm.PSUBQ: {"x128", "-"},
	x86asm.PMULLW: {"x16", "*"}, x86asm.PAND: {"x128", "&"}, x86asm.POR: {"x128", "|"},
	x86asm.PCMPEQB: {"x8", "=="}, x86asm.PCMPEQW: {"x16", "=="}, x86asm.PCMPEQD: {"x32", "=="},
	x86asm.PCMPGTB: {"y8", ">"}, x86asm.PCMPGTW: {"y16", ">"}, x86asm.PCMPGTD: {"y32", ">"},
}

// chosen are the smaller, or the greater one of two elements.
var chosen = map[x86asm.Op]struct{ lanes, op string }{
	x86asm.PMINUB: {"x8", "<"}, x86asm.PMAXUB: {"x8", ">"}, x86asm.PMINSW: {"y16", "<"}, x86asm.PMAXSW: {"y16", ">"},
}

// saturated are additions and subtractions whose result stays within the type.
var saturated = map[x86asm.Op]struct {
	unsigned, signed string
	bits             int
	add, sign        bool
}{
	x86asm.PADDUSB: {"x8", "y8", 8, true, false}, x86asm.PADDUSW: {"x16", "y16", 16, true, false},
	x86asm.PSUBUSB: {"x8", "y8", 8, false, false}, x86asm.PSUBUSW: {"x16", "y16", 16, false, false},
	x86asm.PADDSB: {"x8", "y8", 8, true, true}, x86asm.PADDSW: {"x16", "y16", 16, true, true},
	x86asm.PSUBSB: {"x8", "y8", 8, false, true}, x86asm.PSUBSW: {"x16", "y16", 16, false, true},
}

// packedShifts are shifts of all elements by one amount.
var packedShifts = map[x86asm.Op]struct {
	lanes, op string
	bits      int
}{
	x86asm.PSLLW: {"x16", "<<", 16}, x86asm.PSLLD: {"x32", "<<", 32}, x86asm.PSLLQ: {"x128", "<<", 64},
	x86asm.PSRLW: {"x16", ">>", 16}, x86asm.PSRLD: {"x32", ">>", 32}, x86asm.PSRLQ: {"x128", ">>", 64},
	x86asm.PSRAW: {"y16", ">>", 16}, x86asm.PSRAD: {"y32", ">>", 32},
}

// interleaved are elements of two operands in turn.
var interleaved = map[x86asm.Op]struct {
	lanes string
	count int
	high  bool
}{
	x86asm.PUNPCKLBW: {"x8", 16, false}, x86asm.PUNPCKLWD: {"x16", 8, false}, x86asm.PUNPCKLDQ: {"x32", 4, false}, x86asm.PUNPCKLQDQ: {"x128", 2, false},
	x86asm.PUNPCKHBW: {"x8", 16, true}, x86asm.PUNPCKHWD: {"x16", 8, true}, x86asm.PUNPCKHDQ: {"x32", 4, true}, x86asm.PUNPCKHQDQ: {"x128", 2, true},
}

// shuffle chooses elements of two operands; those of the second one count from behind those of the first.
func (w *writer) shuffle(i *x86.Instruction, a, b x86asm.Arg, lanes string, order []int) {
	x, y := w.vector(i, a), w.vector(i, b)
	w.shuffleOf(i, lanes, x, y, order)
}

func (w *writer) shuffleOf(i *x86.Instruction, lanes, x, y string, order []int) {
	w.setVector(i, i.Args[0], fmt.Sprintf("__builtin_shufflevector((%s)%s, (%s)%s, %s)", lanes, x, lanes, y, joined(order)))
}

func joined(order []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(order)), ", "), "[]")
}

// packed writes operations on packed integers; false if the instruction is another one.
func (w *writer) packed(i *x86.Instruction) bool {
	a, b := i.Args[0], i.Args[1]
	if _, ok := vectorOf(a); !ok && i.Op != x86asm.PMOVMSKB && i.Op != x86asm.PEXTRW {
		return false // of 64 bits (MMX)
	}
	if x, ok := packedOperators[i.Op]; ok {
		if a == b && (x.op == "-" || x.op == ">") {
			w.setVector(i, a, "(x128){0, 0}")
			return true
		}
		if a == b && x.op == "==" {
			w.setVector(i, a, "(x128){~0ul, ~0ul}")
			return true
		}
		w.setVector(i, a, fmt.Sprintf("(%s)%s %s (%s)%s", x.lanes, w.vector(i, a), x.op, x.lanes, w.vector(i, b)))
		return true
	}
	two := func(lanes string) (p, q string) {
		x, y := w.vector(i, a), w.vector(i, b)
		return w.temporaryOf(lanes, fmt.Sprintf("(%s)%s", lanes, x)), w.temporaryOf(lanes, fmt.Sprintf("(%s)%s", lanes, y))
	}
	if x, ok := chosen[i.Op]; ok {
		p, q := two(x.lanes)
		m := w.temporaryOf("x128", fmt.Sprintf("(x128)(%s %s %s)", p, x.op, q))
		w.setVector(i, a, fmt.Sprintf("%s & (x128)%s | ~%s & (x128)%s", m, p, m, q))
		return true
	}
	if x, ok := saturated[i.Op]; ok {
		p, q := two(x.unsigned)
		op := map[bool]string{true: "+", false: "-"}[x.add]
		s := w.temporaryOf(x.unsigned, fmt.Sprintf("%s %s %s", p, op, q))
		switch {
		case !x.sign && x.add:
			w.setVector(i, a, fmt.Sprintf("%s | (%s)(%s < %s)", s, x.unsigned, s, p))
		case !x.sign:
			w.setVector(i, a, fmt.Sprintf("%s & (%s)(%s >= %s)", s, x.unsigned, p, q))
		default:
			differ := map[bool]string{true: "~(%s ^ %s) & (%s ^ %s)", false: "(%s ^ %s) & (%s ^ %s)"}[x.add]
			m := w.temporaryOf(x.unsigned, fmt.Sprintf("(%s)((%s)("+differ+") < 0)", x.unsigned, x.signed, p, q, p, s))
			end := w.temporaryOf(x.unsigned, fmt.Sprintf("(%s)(%s < 0) ^ %#x", x.unsigned, fmt.Sprintf("(%s)%s", x.signed, p), 1<<(x.bits-1)-1))
			w.setVector(i, a, fmt.Sprintf("%s & ~%s | %s & %s", s, m, end, m))
		}
		return true
	}
	if x, ok := packedShifts[i.Op]; ok {
		w.packedShift(i, x.lanes, x.op, x.bits)
		return true
	}
	if x, ok := interleaved[i.Op]; ok {
		var order []int
		start := 0
		if x.high {
			start = x.count / 2
		}
		for k := range x.count / 2 {
			order = append(order, start+k, start+k+x.count)
		}
		w.shuffle(i, a, b, x.lanes, order)
		return true
	}
	n, _ := i.Args[2].(x86asm.Imm)
	by := func(k int) int { return int(n >> (2 * k) & 3) }
	switch i.Op {
	case x86asm.PXOR:
		w.exclusive(i)
	case x86asm.PANDN:
		w.setVector(i, a, fmt.Sprintf("~%s & %s", w.vector(i, a), w.vector(i, b)))
	case x86asm.PSHUFD:
		w.shuffle(i, b, b, "x32", []int{by(0), by(1), by(2), by(3)})
	case x86asm.PSHUFLW:
		w.shuffle(i, b, b, "x16", []int{by(0), by(1), by(2), by(3), 4, 5, 6, 7})
	case x86asm.PSHUFHW:
		w.shuffle(i, b, b, "x16", []int{0, 1, 2, 3, 4 + by(0), 4 + by(1), 4 + by(2), 4 + by(3)})
	case x86asm.PSLLDQ, x86asm.PSRLDQ:
		count, ok := b.(x86asm.Imm)
		if !ok {
			return false
		}
		k := int(min(uint64(count)&0xff, 16))
		var order []int
		for j := range 16 {
			if i.Op == x86asm.PSLLDQ {
				order = append(order, 16-k+j) // of zeros, then the operand
			} else {
				order = append(order, k+j)
			}
		}
		x, zero := w.vector(i, a), "(x128){0, 0}"
		if i.Op == x86asm.PSLLDQ {
			x, zero = zero, x
		}
		w.shuffleOf(i, "x8", x, zero, order)
	case x86asm.PMULUDQ:
		p, q := two("x128")
		w.setVector(i, a, fmt.Sprintf("(%s & 0xffffffff) * (%s & 0xffffffff)", p, q))
	case x86asm.PMULHW, x86asm.PMULHUW:
		lanes, wide := "y16", "z32"
		if i.Op == x86asm.PMULHUW {
			lanes, wide = "x16", "w32"
		}
		p, q := two(lanes)
		w.setVector(i, a, fmt.Sprintf("__builtin_convertvector(__builtin_convertvector(%s, %s) * __builtin_convertvector(%s, %s) >> 16, %s)", p, wide, q, wide, lanes))
	case x86asm.PMADDWD:
		p, q := two("y16")
		x := w.temporaryOf("w32", fmt.Sprintf("(w32)(__builtin_convertvector(%s, z32) * __builtin_convertvector(%s, z32))", p, q))
		w.setVector(i, a, fmt.Sprintf("__builtin_shufflevector(%s, %s, 0, 2, 4, 6) + __builtin_shufflevector(%s, %s, 1, 3, 5, 7)", x, x, x, x))
	case x86asm.PAVGB, x86asm.PAVGW:
		p, q := two(map[bool]string{true: "x8", false: "x16"}[i.Op == x86asm.PAVGB])
		w.setVector(i, a, fmt.Sprintf("(%s | %s) - ((%s ^ %s) >> 1)", p, q, p, q))
	case x86asm.PSADBW:
		p, q := two("x8")
		m := w.temporaryOf("x8", fmt.Sprintf("(x8)(%s < %s)", p, q))
		d := w.temporaryOf("x8", fmt.Sprintf("%s & (%s - %s) | ~%s & (%s - %s)", m, q, p, m, p, q))
		sums := [2][]string{}
		for k := range 16 {
			sums[k/8] = append(sums[k/8], fmt.Sprintf("(u64)%s[%d]", d, k))
		}
		w.setVector(i, a, fmt.Sprintf("(x128){%s, %s}", strings.Join(sums[0], " + "), strings.Join(sums[1], " + ")))
	case x86asm.PACKSSWB, x86asm.PACKUSWB, x86asm.PACKSSDW:
		w.pack(i)
	case x86asm.PINSRW:
		r, ok := vectorOf(a)
		if !ok {
			return false
		}
		x := w.temporaryOf("x16", "(x16)"+w.vector(i, a))
		w.line("%s[%d] = %s;", x, n&7, w.get(i, b, 16))
		w.writes |= 1 << r
		w.line("%s = (x128)%s;", vectorName(r), x)
	case x86asm.PEXTRW:
		if _, ok := vectorOf(b); !ok {
			return false
		}
		w.set(i, a, fmt.Sprintf("((x16)%s)[%d]", w.vector(i, b), n&7))
	case x86asm.PMOVMSKB:
		if _, ok := vectorOf(b); !ok {
			return false
		}
		x := w.temporaryOf("x8", "(x8)"+w.vector(i, b))
		var parts []string
		for k := range 16 {
			parts = append(parts, fmt.Sprintf("(u32)(%s[%d] >> 7) << %d", x, k, k))
		}
		w.set(i, a, strings.Join(parts, " | "))
	default:
		return false
	}
	return true
}

// packedShift is one by a constant, or by the low 64 bits of an operand.
func (w *writer) packedShift(i *x86.Instruction, lanes, op string, bits int) {
	a := i.Args[0]
	x := w.temporaryOf(lanes, fmt.Sprintf("(%s)%s", lanes, w.vector(i, a)))
	beyond := "(x128){0, 0}"
	if lanes[0] == 'y' {
		beyond = fmt.Sprintf("(x128)(%s >> %d)", x, bits-1)
	}
	if n, ok := i.Args[1].(x86asm.Imm); ok {
		if uint64(n)&0xff >= uint64(bits) {
			w.setVector(i, a, beyond)
		} else {
			w.setVector(i, a, fmt.Sprintf("%s %s %d", x, op, uint64(n)&0xff))
		}
		return
	}
	k := w.temporary(64, fmt.Sprintf("%s[0]", w.vector(i, i.Args[1])))
	element := map[int]string{16: "16", 32: "32", 64: "64"}[bits]
	kind := "u" + element
	if lanes[0] == 'y' {
		kind = "i" + element
	}
	w.setVector(i, a, fmt.Sprintf("%s < %d ? (x128)(%s %s (%s)(%s & %d)) : %s", k, bits, x, op, kind, k, bits-1, beyond))
}

// pack makes elements of half the size, each the nearest that there is.
func (w *writer) pack(i *x86.Instruction) {
	from, to, half, least, most := "y16", "y8", "h8", "-128", "127"
	switch i.Op {
	case x86asm.PACKUSWB:
		least, most = "0", "255"
	case x86asm.PACKSSDW:
		from, to, half, least, most = "y32", "y16", "h16", "-32768", "32767"
	}
	narrow := func(a x86asm.Arg) string {
		x := w.temporaryOf(from, fmt.Sprintf("(%s)%s", from, w.vector(i, a)))
		x = w.temporaryOf(from, fmt.Sprintf("%s & (%s >= %s) | %s & (%s < %s)", x, x, least, "("+from+")(("+from+"){} + "+least+")", x, least))
		x = w.temporaryOf(from, fmt.Sprintf("%s & (%s <= %s) | %s & (%s > %s)", x, x, most, "("+from+")(("+from+"){} + "+most+")", x, most))
		return w.temporaryOf(half, fmt.Sprintf("__builtin_convertvector(%s, %s)", x, half))
	}
	p, q := narrow(i.Args[0]), narrow(i.Args[1])
	count := 16
	if to == "y16" {
		count = 8
	}
	var order []int
	for k := range count {
		order = append(order, k)
	}
	w.setVector(i, i.Args[0], fmt.Sprintf("(%s)__builtin_shufflevector(%s, %s, %s)", to, p, q, joined(order)))
}
