// Package frontend turns C sources and LLVM modules into ir.
//
//	options → clang (clang.go) → bitcode → package llvm → importer → ir.Module
//
// Load is the entry point. The files, in the order of the pipeline:
//
//	frontend.go   options, Load             clang.go      the compiler and its flags
//	served.go     a compiler that has started
//	compiledb.go  compile_commands.json     implicit.go, inline.go  old C
//	child.go      reading foreign modules   import.go     the module
//	types.go      aggregates to scalars     global.go     initialisers
//	function.go   blocks, operands          branch.go     terminators, phis
//	instruction.go, convert.go, memory.go, floatclass.go, intrinsic.go, undef.go
//	literals.go   literals that share storage
//	checks.go     undefined arithmetic      call.go       calls
//	verifier.go, operation.go, direct.go, formats.go, library.go
//	              functions that the program does not define
//	debug.go      variables and labels      harness.go    where runs start
//	atoms.go      atoms of temporal formulas
//	prune.go      cleaning up               models/       the C library, in C
//	usermodels.go models of the user        binary.go     x86-64 programs, as C
//	physical.go   places without line directives
//	units.go      the files of a project, each compiled once
//
// What is assumed about the program is in Program.Notes. What ir cannot
// express becomes an Unsupported terminator where it would be executed.
package frontend

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"assay/internal/program/binary/lift"
	"assay/internal/program/cprover"
	"assay/internal/program/harness"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
	"assay/internal/program/stackusage"
)

// DataModel says how wide C's types are.
type DataModel uint8

// The data models.
const (
	LP64  DataModel = iota // int 32, long and pointers 64 bits
	ILP32                  // int, long and pointers 32 bits
)

func (d DataModel) String() string {
	if d == ILP32 {
		return "ILP32"
	}
	return "LP64"
}

