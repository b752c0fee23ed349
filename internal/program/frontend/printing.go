package frontend

import (
	"slices"
	"strconv"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports printing to files where the format is a literal: what a program can see of it is
// that strings are read, and that output may fail. Formats that cannot be told, or that write (%n), are
// interpreted by models/format.c.
//
// Programs wrap printing: a function with arguments of its own (…) calls vfprintf, perhaps by way of
// another one that gets the list. Such a function is imported once for each literal format with
// which it is called, without the list: it gets the strings that the format reads. A format is not looked at by
// the function alone: it is a parameter, and the list goes where the format goes. A function
// that does anything else with its list is left as it is.
//
// So loops over the characters of formats, and arguments without types, are not what an engine
// has to see through to know that a program that complains ends.

// listFormat is the position of the format among the arguments of the functions that take a list
// of arguments, which is behind it.
var listFormat = map[string]int{"vprintf": 0, "vfprintf": 1, "vdprintf": 1}

// conversion is a conversion of a format that reads a string: the argument, counted from those behind the
// format, and how many characters it reads at most: limit is another argument, or most a number; both -1 if
// there is no limit.
type conversion struct {
	argument, limit, most int
}

// stringsOf are the conversions of a printf format that read strings, and the number of arguments that it
// takes; ok is false if it has others that this file does not treat.
func stringsOf(format string) (list []conversion, count int, ok bool) {
	next := func() int { count++; return count - 1 }
	for {
		_, after, found := strings.Cut(format, "%")
		if !found {
			return list, count, true
		}
		format = strings.TrimLeft(after, "-+ #0'")
		if strings.HasPrefix(format, "*") {
			next()
			format = format[1:]
		} else {
			format = strings.TrimLeft(format, "0123456789")
		}
		c := conversion{limit: -1, most: -1}
		if rest, precise := strings.CutPrefix(format, "."); precise {
			if format = strings.TrimPrefix(rest, "*"); format != rest {
				c.limit = next()
			} else {
				format = strings.TrimLeft(rest, "0123456789")
				c.most, _ = strconv.Atoi("0" + rest[:len(rest)-len(format)])
			}
		}
		plain := format
		format = strings.TrimLeft(format, "hlqjztL")
		if format == "" {
			return nil, 0, false
		}
		kind := format[0]
		format = format[1:]
		switch {
		case kind == '%':
		case kind == 's' && plain[0] == 's':
			c.argument = next()
			list = append(list, c)
		case strings.IndexByte("diouxXcpfFeEgGaA", kind) >= 0 && (kind != 'c' || plain[0] == 'c'):
			next()
		default:
			return nil, 0, false
		}
	}
}

// literalText is the text of a literal, up to its NUL.
func literalText(v llvm.Value) (string, bool) {
	g, ok := v.(*llvm.Global)
	if !ok || !g.Constant {
		return "", false
	}
	c, ok := g.Init.(*llvm.Const)
	if !ok || c.Kind != llvm.BytesConst {
		return "", false
	}
	text, _, ended := strings.Cut(string(c.Bytes), "\x00")
	return text, ended
}

// wrapper says that a function hands its arguments on to be printed.
type wrapper struct {
	format *llvm.Param
	list   *llvm.Param // of arguments; nil if the function is variadic itself
	lists  map[llvm.Value]bool
	// spilled are the objects that hold a parameter, and nothing else.
	spilled map[llvm.Value]*llvm.Param
}

// wrapperOf is what a function does with a list of arguments, nil if it is no wrapper.
func (im *importer) wrapperOf(fn *llvm.Function) *wrapper {
	if w, known := im.wrappers[fn]; known {
		return w
	}
	if im.wrappers == nil {
		im.wrappers = map[*llvm.Function]*wrapper{}
	}
	im.wrappers[fn] = nil // until it is known; functions that call each other are none
	if fn.Blocks == nil || fn.Library {
		return nil
	}
	spilled := spilledParameters(fn)
	if fn.Type.Variadic {
		w := &wrapper{lists: map[llvm.Value]bool{}, spilled: spilled}
		eachInstruction(fn, func(i *llvm.Inst) {
			if intrinsicOf(i) == "va_start" {
				w.lists[w.base(i.Args[0])] = true
			}
		})
		im.wrappers[fn] = im.asWrapper(fn, w)
		return im.wrappers[fn]
	}
	for _, p := range fn.Params {
		if w := im.asWrapper(fn, &wrapper{list: p, lists: map[llvm.Value]bool{p: true}, spilled: spilled}); w != nil {
			im.wrappers[fn] = w
			return w
		}
	}
	return nil
}

// asWrapper looks for the format of what may be a wrapper, and at all uses of its lists.
func (im *importer) asWrapper(fn *llvm.Function, w *wrapper) *wrapper {
	for v := range w.lists {
		if i, ok := v.(*llvm.Inst); ok && i.Op != llvm.Alloca {
			return nil
		}
	}
	good := true
	eachInstruction(fn, func(i *llvm.Inst) {
		for k, a := range i.Args {
			if !w.lists[w.base(a)] || i.Op == llvm.DbgDeclare || i.Op == llvm.DbgValue || isBase(i) {
				continue
			}
			if i.Op == llvm.Store && k == 0 && w.spilled[i.Args[1]] != nil {
				continue
			}
			name := intrinsicOf(i)
			if name == "va_start" || name == "va_end" || strings.HasPrefix(name, "lifetime.") || k == 0 && (strings.HasPrefix(name, "memset") || strings.HasPrefix(name, "memcpy")) {
				continue
			}
			format, list := im.printedBy(i)
			if list != k || i.Used {
				good = false
				return
			}
			p, ok := w.base(i.Args[format]).(*llvm.Param)
			if !ok || w.format != nil && w.format != p {
				good = false
				return
			}
			w.format = p
		}
	})
	if !good || w.format == nil {
		return nil
	}
	return w
}

// printedBy are the positions of the format and the list of a call that prints a list of arguments; -1
// if it is none.
func (im *importer) printedBy(i *llvm.Inst) (format, list int) {
	callee, ok := i.Callee.(*llvm.Function)
	if !ok || i.Op != llvm.Call {
		return -1, -1
	}
	if k, ok := listFormat[callee.Name]; ok && (callee.Blocks == nil || im.isOurModel(callee)) && len(i.Args) == k+2 {
		return k, k + 1
	}
	if callee.Type.Variadic || callee.Blocks == nil || callee.Library || len(i.Args) != len(callee.Params) {
		return -1, -1
	}
	if w := im.wrapperOf(callee); w != nil {
		return w.format.Index, w.list.Index
	}
	return -1, -1
}

func eachInstruction(fn *llvm.Function, visit func(*llvm.Inst)) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			visit(i)
		}
	}
}

