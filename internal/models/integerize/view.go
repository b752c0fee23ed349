package integerize

// Whether a bit-vector is read as a signed or an unsigned number. Both are right
// anywhere; the better one needs fewer case distinctions. Values that flow into
// each other get the same view, that of most operations that look at them, as the
// types of AProVE's integer variables do [AProVE-BV §3].

import "assay/internal/program/ir"

// unionFind is over the values of all functions.
type unionFind struct {
	parent []int32
	vote   []int32 // positive: unsigned
}

func (u *unionFind) find(x int32) int32 {
	for u.parent[x] != x {
		u.parent[x] = u.parent[u.parent[x]]
		x = u.parent[x]
	}
	return x
}

func (u *unionFind) join(x, y int32) {
	x, y = u.find(x), u.find(y)
	if x != y {
		u.parent[y] = x
		u.vote[x] += u.vote[y]
	}
}

// views chooses the view of every value.
func (t *translation) views() {
	u := &unionFind{}
	base := make([]int32, len(t.funcs))
	for i, fn := range t.funcs {
		base[i] = int32(len(u.parent))
		for range fn.f.Values {
			u.parent = append(u.parent, int32(len(u.parent)))
			u.vote = append(u.vote, 0)
		}
	}
	for i, fn := range t.funcs {
		f := fn.f
		node := func(v ir.Value) (int32, bool) {
			d := f.Def(v)
			return base[i] + int32(v), d.Op != ir.Const && d.Type.Kind == ir.Int && d.Type.Bits > 1
		}
		vote := func(v ir.Value, n int32) {
			if x, ok := node(v); ok {
				u.vote[u.find(x)] += n
			}
		}
		join := func(v, w ir.Value) {
			x, ok1 := node(v)
			y, ok2 := node(w)
			if ok1 && ok2 {
				u.join(x, y)
			}
		}
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				d := f.Def(v)
				switch d.Op {
				case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Phi, ir.Freeze:
					for _, a := range d.Args {
						join(v, a)
					}
				case ir.Select:
					join(v, d.Args[1])
					join(v, d.Args[2])
				case ir.Shl:
					join(v, d.Args[0])
				case ir.SLt, ir.SLe:
					vote(d.Args[0], -4)
					vote(d.Args[1], -4)
				case ir.ULt, ir.ULe:
					vote(d.Args[0], 4)
					vote(d.Args[1], 4)
				case ir.SDiv, ir.SRem, ir.AShr:
					vote(v, -3)
					join(v, d.Args[0])
				case ir.UDiv, ir.URem, ir.LShr:
					vote(v, 3)
					join(v, d.Args[0])
				case ir.SExt:
					vote(d.Args[0], -4)
				case ir.ZExt:
					vote(d.Args[0], 4)
				case ir.Dbg:
					if len(d.Args) == 1 && f.Type(d.Args[0]).Kind == ir.Int {
						if f.Vars[d.Aux].Type.Signed {
							vote(d.Args[0], -1)
						} else {
							vote(d.Args[0], 1)
						}
					}
				case ir.Call:
					if g := t.byName[d.Sym]; g != nil && !g.f.IsDecl() {
						for k, p := range g.f.Params {
							if x, ok := node(d.Args[k]); ok && f.Type(d.Args[k]) == g.f.Type(p) {
								u.join(x, base[g.index]+int32(p))
							}
						}
					}
				}
			}
		}
	}
	for i, fn := range t.funcs {
		for v := range fn.unsigned {
			fn.unsigned[v] = v > 0 && (fn.f.Type(ir.Value(v)).Bits == 1 || u.vote[u.find(base[i]+int32(v))] > 0)
		}
	}
}
