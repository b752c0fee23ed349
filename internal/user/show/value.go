package show

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// formatValue writes the value of a C variable as a C programmer would read
// it: decimal by the sign of the type, the character beside a char, hexadecimal
// beside an unsigned number that is large, NULL, the text behind a char pointer.
func formatValue(v bv.BV, t ir.CType, state interp.State) string {
	switch {
	case t.Ptr:
		return formatPointer(v, t, state)
	case t.Float:
		return formatFloat(v)
	case t.Bool:
		if v.IsZero() {
			return "false"
		}
		return "true"
	}
	if t.Bits != 0 && t.Bits < v.Width() {
		v = v.Trunc(t.Bits)
	}
	if t.Signed {
		return v.Signed().String() + character(v, t)
	}
	out := v.Unsigned().String() + character(v, t)
	if !v.IsUint64() || v.Uint64() > 0xffff {
		out += fmt.Sprintf(" (%#x)", v.Unsigned())
	}
	return out
}

// character is the character of a char that has one.
func character(v bv.BV, t ir.CType) string {
	if v.Width() != 8 || !strings.Contains(t.Name, "char") || v.Uint64() >= 127 || v.Uint64() < 32 && !strings.ContainsRune("\n\t\r\x00", rune(v.Uint64())) {
		return ""
	}
	if v.IsZero() {
		return ` '\0'`
	}
	return " " + strconv.QuoteRune(rune(v.Uint64()))
}

// formatFloat writes a float of any format.
func formatFloat(v bv.BV) string {
	switch v.Width() {
	case 32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v.Uint64()))), 'g', -1, 32)
	case 64:
		return strconv.FormatFloat(math.Float64frombits(v.Uint64()), 'g', -1, 64)
	case 80:
		return formatExtended(v)
	}
	return fmt.Sprintf("%#x (%d bits)", v.Unsigned(), v.Width())
}

// formatExtended writes a long double of x86: sign, 15 bits of exponent, 64 of significand.
func formatExtended(v bv.BV) string {
	exponent, significand := int(v.Extract(78, 64).Uint64()), v.Extract(63, 0).Uint64()
	switch {
	case exponent == 0x7fff && significand == 1<<63 && v.Bit(79):
		return "-Inf"
	case exponent == 0x7fff && significand == 1<<63:
		return "+Inf"
	case exponent == 0x7fff, exponent != 0 && significand>>63 == 0:
		return "NaN"
	}
	x := new(big.Float).SetUint64(significand)
	x.SetMantExp(x, max(exponent, 1)-16383-63)
	if v.Bit(79) {
		x.Neg(x)
	}
	return x.Text('g', -1)
}

// maxText bounds the text shown behind a char pointer, and countedText the characters of a longer one that are counted: how long a
// string is matters where it is copied.
const (
	maxText     = 24
	countedText = 1024
)

// formatPointer writes an address, and the text behind a char pointer.
func formatPointer(v bv.BV, t ir.CType, state interp.State) string {
	if v.IsZero() {
		return "NULL"
	}
	address := fmt.Sprintf("%#x", v.Unsigned())
	element := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(t.Name), "*"))
	if strings.TrimPrefix(element, "const ") != "char" {
		return address
	}
	var text []byte
	for i := range uint64(countedText + 1) {
		b, ok := state.Memory(v.Uint64()+i, 1)
		if !ok || b[0] == 0 {
			break
		}
		text = append(text, b[0])
	}
	return address + " " + quoteText(text)
}

// quoteText writes a string of C; of a long one the beginning, and its length.
func quoteText(text []byte) string {
	switch n := len(text); {
	case n > countedText:
		return fmt.Sprintf("%s… (more than %d characters)", strconv.QuoteToASCII(string(text[:maxText])), countedText)
	case n > maxText:
		return fmt.Sprintf("%s… (%d characters)", strconv.QuoteToASCII(string(text[:maxText])), n)
	}
	return strconv.QuoteToASCII(string(text))
}
