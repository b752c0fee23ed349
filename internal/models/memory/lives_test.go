package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// lives is a space with heap and stack objects, and the truth about them under an assignment.
type lives struct {
	*rand.Rand
	st     *term.Store
	sp     *Space
	assign map[term.ID]bv.BV
	ids    []ObjectID
	kinds  []ObjectKind
	sizes  []uint64
	keys   int32
}

// pointer is one with what it is under the assignment: an object (an index, -1 for null) and an offset.
type pointer struct {
	Value
	object int
	offset uint64
}

func newLives(seed uint64) (*lives, *State, []bool) {
	x := &lives{Rand: rand.New(rand.NewPCG(seed, 6)), st: term.NewStore(), assign: map[term.ID]bv.BV{}}
	x.sp = NewSpace(x.st, 64)
	s := NewState(x.sp)
	for k := range 5 {
		kind := []ObjectKind{HeapObject, StackObject}[k%2]
		n := uint64(8 * (k + 1))
		o := x.sp.Allocation(Key{Instance: 1, Value: ir.Value(k + 1)}, kind, "o", x.sp.word(n), 8, ir.Layout{})
		x.ids, x.kinds, x.sizes = append(x.ids, o), append(x.kinds, kind), append(x.sizes, n)
		s.CreateArbitrary(o, x.content(n), x.st.True())
	}
	return x, s, []bool{true, true, true, true, true}
}

func (x *lives) content(n uint64) Generation {
	x.keys++
	return x.sp.Generation(Key{Instance: 2, Value: 1, Sub: x.keys}, n)
}

// condition is a variable.
func (x *lives) condition() (c term.ID, holds bool) {
	holds = x.IntN(2) == 0
	v := x.st.Var(fmt.Sprint("c", len(x.assign)), term.Bool())
	x.assign[v] = bv.New(1, map[bool]uint64{true: 1}[holds])
	return v, holds
}

// pointer is one to an object, to null, or a choice of two such.
func (x *lives) pointer() pointer {
	if x.IntN(3) == 0 {
		p, q := x.pointer(), x.pointer()
		c, holds := x.condition()
		r := q
		if holds {
			r = p
		}
		r.Value = x.sp.Ite(c, p.Value, q.Value)
		return r
	}
	if x.IntN(8) == 0 {
		return pointer{x.sp.Null(), -1, 0}
	}
	k, off := x.IntN(len(x.ids)), uint64(x.IntN(3)*x.IntN(2))
	return pointer{x.sp.Pointer(x.ids[k], x.sp.word(off)), k, off}
}

func (x *lives) value(t term.ID) uint64 {
	e := term.NewEvaluator(x.st, func(v term.ID) (bv.BV, bool) { b, ok := x.assign[v]; return b, ok })
	if x.st.Sort(t).Kind == term.SortBool {
		return map[bool]uint64{true: 1}[e.Bool(t)]
	}
	return e.Value(t).Uint64()
}

// change frees, ends or begins a life, as the oracle does; it returns what is wrong.
func (x *lives) change(s *State, alive []bool) string {
	p := x.pointer()
	switch x.IntN(3) {
	case 0:
		start := p.object < 0 || x.kinds[p.object] == HeapObject && alive[p.object] && p.offset == 0
		if valid := s.Free(p.Value, x.st.True()); (x.value(valid) == 1) != start {
			return fmt.Sprintf("a free of %v is valid: %v, want %v", p, x.value(valid), start)
		}
		if start && p.object >= 0 {
			alive[p.object] = false
		}
	default:
		begins := x.IntN(2) == 0
		s.SetAlive(p.Value, begins, func(o ObjectID) Generation { return x.content(x.sizes[slices.Index(x.ids, o)]) }, x.st.True())
		if p.object >= 0 && x.kinds[p.object] == StackObject {
			alive[p.object] = begins
		}
	}
	return ""
}

