package frontend

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file lets string literals and constant compound literals share storage, which C
// leaves open and linkers decide: "abc" + 1 == "bc" has both results, and so has the
// comparison of two literals that are the same.
//
// A literal whose content stands in a larger one, or in an equal one before it, gets a cell
// that holds its address, which the entry function chooses: its own object, or the
// place in one of the others. (Where the other one is itself elsewhere, the place in its
// own object is one that nothing else points to, as an object of the literal's own is; and
// its place there is among the literal's places, too.) Each use of the literal reads the
// cell. So nothing behind the front end knows of it. A constant object that points to such
// a literal, or to such an object, is there once for each choice, and has a cell, too.
// There is no cell for a literal that is only read in place or passed to library
// functions that look at its characters.

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

// table is a constant object that points to what has a cell.
type table struct {
	global *ir.Global
	cell   string
	// targets are what it points to and has a cell, in the order of the table.
	targets []string
	// versions have for each target the number of its choice; the first is the
	// object itself.
	versions []version
	// some says that there are choices without a version.
	some bool
}

type version struct {
	choices []int
	global  string
}

// Bounds of the versions of one table. Beyond maxVersions none, one, or all of the targets
// are elsewhere, and if these are more than maxSingles then none or all; all of them are in the
// largest one that they can be in, as linkers do it.
const (
	maxVersions = 32
	maxSingles  = 256
)