// Options say what to load.
type Options struct {
	// Files are C sources, preprocessed sources (.i), LLVM assembly (.ll) and
	// bitcode (.bc); they are linked to one program. An x86-64 ELF file is a program alone.
	Files []string
	// Include, Define, Undef and Std are clang's -I, -D, -U and -std=;
	// ExtraArgs are further arguments.
	Include, Define, Undef []string
	Std                    string
	ExtraArgs              []string
	DataModel              DataModel
	// CompileCommands is a compile_commands.json or the directory of one. The
	// files it lists are compiled as it says; without Files, all of them are.
	CompileCommands string
	// Function is where runs start; empty is main.
	Function string
	// Only lets runs start at the only function that is defined, if it is not main.
	Only bool
	// Arguments say what pointer parameters of Function point to, by
	// "function:parameter".
	Arguments map[string]Argument
	// NonNull are the pointer parameters of Function that are not null, as
	// "function:parameter", or AllPointers.
	NonNull []string
	// Label is a label, symbol or address (0x…) of a binary that becomes a label of its C (LabelName).
	Label string
	// Nullable are those that may be null although Harness, or what Arguments describes, finds no reason for it.
	Nullable []string
	// Harness calls Function as a person would who tests it (package harness), if it asks for that.
	Harness harness.Variant
	// FreeArguments frees what Harness has made, at the end.
	FreeArguments bool
	// BinaryMemory leaves accesses of a binary that are not within an object to the checks for memory safety.
	BinaryMemory bool
	// BinaryFrees does so with calls of free that are not of a live block.
	BinaryFrees bool
	// HavocGlobals makes global variables arbitrary at the start.
	HavocGlobals bool
	// HavocUninitialised makes global variables arbitrary at the start that have no initialiser and
	// are not static. C says that they are 0.
	HavocUninitialised bool
	// PureUnmodelled lets functions with neither body nor model change nothing.
	PureUnmodelled bool
	// AssertEnds lets a failed assert end the run, as abort does; only calls of error functions, and
	// assertions of verifiers, are violations.
	AssertEnds bool
	// Requested are the kinds of checks that somebody asks for. Those that C does not ask for (UnsignedOverflow,
	// ImplicitConversion, NotANumber) are compiled in only if they are among them.
	Requested []ir.CheckKind
	// MallocMayFail lets allocations return null.
	MallocMayFail bool
	// CheckAlignment makes accesses invalid that are not aligned as their type asks.
	CheckAlignment bool
	// Atoms are C expressions, each of which becomes a function of the module (ObserverName)
	// that tells whether it is true; an error about one is an *AtomError. They may name what a file of the program declares
	// outside of functions, and locals as main::x, to which the function then has pointers
	// (LocalsOf). Those stay in memory.
	Atoms []string
	// Assumed is a C expression, as an atom, that is assumed of the first state of Function, where
	// its locals have arbitrary content; empty is nothing.
	Assumed string
	// Costs leaves calls of CostFunction in the program, which has no body; else they are nothing.
	Costs bool
	// Unpromoted leaves locals in memory that could be values. It is for tests
	// of promotion: the program means the same.
	Unpromoted bool
	// LocalsAtExit leaves locals in memory if exit is called: blocks that they
	// point to are not lost then.
	LocalsAtExit bool
	// Models is a directory whose C files are models of library functions, which
	// come before our own; empty is none.
	Models string
	models *userModels
	// Link is the program if it is compiled already (Compile): the unit of Function first. Files are not read then.
	Link []Linked
	// localTypes are the types of the locals that atoms name.
	localTypes map[Local]string
	// stack is what functions of a binary take of the stack.
	stack map[string]lift.Usage
	// declared is what functions without body may do to what their parameters point to.
	declared map[string][]pointee
	// foreign says that modules among the files were made elsewhere.
	foreign bool
	// flatten is what is to be said of a program that McSema lifted.
	flatten string
	// Replace are pairs f=g: what calls f calls g instead. Remove are functions that lose their bodies, FILE:f those
	// of a file, if it has them.
	Replace, Remove []string
	// FirstDefinition lets the first body of a function that several files define count, as goto-cc links.
	FirstDefinition bool
	// UseContracts replaces functions with contracts (__CPROVER_requires, …) by these, where they are called.
	UseContracts bool
	// Obligation starts runs in Function as any caller may that its contract allows, with UseContracts: pointers and
	// globals are arbitrary. Vacuous asks instead whether no state satisfies what the contract requires.
	Obligation, Vacuous bool
	// contracts are those of the program, enforced says that Function is called within its own.
	contracts []cprover.Contract
	enforced  bool
	// notes are those of the compilation.
	notes []Note
	// disabled are the lines in which pragmas switch checks off (disabled.go).
	disabled []cprover.Region
	// zeroDivisors are the operators of which clang says that the divisor is a constant 0.
	zeroDivisors []Diagnostic
	// warnedConstants are the operations of constants of which clang says that they are not defined.
	warnedConstants []warnedConstant
	// Warnings receives clang's diagnostics if compilation succeeds; nil drops them.
	Warnings io.Writer
}

func (o *Options) entry() string {
	if o.Function == "" {
		return "main"
	}
	return o.Function
}

// first is the function that is called first: the entry, or what puts it into its contract.
func (o *Options) first() string {
	if o.enforced {
		return o.entry() + cprover.EnforcedSuffix
	}
	return o.entry()
}

// Program is an imported program.
type Program struct {
	Module *ir.Module
	// Exact is the program for searches that run it, nil if it is Module: where Module
	// over-approximates, there are more ways, which are those of the library (exact.go).
	Exact *ir.Module
	// Vectors is the program with all strings of the command line and the environment, for engines that
	// can tell of them all; nil if Module is no less.
	Vectors *ir.Module
	// DataModel is the one that was used: of LLVM modules, their own.
	DataModel DataModel
	// Start is what is assumed of the state in which runs start.
	Start []harness.Fact
	// Harness is the plan after which Function is called, with Options.Harness.
	Harness *harness.Plan
	// Pointing are the parameters described by Options.Arguments that are not null because nothing asks whether they are.
	Pointing []string
	// Contracts are those that stand for functions where these are called, with Options.UseContracts.
	Contracts []FunctionContract
	// Notes are assumptions that a verdict rests on.
	Notes []Note
	// Marked says that the program calls __VERIFIER_ltl_step, perhaps where no run comes: then
	// these calls are the points where atoms are observed.
	Marked bool
	// Frames are the stack frames of a binary, nil for other programs.
	Frames *stackusage.Frames
	// initialised says that Module has checks of uninitialised memory.
	initialised bool
}

