package harness

import (
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file finds lengths in sums: p + n is the end of what p points to, if the function uses no memory there and above, and compares pointers with it, or
// passes it on as the end of what begins at p. A sum at which memory is used is a place: n says nothing of how much there is. Behind a
// pointer may be a length, too: of (char *buffer, size_t *size) the function looks at no more than *size elements, and says there how many it left.

// ends are the integer parameters n of which p + n is an end.
func (in *inference) ends(u *uses, p int) map[int]bool {
	found := map[int]bool{}
	for _, b := range u.f.Blocks {
		for _, g := range b.Instrs {
			if g.Op != llvm.GetElementPtr || g.Elem.Kind == llvm.StructType && len(g.Args) != 2 || !u.from[g.Args[0]][p] {
				continue
			}
			r, added := rooted(g.Args[len(g.Args)-1])
			n, ok := r.(*llvm.Param)
			if !ok || n.Type.Kind != llvm.IntType || found[n.Index] {
				continue
			}
			if above := u.above(g, added < 0); above != nil && (u.comparedPointer(p) || in.passedAsEnd(u, p, above)) {
				found[n.Index] = true
			}
		}
	}
	return found
}

// above are the values that point to a place or above it; below says that the place itself is below the one that matters. It is nil if the function uses
// memory at one of them: then nothing ends there.
func (u *uses) above(place *llvm.Inst, below bool) map[llvm.Value]bool {
	at, under := map[llvm.Value]bool{}, map[llvm.Value]bool{}
	if below {
		under[place] = true
	} else {
		at[place] = true
	}
	for changed := true; changed; {
		changed = false
		note := func(set map[llvm.Value]bool, i *llvm.Inst) {
			if !set[i] {
				set[i], changed = true, true
			}
		}
		for _, b := range u.f.Blocks {
			for _, i := range b.Instrs {
				switch i.Op {
				case llvm.BitCast, llvm.Freeze, llvm.GetElementPtr:
					c, isNumber := i.Args[len(i.Args)-1].(*llvm.Const)
					down := i.Op == llvm.GetElementPtr && !(isNumber && (c.Kind != llvm.IntConst || c.Bits.Width() > 64 || c.Bits.Int64() >= 0))
					switch {
					case at[i.Args[0]] && !down:
						note(at, i)
					case at[i.Args[0]], under[i.Args[0]]:
						note(under, i)
					}
				case llvm.Phi, llvm.Select:
					args := i.Args
					if i.Op == llvm.Select {
						args = args[1:]
					}
					is := slices.ContainsFunc(args, func(a llvm.Value) bool { return at[a] })
					if !is && !slices.ContainsFunc(args, func(a llvm.Value) bool { return under[a] }) {
						continue
					}
					if i.Op == llvm.Phi && steps(i) {
						by, known := stride(i)
						is = !known || by > 0
					}
					if is {
						note(at, i)
					} else {
						note(under, i)
					}
				case llvm.Load:
					if at[i.Args[0]] {
						return nil
					}
				case llvm.Store:
					if at[i.Args[1]] {
						return nil
					}
				case llvm.Call:
					if callee, ok := i.Callee.(*llvm.Function); ok && usesMemory(callee) && slices.ContainsFunc(i.Args, func(a llvm.Value) bool { return at[a] }) {
						return nil
					}
				}
			}
		}
	}
	for v := range under {
		at[v] = true
	}
	return at
}

// usesMemory says that a function of the library uses memory where its arguments point.
func usesMemory(f *llvm.Function) bool {
	name := strings.TrimPrefix(f.Name, "__builtin_")
	_, counted := lengthArgument[name]
	_, text := stringArguments[name]
	return counted || text || strings.HasPrefix(name, "llvm.mem")
}

// passedAsEnd says that one of some values is passed to a function for which it is the end of what another argument, which comes from p, points to.
func (in *inference) passedAsEnd(u *uses, p int, values map[llvm.Value]bool) bool {
	return slices.ContainsFunc(u.calls, func(call *llvm.Inst) bool {
		callee, ok := call.Callee.(*llvm.Function)
		if !ok || len(callee.Blocks) == 0 {
			return false
		}
		for k, a := range call.Args {
			if k >= len(callee.Params) || !values[a] {
				continue
			}
			if start := in.usesOf(callee).endOf(k); start >= 0 && start < len(call.Args) && u.from[call.Args[start]][p] {
				return true
			}
		}
		return false
	})
}

// behind is the pointer parameter that leads to the number of elements that the pointer parameter p points to: what is there is compared with an index of
// p, or says how far p is used. It is -1 if there is none.
func (u *uses) behind(p int) int {
	for _, c := range u.compared {
		for k := range 2 {
			load, ok := root(c[1-k]).(*llvm.Inst)
			if !ok || load.Op != llvm.Load {
				continue
			}
			q, ok := unmoved(load.Args[0]).(*llvm.Param)
			if !ok || q.Index == p || u.indexed[q.Index] || u.constant[q.Index] > 0 || len(u.phis[q.Index]) > 0 || u.comparedNull[q.Index] || load.Type.Kind != llvm.IntType || load.Type.Bits <= 8 {
				continue
			}
			r := root(c[k])
			phi, isPhi := r.(*llvm.Inst)
			if u.index[p][r] || isPhi && phi.Op == llvm.Phi && u.inStep(p, phi) {
				return q.Index
			}
		}
	}
	return -1
}

// isElement says that a pointer to an integer, of which nothing says that it points to more, points to one: the function uses what is there, and nothing
// beside it, and keeps the pointer nowhere.
func (u *uses) isElement(p int, s *summary, base *llvm.CType) bool {
	return base != nil && (base.Kind == llvm.CInt && base.Bits > 8 || base.Kind == llvm.CFloat) && !s.moved && s.elements <= 1 && (s.read || s.written) && !u.stored[p] && !u.leaves[p]
}

// leadsToInteger says that a type is a pointer to an integer: the first member of a structure is none.
func leadsToInteger(t *llvm.CType) bool {
	s := t.Strip()
	if s == nil || s.Kind != llvm.CPointer {
		return false
	}
	b := s.Base.Strip()
	return b != nil && b.Kind == llvm.CInt
}
