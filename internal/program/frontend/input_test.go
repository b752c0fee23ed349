package frontend

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// inputErr loads and wants an *InputError.
func inputErr(t *testing.T, o Options) *InputError {
	t.Helper()
	_, err := Load(t.Context(), o)
	var input *InputError
	if !errors.As(err, &input) {
		t.Fatalf("got %T: %v", err, err)
	}
	if len(input.Diagnostics) == 0 || input.Error() == "" {
		t.Fatalf("empty error %+v", input)
	}
	return input
}

func TestClangErrors(t *testing.T) {
	o := withSource(t, "wrong.c", "int main(void) {\n\treturn x;\n}\n", Options{})
	e := inputErr(t, o)
	want := Diagnostic{File: o.Files[0], Line: 2, Col: 9, Severity: "error", Message: "use of undeclared identifier 'x'"}
	if e.Diagnostics[0] != want || !strings.Contains(e.Text, "return x;") {
		t.Errorf("%+v", e)
	}
}

func TestMissingInputs(t *testing.T) {
	directory := t.TempDir()
	for _, files := range [][]string{nil, {"/does/not/exist.c"}, {"/does/not/exist.bc"}, {directory}} {
		inputErr(t, Options{Files: files})
	}
	e := inputErr(t, withSource(t, "a.c", "int f(void) { return 1; }", Options{}))
	if !strings.Contains(e.Error(), "does not define the function main") {
		t.Error(e)
	}
}

// Files are linked; static functions keep apart; what does not fit is said.
func TestLinking(t *testing.T) {
	o := withSource(t, "a.c", `static int one(void) { return 1; } int two(int); extern int shared; int main(void) { return one() + two(3) + shared; }`, Options{})
	o = withSource(t, "b.c", `static int one(void) { return 11; } int shared = 5; int two(int n) { return one() + n; }`, o)
	p, err := Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Module.Funcs) != 5 { // entry, main, two, and both of one
		t.Errorf("%d functions", len(p.Module.Funcs))
	}
	if g := p.Module.Global("shared"); g == nil || g.External || len(g.Init) != 4 {
		t.Errorf("shared: %+v", g)
	}

	o = withSource(t, "a.c", `int two(int, int); int main(void) { return two(3, 4); }`, Options{})
	o = withSource(t, "b.c", `long two(long n) { return n; }`, o)
	p, err = Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	checks := find(t, p, "main", ir.Check)
	if len(checks) != 1 || checks[0].Aux != int64(ir.Incompatible) {
		t.Errorf("checks: %+v", checks)
	}

	o = withSource(t, "a.c", `int twice; int f(void) { return 1; } int main(void) { return f(); }`, Options{})
	o = withSource(t, "b.c", `int f(void) { return 2; }`, o)
	if e := inputErr(t, o); !strings.Contains(e.Error(), "multiply defined") {
		t.Error(e)
	}
	o.FirstDefinition = true
	p, err = Load(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Module.Funcs) != 3 || !slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Name == "f" && strings.Contains(n.Text, "first file") }) {
		t.Errorf("%d functions; notes %v", len(p.Module.Funcs), p.Notes)
	}
	if r := find(t, p, "f", ir.Ret); len(r) != 1 {
		t.Errorf("f returns %d times", len(r))
	}
	// Bodies of other types do not stand for each other.
	o = withSource(t, "a.c", `int f(void) { return 1; } int main(void) { return f(); }`, Options{FirstDefinition: true})
	o = withSource(t, "b.c", `int f(long n) { return 2; }`, o)
	if e := inputErr(t, o); !strings.Contains(e.Error(), "multiply defined") {
		t.Error(e)
	}
}

