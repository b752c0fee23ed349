package frontend

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// This file reads the table of the library functions that assay knows,
// models/library.txt. It lists all functions and objects that glibc declares or
// exports. What is unsupported has no model: it writes through its arguments, calls
// back, keeps pointers, does not come back, or its value is fixed. Treating such a
// function as an unknown one, which changes nothing and returns anything, would be wrong.

//go:embed models/library.txt
var libraryTable string

// Fidelity says how far a model is from the library function.
type Fidelity uint8

// The levels of fidelity; models/library.txt explains them.
const (
	Exact Fidelity = iota
	Contract
	OverApproximated
	Unsupported
)

var fidelities = [...]string{Exact: "exact", Contract: "contract", OverApproximated: "over-approximated", Unsupported: "unsupported"}

func (f Fidelity) String() string { return fidelities[f] }

// LibraryFunction is a function of the C library, or of a verifier.
type LibraryFunction struct {
	Name, Header string
	Fidelity     Fidelity
	// Note says what is modelled, or why not; it may be empty.
	Note string
}

// Library lists the functions in the order of the table.
var Library = sync.OnceValue(func() []LibraryFunction {
	list, err := parseLibrary(libraryTable)
	if err != nil {
		panic("frontend: " + err.Error())
	}
	return list
})

// parseLibrary reads the table.
func parseLibrary(text string) ([]LibraryFunction, error) {
	var list []LibraryFunction
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, ": ", 4)
		if len(fields) < 3 {
			return nil, fmt.Errorf("library.txt:%d: a line is header: level: names: note", number)
		}
		f := LibraryFunction{Header: fields[0], Fidelity: Fidelity(len(fidelities))}
		for k, name := range fidelities {
			if name == fields[1] {
				f.Fidelity = Fidelity(k)
			}
		}
		if int(f.Fidelity) == len(fidelities) {
			return nil, fmt.Errorf("library.txt:%d: unknown level %q", number, fields[1])
		}
		if len(fields) == 4 {
			f.Note = fields[3]
		}
		for name := range strings.FieldsSeq(fields[2]) {
			f.Name = name
			list = append(list, f)
		}
	}
	return list, nil
}

// libraryObjects is the header under which the table lists objects of the library.
const libraryObjects = "objects"

// unsupportedLibrary looks each name up once: every input of a program asks about the same one.
func (im *importer) unsupportedLibrary(name string) string {
	what, known := im.unsupported[name]
	if !known {
		what = unsupportedLibrary(name)
		im.unsupported[name] = what
	}
	return what
}

// unsupportedLibrary says why calls of a library function, or uses of an object of the
// library that the program declares and does not define, are unsupported, "" if they are
// not. It reads the lines with the name alone, because most programs name few functions.
func unsupportedLibrary(name string) string {
	if name == "" {
		return ""
	}
	reason := ""
	for from := 0; ; {
		at := strings.Index(libraryTable[from:], name)
		if at < 0 {
			return reason
		}
		at += from
		from = at + len(name)
		if at == 0 || from == len(libraryTable) || strings.IndexByte(" \n", libraryTable[at-1]) < 0 || strings.IndexByte(" :\r\n", libraryTable[from]) < 0 {
			continue // a part of another word
		}
		start, end := strings.LastIndexByte(libraryTable[:at], '\n')+1, from+strings.IndexByte(libraryTable[from:], '\n')
		list, err := parseLibrary(libraryTable[start:end])
		if err != nil {
			panic("frontend: " + err.Error())
		}
		for _, f := range list {
			if f.Name == name && f.Fidelity == Unsupported {
				what := "the library function "
				if f.Header == libraryObjects {
					what = "the object of the library "
				}
				reason = what + f.Name + ": " + f.Note
			}
		}
		from = end
	}
}
