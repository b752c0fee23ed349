package ir

import "strings"

// InputType is the C type that the name of an input function like
// __VERIFIER_nondet_uchar stands for.
func InputType(function string, bits uint32) CType {
	_, suffix, _ := strings.Cut(function, "nondet_")
	t := CType{Name: suffix, Bits: bits, Signed: true}
	switch {
	case suffix == "bool":
		t.Bool = true
	case suffix == "float" || suffix == "double":
		t.Float = true
	case strings.HasPrefix(suffix, "u") || suffix == "size_t":
		t.Signed = false
	}
	return t
}
