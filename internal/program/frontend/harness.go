package frontend

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file makes the function where runs start. It has neither parameters nor
// results, and does what the C runtime does around main: global constructors,
// arguments, the call, exit handlers, the end of the program.
//
// main gets any argc >= 0, at least 1 with an inferred harness (Linux starts nothing without a name since 5.18), and for argv, if main looks at it, an object of
// argc+1 pointers. The first of them point to strings, each an object of its own
// of any size up to the limit of Linux, with arbitrary content up to the null
// character at its end; the last is null. A run of the interpreter may make them all, and so do
// engines that can tell of all elements of an array at once (Program.Vectors). For the others only
// the first few are strings; those behind are arbitrary, and violations on runs with
// arbitrary ones do not count. The environment (the third
// parameter of main, and environ) is such an object, too. What another function
// under analysis gets is in arguments.go.

// EntryName is the function where runs start.
const EntryName = "assay.entry"

func (im *importer) harness() error {
	target := im.p.Function(im.opts.first())
	if target == nil || target.Blocks == nil {
		e := &InputError{Diagnostics: []Diagnostic{{Severity: "error", Message: "the program does not define the function " + im.opts.entry()}}}
		if len(im.p.Defined) > 0 {
			e.Hint = "it defines " + strings.Join(im.p.Defined, ", ")
		}
		return e
	}
	f := &function{
		im:     im,
		b:      ir.NewFunc(im.m, EntryName),
		vals:   map[llvm.Value][]ir.Value{},
		checks: &checks{},
		fresh:  map[ir.Value]bool{},
	}
	f.at(f.b.Block("entry"))
	im.m.Entry = EntryName
	if len(im.obstacles) > 0 {
		f.unsupported(im.obstacles[0])
		f.b.Done()
		return nil
	}
	environment := f.environment(target)
	f.placeLiterals()
	for _, fn := range byPriority(im.p.Constructors) {
		if im.opts.Obligation { // they ran before, and who knows what since
			break
		}
		f.emitCall(fn, nil)
		if len(fn.Type.Params) == 0 && fn.Type.Return.Kind == llvm.VoidType && !fn.Type.Variadic {
			im.m.Constructors = append(im.m.Constructors, im.symbol(fn))
		}
	}
	f.setPos(pos(target.Pos))
	if target.Name == "main" {
		f.callMain(target, environment)
	} else {
		if err := f.callTarget(target); err != nil {
			return err
		}
	}
	if !im.opts.Obligation { // its caller goes on
		f.runExitHandlers()
	}
	f.setPos(returnOf(target))
	f.halt(ir.HaltExit)
	f.b.Done()
	return nil
}

// returnOf is where a function returns: clang leads all its returns to the end of its body.
func returnOf(fn *llvm.Function) ir.Pos {
	for _, b := range fn.Blocks {
		if i := b.Instrs[len(b.Instrs)-1]; i.Op == llvm.Ret {
			return pos(i.Pos)
		}
	}
	return pos(fn.Pos)
}

// emitCall calls a function with a body, and is its result, if it has one; missing arguments are arbitrary.
func (f *function) emitCall(fn *llvm.Function, args []ir.Value) ir.Value {
	args, _ = f.adapt(args, f.im.flattenAll(fn.Type.Params))
	var t ir.Type
	if result := f.im.flatten(fn.Type.Return); len(result.scalars) > 0 {
		t = result.scalars[0].Type
	}
	return f.b.Call(t, f.im.symbol(fn), args...)
}

func (f *function) callMain(fn *llvm.Function, environment ir.Value) {
	var args []ir.Value
	types := f.im.flattenAll(fn.Type.Params)
	if len(types) > 0 && types[0].Kind == ir.Int {
		argc := f.b.Nondet(types[0], ir.NondetInput, "argc")
		f.b.Assume(f.b.Cmp(ir.SLe, f.zero(types[0]), argc))
		if f.im.opts.Harness.Infer { // somebody says who is called
			f.b.Assume(f.b.Cmp(ir.SLt, f.zero(types[0]), argc))
		}
		args = append(args, argc)
		if len(types) > 1 && types[1].Kind == ir.Ptr {
			if f.im.opts.Harness.Short {
				f.b.Assume(f.b.Cmp(ir.SLe, argc, f.b.Const(types[0].Bits, shortStrings)))
			}
			switch {
			case isUsed(fn, 1) && f.im.opts.Harness.Short:
				args = append(args, f.shortVector(argc))
			case isUsed(fn, 1):
				args = append(args, f.argumentVector(argc))
			default:
				args = append(args, f.b.Null())
			}
			if environment != 0 && len(types) > 2 && types[2].Kind == ir.Ptr {
				args = append(args, environment)
			}
		}
	}
	f.emitCall(fn, args)
}