// shareLiterals finds the literals that need a cell.
func (im *importer) shareLiterals() {
	escaping := im.escapingConstants()
	for _, g := range im.m.Globals {
		for _, r := range g.Relocs {
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
	slices.SortStableFunc(list, func(a, b *literal) int { return cmp.Compare(b.global.Size, a.global.Size) })
	choices := map[string]int{} // of what has a cell
	for i, l := range list {
		for _, other := range list[:i] {
			l.inside = append(l.inside, l.placesIn(other)...)
		}
		choices[l.global.Name] = 1 + len(l.inside)
		if len(l.inside) > 0 {
			l.cell = im.cell(l.global.Name)
			im.literals = append(im.literals, l)
		}
	}
	im.shareTables(choices)
}

// cell makes the cell of an object.
func (im *importer) cell(name string) string {
	cell := "assay.literal." + name
	word := uint64(im.p.PointerBits / 8)
	im.m.Globals = append(im.m.Globals, &ir.Global{Name: cell, Size: word, Align: word, Layout: ir.Layout{Stride: word, Cell: word, Pointers: true}})
	im.cells[name] = cell
	return cell
}

// shareTables makes the versions of constant objects that point to what has a cell.
// Objects that point to each other in a circle have none.
func (im *importer) shareTables(choices map[string]int) {
	pending := map[string]*ir.Global{}
	for _, g := range im.m.Globals {
		if g.Constant && len(g.Relocs) > 0 {
			pending[g.Name] = g
		}
	}
	for again := true; again; {
		again = false
		for _, g := range slices.Clone(im.m.Globals) {
			if pending[g.Name] == nil || slices.ContainsFunc(g.Relocs, func(r ir.Reloc) bool { return pending[r.Target] != nil }) {
				continue
			}
			delete(pending, g.Name)
			again = true
			t := &table{global: g}
			for _, r := range g.Relocs {
				if im.cells[r.Target] != "" && !slices.Contains(t.targets, r.Target) {
					t.targets = append(t.targets, r.Target)
				}
			}
			if len(t.targets) == 0 {
				continue
			}
			t.enumerate(choices)
			t.cell = im.cell(g.Name)
			choices[g.Name] = len(t.versions)
			for i := range t.versions {
				t.versions[i].global = g.Name
				if i > 0 {
					t.versions[i].global = fmt.Sprintf("%s.storage.%d", g.Name, i)
					// The relocations follow when it is known where the targets may be.
					n := *g
					n.Name, n.Relocs = t.versions[i].global, slices.Clone(g.Relocs)
					im.m.Globals = append(im.m.Globals, &n)
				}
			}
			if t.some {
				im.notes.add(Note{Text: fmt.Sprintf("of the literals that %s points to, none, one or all are stored in another one", cmp.Or(g.CName, "a constant")), Pos: g.Pos})
			}
			im.tables = append(im.tables, t)
		}
	}
}

// enumerate lists the versions.
func (t *table) enumerate(choices map[string]int) {
	product := 1
	for _, target := range t.targets {
		if product *= choices[target]; product > maxVersions {
			break
		}
	}
	first := version{choices: make([]int, len(t.targets))}
	t.versions = []version{first}
	t.some = product > maxVersions
	singles := 0
	for _, target := range t.targets {
		singles += choices[target] - 1
	}
	for i, target := range t.targets {
		if t.some && singles > maxSingles {
			break
		}
		from := t.versions
		if t.some {
			from = t.versions[:1]
		}
		for _, v := range slices.Clone(from) {
			for k := 1; k < choices[target]; k++ {
				w := version{choices: slices.Clone(v.choices)}
				w.choices[i] = k
				t.versions = append(t.versions, w)
			}
		}
	}
	if t.some {
		all := version{choices: slices.Clone(first.choices)}
		for i := range all.choices {
			all.choices[i] = 1
		}
		t.versions = append(t.versions, all)
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

// choice is one of the places of a literal or a constant object.
type choice struct {
	chosen ir.Value // 0 for a certain one
	symbol string
	offset uint64
}

// placeLiterals chooses the addresses, and puts them into the initialisers that hold
// them; it is called in the entry function.
func (f *function) placeLiterals() {
	places := map[string][]choice{} // the first is the object itself
	at := func(name string) []choice {
		if list := places[name]; list != nil {
			return list
		}
		return []choice{{symbol: name}}
	}
	for _, l := range f.im.literals {
		p := f.b.GlobalAddr(l.global.Name)
		list := []choice{{symbol: l.global.Name}}
		for _, in := range l.inside {
			name := fmt.Sprintf("%s%q in %q at %d", SharedStorage, l.init, in.in.init, in.offset)
			there := f.b.Nondet(ir.BoolType, ir.NondetInput, name)
			p = f.b.Select(there, f.offset(f.b.GlobalAddr(in.in.global.Name), in.offset), p)
			elsewhere := f.b.Cmp(ir.Eq, there, f.b.Const(1, 0))
			for i := range list {
				list[i].chosen = f.both(list[i].chosen, elsewhere)
			}
			list = append(list, choice{there, in.in.global.Name, in.offset})
		}
		f.b.Store(p, f.b.GlobalAddr(l.cell))
		places[l.global.Name] = list
	}
	for _, t := range f.im.tables {
		p := f.b.GlobalAddr(t.global.Name)
		var list []choice
		some := f.b.Const(1, 0)
		for i, v := range t.versions {
			var chosen ir.Value
			to := map[string]choice{}
			for k, target := range t.targets {
				c := at(target)[v.choices[k]]
				chosen, to[target] = f.both(chosen, c.chosen), c
			}
			g := f.im.m.Global(v.global)
			for k, r := range g.Relocs {
				if c, ok := to[r.Target]; ok {
					g.Relocs[k] = ir.Reloc{Offset: r.Offset, Target: c.symbol, Addend: r.Addend + int64(c.offset)}
				}
			}
			list = append(list, choice{chosen, v.global, 0})
			some = f.b.Select(chosen, f.b.Const(1, 1), some)
			if i > 0 {
				p = f.b.Select(chosen, f.b.GlobalAddr(v.global), p)
			}
		}
		if t.some {
			f.b.Assume(some)
		}
		f.b.Store(p, f.b.GlobalAddr(t.cell))
		places[t.global.Name] = list
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

// both is the conjunction of two conditions, of which 0 is true.
func (f *function) both(a, b ir.Value) ir.Value {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	}
	return f.b.Select(a, b, f.b.Const(1, 0))
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
