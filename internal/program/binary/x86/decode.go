// Package x86 decodes x86-64 instructions: golang.org/x/arch/x86/x86asm, with what it decodes
// wrongly handled before it.
//
// The known faults: endbr64 is taken for a prefix of one byte, instructions with a VEX or EVEX
// prefix for others, and displacements of 32 bits for positive numbers. Lengths are compared with objdump's in the tests. What is not decoded is an *Error,
// never skipped.
package x86

import (
	"bytes"
	"fmt"
	"math"

	"golang.org/x/arch/x86/x86asm"
)

// Instruction is one at its address.
type Instruction struct {
	x86asm.Inst
	Address uint64
	// Marker says that it is endbr64, which does nothing.
	Marker bool
}

// Next is the address behind it.
func (i *Instruction) Next() uint64 { return i.Address + uint64(i.Len) }

// Target is where a jump or call relative to the instruction goes.
func (i *Instruction) Target() (uint64, bool) {
	r, ok := i.Args[0].(x86asm.Rel)
	return i.Next() + uint64(int64(r)), ok
}

// String is Intel's syntax.
func (i *Instruction) String() string {
	if i.Marker {
		return "endbr64"
	}
	return x86asm.IntelSyntax(i.Inst, i.Address, nil)
}

// Error says what is not decoded.
type Error struct {
	Address uint64
	Bytes   []byte // at most 15
	Reason  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("0x%x: % x: %s", e.Address, e.Bytes, e.Reason)
}

const maxLength = 15 // of an instruction [Intel SDM, vol. 2, 2.3.11]

// Decode reads the instruction at the start of the bytes.
func Decode(code []byte, address uint64) (Instruction, error) {
	code = code[:min(len(code), maxLength)]
	fail := func(reason string) (Instruction, error) {
		return Instruction{}, &Error{Address: address, Bytes: code, Reason: reason}
	}
	if bytes.HasPrefix(code, []byte{0xf3, 0x0f, 0x1e, 0xfa}) {
		return Instruction{Inst: x86asm.Inst{Op: x86asm.NOP, Len: 4, Mode: 64}, Address: address, Marker: true}, nil
	}
	opcode := prefixes(code)
	if opcode == len(code) {
		return fail("no instruction ends here")
	}
	switch code[opcode] {
	case 0xc4, 0xc5:
		return fail("AVX instructions (VEX) are not supported: compile for the baseline of x86-64")
	case 0x62:
		return fail("AVX-512 instructions (EVEX) are not supported: compile for the baseline of x86-64")
	}
	inst, err := x86asm.Decode(code, 64)
	if err != nil {
		return fail(err.Error())
	}
	if inst.Op == 0 || inst.Len <= opcode { // x86asm decodes a prefix as such where the rest is no instruction
		return fail("no instruction")
	}
	thread := x86asm.Reg(0)
	for _, b := range code[:opcode] {
		switch b {
		case 0x64:
			thread = x86asm.FS
		case 0x65:
			thread = x86asm.GS
		}
	}
	for k, a := range inst.Args {
		m, ok := a.(x86asm.Mem)
		if !ok {
			continue
		}
		if m.Disp > math.MaxInt32 && m.Disp <= math.MaxUint32 { // x86asm does not extend the sign of 32 bits
			m.Disp = int64(int32(m.Disp))
		}
		if m.Segment = thread; stringOperand(&inst, k) { // the other segments begin at 0 [Intel SDM, vol. 1, 3.3.7.1]
			m.Segment = 0
		}
		inst.Args[k] = m
	}
	return Instruction{Inst: inst, Address: address}, nil
}

// stringOperand says whether an operand is the destination of a string instruction, for which prefixes do not count.
func stringOperand(i *x86asm.Inst, k int) bool {
	m, ok := i.Args[k].(x86asm.Mem)
	return ok && m.Segment == x86asm.ES && (m.Base == x86asm.RDI || m.Base == x86asm.EDI)
}

// prefixes are the bytes before the opcode: legacy ones, then at most one REX.
func prefixes(code []byte) (n int) {
	for n < len(code) {
		switch code[n] {
		case 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3:
			n++
			continue
		}
		break
	}
	if n < len(code) && code[n]&0xf0 == 0x40 {
		n++
	}
	return n
}
