package harness

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file fills in structures: pointers point to objects, down to a depth; pointers to a
// structure that is being filled in are null, or go one level on; what the program does not use is null. Truth values
// and enumerations have their values, arrays of characters are strings, and a pointer to a buffer goes with the
// members that are named like its size, and like places in it.

// lookAtFields finds out which members the program uses, and what for.
func (in *inference) lookAtFields() {
	in.touched, in.nullable, in.within, in.related = map[place]bool{}, map[place]bool{}, map[[2]place]bool{}, map[[2]place]bool{}
	in.limiting, in.scaled = map[place]map[string]bool{}, map[place]bool{}
	in.subscripts, in.unnamed = map[place]subscript{}, map[place]bool{}
	for _, f := range in.p.Functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				switch i.Op {
				case llvm.GetElementPtr:
					for _, x := range placesOf(i) {
						in.touched[x] = true
						if strings.HasPrefix(i.Elem.Text, "%struct.anon") {
							in.unnamed[x] = true
						}
					}
					in.subscripted(i)
					in.scales(i)
				case llvm.ICmp:
					in.compared(i)
					in.limitsOthers(f, i)
					if load, ok := i.Args[0].(*llvm.Inst); ok && load.Op == llvm.Load && isNull(i.Args[1]) {
						if x, ok := loaded(load); ok && !justAllocated(b, load, x) && !asserts(b, i) {
							in.nullable[x] = true
						}
					}
				}
			}
		}
	}
}

// compared notes that a program compares two members of a structure: pos < size, and pos >= size, say that pos is a place
// and size its limit. Of size > pos, which may be pos + n > size as well, the names decide.
func (in *inference) compared(i *llvm.Inst) {
	x, okX := loaded(i.Args[0])
	y, okY := loaded(i.Args[1])
	if !okX || !okY || x.size != y.size || x == y {
		return
	}
	switch i.Pred {
	case llvm.IntULT, llvm.IntUGE, llvm.IntSLT, llvm.IntSGE:
		in.within[[2]place{x, y}] = true
	default:
		in.related[[2]place{x, y}], in.related[[2]place{y, x}] = true, true
	}
}

// scales notes a member that leads to a buffer, if the program multiplies the places in it by another member of the same structure, as in
// v->bytes + n * v->width: then a member that is named like its size counts something else.
func (in *inference) scales(i *llvm.Inst) {
	x, ok := loaded(i.Args[0])
	if !ok || len(i.Args) < 2 {
		return
	}
	var product func(v llvm.Value, depth int) bool
	product = func(v llvm.Value, depth int) bool {
		m, ok := root(v).(*llvm.Inst)
		if !ok || depth == 0 || len(m.Args) != 2 {
			return false
		}
		for k := range 2 {
			if y, ok := loaded(m.Args[k]); m.Op == llvm.Mul && ok && y.size == x.size && y != x {
				return true
			}
			if (m.Op == llvm.Mul || m.Op == llvm.Add || m.Op == llvm.Sub) && product(m.Args[k], depth-1) {
				return true
			}
		}
		return false
	}
	in.scaled[x] = in.scaled[x] || product(i.Args[1], 4)
}

// limitsOthers notes members that a function compares with what is neither a constant nor a member of the same structure.
func (in *inference) limitsOthers(f *llvm.Function, i *llvm.Inst) {
	if i.Pred == llvm.IntEQ || i.Pred == llvm.IntNE {
		return
	}
	for k := range 2 {
		x, ok := loaded(i.Args[k])
		if !ok {
			continue
		}
		other := root(i.Args[1-k])
		if y, ok := loaded(other); ok && y.size == x.size {
			continue
		}
		if _, ok := other.(*llvm.Const); ok {
			continue
		}
		if in.limiting[x] == nil {
			in.limiting[x] = map[string]bool{}
		}
		in.limiting[x][f.Name] = true
	}
}

