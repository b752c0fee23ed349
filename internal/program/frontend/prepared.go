package frontend

import (
	"maps"
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file tells functions that are called with something that the caller has passed to another function before, as a scanner that saves the first
// character of a word and then calls the function that scans the rest: these may rely on what was done there.

// prepared are the functions that f calls so, by name.
func prepared(f *llvm.Function) []string {
	passed := map[llvm.Value]map[string]bool{} // to which functions
	found := map[string]bool{}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			callee, ok := i.Callee.(*llvm.Function)
			if !ok || i.Op != llvm.Call || strings.HasPrefix(callee.Name, "llvm.") {
				continue
			}
			for _, a := range i.Args {
				if a.ValueType().Kind != llvm.PointerType {
					continue
				}
				object := stepped(a)
				if _, null := object.(*llvm.Const); null {
					continue
				}
				if passed[object] == nil {
					passed[object] = map[string]bool{}
				}
				for other := range passed[object] {
					found[callee.Name] = found[callee.Name] || other != callee.Name
				}
				passed[object][callee.Name] = true
			}
		}
	}
	maps.DeleteFunc(found, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(found))
}

// stepped is the pointer from which steps to members lead to one, or the local that holds it.
func stepped(v llvm.Value) llvm.Value {
	for {
		i, ok := v.(*llvm.Inst)
		if !ok {
			return v
		}
		switch i.Op {
		case llvm.GetElementPtr, llvm.BitCast:
			v = i.Args[0]
		case llvm.Load:
			if local, ok := i.Args[0].(*llvm.Inst); ok && local.Op == llvm.Alloca {
				return local
			}
			return v
		default:
			return v
		}
	}
}
