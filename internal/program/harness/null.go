package harness

import (
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file finds pointer parameters that a function never asks whether they are null: whose value, moved and cast as it may be,
// is only read and written through, compared with places in the same object, and passed to functions that do
// no more. Null is then no case that the function is made for, and who says what the parameter points to
// (--array, --string) does not mean null. All that is not seen counts as a question: a pointer that is put into memory,
// passed to a function without body, tested as an integer.

// AsksNull says that a function may ask whether its parameter, a pointer, is null.
func AsksNull(f *llvm.Function, parameter int) bool {
	a := &asking{known: map[*llvm.Param]answer{}}
	return a.of(f, f.Params[parameter]).asks
}

// answer is what a function does with a pointer that it is passed.
type answer struct {
	asks bool
	// returns says that it may return the pointer.
	returns bool
}

type asking struct {
	known map[*llvm.Param]answer
}

// of is the answer for a parameter. A recursive call adds nothing to what is found without it, but for what it returns,
// which is taken to be the pointer.
func (a *asking) of(f *llvm.Function, parameter *llvm.Param) answer {
	if known, ok := a.known[parameter]; ok {
		return known
	}
	if len(f.Blocks) == 0 || f.Type.Variadic {
		return answer{asks: true}
	}
	a.known[parameter] = answer{returns: true}
	found := a.follow(f, parameter)
	a.known[parameter] = found
	return found
}

// follow finds what comes from the parameter, and then looks at each use of that.
func (a *asking) follow(f *llvm.Function, parameter *llvm.Param) answer {
	from := map[llvm.Value]bool{parameter: true}
	slots := privateSlots(f)
	holds := map[llvm.Value]bool{} // of slots
	comes := func(i *llvm.Inst) bool {
		switch i.Op {
		case llvm.Load:
			return holds[i.Args[0]]
		case llvm.GetElementPtr:
			return from[i.Args[0]]
		case llvm.Add, llvm.Phi:
			return slices.ContainsFunc(i.Args, func(x llvm.Value) bool { return from[x] })
		case llvm.ZExt, llvm.SExt, llvm.Freeze, llvm.BitCast, llvm.IntToPtr, llvm.PtrToInt:
			return from[i.Args[0]]
		case llvm.Select:
			return from[i.Args[1]] || from[i.Args[2]]
		case llvm.Call:
			return a.passed(i, from).returns
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if i.Op == llvm.Store && from[i.Args[0]] && slots[i.Args[1]] && !holds[i.Args[1]] {
					holds[i.Args[1]], changed = true, true
				}
				if !from[i] && comes(i) {
					from[i], changed = true, true
				}
			}
		}
	}
	var found answer
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			uses := 0
			for _, x := range i.Args {
				if from[x] {
					uses++
				}
			}
			if uses == 0 {
				continue
			}
			asks := false
			switch i.Op {
			case llvm.DbgValue, llvm.Load, llvm.ZExt, llvm.SExt, llvm.Freeze, llvm.BitCast, llvm.IntToPtr, llvm.PtrToInt, llvm.Phi:
			case llvm.GetElementPtr:
				asks = uses > 1 || !from[i.Args[0]]
			case llvm.Add:
				asks = uses > 1
			case llvm.Sub:
				asks = uses == 1 // of two it is a distance
			case llvm.Select:
				asks = from[i.Args[0]]
			case llvm.ICmp:
				asks = uses < 2
			case llvm.Store:
				asks = from[i.Args[0]] && !slots[i.Args[1]]
			case llvm.Call:
				asks = a.passed(i, from).asks
			case llvm.Ret:
				found.returns = true
			default:
				asks = true
			}
			if asks {
				return answer{asks: true}
			}
		}
	}
	return found
}

// passed is the answer of a call to which a pointer is passed, as one argument or several.
func (a *asking) passed(call *llvm.Inst, from map[llvm.Value]bool) answer {
	callee, ok := call.Callee.(*llvm.Function)
	if !ok || len(call.Bundles) > 0 {
		return answer{asks: true}
	}
	for _, name := range []string{"memcpy", "memmove", "memset", "memcmp"} {
		if (len(callee.Blocks) == 0 || callee.Library) && callee.Name == name || strings.HasPrefix(callee.Name, "llvm."+name+".") {
			return answer{returns: name != "memcmp"} // they are not made for null
		}
	}
	switch name := callee.Name; {
	case strings.HasPrefix(name, "llvm.dbg."), strings.HasPrefix(name, "llvm.lifetime."):
		return answer{}
	case name == "__assay_same_object", name == "__assay_offset", name == "__assay_memcpy", name == "__assay_memset":
		return answer{} // in models of functions of strings
	}
	var all answer
	for k, x := range call.Args {
		if !from[x] {
			continue
		}
		if k >= len(callee.Params) {
			return answer{asks: true}
		}
		one := a.of(callee, callee.Params[k])
		all = answer{all.asks || one.asks, all.returns || one.returns}
	}
	return all
}

// privateSlots are the locals of a function that are only loaded from and stored to as a whole.
func privateSlots(f *llvm.Function) map[llvm.Value]bool {
	slots := map[llvm.Value]bool{}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if i.Op == llvm.Alloca {
				slots[i] = true
			}
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			for k, x := range i.Args {
				whole := false
				switch i.Op {
				case llvm.Load:
					whole = i.Type.Kind == llvm.PointerType
				case llvm.Store:
					whole = k == 1 && i.Args[0].ValueType().Kind == llvm.PointerType
				case llvm.Call:
					callee, ok := i.Callee.(*llvm.Function)
					whole = ok && strings.HasPrefix(callee.Name, "llvm.lifetime.")
				case llvm.DbgValue, llvm.DbgDeclare:
					whole = true
				}
				if !whole {
					delete(slots, x)
				}
			}
		}
	}
	return slots
}
