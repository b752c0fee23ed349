package lift

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file gives conditions their meaning. The flags are not kept: a condition is a C expression over the
// operands and the result of the instruction that set them, so that `cmp a, b; jl` is a < b. Where it is not
// known which instruction that is, flags are kept in variables (stored.go).

// setters are the addresses of the instructions that set the carry flag, and the other ones.
type setters struct{ carry, others uint64 }

// several is the address of no instruction: the flags come from more than one, from none, or have no meaning.
const several = 0

// join is what is known where two ways meet.
func (s setters) join(o setters) setters {
	if s.carry != o.carry {
		s.carry = several
	}
	if s.others != o.others {
		s.others = several
	}
	return s
}

// flagKind is how an instruction sets flags.
type flagKind uint8

const (
	keeps      flagKind = iota
	clobbers            // all are without meaning
	subtracts           // a - b
	adds                // a + b
	logical             // carry and overflow are 0
	increments          // a + 1, carry stays
	decrements          // a - 1, carry stays
	shifts              // not by 0: carry is in a
	rotates             // carry is in a, zero, sign and parity stay
	flips               // carry is in a, the others stay
	scans               // zero says that r is 0
	counts              // zero says that r is 0, the others are 0
	orders              // floats a and b
	perhaps             // as shifts, rotates or subtracts, or none at all
	stored              // in variables
	multiplies          // carry and overflow are in a
	tests               // carry is in a (bt)
	carries             // adc, sbb: carry is in a, overflow in b
)

// flagsOf is how an instruction sets flags.
func flagsOf(i *x86.Instruction) flagKind {
	switch i.Op {
	case x86asm.CMP, x86asm.SUB, x86asm.NEG, x86asm.CMPXCHG:
		return subtracts
	case x86asm.ADD, x86asm.XADD:
		return adds
	case x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.TEST:
		return logical
	case x86asm.INC:
		return increments
	case x86asm.DEC:
		return decrements
	case x86asm.SHL, x86asm.SHR, x86asm.SAR, x86asm.ROL, x86asm.ROR, x86asm.SHLD, x86asm.SHRD:
		amount := i.Args[1]
		if i.Op == x86asm.SHLD || i.Op == x86asm.SHRD {
			amount = i.Args[2]
		}
		n, ok := amount.(x86asm.Imm)
		switch {
		case !ok:
			return perhaps
		case n&31 == 0 && i.DataSize != 64, n&63 == 0:
			return keeps
		case i.Op == x86asm.ROL || i.Op == x86asm.ROR:
			return rotates
		}
		return shifts
	case x86asm.RCL, x86asm.RCR:
		return rotates
	case x86asm.CMC, x86asm.CLC, x86asm.STC:
		return flips
	case x86asm.BSF, x86asm.BSR:
		return scans
	case x86asm.POPCNT:
		return counts
	case x86asm.UCOMISS, x86asm.UCOMISD, x86asm.COMISS, x86asm.COMISD:
		return orders
	case x86asm.SCASB, x86asm.SCASW, x86asm.SCASD, x86asm.SCASQ, x86asm.CMPSB, x86asm.CMPSW, x86asm.CMPSD, x86asm.CMPSQ:
		if repeated(i) != once {
			return perhaps
		}
		return subtracts
	case x86asm.IMUL, x86asm.MUL:
		return multiplies
	case x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC:
		return tests
	case x86asm.ADC, x86asm.SBB:
		return carries
	case x86asm.DIV, x86asm.IDIV, x86asm.CALL, x86asm.TZCNT, x86asm.LZCNT, x86asm.POPF, x86asm.POPFQ, x86asm.SAHF:
		return clobbers
	}
	return keeps
}

// step is who set the flags behind an instruction.
func (s setters) step(i *x86.Instruction) setters {
	switch flagsOf(i) {
	case keeps:
		return s
	case clobbers, perhaps:
		return setters{}
	case flips:
		return setters{i.Address, s.others}
	case increments, decrements:
		return setters{s.carry, i.Address}
	case tests, rotates:
		return setters{i.Address, several}
	}
	return setters{i.Address, i.Address}
}

// condition is the part of a mnemonic that names a condition: JAE, SETAE and CMOVAE have AE.
func condition(op x86asm.Op) (string, bool) {
	name := op.String()
	for _, prefix := range []string{"CMOV", "SET", "J"} {
		if c, ok := strings.CutPrefix(name, prefix); ok && c != "" && c != "MP" {
			return c, strings.Contains(" A AE B BE E NE G GE L LE O NO P NP S NS ", " "+c+" ")
		}
	}
	return "", false
}

// uses says which flags a condition depends on.
func uses(c string) (carry, others bool) {
	switch c {
	case "B", "AE":
		return true, false
	case "A", "BE":
		return true, true
	}
	return false, true
}

// setter is an instruction that set flags, with the names of what it left.
type setter struct {
	kind    flagKind
	bits    uint32
	a, b, r string
}

func (s *setter) signed(x string) string { return fmt.Sprintf("(i%d)%s", s.bits, x) }

