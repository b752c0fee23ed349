package frontend

import (
	"fmt"
	"strings"

	"assay/internal/program/llvm"
)

// substitute replaces and removes functions as the options say.
func (o *Options) substitute(s *llvm.Session) error {
	for _, pair := range o.Replace {
		f, g, ok := strings.Cut(pair, "=")
		switch {
		case !ok || f == "" || g == "":
			return inputError("--replace "+pair, "it has to be f=g: what calls f calls g instead")
		case !s.Defines(g):
			return inputError("--replace "+pair, fmt.Sprintf("the program has no function %s", g))
		case !s.Replace(f, g):
			return inputError("--replace "+pair, fmt.Sprintf("nothing in the program calls %s", f))
		}
		o.note(Note{Name: g, Text: "is called instead of " + f})
	}
	for _, f := range o.Remove {
		if !s.Remove(f) {
			return inputError("--remove "+f, "the program has no function with this name")
		}
	}
	return nil
}

// note adds a note once.
func (o *Options) note(n Note) {
	for _, x := range o.notes {
		if x == n {
			return
		}
	}
	o.notes = append(o.notes, n)
}
