package interp

// Sign and payload of a NaN that an operation makes are arbitrary (docs/soundness.md, I5). A run gets them by
// one rule; that what it shows does not depend on them is tried by further runs with other rules, among them those
// of processors: IEEE 754 recommends that a result has the payload of an operand (6.2.3), and of which one,
// and what comes out if none is a NaN, differs between machines, and with the order in which a compiler puts operands.

import "assay/internal/program/ir"

// NaNs is a rule by which the NaNs of operations get sign and payload.
type NaNs uint8

const (
	// PlainNaNs are positive and without payload.
	PlainNaNs NaNs = iota
	// FullNaNs are negative, with all bits of the payload set.
	FullNaNs
	// FirstNaNs are the first operand that is one, made quiet; if there is none, negative and without payload: as x86.
	FirstNaNs
	// LastNaNs are the same of the last operand.
	LastNaNs
	// VariousNaNs differ each time.
	VariousNaNs
)

// OtherNaNs are the rules beside that of ordinary runs.
var OtherNaNs = []NaNs{FullNaNs, FirstNaNs, LastNaNs, VariousNaNs}

// canonicalNaN is the quiet NaN without sign and payload.
func canonicalNaN(bits uint32) uint64 {
	switch bits {
	case 16:
		return 0x7e00
	case 32:
		return 0x7fc00000
	}
	return 0x7ff8000000000000
}

// nan is the result x of an operation of which one operand is of so many bits as from says, the result of bits;
// if that made a NaN, it is the one that the options ask for.
func (m *machine) nan(op ir.Op, from, bits uint32, x uint64, operands ...uint64) uint64 {
	if x != canonicalNaN(bits) {
		return x
	}
	return m.made(op, from, bits, x, operands...)
}

func (m *machine) made(op ir.Op, from, bits uint32, x uint64, operands ...uint64) uint64 {
	switch op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FSqrt, ir.FMA, ir.FMin, ir.FMax, ir.FRound, ir.FToF:
	default:
		return x
	}
	m.out.NaN = true
	switch m.opts.NaNs {
	case FullNaNs:
		return ^uint64(0) >> (64 - bits)
	case VariousNaNs:
		m.nans++
		payload := uint64(m.nans) * 0x9e3779b97f4a7c15 >> (64 - bits) // signs and payloads that look random [Knuth, 6.4]
		return payload | canonicalNaN(bits)
	case FirstNaNs, LastNaNs:
		found := uint64(1)<<(bits-1) | canonicalNaN(bits)
		for _, a := range operands {
			if f := decodeFloat(from, a); f == f {
				continue
			}
			found = resize(from, bits, a) | canonicalNaN(bits)
			if m.opts.NaNs == FirstNaNs {
				break
			}
		}
		return found
	}
	return x
}

// resize is a NaN in another format: its sign, and the upper bits of its payload.
func resize(from, to uint32, a uint64) uint64 {
	sign := a >> (from - 1) << (to - 1)
	payload := a & (1<<fraction(from) - 1) << (64 - fraction(from)) >> (64 - fraction(to))
	return sign | payload
}

// fraction is the number of bits behind the exponent.
func fraction(bits uint32) uint32 {
	switch bits {
	case 16:
		return 10
	case 32:
		return 23
	}
	return 52
}
