package memory

import (
	"fmt"
	"math/rand"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// model is the oracle of the differential test: plain bytes.
type model struct {
	bytes [][]byte
	ptrs  []map[uint64]int // at an offset: which pointer constant lies there
	alive []bool
}

func (m *model) clone() *model {
	c := &model{}
	for i := range m.bytes {
		c.bytes = append(c.bytes, append([]byte(nil), m.bytes[i]...))
		c.alive = append(c.alive, m.alive[i])
	}
	return c
}

// TestAgainstBytes runs random reads, writes, copies and fills, at constant
// and symbolic offsets, through forks and joins, and compares every byte with
// the oracle under a random assignment of the variables.
func TestAgainstBytes(t *testing.T) {
	for seed := int64(0); seed < 60; seed++ {
		runAgainstBytes(t, seed, false)
		if seed < 20 {
			runAgainstBytes(t, seed, true)
		}
	}
}

// runAgainstBytes lets ranges be copied and filled as spans, if that is asked for.
func runAgainstBytes(t *testing.T, seed int64, spans bool) {
	rng := rand.New(rand.NewSource(seed))
	st := term.NewStore()
	sp := NewSpace(st, 32)
	sp.onlySpans = spans
	// One small, one large and one zeroed large object.
	x := &bytesExperiment{T: t, seed: seed, rng: rng, st: st, sp: sp, assign: map[term.ID]bv.BV{}}
	x.sizes = []uint64{uint64(8 * (1 + rng.Intn(6))), uint64(4 * (70 + rng.Intn(40))), 400}
	m := &model{}
	s := NewState(sp)
	for i, n := range x.sizes {
		o := sp.Allocation(Key{Instance: 1, Value: ir.Value(i + 1)}, HeapObject, "o", sp.word(n), 8, ir.Layout{Cell: uint64(1 << rng.Intn(4))})
		x.ids = append(x.ids, o)
		s.CreateArbitrary(o, sp.Generation(Key{Instance: 2, Value: ir.Value(i + 1)}, n), st.True())
		m.bytes = append(m.bytes, make([]byte, n))
		m.alive = append(m.alive, true)
		if !st.IsTrue(s.Fill(sp.Pointer(o, sp.word(0)), st.ConstU(8, uint64(i)), sp.word(n), st.True())) {
			t.Fatal("fill of a whole object is not valid")
		}
		for k := range m.bytes[i] {
			m.bytes[i][k] = byte(i)
		}
	}
	for step := 0; step < 6; step++ {
		if rng.Intn(2) == 0 {
			x.operate(s, m)
			continue
		}
		// A branch: the side taken is decided by a variable.
		taken := uint64(rng.Intn(2))
		c := st.Eq(x.fresh(1, taken), st.ConstU(1, 1))
		a, b := s.Fork(), s.Fork()
		ma, mb := m.clone(), m.clone()
		for k := rng.Intn(4); k >= 0; k-- {
			x.operate(a, ma)
		}
		for k := rng.Intn(4); k > 0; k-- {
			x.operate(b, mb)
		}
		s = Join(c, a, b)
		if taken == 1 {
			m = ma
		} else {
			m = mb
		}
	}
	for i, o := range x.ids {
		if x.over {
			return
		}
		for k := range m.bytes[i] {
			v, _ := s.Load(Key{}, sp.Pointer(o, sp.word(uint64(k))), 1, false, st.True())
			if got := x.value(v.Bits); got != uint64(m.bytes[i][k]) {
				t.Fatalf("seed %d: byte %d of object %d: %x, want %x", seed, k, i, got, m.bytes[i][k])
			}
		}
	}
}

// bytesExperiment is a memory beside plain bytes; assign is what the variables of terms are.
type bytesExperiment struct {
	*testing.T
	seed   int64
	rng    *rand.Rand
	st     *term.Store
	sp     *Space
	assign map[term.ID]bv.BV
	sizes  []uint64
	ids    []ObjectID
	over   bool // an obstacle was met
}

// fresh is a variable with a value.
func (x *bytesExperiment) fresh(width uint32, v uint64) term.ID {
	y := x.st.Var(fmt.Sprintf("x%d", len(x.assign)), term.BitVec(width))
	x.assign[y] = bv.New(width, v)
	return y
}

// place is a place for n bytes, mostly in an object: by number, offset, and as a pointer.
func (x *bytesExperiment) place(n uint64) (i int, off uint64, p Value) {
	i = x.rng.Intn(len(x.ids))
	align := uint64(1) << x.rng.Intn(4)
	off = x.rng.Uint64() % (x.sizes[i] - n + 1) / align * align
	if x.rng.Intn(8) == 0 {
		off = x.sizes[i] - n + 1 + x.rng.Uint64()%8 // out of bounds
	}
	var o term.ID
	if x.rng.Intn(2) == 0 {
		o = x.sp.word(off)
	} else if align > 1 {
		w := uint32(0)
		for a := align; a > 1; a /= 2 {
			w++
		}
		o = x.st.Concat(x.fresh(32-w, off>>w), x.st.ConstU(w, off&(align-1)))
	} else {
		o = x.fresh(32, off)
	}
	p = x.sp.Pointer(x.ids[i], o)
	if x.rng.Intn(3) == 0 { // a choice between two objects
		j := x.rng.Intn(len(x.ids))
		c := x.st.Eq(x.fresh(1, 1), x.st.ConstU(1, 1))
		p = x.sp.Ite(c, p, x.sp.Pointer(x.ids[j], x.sp.word(x.rng.Uint64()%x.sizes[j])))
	}
	return i, off, p
}

// value is the value of a term.
func (x *bytesExperiment) value(t term.ID) uint64 {
	e := term.NewEvaluator(x.st, func(v term.ID) (bv.BV, bool) { b, ok := x.assign[v]; return b, ok })
	return e.Value(t).Uint64()
}

// operate does the same to both memories.
func (x *bytesExperiment) operate(s *State, m *model) {
	if x.over {
		return
	}
	n := uint64(1) << x.rng.Intn(4)
	i, off, p := x.place(n)
	kind := x.rng.Intn(5)
	inside := off+n <= x.sizes[i] && m.alive[i]
	switch kind {
	case 0, 1:
		bits := x.rng.Uint64() & mask(uint32(8*n))
		var v term.ID
		if x.rng.Intn(2) == 0 {
			v = x.st.ConstU(uint32(8*n), bits)
		} else {
			v = x.fresh(uint32(8*n), bits)
		}
		valid := s.StoreTo(p, Value{Bits: v}, uint32(n), x.st.True())
		if (x.value(valid) == 1) != inside {
			x.Fatalf("x.seed %d: store of %d at %d of object %d: valid %d", x.seed, n, off, i, x.value(valid))
		}
		if inside {
			copy(m.bytes[i][off:], bv.New(uint32(8*n), bits).Bytes())
		}
	case 2:
		v, valid := s.Load(Key{}, p, uint32(n), false, x.st.True())
		if (x.value(valid) == 1) != inside {
			x.Fatalf("x.seed %d: load: valid %d", x.seed, x.value(valid))
		}
		if inside {
			want := bv.FromBytes(m.bytes[i][off : off+n]).Uint64()
			if got := x.value(v.Bits); got != want {
				x.Fatalf("x.seed %d: load of %d at %d of object %d (size %d): %x, want %x", x.seed, n, off, i, x.sizes[i], got, want)
			}
		}
	case 3:
		length := uint64(x.rng.Intn(24))
		j, from, q := x.place(max(1, min(length, 8)))
		ln := x.sp.word(length)
		if x.rng.Intn(3) == 0 {
			ln = x.st.ZExt(x.fresh(5, length), 32)
		}
		okD, okS := s.Copy(p, q, ln, x.st.True())
		wantD := length == 0 || off+length <= x.sizes[i]
		wantS := length == 0 || from+length <= x.sizes[j]
		if (x.value(okD) == 1) != wantD || (x.value(okS) == 1) != wantS {
			x.Fatalf("x.seed %d: copy of %d from %d:%d to %d:%d: valid %d %d", x.seed, length, j, from, i, off, x.value(okD), x.value(okS))
		}
		if wantD && wantS && length > 0 {
			copy(m.bytes[i][off:off+length], append([]byte(nil), m.bytes[j][from:from+length]...))
		}
	}
	if kind == 4 {
		length := uint64(x.rng.Intn(24))
		b := x.fresh(8, x.rng.Uint64()&255)
		valid := s.Fill(p, b, x.st.ZExt(x.fresh(5, length), 32), x.st.True())
		want := length == 0 || off+length <= x.sizes[i]
		if (x.value(valid) == 1) != want {
			x.Fatalf("x.seed %d: fill of %d at %d:%d: valid %d", x.seed, length, i, off, x.value(valid))
		}
		if want {
			for k := range length {
				m.bytes[i][off+k] = byte(x.value(b))
			}
		}
	}
	if g := x.sp.TakeGaveUp(); len(g) > 0 {
		if x.sp.onlySpans { // too many on each other
			x.over = true
			return
		}
		x.Fatalf("x.seed %d: gave up: %s", x.seed, g[0].Why)
	}
}

// TestPointersSurvive stores pointers, copies them in the ways that C does,
// and follows them.
func TestPointersSurvive(t *testing.T) {
	testPointersSurvive(t, false)
	testPointersSurvive(t, true)
}

func testPointersSurvive(t *testing.T, spans bool) {
	st := term.NewStore()
	sp := NewSpace(st, 64)
	sp.onlySpans = spans
	s := NewState(sp)
	object := func(k int, n uint64) Value {
		o := sp.Allocation(Key{Instance: 1, Value: ir.Value(k)}, HeapObject, "o", sp.word(n), 8, ir.Layout{})
		s.CreateArbitrary(o, sp.Generation(Key{Instance: 2, Value: ir.Value(k)}, n), st.True())
		return sp.Pointer(o, sp.word(0))
	}
	a, b, c := object(1, 16), object(2, 16), object(3, 16)
	s.StoreTo(a, sp.Add(c, sp.word(4)), 8, st.True())
	// A copy of the bytes around it.
	s.Copy(b, a, sp.word(16), st.True())
	p, _ := s.Load(Key{}, b, 8, true, st.True())
	if p != sp.Add(c, sp.word(4)) {
		t.Errorf("memcpy of a pointer: %v", p)
	}
	// A copy byte by byte: the number of the address, which is the object's again
	// where it is used.
	for i := uint64(0); i < 8; i++ {
		v, _ := s.Load(Key{}, sp.Add(a, sp.word(i)), 1, false, st.True())
		s.StoreTo(sp.Add(b, sp.word(8+i)), v, 1, st.True())
	}
	q, _ := s.Load(Key{}, sp.Add(b, sp.word(8)), 8, true, st.True())
	if q.Object != sp.name(0) {
		t.Errorf("byte copy of a pointer: %s %s", st.String(q.Object), st.String(q.Offset))
	}
	if valid := s.StoreTo(q, Value{Bits: st.ConstU(8, 7)}, 1, st.True()); !st.IsTrue(valid) {
		t.Errorf("a write through the copy is valid where %s", st.String(valid))
	}
	if x, _ := s.Load(Key{}, sp.Add(c, sp.word(4)), 1, false, st.True()); x.Bits != st.ConstU(8, 7) {
		t.Errorf("a write through the copy leaves %s", st.String(x.Bits))
	}
}

// TestEqual checks the cases in which addresses do not matter.
func TestEqual(t *testing.T) {
	st := term.NewStore()
	sp := NewSpace(st, 64)
	s := NewState(sp)
	var ps []Value
	for k := 1; k <= 3; k++ {
		o := sp.Allocation(Key{Instance: 1, Value: ir.Value(k)}, StackObject, "o", sp.word(8), 8, ir.Layout{})
		s.CreateArbitrary(o, sp.Generation(Key{Instance: 2, Value: ir.Value(k)}, 8), st.True())
		ps = append(ps, sp.Pointer(o, sp.word(0)))
	}
	if !st.IsFalse(s.Equal(ps[0], ps[1], st.True())) {
		t.Error("two live objects may have one address")
	}
	if !st.IsFalse(s.Equal(ps[0], sp.Null(), st.True())) {
		t.Error("a live object may be null")
	}
	if !st.IsTrue(s.Equal(ps[0], ps[0], st.True())) {
		t.Error("a pointer differs from itself")
	}
	c := st.Var("c", term.Bool())
	either := sp.Ite(c, ps[0], ps[1])
	if got := s.Equal(either, ps[0], st.True()); got != c {
		t.Errorf("choice: %s", st.String(got))
	}
	end := sp.Add(ps[0], sp.word(8))
	if e := s.Equal(end, ps[1], st.True()); st.IsConst(e) || st.IsFalse(e) {
		t.Error("one past the end may be the address of a neighbour")
	}
	s.Kill(2)
	if e := s.Equal(ps[0], ps[1], st.True()); st.IsFalse(e) {
		t.Error("the address of a dead object may be reused")
	}
}

// TestLess compares the order of pointers with that of addresses: into one object and several, by choice or not, before the
// start, within, at the end and behind it, of objects of any size, dead ones too.
func TestLess(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	simple := 0
	for range 400 {
		st := term.NewStore()
		sp := NewSpace(st, 64)
		s := NewState(sp)
		values := map[term.ID]uint64{}
		variable := func(name string, v uint64) term.ID {
			x := st.Fresh(name, term.BitVec(64))
			values[x] = v
			return x
		}
		var size []uint64
		for k := range 3 {
			n := sp.word(8)
			size = append(size, 8)
			if rng.Intn(2) == 0 {
				size[k] = uint64(rng.Intn(20))
				n = variable("size", size[k])
			}
			o := sp.Allocation(Key{Instance: 1, Value: ir.Value(k + 1)}, HeapObject, "o", n, 8, ir.Layout{})
			s.CreateArbitrary(o, sp.Generation(Key{Instance: 2, Value: ir.Value(k + 1)}, 0), st.True())
			values[sp.base(o)] = 1<<16 + uint64(k)<<8
		}
		var conds []term.ID
		holds := map[term.ID]bool{}
		for range 3 {
			c := st.Fresh("c", term.Bool())
			holds[c] = rng.Intn(2) == 0
			conds = append(conds, c)
		}
		var pointer func(depth int) (Value, uint64)
		pointer = func(depth int) (Value, uint64) {
			if depth > 0 && rng.Intn(2) == 0 {
				p, a := pointer(depth - 1)
				q, b := pointer(depth - 1)
				c := conds[rng.Intn(3)]
				if holds[c] {
					return sp.Ite(c, p, q), a
				}
				return sp.Ite(c, p, q), b
			}
			if rng.Intn(5) == 0 {
				return sp.Null(), 0
			}
			k := rng.Intn(3)
			off := uint64(rng.Intn(int(size[k])+4)) - 1
			p := sp.Pointer(ObjectID(k+1), variable("offset", off))
			address := values[sp.base(ObjectID(k+1))] + off
			if rng.Intn(4) == 0 {
				p = sp.IntToPtr(sp.PtrToInt(p))
			}
			return p, address
		}
		if rng.Intn(3) == 0 {
			s.Kill(ObjectID(1 + rng.Intn(3)))
		}
		guard := st.True()
		for _, c := range conds {
			if rng.Intn(3) == 0 {
				if !holds[c] {
					c = st.Not(c)
				}
				guard = st.And(guard, c)
			}
		}
		p, a := pointer(2)
		q, b := pointer(2)
		e := term.NewEvaluator(st, func(v term.ID) (bv.BV, bool) {
			if st.Sort(v).Kind == term.SortBool {
				if holds[v] {
					return bv.New(1, 1), true
				}
				return bv.New(1, 0), true
			}
			return bv.New(64, values[v]), true
		})
		less, most := s.Less(p, q, false, guard), s.Less(p, q, true, guard)
		if e.Bool(less) != (a < b) || e.Bool(most) != (a <= b) {
			t.Fatalf("%#x and %#x: less %v, at most %v", a, b, e.Bool(less), e.Bool(most))
		}
		if st.Op(less) == term.OpIte {
			simple++
		}
	}
	if simple < 50 {
		t.Errorf("only %d orders by offsets", simple)
	}
}
