package program

// This file finds what the state of a program's transition system is: it encodes a
// step, looks what the step changes and where its pointers lead, and adds that, until
// nothing is new (S1, S2 of encode.go).

import (
	"fmt"
	"slices"

	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// grow adds to the state what the step changes, and to the candidates of
// pointers what they point to.
func (r *round) grow() (grown bool, err error) {
	if r.f.Returns == 0 {
		return false, nil
	}
	for i := range r.variables {
		if v := &r.variables[i]; v.result >= 0 && v.typ.Kind == ir.Ptr {
			grown = r.targets(v, r.f.Results[v.result]) || grown
		}
	}
	have := map[int][]memory.Range{}
	for _, c := range r.cells {
		have[c.object] = append(have[c.object], c.Range)
	}
	living := map[int]bool{}
	for _, a := range r.alive {
		living[a.object] = true
	}
	total := len(r.cells)
	type change struct {
		place int
		d     memory.Difference
		o     memory.ObjectID
	}
	var changes []change
	r.initial.Differences(r.f.Memory, func(o memory.ObjectID, d memory.Difference) {
		if p, ok := r.numbers[o]; ok && !d.Born && !d.Gone {
			changes = append(changes, change{r.placeIndex(p), d, o})
		}
	})
	for _, c := range changes {
		if (c.d.Alive || c.d.Dead) && !living[c.place] {
			r.layout.alive = append(r.layout.alive, aliveBit{c.place, r.add(ir.IntType(1), ir.Pos{})})
			grown = true
		}
		if c.d.Dead {
			continue
		}
		ranges := r.ranges(c.o, have[c.place], c.d)
		if slices.Equal(ranges, have[c.place]) {
			continue
		}
		grown = true
		total += len(ranges) - len(have[c.place])
		if total > maxCells {
			return false, r.tooMuch(c.place)
		}
		r.replace(c.place, ranges, c.o)
	}
	// Cells that hold pointers, and what these point to.
	for i := range r.cells {
		c := &r.cells[i]
		o := r.number(c.object)
		if !r.f.Memory.Has(o) {
			continue
		}
		v := r.f.Memory.Piece(o, c.Range)
		if v.IsPointer() && !c.pointer && 8*c.Size == r.m.PointerBits {
			c.pointer, grown = true, true
			x := &r.variables[c.term]
			x.typ = r.m.PtrType()
			if k := r.keyOf(x); r.candidates[k] == nil {
				r.candidates[k] = []candidate{nothing}
			}
		}
		if c.pointer && v.IsPointer() {
			grown = r.targets(&r.variables[c.term], v) || grown
		}
	}
	return grown, nil
}

// number is the object of a place.
func (r *round) number(k int) memory.ObjectID {
	for o, p := range r.numbers {
		if p == r.places[k] {
			return o
		}
	}
	return 0
}

func (r *round) tooMuch(k int) error {
	p := r.places[k]
	e := &ErrUnsupported{Why: fmt.Sprintf("the program changes more than %d cells of memory", maxCells)}
	if p.global != nil {
		e.Pos, e.Func = p.global.Pos, p.global.Name
	} else {
		e.Pos, e.Func = r.flat.objects[p.object].def.Pos, r.flat.objects[p.object].origin.Activation.Func.Name
	}
	return e
}

// ranges are the pieces of an object that belong to the state.
func (r *round) ranges(o memory.ObjectID, have []memory.Range, d memory.Difference) []memory.Range {
	if !d.Whole {
		all := slices.Clone(have)
		for _, c := range d.Cells {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		slices.SortFunc(all, func(a, b memory.Range) int { return int(a.Offset) - int(b.Offset) })
		overlap := false
		for i := range all {
			if i > 0 && all[i-1].Offset+all[i-1].Size > all[i].Offset {
				overlap = true
			}
		}
		if !overlap {
			return all
		}
	}
	ob := r.u.Space().Object(o)
	e := r.u.Space().Element(o)
	if ob.Layout.Pointers && ob.ConstSize%uint64(r.m.PointerBits/8) == 0 && ob.Layout.Cell >= uint64(r.m.PointerBits/8) {
		e = r.m.PointerBits / 8
	}
	var all []memory.Range
	for k := uint64(0); k < ob.ConstSize && len(all) <= maxCells; k += uint64(e) {
		all = append(all, memory.Range{Offset: uint32(k), Size: e})
	}
	return all
}

// replace gives an object other pieces. The variables of old ones are dropped.
func (r *round) replace(k int, ranges []memory.Range, o memory.ObjectID) {
	l := r.layout
	type old struct {
		c   cell
		v   variable
		key variableKey
	}
	kept := map[memory.Range]old{}
	var cells []cell
	var drop []int
	for _, c := range l.cells {
		if c.object != k {
			cells = append(cells, c)
			continue
		}
		kept[c.Range] = old{c: c}
		if !slices.Contains(ranges, c.Range) {
			drop = append(drop, c.term)
		}
	}
	for _, x := range ranges {
		if y, ok := kept[x]; ok {
			cells = append(cells, y.c)
			continue
		}
		pos := ir.Pos{}
		cells = append(cells, cell{object: k, Range: x, term: l.add(ir.IntType(8*x.Size), pos)})
	}
	l.cells = cells
	if len(drop) > 0 {
		l.compact(drop)
	}
}

// compact removes variables of memory.
func (l *layout) compact(drop []int) {
	to := make([]int, len(l.variables))
	var left []variable
	for i, v := range l.variables {
		if slices.Contains(drop, i) {
			to[i] = -1
			continue
		}
		to[i] = len(left)
		left = append(left, v)
	}
	l.variables = left
	for i := range l.cells {
		l.cells[i].term = to[l.cells[i].term]
	}
	for i := range l.alive {
		l.alive[i].term = to[l.alive[i].term]
	}
	for v, i := range l.byValue {
		l.byValue[v] = to[i]
	}
}

// targets adds what a value points to to the candidates of a variable.
func (r *round) targets(v *variable, x memory.Value) (grown bool) {
	key := r.keyOf(v)
	for _, o := range r.names(x.Object) {
		c, ok := r.candidate(o)
		if ok && !slices.Contains(r.candidates[key], c) {
			r.candidates[key] = append(r.candidates[key], c)
			grown = true
		}
	}
	return grown
}

func (r *round) candidate(o memory.ObjectID) (candidate, bool) {
	if o == 0 {
		return nothing, true
	}
	if p, ok := r.numbers[o]; ok {
		if p.global != nil {
			return candidate{symbol: p.global.Name, object: -1}, true
		}
		return candidate{object: p.object}, true
	}
	if ob := r.u.Space().Object(o); ob.Kind == memory.FunctionObject {
		return candidate{symbol: ob.Name, object: -1}, true
	}
	return candidate{}, false
}

// names are the constants among which a term chooses; others are left out.
func (r *round) names(t term.ID) []memory.ObjectID {
	var out []memory.ObjectID
	seen := map[term.ID]bool{}
	var walk func(t term.ID)
	walk = func(t term.ID) {
		if seen[t] {
			return
		}
		seen[t] = true
		if k, ok := r.st.ConstUint64(t); ok {
			out = append(out, memory.ObjectID(k))
			return
		}
		if r.st.Op(t) == term.OpIte {
			walk(r.st.Arg(t, 1))
			walk(r.st.Arg(t, 2))
		}
	}
	walk(t)
	return out
}