// Load compiles, links and imports. The error is an *InputError, an
// *EnvironmentError, or the cause of ctx's end.
func Load(ctx context.Context, o Options) (*Program, error) {
	atoms := len(o.Atoms)
	if o.Assumed != "" {
		o.Atoms = append(slices.Clone(o.Atoms), o.Assumed)
	}
	p, err := load(ctx, o)
	var atom *AtomError
	if errors.As(err, &atom) && atom.Atom == atoms { // it is the assumption
		text := "--assume: " + atom.Message + "\n  " + o.Assumed
		if atom.Col > 0 {
			text += "\n  " + strings.Repeat(" ", atom.Col-1) + "^"
		}
		return nil, &InputError{Text: text}
	}
	return p, err
}

func load(ctx context.Context, o Options) (*Program, error) {
	if o.Link != nil {
		return loadLinked(ctx, o)
	}
	folder, err := lifted(&o)
	if err != nil {
		return nil, err
	}
	machine := folder != ""
	if !machine {
		if folder, err = readsMcSema(&o); err != nil {
			return nil, err
		}
	}
	if folder != "" {
		defer os.RemoveAll(folder)
	}
	if o.Models != "" {
		models, err := compileModels(ctx, &o)
		if err != nil {
			return nil, err
		}
		o.models = models
	}
	types, err := localTypes(ctx, &o)
	if err != nil {
		return nil, err
	}
	o.localTypes = types
	modules, foreign, err := gather(ctx, &o)
	if err != nil {
		return nil, err
	}
	o.foreign = foreign
	copied, err := readModules(&o, modules, o.first())
	if err != nil {
		return nil, err
	}
	if o.Only && o.Function == "" && copied.Function("main") == nil && len(copied.Defined) == 1 {
		o.Function = copied.Defined[0]
		if copied, err = readModules(&o, modules, o.first()); err != nil {
			return nil, err
		}
	}
	if better := recoverReturns(ctx, &o, copied); better != nil {
		copied = better
		o.ExtraArgs = slices.Concat(withoutNoReturn, o.ExtraArgs)
	}
	if better := recoverInlines(ctx, &o, copied); better != nil {
		copied = better
	}
	if !o.PureUnmodelled {
		o.declared = declarations(ctx, &o, copied)
	}
	p, err := importProgram(copied, &o, foreign)
	if err != nil {
		return nil, err
	}
	o.prove(p, copied)
	p.Start = o.start(p)
	p.Notes = append(p.Notes, o.notes...)
	if o.flatten != "" {
		p.Notes = append(p.Notes, Note{Kind: NoteFlattened, Name: "the program", Text: o.flatten})
	}
	p.Frames = framesOf(o.stack)
	if machine {
		p.Notes = append(p.Notes, Note{Text: "the program is machine code that was lifted: docs/soundness.md, Binaries, says what that rests on"})
	}
	if err := checkAtoms(p.Module, &o); err != nil {
		return nil, err
	}
	p.Request(o.Requested)
	if err := ir.Verify(p.Module); err != nil {
		return nil, fmt.Errorf("the front end made an ill-formed module, which is a bug of assay: %w", err)
	}
	return p, nil
}

