package absint

// Abstract values of SSA values and of memory cells.

import (
	"encoding/binary"
	"fmt"
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// Value is what is known of a value of package ir.
//
// A pointer is a set of objects that it may point into, and an offset that holds
// for all of them; the null pointer and bare addresses have no offset. Kind
// Void stands for anything, of any type: the content of memory that is not known.
type Value struct {
	Kind    ir.Kind
	Targets Targets       // Ptr
	Int     absdomain.Int // Int; the offset of a Ptr
	Float   absdomain.Float
}

// Targets is a set of objects, a number of the analysis' table of sets.
type Targets int32

const (
	anything Targets = iota // any object, null, any address
	nowhere                 // the empty set: no run comes here
)

// objectID is an object of the analysis; see object.go.
type objectID int32

// maxTargets bounds the sets of objects; larger ones become anything.
const maxTargets = 64

// sets is the table of sets of objects. Equal sets have equal numbers.
type sets struct {
	list   [][]objectID // sorted
	number map[string]Targets
	unions map[[2]Targets]Targets
	single []Targets // by object, 0 if not made yet
	key    []byte
}

func newSets() *sets {
	return &sets{list: [][]objectID{nil, {}}, number: map[string]Targets{"": nowhere}, unions: map[[2]Targets]Targets{}}
}

// of is the number of a set that is sorted and without repetitions; it is
// copied if it is new.
func (s *sets) of(objects []objectID) Targets {
	if len(objects) > maxTargets {
		return anything
	}
	s.key = s.key[:0]
	for _, o := range objects {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(o))
	}
	if t, ok := s.number[string(s.key)]; ok {
		return t
	}
	t := Targets(len(s.list))
	s.list = append(s.list, slices.Clone(objects))
	s.number[string(s.key)] = t
	return t
}

func (s *sets) singleton(o objectID) Targets {
	for int(o) >= len(s.single) {
		s.single = append(s.single, 0)
	}
	if s.single[o] == 0 {
		s.single[o] = s.of([]objectID{o})
	}
	return s.single[o]
}

func (s *sets) union(a, b Targets) Targets {
	switch {
	case a == b || b == nowhere:
		return a
	case a == nowhere:
		return b
	case a == anything || b == anything:
		return anything
	}
	key := [2]Targets{min(a, b), max(a, b)}
	t, ok := s.unions[key]
	if !ok {
		both := slices.Concat(s.list[a], s.list[b])
		slices.Sort(both)
		t = s.of(slices.Compact(both))
		s.unions[key] = t
	}
	return t
}

func (s *sets) has(t Targets, o objectID) bool {
	if t == anything {
		return true
	}
	_, ok := slices.BinarySearch(s.list[t], o)
	return ok
}

// wild says that an access through a pointer may hit any object: the targets
// are not known, or a bare address is among them, which is looked up when it is used.
func (s *sets) wild(t Targets) bool { return t == anything || s.has(t, objBare) }

// filter keeps the objects for which keep holds. Of anything nothing is removed.
func (s *sets) filter(t Targets, keep func(objectID) bool) Targets {
	if t == anything {
		return t
	}
	all := true
	for _, o := range s.list[t] {
		all = all && keep(o)
	}
	if all {
		return t
	}
	var out []objectID
	for _, o := range s.list[t] {
		if keep(o) {
			out = append(out, o)
		}
	}
	return s.of(out)
}

func (s *sets) subset(a, b Targets) bool {
	if a == b || b == anything || a == nowhere {
		return true
	}
	if a == anything || len(s.list[a]) > len(s.list[b]) {
		return false
	}
	return s.union(a, b) == b
}

func intValue(x absdomain.Int) Value { return Value{Kind: ir.Int, Int: x} }

func floatValue(x absdomain.Float) Value { return Value{Kind: ir.Float, Float: x} }

// topOf is any value of the type.
func topOf(t ir.Type) Value {
	switch t.Kind {
	case ir.Int:
		return intValue(absdomain.Top(t.Bits))
	case ir.Ptr:
		return Value{Kind: ir.Ptr, Int: absdomain.Top(t.Bits)}
	case ir.Float:
		return floatValue(absdomain.FloatTop(t.Bits))
	}
	return Value{}
}

// isBottom says that there is no value.
func (v *Value) isBottom() bool {
	switch v.Kind {
	case ir.Int:
		return v.Int.IsBottom()
	case ir.Ptr:
		return v.Targets == nowhere
	case ir.Float:
		return v.Float.IsBottom()
	}
	return false
}

// isBare says that all targets are null or no object, so that the offset means nothing.
func (s *sets) isBare(t Targets) bool {
	if t == anything {
		return false
	}
	for _, o := range s.list[t] {
		if o > objBare {
			return false
		}
	}
	return true
}