func TestCompileCommands(t *testing.T) {
	directory := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	os.Mkdir(filepath.Join(directory, "include"), 0o777)
	write("include/value.h", "enum { VALUE = 3 };")
	write("a.c", "#include \"value.h\"\nint f(void);\nint main(void) { return f() + VALUE + EXTRA; }")
	write("b.c", "int f(void) { return sizeof(STRING); }")
	write("compile_commands.json", `[
		{"directory": "`+directory+`", "file": "a.c", "arguments": ["gcc", "-O3", "-Iinclude", "-DEXTRA=4", "-c", "a.c", "-o", "a.o"]},
		{"directory": ".", "file": "b.c", "command": "gcc -Wall '-DSTRING=\"a b\"' -c b.c"}]`)
	p, err := Load(t.Context(), Options{CompileCommands: directory})
	if err != nil {
		t.Fatal(err)
	}
	if p.Module.Func("f") == nil {
		t.Error("b.c is missing")
	}
	// One of the files by name has its flags from there.
	if _, err := Load(t.Context(), Options{CompileCommands: directory, Files: []string{filepath.Join(directory, "a.c")}}); err != nil {
		t.Error(err)
	}
	write("compile_commands.json", `[{"directory": ".", "file": "gone.c", "command": "cc -c gone.c"}, {"directory": ".", "file": "a.c", "command": "cc -c a.c"}]`)
	if e := inputErr(t, Options{CompileCommands: directory}); !strings.Contains(e.Error(), "gone.c") || strings.Contains(e.Error(), "a.c") {
		t.Error(e)
	}
	write("c.c", "int main(void) { return 1; }")
	write("d.c", "int main(void) { return 2; }")
	write("compile_commands.json", `[{"directory": ".", "file": "c.c", "command": "cc -c c.c"}, {"directory": ".", "file": "d.c", "command": "cc -c d.c"}]`)
	if e := inputErr(t, Options{CompileCommands: directory}); !strings.Contains(e.Error(), "several programs") || !strings.Contains(e.Error(), "c.c and in ") {
		t.Error(e)
	}
	write("compile_commands.json", "{")
	inputErr(t, Options{CompileCommands: directory})
}

