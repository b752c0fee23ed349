package frontend

import (
	"slices"
	"strings"

	"assay/internal/program/cprover"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file says of a function whether it looks at the extent of an object whose address is an argument: where the object
// begins and ends, what number its address is, of which kind it is.
//
// Who proves a function with the precondition is_fresh(p, n) has p point to the start of a heap object of just n bytes.
// A caller may pass a pointer into the middle of an object, or to a larger one: what was proved holds there
// if the function does the same with both. It does if, in it and in all that it calls, itself and its contract,
//
//	(X1) no pointer becomes a number, nor is one compared with < or the like, nor made of a number
//	(X2) pointers are kept in registers, and in locals that hold nothing else and whose addresses go nowhere: so none is
//	     read as a number, and p is in no memory that another function may read
//	(X3) what is called is known here, and no primitive asks about objects; of the library only what reads and writes
//	     the bytes that it is given
//
// By induction on steps both runs then differ in the values of pointers derived from p alone, and accesses that are
// valid in the small object are the same in the large one. What is not seen to be so is taken to look.

// withoutExtent are functions that do not look at extents.
var withoutExtent = []string{
	"memcpy", "memmove", "memset", "memcmp", "abort", "__assert_fail", "reach_error",
	"__CPROVER_assume", "__CPROVER_assert", "__CPROVER_precondition", "__CPROVER_postcondition", "__VERIFIER_assume", "__VERIFIER_assert",
	"llvm.memcpy", "llvm.memmove", "llvm.memset", "llvm.dbg", "llvm.lifetime",
}

// extent looks for a look at an extent.
type extent struct {
	p *llvm.Program
	// contracts are the names of functions with contracts.
	contracts []string
	seen      map[*llvm.Function]bool
}

// withinExtent says that a function, the first argument, looks at no extent.
func (f *function) withinExtent(c *externalCall) []ir.Value {
	x := extent{p: f.im.p, seen: map[*llvm.Function]bool{}}
	for _, k := range f.im.opts.contracts {
		x.contracts = append(x.contracts, k.Name)
	}
	if f.im.opts.CheckAlignment || x.contract(c.text(0)) {
		return f.boolean(f.b.Const(1, 0), c)
	}
	return f.boolean(f.b.Const(1, 1), c)
}

// contract says that a function with a contract, its body or its clauses, may look.
func (x *extent) contract(name string) bool {
	var body, clauses *llvm.Function
	for _, f := range x.p.Functions {
		switch {
		case f.Name == name:
			body = f
		case f.Name == name+cprover.ContractSuffix:
			clauses = f
		case strings.HasPrefix(f.Name, name+"."), strings.HasPrefix(f.Name, name+cprover.ContractSuffix+"."):
			return true // linking has renamed a static function: which one is meant is not known
		}
	}
	if clauses == nil || x.clauses(clauses) {
		return true
	}
	return body != nil && body.Blocks != nil && x.function(body) // without a body it is assumed to keep the contract for all callers
}

// function says that a function may look.
func (x *extent) function(f *llvm.Function) bool {
	if x.seen[f] {
		return false
	}
	x.seen[f] = true
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if looks(i) || exposes(f, i) || (i.Op == llvm.Call || i.Op == llvm.Invoke || i.Op == llvm.CallBr) && x.call(i) {
				return true
			}
		}
	}
	return false
}

// clauses is that of the function that a contract becomes: package cprover writes the calls of primitives there, but
// for those after which it calls __assay_extent.
func (x *extent) clauses(f *llvm.Function) bool {
	if x.seen[f] {
		return false
	}
	x.seen[f] = true
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if looks(i) {
				return true
			}
			callee, ok := i.Callee.(*llvm.Function)
			switch {
			case i.Callee == nil:
			case !ok, callee.Name == "__assay_extent":
				return true
			case strings.HasPrefix(callee.Name, "__CPROVER_"), strings.HasPrefix(callee.Name, "__VERIFIER_nondet_"), strings.HasPrefix(callee.Name, "__assay_"):
			default:
				if x.call(i) {
					return true
				}
			}
		}
	}
	return false
}

// call says that what is called may look.
func (x *extent) call(i *llvm.Inst) bool {
	callee, ok := i.Callee.(*llvm.Function)
	switch {
	case !ok || i.Op == llvm.CallBr:
		return true
	case (callee.Blocks == nil || callee.Library) && slices.ContainsFunc(withoutExtent, func(s string) bool {
		return callee.Name == s || callee.Intrinsic && strings.HasPrefix(callee.Name, s+".")
	}), callee.Blocks == nil && strings.HasPrefix(callee.Name, "__VERIFIER_nondet_"):
		return false
	case callee.Intrinsic:
		return slices.ContainsFunc(i.Args, func(v llvm.Value) bool { return holdsPointer(v.ValueType()) })
	case strings.HasSuffix(callee.Name, cprover.ContractSuffix):
		return x.contract(strings.TrimSuffix(callee.Name, cprover.ContractSuffix))
	case slices.Contains(x.contracts, callee.Name) && callee.Blocks == nil:
		return x.contract(callee.Name)
	case callee.Library || callee.Blocks == nil:
		return true
	}
	return x.function(callee)
}

// looks is X1.
func looks(i *llvm.Inst) bool {
	switch i.Op {
	case llvm.PtrToInt, llvm.IntToPtr, llvm.AddrSpaceCast, llvm.VAArg, llvm.AtomicRMW, llvm.AtomicCmpXchg:
		return true
	case llvm.ICmp:
		return holdsPointer(i.Args[0].ValueType()) && i.Pred != llvm.IntEQ && i.Pred != llvm.IntNE
	}
	found := false
	for _, a := range i.Args {
		walkConstant(a, func(v llvm.Value) {
			e, ok := v.(*llvm.Expr)
			found = found || ok && (e.Op == llvm.PtrToInt || e.Op == llvm.IntToPtr)
		})
	}
	return found
}

// exposes says that an instruction does not keep to X2.
func exposes(f *llvm.Function, i *llvm.Inst) bool {
	if i.Op != llvm.Store || !holdsPointer(i.Args[0].ValueType()) {
		return false
	}
	local, ok := i.Args[1].(*llvm.Inst)
	if !ok || local.Op != llvm.Alloca || local.Elem.Kind != llvm.PointerType || i.Args[0] == i.Args[1] {
		return true
	}
	for _, b := range f.Blocks {
		for _, u := range b.Instrs {
			if !slices.Contains(u.Args, llvm.Value(local)) {
				continue
			}
			switch {
			case u.Op == llvm.Load && u.Type.Kind == llvm.PointerType, u.Op == llvm.DbgDeclare, u.Op == llvm.DbgValue:
			case u.Op == llvm.Store && u.Args[0] != llvm.Value(local) && u.Args[0].ValueType().Kind == llvm.PointerType:
			default:
				return true
			}
		}
	}
	return false
}

// holdsPointer says that a type has pointers.
func holdsPointer(t *llvm.Type) bool {
	switch {
	case t == nil:
		return false
	case t.Kind == llvm.PointerType:
		return true
	case t.Elem != nil && holdsPointer(t.Elem):
		return true
	}
	return slices.ContainsFunc(t.Fields, holdsPointer)
}
