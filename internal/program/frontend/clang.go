package frontend

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"assay/internal/program/cprover"
	"assay/internal/program/target"
	"assay/internal/run/lazyregexp"
	"assay/internal/run/schedule"
)

// This file runs clang. The flags decide what the program means:
//
//	-O0 -disable-O0-optnone          no pass has run, and passes may run later
//	-fsanitize-address-use-after-scope
//	                                 lifetime markers (without the sanitizer)
//	-ftrivial-auto-var-init=zero     marks the places where content becomes
//	                                 indeterminate; package llvm replaces the
//	                                 zeros. "pattern" marks the same places,
//	                                 but fills arrays of variable length in a loop.
//	-fno-builtin                     calls of the library stay calls, so that
//	                                 models can take them
//	-fsanitize=… -fsanitize-trap=all C's undefined arithmetic as branches
//	-fno-strict-aliasing -fno-finite-loops -ffp-contract=off
//	                                 no license to change the meaning
//	(package target)                 the data model, and no x87 arithmetic in 32 bits
//
// -fwrapv is not given: with it clang 19 leaves out the check of signed left
// shifts for lost bits. The flags it would avoid (nsw) are dropped on import.
//
// What C no longer allows but old programs do (implicit declarations, implicit
// int, integers for pointers) are warnings, as they used to be.

var semanticFlags = []string{
	"-O0", "-Xclang", "-disable-O0-optnone", "-Xclang", "-fsanitize-address-use-after-scope",
	"-fno-strict-aliasing", "-fno-finite-loops", "-fno-builtin", "-ffp-contract=off", "-ftrivial-auto-var-init=zero",
	"-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,vla-bound,float-cast-overflow", "-fsanitize-trap=all",
	"-fno-pic", "-fno-stack-protector", "-U_FORTIFY_SOURCE",
	"-g", "-gcolumn-info", "-fno-discard-value-names", "-emit-llvm", "-c", "-o", "-",
}

// unexempted makes the attribute with which functions are exempted from sanitizers, no_sanitize, one that exempts from none
// of those that are asked for: what it exempts is undefined all the same.
var unexempted = []string{`-Dno_sanitize(...)=__no_sanitize__("thread")`, `-D__no_sanitize__(...)=no_sanitize("thread")`, "-Wmacro-redefined"}

// ownExemption matches clang's warning of a program that has a macro of its own by one of these names: what that exempts is
// not known.
var ownExemption = lazyregexp.New(`(?m)^(.+?):(\d+):(\d+): warning: '(?:no_sanitize|__no_sanitize__)' macro redefined`)

// exempts says of a preprocessed file that it has the attribute: then it has to be preprocessed once more.
func exempts(u unit) bool {
	file := u.file
	if !filepath.IsAbs(file) {
		file = filepath.Join(u.directory, file)
	}
	text, err := os.ReadFile(file)
	return err == nil && bytes.Contains(text, []byte("no_sanitize"))
}

var leniencyFlags = []string{
	"-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
	"-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch",
}

// clangVariable is the variable of the environment that names the clang 19 to run. Tests, which lie elsewhere, are run with
// that of bin.
const clangVariable = "ASSAY_CLANG"

// clangPath finds clang 19: the one that clangVariable names, the one that is linked statically beside this program, if it
// was built (cmd/assay-clang), or that which is installed.
func clangPath() (string, error) {
	if named := os.Getenv(clangVariable); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", &EnvironmentError{What: "running " + named + ", which " + clangVariable + " names", Err: err}
		}
		return filepath.Abs(path)
	}
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), "assay-clang")); err == nil {
			return path, nil
		}
	}
	for _, name := range []string{"clang-19", "/usr/lib/llvm-19/bin/clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &EnvironmentError{What: "clang-19 is not installed", Hint: "on Debian: apt-get install clang-19 (and libc6-dev-i386 for 32-bit programs)"}
}

// includeVariables are those of the environment that name folders of headers.
var includeVariables = []string{"CPATH", "C_INCLUDE_PATH"}

// systemFolders are where clang looks for headers unasked, besides its own.
var systemFolders = []string{"/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include/i386-linux-gnu", "/usr/include"}

// Compiler is what compilation depends on besides files and flags: which clang runs, and what it takes from the environment.
func Compiler() []string {
	path, err := clangPath()
	if err != nil {
		return nil
	}
	list := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if info, err := os.Stat(real); err == nil {
			list = append(list, real, fmt.Sprint(info.Size()), info.ModTime().String())
		}
	}
	for _, name := range append([]string{"CCC_OVERRIDE_OPTIONS", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH"}, includeVariables...) {
		list = append(list, name+"="+os.Getenv(name))
	}
	return list
}

