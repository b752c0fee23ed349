package frontend

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"assay/internal/program/harness"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports a module: it gives LLVM's instructions the meaning that
// docs/soundness.md lists, once, so that nothing after it has to know LLVM.
//
// The copy in package llvm holds what is reachable; all of it is imported,
// except the functions and objects that stand for operations (intrinsics,
// @assay.nondet). What ir cannot express becomes an Unsupported terminator at
// the place where it would be executed, never an error of the whole module.

// importer is the state of one import.
type importer struct {
	p    *llvm.Program
	m    *ir.Module
	opts *Options
	// checkedAt are the places of checks, if clang has warned of constants.
	checkedAt map[checkPlace]bool
	// foreign says that the module was not compiled by us: it has no checks,
	// so that flags like nsw become checks.
	foreign bool

	flats map[*llvm.Type]*flat
	// complexIntegers says of types of variables whether they have complex integers (unsanitized.go).
	complexIntegers map[*llvm.CType]bool
	names           map[llvm.Value]string // of globals and functions that have none
	// isFunction are the symbols that are functions.
	isFunction map[string]bool
	labels     map[*llvm.Block]uint64
	// addressTaken are the functions that may be called through pointers.
	addressTaken map[*llvm.Function]bool
	exterior     map[*llvm.Function]bool // address-taken functions without body that have a stub
	stubs        []*llvm.Function
	// wanted are the library models that are still to be imported, reached
	// those that were wanted once: many calls need no model in the end.
	wanted  []*llvm.Function
	reached map[*llvm.Function]bool
	notes   noteSet
	// vectors says that there are strings of the command line or the environment (harness.go).
	vectors bool
	// wrappers are what functions do with lists of arguments to print (printing.go).
	wrappers map[*llvm.Function]*wrapper
	// specialised are the copies of functions that are imported for some of their calls, by what they are for,
	// toSpecialise those that are still to be imported (copies.go).
	specialised  map[string]*specialised
	copies       map[*llvm.Function][]*specialised
	toSpecialise []*specialised
	// unmodelled are the calls of functions without body, if these change memory.
	unmodelled []unmodelledCall
	// literals are those whose storage may be shared, cells the objects that hold their
	// addresses, by name.
	literals []*literal
	tables   []*table // constants that point to literals in cells
	cells    map[string]string
	// obstacles are initialisers that cannot be expressed: the program cannot
	// be started.
	obstacles []string
	// unsupported are the answers of unsupportedLibrary, by name.
	unsupported map[string]string
	// parts are those of the types of variables.
	parts map[*llvm.CType]*ir.Parts
	// plan is how the function under analysis is called, with Options.Harness; callbacks counts its functions.
	plan      *harness.Plan
	callbacks int
	// pointing is Program.Pointing.
	pointing []string
}

func newImporter(p *llvm.Program, opts *Options, foreign bool) *importer {
	im := &importer{
		p:            p,
		m:            &ir.Module{PointerBits: p.PointerBits, Optimized: foreign, Files: p.Files},
		opts:         opts,
		foreign:      foreign,
		flats:        map[*llvm.Type]*flat{},
		names:        map[llvm.Value]string{},
		isFunction:   map[string]bool{},
		labels:       map[*llvm.Block]uint64{},
		addressTaken: map[*llvm.Function]bool{},
		exterior:     map[*llvm.Function]bool{},
		reached:      map[*llvm.Function]bool{},
		cells:        map[string]string{},
		unsupported:  map[string]string{},
		parts:        map[*llvm.CType]*ir.Parts{},
	}
	return im
}

