package heap

import (
	"cmp"
	"slices"

	"assay/internal/program/ir"
)

// This file finds out which pointers may point to which allocation sites, by
// unification [Steensgaard96]: pointers that meet point to one class of places.
// Content is told apart by constant offsets, until an offset is not known.

// class is a class of places to which pointers point.
type class struct {
	parent *class
	// content are the classes to which pointers stored at an offset point.
	content map[int64]*class
	// collapsed: offsets are not told apart; all content is at 0.
	collapsed bool
	// sites are the allocations, of size bytes each.
	sites int
	size  uint64
	// bad says why the places cannot be elements of a pool.
	bad string
	// access are the scalars that are read and written, by offset.
	access map[int64]access
}

type access struct {
	size uint64
	kind ir.Kind
}

func (c *class) find() *class {
	for c.parent != nil {
		if c.parent.parent != nil {
			c.parent = c.parent.parent
		}
		c = c.parent
	}
	return c
}

func newClass() *class {
	return &class{content: map[int64]*class{}, access: map[int64]access{}}
}

func (c *class) spoil(why string) {
	if c = c.find(); c.bad == "" {
		c.bad = why
	}
}

// unify makes one class of two.
func unify(a, b *class) *class {
	a, b = a.find(), b.find()
	if a == b {
		return a
	}
	b.parent = a
	switch {
	case a.bad == "":
		a.bad = b.bad
	}
	if a.sites > 0 && b.sites > 0 && a.size != b.size {
		a.spoil("allocations of different sizes")
	}
	if a.sites == 0 {
		a.size = b.size
	}
	a.sites += b.sites
	for _, off := range sorted(b.access) {
		a.note(off, b.access[off])
	}
	if b.collapsed {
		a.collapse()
	}
	for _, off := range sorted(b.content) {
		a = a.find()
		if old, ok := a.content[a.place(off)]; ok {
			unify(old, b.content[off])
		} else {
			a.content[a.place(off)] = b.content[off]
		}
	}
	return a.find()
}

func sorted[V any](m map[int64]V) []int64 {
	var keys []int64
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare)
	return keys
}

func (c *class) place(off int64) int64 {
	if c.collapsed {
		return 0
	}
	return off
}

// collapse gives up telling offsets apart.
func (c *class) collapse() {
	c = c.find()
	if c.collapsed {
		return
	}
	c.collapsed = true
	c.spoil("places at offsets that are not constant")
	for {
		c = c.find() // unification may join it with others
		keys := sorted(c.content)
		i := slices.IndexFunc(keys, func(off int64) bool { return off != 0 })
		if i < 0 {
			break
		}
		x := c.content[keys[i]]
		delete(c.content, keys[i])
		if first, ok := c.content[0]; ok {
			unify(first, x)
		} else {
			c.content[0] = x
		}
	}
	old := c.access
	c.access = map[int64]access{}
	for _, off := range sorted(old) {
		c.note(0, old[off])
	}
}

// at is the class to which a pointer stored at an offset points.
func (c *class) at(off int64) *class {
	c = c.find()
	off = c.place(off)
	x := c.content[off]
	if x == nil {
		x = newClass()
		c.content[off] = x
	}
	return x.find()
}

// note records an access. Places that are read in several ways cannot be fields.
func (c *class) note(off int64, x access) {
	c = c.find()
	off = c.place(off)
	old, known := c.access[off]
	switch {
	case !known:
		c.access[off] = x
	case old != x:
		c.access[off] = access{max(old.size, x.size), ir.Void}
		c.spoil("a place is read in several ways")
	}
}

// mixed says that pointers of c are, or may be, read or written as something else.
func (c *class) mixed(off int64) bool {
	c = c.find()
	x := c.access[c.place(off)]
	if x.kind != ir.Ptr {
		return true
	}
	for o, y := range c.access {
		if o != c.place(off) && o < c.place(off)+int64(x.size) && c.place(off) < o+int64(y.size) {
			return true
		}
	}
	return false
}

type pointer struct {
	f *ir.Func
	v ir.Value
}

// result is what a function returns.
type result struct {
	f *ir.Func
	i int
}

// analysis is the assignment of classes.
type analysis struct {
	m       *ir.Module
	byName  map[string]*ir.Func
	values  map[pointer]*class
	globals map[string]*class
	results map[result]*class
	// holders are the classes whose content is of interest, with no order.
	classes []*class
}

func (a *analysis) made(c *class) *class {
	a.classes = append(a.classes, c)
	return c
}

func (a *analysis) global(name string) *class {
	c := a.globals[name]
	if c == nil {
		c = a.made(newClass())
		c.spoil("a global object")
		a.globals[name] = c
	}
	return c.find()
}

func (a *analysis) result(f *ir.Func, i int) *class {
	c := a.results[result{f, i}]
	if c == nil {
		c = a.made(newClass())
		a.results[result{f, i}] = c
	}
	return c.find()
}

// of is the class to which a value points, nil for null and for what is no pointer.
func (a *analysis) of(f *ir.Func, v ir.Value) *class {
	d := f.Def(v)
	if d.Type.Kind != ir.Ptr || d.Op == ir.Null {
		return nil
	}
	switch d.Op {
	case ir.PtrAdd, ir.Freeze:
		return a.of(f, d.Args[0])
	case ir.GlobalAddr:
		return a.global(d.Sym)
	}
	c := a.values[pointer{f, v}]
	if c == nil {
		c = a.made(newClass())
		a.values[pointer{f, v}] = c
	}
	return c.find()
}

