package term

import (
	"slices"

	"assay/internal/logic/bv"
)

// Function is a term as a function of some terms in it, its arguments: straight-line code that is small, and
// fast to evaluate for many values. A store and an Evaluator do the same, at a cost of the whole
// store; they are for many terms and one assignment.
type Function struct {
	code []instruction
	args int
}

// instruction computes a value from those of earlier ones.
type instruction struct {
	op    Op // OpVar is argument aux, OpConst is value
	array bool
	aux   uint32
	width uint32
	args  [3]int32
	value bv.BV
}

// Registers are the values of a function under way; they can be used for one call after the other.
type Registers []bv.BV

// Function is t as a function of arguments of sort Bool or BV. It is false if t has other
// variables, or more than limit different terms.
func (s *Store) Function(t ID, arguments []ID, limit int) (*Function, bool) {
	f := &Function{args: len(arguments)}
	at := make(map[ID]int32, 2*len(arguments))
	for i, a := range arguments {
		at[a] = f.add(instruction{op: OpVar, aux: uint32(i), width: max(s.Sort(a).Width, 1)})
	}
	stack := []ID{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if _, ok := at[x]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		n := &s.nodes[x]
		sort := s.sorts[n.sort]
		in := instruction{op: n.op, aux: n.aux, width: sort.Width, array: sort.Kind == SortArray}
		switch n.op {
		case OpVar:
			return nil, false
		case OpTrue, OpFalse, OpConst:
			in.op, in.value = OpConst, s.ConstValue(x)
		}
		ready := true
		for i, a := range n.args[:arity[n.op]] {
			k, ok := at[a]
			if !ok {
				stack = append(stack, a)
				ready = false
			}
			in.args[i] = k
		}
		if !ready {
			continue
		}
		if len(f.code) >= limit {
			return nil, false
		}
		stack = stack[:len(stack)-1]
		at[x] = f.add(in)
	}
	f.code = slices.Clip(f.code[:at[t]+1])
	return f, true
}

func (f *Function) add(in instruction) int32 {
	f.code = append(f.code, in)
	return int32(len(f.code) - 1)
}

// Size is the number of terms that are computed.
func (f *Function) Size() int { return len(f.code) }

// Value is the value of the function, whose arguments are given by their places; of a Bool it has width 1.
func (f *Function) Value(r *Registers, argument func(i int) bv.BV) bv.BV {
	if len(*r) < len(f.code) {
		*r = make(Registers, len(f.code))
	}
	v := *r
	for i := range f.code {
		in := &f.code[i]
		switch {
		case in.op == OpVar:
			v[i] = argument(int(in.aux))
			if v[i].Width() != in.width {
				panic("term: an argument of another width")
			}
		case in.op == OpConst:
			v[i] = in.value
		case in.array: // what its elements are, Select finds
		case in.op == OpSelect:
			v[i] = f.element(v, in.args[0], v[in.args[1]].Uint64())
		default:
			var vals [3]bv.BV
			k := int(arity[in.op])
			for j, a := range in.args[:k] {
				vals[j] = v[a]
			}
			v[i] = apply(in.op, in.width, in.aux, vals[:k])
		}
	}
	return v[len(f.code)-1]
}

// element is the element of an array at an index.
func (f *Function) element(v Registers, at int32, index uint64) bv.BV {
	for {
		switch in := &f.code[at]; in.op {
		case OpStore:
			if v[in.args[1]].Uint64() == index {
				return v[in.args[2]]
			}
			at = in.args[0]
		case OpIte:
			at = in.args[2]
			if v[in.args[0]].IsTrue() {
				at = in.args[1]
			}
		case OpConstArray:
			return v[in.args[0]]
		default:
			panic("term: element of " + in.op.String())
		}
	}
}