// HeaderFolders are the folders in which clang looks for headers without being told by flags.
func HeaderFolders() []string {
	var list []string
	for _, name := range includeVariables {
		list = append(list, filepath.SplitList(os.Getenv(name))...)
	}
	return append(list, systemFolders...)
}

// unit is a C file to be compiled.
type unit struct {
	file string
	// flags are the file's own (from the compilation database), directory is
	// where clang runs; empty is here.
	flags     []string
	directory string
	// model says that it is a library model: without positions, so that what
	// happens in it is reported at the call.
	model bool
	// described asks for text in which declarations of functions are described, instead
	// of the bitcode of the program.
	described bool
}

// compiled is the outcome of a unit.
type compiled struct {
	bitcode []byte
	text    string // clang's output
	err     error
	// contracts are those that the unit knows; enforced says that it has the entry within its contract.
	contracts []cprover.Contract
	enforced  bool
	// disabled are the lines in which pragmas switch checks off.
	disabled []cprover.Region
}

// compileAll compiles the units side by side, as many at a time as there are
// processors. The results are in the order of the units.
func compileAll(ctx context.Context, clang string, units []unit, o *Options) []compiled {
	slots := make(chan struct{}, runtime.NumCPU())
	var compilers []schedule.Engine[compiled]
	for _, u := range units {
		compilers = append(compilers, schedule.Engine[compiled]{Name: u.file, Run: func(ctx context.Context) compiled {
			slots <- struct{}{}
			defer func() { <-slots }()
			return compile(ctx, clang, u, o)
		}})
	}
	var results []compiled
	for _, x := range schedule.Run(ctx, compilers, func(compiled) schedule.Side { return schedule.Open }).Outcomes {
		results = append(results, x.Answer)
	}
	return results
}

// compile compiles a unit, a second time if it includes assay.h (header.go), or calls
// library functions that it does not declare (implicit.go). If the latter goes wrong,
// the program has its own idea of them, and the first result counts.
func compile(ctx context.Context, clang string, u unit, o *Options) compiled {
	if extended(u) {
		return translate(ctx, clang, u, o)
	}
	first := runClang(ctx, clang, u, o)
	if first.err != nil && wantsHeader(first.text) {
		folder, err := WriteHeader()
		if err != nil {
			return compiled{err: err}
		}
		defer os.RemoveAll(folder)
		u.flags = append([]string{"-idirafter", folder}, u.flags...)
		first = runClang(ctx, clang, u, o)
	}
	if !u.model && (first.err != nil && mayExtend(first.text) || strings.Contains(first.text, "undeclared function '__CPROVER_")) {
		return translate(ctx, clang, u, o)
	}
	if declarations := laterDeclarations(first.text); first.err != nil && declarations != "" {
		prelude, err := writePrelude(declarations)
		if err != nil {
			return first
		}
		defer os.Remove(prelude)
		with := u
		with.flags = append([]string{"-include", prelude}, u.flags...)
		if second := runClang(ctx, clang, with, o); second.err == nil {
			first, u = second, with
		}
	}
	if first.err != nil {
		return first
	}
	declarations := implicitDeclarations(first.text)
	if declarations == "" {
		return first
	}
	prelude, err := writePrelude(declarations)
	if err != nil {
		return first
	}
	defer os.Remove(prelude)
	u.flags = append([]string{"-include", prelude}, u.flags...)
	if second := runClang(ctx, clang, u, o); second.err == nil {
		return compiled{bitcode: second.bitcode, text: first.text}
	}
	return first
}

func runClang(ctx context.Context, clang string, u unit, o *Options) compiled {
	out, diagnostics, outcome, err := runCompiler(ctx, clang, u.directory, arguments(u, o))
	text := string(diagnostics)
	switch {
	case err != nil:
		return compiled{err: &EnvironmentError{What: "running " + clang, Err: err}}
	case outcome.Cancelled:
		return compiled{err: context.Cause(ctx)}
	case outcome.ExitCode != 0:
		failure := &InputError{Text: text, Diagnostics: parseDiagnostics(text)}
		if outcome.Signal != 0 {
			failure.Diagnostics = []Diagnostic{{File: u.file, Severity: "error", Message: fmt.Sprintf("clang was ended by %q; the program may be nested too deeply for it", outcome.Signal)}}
		} else if len(failure.Diagnostics) == 0 {
			failure.Diagnostics = []Diagnostic{{File: u.file, Severity: "error", Message: "clang failed: " + strings.TrimSpace(text)}}
		}
		failure.Hint = cmp.Or(otherLanguage(u.file, text), missingHeader(text, o.DataModel), newerC(text))
		return compiled{text: text, err: failure}
	}
	return compiled{bitcode: out, text: text}
}