// offset is where a pointer points relative to the value that it is made of.
func offset(f *ir.Func, v ir.Value) (off int64, known bool) {
	for known = true; ; {
		switch d := f.Def(v); d.Op {
		case ir.PtrAdd:
			k := f.Def(d.Args[1])
			if k.Op != ir.Const {
				known = false
			} else {
				off += k.Const.Int64()
			}
			v = d.Args[0]
		case ir.Freeze:
			v = d.Args[0]
		default:
			return off, known
		}
	}
}

// whole takes v as a value that goes somewhere: it must point to the start.
func (a *analysis) whole(f *ir.Func, v ir.Value) *class {
	c := a.of(f, v)
	if c == nil {
		return nil
	}
	if off, known := offset(f, v); !known || off != 0 {
		c.spoil("a pointer into the middle of an object")
		c.collapse()
	}
	return c.find()
}

// meet unifies what two values point to.
func meet(a, b *class) {
	if a != nil && b != nil {
		unify(a, b)
	}
}

// memory is the access of a scalar at p.
func (a *analysis) memory(f *ir.Func, p ir.Value, t ir.Type) *class {
	c := a.of(f, p)
	if c == nil {
		return nil // an access of null
	}
	off, known := offset(f, p)
	if !known {
		c.collapse()
		off = 0
	}
	kind := t.Kind
	if kind == ir.Float {
		kind = ir.Int
	}
	c.find().note(off, access{uint64(t.Size()), kind})
	if t.Kind != ir.Ptr {
		return nil
	}
	return c.find().at(off)
}

func analyze(m *ir.Module) *analysis {
	a := &analysis{m: m, byName: map[string]*ir.Func{}, values: map[pointer]*class{}, globals: map[string]*class{}, results: map[result]*class{}}
	for _, f := range m.Funcs {
		a.byName[f.Name] = f
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			target := a.global(g.Name).at(int64(r.Offset))
			if t := a.byName[r.Target]; t != nil {
				a.exposed(t)
				target.spoil("the address of a function")
			} else if r.Target != "" {
				unify(target, a.global(r.Target))
			} else {
				target.spoil("an address that is a number")
			}
		}
	}
	for _, f := range m.Funcs {
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				a.instruction(f, v)
			}
		}
		for v := 1; v < len(f.Values); v++ {
			if d := f.Def(ir.Value(v)); d.Op == ir.FuncAddr {
				a.of(f, ir.Value(v)).spoil("the address of a function")
				if t := a.byName[d.Sym]; t != nil {
					a.exposed(t)
				}
			}
		}
	}
	return a
}

// exposed spoils what a function is given, that may be called from anywhere.
func (a *analysis) exposed(f *ir.Func) {
	for _, p := range f.Params {
		if c := a.of(f, p); c != nil {
			c.spoil("given to a function that is called through a pointer")
		}
	}
	for i, t := range f.Results {
		if t.Kind == ir.Ptr {
			a.result(f, i).spoil("returned by a function that is called through a pointer")
		}
	}
}

func (a *analysis) instruction(f *ir.Func, v ir.Value) {
	d := f.Def(v)
	switch d.Op {
	case ir.Alloca:
		a.of(f, v).spoil("a local object")
	case ir.Malloc:
		c := a.of(f, v)
		size := f.Def(d.Args[0])
		if size.Op != ir.Const || c.sites > 0 && c.size != size.Const.Uint64() {
			c.spoil("allocations of different sizes")
		} else {
			c.size = size.Const.Uint64()
		}
		c.sites++
	case ir.Load:
		if x := a.memory(f, d.Args[0], d.Type); x != nil {
			meet(a.of(f, v), x)
		}
	case ir.Store:
		t := f.Type(d.Args[0])
		x := a.memory(f, d.Args[1], t)
		if t.Kind == ir.Ptr {
			meet(a.whole(f, d.Args[0]), x)
		}
	case ir.PtrAdd, ir.Freeze, ir.Dbg, ir.LifetimeStart, ir.LifetimeEnd:
	case ir.Phi, ir.Select, ir.Eq, ir.Ne:
		args := d.Args
		if d.Op == ir.Select {
			args = args[1:]
		}
		first := a.of(f, v)
		for _, x := range args {
			c := a.whole(f, x)
			meet(first, c)
			if first == nil {
				first = c
			}
		}
	case ir.Ret:
		for i, x := range d.Args {
			if c := a.whole(f, x); c != nil {
				meet(a.result(f, i), c)
				if i > 0 {
					c.spoil("returned beside something else")
				}
			}
		}
	case ir.Call:
		a.call(f, v, d)
	default:
		for _, x := range d.Args {
			if c := a.whole(f, x); c != nil {
				c.spoil("an operation on addresses: " + d.Op.String())
				c.collapse()
				if c = c.find(); d.Op == ir.MemCpy || d.Op == ir.MemSet || d.Op == ir.Havoc {
					c.at(0).spoil("copied as bytes")
				}
			}
		}
		if c := a.of(f, v); c != nil {
			c.spoil("the result of " + d.Op.String())
		}
	}
}

func (a *analysis) call(f *ir.Func, v ir.Value, d *ir.Def) {
	g := a.byName[d.Sym]
	known := d.Sym != "" && g != nil && !g.IsDecl()
	for i, x := range d.Args {
		c := a.whole(f, x)
		if c == nil {
			continue
		}
		if known && i < len(g.Params) {
			meet(c, a.of(g, g.Params[i]))
		} else {
			c.spoil("given to a function that is not known")
			c.collapse()
			c.find().at(0).spoil("given to a function that is not known")
		}
	}
	if c := a.of(f, v); c != nil {
		if known && len(g.Results) > 0 && g.Results[0].Kind == ir.Ptr {
			meet(c, a.result(g, 0))
		} else {
			c.spoil("returned by a function that is not known")
		}
	}
}