// loose are the members that limit something, of which nothing is assumed, and which are no size of a buffer: how they go with the
// sizes is not known.
func (in *inference) loose(members []member, known []Field) (list []Limit) {
	for _, m := range members {
		s := m.Type.Strip()
		if s == nil || s.Kind != llvm.CInt || s.Bits < 16 || len(in.limiting[m.inner]) == 0 {
			continue
		}
		if !slices.ContainsFunc(known, func(f Field) bool {
			return f.Offset == m.Offset && (f.AtMost != nil || f.Under > 0) ||
				f.Pointer != nil && f.Pointer.Object != nil && f.Pointer.Object.Count.Kind == InMember && f.Pointer.Object.Count.Member.Offset == m.Offset
		}) {
			list = append(list, Limit{Member: m.Name, Functions: in.limiting[m.inner]})
		}
	}
	return list
}

// loaded is the member of a structure that a value was read from.
func loaded(v llvm.Value) (place, bool) {
	load, ok := root(v).(*llvm.Inst)
	if !ok || load.Op != llvm.Load {
		return place{}, false
	}
	p, ok := load.Args[0].(*llvm.Inst)
	if !ok || p.Op != llvm.GetElementPtr {
		return place{}, false
	}
	list := placesOf(p)
	if len(list) == 0 {
		return place{}, false
	}
	return list[len(list)-1], true
}

// placesOf are the members on the way of an address.
func placesOf(i *llvm.Inst) (list []place) {
	t := i.Elem
	for _, a := range i.Args[min(2, len(i.Args)):] {
		switch t.Kind {
		case llvm.StructType:
			c, ok := a.(*llvm.Const)
			if !ok || c.Kind != llvm.IntConst || c.Bits.Uint64() >= uint64(len(t.Fields)) {
				return list
			}
			k := c.Bits.Uint64()
			list = append(list, place{t.Size, t.Offsets[k]})
			t = t.Fields[k]
		case llvm.ArrayType:
			t = t.Elem
		default:
			return list
		}
	}
	return list
}

// object is one element of a type.
func (in *inference) object(t *llvm.CType, depth int, above []*llvm.CType) *Object {
	in.budget--
	t = in.defined(t)
	o := &Object{Type: t, Count: Count{Kind: Fixed, Number: 1}}
	s := t.Strip()
	if s == nil {
		o.Type, o.Size = nil, 1
		return o
	}
	o.Size = (s.Bits + 7) / 8
	switch s.Kind {
	case llvm.CInt:
		if in.variant.Few && s.Bits > 8 {
			o.Fields = []Field{{Member: Member{Name: "*", Type: t}, Ordinary: true}}
		}
	case llvm.CStruct:
		if depth > 0 {
			o.Fields = in.fields(s, depth, above)
		}
	case llvm.CPointer:
		if p := in.pointerTo(s, depth-1, above); p != nil {
			o.Fields = []Field{{Member: Member{Name: "*", Type: t}, Pointer: p}}
		}
	}
	return o
}

// pointerTo says what a pointer in memory points to, by its type.
func (in *inference) pointerTo(t *llvm.CType, depth int, above []*llvm.CType) *Pointer {
	base := in.defined(t.Strip().Base)
	b := base.Strip()
	switch {
	case b != nil && b.Kind == llvm.CFunction:
		return &Pointer{Function: b, Ordinary: in.variant.IsOrdinary(AllIntegers)}
	case b != nil && slices.Contains(above, b):
		return &Pointer{MayBeNull: true, Why: "it leads back to its type"}
	case (depth <= 0 || in.budget <= 0) && !isCharacter(b) && !in.variant.Generous:
		return &Pointer{Why: "too deep"}
	}
	o := in.object(base, max(depth, 0), above)
	switch {
	case isCharacter(b):
		o.Count = Count{Kind: String}
	case b == nil || b.Kind == llvm.CInt && b.Bits == 8:
		o.Count.Number = DefaultSize
		if in.variant.Generous {
			o.Count.Number = largeSize
		}
	case len(o.Fields) == 0 && in.variant.Generous:
		o.Count.Number = DefaultSize
	}
	return &Pointer{Object: o}
}

