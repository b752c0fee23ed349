package interp

// What decoding yields, and the programs that hold it.

import (
	"fmt"
	"sync"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// registerClass says in which window a value lives, and how.
type registerClass uint8

const (
	scalar registerClass = iota
	pair
	wide
)

func classOf(t ir.Type) registerClass {
	switch {
	case t.Kind == ir.Ptr:
		return pair
	case t.Bits > 64:
		return wide
	}
	return scalar
}

// register is where a value lives.
type register struct {
	class registerClass
	slot  uint32
}

// code is a decoded function.
type code struct {
	f     *ir.Func
	index uint32 // in Module.Funcs
	insts []inst

	registers  []register // by ir.Value
	words      int        // size of the window
	wides      int        // size of the window of wide integers
	constants  []uint64
	wideConsts []bv.BV
	addresses  []addressConst // constants that are known when a run starts
	clearFrom  int            // words that must be zero on entry: the pointers,
	clearTo    int            // which are looked at when leaks are searched
	params     []register
	// objectSlots says which words of the window are the objects of pointers.
	objectSlots []bool
	// idle says which words hold idle values; see idleSlots.
	idle     []bool
	idleOnce sync.Once

	// counted are the steps before each value since the machine counted last; see stepsBefore.
	counted     []int32
	countedOnce sync.Once

	heads int // with opCount

	calls    []callSite
	returns  [][]register
	switches []jumpTable
}

type addressConst struct {
	slot   uint32
	object uint64
}

// callSite is what a call needs.
type callSite struct {
	v       ir.Value
	callee  int    // index of the function, -1 if indirect
	pointer uint32 // register of the function pointer
	values  []ir.Value
	args    []register
	types   []ir.Type
	results []callResult
}

// callResult is where a result of a call goes.
type callResult struct {
	index int
	v     ir.Value
	t     ir.Type
	to    register
}

// Program is a module prepared for runs. It may be used by several goroutines.
type Program struct {
	m         *ir.Module
	functions []function
	index     map[string]int    // of functions, by name
	objects   map[string]uint64 // of functions and globals
	entry     int
	// addresses says whether the program looks at addresses; asked once.
	addresses func() bool
	// revived are the allocas whose objects come to life again; asked once.
	revived func() map[maker]bool
	// idle are the values on which no run depends, by function; asked once.
	idle func() [][]bool
}

// maker names an Alloca; the zero value stands for any.
type maker struct {
	function uint32
	site     ir.Value
}

// wakes says whether an object of an Alloca may come to life again.
func (p *Program) wakes(function uint32, site ir.Value) bool {
	r := p.revived()
	return r[maker{function, site}] || r[maker{}]
}

func revived(m *ir.Module) map[maker]bool {
	r := map[maker]bool{}
	for i, f := range m.Funcs {
		for v := 1; v < len(f.Values); v++ {
			d := f.Def(ir.Value(v))
			switch {
			case d.Op != ir.LifetimeStart:
			case f.Def(d.Args[0]).Op == ir.Alloca:
				r[maker{uint32(i), d.Args[0]}] = true
			default:
				r[maker{}] = true
			}
		}
	}
	return r
}

// looksAtAddresses says whether the program, library models aside, makes integers of
// pointers or pointers of integers, or orders pointers.
func (p *Program) looksAtAddresses() bool { return p.addresses() }

func looksAtAddresses(m *ir.Module) bool {
	for _, f := range m.Funcs {
		if f.Model {
			continue
		}
		for v := 1; v < len(f.Values); v++ {
			switch d := f.Def(ir.Value(v)); d.Op {
			case ir.PtrToInt, ir.IntToPtr:
				return true
			case ir.ULt, ir.ULe:
				if f.Type(d.Args[0]).Kind == ir.Ptr {
					return true
				}
			}
		}
	}
	return false
}

type function struct {
	f     *ir.Func
	codes [variants]struct {
		once sync.Once
		code *code
	}
}

// The variants of code: without Dbg and Label, with them, with opBlock, with opHead,
// with opCount, with loads that tell of what was never written, with opStored.
const (
	withEvents = 1 << iota
	withBlocks
	withHeads
	withCounts
	withUnwritten
	withStores
	variants
)

// Compile prepares a module for runs. Functions are decoded when first called.
func Compile(m *ir.Module) (*Program, error) {
	p := &Program{m: m, functions: make([]function, len(m.Funcs)), index: map[string]int{}, objects: map[string]uint64{}, entry: -1}
	p.addresses = sync.OnceValue(func() bool { return looksAtAddresses(m) })
	p.revived = sync.OnceValue(func() map[maker]bool { return revived(m) })
	p.idle = sync.OnceValue(func() [][]bool { return ir.Idle(m) })
	for i, f := range m.Funcs {
		p.functions[i].f = f
		p.index[f.Name] = i
		p.objects[f.Name] = uint64(i) + 1
	}
	for i, g := range m.Globals {
		p.objects[g.Name] = uint64(len(m.Funcs)+i) + 1
	}
	if i, ok := p.index[m.Entry]; ok && !m.Funcs[i].IsDecl() {
		p.entry = i
		return p, nil
	}
	return nil, fmt.Errorf("interp: the module has no entry function %q with a body", m.Entry)
}

// code is the decoded form of a function with a body.
func (p *Program) code(i int, variant int) *code {
	c := &p.functions[i].codes[variant]
	c.once.Do(func() {
		d := decoder{p: p, f: p.functions[i].f, variant: variant}
		d.code = &code{f: d.f, index: uint32(i)}
		d.decode()
		c.code = d.code
	})
	return c.code
}
