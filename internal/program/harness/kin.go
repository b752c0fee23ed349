package harness

import (
	"slices"

	"assay/internal/program/llvm"
)

// This file finds pointer parameters that may lead to the same structure: a function that looks for a node in a tree, or takes an element out of a
// list, compares the address that it is passed with that of the tree, or of what its members lead to. Then the one may be the other, or be
// what one of these members leads to. Where nothing is compared, nothing can depend on that but what both change, which callers seldom mean.

// kinship says that a function compares a parameter, as it is passed, with what another one leads to.
type kinship struct {
	of, to int
	// same says that it is compared with the other parameter itself, members are those that lead to what it is compared with.
	same    bool
	members map[place]bool
}

// merge adds what is known of another comparison of the same parameters.
func (k *kinship) merge(same bool, members map[place]bool) (changed bool) {
	changed = same && !k.same
	k.same = k.same || same
	for m := range members {
		changed = changed || !k.members[m]
		k.members[m] = true
	}
	return changed
}

// lineage is how a value comes from a parameter: as it is (moved, at most), or from memory, by members.
type lineage struct {
	same    bool
	members map[place]bool
}

// kinships are those of a function; what a recursive call compares counts.
func (in *inference) kinships(f *llvm.Function, depth int) []*kinship {
	if list, ok := in.kin[f]; ok || depth == 0 || len(f.Blocks) == 0 {
		return list
	}
	in.kin[f] = nil // ends recursion
	from := lineages(f)
	for changed := true; changed; {
		changed = false
		add := func(x, y llvm.Value, same bool, members map[place]bool) {
			q, ok := unmoved(y).(*llvm.Param)
			if !ok || q.Type.Kind != llvm.PointerType {
				return
			}
			for p, l := range from[x] {
				if p == q.Index {
					continue
				}
				k := slices.IndexFunc(in.kin[f], func(k *kinship) bool { return k.of == q.Index && k.to == p })
				if k < 0 {
					k, changed = len(in.kin[f]), true
					in.kin[f] = append(in.kin[f], &kinship{of: q.Index, to: p, members: map[place]bool{}})
				}
				for m := range members {
					changed = in.kin[f][k].merge(false, map[place]bool{m: true}) || changed
				}
				if same {
					changed = in.kin[f][k].merge(l.same, l.members) || changed
				}
			}
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				switch {
				case i.Op == llvm.ICmp && (i.Pred == llvm.IntEQ || i.Pred == llvm.IntNE) && i.Args[0].ValueType().Kind == llvm.PointerType:
					add(i.Args[0], i.Args[1], true, nil)
					add(i.Args[1], i.Args[0], true, nil)
				case i.Op == llvm.Call:
					callee, ok := i.Callee.(*llvm.Function)
					if !ok || callee.Library {
						continue
					}
					for _, k := range in.kinships(callee, depth-1) {
						if k.of < len(i.Args) && k.to < len(i.Args) {
							add(i.Args[k.to], i.Args[k.of], k.same, k.members)
						}
					}
				}
			}
		}
	}
	return in.kin[f]
}

// lineages follow the parameters to a fixed point, through memory as well.
func lineages(f *llvm.Function) map[llvm.Value]map[int]*lineage {
	from := map[llvm.Value]map[int]*lineage{}
	at := func(v llvm.Value, p int) *lineage {
		if from[v] == nil {
			from[v] = map[int]*lineage{}
		}
		if from[v][p] == nil {
			from[v][p] = &lineage{members: map[place]bool{}}
		}
		return from[v][p]
	}
	for _, p := range f.Params {
		if p.Type.Kind == llvm.PointerType {
			at(p, p.Index).same = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				var sources []llvm.Value
				switch i.Op {
				case llvm.GetElementPtr, llvm.BitCast, llvm.Freeze:
					sources = i.Args[:1]
				case llvm.Phi:
					sources = i.Args
				case llvm.Select:
					sources = i.Args[1:]
				case llvm.Load:
					if i.Type.Kind != llvm.PointerType {
						continue
					}
					member, ok := loaded(i)
					for p := range from[i.Args[0]] {
						if to := at(i, p); ok && !to.members[member] {
							to.members[member], changed = true, true
						}
					}
				}
				for _, s := range sources {
					for p, l := range from[s] {
						to := at(i, p)
						if l.same && !to.same {
							to.same, changed = true, true
						}
						for m := range l.members {
							if !to.members[m] {
								to.members[m], changed = true, true
							}
						}
					}
				}
			}
		}
	}
	return from
}

// kinLimit is how many places a pointer may be instead of its own object.
const kinLimit = 4

// share lets pointers to structures be what others lead to, where the function compares them with that.
func (in *inference) share(f *llvm.Function, plan []Parameter) {
	structures := 0
	for _, x := range plan {
		if single(x.Pointer) {
			structures++
		}
	}
	if structures < 2 {
		return
	}
	for _, k := range in.kinships(f, callDepth) {
		x, to := &plan[k.of], &plan[k.to]
		if !single(x.Pointer) || !single(to.Pointer) || slices.Contains(to.Pointer.Shared, x.Name) {
			continue
		}
		t := x.Pointer.Object.Type.Strip()
		add := func(name string, p *Pointer) {
			if single(p) && p.Object.Type.Strip() == t && len(x.Pointer.Shared) < kinLimit && !slices.Contains(x.Pointer.Shared, name) {
				x.Pointer.Shared = append(x.Pointer.Shared, name)
			}
		}
		if k.same {
			add(to.Name, to.Pointer)
		}
		type object struct {
			name string
			*Object
		}
		for level := []object{{to.Name, to.Pointer.Object}}; len(level) > 0; {
			var next []object
			for _, o := range level {
				for _, m := range o.Fields {
					name := o.name + "->" + m.Name
					if !single(m.Pointer) {
						continue
					}
					if k.members[place{o.Size, m.Offset}] {
						add(name, m.Pointer)
					}
					next = append(next, object{name, m.Pointer.Object})
				}
			}
			level = next
		}
	}
}

// single says that a pointer leads to the start of one structure.
func single(p *Pointer) bool {
	return p != nil && p.Object != nil && p.Made == nil && p.Before == 0 && p.Object.Count.Kind == Fixed && p.Object.Count.Number == 1 && IsStructure(p.Object.Type)
}
