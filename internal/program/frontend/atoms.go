package frontend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/internal/program/ir"
)

// This file compiles the atoms of temporal formulas. An atom is a C expression over
// what is declared at the end of a file of the program. clang parses and types it there: the file
// is compiled with a function behind it for each atom,
//
//	int __assay_atom_0(void) { return !!( x > 0 ); }
//
// so that sizes, conversions, macros and static variables are those of the program. #line
// directives keep the positions of the program, and give the atom a "file" of its
// own, whose line is the number of the atom: an error there is about the formula.
//
// What clang accepts may still change something, by a call. An atom calls nothing and
// writes nothing but its own locals, which promotion takes away (checked on the module).

// ObserverName is the function that tells the truth of an atom: an integer, 0 if it is false.
func ObserverName(atom int) string { return fmt.Sprintf("__assay_atom_%d", atom) }

// StepLabel is the label that stands in the module where the program calls
// stepFunction, if there are atoms.
const StepLabel, stepFunction = "assay.ltl_step", "__VERIFIER_ltl_step"

// atomFile is what clang takes for the file of the atoms, aroundFile for that of the functions
// around them.
const atomFile, aroundFile = "assay-atom", "assay-around"

// AtomError says what is wrong with an atom.
type AtomError struct {
	Atom    int // its index in Options.Atoms
	Col     int // where in its text, from 1; 0 is unknown
	Message string
}

func (e *AtomError) Error() string { return e.Message }

// withAtoms is the text of a file with the atoms behind it.
func withAtoms(name, text string, atoms []string, types map[Local]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#line 1 %q\n%s\n", name, text)
	for i, a := range atoms {
		a = strings.ReplaceAll(a, "\n", " ")
		parameters := "void"
		locals := LocalsOf(a)
		var list []string
		for k, l := range locals {
			fmt.Fprintf(&b, "#define %s__%s (*__assay_local_%d)\n", l.Func, l.Name, k)
			list = append(list, fmt.Sprintf("__typeof__(%s) *__assay_local_%d", types[l], k))
		}
		if len(list) > 0 {
			parameters = strings.Join(list, ", ")
			a = localName.ReplaceAllString(a, "${1}__${2}")
		}
		fmt.Fprintf(&b, "#line %[1]d %[2]q\nint %[3]s(%[6]s); int %[3]s(%[6]s) { return !!(\n#line %[1]d %[4]q\n%[5]s\n#line %[1]d %[2]q\n); }\n",
			i+1, aroundFile, ObserverName(i), atomFile, a, parameters)
		for _, l := range locals {
			fmt.Fprintf(&b, "#undef %s__%s\n", l.Func, l.Name)
		}
	}
	return b.String()
}

// compileAtoms compiles a unit with the atoms. The second result says that the unit
// itself compiles, and the error is about an atom.
func compileAtoms(ctx context.Context, clang string, u unit, o *Options) compiled {
	path := u.file
	if !filepath.IsAbs(path) && u.directory != "" {
		path = filepath.Join(u.directory, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return compiled{err: inputError(u.file, errors.Unwrap(err).Error())}
	}
	folder, err := os.MkdirTemp("", "assay-atoms-")
	if err != nil {
		return compiled{err: &EnvironmentError{What: "writing the atoms of the formula", Err: err}}
	}
	defer os.RemoveAll(folder)
	extension := filepath.Ext(path)
	if extension != ".i" {
		extension = ".c"
	}
	file := filepath.Join(folder, "program"+extension)
	if err := os.WriteFile(file, []byte(withAtoms(u.file, string(text), o.Atoms, o.localTypes)), 0o600); err != nil {
		return compiled{err: &EnvironmentError{What: "writing the atoms of the formula", Err: err}}
	}
	beside, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return compiled{err: &EnvironmentError{What: "writing the atoms of the formula", Err: err}}
	}
	v := u
	v.file = file
	v.flags = append([]string{"-iquote", beside}, u.flags...)
	c := compile(ctx, clang, v, o)
	var input *InputError
	if errors.As(c.err, &input) {
		for _, d := range input.Diagnostics {
			if d.Severity != "error" {
				continue
			}
			if d.Line < 1 || d.Line > len(o.Atoms) {
				break
			}
			switch d.File {
			case atomFile:
				c.err = &AtomError{Atom: d.Line - 1, Col: d.Col, Message: d.Message}
			case aroundFile:
				c.err = &AtomError{Atom: d.Line - 1, Message: d.Message}
			}
			break
		}
	}
	return c
}

// compileWithAtoms is compileAll for a program with atoms: they are compiled with the first
// file in which all of them have a meaning, the error is that of the first file.
func compileWithAtoms(ctx context.Context, clang string, units []unit, o *Options) []compiled {
	plain := *o
	plain.Atoms = nil
	all := make([]compiled, len(units))
	var first error
	for i, u := range units {
		c := compileAtoms(ctx, clang, u, o)
		var atom *AtomError
		if !errors.As(c.err, &atom) {
			copy(all, compileAll(ctx, clang, units, &plain))
			all[i] = c
			return all
		}
		if first == nil {
			first = c.err
		}
	}
	all[0].err = first
	return all
}

// checkAtoms looks whether an atom may change something.
func checkAtoms(m *ir.Module, o *Options) error {
	for i := range o.Atoms {
		f := m.Func(ObserverName(i))
		if f == nil || f.IsDecl() {
			return fmt.Errorf("the function of the atom %s was lost, which is a bug of assay", o.Atoms[i])
		}
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				switch d.Op {
				case ir.Call:
					return &AtomError{Atom: i, Message: "an atom cannot call a function"}
				case ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc, ir.Malloc, ir.Free, ir.Alloca, ir.VaStart, ir.Assume:
					return &AtomError{Atom: i, Message: "an atom cannot change anything"}
				case ir.Unsupported:
					return &AtomError{Atom: i, Message: "this is not modelled: " + d.Sym}
				}
			}
		}
	}
	return nil
}

// ltlStep marks a point where atoms are observed.
func (f *function) ltlStep(*externalCall) []ir.Value {
	if len(f.im.opts.Atoms) > 0 {
		f.b.Emit(ir.Def{Op: ir.Label, Sym: StepLabel})
	}
	return nil
}