// loadLinked is load for a program that is compiled already.
func loadLinked(ctx context.Context, o Options) (*Program, error) {
	if o.Models != "" {
		models, err := compileModels(ctx, &o)
		if err != nil {
			return nil, err
		}
		o.models = models
	}
	copied, err := linkUnits(&o)
	if err != nil {
		return nil, err
	}
	if !o.PureUnmodelled {
		o.declared = declaredIn(o.Link)
	}
	p, err := importProgram(copied, &o, false)
	if err != nil {
		return nil, err
	}
	p.Start = o.start(p)
	p.Notes = append(p.Notes, o.notes...)
	p.Request(o.Requested)
	if err := ir.Verify(p.Module); err != nil {
		return nil, fmt.Errorf("the front end made an ill-formed module, which is a bug of assay: %w", err)
	}
	return p, nil
}

// module is an LLVM module to be linked.
type module struct {
	name    string
	content []byte
	// contracts are those of functions that are replaced by them in the module.
	contracts []cprover.Contract
}

// gather compiles the sources and reads the modules among the files. Modules
// that were made elsewhere come from a child process.
func gather(ctx context.Context, o *Options) (list []module, foreign bool, err error) {
	units, others, err := split(o)
	if err != nil {
		return nil, false, err
	}
	if len(o.Files) == 0 {
		if err := missing(o.CompileCommands, units); err != nil {
			return nil, false, err
		}
	}
	if len(units) > 0 {
		clang, err := clangPath()
		if err != nil {
			return nil, false, err
		}
		build := compileAll
		if len(o.Atoms) > 0 {
			build = compileWithAtoms
		}
		for i, c := range build(ctx, clang, units, o) {
			if c.err != nil {
				return nil, false, c.err
			}
			if text := withoutExemption(c.text); o.Warnings != nil && text != "" {
				io.WriteString(o.Warnings, text)
			}
			o.disabled = append(o.disabled, c.disabled...)
			o.noteWarnings(c.text)
			if err := o.contracted(units[i].file, &c); err != nil {
				return nil, false, err
			}
			list = append(list, module{units[i].file, c.bitcode, c.contracts})
		}
	}
	for _, file := range others {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, false, inputError(file, errors.Unwrap(err).Error())
		}
		clean, err := readInChild(ctx, file, content)
		if err != nil {
			return nil, false, err
		}
		list = append(list, module{file, clean, nil})
	}
	return list, len(others) > 0, nil
}

// split separates C sources from LLVM modules.
func split(o *Options) (units []unit, modules []string, err error) {
	database, err := readCompileCommands(o.CompileCommands)
	if err != nil {
		return nil, nil, err
	}
	files := o.Files
	if len(files) == 0 {
		units = append(units, database...)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil {
			return nil, nil, inputError(file, errors.Unwrap(err).Error())
		} else if info.IsDir() {
			return nil, nil, inputError(file, "is a directory")
		}
		switch filepath.Ext(file) {
		case ".ll", ".bc":
			modules = append(modules, file)
		default:
			units = append(units, lookup(o, database, file))
		}
	}
	if len(units)+len(modules) == 0 {
		return nil, nil, &InputError{Diagnostics: []Diagnostic{{Severity: "error", Message: "no input files"}}}
	}
	return units, modules, nil
}

func inputError(file, message string) *InputError {
	return &InputError{Diagnostics: []Diagnostic{{File: file, Severity: "error", Message: message}}}
}

