package rewrite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// expression is a random expression over a (of the type), b (int) and c, whose shifts are defined.
func expression(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(5) == 0 {
		return []string{"a", "b", "c", "a", "b", "0", "1", "7", "-1", "-8", "16", "255", "(a < b)", "g(b)", "c++"}[r.IntN(15)]
	}
	x, y := expression(r, depth-1), expression(r, depth-1)
	switch r.IntN(9) {
	case 0, 1:
		return "(" + x + " & " + y + ")"
	case 2:
		return "(" + x + " | " + y + ")"
	case 3:
		return "(" + x + " ^ " + y + ")"
	case 4:
		return "~" + "(" + x + ")"
	case 5:
		return fmt.Sprintf("(%s >> %d)", x, []int{0, 1, 3, 31}[r.IntN(4)])
	case 6:
		return fmt.Sprintf("((unsigned)(%s) << %d)", x, r.IntN(32))
	case 7:
		return "((unsigned char)(" + x + ") & " + y + ")"
	}
	return "(" + x + " == " + y + " ? " + x + " | 3 : (a &= " + y + "))"
}

// program prints what its expressions are for several inputs.
func program(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("int printf(const char *, ...);\nint calls;\nint g(int x) { calls++; return x ^ 5; }\n")
	b.WriteString("enum { E = 1 << 4 };\nstruct s { int bits : 2 + (1 & 3); };\nint table[4 | 1] = {1 << 2, E & 3};\n")
	for i := range 6 {
		t := []string{"int", "unsigned", "long", "unsigned long long", "short"}[r.IntN(5)]
		fmt.Fprintf(&b, "static void f%d(%s a, int b, int c) {\n\tstatic int s = 1 | 2;\n\tlong long v = %s;\n\tprintf(\"%%lld %%lld %%d %%d %%d\\n\", v, (long long)a, b, c, calls + s);\n", i, t, expression(r, 3))
		b.WriteString("\tswitch (b & 3) { case 1 | 2: printf(\"three\\n\"); break; default: break; }\n}\n")
	}
	b.WriteString("int main(void) {\n")
	for range 12 {
		values := []int64{0, 1, -1, 7, 8, 1 << 31, -(1 << 31), 1<<31 - 1, int64(r.Uint32()), -int64(r.Uint32())}
		for i := range 6 {
			fmt.Fprintf(&b, "\tf%d(%dll, (int)%dll, %d);\n", i, values[r.IntN(len(values))], values[r.IntN(len(values))], r.IntN(5)-1)
		}
	}
	b.WriteString("\treturn 0;\n}\n")
	return b.String()
}

// run compiles and runs a program.
func run(t *testing.T, name, text string) string {
	t.Helper()
	return execute(t, compile(t, name, text))
}

// compile compiles a program, and returns where it is.
func compile(t *testing.T, name, text string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), name)
	file := binary + ".c"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("clang-19", "-w", "-fsanitize=signed-integer-overflow", "-fno-sanitize-recover=all", "-O0", file, "-o", binary).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	return binary
}

// execute runs a program, and returns what it prints.
func execute(t *testing.T, binary string, args ...string) string {
	t.Helper()
	out, err := exec.Command(binary, args...).CombinedOutput()
	if err != nil {
		text, _ := os.ReadFile(binary + ".c")
		t.Fatalf("%s: %v\n%s\n%s", filepath.Base(binary), err, out, text)
	}
	return string(out)
}

var nondet = regexp.MustCompile(`r = __VERIFIER_nondet_\w+\(\);`)

// TestRuns compares runs of random programs before and after: with rewriting rules alone they are equal, and
// so they are with weakening rules if the arbitrary numbers are those of the original.
func TestRuns(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("clang-19 is not installed")
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 33))
		text := program(r)
		want := run(t, "original", text)
		file := filepath.Join(t.TempDir(), "f.c")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, weaken := range []bool{false, true} {
			after, err := Bitwise(t.Context(), file, nil, 64, weaken)
			if err != nil {
				t.Fatal(err)
			}
			if weaken {
				after = feed(after)
			}
			if got := run(t, "rewritten", after); got != want {
				t.Fatalf("seed %d, weaken %v: the runs differ\n%s\n%s", seed, weaken, text, after)
			}
		}
	}
}

// feed makes the arbitrary numbers of the functions those that the operations give.
func feed(text string) string {
	var out strings.Builder
	own := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "static ") && strings.Contains(line, " assay_") {
			for op, word := range words {
				if strings.Contains(line, "assay_"+word+"_") {
					own = "a " + op + " b"
					if op == "~" {
						own = "~a"
					}
				}
			}
		}
		out.WriteString(nondet.ReplaceAllString(line, "r = "+own+";"))
	}
	return "#include <stdlib.h>\nvoid __VERIFIER_assume(int c) { if (!c) abort(); }\n" + strings.ReplaceAll(out.String(), "extern void __VERIFIER_assume(int);\n", "")
}

func TestErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte("int f(int x) { return x & ; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Bitwise(t.Context(), file, nil, 64, false)
	var wrong *Error
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Text, "expected expression") {
		t.Errorf("got %v", err)
	}
	if _, err := Bitwise(t.Context(), file+"x", nil, 64, false); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
}
