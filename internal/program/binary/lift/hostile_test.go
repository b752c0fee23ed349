package lift

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"assay/internal/program/binary/image"
)

// hostile is a program with a table of jumps, pointers to functions, floats, strings and recursion.
const hostile = `struct s { const char *n; int (*f)(int); struct s *next; }; int g(int); int h(int x) { return x * 3; }
static struct s list[2] = {{"a", g, &list[1]}, {"bc", h, 0}}; double d[4] = {1, 2, 3}; int a[8];
int g(int x) { switch (x) { case 0: return 4; case 1: return 9; case 2: return h(x); case 3: return -1; case 4: return a[x & 7]; case 5: return x << 3; } return x > 0 ? g(x - 1) : 7; }
int many(int a, int b, int c, int d, int e, int f, int g, int h) { return a - b + c * d - e / (f | 1) + g % 7 - h; }
int main(int argc, char **argv) { double t = 0; for (int i = 0; i < 4; i++) t += d[i] * i; for (struct s *p = list; p; p = p->next) t += p->f(p->n[0] & 7);
  int b[9]; for (int i = 0; i < 9; i++) b[i] = many(i, 2, 3, 4, 5, 6, 7, argc); return (int)t + b[argc & 7] + argv[0][0]; }
`

// objects are files to damage: compiled in several ways.
func objects(t testing.TB) (list [][]byte) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	source := write(t, filepath.Join(dir, "a.c"), hostile)
	for k, options := range [][]string{{"-O0", "-g", "-c"}, {"-O2", "-c"}, {"-O1", "-g"}, {"-O2", "-no-pie", "-fno-pie"}} {
		out := filepath.Join(dir, fmt.Sprint(k))
		compile(t, out, append(options, source)...)
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, content)
	}
	return list
}

// lifts lifts what may be anything: it ends, with a program, or an error that says what is wrong.
func lifts(t testing.TB, content []byte) (text string, ok bool) {
	t.Helper()
	done := time.AfterFunc(time.Minute, func() { panic("lifting does not end") })
	defer done.Stop()
	text, err := C("hostile", content, Options{})
	var damaged *image.Error
	var unlifted *Error
	switch {
	case errors.As(err, &damaged), errors.As(err, &unlifted):
		return "", false
	case err != nil:
		t.Fatalf("an error of another kind: %v", err)
	}
	return text, true
}

// FuzzLift: hostile files do not crash.
func FuzzLift(f *testing.F) {
	for _, o := range objects(f) {
		f.Add(o)
	}
	f.Fuzz(func(t *testing.T, content []byte) { lifts(t, content) })
}

// TestDamaged lifts files some of whose bytes are others, in the code or anywhere; what comes out has to be C.
// ASSAY_DAMAGED=n tries n of each.
func TestDamaged(t *testing.T) {
	count := 20
	if s := os.Getenv("ASSAY_DAMAGED"); s != "" {
		count, _ = strconv.Atoi(s)
	}
	list := objects(t)
	random := rand.New(rand.NewPCG(1, 20))
	dir := t.TempDir()
	lifted, compiled := 0, 0
	for n := range count * len(list) {
		original := list[n%len(list)]
		content := bytes.Clone(original)
		from, size := 0, len(content)
		if n/len(list)%4 != 0 { // in the code
			file, err := elf.NewFile(bytes.NewReader(original))
			if err != nil {
				t.Fatal(err)
			}
			s := file.Section(".text")
			from, size = int(s.Offset), int(s.FileSize)
		}
		for range 1 + random.IntN(4) {
			content[from+random.IntN(size)] = byte(random.Uint32())
		}
		text, ok := lifts(t, content)
		if !ok {
			continue
		}
		if lifted++; lifted%8 != 0 {
			continue
		}
		compiled++
		file := write(t, filepath.Join(dir, "lifted.c"), text)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		out, err := exec.CommandContext(ctx, "gcc", "-w", "-fsyntax-only", "-fwrapv", file).CombinedOutput()
		cancel()
		if err != nil {
			if k := os.Getenv("ASSAY_KEEP"); k != "" {
				os.WriteFile(k, content, 0o600)
			}
			t.Fatalf("file %d: what was lifted is no C: %v\n%.2000s", n, err, out)
		}
	}
	t.Logf("%d files lifted, %d compiled", lifted, compiled)
}

// TestNames: formulas name globals as the symbol table does.
func TestNames(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "a.o")
	compile(t, out, "-O0", "-c", write(t, filepath.Join(dir, "a.c"), "int n, t, a, k, x, cf, s_8; double d; int main(void) { d = n + t + a + k + x + cf + s_8; return 0; }"))
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := lifts(t, content)
	if !ok {
		t.Fatal("not lifted")
	}
	for _, name := range []string{"n", "t", "a", "k", "x", "cf", "s_8"} {
		if !bytes.Contains([]byte(text), []byte("extern u32 "+name+";")) {
			t.Errorf("%s is not a global", name)
		}
	}
}
