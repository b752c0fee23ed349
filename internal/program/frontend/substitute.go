package frontend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/internal/program/cprover"
	"assay/internal/program/llvm"
)

// substitute replaces and removes functions as the options say. What the program calls by the name that goto-cc gives
// to a static function is this function; if the program defines that name, its definition is what the file of the static
// function calls, too.
func (o *Options) substitute(s *llvm.Session) error {
	locals := fileLocals(s)
	for _, name := range slices.Sorted(maps.Keys(locals)) {
		list := locals[name]
		switch {
		case s.Defines(name):
			for _, f := range list {
				s.Replace(f.Name, name)
				o.note(Note{Name: name, Text: "is called instead of " + f.Source + " of " + f.File})
			}
		case s.Declares(name) && len(list) > 1:
			return inputError(name, fmt.Sprintf("the program has %d static functions of this name", len(list)))
		case s.Declares(name):
			s.Replace(name, list[0].Name)
		}
	}
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
		file, name, ofFile := strings.Cut(f, ":")
		if ofFile {
			f = name
		}
		if list := locals[f]; len(list) > 0 {
			for _, x := range list {
				s.Remove(x.Name)
			}
			continue
		}
		if ofFile {
			if !slices.Contains(o.Files, file) {
				return inputError("--remove "+file+":"+f, "the program has no such file")
			}
			continue // removedFrom did it
		}
		if !s.Remove(f) {
			return inputError("--remove "+f, "the program has no function with this name")
		}
	}
	return nil
}

// removedFrom are the functions that lose their bodies in a file.
func (o *Options) removedFrom(file string) (list []llvm.Replacement) {
	for _, f := range o.Remove {
		if name, ok := strings.CutPrefix(f, file+":"); ok {
			list = append(list, llvm.Replacement{Name: name})
		}
	}
	return list
}

// fileLocals are the static functions by the names that goto-cc gives them.
func fileLocals(s *llvm.Session) map[string][]llvm.Static {
	out := map[string][]llvm.Static{}
	for _, f := range s.Statics() {
		name := cprover.FileLocal(f.File, f.Source)
		out[name] = append(out[name], f)
	}
	return out
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