// flag is one flag as a C expression, empty if it has no meaning.
func (s *setter) flag(name string) string {
	switch s.kind {
	case stored:
		for _, x := range flagVariables {
			if x.name == name {
				return x.variable
			}
		}
	case clobbers:
		return ""
	case orders:
		return map[string]string{
			"carry": fmt.Sprintf("!(%s >= %s)", s.a, s.b), "zero": fmt.Sprintf("!(%s < %s || %s > %s)", s.a, s.b, s.a, s.b),
			"parity": fmt.Sprintf("%s != %s || %s != %s", s.a, s.a, s.b, s.b), "sign": "0", "overflow": "0",
		}[name]
	case counts:
		if name != "zero" {
			return "0"
		}
		return s.r + " == 0"
	case scans:
		if name != "zero" {
			return ""
		}
		return s.r + " == 0"
	case rotates, flips:
		if name != "carry" {
			return ""
		}
	}
	switch name {
	case "zero":
		switch s.kind {
		case subtracts:
			return s.a + " == " + s.b
		case multiplies, tests:
			return ""
		}
		return s.r + " == 0"
	case "sign":
		if s.kind == multiplies || s.kind == tests {
			return ""
		}
		return s.signed(s.r) + " < 0"
	case "parity":
		if s.kind == multiplies || s.kind == tests {
			return ""
		}
		return "!__builtin_parity((u8)" + s.r + ")"
	case "carry":
		switch s.kind {
		case subtracts:
			return s.a + " < " + s.b
		case adds:
			return s.r + " < " + s.a
		case logical:
			return "0"
		case shifts, multiplies, tests, carries, rotates, flips:
			return s.a + " != 0"
		}
		return ""
	}
	switch s.kind { // overflow
	case subtracts:
		return fmt.Sprintf("(i%d)((%s ^ %s) & (%s ^ %s)) < 0", s.bits, s.a, s.b, s.a, s.r)
	case adds:
		return fmt.Sprintf("(i%d)(~(%s ^ %s) & (%s ^ %s)) < 0", s.bits, s.a, s.b, s.a, s.r)
	case logical:
		return "0"
	case increments:
		return fmt.Sprintf("%s == (u%d)1 << %d", s.r, s.bits, s.bits-1)
	case decrements:
		return fmt.Sprintf("%s == ((u%d)1 << %d) - 1", s.r, s.bits, s.bits-1)
	case multiplies:
		return s.a + " != 0"
	case carries:
		return s.b + " != 0"
	}
	return ""
}

// compare is a condition on the flags of one instruction, where there is a plain comparison for it.
func (s *setter) compare(c string) string {
	signed := map[string]string{"L": "<", "GE": ">=", "LE": "<=", "G": ">"}
	unsigned := map[string]string{"B": "<", "AE": ">=", "BE": "<=", "A": ">", "E": "==", "NE": "!="}
	switch s.kind {
	case subtracts:
		if op, ok := signed[c]; ok {
			return s.signed(s.a) + " " + op + " " + s.signed(s.b)
		}
		if op, ok := unsigned[c]; ok {
			return s.a + " " + op + " " + s.b
		}
	case logical:
		if op, ok := signed[c]; ok {
			return s.signed(s.r) + " " + op + " 0"
		}
	case orders:
		switch c {
		case "A":
			return s.a + " > " + s.b
		case "AE":
			return s.a + " >= " + s.b
		case "B":
			return fmt.Sprintf("!(%s >= %s)", s.a, s.b)
		case "BE":
			return fmt.Sprintf("!(%s > %s)", s.a, s.b)
		}
	case adds:
		if op, ok := signed[c]; ok && s.bits < 64 {
			return fmt.Sprintf("(i64)(i%d)%s + (i%d)%s %s 0", s.bits, s.a, s.bits, s.b, op)
		}
	}
	return ""
}

// truth is a condition as a C expression, empty if it has no meaning.
func truth(c string, carry, others *setter) string {
	usesCarry, usesOthers := uses(c)
	if usesCarry && carry == nil || usesOthers && others == nil {
		return ""
	}
	if !usesOthers || usesCarry && *carry == *others || !usesCarry {
		one := others
		if !usesOthers {
			one = carry
		}
		if x := one.compare(c); x != "" {
			return x
		}
	}
	flag := func(name string) string {
		if name == "carry" {
			return carry.flag(name)
		}
		return others.flag(name)
	}
	not := func(x string) string {
		if x == "" {
			return ""
		}
		return "!(" + x + ")"
	}
	both := func(format, x, y string) string {
		if x == "" || y == "" {
			return ""
		}
		return fmt.Sprintf(format, x, y)
	}
	switch c {
	case "B":
		return flag("carry")
	case "AE":
		return not(flag("carry"))
	case "E":
		return flag("zero")
	case "NE":
		return not(flag("zero"))
	case "BE":
		return both("(%s) || (%s)", flag("carry"), flag("zero"))
	case "A":
		return both("!(%s) && !(%s)", flag("carry"), flag("zero"))
	case "S":
		return flag("sign")
	case "NS":
		return not(flag("sign"))
	case "P":
		return flag("parity")
	case "NP":
		return not(flag("parity"))
	case "O":
		return flag("overflow")
	case "NO":
		return not(flag("overflow"))
	case "L":
		return both("(%s) != (%s)", flag("sign"), flag("overflow"))
	case "GE":
		return both("(%s) == (%s)", flag("sign"), flag("overflow"))
	case "LE":
		return both("(%s) || (%s)", flag("zero"), both("(%s) != (%s)", flag("sign"), flag("overflow")))
	default: // G
		return both("!(%s) && (%s)", flag("zero"), both("(%s) == (%s)", flag("sign"), flag("overflow")))
	}
}
