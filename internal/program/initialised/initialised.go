// Package initialised checks in the intermediate representation that nothing depends on memory
// that was never written: the property valid-init.
//
// It adds to a program what MemorySanitizer [MSan] adds to a binary, but for one thing. Each value that may
// be garbage gets a shadow, of which the bits that are 1 are garbage (shadow.go has a rule for each
// operation). MemorySanitizer has a shadow of the whole memory, too. Here a run has a token instead, which lies on one
// byte of memory that is garbage, or nowhere:
//
//	object, offset   the byte; the greatest number as offset, which no object has, is no token
//	mask             its bits that are garbage
//
// Where an object is made, its content is garbage, and the run may put the token on one of its bytes. Reading
// the byte gives a value whose shadow is the mask, writing it removes the token. Where a value that is
// garbage is written, or memory is copied that the token lies in, the run may put the token there.
// Garbage of more than one source makes the value garbage that one of them makes garbage, so that each use of
// garbage can be followed back to one byte, along one chain of copies; and the run whose token
// went that way comes to the use with it. So a use of garbage in one of the runs of the program is a
// violation in one of the runs of the program with the token, and the other way round: a violation is one of
// the program, for no choice about the token changes what the program does. The proof for all bytes at
// once becomes one for any byte, which engines are good at: that an array is written up to i is a
// bound of one number (offset >= 4*i, no token included), and needs no quantifier.
//
// A use is: the condition of a branch, an assumption or an assertion; an address, or the length of a range;
// a divisor; a number or a character that is printed; an argument of a function without body, and what main or the function under analysis
// returns, but for structures, which have padding. Copies are no uses.
//
// Which values and which memory may be garbage at all is found out before, without regard to the order
// of execution (flow.go). What cannot be is left as it is.
//
// What is garbage: locals without initialiser, what malloc, realloc and alloca give, and results of functions that end
// without one. What is not: arbitrary values that stand for inputs, what a function without
// body leaves, and what the harness of a function under analysis makes.
package initialised