// join is an upper bound of two values; of different kinds it is anything, but
// the number 0 is the null pointer.
func (s *sets) join(a, b *Value) Value {
	if a.Kind != b.Kind {
		if a.Kind == ir.Ptr && b.Kind == ir.Int && b.Int.Is(0) {
			n := s.null(a.Int)
			return s.join(a, &n)
		}
		if b.Kind == ir.Ptr && a.Kind == ir.Int && a.Int.Is(0) {
			n := s.null(b.Int)
			return s.join(&n, b)
		}
		return Value{}
	}
	switch a.Kind {
	case ir.Int:
		return intValue(a.Int.Join(b.Int))
	case ir.Float:
		return floatValue(a.Float.Join(b.Float))
	case ir.Ptr:
		r := Value{Kind: ir.Ptr, Targets: s.union(a.Targets, b.Targets)}
		switch {
		case s.isBare(a.Targets):
			r.Int = b.Int
		case s.isBare(b.Targets):
			r.Int = a.Int
		default:
			r.Int = a.Int.Join(b.Int)
		}
		return r
	}
	return Value{}
}

// null is the null pointer; like takes its width from another offset.
func (s *sets) null(like absdomain.Int) Value {
	return Value{Kind: ir.Ptr, Targets: s.singleton(objNull), Int: absdomain.Const(uint32(like.Width), 0)}
}

// widen is an upper bound of a and b, which grew from a. Stage 0 uses the
// thresholds, stage 1 does not, stage 2 gives up what changes.
func (s *sets) widen(a, b *Value, t *absdomain.Thresholds, stage int) Value {
	if a.Kind != b.Kind {
		return s.join(a, b)
	}
	j := s.join(a, b)
	wide := func(x, y absdomain.Int) absdomain.Int {
		switch {
		case stage == 0:
			return x.Widen(y, t)
		case stage == 1:
			return x.Widen(y, nil)
		}
		if j := x.Join(y); j == x {
			return j
		}
		return absdomain.Top(uint32(x.Width))
	}
	switch a.Kind {
	case ir.Int:
		j.Int = wide(a.Int, b.Int)
	case ir.Ptr:
		if !s.isBare(a.Targets) && !s.isBare(b.Targets) {
			j.Int = wide(a.Int, b.Int)
		}
		if stage == 2 && j.Targets != a.Targets {
			j.Targets = anything
		}
	case ir.Float:
		j.Float = a.Float.Widen(b.Float, stage == 0)
		if stage == 2 && j.Float != a.Float {
			j.Float = absdomain.FloatTop(uint32(a.Float.Bits))
		}
	}
	return j
}

func (s *sets) valueLeq(a, b *Value) bool {
	if *a == *b || b.Kind == ir.Void {
		return true
	}
	if a.Kind != b.Kind {
		if b.Kind == ir.Ptr && a.Kind == ir.Int && a.Int.Is(0) {
			return s.has(b.Targets, objNull)
		}
		return false
	}
	switch a.Kind {
	case ir.Int:
		return a.Int.Leq(b.Int)
	case ir.Float:
		return a.Float.Leq(b.Float)
	case ir.Ptr:
		return s.subset(a.Targets, b.Targets) && (s.isBare(a.Targets) || a.Int.Leq(b.Int))
	}
	return false
}

// meet has what is in both, and perhaps more.
func (s *sets) meet(a, b *Value) Value {
	if b.Kind == ir.Void || a.Kind != b.Kind {
		return *a
	}
	switch a.Kind {
	case ir.Int:
		return intValue(a.Int.Meet(b.Int))
	case ir.Float:
		return floatValue(a.Float.Meet(b.Float))
	case ir.Ptr:
		r := *a
		if b.Targets != anything {
			if a.Targets == anything {
				r.Targets = b.Targets
			} else {
				r.Targets = s.filter(a.Targets, func(o objectID) bool { return s.has(b.Targets, o) })
			}
		}
		if !s.isBare(a.Targets) && !s.isBare(b.Targets) {
			r.Int = a.Int.Meet(b.Int)
			if r.Int.IsBottom() { // only what has no offset is left
				r.Int = a.Int
				if r.Targets != anything {
					r.Targets = s.filter(r.Targets, func(o objectID) bool { return o <= objBare })
				}
			}
		}
		return r
	}
	return *a
}

// text shows a value, in messages of tests.
func (s *sets) text(v *Value) string {
	switch v.Kind {
	case ir.Int:
		return v.Int.String()
	case ir.Float:
		return v.Float.String()
	case ir.Ptr:
		if v.Targets == anything {
			return "&⊤+" + v.Int.String()
		}
		return fmt.Sprintf("&%v+%v", s.list[v.Targets], v.Int)
	}
	return "⊤"
}
