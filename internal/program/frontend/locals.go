package frontend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/llvm"
	"assay/internal/run/lazyregexp"
)

// This file gives atoms the local variables that they name, as main::x. The function of such an atom
// has a pointer to each of them as a parameter, and the name is a macro for what it points to:
//
//	#define main__x (*__assay_local_0)
//	int __assay_atom_0(int *__assay_local_0) { return !!( main__x > 0 ); }
//
// The name keeps its length, so that columns in errors are right. The types come from the debug records
// of the program without atoms; clang has to know them at the end of the file. Stack objects
// that an atom names have their name in Def.Sym.

// Local is a local variable or a parameter of a function.
type Local struct{ Func, Name string }

func (l Local) String() string { return l.Func + "::" + l.Name }

var localName = lazyregexp.New(`\b([A-Za-z_]\w*)::([A-Za-z_]\w*)\b`)

// LocalsOf are the locals that an atom names, in the order of the parameters of its function.
func LocalsOf(atom string) (list []Local) {
	for _, m := range localName.FindAllStringSubmatch(atom, -1) {
		if l := (Local{m[1], m[2]}); !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// localTypes are the types of the locals that atoms name, for clang; nil if they name none. The
// error is an *AtomError if it is about an atom.
func localTypes(ctx context.Context, o *Options) (map[Local]string, error) {
	if !slices.ContainsFunc(o.Atoms, func(a string) bool { return len(LocalsOf(a)) > 0 }) {
		return nil, nil
	}
	plain := *o
	plain.Atoms, plain.Unpromoted, plain.Warnings = nil, true, nil
	modules, _, err := gather(ctx, &plain)
	if err != nil {
		return nil, err
	}
	p, err := readModules(&plain, modules, o.first())
	if err != nil {
		return nil, err
	}
	types := map[Local]string{}
	for i, atom := range o.Atoms {
		for _, l := range LocalsOf(atom) {
			t, why := typeOfLocal(p, l)
			if why != "" {
				return nil, &AtomError{Atom: i, Col: strings.Index(atom, l.String()) + 1, Message: why}
			}
			types[l] = t
		}
	}
	return types, nil
}

// typeOfLocal is the type of a local as C writes it, or what is wrong.
func typeOfLocal(p *llvm.Program, l Local) (text, why string) {
	f := p.Function(l.Func)
	if f == nil || len(f.Blocks) == 0 {
		return "", "the program defines no function " + l.Func + ", or never calls it"
	}
	var found []*llvm.Variable
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if i.Op == llvm.DbgDeclare && i.Var != nil && i.Var.Name == l.Name && !slices.ContainsFunc(found, func(v *llvm.Variable) bool { return v.Pos == i.Var.Pos }) {
				found = append(found, i.Var)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", l.Func + " has no local variable " + l.Name
	case 1:
	default:
		return "", fmt.Sprintf("%s has several variables %s, in lines %d and %d", l.Func, l.Name, found[0].Pos.Line, found[1].Pos.Line)
	}
	return typeName(found[0].Type, "")
}

// typeName is a type as C writes it around a declarator.
func typeName(t *llvm.CType, declarator string) (text, why string) {
	switch {
	case t == nil:
		return "void " + declarator, ""
	case t.Name != "" && t.Kind != llvm.CPointer && t.Kind != llvm.CArray:
		return t.Name + " " + declarator, ""
	case t.Kind == llvm.CAlias: // const and its kin: an atom only reads
		return typeName(t.Base, declarator)
	case t.Kind == llvm.CPointer:
		if b := t.Base.Strip(); b != nil && (b.Kind == llvm.CArray || b.Kind == llvm.CFunction) {
			return "void *" + declarator, "" // which compares as the pointer does
		}
		return typeName(t.Base, "*"+declarator)
	case t.Kind == llvm.CArray && t.Count >= 0:
		return typeName(t.Base, fmt.Sprintf("%s[%d]", declarator, t.Count))
	case t.Kind == llvm.CArray:
		return "", "atoms over arrays of variable length are not supported"
	}
	return "", "the type of this variable has no name at the end of the file"
}

// kept are the stack objects that stay in memory, by function: a parameter x has the object x.addr.
func (o *Options) kept() map[string][]string {
	kept := map[string][]string{}
	for _, a := range o.Atoms {
		for _, l := range LocalsOf(a) {
			kept[l.Func] = append(kept[l.Func], l.Name, l.Name+".addr")
		}
	}
	return kept
}

// names says whether an atom names a local.
func (o *Options) names(l Local) bool {
	return slices.ContainsFunc(o.Atoms, func(a string) bool { return slices.Contains(LocalsOf(a), l) })
}

// namesLocalOf says whether an atom names a local of a function.
func (o *Options) namesLocalOf(name string) bool {
	return slices.ContainsFunc(o.Atoms, func(a string) bool {
		return slices.ContainsFunc(LocalsOf(a), func(l Local) bool { return l.Func == name })
	})
}
