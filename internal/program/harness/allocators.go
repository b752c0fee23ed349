package harness

import "assay/internal/program/llvm"

// This file finds members that are compared with null only where they have just been allocated, as in
//
//	p->data = malloc(n);
//	if (!p->data) return -1;
//
// That says nothing of p->data in a structure that is complete.

// allocators are functions of the library that return new memory.
var allocators = map[string]bool{
	"malloc": true, "calloc": true, "realloc": true, "reallocarray": true, "aligned_alloc": true, "strdup": true, "strndup": true,
}

// justAllocated says that a block has put new memory at a member before it reads it there.
func justAllocated(b *llvm.Block, load *llvm.Inst, x place) bool {
	new := false
	for _, i := range b.Instrs {
		if i == load {
			break
		}
		if i.Op != llvm.Store {
			continue
		}
		if p, ok := i.Args[1].(*llvm.Inst); ok && p.Op == llvm.GetElementPtr {
			if list := placesOf(p); len(list) > 0 && list[len(list)-1] == x {
				new = allocated(i.Args[0], callDepth, map[llvm.Value]bool{})
			}
		}
	}
	return new
}

// allocated says that a value is new memory, or null: the result of an allocator, of a function of the program that returns
// nothing else, or of a call through a pointer, as programs have for allocators of their users.
func allocated(v llvm.Value, depth int, seen map[llvm.Value]bool) bool {
	if isNull(v) || seen[v] {
		return true
	}
	seen[v] = true
	i, ok := v.(*llvm.Inst)
	if !ok || depth == 0 {
		return false
	}
	switch i.Op {
	case llvm.BitCast:
		return allocated(i.Args[0], depth, seen)
	case llvm.Phi, llvm.Select:
		args := i.Args
		if i.Op == llvm.Select {
			args = args[1:]
		}
		for _, a := range args {
			if !allocated(a, depth, seen) {
				return false
			}
		}
		return true
	case llvm.Call:
		callee, direct := i.Callee.(*llvm.Function)
		if !direct {
			return true
		}
		if allocators[callee.Name] {
			return true
		}
		if len(callee.Blocks) == 0 {
			return false
		}
		for _, b := range callee.Blocks {
			for _, r := range b.Instrs {
				if r.Op == llvm.Ret && (len(r.Args) != 1 || !allocated(r.Args[0], depth-1, seen)) {
					return false
				}
			}
		}
		return true
	}
	return false
}