import (
	"bytes"
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Output is a function without body that the front end calls with values that go out of the program; of a pointer with whether
// it is null. Check removes the calls.
const Output = "assay.output"

// Ghost begins the names of the variables of the token and of the shadows of arguments and results.
const Ghost = "assay.init."

// The variables of the token: where it lies, for those who explain a run, and its mask.
const (
	TokenObject = Ghost + "object" // a pointer into the object
	TokenOffset = Ghost + "offset"
	tokenMask   = Ghost + "mask"
)

// characters are library functions whose first argument is a character that goes out of the program.
var characters = map[string]bool{"putchar": true, "putchar_unlocked": true, "putc": true, "putc_unlocked": true, "fputc": true, "fputc_unlocked": true, "putw": true, "putwchar": true, "fputwc": true, "putwc": true}

// Unseen are library functions that put out memory whose content is not looked at.
var Unseen = []string{"fwrite", "fwrite_unlocked", "write", "pwrite", "send", "sendto", "writev"}

// Check is the module with the checks. m stays as it is.
func Check(m *ir.Module) *ir.Module {
	fl := flowOf(m)
	out := *m
	out.Funcs, out.Globals = nil, append([]*ir.Global(nil), m.Globals...)
	x := &instrumenter{flow: fl, m: &out, ghosts: map[string]bool{}}
	for _, f := range m.Funcs {
		switch {
		case f.Name == Output:
		case f.IsDecl():
			out.Funcs = append(out.Funcs, f)
		default:
			g := *f
			g.Values = make([]ir.Def, len(f.Values))
			for i, d := range f.Values {
				d.Args = append([]ir.Value(nil), d.Args...)
				g.Values[i] = d
			}
			g.Blocks = make([]ir.Block, len(f.Blocks))
			for b := range f.Blocks {
				g.Blocks[b] = f.Blocks[b]
				g.Blocks[b].Instrs = nil
			}
			out.Funcs = append(out.Funcs, &g)
			w := &weaver{
				Editor: &ir.Editor{Module: &out, Func: &g}, x: x, old: f, facts: fl.functions[f.Name],
				shadow: map[ir.Value]ir.Value{}, constants: map[string]ir.Value{},
			}
			w.function()
		}
	}
	return &out
}

// instrumenter makes the module.
type instrumenter struct {
	*flow
	m      *ir.Module
	ghosts map[string]bool
}

// ghost is the address of a variable, which is made when it is first needed.
func (w *weaver) ghost(name string, size uint64) ir.Value {
	if !w.x.ghosts[name] {
		w.x.ghosts[name] = true
		g := &ir.Global{Name: name, Size: size, Align: size, Layout: ir.Layout{Cell: size, Pointers: name == TokenObject}}
		if name == TokenOffset { // nowhere
			g.Init = bytes.Repeat([]byte{0xff}, int(size))
		}
		if size&(size-1) != 0 {
			g.Align, g.Layout.Cell = 1, 1
		}
		w.x.m.Globals = append(w.x.m.Globals, g)
	}
	return w.once(name, ir.Def{Op: ir.GlobalAddr, Type: w.Module.PtrType(), Sym: name})
}

// weaver adds to one function.
type weaver struct {
	*ir.Editor
	x     *instrumenter
	old   *ir.Func
	facts *functionFacts
	// shadow has the shadows of values that may be garbage: of an integer as wide, of a pointer or a float a truth value.
	shadow    map[ir.Value]ir.Value
	constants map[string]ir.Value
}

// once is a definition outside of blocks that is made once.
func (w *weaver) once(key string, d ir.Def) ir.Value {
	v, ok := w.constants[key]
	if !ok {
		v = w.Define(d)
		w.constants[key] = v
	}
	return v
}

func (w *weaver) number(bits uint32, n uint64) ir.Value {
	return w.once(fmt.Sprint(bits, " ", n), ir.Def{Op: ir.Const, Type: ir.IntType(bits), Const: bv.New(bits, n)})
}

// ones has all bits 1.
func (w *weaver) ones(bits uint32) ir.Value {
	return w.once(fmt.Sprint("ones ", bits), ir.Def{Op: ir.Const, Type: ir.IntType(bits), Const: bv.New(bits, 0).Not()})
}

func (w *weaver) word(n uint64) ir.Value { return w.number(w.Module.PointerBits, n) }

func (w *weaver) bin(op ir.Op, a, b ir.Value) ir.Value { return w.Op(op, w.Func.Type(a), a, b) }

func (w *weaver) cmp(op ir.Op, a, b ir.Value) ir.Value { return w.Op(op, ir.BoolType, a, b) }

func (w *weaver) choose(c, a, b ir.Value) ir.Value { return w.Op(ir.Select, w.Func.Type(a), c, a, b) }

// choice is a decision about the token: NondetGhost with what it is about.
func (w *weaver) choice(t ir.Type, what string) ir.Value {
	return w.Emit(ir.Def{Op: ir.Nondet, Type: t, Aux: int64(ir.NondetGhost), Sym: what})
}

// function copies the instructions, block by block, definitions before uses, and adds to them.
func (w *weaver) function() {
	type incoming struct{ phi, shadow ir.Value }
	var phis []incoming
	for _, b := range w.facts.order {
		w.At = b
		var own []ir.Value
		rest := 0
		for _, v := range w.old.Blocks[b].Instrs {
			if w.old.Def(v).Op != ir.Phi {
				break
			}
			rest++
			w.Append(v)
			if w.facts.garbage[v] {
				own = append(own, v)
			}
		}
		for _, v := range own {
			w.Pos = w.old.Def(v).Pos
			s := w.Emit(ir.Def{Op: ir.Phi, Type: shadowType(w.old.Type(v))})
			w.shadow[v] = s
			phis = append(phis, incoming{v, s})
		}
		if b == 1 {
			w.Pos = w.old.Pos
			w.enter()
		}
		for _, v := range w.old.Blocks[b].Instrs[rest:] {
			w.Pos = w.old.Def(v).Pos
			w.instruction(v)
		}
	}
	for _, p := range phis {
		var args []ir.Value
		for _, a := range w.old.Def(p.phi).Args {
			args = append(args, w.shadowOf(a))
		}
		w.Func.Def(p.shadow).Args = args
	}
	for b := 1; b < len(w.Func.Blocks); b++ { // blocks that no run reaches
		if len(w.Func.Blocks[b].Instrs) == 0 {
			w.Func.Blocks[b].Instrs = w.old.Blocks[b].Instrs
		}
	}
}

// enter takes the shadows of the parameters.
func (w *weaver) enter() {
	for i, p := range w.old.Params {
		if !w.facts.garbage[p] {
			continue
		}
		t := shadowType(w.old.Type(p))
		s := w.take(argumentGhost(w.old.Name, i), t)
		if name := indirectGhost("argument", i, t); w.x.indirect[name] && w.x.addressed[w.old.Name] {
			s = w.bin(ir.Or, s, w.take(name, t))
		}
		w.shadow[p] = s
	}
}

// argumentGhost and resultGhost are the variables by which shadows go from function to function,
// indirectGhost those of calls through pointers.
func argumentGhost(f string, i int) string { return fmt.Sprintf("%s%s.argument.%d", Ghost, f, i) }
func resultGhost(f string, i int) string   { return fmt.Sprintf("%s%s.result.%d", Ghost, f, i) }
func indirectGhost(what string, i int, t ir.Type) string {
	return fmt.Sprintf("%spointer.%s.%d.%d", Ghost, what, i, t.Bits)
}

// take reads a shadow, and clears the variable.
func (w *weaver) take(name string, t ir.Type) ir.Value {
	size := t.Size()
	p := w.ghost(name, size)
	stored := ir.IntType(uint32(8 * size))
	s := w.Op(ir.Load, stored, p)
	w.Op(ir.Store, ir.Type{}, w.number(stored.Bits, 0), p)
	if stored != t {
		s = w.Op(ir.Trunc, t, s)
	}
	return s
}

// give writes a shadow.
func (w *weaver) give(name string, s ir.Value) {
	t := w.Func.Type(s)
	if stored := ir.IntType(uint32(8 * t.Size())); stored != t {
		s = w.Op(ir.ZExt, stored, s)
	}
	w.Op(ir.Store, ir.Type{}, s, w.ghost(name, t.Size()))
}

// use checks that a value is not garbage.
func (w *weaver) use(v ir.Value, what string) {
	if s := w.shadow[v]; s != 0 {
		w.check(w.cmp(ir.Eq, s, w.number(w.Func.Type(s).Bits, 0)), what)
	}
}

func (w *weaver) check(ok ir.Value, what string) {
	w.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{ok}, Aux: int64(ir.Uninitialised), Sym: what})
}