// newLanguage finds what clang says of words and headers of C++ in a program that is compiled as C.
var newLanguage = lazyregexp.New(`unknown type name '(class|namespace|template|using)'|'(vector|string|iostream|memory|map|algorithm|cstd[a-z]+|cstring)' file not found`)

// otherLanguage is what to do about a program in C++.
func otherLanguage(file, text string) string {
	switch filepath.Ext(file) {
	case ".cc", ".cpp", ".cxx", ".C", ".hpp", ".hh":
		return "the file is named as C++, which assay does not read: C only"
	}
	if newLanguage.MatchString(text) {
		return "is it C++? assay reads C only"
	}
	return ""
}

// missingHeader is what to do about a header that is not there.
func missingHeader(text string, model DataModel) string {
	_, err := os.Stat("/usr/include/gnu/stubs-32.h")
	switch {
	case !strings.Contains(text, "file not found"):
		return ""
	case strings.Contains(text, "stubs-32.h") || model == ILP32 && err != nil:
		return "are the 32-bit headers missing? on Debian: apt-get install libc6-dev-i386"
	}
	return "-I names a folder with more headers"
}

// newC finds what clang says of the words of C23 in a program that is compiled as an older C.
var newC = lazyregexp.New(`(unknown type name|undeclared identifier) '(constexpr|bool|true|false|nullptr|nullptr_t|typeof|_BitInt)'`)

// newerC is what to do about a program in a C that is not the default.
func newerC(text string) string {
	if newC.MatchString(text) {
		return "-std=c23 if the program is C23"
	}
	return ""
}

// Flags are the user's flags for clang.
func (o *Options) Flags() []string {
	var args []string
	if o.Std != "" {
		args = append(args, "-std="+o.Std)
	}
	for _, d := range o.Include {
		args = append(args, "-I"+d)
	}
	for _, d := range o.Define {
		args = append(args, "-D"+d)
	}
	for _, d := range o.Undef {
		args = append(args, "-U"+d)
	}
	return append(args, o.ExtraArgs...)
}

// arguments is clang's command line. The user's flags come first, so that they
// cannot undo the meaning.
func arguments(u unit, o *Options) []string {
	args := append(slices.Clone(u.flags), o.Flags()...)
	args = append(args, leniencyFlags...)
	args = append(args, semanticFlags...)
	args = append(args, o.requestedFlags()...)
	if o.flatten != "" { // arithmetic is the machine's
		args = append(args, "-fno-sanitize=all", "-fwrapv")
	}
	args = append(args, target.Flags(o.DataModel == ILP32)...)
	if u.model {
		args = append(args, "-g0")
	}
	if u.described { // see constness.go
		args = append(args, "-O1", "-Xclang", "-disable-llvm-passes", "-S")
	}
	args = append(args, unexempted...)
	switch ext := filepath.Ext(u.file); {
	case ext == ".i" && !exempts(u):
		args = append(args, "-Qunused-arguments") // definitions: clang would warn, and the one that starts faster would leave it to the other one
	case ext != ".c":
		args = append(args, "-x", "c")
	}
	return append(args, "--", u.file)
}

var diagnosticLine = lazyregexp.New(`^(.+?):(\d+):(\d+): (?:fatal )?(error|warning|note): (.*)$`)
var plainDiagnostic = lazyregexp.New(`^(?:clang[-\w.]*: )?(?:fatal )?(error|warning): (.*)$`)

// parseDiagnostics reads the messages in clang's output.
func parseDiagnostics(text string) []Diagnostic {
	var list []Diagnostic
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := diagnosticLine.FindStringSubmatch(line); m != nil {
			row, _ := strconv.Atoi(m[2])
			col, _ := strconv.Atoi(m[3])
			list = append(list, Diagnostic{File: m[1], Line: row, Col: col, Severity: m[4], Message: m[5]})
		} else if m := plainDiagnostic.FindStringSubmatch(line); m != nil {
			list = append(list, Diagnostic{Severity: m[1], Message: m[2]})
		}
	}
	return list
}