// TestLives: under random changes, branches and joins, which objects live, and what is asked about
// pointers, is what the oracle says.
func TestLives(t *testing.T) {
	for seed := range uint64(300) {
		x, s, alive := newLives(seed)
		for range 6 {
			c, holds := x.condition()
			a, b := s.Fork(), s.Fork()
			left, right := slices.Clone(alive), slices.Clone(alive)
			for range x.IntN(3) {
				if why := x.change(a, left); why != "" {
					t.Fatalf("seed %d: %s", seed, why)
				}
			}
			for range x.IntN(3) {
				if why := x.change(b, right); why != "" {
					t.Fatalf("seed %d: %s", seed, why)
				}
			}
			s, alive = Join(c, a, b), right
			if holds {
				alive = left
			}
			for k, o := range x.ids {
				if got := x.value(s.Alive(o)) == 1; got != alive[k] {
					t.Fatalf("seed %d: object %d is alive: %v", seed, k, got)
				}
			}
			p, q := x.pointer(), x.pointer()
			size := uint64(0)
			if p.object >= 0 {
				size = x.sizes[p.object]
			}
			for _, c := range []struct {
				what      string
				got, want uint64
			}{
				{"size", x.value(s.Size(p.Value, x.st.True())), size},
				{"offset", x.value(s.Offset(p.Value, x.st.True())), p.offset},
				{"same object", x.value(s.SameObject(p.Value, q.Value, x.st.True())), map[bool]uint64{true: 1}[p.object == q.object]},
				{"heap start", x.value(s.IsHeapStart(p.Value, x.st.True())), map[bool]uint64{true: 1}[p.object >= 0 && x.kinds[p.object] == HeapObject && alive[p.object] && p.offset == 0]},
			} {
				if c.got != c.want {
					t.Fatalf("seed %d: %s of object %d+%d and object %d is %d, want %d", seed, c.what, p.object, p.offset, q.object, c.got, c.want)
				}
			}
		}
	}
}

// TestDifferences: an object is visited if its life or its content may differ, with the ranges that do,
// and no other.
func TestDifferences(t *testing.T) {
	x, s, _ := newLives(1)
	differences := func(b *State) map[int]Difference {
		found := map[int]Difference{}
		s.Differences(b, func(o ObjectID, d Difference) { found[slices.Index(x.ids, o)] = d })
		return found
	}
	if d := differences(s.Fork()); len(d) != 0 {
		t.Errorf("a copy differs: %v", d)
	}
	b := s.Fork()
	c, _ := x.condition()
	b.StoreTo(x.sp.Pointer(x.ids[1], x.sp.word(4)), Value{Bits: x.st.ConstU(16, 7)}, 2, x.st.True())
	b.Kill(x.ids[2])
	b.SetAlive(x.sp.Ite(c, x.sp.Pointer(x.ids[3], x.sp.word(0)), x.sp.Null()), false, nil, x.st.True())
	b.Remove(x.ids[4])
	made := x.sp.Allocation(Key{Instance: 3, Value: 1}, HeapObject, "new", x.sp.word(8), 8, ir.Layout{})
	x.ids = append(x.ids, made)
	b.CreateArbitrary(made, x.content(8), x.st.True())
	want := map[int]Difference{1: {Cells: []Range{{4, 2}}}, 2: {Dead: true}, 3: {Alive: true}, 4: {Gone: true}, 5: {Born: true}}
	got := differences(b)
	for k, w := range want {
		if g := got[k]; fmt.Sprint(g) != fmt.Sprint(w) {
			t.Errorf("object %d: %+v, want %+v", k, g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d differences, want %d: %v", len(got), len(want), got)
	}
	// A write at an offset that is not known is one to the whole object.
	b = s.Fork()
	at := x.st.Var("at", term.BitVec(64))
	b.StoreTo(x.sp.Pointer(x.ids[4], at), Value{Bits: x.st.ConstU(8, 1)}, 1, x.st.True())
	d := differences(b)
	for i := range uint32(x.sizes[4]) {
		if !d[4].Whole && !slices.ContainsFunc(d[4].Cells, func(r Range) bool { return r.Offset <= i && i < r.Offset+r.Size }) {
			t.Errorf("a write anywhere leaves byte %d: %+v", i, d)
		}
	}
	if len(d) != 1 {
		t.Errorf("a write anywhere in one object: %+v", d)
	}
}