// readModules links the modules and the library models, prepares the result
// and copies it out of libLLVM.
func readModules(o *Options, modules []module, roots ...string) (*llvm.Program, error) {
	s := llvm.Open()
	defer s.Close()
	s.Kept = o.kept()
	for i := range o.Atoms {
		s.Promoted = append(s.Promoted, ObserverName(i))
	}
	s.Unpromoted, s.LocalsAtExit, s.Harnessed = o.Unpromoted, o.LocalsAtExit, o.Function != ""
	s.CheckAlignment, s.FromSource, s.FirstDefinition = o.CheckAlignment, !o.foreign, o.FirstDefinition
	for _, m := range modules {
		replaced := o.removedFrom(m.name)
		for _, c := range m.contracts {
			if o.UseContracts {
				replaced = append(replaced, llvm.Replacement{Name: c.Name, By: c.Name + cprover.ContractSuffix, Kept: c.Name + cprover.EnforcedSuffix})
			}
		}
		if err := s.Read(m.name, m.content, replaced...); err != nil {
			if link := (*llvm.LinkError)(nil); errors.As(err, &link) && len(o.Files) == 0 && len(modules) > 1 {
				if several := severalPrograms(o.CompileCommands, modules); several != nil {
					return nil, several
				}
			}
			return nil, asInputError(m.name, err)
		}
		for _, name := range s.Shadowed {
			o.note(Note{Name: name, Text: "has the body of the first file that defines it, not that of " + m.name})
		}
		s.Shadowed = nil
	}
	if err := o.substitute(s); err != nil {
		return nil, err
	}
	if s.BigEndian() {
		return nil, inputError(modules[0].name, "the module is for a big-endian machine, which assay does not model")
	}
	if name := s.Reserved(); name != "" {
		return nil, inputError(modules[0].name, "the name "+name+" is reserved for assay")
	}
	switch s.PointerBits() {
	case 64, 32:
	default:
		return nil, inputError(modules[0].name, fmt.Sprintf("pointers of %d bits are not modelled", s.PointerBits()))
	}
	return complete(s, o, roots...)
}

// complete links the library models to what was read, prepares the result and copies it.
func complete(s *llvm.Session, o *Options, roots ...string) (*llvm.Program, error) {
	if o.models != nil {
		if err := s.LinkLibrary("the models of "+o.Models, o.models.bitcode); err != nil {
			return nil, asInputError(o.Models, err)
		}
	}
	if o.flatten != "" {
		if err := s.Flatten("main", s.Promoted...); err != nil {
			return nil, err
		}
	}
	if s.Declares("atexit") {
		s.Declare(exitHandlers)
	}
	if err := linkModels(s); err != nil {
		return nil, fmt.Errorf("linking the library models: %w", err)
	}
	marked := s.Uses(stepFunction)
	if err := s.Prepare(); err != nil {
		return nil, err
	}
	for i := range o.Atoms {
		roots = append(roots, ObserverName(i))
	}
	p := s.Copy(slices.Concat(roots, o.contractRoots(), []string{exitHandlers})...)
	p.Marked = marked
	return p, nil
}

func asInputError(file string, err error) error {
	var syntax *llvm.SyntaxError
	var link *llvm.LinkError
	switch {
	case errors.As(err, &syntax):
		if d := parseDiagnostics(syntax.Text); len(d) > 0 {
			return &InputError{Text: syntax.Text, Diagnostics: d}
		}
		return inputError(file, syntax.Text)
	case errors.As(err, &link):
		failure := inputError(file, strings.TrimPrefix(link.Text, file+": "))
		if strings.Contains(link.Text, "named 'main'") {
			failure.Hint = "files that are given together are one program: check those with a main of their own one by one"
		}
		return failure
	}
	return err
}

// importProgram runs the importer. A panic on a foreign module is reported
// as the input's: it came from something that clang does not write.
func importProgram(p *llvm.Program, o *Options, foreign bool) (program *Program, err error) {
	if foreign {
		defer func() {
			if r := recover(); r != nil {
				err = inputError(strings.Join(o.Files, " "), fmt.Sprintf("the module cannot be imported: %v\n%s", r, debug.Stack()))
			}
		}()
	}
	im := newImporter(p, o, foreign)
	if err := im.run(); err != nil {
		return nil, err
	}
	model := LP64
	if p.PointerBits == 32 {
		model = ILP32
	}
	program = &Program{Module: withoutExactWays(im.m, false), DataModel: model, Notes: im.notes.list, Marked: p.Marked, Harness: im.plan, Pointing: im.pointing}
	if program.Module != im.m {
		program.Exact = im.m
	}
	if im.vectors {
		program.Vectors = withoutExactWays(im.m, true)
	}
	return program, nil
}