// fields are the parts of a structure that are not simply arbitrary.
func (in *inference) fields(t *llvm.CType, depth int, above []*llvm.CType) []Field {
	members := in.flat(t, "", 0, 0)
	deeper := append(slices.Clone(above), t)
	var list []Field
	var buffers []int // in list: pointers to scalars
	size := (t.Bits + 7) / 8
	for _, m := range members {
		s := m.Type.Strip()
		f := Field{Member: m.Member}
		switch {
		case s == nil:
			continue
		case s.Kind == llvm.CPointer:
			if !in.isUsed(size, m) {
				f.Pointer = &Pointer{Why: notUsed}
				break
			}
			b := in.defined(s.Base).Strip()
			if b != nil && slices.Contains(deeper, b) {
				// One level on, if there is room; from there, it is null.
				f.Pointer = &Pointer{MayBeNull: true, Why: ownType}
				if n := count(above, b); depth > 1 && n == 0 && in.budget > 0 {
					f.Pointer.MayBeNull = !in.variant.Generous
					f.Pointer.Object = in.object(s.Base, 1, append(slices.Clone(deeper), b))
					in.endWalked(f.Pointer, size, m)
				}
				break
			}
			f.Pointer = in.pointerTo(s, depth-1, deeper)
			in.endWalked(f.Pointer, size, m)
			f.Pointer.MayBeNull = f.Pointer.MayBeNull || !in.variant.Generous && (in.nullable[place{size, m.Offset}] || in.nullable[m.inner])
			if f.Pointer.Object != nil && (b == nil || b.Kind == llvm.CInt || b.Kind == llvm.CFloat || b.Kind == llvm.CPointer || b.Kind == llvm.CStruct && hasOwnSize(f.Name, members)) {
				buffers = append(buffers, len(list))
			}
		case s.Kind == llvm.CArray && s.Base.Strip() != nil && s.Base.Strip().Kind == llvm.CPointer: // what flat leaves of an array
			f.Null = s.Bits / 8
		case s.Kind == llvm.CBool:
			f.Values = []int64{0, 1}
		case s.Kind == llvm.CEnum && len(s.Enumerators) > 0:
			f.Values = slices.Compact(slices.Sorted(slices.Values(s.Enumerators)))
		case in.variant.bounds(s) && in.variant.IsOrdinary(AllIntegers):
			f.Ordinary = true
		case s.Kind == llvm.CArray && isCharacter(s.Base.Strip()) && s.Count > 0 && in.isUsed(size, m):
			f.Terminated = true
		default:
			continue
		}
		if f.Pointer != nil {
			f.Pointer.Chosen = m.chosen
		}
		list = append(list, f)
	}
	list = append(list, in.pairs(list, buffers, members)...)
	list = append(append(list, in.indices(members)...), places(slices.DeleteFunc(slices.Clone(members), func(m member) bool { return !in.isUsed(size, m) }))...)
	list = append(list, in.limits(members, list)...)
	if loose := in.loose(members, list); len(loose) > 0 {
		for k := range list {
			if p := list[k].Pointer; p != nil && p.Sized {
				p.Loose = loose
			}
		}
	}
	return list
}

// endWalked gives the array that a member leads to its end, if it is walked along up to an element of zeros.
func (in *inference) endWalked(p *Pointer, size uint64, m member) {
	if o := p.Object; o != nil && o.Size > 1 && o.Count.Kind == Fixed && (in.walked[place{size, m.Offset}] || in.walked[m.inner]) {
		o.end(p, Count{Kind: Ended})
	}
}

// isUsed says that the program uses a member of a structure of a size.
func (in *inference) isUsed(size uint64, m member) bool {
	return in.touched[place{size, m.Offset}] || in.touched[m.inner]
}

// limits bounds members by those with which the program compares them, unless they have a bound.
func (in *inference) limits(members []member, known []Field) (bounds []Field) {
	for _, x := range members {
		if slices.ContainsFunc(known, func(f Field) bool { return f.Offset == x.Offset && (f.AtMost != nil || f.Under > 0) }) {
			continue
		}
		for _, y := range members {
			key, back := [2]place{x.inner, y.inner}, [2]place{y.inner, x.inner}
			a, b := x.Type.Strip(), y.Type.Strip()
			is := in.within[key] && !in.within[back]
			if !is && (in.related[key] || in.within[key]) {
				is = isLimit(y.Name) && !isLimit(x.Name)
			}
			if !is || x.Offset == y.Offset || a == nil || b == nil || a.Kind != llvm.CInt || b.Kind != llvm.CInt || a.Bits != b.Bits {
				continue
			}
			bounds = append(bounds, Field{Member: x.Member, AtMost: &Member{Name: y.Name, Offset: y.Offset, Type: y.Type}})
			break
		}
	}
	return bounds
}

