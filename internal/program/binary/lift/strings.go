package lift

import (
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes string instructions, as loops where they are repeated. The direction flag is clear, as it is at the
// entry of every function [psABI, 3.2.1]; std is not supported.

// stringOp is one: its kind, and the bytes of an element.
type stringOp struct {
	kind string
	size uint32
}

var stringOps = map[x86asm.Op]stringOp{
	x86asm.MOVSB: {"movs", 1}, x86asm.MOVSW: {"movs", 2}, x86asm.MOVSD: {"movs", 4}, x86asm.MOVSQ: {"movs", 8},
	x86asm.STOSB: {"stos", 1}, x86asm.STOSW: {"stos", 2}, x86asm.STOSD: {"stos", 4}, x86asm.STOSQ: {"stos", 8},
	x86asm.LODSB: {"lods", 1}, x86asm.LODSW: {"lods", 2}, x86asm.LODSD: {"lods", 4}, x86asm.LODSQ: {"lods", 8},
	x86asm.SCASB: {"scas", 1}, x86asm.SCASW: {"scas", 2}, x86asm.SCASD: {"scas", 4}, x86asm.SCASQ: {"scas", 8},
	x86asm.CMPSB: {"cmps", 1}, x86asm.CMPSW: {"cmps", 2}, x86asm.CMPSD: {"cmps", 4}, x86asm.CMPSQ: {"cmps", 8},
}

// repetition is how an instruction is repeated: not at all, rcx times, or so long as elements are (not) equal.
type repetition uint8

const (
	once repetition = iota
	counted
	whileEqual
	whileNotEqual
)

func repeated(i *x86.Instruction) repetition {
	x, ok := stringOps[i.Op]
	if !ok {
		return once
	}
	for _, p := range i.Prefix {
		if p&x86asm.PrefixIgnored != 0 {
			continue
		}
		switch compares := x.kind == "scas" || x.kind == "cmps"; p & 0xff {
		case x86asm.PrefixREP:
			if compares {
				return whileEqual
			}
			return counted
		case x86asm.PrefixREPN:
			if compares {
				return whileNotEqual
			}
			return counted
		}
	}
	return once
}

// stringInstruction writes one.
func (w *writer) stringInstruction(i *x86.Instruction, x stringOp) {
	for _, a := range i.Args {
		if m, ok := a.(x86asm.Mem); ok && m.Segment != 0 {
			refuse("memory of a thread (segment %v)", m.Segment)
		}
	}
	bits, how := 8*x.size, repeated(i)
	uses := map[string]uint32{"movs": 1<<rsi | 1<<rdi, "stos": 1 << rdi, "lods": 1 << rsi, "scas": 1 << rdi, "cmps": 1<<rsi | 1<<rdi}[x.kind]
	w.reads |= uses
	w.writes |= uses
	if how != once {
		w.reads |= 1 << rcx
		w.writes |= 1 << rcx
	}
	if x.kind == "stos" || x.kind == "scas" || x.kind == "lods" && bits < 32 || x.kind == "lods" && how != once {
		w.reads |= 1 << rax
	}
	if x.kind == "lods" {
		w.writes |= 1 << rax
	}
	if w.dry {
		return
	}
	for _, r := range []register{rsi, rdi, rcx} { // facts are not kept in variables
		if (uses|1<<rcx)&(1<<r) != 0 {
			if v := w.value(r); v != w.register(r) {
				w.line("%s = %s;", w.register(r), v)
			}
		}
	}
	if how == counted && (x.kind == "movs" || x.kind == "stos") {
		w.line("if (_rcx && !__assay_valid_range((void *)_rdi, %d * _rcx)) __assay_unsupported(\"0x%x: %v: an access that is not within an object\");", x.size, i.Address, i)
	}
	if how != once {
		w.line("while (_rcx) {")
	}
	at := func(r register) string {
		w.line("if (!__assay_valid_range((void *)_%v, %d)) __assay_unsupported(\"0x%x: %v: an access that is not within an object\");", r, x.size, i.Address, i)
		return fmt.Sprintf("*(u%d *)_%v", bits, r)
	}
	step := func(registers ...register) {
		for _, r := range registers {
			w.line("_%v += %d;", r, x.size)
		}
		if how != once {
			w.line("_rcx--;")
		}
	}
	accumulator := map[uint32]x86asm.Reg{8: x86asm.AL, 16: x86asm.AX, 32: x86asm.EAX, 64: x86asm.RAX}[bits]
	switch x.kind {
	case "movs":
		from := at(rsi)
		w.line("%s = %s;", at(rdi), from)
		step(rsi, rdi)
	case "stos":
		w.line("%s = %s;", at(rdi), w.get(i, accumulator, bits))
		step(rdi)
	case "lods":
		w.setRegister(accumulator, at(rsi))
		step(rsi)
	default:
		var a, b string
		if x.kind == "scas" {
			a, b = w.temporary(bits, w.get(i, accumulator, bits)), w.temporary(bits, at(rdi))
			step(rdi)
		} else {
			a, b = w.temporary(bits, at(rsi)), w.temporary(bits, at(rdi))
			step(rsi, rdi)
		}
		r := w.temporary(bits, fmt.Sprintf("(u%d)(%s - %s)", bits, a, b))
		if how == once {
			w.flags(i, bits, a, b, r)
		} else { // without a comparison they stay
			s := &setter{subtracts, bits, a, b, r}
			w.storeFlags(i, s)
			op := "!="
			if how == whileNotEqual {
				op = "=="
			}
			w.line("if (%s %s %s) break;", a, op, b)
		}
	}
	if how != once {
		w.line("}")
	}
}