// intrinsicOf is the name of the intrinsic that an instruction calls, without "llvm." and the types.
func intrinsicOf(i *llvm.Inst) string {
	if f, ok := i.Callee.(*llvm.Function); ok && f.Intrinsic {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Name, "llvm."), ".p0")
		return name
	}
	return ""
}

// base is the object of a pointer to its start, or the parameter that a value is.
func (w *wrapper) base(v llvm.Value) llvm.Value {
	for {
		i, ok := v.(*llvm.Inst)
		switch {
		case !ok:
			return v
		case isBase(i):
			v = i.Args[0]
		case i.Op == llvm.Load && w.spilled[i.Args[0]] != nil:
			return w.spilled[i.Args[0]]
		default:
			return v
		}
	}
}

// spilledParameters are the objects of a function that hold a parameter, and nothing else: where locals are
// left in memory, parameters are.
func spilledParameters(fn *llvm.Function) map[llvm.Value]*llvm.Param {
	holds, others := map[llvm.Value]*llvm.Param{}, map[llvm.Value]bool{}
	var first *llvm.Inst // of the second block
	if len(fn.Blocks) > 1 {
		first = fn.Blocks[1].Instrs[0]
	}
	entry := true
	eachInstruction(fn, func(i *llvm.Inst) {
		entry = entry && i != first
		for k, a := range i.Args {
			at, ok := a.(*llvm.Inst)
			if !ok || at.Op != llvm.Alloca {
				continue
			}
			name := intrinsicOf(i)
			switch {
			case holds[a] == nil && entry && k == 0 && strings.HasPrefix(name, "memcpy"): // arbitrary at first
			case i.Op == llvm.Load:
				others[a] = others[a] || holds[a] == nil
			case i.Op == llvm.DbgDeclare || i.Op == llvm.DbgValue || strings.HasPrefix(name, "lifetime."):
			case i.Op == llvm.Store && k == 1:
				p, ok := i.Args[0].(*llvm.Param)
				if !ok && holds[a] == nil && entry {
					continue // arbitrary at first
				}
				others[a] = others[a] || !ok || holds[a] != nil || !entry
				holds[a] = p
			default:
				others[a] = true
			}
		}
	})
	for a, others := range others {
		if others {
			delete(holds, a)
		}
	}
	return holds
}