// places bounds members that are named like places in the only array beside them.
func places(members []member) (bounds []Field) {
	under := uint64(0)
	for _, m := range members {
		if s := m.Type.Strip(); s != nil && s.Kind == llvm.CArray && s.Count > 1 && !holdsPointer(s.Base, 0) { // of those that hold pointers, only parts are here
			if under > 0 && under != uint64(s.Count) {
				return nil
			}
			under = uint64(s.Count)
		}
	}
	for _, m := range members {
		if s := m.Type.Strip(); under > 0 && s != nil && s.Kind == llvm.CInt && s.Bits > 8 && isOneOf(m.Name, placeWords) {
			bounds = append(bounds, Field{Member: m.Member, Under: under})
		}
	}
	return bounds
}

func count(list []*llvm.CType, t *llvm.CType) (n int) {
	for _, x := range list {
		if x == t {
			n++
		}
	}
	return n
}

// pairs gives buffers their sizes, and bounds places in them.
func (in *inference) pairs(list []Field, buffers []int, members []member) (bounds []Field) {
	taken := map[uint64]bool{}
	for _, k := range buffers {
		f := &list[k]
		m0 := f.Type.Strip()
		b := m0.Base.Strip()
		isStructure := b != nil && b.Kind == llvm.CStruct
		// Of many members of a structure in a structure, one that is named like a size may be that of anything.
		neighbours := 0
		for _, m := range members {
			if inside(m.Name) == inside(f.Name) {
				neighbours++
			}
		}
		crowded := inside(f.Name) != "" && neighbours > 4
		alone := !slices.ContainsFunc(buffers, func(other int) bool { return other != k && inside(list[other].Name) == inside(f.Name) })
		if slices.ContainsFunc(members, func(m member) bool { return m.Offset == f.Offset && in.scaled[m.inner] }) {
			continue
		}
		var size *Member
		rank, room := 0, false
		for _, m := range members {
			s := m.Type.Strip()
			if s == nil || s.Kind != llvm.CInt || s.Bits < 16 {
				continue
			}
			r := 0
			own, capacity, length := besides(f.Name, m.Name), isOneOf(m.Name, capacityWords), isOneOf(m.Name, lengthWords)
			near := inside(m.Name) == inside(f.Name) && alone && !crowded
			switch {
			case own && capacity:
				r = 8
			case own:
				r = 7
			case isStructure: // its elements cost much: a name has to say so
			case near && capacity:
				r = 6
			case near && length:
				r = 5
			}
			is := isOneOf(m.Name, roomWords)
			if r > rank || r == rank && r > 0 && is && !room {
				size, rank, room = &Member{Name: m.Name, Offset: m.Offset, Type: m.Type}, r, is
			}
		}
		if size == nil {
			continue
		}
		f.Pointer.Object.Count = Count{Kind: InMember, Name: size.Name, Member: *size, Some: in.variant.Generous, Terminated: in.variant.Generous && isCharacter(m0.Base.Strip())}
		f.Pointer.Why, f.Pointer.Sized = "named so", true
		taken[size.Offset] = true
		for _, m := range members {
			s := m.Type.Strip()
			if s != nil && s.Kind == llvm.CInt && s.Bits >= 16 && m.Offset != size.Offset && !taken[m.Offset] && (isOneOf(m.Name, positionWords) || room && isSize(m.Name)) && (alone && !crowded && inside(m.Name) == inside(f.Name) || besides(f.Name, m.Name)) {
				taken[m.Offset] = true
				bounds = append(bounds, Field{Member: m.Member, AtMost: size, Below: in.variant.Generous && isOneOf(m.Name, placeWords)})
			}
		}
	}
	return bounds
}

