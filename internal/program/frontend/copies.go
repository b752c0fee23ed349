package frontend

import (
	"slices"
	"strconv"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file has functions imported more than once: for one format (printing.go), or for one list of types
// of arguments (variadic.go). A copy is a function of its own; people see it under the name of the function in C
// (ir.NameInC). A function of which all calls are calls of copies is not in the module, and if there is one
// copy, that has its name.

// specialised is a copy of a function.
type specialised struct {
	of       *llvm.Function
	symbol   string
	extra    []ir.Type // of parameters behind those of the function
	printing *printing // for one format
}

// specialise has a copy imported; the key says what it is for.
func (im *importer) specialise(key string, s *specialised) string {
	if im.specialised == nil {
		im.specialised = map[string]*specialised{}
		im.copies = map[*llvm.Function][]*specialised{}
	}
	s.symbol = im.functionKey(s.of) + ir.CopyMark + strconv.Itoa(len(im.copies[s.of])+1)
	im.copies[s.of] = append(im.copies[s.of], s)
	im.specialised[key] = s
	im.toSpecialise = append(im.toSpecialise, s)
	return s.symbol
}

// functionKey is the name of a function, which need not be in the module.
func (im *importer) functionKey(f *llvm.Function) string {
	if n, ok := im.names[f]; ok {
		return n
	}
	return f.Name
}

// adopt drops the functions that only have copies, and gives a single copy the name of its function.
func (im *importer) adopt() {
	called := map[string]bool{}
	for _, f := range im.m.Funcs {
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Call && d.Sym != f.Name {
				called[d.Sym] = true
			}
		}
	}
	dropped, renamed := map[string]bool{}, map[string]string{}
	for f, copies := range im.copies {
		name := im.functionKey(f)
		if called[name] || im.addressTaken[f] {
			continue
		}
		dropped[name] = true
		if len(copies) == 1 {
			renamed[copies[0].symbol] = name
		}
	}
	im.unmodelled = slices.DeleteFunc(im.unmodelled, func(c unmodelledCall) bool { return dropped[c.f.Name] })
	im.m.Funcs = slices.DeleteFunc(im.m.Funcs, func(f *ir.Func) bool { return dropped[f.Name] })
	for _, f := range im.m.Funcs {
		if name, ok := renamed[f.Name]; ok {
			f.Name = name
		}
		for v := range f.Values {
			d := &f.Values[v]
			if name, ok := renamed[d.Sym]; ok && d.Op == ir.Call {
				d.Sym = name
			}
		}
	}
}
