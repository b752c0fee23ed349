package frontend

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"assay/internal/run/process"
)

// linkedClang is the clang that make build links statically, if it did.
func linkedClang(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../bin/assay-clang")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skip("bin/assay-clang was not built")
	}
	return path
}

// TestSameClang: the clang that is linked statically writes the bitcode that the installed one writes, and says what
// that says, bit by bit: of programs, of library models, of mistakes, and of what it leaves to that one; and so does
// one that has started before.
func TestSameClang(t *testing.T) {
	linked := linkedClang(t)
	t.Setenv(clangVariable, "")
	t.Setenv(socketVariable, "")
	socket := serve(t, linked)
	installed, err := clangPath()
	if err != nil || installed == linked {
		t.Fatalf("the installed clang is %q, %v", installed, err)
	}
	var files []string
	for _, pattern := range []string{"testdata/run/*.c", "models/*.c", "../../../examples/*/*.c"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for i, f := range found {
			if i%12 == 0 {
				files = append(files, f)
			}
		}
	}
	dir := t.TempDir()
	wrong := map[string]string{
		"syntax.c":    "int f(",
		"warning.c":   "int main(void) { return g(1); }",
		"assembly.c":  `int main(void) { int x; __asm__("movl $1, %0" : "=r"(x)); return x; }`,
		"malformed.c": `__asm__("bogus instruction"); int main(void) { return 0; }`,
		"error.c":     "#error no\n#include <nowhere.h>\n",
		"inline.c":    `int main(void) { __asm__("bogus"); return 0; }`,
	}
	for name, text := range wrong {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files = append(files, filepath.Join(dir, "missing.c"))
	preprocessed := filepath.Join(dir, "preprocessed.i")
	if err := os.WriteFile(preprocessed, []byte("# 1 \"a.c\"\nint main(void) { return 1 << 40; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	files = append(files, preprocessed)
	for i, f := range files {
		for _, model := range []DataModel{LP64, ILP32} {
			for _, u := range []unit{
				{file: f}, {file: f, model: true}, {file: f, described: true},
				{file: f, flags: []string{"-Wall", "-I.", "-O2"}}, {file: f, flags: []string{"-nonsense"}},
				{file: f, flags: []string{"-E"}}, {file: f, flags: []string{"-E", "-DX=1", "-I."}},
				{file: f, flags: []string{"-fsyntax-only"}}, {file: f, flags: []string{"-mllvm", "-stats"}},
			}[:1+8*((i+int(model))%3/2)] {
				o := &Options{DataModel: model}
				a, b := runClang(t.Context(), installed, u, o), runClang(t.Context(), linked, u, o)
				if !bytes.Equal(a.bitcode, b.bitcode) || a.text != b.text || (a.err == nil) != (b.err == nil) {
					t.Errorf("%v: %d bytes, %v\n%s\nand %d bytes, %v\n%s", u, len(a.bitcode), a.err, a.text, len(b.bitcode), b.err, b.text)
				}
				out, text, outcome, ok := served(t.Context(), socket, "", append([]string{linked}, arguments(u, o)...))
				if !ok || a.err == nil && !bytes.Equal(a.bitcode, out) || a.text != string(text) || (a.err == nil) != (outcome.ExitCode == 0) {
					t.Errorf("%v: %d bytes, %v\n%s\nand, served: %v, %d bytes, %v\n%s", u, len(a.bitcode), a.err, a.text, ok, len(out), outcome, text)
				}
			}
		}
	}
}

// TestNamedClang: the clang that the environment names is run, and one that is not there is an error that says so.
func TestNamedClang(t *testing.T) {
	linked := linkedClang(t)
	t.Setenv(clangVariable, linked)
	if path, err := clangPath(); err != nil || path != linked {
		t.Errorf("%s, %v", path, err)
	}
	t.Setenv(clangVariable, "/nowhere/clang")
	var missing *EnvironmentError
	if path, err := clangPath(); !errors.As(err, &missing) || !strings.Contains(err.Error(), clangVariable) {
		t.Errorf("%s, %v", path, err)
	}
}

// TestStartsOne: the clang that starts faster does not leave it to the other one to preprocess, nor to compile what is preprocessed.
func TestStartsOne(t *testing.T) {
	linked := linkedClang(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "f.i")
	if err := os.WriteFile(file, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, u := range []unit{{file: file}, {file: file, flags: []string{"-DX=1", "-I."}}, {file: file, flags: []string{"-x", "c", "-E"}}, {file: file, flags: []string{"-mllvm", "-stats"}}} {
		cmd := exec.Command(linked, arguments(u, &Options{})...)
		libraries := filepath.Join(dir, fmt.Sprint("libraries-", i)) // what the loader says of each
		cmd.Env = append(os.Environ(), "LD_DEBUG=files", "LD_DEBUG_OUTPUT="+libraries)
		if out, err := cmd.Output(); err != nil || len(out) == 0 {
			t.Fatalf("%v: %d bytes, %v", u, len(out), err)
		}
		said, err := os.ReadFile(fmt.Sprint(libraries, ".", cmd.Process.Pid))
		if err != nil || !bytes.Contains(said, []byte("libz.so")) {
			t.Fatal(len(said), err)
		}
		if left := bytes.Contains(said, []byte("libLLVM")); left != (i == 3) {
			t.Errorf("%v: it is left to the other one: %v", u, left)
		}
	}
}

// serve lets a clang that has started wait for requests, until the test ends.
func serve(t *testing.T, linked string) (socket string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "assay-") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket = filepath.Join(folder, "socket")
	cmd := exec.Command(linked, "__serve", socket, "sh", "-c", "echo started; read line")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		cmd.Wait()
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "started\n" {
		t.Fatal(line, err)
	}
	return socket
}

// TestServed: what a request asks for does not depend on the others, nor they on how it ends; it is in the environment,
// the working directory, and the limits of the process that asks.
func TestServed(t *testing.T) {
	linked := linkedClang(t)
	socket := serve(t, linked)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("ok.c", "#include <given.h>\n#if X != 1\n#error here\n#endif\nint x = GIVEN;")
	write("deep.c", "int x = "+strings.Repeat("(", 1_000_000))
	write("fifo.c", "#include \"fifo.h\"\n")
	write("given.h", "#define GIVEN 7\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.h"), 0o666); err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, clang string, args ...string) (string, process.Outcome, bool) {
		out, text, outcome, ok := served(ctx, socket, dir, append([]string{clang}, args...))
		return string(out) + string(text), outcome, ok
	}

	// One that does not end by itself, while the others are asked for.
	slow, stop := context.WithCancel(t.Context())
	ended := make(chan process.Outcome)
	go func() {
		_, outcome, _ := ask(slow, linked, "-E", "fifo.c")
		ended <- outcome
	}()
	for range 3 {
		if text, outcome, ok := ask(t.Context(), linked, "-c", "-emit-llvm", "-o", "-", "-fbracket-depth=2000000", "deep.c"); !ok || outcome.Signal == 0 && outcome.ExitCode == 0 {
			t.Errorf("nested too deeply: %v, %v, %.100q", ok, outcome, text)
		}
		if text, outcome, ok := ask(t.Context(), linked, "-E", "-DX=1", "ok.c"); !ok || outcome.ExitCode == 0 || !strings.Contains(text, "given.h") {
			t.Errorf("without the header: %v, %v, %q", ok, outcome, text)
		}
	}
	t.Setenv("CPATH", dir)
	if text, outcome, ok := ask(t.Context(), linked, "-E", "-DX=1", "ok.c"); !ok || outcome.ExitCode != 0 || !strings.Contains(text, "int x = 7;") {
		t.Errorf("with the header: %v, %v, %q", ok, outcome, text)
	}
	if text, _, ok := ask(t.Context(), "/bin/true"); ok {
		t.Errorf("another program: %q", text)
	}
	write("nested.c", "int x = "+strings.Repeat("(", 500)+"1"+strings.Repeat(")", 500)+";")
	nested := []string{"-c", "-emit-llvm", "-o", "-", "-fbracket-depth=1000", "nested.c"}
	if text, outcome, ok := ask(t.Context(), linked, nested...); !ok || outcome.ExitCode != 0 {
		t.Errorf("nested: %v, %v, %.100q", ok, outcome, text)
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_STACK, &unix.Rlimit{Cur: 256 << 10, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	_, outcome, ok := ask(t.Context(), linked, nested...)
	if err := unix.Setrlimit(unix.RLIMIT_STACK, &before); err != nil {
		t.Fatal(err)
	}
	if !ok || outcome.Signal == 0 {
		t.Errorf("nested, with a small stack: %v, %v", ok, outcome)
	}
	stop()
	if outcome := <-ended; !outcome.Cancelled {
		t.Errorf("one that nobody waits for: %v", outcome)
	}
}
