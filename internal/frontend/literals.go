package frontend

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/ir"
	"assay/internal/llvm"
)

// This file lets string literals and constant compound literals share storage, which C
// leaves open and linkers decide: "abc" + 1 == "bc" has both results, and so has the
// comparison of two literals that are the same.
//
// A literal whose content stands in a larger one, or in an equal one before it, gets a cell
// that holds its address, which the entry function chooses: its own object, or the
// place in one of the others, wherever that is in turn. Whoever names the literal reads the
// cell. So nothing behind the front end knows of it. There is no choice
//
//   - if no function of the program compares pointers, or makes integers of them;
//   - for a literal that is only read in place or passed to library functions that
//     look at its characters;
//   - for a literal that a constant object points to: it is where it is, and others
//     may be in it. That its storage may be the tail of one of them is left out.

// SharedStorage begins the names of the inputs that say whether a literal is in another one.
const SharedStorage = "storage of "

// literal is a constant whose storage may be shared.
type literal struct {
	global *ir.Global
	init   []byte
	inside []place // where it may be
	cell   string  // holds its address; empty if that is its own
}

type place struct {
	in     *literal
	offset uint64
}

// shareLiterals finds the literals that need a cell.
func (im *importer) shareLiterals() {
	if !im.looksAtAddresses() {
		return
	}
	escaping := im.escapingConstants()
	pinned := map[string]bool{}
	for _, g := range im.m.Globals {
		for _, r := range g.Relocs {
			if g.Constant {
				pinned[r.Target] = true
			}
			escaping[r.Target] = true
		}
	}
	var list []*literal
	for _, g := range im.p.Globals {
		if !g.Constant || g.Init == nil || !g.Mergeable && !strings.HasPrefix(g.Name, ".compoundliteral") || !escaping[im.symbol(g)] {
			continue
		}
		n := im.m.Global(im.symbol(g))
		if n == nil || len(n.Relocs) > 0 || n.Size == 0 {
			continue
		}
		init := n.Init
		if init == nil {
			init = make([]byte, n.Size)
		}
		list = append(list, &literal{global: n, init: init})
	}
	// Those that stay come first, then the larger ones.
	slices.SortStableFunc(list, func(a, b *literal) int {
		if p, q := pinned[a.global.Name], pinned[b.global.Name]; p != q {
			if p {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.global.Size, a.global.Size)
	})
	for i, l := range list {
		if pinned[l.global.Name] {
			continue
		}
		for _, other := range list[:i] {
			l.inside = append(l.inside, l.placesIn(other)...)
		}
		if len(l.inside) > 0 {
			l.cell = "assay.literal." + l.global.Name
			word := uint64(im.p.PointerBits / 8)
			im.m.Globals = append(im.m.Globals, &ir.Global{Name: l.cell, Size: word, Align: word, Layout: ir.Layout{Stride: word, Cell: word, Pointers: true}})
			im.cells[l.global.Name] = l.cell
			im.literals = append(im.literals, l)
		}
	}
}

// placesIn are the places of another literal that hold the same bytes.
func (l *literal) placesIn(other *literal) (list []place) {
	if other.global.Align < l.global.Align {
		return nil
	}
	for at := uint64(0); at+l.global.Size <= other.global.Size; at += l.global.Align {
		if bytes.Equal(other.init[at:at+l.global.Size], l.init) {
			list = append(list, place{other, at})
		}
	}
	return list
}

// placeLiterals chooses the addresses, and puts them into the initialisers that hold
// them; it is called in the entry function.
func (f *function) placeLiterals() {
	own := func(l *literal) ir.Value {
		if l.cell == "" {
			return f.b.GlobalAddr(l.global.Name)
		}
		return f.b.Load(f.im.m.PtrType(), f.b.GlobalAddr(l.cell))
	}
	for _, l := range f.im.literals {
		p := f.b.GlobalAddr(l.global.Name)
		for _, in := range l.inside {
			name := fmt.Sprintf("%s%q in %q at %d", SharedStorage, l.init, in.in.init, in.offset)
			there := f.b.Nondet(ir.BoolType, ir.NondetInput, name)
			p = f.b.Select(there, f.offset(own(in.in), in.offset), p)
		}
		f.b.Store(p, f.b.GlobalAddr(l.cell))
	}
	for _, g := range f.im.m.Globals {
		if g.Constant || g.External {
			continue
		}
		for _, r := range g.Relocs {
			if f.im.cells[r.Target] != "" {
				f.b.Store(f.offset(f.symbolAddr(r.Target), uint64(r.Addend)), f.offset(f.b.GlobalAddr(g.Name), r.Offset))
			}
		}
	}
}

// looksAtAddresses says whether a function of the program compares pointers, other than
// to null, or makes integers of them.
func (im *importer) looksAtAddresses() bool {
	null := func(v llvm.Value) bool {
		c, ok := v.(*llvm.Const)
		return ok && c.Kind == llvm.ZeroConst
	}
	found := false
	for _, f := range im.p.Functions {
		if f.Library {
			continue
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				switch i.Op {
				case llvm.PtrToInt:
					found = true
				case llvm.ICmp:
					t := i.Args[0].ValueType()
					found = found || t != nil && t.Kind != llvm.IntType && !null(i.Args[0]) && !null(i.Args[1])
				}
				for _, a := range i.Args {
					walkConstant(a, func(v llvm.Value) {
						e, ok := v.(*llvm.Expr)
						found = found || ok && e.Op == llvm.PtrToInt
					})
				}
			}
		}
	}
	return found
}

// readers are library functions that look at the characters of literals, and keep or
// return no pointer to them.
var readers = map[string]bool{
	"printf": true, "fprintf": true, "sprintf": true, "snprintf": true, "puts": true, "fputs": true, "perror": true,
	"scanf": true, "fscanf": true, "sscanf": true, "fopen": true, "strlen": true, "strcmp": true, "strncmp": true, "memcmp": true,
	"atoi": true, "atol": true, "atof": true, "__assert_fail": true, "__assert": true, "abort": true,
	"strcpy": true, "strncpy": true, "strcat": true, "strncat": true, "memcpy": true, "memmove": true, "llvm.memcpy.p0.p0.i64": true, "llvm.memcpy.p0.p0.i32": true,
}

// escapingConstants are the symbols that are operands of anything but loads and calls
// of readers.
func (im *importer) escapingConstants() map[string]bool {
	escaping := map[string]bool{}
	for _, f := range im.p.Functions {
		if f.Library {
			continue
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if i.Op == llvm.Load || i.Op == llvm.DbgValue || i.Op == llvm.DbgDeclare {
					continue
				}
				if callee, ok := i.Callee.(*llvm.Function); ok && i.Op == llvm.Call && readers[callee.Name] && (callee.Blocks == nil || callee.Library || callee.Intrinsic) {
					continue
				}
				for _, a := range i.Args {
					walkConstant(a, func(v llvm.Value) {
						if g, ok := v.(*llvm.Global); ok {
							escaping[im.symbol(g)] = true
						}
					})
				}
			}
		}
	}
	return escaping
}
