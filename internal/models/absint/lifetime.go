package absint

// The lives of objects: LifetimeStart and LifetimeEnd, StackRestore, Free, VaStart.

import (
	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// lifetime executes LifetimeStart and LifetimeEnd.
func (a *analysis) lifetime(p *Value, start bool, mem *store) {
	each := func(o objectID, strong bool) {
		obj := &a.objects[o]
		life := mem.get(obj.life)
		if obj.kind != stackObject || life == nil {
			return
		}
		x := absdomain.KnownBits(3, life.Int.Zeros&6, life.Int.Ones&6)
		if strong && a.unique(*mem, o) && life.Int.Zeros&4 != 0 {
			x = asleep
			if start {
				x = aliveOnce
			}
		} else if start && life.Int.Ones&1 != 0 || !start && life.Int.Zeros&1 != 0 {
			x = life.Int
		}
		*mem = a.setInt(*mem, obj.life, x)
		if start {
			*mem = a.forgetContent(*mem, o)
		}
	}
	if a.sets.wild(p.Targets) {
		for o := objFirst; int(o) < len(a.objects); o++ {
			each(o, false)
		}
		return
	}
	for _, o := range a.sets.list[p.Targets] {
		each(o, len(a.sets.list[p.Targets]) == 1)
	}
}

// stackRestore executes a StackRestore. What the entry block has made before the
// StackSave outlives it.
func (a *analysis) stackRestore(c *callContext, d *ir.Def, mem *store) {
	token := &c.fn.f.Values[d.Args[0]]
	for _, o := range c.objects {
		if o == 0 || a.objects[o].kind != stackObject {
			continue
		}
		obj := &a.objects[o]
		made := &c.fn.f.Values[obj.value]
		if token.Op == ir.StackSave && made.Block == 1 && (token.Block != 1 || before(c.fn.f, obj.value, d.Args[0])) {
			continue
		}
		if life := mem.get(obj.life); life != nil {
			*mem = a.setInt(*mem, obj.life, absdomain.KnownBits(3, life.Int.Zeros&2, life.Int.Ones&2))
		}
	}
}

// before says whether v comes before w in the entry block.
func before(f *ir.Func, v, w ir.Value) bool {
	for _, x := range f.Blocks[1].Instrs {
		if x == v || x == w {
			return x == v
		}
	}
	return false
}

// free executes a Free.
func (a *analysis) free(c *callContext, v ir.Value, d *ir.Def, mem *store, i int) bool {
	p := &c.frame.vals[d.Args[0]]
	gone := func(o objectID, strong bool) {
		obj := &a.objects[o]
		life := mem.get(obj.life)
		switch {
		case obj.kind != heapObject || life == nil:
		case strong:
			*mem = a.forgetContent(a.setInt(*mem, obj.life, goneOnce), o)
		default:
			*mem = a.setInt(*mem, obj.life, absdomain.KnownBits(3, life.Int.Zeros&2, life.Int.Ones&2))
		}
	}
	if a.sets.wild(p.Targets) {
		a.violate(c, v, ir.InvalidFree)
		for o := objFirst; int(o) < len(a.objects); o++ {
			gone(o, false)
		}
		return true
	}
	notNull := *p
	notNull.Targets = a.sets.filter(p.Targets, func(o objectID) bool { return o != objNull })
	valid := notNull.Targets == nowhere || a.heapStart(&notNull, *mem).IsTrue()
	if !valid {
		a.violate(c, v, ir.InvalidFree)
		if a.asked[ir.InvalidFree] {
			targets := a.sets.filter(p.Targets, func(o objectID) bool {
				return o < objFirst || a.objects[o].kind == heapObject && !a.mustDead(*mem, o)
			})
			want := Value{Kind: ir.Ptr, Targets: targets, Int: absdomain.Const(a.m.PointerBits, 0)}
			if targets == nowhere || !a.restrictPointer(c, d.Args[0], &want, mem, d.Block, i) {
				return false
			}
			p = &c.frame.vals[d.Args[0]]
			valid = true
		}
	}
	list := a.sets.list[p.Targets]
	for _, o := range list {
		gone(o, valid && len(list) == 1 && a.unique(*mem, o) && p.Int.Is(0))
	}
	return true
}

// vaStart executes a VaStart.
func (a *analysis) vaStart(c *callContext, v ir.Value, d *ir.Def, mem *store, i int) bool {
	word := uint64(a.m.PointerBits / 8)
	length := word
	if word == 8 {
		length = 24
	}
	valid, ok := a.guard(c, v, d.Args[0], absdomain.Const(a.m.PointerBits, length), true, mem, i)
	if !ok {
		return false
	}
	simple := true
	var at []uint64
	total := uint64(0)
	for _, t := range c.entry.variadic {
		if t.Kind == ir.Void || t.Size() > 8 {
			simple = false
			break
		}
		at = append(at, total)
		total += (t.Size() + word - 1) / word * word
	}
	size := absdomain.Top(a.m.PointerBits)
	if simple {
		size = absdomain.Const(a.m.PointerBits, total)
	}
	list := a.makeObject(c, v, argumentsObject, size, mem)
	o := a.sets.list[list.Targets][0]
	a.objects[o].stored = true
	for k := range c.entry.variadic {
		if k := len(c.fn.f.Params) + k; k < len(c.entry.args) {
			a.markStored(&c.entry.args[k])
		}
	}
	if simple && a.unique(*mem, o) {
		for k, t := range c.entry.variadic {
			x := content(c.entry.args[len(c.fn.f.Params)+k], t.Size())
			if id := a.dataCell(o, at[k], t.Size()); id >= 0 {
				*mem = mem.set(id, &x)
			}
		}
	}
	p := c.frame.vals[d.Args[0]]
	target, base, single := a.single(&p, *mem)
	a.clobber(&p, absdomain.Const(a.m.PointerBits, length), valid, mem)
	if !valid || !single || !a.isData(target, true) {
		return true
	}
	put := func(offset, n uint64, x Value) {
		if id := a.dataCell(target, base+offset, n); id >= 0 {
			*mem = mem.set(id, &x)
		}
	}
	if word == 8 {
		put(0, 4, intValue(absdomain.Const(32, 48)))
		put(4, 4, intValue(absdomain.Const(32, 176)))
		put(8, 8, list)
		put(16, 8, a.pointerTo(objNull))
	} else {
		put(0, 4, list)
	}
	return true
}