// instruction copies one, with what belongs before and behind it.
func (w *weaver) instruction(v ir.Value) {
	d := w.old.Def(v)
	arg := func(i int) ir.Value { return d.Args[i] }
	switch d.Op {
	case ir.CondBr, ir.Switch:
		w.use(arg(0), "a branch depends on memory that was never written")
	case ir.Assume:
		w.use(arg(0), "an assumption depends on memory that was never written")
	case ir.Check:
		if k := ir.CheckKind(d.Aux); k == ir.Assertion {
			w.use(arg(0), "an assertion depends on memory that was never written")
		}
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
		w.use(arg(1), "a divisor depends on memory that was never written")
	case ir.Load, ir.Free:
		w.use(arg(0), addressText)
	case ir.Store:
		w.use(arg(1), addressText)
	case ir.MemCpy, ir.MemSet:
		w.use(arg(0), addressText)
		if d.Op == ir.MemCpy {
			w.use(arg(1), addressText)
		}
		w.use(arg(2), sizeText)
	case ir.Alloca, ir.Malloc:
		w.use(arg(0), sizeText)
	case ir.Ret:
		w.leave(d)
	case ir.Call:
		if d.Sym == Output {
			w.output(v, d)
			return
		}
		w.call(v, d)
		return
	}
	switch d.Op { // before the instruction
	case ir.Store:
		w.write(arg(0), arg(1))
	case ir.MemSet:
		w.fill(d)
	case ir.MemCpy:
		w.copied(d)
	case ir.Havoc:
		if d.Aux != ir.Indeterminate {
			w.clear(arg(0), w.sized(arg(1)))
		}
	case ir.VaStart:
		w.clear(arg(0), w.word(uint64(w.Module.PointerBits)*3/8))
	}
	w.Append(v)
	if w.facts.garbage[v] {
		w.shadow[v] = w.propagate(v, d)
	}
	switch d.Op { // behind it
	case ir.Alloca, ir.Malloc:
		if w.facts.origin[v] {
			w.born(v, w.sized(arg(0)))
		}
	case ir.Havoc:
		if w.facts.origin[v] {
			w.born(arg(0), w.sized(arg(1)))
		}
	case ir.LifetimeStart:
		if w.facts.origin[v] {
			w.born(arg(0), w.Op(ir.ObjectSize, w.Module.WordType(), arg(0)))
		}
	}
}

