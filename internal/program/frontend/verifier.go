package frontend

import (
	"slices"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file gives a meaning to functions that have no body in the program: the
// intrinsics of verifiers (SV-COMP's __VERIFIER_*, CBMC's __CPROVER_*), the
// ways to end a program, and the operations that assay's own library models
// are written with (__assay_*, declared in models/assay_model.h). Everything
// else without a body is an unknown function: it returns arbitrary values, changes
// what it can reach (unmodelled.go), or nothing, and is listed in the notes.

// externalCall is a call of a function without body.
type externalCall struct {
	name     string
	callee   *llvm.Function
	noReturn bool
	// args are the scalars of each argument, source the operands (nil in stubs).
	args   [][]ir.Value
	source []llvm.Value
	result *flat
	// defined has for each argument whether it is no part of a structure; nil if none is.
	defined []bool
	// sret is the type of the result if the first argument points to it.
	sret *llvm.Type
}

// arg is the first scalar of an argument, and whether it exists.
func (c *externalCall) arg(k int) (ir.Value, bool) {
	if k >= len(c.args) || len(c.args[k]) == 0 {
		return 0, false
	}
	return c.args[k][0], true
}

// text is an argument that is a string literal, otherwise "".
func (c *externalCall) text(k int) string {
	if k >= len(c.source) {
		return ""
	}
	if g, ok := c.source[k].(*llvm.Global); ok {
		if s, ok := g.Init.(*llvm.Const); ok && s.Kind == llvm.BytesConst {
			return strings.TrimRight(string(s.Bytes), "\x00")
		}
	}
	return ""
}

// externals are the functions with a fixed name.
var externals map[string]func(f *function, c *externalCall) []ir.Value

func init() {
	externals = map[string]func(f *function, c *externalCall) []ir.Value{
		"reach_error":              (*function).errorCall,
		"__VERIFIER_error":         (*function).errorCall,
		"__assert_fail":            (*function).assertFail,
		"__assert":                 (*function).assertFail,
		"__assert_rtn":             (*function).assertFail,
		"__assert_perror_fail":     (*function).assertFail,
		"__VERIFIER_assume":        (*function).assumeCall,
		"__CPROVER_assume":         (*function).assumeCall,
		"__ESBMC_assume":           (*function).assumeCall,
		"__SEA_assume":             (*function).assumeCall,
		"__goblint_assume":         (*function).assumeCall,
		"klee_assume":              (*function).assumeCall,
		"assume":                   (*function).assumeCall,
		"assume_abort_if_not":      (*function).assumeCall,
		"__VERIFIER_assert":        (*function).assertCall,
		"__CPROVER_assert":         (*function).assertCall,
		"__CPROVER_precondition":   (*function).assertCall,
		"__CPROVER_postcondition":  (*function).assertCall,
		"__CPROVER_undecided":      (*function).unsupportedCall, // made by package cprover
		"__CPROVER_havoc_slice":    (*function).havocCall,
		"__CPROVER_atomic_begin":   (*function).nothing,
		"__CPROVER_atomic_end":     (*function).nothing,
		"__ESBMC_assert":           (*function).assertCall,
		"__goblint_check":          (*function).assertCall,
		"__goblint_assert":         (*function).assertCall,
		"klee_assert":              (*function).assertCall,
		"sassert":                  (*function).assertCall,
		"__ESBMC_atomic_begin":     (*function).nothing,
		"__ESBMC_atomic_end":       (*function).nothing,
		"__ESBMC_yield":            (*function).nothing,
		"__CPROVER_cover":          (*function).nothing,
		"__VERIFIER_atomic_begin":  (*function).nothing,
		"__VERIFIER_atomic_end":    (*function).nothing,
		stepFunction:               (*function).ltlStep,
		CostFunction:               (*function).cost,
		"__VERIFIER_nondet_memory": (*function).havocCall,
		"klee_make_symbolic":       (*function).havocCall,
		"__CPROVER_havoc_object":   (*function).havocObject,
		"__CPROVER_r_ok":           (*function).validRange,
		"__CPROVER_w_ok":           (*function).writableRange,
		"__CPROVER_rw_ok":          (*function).writableRange,
		"__CPROVER_OBJECT_SIZE":    (*function).objectSize,
		"__CPROVER_POINTER_OFFSET": (*function).objectOffset,
		"__CPROVER_POINTER_OBJECT": (*function).objectStart,
		"__CPROVER_same_object":    (*function).sameObject,
		"__ESBMC_r_ok":             (*function).validRange,
		"__ESBMC_POINTER_OFFSET":   (*function).objectOffset,
		"__ESBMC_POINTER_OBJECT":   (*function).objectStart,
		"__ESBMC_same_object":      (*function).sameObject,
		"sea_is_dereferenceable":   (*function).validRange,
		"setjmp":                   (*function).returnsZero, // a jump back is not supported
		"_setjmp":                  (*function).returnsZero,
		"sigsetjmp":                (*function).returnsZero,
		"__sigsetjmp":              (*function).returnsZero,
		"abort":                    (*function).abort,
		"exit":                     (*function).exit,
		"_exit":                    (*function).exitNow,
		"_Exit":                    (*function).exitNow,
		"quick_exit":               (*function).exitNow,
		"alloca":                   (*function).allocaCall,
		"__assay_input":            (*function).inputObject,
		"__assay_malloc":           (*function).malloc,
		"__assay_free":             (*function).free,
		"__assay_cede":             (*function).cede,
		"__assay_valid_range":      (*function).validRange,
		"__assay_object_size":      (*function).objectSize,
		"__assay_offset":           (*function).objectOffset,
		"__assay_same_object":      (*function).sameObject,
		"__assay_heap_start":       (*function).heapStart,
		"__assay_stack_save":       (*function).stackSave,
		"__assay_stack_restore":    (*function).stackRestore,
		"__assay_memcpy":           (*function).memcpyCall,
		"__assay_memset":           (*function).memsetCall,
		"__assay_havoc":            (*function).havocCall,
		"__assay_check":            (*function).checkCall,
		"__assay_assume":           (*function).assumeCall,
		"__assay_abort":            (*function).abort,
		"__assay_unsupported":      (*function).unsupportedCall,
		"__assay_fmod":             (*function).remainder,
		"__assay_fmodf":            (*function).remainder,
		"__assay_malloc_fails":     (*function).mallocFails,
		"__assay_uses":             (*function).uses,
		"__assay_environment":      (*function).seenEnvironment,
		"__assay_no_global":        (*function).noGlobal,
		"__assay_unnamed":          (*function).unnamed,
		"__assay_within_extent":    (*function).withinExtent,
		"__assay_extent":           (*function).nothing,
	}
}

// external imports a call of a function without body.
func (f *function) external(c *externalCall) []ir.Value {
	if handler := externals[c.name]; handler != nil {
		list := handler(f, c)
		if f.ended {
			return list
		}
		return f.padResults(list, c)
	}
	if isInput(c.name) {
		return f.input(c)
	}
	if what := f.im.unsupportedLibrary(c.name); what != "" {
		f.unsupported(what)
		return nil
	}
	if isBuiltin(c.name) {
		f.unsupported("the builtin " + c.name + ", which clang does not know")
		return nil
	}
	if isPrimitive(c.name) {
		f.unsupported("the primitive " + c.name + " of another verifier")
		return nil
	}
	if c.callee != nil && c.callee.Weak {
		f.unsupported("a call of the weak symbol " + c.name + ", which may be absent")
		return nil
	}
	return f.unknown(c)
}

// isBuiltin recognises the builtins of compilers by their reserved prefixes. A call of
// one that clang does not know, or that has no model in runtime.c, is no call of a
// function that somebody else defines: it has a meaning that we do not have.
func isBuiltin(name string) bool {
	for _, prefix := range []string{"__builtin_", "__sync_", "__atomic_", "__c11_atomic_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// isPrimitive recognises the primitives of verifiers by their reserved prefixes. One
// that has no model (a quantifier, an operation on arrays, a question about memory) is
// no unknown function either: with any result for it there would be runs that are none.
func isPrimitive(name string) bool {
	for _, prefix := range []string{"__CPROVER_", "__ESBMC_", "__VERIFIER_", "__SMACK_", "__SEA_", "__goblint_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// padResults gives a result to programs that declare a function with another
// type than the usual one.
func (f *function) padResults(list []ir.Value, c *externalCall) []ir.Value {
	var wanted []ir.Type
	for _, s := range c.result.scalars {
		wanted = append(wanted, s.Type)
	}
	list, _ = f.adapt(list, wanted)
	return list
}

// isInput recognises the functions that return an arbitrary value.
func isInput(name string) bool {
	return strings.HasPrefix(name, "__VERIFIER_nondet_") || strings.HasPrefix(name, "nondet_") || isModelInput(name) ||
		name == "nondet" || name == "__VERIFIER_nondet"
}

// isModelInput recognises those that the library models use: the first argument
// is the name of the library function.
func isModelInput(name string) bool {
	return strings.HasPrefix(name, "__assay_nondet_") || strings.HasPrefix(name, "__assay_approximate_") || name == exactInput
}

// input returns an arbitrary value of the declared type. A truth value that is
// declared as a wider type is 0 or 1.
func (f *function) input(c *externalCall) []ir.Value {
	name, kind := c.name, ir.NondetInput
	if isModelInput(name) {
		exact := name == exactInput
		if strings.HasPrefix(name, "__assay_approximate_") {
			kind = ir.NondetApproximate
		}
		if name = c.text(0); name == "" && f.src != nil {
			name = f.src.Name
		}
		if exact {
			return []ir.Value{f.resize(f.b.Nondet(ir.BoolType, ir.NondetExact, name), c.result.scalars[0].Type.Bits)}
		}
	}
	var list []ir.Value
	for _, s := range c.result.scalars {
		if strings.HasSuffix(c.name, "nondet_bool") && s.Type.Kind == ir.Int {
			list = append(list, f.resize(f.b.Nondet(ir.BoolType, ir.NondetInput, name), s.Type.Bits))
			continue
		}
		list = append(list, f.b.Nondet(s.Type, kind, name))
	}
	return list
}

// unknown is a function that assay knows nothing about.
func (f *function) unknown(c *externalCall) []ir.Value {
	if c.noReturn {
		f.unsupported("the function " + c.name + ", which does not return and has no body")
		return nil
	}
	f.output(c.definedArguments())
	text := "changes nothing reachable"
	if !f.im.opts.PureUnmodelled {
		text = "returns, frees nothing, calls nothing back, and changes only what its arguments, but those to const, and what other files can name lead to"
		f.recordUnmodelled(c)
	}
	f.im.notes.add(Note{Kind: NoteUnknownFunction, Name: c.name, Text: text, Pos: f.pos})
	if c.sret != nil && len(c.args) > 0 {
		f.b.Op(ir.Havoc, ir.Type{}, c.args[0][0], f.b.Word(c.sret.Size))
	}
	var list []ir.Value
	for _, s := range c.result.scalars {
		list = append(list, f.b.Nondet(s.Type, ir.NondetUnknown, c.name))
	}
	if !f.im.opts.PureUnmodelled {
		f.im.unmodelled[len(f.im.unmodelled)-1].results = list
	}
	return list
}

// isError recognises the functions whose call is a failed assertion.
func isError(name string) bool { return name == "reach_error" || name == "__VERIFIER_error" }

// beforeCall emits what belongs to the call of a function with a body.
func (f *function) beforeCall(name string) {
	if isError(name) {
		f.b.Check(ir.Assertion, f.b.Const(1, 0), name+"() called")
	}
}

func (f *function) nothing(*externalCall) []ir.Value { return nil }

func (f *function) returnsZero(c *externalCall) []ir.Value { return f.boolean(f.b.Const(1, 0), c) }

func (f *function) errorCall(c *externalCall) []ir.Value {
	f.beforeCall(c.name)
	if c.noReturn {
		f.aborts()
	}
	return nil
}

// assertFail is what the assert macros call.
func (f *function) assertFail(c *externalCall) []ir.Value {
	text := c.text(0)
	if c.name == "__assert_rtn" || len(c.source) == 4 && c.name == "__assert" {
		text = c.text(3)
	}
	if text == "" {
		text = "failed"
	}
	if f.im.opts.AssertEnds {
		f.im.notes.add(Note{Text: "a failed assert ends the run, and is no violation: the property is about an error function"})
	} else {
		f.b.Check(ir.Assertion, f.b.Const(1, 0), "assertion "+text)
	}
	f.aborts()
	return nil
}

// truth is whether an argument is not 0. A missing one is arbitrary.
func (f *function) truth(c *externalCall, k int) ir.Value {
	v, ok := c.arg(k)
	if !ok {
		return f.b.Nondet(ir.BoolType, ir.NondetUndef, "")
	}
	t := f.b.Func.Type(v)
	switch {
	case t == ir.BoolType:
		return v
	case t.Kind == ir.Float:
		return f.not(f.b.Cmp(ir.FEq, v, f.zero(t)))
	}
	return f.b.Cmp(ir.Ne, v, f.zero(t))
}

func (f *function) assumeCall(c *externalCall) []ir.Value {
	f.b.Assume(f.truth(c, 0))
	return nil
}

func (f *function) assertCall(c *externalCall) []ir.Value {
	text := c.text(1)
	if text == "" {
		text = c.name + " failed"
	}
	f.b.Check(ir.Assertion, f.truth(c, 0), text)
	return nil
}

// uses says whether the program refers to one of the functions and objects that
// the first argument names. Models do not refer to those they ask for themselves.
func (f *function) uses(c *externalCall) []ir.Value {
	used := uint64(0)
	for name := range strings.FieldsSeq(c.text(0)) {
		if f.im.p.Function(name) != nil || slices.ContainsFunc(f.im.p.Globals, func(g *llvm.Global) bool { return g.Name == name }) {
			used = 1
		}
	}
	return f.boolean(f.b.Const(1, used), c)
}

// seenEnvironment is what the object environ holds, if the program declares one.
func (f *function) seenEnvironment(*externalCall) []ir.Value {
	for _, g := range f.im.p.Globals {
		if slices.Contains(environmentObjects, g.Name) {
			return []ir.Value{f.b.Load(f.im.m.PtrType(), f.b.GlobalAddr(f.im.symbol(g)))}
		}
	}
	return []ir.Value{f.b.Null()}
}

// aborts ends the run as abort does: exit handlers do not run. What is still allocated then is not freed at the end,
// if that is asked: for this question it is an end as any other.
func (f *function) aborts() {
	if f.im.opts.requested(ir.MemCleanup) {
		f.halt(ir.HaltExit)
	} else {
		f.halt(ir.HaltAbort)
	}
}

func (f *function) abort(*externalCall) []ir.Value {
	f.aborts()
	return nil
}

// exitHandlers is the model that runs the functions given to atexit.
const exitHandlers = "__assay_exit_handlers"

func (f *function) exit(c *externalCall) []ir.Value {
	f.output(c.definedArguments())
	f.runExitHandlers()
	f.halt(ir.HaltExit)
	return nil
}

// runExitHandlers calls what runs at the end of a program.
func (f *function) runExitHandlers() {
	if h := f.im.p.Function(exitHandlers); h != nil && h.Blocks != nil {
		f.b.Call(ir.Type{}, f.im.symbol(h))
	}
	destructors := byPriority(f.im.p.Destructors)
	for k := len(destructors) - 1; k >= 0; k-- {
		f.emitCall(destructors[k], nil)
	}
}

func (f *function) exitNow(c *externalCall) []ir.Value {
	f.output(c.definedArguments())
	f.halt(ir.HaltExit)
	return nil
}

// falseConst is the truth value false as an operand.
var falseConst = &llvm.Const{Kind: llvm.IntConst, Type: &llvm.Type{Kind: llvm.IntType, Bits: 1}, Bits: bv.Bool(false)}