// hasOwnSize says that a member is named like the size of another one.
func hasOwnSize(pointer string, members []member) bool {
	return slices.ContainsFunc(members, func(m member) bool {
		s := m.Type.Strip()
		return s != nil && s.Kind == llvm.CInt && s.Bits >= 16 && besides(pointer, m.Name)
	})
}

// besides says that a member belongs to another one by its name, in the same structure of those in a structure.
func besides(pointer, length string) bool {
	a, b := inside(pointer), inside(length)
	return a == b && belongs(pointer[len(a):], length[len(b):])
}

// inside is the structure that a member of one in a structure is in, as a prefix of its name.
func inside(name string) string { return name[:strings.LastIndexByte(name, '.')+1] }

// member is a member, those of structures inside included.
type member struct {
	Member
	inner place // in the innermost structure
	// chosen says that it is in a union, in the member that was chosen.
	chosen bool
}

// arrayElements is how many elements of an array of structures or pointers in a structure are filled in.
const arrayElements = 4

// flat lists the members of a structure with those of the structures in it.
func (in *inference) flat(t *llvm.CType, prefix string, offset uint64, level int) (list []member) {
	for _, m := range t.Members {
		if m.Type == nil || m.Bits != m.Type.Bits || level > 4 { // a bit-field
			continue
		}
		at := offset + m.Offset/8
		name := prefix + m.Name
		list = append(list, in.parts(m.Type, name, at, place{(t.Bits + 7) / 8, m.Offset / 8}, level)...)
	}
	return list
}

func (in *inference) parts(t *llvm.CType, name string, at uint64, inner place, level int) (list []member) {
	s := t.Strip()
	switch {
	case s == nil:
	case s.Kind == llvm.CStruct:
		if name != "" {
			name += "."
		}
		return in.flat(s, name, at, level+1)
	case s.Kind == llvm.CUnion: // of the members that hold a pointer, that of which the program uses most
		best, most := -1, -1
		for k, m := range s.Members {
			if holdsPointer(m.Type, 0) {
				if n := in.used(m.Type, level); n > most {
					best, most = k, n
				}
			}
		}
		if best >= 0 {
			list = in.parts(s.Members[best].Type, name+"."+s.Members[best].Name, at, inner, level+1)
			for k := range list {
				list[k].chosen = len(s.Members) > 1
			}
			return list
		}
	case s.Kind == llvm.CArray && s.Count > 0 && holdsPointer(s.Base, 0):
		b := s.Base.Strip()
		for k := range min(uint64(s.Count), arrayElements) {
			list = append(list, in.parts(s.Base, name+"["+string(rune('0'+k))+"]", at+k*(b.Bits/8), inner, level+1)...)
		}
		if rest := uint64(s.Count) - arrayElements; uint64(s.Count) > arrayElements && b.Kind == llvm.CPointer {
			t := &llvm.CType{Kind: llvm.CArray, Base: s.Base, Count: int64(rest), Bits: rest * b.Bits}
			list = append(list, member{Member{Name: fmt.Sprintf("%s[%d] and the pointers behind it", name, arrayElements), Offset: at + arrayElements*(b.Bits/8), Type: t}, inner, false})
		}
	default:
		list = append(list, member{Member{Name: name, Offset: at, Type: t}, inner, false})
	}
	return list
}

// used is how many members of a structure the program uses.
func (in *inference) used(t *llvm.CType, level int) (n int) {
	s := t.Strip()
	if s == nil || s.Kind != llvm.CStruct {
		return 0
	}
	touched := in.touched
	if s.Name == "struct" {
		touched = in.unnamed
	}
	for _, m := range in.flat(s, "", 0, level+1) {
		if touched[m.inner] {
			n++
		}
	}
	return n
}

func holdsPointer(t *llvm.CType, level int) bool {
	s := t.Strip()
	switch {
	case s == nil || level > 4:
		return false
	case s.Kind == llvm.CPointer:
		return true
	case s.Kind == llvm.CArray:
		return holdsPointer(s.Base, level+1)
	case s.Kind == llvm.CStruct || s.Kind == llvm.CUnion:
		return slices.ContainsFunc(s.Members, func(m llvm.Member) bool { return holdsPointer(m.Type, level+1) })
	}
	return false
}