// output checks what goes out. A value keeps the number of the call, and shows what it was about.
func (w *weaver) output(v ir.Value, d *ir.Def) {
	out := ir.Def{Op: ir.Const, Type: ir.BoolType, Const: bv.New(1, 0)}
	for _, a := range d.Args {
		if w.shadow[a] != 0 {
			w.use(a, "what goes out of the program depends on memory that was never written")
			out = ir.Def{Op: ir.Freeze, Type: w.old.Type(a), Args: []ir.Value{a}, Block: w.At, Pos: w.Pos}
		}
	}
	w.Func.Values[v] = out
	if out.Op == ir.Freeze {
		w.Append(v)
	}
}

const (
	addressText = "an address depends on memory that was never written"
	sizeText    = "a size depends on memory that was never written"
)

// leave hands the shadows of results to the caller.
func (w *weaver) leave(d *ir.Def) {
	for i, a := range d.Args {
		if s := w.shadow[a]; s != 0 || w.facts.results[i] {
			w.give(resultGhost(w.old.Name, i), w.shadowOf(a))
		}
		if name := indirectGhost("result", i, shadowType(w.old.Type(a))); w.x.indirect[name] && w.x.addressed[w.old.Name] {
			w.give(name, w.shadowOf(a))
		}
	}
}

// call hands over the shadows of arguments, and takes those of the results.
func (w *weaver) call(v ir.Value, d *ir.Def) {
	callee := w.x.functions[d.Sym]
	args := d.Args
	fixed := len(args)
	if d.Sym == "" {
		w.use(args[0], addressText)
		args = args[1:]
		fixed = len(args)
	} else if callee != nil {
		fixed = min(fixed, len(callee.f.Params))
	}
	if callee != nil && callee.f.Model && characters[d.Sym] {
		w.use(args[0], "a character that is put out was never written")
	}
	var given []string
	for i, a := range args {
		switch {
		case i >= fixed:
			w.use(a, "an argument in place of ... was never written")
		case d.Sym == "":
			if name := indirectGhost("argument", i, shadowType(w.old.Type(a))); w.x.indirect[name] {
				w.give(name, w.shadowOf(a))
				given = append(given, name)
			}
		case callee != nil && callee.garbage[callee.f.Params[i]]:
			if w.old.Type(a) == callee.f.Type(callee.f.Params[i]) {
				w.give(argumentGhost(d.Sym, i), w.shadowOf(a))
			}
		}
	}
	w.Append(v)
	for _, name := range given {
		size := uint64(w.Module.Global(name).Size)
		w.Op(ir.Store, ir.Type{}, w.number(uint32(8*size), 0), w.ghost(name, size))
	}
	if w.facts.garbage[v] {
		w.shadow[v] = w.result(d, v, 0)
	}
}

// result takes the shadow of a result of the call d.
func (w *weaver) result(d *ir.Def, v ir.Value, i int) ir.Value {
	t := shadowType(w.old.Type(v))
	if d.Sym == "" {
		return w.take(indirectGhost("result", i, t), t)
	}
	return w.take(resultGhost(d.Sym, i), t)
}