// isBase says whether an instruction computes the pointer to the start of what its operand points to.
func isBase(i *llvm.Inst) bool {
	if i.Op != llvm.GetElementPtr {
		return false
	}
	for _, a := range i.Args[1:] {
		if n, ok := constInt(a); !ok || n != 0 {
			return false
		}
	}
	return true
}

// printing is what a function that is imported for one format knows of it.
type printing struct {
	*wrapper
	text    string
	format  llvm.Value // the literal
	strings []printed  // which are parameters
}

// printed is a string that is read, and at most how much of it: 0 is no limit.
type printed struct{ text, limit ir.Value }

// maxFormats bounds the formats for which a function with "..." is imported; what it calls is imported as often.
const maxFormats = 512

// printDirectly imports a call that prints a literal format, or calls a wrapper with one; it says whether
// it is one.
func (f *function) printDirectly(i *llvm.Inst, callee *llvm.Function) bool {
	if f.printing != nil {
		if _, list := f.im.printedBy(i); list >= 0 && f.printing.lists[f.printing.base(i.Args[list])] {
			if _, last := listFormat[callee.Name]; last {
				f.printStrings(i, callee.Name, f.printing.strings)
			} else {
				f.callSpecialised(i, callee, f.printing.format, f.printing.text, f.printing.shape(), f.printing.strings)
			}
			return true
		}
	}
	position, direct := printFormat[callee.Name]
	direct = direct && (callee.Blocks == nil || f.im.isOurModel(callee)) && i.Type.Kind == llvm.IntType
	var w *wrapper
	if !direct {
		if !callee.Type.Variadic || callee.Blocks == nil || callee.Library || f.im.foreign {
			return false
		}
		if w = f.im.wrapperOf(callee); w == nil || len(f.im.copies[callee]) >= maxFormats || f.im.opts.namesLocalOf(callee.Name) {
			return false
		}
		position = w.format.Index
	}
	if len(i.Args) <= position || i.Used {
		return false
	}
	from := position + 1
	if w != nil {
		from = len(callee.Params)
	}
	literal := i.Args[position]
	if f.printing != nil && f.printing.base(literal) == llvm.Value(f.printing.wrapper.format) {
		literal = f.printing.format
	}
	text, ok := literalText(literal)
	if !ok {
		return false
	}
	conversions, count, ok := stringsOf(text)
	if !ok || len(i.Args)-from < count || i.ByVal != nil && slices.ContainsFunc(i.ByVal, func(t *llvm.Type) bool { return t != nil }) {
		return false
	}
	var list []printed
	for _, c := range conversions {
		p := printed{}
		values := f.operand(i.Args[from+c.argument])
		if len(values) != 1 || f.b.Func.Type(values[0]).Kind != ir.Ptr {
			return false
		}
		p.text = values[0]
		switch {
		case c.limit >= 0:
			n := f.operand(i.Args[from+c.limit])
			if len(n) != 1 || f.b.Func.Type(n[0]) != ir.IntType(32) {
				return false
			}
			p.limit = n[0]
		case c.most >= 0:
			p.limit = f.b.Const(32, uint64(c.most))
		}
		list = append(list, p)
	}
	f.output(f.callArguments(i)[from:])
	if direct {
		f.printStrings(i, callee.Name, list)
		return true
	}
	f.callSpecialised(i, callee, literal, text, conversions, list)
	return true
}

// takes has the strings that the format reads in these parameters.
func (p *printing) takes(params []ir.Value) {
	p.strings = nil
	for _, c := range p.shape() {
		s := printed{text: params[0]}
		params = params[1:]
		if c.limit >= 0 || c.most >= 0 {
			s.limit, params = params[0], params[1:]
		}
		p.strings = append(p.strings, s)
	}
}

// ignores says whether a call begins or ends the list of arguments that is not there.
func (p *printing) ignores(i *llvm.Inst) bool {
	name := intrinsicOf(i)
	return (name == "va_start" || name == "va_end") && p.lists[p.base(i.Args[0])]
}

// shape are the conversions of the format.
func (p *printing) shape() []conversion {
	list, _, _ := stringsOf(p.text)
	return list
}