// environmentObjects are the names under which the library lets a program look at
// the environment, if it declares one and does not define it.
var environmentObjects = []string{"environ", "__environ", "_environ"}

// environment makes the environment and lets the objects point to it; it is 0 if
// the program does not look at it.
func (f *function) environment(target *llvm.Function) ir.Value {
	var objects []*llvm.Global
	for _, g := range f.im.p.Globals {
		if slices.Contains(environmentObjects, g.Name) && g.Init == nil {
			objects = append(objects, g)
		}
	}
	parameter := target.Name == "main" && len(target.Params) > 2 && isUsed(target, 2)
	if objects == nil && !parameter {
		return 0
	}
	if len(objects) > 1 {
		f.unsupported("the environment by two names, which are one object")
		return 0
	}
	n := f.b.Nondet(ir.IntType(32), ir.NondetInput, "strings of the environment")
	f.b.Assume(f.b.Cmp(ir.SLe, f.b.Const(32, 0), n))
	vector := f.strings("the environment", n)
	for _, g := range objects {
		f.b.Store(vector, f.b.GlobalAddr(f.im.symbol(g)))
	}
	return vector
}

// argumentVector makes argv.
func (f *function) argumentVector(argc ir.Value) ir.Value {
	f.im.notes.add(Note{Text: fmt.Sprintf("argv is an object of argc+1 pointers, to strings of less than %d KiB each, and null", argumentLength/1024)})
	return f.strings("argv", argc)
}

// shortVector makes the argv of a call with few and short arguments, as somebody types who tries a program (harness.Variant.Short). All sizes are
// constants: of strings those before the null character at their end, which may come earlier.
func (f *function) shortVector(argc ir.Value) ir.Value {
	f.im.notes.add(Note{Text: fmt.Sprintf("argv has %d strings at most, of at most %d characters each, and null pointers behind them", shortStrings, shortLength)})
	word := uint64(f.im.p.PointerBits / 8)
	vector := f.b.Alloca((shortStrings+1)*word, word)
	for i := range uint64(shortStrings) {
		s := f.b.Alloca(shortLength+1, 1)
		f.b.Store(f.b.Const(8, 0), f.b.PtrAdd(s, f.b.Word(shortLength)))
		given := f.b.Cmp(ir.SLt, f.b.Const(f.b.Func.Type(argc).Bits, i), argc)
		f.b.Store(f.b.Select(given, s, f.b.Null()), f.b.PtrAdd(vector, f.b.Word(i*word)))
	}
	f.b.Store(f.b.Null(), f.b.PtrAdd(vector, f.b.Word(shortStrings*word)))
	return vector
}

// shortStrings is the number of strings of a short argv, shortLength the most characters of each.
const (
	shortStrings = 3
	shortLength  = 3
)

// strings makes a vector of argc pointers to strings with a null pointer at its end.
func (f *function) strings(name string, argc ir.Value) ir.Value {
	f.im.vectors = true
	word := uint64(f.im.p.PointerBits / 8)
	if f.im.p.PointerBits == 32 { // or the size would not fit
		f.b.Assume(f.b.Cmp(ir.SLt, argc, f.b.Const(f.b.Func.Type(argc).Bits, 1<<28)))
	}
	n := f.signedResize(argc, f.im.p.PointerBits)
	last := f.b.Bin(ir.Mul, n, f.b.Word(word))
	size := f.b.Bin(ir.Add, last, f.b.Word(word))
	vector := f.b.Emit(ir.Def{
		Op: ir.Alloca, Type: f.im.m.PtrType(), Args: []ir.Value{size}, Aux: int64(word),
		Layout: ir.Layout{Stride: word, Cell: word, Pointers: true},
	})
	f.b.Store(f.b.Null(), f.b.PtrAdd(vector, last))
	done, exact, inexact := f.b.Block("arguments"), f.b.Block("exact"), f.b.Block("inexact")
	f.b.CondBr(f.b.Nondet(ir.BoolType, ir.NondetExact, name), exact, inexact)
	f.at(exact)
	f.allStrings(vector, n, done)
	f.at(inexact)
	for i := range uint64(argumentStrings) {
		on := f.b.Block("argument")
		f.b.CondBr(f.b.Cmp(ir.SLt, f.b.Const(f.b.Func.Type(argc).Bits, i), argc), on, done)
		f.at(on)
		f.b.Store(f.argumentString(), f.b.PtrAdd(vector, f.b.Word(i*word)))
	}
	more := f.b.Block("more")
	f.b.CondBr(f.b.Cmp(ir.SLt, f.b.Const(f.b.Func.Type(argc).Bits, argumentStrings), argc), more, done)
	f.at(more)
	f.b.Assume(f.b.Nondet(ir.BoolType, ir.NondetApproximate, name))
	f.b.Br(done)
	f.at(done)
	return vector
}

