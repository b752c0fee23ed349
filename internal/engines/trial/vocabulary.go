package trial

import (
	"slices"

	"assay/internal/program/ir"
)

// This file says what the texts are made of that inputs are, where they evolve.

func (e *evolution) letter() byte { return e.alphabet[e.rng.IntN(len(e.alphabet))] }

func (e *evolution) word() string {
	if len(e.words) == 0 || e.rng.IntN(4) == 0 {
		return edges[e.rng.IntN(len(edges))]
	}
	return e.words[e.rng.IntN(len(e.words))]
}

// edges are numbers at which programs may fail, as texts.
var edges = []string{"0", "1", "-1", "2147483647", "-2147483648", "4294967295", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
	"1e308", "1e-2147483648", "0x", "-", "+", "%s", "%n", "--", "..", "\x80", "\xff", "\n", "\r\n"}

// vocabulary is what texts are made of: the characters that the program compares with, and its strings.
func vocabulary(m *ir.Module) (alphabet []byte, words []string) {
	for _, c := range constants(m, func(f *ir.Func) bool { return !f.Model && f.Name != m.Entry }) {
		if c > 0 && c < 128 && !slices.Contains(alphabet, byte(c)) {
			alphabet = append(alphabet, byte(c))
		}
	}
	alphabet = append(alphabet, "a0 -\n\x00"...)
	named := map[string]bool{}
	for _, f := range m.Funcs {
		for i := range f.Values {
			if d := &f.Values[i]; d.Op == ir.GlobalAddr && !f.Model {
				named[d.Sym] = true
			}
		}
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs { // tables of strings
			named[r.Target] = true
		}
	}
	for _, g := range m.Globals {
		if !named[g.Name] {
			continue
		}
		text := string(g.Init)
		if n := len(text); n > 1 && text[n-1] == 0 {
			text = text[:n-1]
		}
		if len(text) == 0 || len(text) > 24 || len(words) == maxPool || slices.ContainsFunc([]byte(text), func(c byte) bool { return c < 9 || c > 126 }) {
			continue
		}
		words = append(words, text)
	}
	return alphabet, words
}