func TestShellWords(t *testing.T) {
	got := shellWords(`cc  -D'A B' "-DX=\"y\"" a\ b ''`)
	if want := []string{"cc", "-DA B", `-DX="y"`, "a b", ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

func TestPreprocessedSource(t *testing.T) {
	p, err := Load(t.Context(), withSource(t, "a.i", "# 10 \"original.c\"\nint main(void) {\n\tint x = 1;\n\treturn x / 0;\n}\n", Options{}))
	if err != nil {
		t.Fatal(err)
	}
	checks := find(t, p, "main", ir.Check)
	if len(checks) != 1 || checks[0].Pos.Line != 12 || !strings.HasSuffix(p.Module.Files[checks[0].Pos.File], "original.c") {
		t.Errorf("%+v %q", checks, p.Module.Files)
	}
}

const optimisedModule = `
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define i32 @main(i32 %a, ptr %p) noinline optnone {
entry:
  %b = add nsw i32 %a, 1
  %c = sdiv exact i32 %b, %a
  %d = shl i32 %c, %a
  %v = insertelement <2 x i32> poison, i32 %d, i64 0
  %w = shufflevector <2 x i32> %v, <2 x i32> poison, <2 x i32> zeroinitializer
  %x = add <2 x i32> %w, <i32 1, i32 2>
  %y = extractelement <2 x i32> %x, i32 1
  %u = freeze i32 undef
  %z = and i32 %u, 1
  %r = add i32 %y, %z
  ret i32 %r
}
`

// A module that was compiled elsewhere: its flags become checks.
func TestForeignModule(t *testing.T) {
	p, err := Load(t.Context(), withSource(t, "a.ll", optimisedModule, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if !p.Module.Optimized {
		t.Error("not marked as optimised elsewhere")
	}
	var kinds []string
	for _, d := range find(t, p, "main", ir.Check) {
		kinds = append(kinds, ir.CheckKind(d.Aux).String())
	}
	if got := strings.Join(kinds, " "); got != "overflow div-by-zero overflow shift" {
		t.Errorf("checks: %s", got)
	}
	expect(t, p, "main", ir.Nondet, 1)
	if len(p.Notes) != 0 {
		t.Errorf("notes: %v", p.Notes)
	}
	optimised, err := Load(t.Context(), withSource(t, "a.ll", strings.ReplaceAll(optimisedModule, "noinline optnone", ""), Options{}))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, optimised, "main", ir.Check, 2) // both of the division
	if len(optimised.Notes) != 1 || optimised.Notes[0].Kind != NoteUncheckedArithmetic {
		t.Errorf("notes: %v", optimised.Notes)
	}
	if _, err := interp.Run(t.Context(), p.Module, interp.Options{}); err != nil {
		t.Error(err)
	}
}

func TestModuleErrors(t *testing.T) {
	o := withSource(t, "a.ll", "define i32 @main() {\n  ret i32 %x\n}\n", Options{})
	e := inputErr(t, o)
	if d := e.Diagnostics[0]; d.File != o.Files[0] || d.Line != 2 || d.Col != 11 || !strings.Contains(d.Message, "undefined value") {
		t.Errorf("%+v", d)
	}
	for name, text := range map[string]string{
		"type.ll":  "define i32 @main() {\n  ret i64 0\n}\n",
		"big.ll":   "target datalayout = \"E-m:e-i64:64\"\ndefine i32 @main() {\n  ret i32 0\n}\n",
		"small.ll": "target datalayout = \"e-p:16:16\"\ndefine i32 @main() {\n  ret i32 0\n}\n",
		"no.bc":    "nothing of the kind",
		"empty.bc": "",
	} {
		inputErr(t, withSource(t, name, text, Options{}))
	}
	inputErr(t, Options{Files: []string{withSource(t, "dominance.ll", "define i32 @main(i1 %c) {\n br i1 %c, label %a, label %b\na:\n %x = add i32 1, 2\n br label %b\nb:\n ret i32 %x\n}\n", Options{}).Files[0]}})
}

// Truncated and damaged bitcode is an error of the input, whatever it does to
// libLLVM.
func TestHostileBitcode(t *testing.T) {
	clang, err := clangPath()
	if err != nil {
		t.Skip(err)
	}
	good, err := exec.Command(clang, "-O1", "-g", "-c", "-emit-llvm", "-o", "-", "testdata/run/control.c").Output()
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	try := func(name string, content []byte) error {
		file := filepath.Join(directory, name)
		if err := os.WriteFile(file, content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Load(context.Background(), Options{Files: []string{file}})
		return err
	}
	if err := try("good.bc", good); err != nil {
		t.Fatalf("the undamaged module: %v", err)
	}
	mutations := 40
	if testing.Short() {
		mutations = 8
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range mutations {
		bad := append([]byte(nil), good...)
		if r.IntN(3) == 0 {
			bad = bad[:r.IntN(len(bad))&^3]
		}
		for range 1 + r.IntN(8) {
			if len(bad) > 0 {
				bad[r.IntN(len(bad))] ^= byte(1 << r.IntN(8))
			}
		}
		var input *InputError
		if err := try("bad.bc", bad); err != nil && !errors.As(err, &input) {
			t.Errorf("got %T: %v", err, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, withSource(t, "a.c", "int main(void) { return 0; }", Options{})); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkLoad(b *testing.B) {
	o := Options{Files: []string{"testdata/run/control.c"}}
	for b.Loop() {
		if _, err := Load(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkImport leaves out clang.
func BenchmarkImport(b *testing.B) {
	o := Options{Files: []string{"testdata/run/control.c"}}
	modules, _, err := gather(b.Context(), &o)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := readModules(&Options{}, modules, "main")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := importProgram(p, &o, false); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHints: what is no C of the default standard comes with what to do about it.
func TestHints(t *testing.T) {
	for _, c := range []struct{ name, text, hint string }{
		{"f.cpp", "class a { int x; };\nint main() { return 0; }\n", "C++"},
		{"f.c", "#include <vector>\nint main(void) { return 0; }\n", "C++"},
		{"f.c", "namespace a { int x; }\nint main(void) { return 0; }\n", "C++"},
		{"f.c", "#include \"missing.h\"\nint main(void) { return 0; }\n", "-I"},
		{"f.c", "int main(void) { constexpr int x = 1; return x; }\n", "-std=c23"},
		{"f.c", "int main(void) { return x; }\n", ""},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(t.Context(), Options{Files: []string{file}})
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(input.Hint, c.hint) || (c.hint == "") != (input.Hint == "") {
			t.Errorf("%s %q: %v, hint %q, want %q", c.name, c.text, err, input.Hint, c.hint)
		}
	}
}
