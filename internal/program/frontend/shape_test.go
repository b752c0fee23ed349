package frontend

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/program/ir"
)

// loadSource imports a C program given as text.
func loadSource(t testing.TB, source string, o Options) *Program {
	t.Helper()
	p, err := Load(t.Context(), withSource(t, "program.c", source, o))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withSource adds a file with the given content to the options.
func withSource(t testing.TB, name, source string, o Options) Options {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Files = append(o.Files, file)
	return o
}

// find lists the instructions of an operation in a function.
func find(t testing.TB, p *Program, function string, op ir.Op) []*ir.Def {
	t.Helper()
	f := p.Module.Func(function)
	if f == nil {
		t.Fatalf("no function %s", function)
	}
	var list []*ir.Def
	for i := range f.Values {
		if f.Values[i].Op == op {
			list = append(list, &f.Values[i])
		}
	}
	return list
}

// expect compares the number of instructions of an operation.
func expect(t testing.TB, p *Program, function string, op ir.Op, want int) {
	t.Helper()
	if got := len(find(t, p, function, op)); got != want {
		t.Errorf("%d × %v in %s, want %d\n%s", got, op, function, want, ir.PrintFunc(p.Module, p.Module.Func(function)))
	}
}

// No undef may be left of a local variable: each would be a value that changes
// from use to use (trap 1).
func TestNoUndefOfLocals(t *testing.T) {
	files, _ := filepath.Glob("testdata/run/*.c")
	for _, file := range files {
		p := parseProgram(t, file)
		for _, model := range p.models {
			p.options.DataModel = model
			loaded, err := Load(t.Context(), p.options)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range loaded.Module.Funcs {
				for _, d := range f.Values {
					if d.Op == ir.Nondet && d.Aux == int64(ir.NondetUndef) {
						t.Errorf("%s (%v): undef in %s at %s", file, model, f.Name, loaded.Module.PosString(d.Pos))
					}
				}
			}
		}
	}
}

// An uninitialised local is one arbitrary value, however often it is read, and
// one that is always written first is none.
func TestUninitialised(t *testing.T) {
	p := loadSource(t, `
		int f(int a) { int x; if (a > 0) x = 1; return x + x * a; }
		int g(int a) { int x; if (a > 0) x = 1; else x = 2; int y[4] = {x}; return y[0]; }
		int h(int a) { struct { int i; char c; } s; s.i = a; s.c = 1; return s.i + s.c; }
		int main(void) { return f(1) + g(2) + h(3); }`, Options{})
	expect(t, p, "f", ir.Nondet, 1)
	expect(t, p, "g", ir.Nondet, 0)
	expect(t, p, "h", ir.Nondet, 0)
	expect(t, p, "h", ir.Alloca, 0)
}

// What can be promoted without loss is, through pointers and alloca() too.
func TestPromotion(t *testing.T) {
	p := loadSource(t, `
		int f(int n) { int x = n, *p = &x; *p += 1; return x; }
		int g(int n) { int *p = __builtin_alloca(sizeof *p), *q = __builtin_alloca(4); *p = n; *q = 1; while (*p > 0) *p -= *q; return *p; }
		int h(int n) { int a[2] = {n, 1}; return a[n]; }
		int main(void) { return f(1) + g(2) + h(0); }`, Options{})
	expect(t, p, "f", ir.Alloca, 0)
	expect(t, p, "g", ir.Alloca, 0)
	expect(t, p, "g", ir.Phi, 1)
	expect(t, p, "h", ir.Alloca, 1)
}

// Checks cost no paths: each function is one block.
func TestChecksAreStraight(t *testing.T) {
	p := loadSource(t, `
		int f(int a, int b) { return a << b; }
		int g(int a, int b) { return a / b + a % b - a * 3 + (a << 4) + (a >> b); }
		int main(void) { return f(1, 2) + g(3, 4); }`, Options{})
	for _, name := range []string{"f", "g"} {
		if n := len(p.Module.Func(name).Blocks) - 1; n != 1 {
			t.Errorf("%s has %d blocks\n%s", name, n, ir.PrintFunc(p.Module, p.Module.Func(name)))
		}
	}
	var kinds []string
	for _, d := range find(t, p, "f", ir.Check) {
		kinds = append(kinds, ir.CheckKind(d.Aux).String())
	}
	if got := strings.Join(kinds, " "); got != "shift shift-overflow" {
		t.Errorf("checks of <<: %s", got)
	}
}

// Loops without effect stay (trap 8), and so do reads whose value is not used.
func TestNothingIsDeleted(t *testing.T) {
	p := loadSource(t, `
		void f(unsigned n) { while (n) n *= 2; }
		void g(void) { for (;;); }
		void h(int *p) { int unused = *p; struct { int a, b; } s; s = *(typeof(s) *)p; (void)(p[1] == 2); }
		int main(void) { int x[2]; f(1); h(x); g(); }`, Options{})
	expect(t, p, "f", ir.Phi, 1)
	expect(t, p, "f", ir.CondBr, 1)
	if d := find(t, p, "g", ir.Br); len(d) == 0 || len(p.Module.Func("g").Blocks) < 2 {
		t.Errorf("g lost its loop\n%s", ir.PrintFunc(p.Module, p.Module.Func("g")))
	}
	if n := len(find(t, p, "h", ir.Load)) + len(find(t, p, "h", ir.MemCpy)); n < 3 {
		t.Errorf("%d reads are left in h\n%s", n, ir.PrintFunc(p.Module, p.Module.Func("h")))
	}
}

// a*b+c is a multiplication and an addition (trap 7).
func TestNoFusedArithmetic(t *testing.T) {
	for _, model := range []DataModel{LP64, ILP32} {
		p := loadSource(t, `double f(double a, double b, double c) { return a * b + c; } int main(void) { return f(1, 2, 3) > 4; }`, Options{DataModel: model})
		expect(t, p, "f", ir.FMul, 1)
		expect(t, p, "f", ir.FAdd, 1)
		expect(t, p, "f", ir.FMA, 0)
	}
}

// C labels and variables survive (trap 9).
func TestDebugInformation(t *testing.T) {
	p := loadSource(t, `typedef unsigned long word;
struct point { int x, y; };
int main(void) {
	const word w = 3;
	_Bool b = w > 2;
	float f = 1.5f;
	char *s = "x";
	struct point q = {1, 2};
	unsigned char c = 200;
	if (b && f > 1 && *s && q.y + c) goto ERROR;
	return 0;
ERROR:
	return 1;
}
`, Options{})
	labels := find(t, p, "main", ir.Label)
	if len(labels) != 1 || labels[0].Sym != "ERROR" || labels[0].Pos.Line != 12 {
		t.Errorf("labels: %+v", labels)
	}
	want := map[string]ir.CType{
		"w": {Name: "word", Bits: 64}, "b": {Name: "_Bool", Bits: 8, Bool: true}, "f": {Name: "float", Bits: 32, Float: true},
		"s": {Name: "char *", Bits: 64, Ptr: true}, "q.x": {Name: "int", Bits: 32, Signed: true}, "q.y": {Name: "int", Bits: 32, Signed: true},
		"c": {Name: "unsigned char", Bits: 8},
	}
	f := p.Module.Func("main")
	for _, v := range f.Vars {
		got := v.Type
		if parts := got.Parts; (parts != nil) != got.Ptr {
			t.Errorf("variable %s has parts %+v", v.Name, parts)
		}
		if got.Parts = nil; got != want[v.Name] {
			t.Errorf("variable %s has type %+v", v.Name, got)
		}
		delete(want, v.Name)
	}
	for name := range want {
		t.Errorf("no variable %s", name)
	}
	if len(find(t, p, "main", ir.Dbg)) < 7 {
		t.Error("too few assignments to variables")
	}
	for i := range f.Values {
		if d := &f.Values[i]; d.Block != 0 && d.Op != ir.Phi && d.Pos.Line == 0 {
			t.Errorf("%v has no position", d.Op)
		}
	}
	if p.Module.Files[f.Pos.File] == "" || f.Pos.Line != 3 {
		t.Errorf("main is at %s", p.Module.PosString(f.Pos))
	}
}

// Stores to variables that stay in memory are visible in traces.
func TestVariablesInMemory(t *testing.T) {
	p := loadSource(t, `void use(int *); int main(void) { int x = 5; use(&x); x = 6; return x; }`, Options{})
	if n := len(find(t, p, "main", ir.Dbg)); n != 2 {
		t.Errorf("%d assignments to x", n)
	}
}

func TestLayout(t *testing.T) {
	p := loadSource(t, `
		struct node { int v; struct node *next; };
		struct node pool[10]; short grid[3][5]; double d; char text[8]; struct { int a; char b; } mixed;
		int main(void) { return pool[0].v + grid[0][0] + (int)d + text[0] + mixed.a; }`, Options{})
	want := map[string]ir.Layout{
		"pool": {Stride: 16, Cell: 4, Pointers: true}, "grid": {Stride: 2, Cell: 2}, "d": {Cell: 8}, "text": {Stride: 1, Cell: 1}, "mixed": {Cell: 1},
	}
	for name, layout := range want {
		if g := p.Module.Global(name); g == nil || g.Layout != layout {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// What cannot be expressed is found where it would be executed, by name.
func TestUnsupported(t *testing.T) {
	tests := []struct{ source, want string }{
		{`int f(void) { __float128 x = 1.5; return x > 1; }`, "__float128"},
		{`long double g(long double x) { return x; } int f(void) { return (_Float16)g(1) > 0; }`, "long double"},
		{`int f(void) { volatile long double x = 1; return (__int128)x > 0; }`, "long double"},
		{`int f(void) { int x; __asm__("mov $1, %0" : "=r"(x)); return x; }`, "inline assembly"},
		{`#include <setjmp.h>
		jmp_buf b; int f(void) { int k = setjmp(b); if (k < 3) longjmp(b, k + 1); return k; }`, "longjmp"},
		{`#include <pthread.h>
		void *r(void *p) { return p; } int f(void) { pthread_t t; return pthread_create(&t, 0, r, 0); }`, "pthread_create"},
		{`void fatal(void) __attribute__((noreturn)); int f(void) { fatal(); }`, "fatal, which does not return and has no body"},
		{`#include <signal.h>
		void h(int s) {} int f(void) { signal(2, h); return 0; }`, "signal"},
		{`int f(void) { extern int weak(void) __attribute__((weak)); return weak ? weak() : 0; }`, "the weak symbol weak"},
		{`#include <stdio.h>
		int f(void) { char b[9]; sprintf(b, "%ls", L""); return b[0]; }`, "printf with a wide string"},
		{`#include <stdlib.h>
		void h(void) {} int f(void) { return at_quick_exit(h); }`, "at_quick_exit: functions that are called back"},
	}
	for _, c := range tests {
		p := loadSource(t, c.source+"\nint main(int n) { return n == 3 ? f() : 0; }", Options{})
		found := false
		for _, f := range p.Module.Funcs {
			for _, d := range f.Values {
				found = found || d.Op == ir.Unsupported && strings.Contains(d.Sym, c.want)
			}
		}
		if !found {
			t.Errorf("%s: no unsupported %q", c.source, c.want)
		}
		if d := p.Module.Func(EntryName).Values; d[len(d)-1].Op == ir.Unsupported {
			t.Errorf("%s: the whole program is unsupported", c.source)
		}
	}
}

func TestBarrierIsNothing(t *testing.T) {
	p := loadSource(t, `int main(void) { __asm__ volatile("" ::: "memory"); __sync_synchronize(); return 0; }`, Options{})
	expect(t, p, "main", ir.Unsupported, 0)
}

func TestNotes(t *testing.T) {
	p := loadSource(t, "int unknown(int *);\nvolatile int v;\nint main(void) {\n\tint x = 1;\n\tunknown(&x); unknown(&x);\n\treturn x + v;\n}\n", Options{PureUnmodelled: true})
	var notes []string
	for _, n := range p.Notes {
		notes = append(notes, n.String())
	}
	if len(notes) != 2 || notes[1] != "unknown (line 5) changes nothing reachable" || !strings.Contains(notes[0], "volatile") {
		t.Errorf("notes: %q", notes)
	}
	d := find(t, p, "main", ir.Nondet)
	if len(d) != 0 { // the results are not used
		t.Errorf("%d arbitrary values", len(d))
	}
}

func TestHavocGlobals(t *testing.T) {
	source := `int a = 1; const int b[2] = {2}; static int *p = &a; int main(int n) { return a + b[n] + *p; }`
	p := loadSource(t, source, Options{HavocGlobals: true})
	for name, want := range map[string]bool{"a": true, "b": false, "p": true} {
		if g := p.Module.Global(name); g.External != want || want && (g.Init != nil || g.Relocs != nil) {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// Pointers of functions that may be active where exit ends the program stay in memory, and nothing else does.
func TestLocalsAtExit(t *testing.T) {
	source := `#include <stdlib.h>
	int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
	void stop(int code) { int *p = malloc(4); *p = code; exit(*p); }
	void by(void (*f)(int), int n) { int *p = malloc(4); *p = n; f(*p); }
	int main(int argc, char **argv) { int n = length(argv[0]); double d = n; if (d > 3) by(argc > 1 ? stop : exit, n); return n; }`
	for name, want := range map[string]int{"length": 0, "stop": 1, "by": 2, "main": 1} { // by: f and p; main: argv
		expect(t, loadSource(t, source, Options{LocalsAtExit: true}), name, ir.Alloca, want)
	}
	source = `#include <stdlib.h>
	int main(int argc, char **argv) { char *p = argv[0]; if (p) exit(*p); return 0; }`
	expect(t, loadSource(t, source, Options{LocalsAtExit: true}), "main", ir.Alloca, 0)
	// A function under analysis may be given blocks of the heap.
	source = `#include <stdlib.h>
	void f(int *p) { if (p) exit(*p); }`
	expect(t, loadSource(t, source, Options{LocalsAtExit: true, Function: "f"}), "f", ir.Alloca, 1)
}

func TestMallocMayFail(t *testing.T) {
	source := `#include <stdlib.h>
	int main(void) { return malloc(4) != 0; }`
	expect(t, loadSource(t, source, Options{}), "main", ir.Malloc, 1)
	p := loadSource(t, source, Options{MallocMayFail: true})
	expect(t, p, "malloc", ir.Nondet, 1)
	if !p.Module.Func("malloc").Model {
		t.Error("malloc is no model")
	}
}

// A library function that is called without declaration has its own type, not
// that of a function that returns int.
func TestImplicitDeclaration(t *testing.T) {
	var warnings strings.Builder
	p := loadSource(t, `int main(void) { char *s = malloc(3); strcpy(s, "ab"); int n = strlen(s); free(s); return helper(n); } int helper(int n) { return n; }`, Options{Warnings: &warnings})
	expect(t, p, "main", ir.Nondet, 0)
	expect(t, p, "main", ir.IntToPtr, 0)
	if !strings.Contains(warnings.String(), "malloc") {
		t.Error("clang's warning is lost")
	}
}

// The body of a C99 inline function is not lost.
func TestInlineFunctions(t *testing.T) {
	p := loadSource(t, `inline int f(int n) { return n + 1; } int main(void) { return f(1); }`, Options{})
	if f := p.Module.Func("f"); f == nil || f.IsDecl() || len(p.Notes) != 0 {
		t.Errorf("f is lost: %v", p.Notes)
	}
}

// A definition of the program wins over the model.
func TestOwnDefinitionWins(t *testing.T) {
	p := loadSource(t, `unsigned long strlen(const char *s) { return 42; } void *malloc(unsigned long n) { return 0; }
		int main(void) { return strlen("abc") + (malloc(1) != 0); }`, Options{})
	for _, name := range []string{"strlen", "malloc"} {
		if f := p.Module.Func(name); f == nil || f.Model {
			t.Errorf("%s is the model", name)
		}
	}
	expect(t, p, "main", ir.Malloc, 0)
	expect(t, p, "main", ir.Call, 2)
}

// The import has no order of its own: the same program is the same module.
func TestDeterministic(t *testing.T) {
	options := Options{Files: []string{"testdata/run/globals.c", "testdata/run/abi.c"}[:1]}
	var first string
	for i := range 5 {
		p, err := Load(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if text := ir.Print(p.Module); i == 0 {
			first = text
		} else if text != first {
			t.Fatal("two imports differ")
		}
	}
}

// Results of functions without a body have the declared type.
func TestDeclaredTypes(t *testing.T) {
	p := loadSource(t, `
		extern unsigned char __VERIFIER_nondet_uchar(); float nondet_float(); extern void *__VERIFIER_nondet_pointer(void);
		__int128 __VERIFIER_nondet_int128(void); _Bool __VERIFIER_nondet_bool(); int nondet_bool();
		int main(void) {
			return __VERIFIER_nondet_uchar() + (nondet_float() > 1) + !__VERIFIER_nondet_pointer() + (__VERIFIER_nondet_int128() > 3)
				+ __VERIFIER_nondet_bool() + nondet_bool();
		}`, Options{})
	var types []string
	for _, d := range find(t, p, "main", ir.Nondet) {
		types = append(types, d.Type.String()+" "+d.Sym)
	}
	want := "i8 __VERIFIER_nondet_uchar,f32 nondet_float,ptr __VERIFIER_nondet_pointer,i64 __VERIFIER_nondet_int128,i64 __VERIFIER_nondet_int128,i1 __VERIFIER_nondet_bool,i1 nondet_bool"
	if got := strings.Join(types, ","); got != want {
		t.Errorf("inputs: %s", got)
	}
}

// TestNoReturnPreprocessed: the attribute is taken away from preprocessed sources, too.
func TestNoReturnPreprocessed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.i")
	text := "extern int __VERIFIER_nondet_int() __attribute__ ((__noreturn__));\nint x;\nint main(void) { x = __VERIFIER_nondet_int(); return x; }\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := Load(context.Background(), Options{Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	if text := ir.Print(p.Module); strings.Contains(text, "unsupported") || !strings.Contains(text, "store") {
		t.Errorf("the program is lost:\n%s", text)
	}
}