// allStrings makes the strings one by one, in a loop, and goes to done.
func (f *function) allStrings(vector, n ir.Value, done ir.BlockID) {
	word := f.im.p.PointerBits
	before := f.b.Current()
	head := f.b.Block("further")
	body := f.b.Block("another")
	f.b.Br(head)
	f.at(head)
	i := f.b.Phi(ir.IntType(word))
	f.b.AddIncoming(i, f.b.Word(0), before)
	f.b.CondBr(f.b.Cmp(ir.SLt, i, n), body, done)
	f.at(body)
	f.b.Store(f.argumentString(), f.b.PtrAdd(vector, f.b.Bin(ir.Mul, i, f.b.Word(uint64(word/8)))))
	f.b.AddIncoming(i, f.b.Bin(ir.Add, i, f.b.Word(1)), f.b.Current())
	f.b.Br(head)
}

// argumentStrings is the number of strings of argv, argumentLength the most bytes
// that Linux allows in one (MAX_ARG_STRLEN).
const (
	argumentStrings = 4
	argumentLength  = 1 << 17
)

// ArgumentLength is the name of the inputs that are the lengths of the strings of argv.
const ArgumentLength = "length of an argument"

// argumentString makes a string of the command line.
func (f *function) argumentString() ir.Value {
	length := f.b.Nondet(f.im.m.WordType(), ir.NondetInput, ArgumentLength)
	f.b.Assume(f.b.Cmp(ir.ULt, length, f.b.Word(argumentLength)))
	s := f.b.Emit(ir.Def{
		Op: ir.Alloca, Type: f.im.m.PtrType(), Args: []ir.Value{f.b.Bin(ir.Add, length, f.b.Word(1))}, Aux: 1,
		Layout: ir.Layout{Stride: 1, Cell: 1},
	})
	f.b.Store(f.b.Const(8, 0), f.b.PtrAdd(s, length))
	return s
}

// isUsed says whether a parameter is used at all.
func isUsed(fn *llvm.Function, index int) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if i.Op == llvm.DbgValue || i.Op == llvm.DbgDeclare {
				continue
			}
			for _, a := range i.Args {
				if a == llvm.Value(fn.Params[index]) {
					return true
				}
			}
		}
	}
	return false
}

// stub gives a body to a function without one whose address is taken: it does
// what a direct call does.
func (im *importer) stub(src *llvm.Function) {
	result := im.flatten(src.Type.Return)
	var types []ir.Type
	for _, s := range result.scalars {
		types = append(types, s.Type)
	}
	f := &function{
		im:     im,
		b:      ir.NewFunc(im.m, im.symbol(src), types...),
		vals:   map[llvm.Value][]ir.Value{},
		checks: &checks{},
		fresh:  map[ir.Value]bool{},
	}
	f.b.Func.Variadic = src.Type.Variadic
	f.b.Func.Model = true
	c := &externalCall{name: src.Name, callee: src, noReturn: src.NoReturn, result: result}
	problem := result.problem
	for _, p := range src.Type.Params {
		t := im.flatten(p)
		if t.problem != "" {
			problem = t.problem
		}
		var list []ir.Value
		for _, s := range t.scalars {
			list = append(list, f.b.Param(s.Type))
		}
		c.args = append(c.args, list)
	}
	f.at(f.b.Block("entry"))
	if problem != "" {
		f.unsupported(problem)
	} else if list := f.external(c); !f.ended {
		f.b.Ret(list...)
	}
	f.b.Done()
}
