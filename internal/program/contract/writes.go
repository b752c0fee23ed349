// Package contract checks in the intermediate representation what contracts of functions say
// of memory: that a body writes and frees nothing but what its contract names, or what is new.
//
// Package cprover puts the function f under analysis into f__enforced, which leaves in
// variables, before it calls f,
//
//	target_k, size_k   where what f may write begins, and how many bytes it has
//	frees_k            what f may free
//	before_k           the heap objects that were there before
//	active_0           that f runs
//
// Each write of n bytes at p in any function gets a check that one of these is true:
//
//	(W1) f does not run, or n is 0
//	(W2) p to p+n is within a target
//	(W3) p to p+n is within a live object that is new: no global, and none of before_k
//
// So it does not matter by which name, or in which call, something is written. A pointer that is
// only a number, because the precondition does not say what it points to, may hit any object or none;
// where it hits none, W3 is false, since a caller may have an object there. Writes to locals of the same
// function, which W3 is true of, are left out if that can be seen.
// A number may be the address of one of the variables above, too, which no caller has: such runs are left out.
// With frees it is the same: of a target, or of a heap block that is new.
//
// A function that is called through a pointer has to be one of the module: for callers may have others.
package contract

import (
	"fmt"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/cprover"
	"assay/internal/program/ir"
)

// checker adds the checks to one function.
type checker struct {
	*ir.Editor
	function string // whose contract it is
	globals  []string
	ghosts   []string
	callees  []string // whose addresses are taken
	strict   bool     // callers are not known
	consts   map[string]ir.Value
}

// CheckWrites is a module with checks of what the function may write and free. With callers it is about all
// that satisfy the precondition: then calls through pointers are checked, too.
func CheckWrites(m *ir.Module, function string, callers bool) *ir.Module {
	c := checker{function: function, strict: callers}
	for _, g := range m.Globals {
		switch {
		case strings.HasPrefix(g.Name, cprover.Ghost):
			c.ghosts = append(c.ghosts, g.Name)
		case !g.Constant:
			c.globals = append(c.globals, g.Name)
		}
	}
	if len(c.ghosts) == 0 {
		return m
	}
	c.callees = addressed(m)
	enforced := function + cprover.EnforcedSuffix
	return ir.Rewrite(m, func(f *ir.Func) bool { return f.Name != m.Entry && f.Name != enforced }, func(e *ir.Editor, old *ir.Func) {
		x := c
		x.Editor, x.consts = e, map[string]ir.Value{}
		e.Each(func(v ir.Value) { x.instruction(old, v) })
	})
}

// instruction emits what is to be checked before an instruction.
func (c *checker) instruction(old *ir.Func, v ir.Value) {
	d := old.Def(v)
	word := c.Module.PointerBits
	switch d.Op {
	case ir.Store:
		c.write(old, d.Args[1], c.number(word, uint64((old.Type(d.Args[0]).Bits+7)/8)))
	case ir.MemCpy, ir.MemSet:
		c.write(old, d.Args[0], c.sized(old, d.Args[2]))
	case ir.Havoc:
		c.write(old, d.Args[0], c.sized(old, d.Args[1]))
	case ir.Free:
		c.free(d.Args[0])
	case ir.Call:
		if d.Sym == "" && c.strict {
			c.call(old, d.Args[0])
		}
	}
}

// sized is a size as wide as a pointer.
func (c *checker) sized(old *ir.Func, n ir.Value) ir.Value {
	switch w := old.Type(n).Bits; {
	case w < c.Module.PointerBits:
		return c.Op(ir.ZExt, c.Module.WordType(), n)
	case w > c.Module.PointerBits:
		return c.Op(ir.Trunc, c.Module.WordType(), n)
	}
	return n
}

// number is a constant that is made once in the function.
func (c *checker) number(bits uint32, n uint64) ir.Value {
	return c.once(fmt.Sprint(bits, " ", n), ir.Def{Op: ir.Const, Type: ir.IntType(bits), Const: bv.New(bits, n)})
}

func (c *checker) address(name string) ir.Value {
	return c.once(name, ir.Def{Op: ir.GlobalAddr, Type: c.Module.PtrType(), Sym: name})
}

func (c *checker) once(key string, d ir.Def) ir.Value {
	v, ok := c.consts[key]
	if !ok {
		v = c.Define(d)
		c.consts[key] = v
	}
	return v
}

// ghost is the value of a variable, 0 if there is none.
func (c *checker) ghost(t ir.Type, what string, k int) (ir.Value, bool) {
	name := fmt.Sprintf("%s%s_%d", cprover.Ghost, what, k)
	if c.Module.Global(name) == nil {
		return 0, false
	}
	return c.Op(ir.Load, t, c.address(name)), true
}

func (c *checker) or(a, b ir.Value) ir.Value  { return c.Op(ir.Or, ir.BoolType, a, b) }
func (c *checker) and(a, b ir.Value) ir.Value { return c.Op(ir.And, ir.BoolType, a, b) }