// run imports everything and makes the entry function.
func (im *importer) run() error {
	im.nameUnnamed()
	im.scanConstants()
	for _, g := range im.p.Globals {
		if g.Name != llvm.NondetObject && !strings.HasPrefix(g.Name, "llvm.") {
			im.global(g)
		}
	}
	im.shareLiterals()
	if im.p.ModuleAsm {
		im.obstacles = append(im.obstacles, "assembly at file level")
	}
	if im.p.Started != "" {
		im.obstacles = append(im.obstacles, "functions that the section "+im.p.Started+" names, which run before or after main")
	}
	im.unrequestable()
	if im.p.Volatile {
		im.notes.add(Note{Text: "volatile and atomic accesses behave like plain ones: nothing outside of the program changes memory"})
	}
	for _, f := range im.p.Functions {
		if f.Blocks != nil && !f.Library {
			im.function(f)
		}
	}
	if err := im.harness(); err != nil {
		return err
	}
	for len(im.wanted)+len(im.toSpecialise) > 0 {
		if len(im.toSpecialise) > 0 {
			s := im.toSpecialise[0]
			im.toSpecialise = im.toSpecialise[1:]
			im.functionFor(s.of, s)
			continue
		}
		f := im.wanted[0]
		im.wanted = im.wanted[1:]
		im.function(f)
	}
	for len(im.stubs) > 0 {
		f := im.stubs[0]
		im.stubs = im.stubs[1:]
		im.stub(f)
	}
	im.unseenConstants()
	im.adopt()
	im.effects()
	im.rounding()
	for _, f := range im.m.Funcs {
		prune(f)
	}
	if im.opts.Assumed != "" {
		if err := im.assume(); err != nil {
			return err
		}
	}
	im.spare()
	placeLives(im.m)
	return nil
}

// nameUnnamed names the objects that LLVM only numbers.
func (im *importer) nameUnnamed() {
	n := 0
	name := func(v llvm.Value, given string) {
		if given == "" {
			im.names[v] = fmt.Sprintf("assay.unnamed.%d", n)
			n++
		}
	}
	for _, g := range im.p.Globals {
		name(g, g.Name)
	}
	for _, f := range im.p.Functions {
		name(f, f.Name)
		if f.Name != "" {
			im.isFunction[f.Name] = true
		} else {
			im.isFunction[im.symbol(f)] = true
		}
	}
}

// symbol is the name of a global or function in the module, which needs it now.
func (im *importer) symbol(v llvm.Value) string {
	if n, ok := im.names[v]; ok {
		return n
	}
	switch v := v.(type) {
	case *llvm.Global:
		return v.Name
	case *llvm.Function:
		if v.Library && v.Blocks != nil && !im.reached[v] {
			im.reached[v] = true
			im.wanted = append(im.wanted, v)
		}
		return v.Name
	}
	panic(fmt.Sprintf("frontend: symbol of %T", v))
}

// functionSymbol is the name of a function whose address is taken. A function
// without body gets one that does what a direct call of it does.
func (im *importer) functionSymbol(f *llvm.Function) string {
	if f.Blocks == nil && !im.exterior[f] {
		im.exterior[f] = true
		im.stubs = append(im.stubs, f)
	}
	return im.symbol(f)
}

// scanConstants looks at all constants. Each block whose address is taken gets
// a small number: that is its address (labels are compared and jumped to,
// never dereferenced). Functions whose address is taken are noted.
func (im *importer) scanConstants() {
	visit := func(v llvm.Value) {
		walkConstant(v, func(v llvm.Value) {
			switch v := v.(type) {
			case *llvm.Function:
				im.addressTaken[v] = true
			case *llvm.Expr:
				if v.Op != llvm.BlockAddress {
					return
				}
				b := v.Args[0].(*llvm.Block)
				if im.labels[b] == 0 {
					im.labels[b] = uint64(len(im.labels) + 1)
				}
			}
		})
	}
	for _, g := range im.p.Globals {
		if g.Init != nil {
			visit(g.Init)
		}
	}
	for _, f := range im.p.Functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				for _, a := range i.Args {
					visit(a)
				}
			}
		}
	}
}

// walkConstant visits a constant and the constants in it.
func walkConstant(v llvm.Value, visit func(llvm.Value)) {
	visit(v)
	switch v := v.(type) {
	case *llvm.Const:
		for _, e := range v.Elems {
			walkConstant(e, visit)
		}
	case *llvm.Expr:
		for _, e := range v.Args {
			walkConstant(e, visit)
		}
	}
}

// byPriority are the functions of a list of constructors, lower priorities first.
func byPriority(list []llvm.Constructor) []*llvm.Function {
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Priority < list[j].Priority })
	var funcs []*llvm.Function
	for _, c := range list {
		if f, ok := c.Func.(*llvm.Function); ok && f.Blocks != nil {
			funcs = append(funcs, f)
		}
	}
	return funcs
}

// pos converts a position.
func pos(p llvm.Pos) ir.Pos { return ir.Pos{File: p.File, Line: p.Line, Col: p.Col} }