// callSpecialised calls a wrapper as it is imported for one format.
func (f *function) callSpecialised(i *llvm.Inst, callee *llvm.Function, literal llvm.Value, text string, shape []conversion, list []printed) {
	im := f.im
	key := im.functionKey(callee) + "\x00\"" + text
	s := im.specialised[key]
	if s == nil {
		s = &specialised{of: callee, printing: &printing{wrapper: im.wrapperOf(callee), text: text, format: literal}}
		for _, c := range shape {
			s.extra = append(s.extra, im.m.PtrType())
			if c.limit >= 0 || c.most >= 0 {
				s.extra = append(s.extra, ir.IntType(32))
			}
		}
		im.specialise(key, s)
	}
	var args []ir.Value
	for k := range callee.Params {
		args = append(args, f.operand(i.Args[k])...)
	}
	args, fits := f.adaptTo(callee.Name, args, im.flattenAll(callee.Type.Params))
	if !fits {
		f.b.Check(ir.Incompatible, f.b.Const(1, 0), "call of "+callee.Name+" with a type that is not its own")
	}
	for _, p := range list {
		args = append(args, p.text)
		if p.limit != 0 {
			args = append(args, p.limit)
		}
	}
	have := im.flatten(callee.Type.Return)
	var t ir.Type
	if len(have.scalars) > 0 {
		t = have.scalars[0].Type
	}
	call := f.b.Call(t, s.symbol, args...)
	f.vals[i] = f.results(call, have)
	f.afterCall(i.NoReturn || callee.NoReturn)
}

// printStrings reads the strings, and has the output fail or not.
func (f *function) printStrings(i *llvm.Inst, name string, list []printed) {
	var file ir.Value
	switch name {
	case "fprintf", "vfprintf":
		file = f.pointer(&externalCall{args: f.callArguments(i)}, 0)
		f.b.Check(ir.Precondition, f.not(f.b.Cmp(ir.Eq, file, f.b.Null())), strings.TrimPrefix(name, "v")+": the file is null")
	}
	for _, p := range list {
		limit := p.limit
		if limit == 0 {
			limit = f.b.Const(32, 1<<32-1) // a negative limit is none
		}
		f.b.Call(ir.Type{}, f.im.stringReader(), p.text, limit)
	}
	if !f.im.seesOutput() {
		return
	}
	output := f.im.p.Function(outputModel)
	at := slices.IndexFunc(f.im.p.Globals, func(g *llvm.Global) bool { return g.Name == streamsModel })
	if output == nil || at < 0 {
		f.unsupported("printing without the model of output") // who sees output has it
		return
	}
	streams := f.im.p.Globals[at]
	all := f.symbolAddr(f.im.symbol(streams))
	switch {
	case file != 0: // of others nothing is known
		file = f.b.Select(f.b.Cmp(ir.SameObject, file, all), file, f.b.Null())
	case strings.HasSuffix(name, "dprintf"):
		file = f.b.Null()
	default:
		second := uint64(0)
		if t := streams.Type; t.Kind == llvm.StructType { // as arrays of which not all is initialised
			second = t.Offsets[1]
		} else {
			second = t.Elem.Size
		}
		file = f.offset(all, second)
	}
	f.b.Call(ir.IntType(32), f.im.symbol(output), f.b.Null(), file, f.b.Const(32, 0))
}

// The names of the model of output, and of what it keeps of streams (models/stream.c).
const outputModel, streamsModel = "__assay_output", "__assay_streams"

// stringReader is the function that reads a string as printf does, up to its end or a limit, which is none
// if it is negative.
func (im *importer) stringReader() string {
	const name = "printf.string"
	if im.m.Func(name) != nil {
		return name
	}
	b := ir.NewFunc(im.m, name)
	b.Func.Model = true
	text, limit := b.Param(im.m.PtrType()), b.Param(ir.IntType(32))
	entry, head, body, more, end := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("more"), b.Block("end")
	b.At(entry)
	there := b.Cmp(ir.Ne, text, b.Null())
	b.Check(ir.Precondition, there, "printf: %s with a null pointer")
	b.CondBr(there, head, end)
	b.At(head)
	p, left := b.Phi(im.m.PtrType()), b.Phi(ir.IntType(32))
	b.AddIncoming(p, text, entry)
	b.AddIncoming(left, limit, entry)
	b.CondBr(b.Cmp(ir.Eq, left, b.Const(32, 0)), end, body)
	b.At(body)
	c := b.Load(ir.IntType(8), p)
	b.CondBr(b.Cmp(ir.Eq, c, b.Const(8, 0)), end, more)
	b.At(more)
	onwards := b.PtrAdd(p, b.Word(1))
	// A limit that is none does not move.
	bounded := b.Cmp(ir.SLt, b.Const(32, 0), left)
	less := b.Select(bounded, b.Bin(ir.Sub, left, b.Const(32, 1)), left)
	b.AddIncoming(p, onwards, more)
	b.AddIncoming(left, less, more)
	b.Br(head)
	b.At(end)
	b.Ret()
	b.Done()
	return name
}
