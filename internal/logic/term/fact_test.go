package term

import (
	"testing"

	"assay/internal/logic/bv"
)

// allFacts are all non-empty facts of the given width, refined.
func allFacts(width uint32) []fact {
	n := ones(width)
	seen := map[fact]bool{}
	var list []fact
	for zeros := uint64(0); zeros <= n; zeros++ {
		for known := uint64(0); known <= n; known++ {
			if zeros&known != 0 {
				continue
			}
			for lo := uint64(0); lo <= n; lo++ {
				for hi := lo; hi <= n; hi++ {
					f := fact{zeros, known, lo, hi}
					if len(f.members(width)) == 0 {
						continue
					}
					if f = f.refine(width); !seen[f] {
						seen[f] = true
						list = append(list, f)
					}
				}
			}
		}
	}
	return list
}

func (f fact) holds(v uint64) bool {
	return v&f.zeros == 0 && v&f.ones == f.ones && f.lo <= v && v <= f.hi
}

func (f fact) members(width uint32) []uint64 {
	var m []uint64
	for v := uint64(0); v <= ones(width); v++ {
		if f.holds(v) {
			m = append(m, v)
		}
	}
	return m
}

// TestTransfer checks the transfer function of every operation on all facts of
// its arguments against all values that have them.
func TestTransfer(t *testing.T) {
	binary := []Op{
		OpAdd, OpMul, OpUDiv, OpURem, OpSDiv, OpSRem, OpShl, OpLShr, OpAShr, OpBVAnd, OpBVOr, OpBVXor, OpConcat, OpIte,
	}
	for width := uint32(1); width <= 4; width++ {
		s := NewRawStore()
		x, y, c := s.Var("x", BitVec(width)), s.Var("y", BitVec(width)), s.Var("c", Bool())
		facts := allFacts(width)
		t.Logf("width %d: %d facts", width, len(facts))
		members := make([][]uint64, len(facts))
		for i, f := range facts {
			members[i] = f.members(width)
		}
		values := make([]bv.BV, ones(width)+1)
		for v := range values {
			values[v] = bv.New(width, uint64(v))
		}
		for _, op := range binary {
			out := width
			if op == OpConcat {
				out = 2 * width
			}
			n := node{op: op, sort: s.bitVec(out), args: [3]ID{x, y}}
			if op == OpIte {
				n.args = [3]ID{c, x, y}
			}
			table := make([][]uint64, len(values))
			for v := range values {
				table[v] = make([]uint64, len(values))
				for w := range values {
					if op != OpIte {
						table[v][w] = apply(op, out, 0, []bv.BV{values[v], values[w]}).Uint64()
					}
				}
			}
			for i, f := range facts {
				for j, g := range facts {
					s.facts[x], s.facts[y] = f, g
					r := s.factOf(&n)
					for _, v := range members[i] {
						for _, w := range members[j] {
							ok := r.holds(table[v][w])
							if op == OpIte {
								ok = r.holds(v) && r.holds(w)
							}
							if !ok {
								t.Fatalf("width %d: %s of %d in %+v and %d in %+v is not in %+v", width, op, v, f, w, g, r)
							}
						}
					}
				}
			}
		}
	}
	for width := uint32(1); width <= 4; width++ {
		s := NewRawStore()
		x := s.Var("x", BitVec(width))
		nodes := []node{{op: OpNeg, sort: s.bitVec(width)}, {op: OpBVNot, sort: s.bitVec(width)}}
		for k := uint32(1); k <= 2; k++ {
			nodes = append(nodes, node{op: OpZExt, sort: s.bitVec(width + k)}, node{op: OpSExt, sort: s.bitVec(width + k)})
		}
		for lo := range width {
			for w := uint32(1); lo+w <= width; w++ {
				nodes = append(nodes, node{op: OpExtract, sort: s.bitVec(w), aux: lo})
			}
		}
		for _, f := range allFacts(width) {
			s.facts[x] = f
			for _, n := range nodes {
				n.args[0] = x
				r := s.factOf(&n)
				for _, v := range f.members(width) {
					got := apply(n.op, s.sorts[n.sort].Width, n.aux, []bv.BV{bv.New(width, v)})
					if !r.holds(got.Uint64()) {
						t.Fatalf("width %d: %s of %d in %+v is %s, not in %+v", width, n.op, v, f, got, r)
					}
				}
			}
		}
	}
}

// TestFactPrecision fixes what rules and engines count on.
func TestFactPrecision(t *testing.T) {
	s := NewStore()
	lo, hi, _ := s.UnsignedRange(parse(s, 8, "(urem x 10)"))
	if lo != 0 || hi != 9 {
		t.Errorf("remainder in [%d, %d]", lo, hi)
	}
	zeros, known, _ := s.KnownBits(parse(s, 8, "(add (mul x 4) 1)"))
	if zeros != 2 || known != 1 {
		t.Errorf("4x+1 has zeros %#x and ones %#x", zeros, known)
	}
	if z := s.TrailingZeros(parse(s, 80, "(mul (mul x:80 8) (mul y:80 2))")); z != 4 {
		t.Errorf("8x*2y has %d trailing zeros", z)
	}
	if _, _, ok := s.UnsignedRange(parse(s, 80, "x:80")); ok {
		t.Error("a range of a wide term")
	}
	if _, _, ok := s.KnownBits(s.True()); ok {
		t.Error("bits of a Bool")
	}
}