// idle says that the function does not run.
func (c *checker) idle() ir.Value {
	active, ok := c.ghost(ir.IntType(8), "active", 0)
	if !ok {
		return c.number(1, 0)
	}
	return c.Op(ir.Eq, ir.BoolType, active, c.number(8, 0))
}

// write checks a write of n bytes at p.
func (c *checker) write(old *ir.Func, p, n ir.Value) {
	origin := origin(old, p)
	if origin != nil && origin.Op == ir.Alloca {
		return
	}
	word, pointer := c.Module.WordType(), c.Module.PtrType()
	if origin == nil {
		for _, g := range c.ghosts {
			c.Op(ir.Assume, ir.Type{}, c.Not(c.Op(ir.SameObject, ir.BoolType, p, c.address(g))))
		}
	}
	ok := c.or(c.idle(), c.Op(ir.Eq, ir.BoolType, n, c.number(word.Bits, 0)))
	for k := 0; ; k++ {
		t, there := c.ghost(pointer, "target", k)
		if !there {
			break
		}
		size, _ := c.ghost(word, "size", k)
		distance := c.Op(ir.Sub, word, c.Op(ir.ObjectOffset, word, p), c.Op(ir.ObjectOffset, word, t))
		within := c.and(c.Op(ir.ULe, ir.BoolType, distance, size), c.Op(ir.ULe, ir.BoolType, n, c.Op(ir.Sub, word, size, distance)))
		ok = c.or(ok, c.and(c.Op(ir.SameObject, ir.BoolType, p, t), within))
	}
	if origin == nil || origin.Op != ir.GlobalAddr {
		ok = c.or(ok, c.and(c.Op(ir.ValidRange, ir.BoolType, p, n), c.isNew(p)))
	}
	what := "may write what __CPROVER_assigns does not name"
	if origin != nil && origin.Op == ir.GlobalAddr {
		name := origin.Sym
		if g := c.Module.Global(name); g != nil && g.CName != "" {
			name = g.CName
		}
		what = "may write " + name + ", which __CPROVER_assigns does not name"
	}
	c.check(ok, what)
}

// isNew says that the object of a pointer was not there before: of those that live.
func (c *checker) isNew(p ir.Value) ir.Value {
	out := c.number(1, 1)
	for k := 0; ; k++ {
		b, there := c.ghost(c.Module.PtrType(), "before", k)
		if !there {
			break
		}
		out = c.and(out, c.Not(c.Op(ir.SameObject, ir.BoolType, p, b)))
	}
	for _, g := range c.globals {
		out = c.and(out, c.Not(c.Op(ir.SameObject, ir.BoolType, p, c.address(g))))
	}
	return out
}

// free checks a free.
func (c *checker) free(p ir.Value) {
	pointer := c.Module.PtrType()
	ok := c.or(c.idle(), c.Op(ir.Eq, ir.BoolType, p, c.once("null", ir.Def{Op: ir.Null, Type: pointer})))
	for k := 0; ; k++ {
		t, there := c.ghost(pointer, "frees", k)
		if !there {
			break
		}
		ok = c.or(ok, c.Op(ir.SameObject, ir.BoolType, p, t))
	}
	c.check(c.or(ok, c.and(c.Op(ir.IsHeapStart, ir.BoolType, p), c.isNew(p))), "may free what __CPROVER_frees does not name")
}

// call checks that a function is called that is known here.
func (c *checker) call(old *ir.Func, p ir.Value) {
	if old.Def(p).Op == ir.FuncAddr {
		return
	}
	ok := c.idle()
	for _, f := range c.callees {
		ok = c.or(ok, c.Op(ir.Eq, ir.BoolType, p, c.once("function "+f, ir.Def{Op: ir.FuncAddr, Type: c.Module.PtrType(), Sym: f})))
	}
	c.check(ok, "calls a function that the precondition does not determine")
}

func (c *checker) check(ok ir.Value, what string) {
	c.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{ok}, Aux: int64(ir.Assertion), Sym: "the contract of " + c.function + ": it " + what})
}

// origin is the only definition that a pointer is an offset from, if it is one object.
func origin(f *ir.Func, p ir.Value) *ir.Def {
	for {
		switch d := f.Def(p); d.Op {
		case ir.PtrAdd, ir.Freeze:
			p = d.Args[0]
		case ir.Alloca, ir.GlobalAddr:
			return d
		default:
			return nil
		}
	}
}

// addressed are the functions whose addresses are taken.
func addressed(m *ir.Module) (out []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if f := m.Func(name); f != nil && !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, f := range m.Funcs {
		for i := range f.Values {
			if f.Values[i].Op == ir.FuncAddr {
				add(f.Values[i].Sym)
			}
		}
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			add(r.Target)
		}
	}
	return out
}
