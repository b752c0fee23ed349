package lift

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file gives conditions their meaning. The flags are not kept: a condition is a C expression over the
// operands and the result of the instruction that set them, so that `cmp a, b; jl` is a < b. Which
// instruction that is has to be known; where several may have set the flags, the condition is not
// supported.

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
	shifts              // by a constant that is not 0: carry is in a
	multiplies          // carry and overflow are in a
	tests               // carry is in a (bt)
	carries             // adc, sbb: carry is in a
)

// flagsOf is how an instruction sets flags.
func flagsOf(i *x86.Instruction) flagKind {
	switch i.Op {
	case x86asm.CMP, x86asm.SUB, x86asm.NEG:
		return subtracts
	case x86asm.ADD:
		return adds
	case x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.TEST:
		return logical
	case x86asm.INC:
		return increments
	case x86asm.DEC:
		return decrements
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		if n, ok := i.Args[1].(x86asm.Imm); ok {
			if n&31 == 0 {
				return clobbers // by 0 places: the flags stay, which nobody writes
			}
			return shifts
		}
		return clobbers
	case x86asm.IMUL, x86asm.MUL:
		return multiplies
	case x86asm.BT:
		return tests
	case x86asm.ADC, x86asm.SBB:
		return carries
	case x86asm.DIV, x86asm.IDIV, x86asm.CALL, x86asm.ROL, x86asm.ROR, x86asm.SHLD, x86asm.SHRD, x86asm.BSF, x86asm.BSR, x86asm.POPF:
		return clobbers
	}
	return keeps
}

// step is who set the flags behind an instruction.
func (s setters) step(i *x86.Instruction) setters {
	switch flagsOf(i) {
	case keeps:
		return s
	case clobbers:
		return setters{}
	case increments, decrements:
		return setters{s.carry, i.Address}
	case tests:
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
		case shifts, multiplies, tests, carries:
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
