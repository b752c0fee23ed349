package differential

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file compares the checks that are compiled in on request with what clang's own sanitizers
// say natively, on all pairs of ends of ranges. The handlers of the
// sanitizers' run-time library are ours: they only note that they were called.

// sanitized are the bodies of the functions f(long long x, long long y), by number.
var sanitized = []string{
	"unsigned a = (unsigned)x, b = (unsigned)y; return a + b;",
	"unsigned a = (unsigned)x, b = (unsigned)y; return a - b;",
	"unsigned a = (unsigned)x, b = (unsigned)y; return a * b;",
	"unsigned a = (unsigned)x; return (unsigned)-a;",
	"unsigned a = (unsigned)x; a++; a += 5u; return a--;",
	"unsigned long long a = (unsigned long long)x; return (long long)(a * 3u - (unsigned long long)y);",
	"unsigned char a = (unsigned char)x; a += (unsigned char)y; return a;",
	"unsigned short a = (unsigned short)x, b = (unsigned short)y; return a * b;",
	"unsigned char c = x; return c;",
	"signed char c = (int)x; return c;",
	"unsigned u = (int)x; int i = (unsigned)y; return u == (unsigned)i;",
	"short s = (unsigned char)x; s -= (int)y; s++; return s;",
	"_Bool b = x; char c = b; return c;",
	"struct { unsigned a : 3; int b : 5; } s = {0, 0}; s.a = (int)x; s.b = (int)y; s.b++; return s.a;",
	"unsigned a = (unsigned)x; return a << 3 | a >> 1;",
	"return (int)(double)x + (signed char)(float)y;",
	"return (unsigned)((double)x * 3.5);",
	"struct { int a[4]; int b[4]; } s = {{0}, {0}}; s.a[x & 7] = 1; return s.b[0];",
	"struct { char a[2][3]; int b; } s = {{{0}}, 0}; return s.a[0][y & 7 ? (y & 3) : 2] + (&s.a[1][3] != &s.a[1][(unsigned)x & 3]);",
	"static int m[4][5]; int *p = &m[x & 3][y & 7 ? 4 : 5]; return m[1][((int)y & 7) - 2] + (p != 0);",
	"struct { int n; int a[1]; } s = {0, {0}}; int *p = s.a; return p[(x & 1) - 1 < 0 ? 0 : 0] + s.a[0];",
}

// ends are the values that are tried.
var ends = []int64{
	0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 127, 128, 129, 255, 256, 257, 32767, 32768, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32,
	-1, -2, -3, -16, -17, -127, -128, -129, -256, -32768, -32769, -1 << 31, -1<<31 - 1, -1 << 63, 1<<63 - 1,
}

const sanitizedHandlers = `
extern int putchar(int);
static unsigned hit;
#define HANDLER(name, bit) void __ubsan_handle_##name(void) { hit |= bit; }
HANDLER(add_overflow, 1) HANDLER(sub_overflow, 1) HANDLER(mul_overflow, 1) HANDLER(negate_overflow, 1)
HANDLER(implicit_conversion, 2) HANDLER(float_cast_overflow, 4) HANDLER(out_of_bounds, 8)
long long run(int k, long long x, long long y);
static const long long ends[] = {%s};
int main(void) {
  int n = sizeof ends / sizeof *ends;
  for (int k = 0; k < %d; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        hit = 0;
        run(k, ends[i], ends[j]);
        putchar('0' | hit);
      }
}
`

// inOrder makes the choices of a run: values in their order, memory is zero.
type inOrder struct {
	interp.Zero
	values []uint64
}

func (o *inOrder) Next(r interp.Request) (ir.Choice, error) {
	if r.Kind != interp.WantValue || len(o.values) == 0 {
		return o.Zero.Next(r)
	}
	v := o.values[0]
	o.values = o.values[1:]
	return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(64, v).Trunc(r.Type.Bits)}, nil
}

func TestSanitizers(t *testing.T) {
	var functions, numbers strings.Builder
	for k, body := range sanitized {
		fmt.Fprintf(&functions, "static long long f%d(long long x, long long y) { %s }\n", k, body)
	}
	functions.WriteString("long long run(int k, long long x, long long y) {\n  switch (k) {\n")
	for k := range sanitized {
		fmt.Fprintf(&functions, "  case %d: return f%d(x, y);\n", k, k)
	}
	functions.WriteString("  }\n  return 0;\n}\n")
	for _, n := range ends {
		if n == -1<<63 {
			numbers.WriteString("-9223372036854775807 - 1, ")
			continue
		}
		fmt.Fprintf(&numbers, "%dLL, ", n)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	clang := func(args ...string) {
		if out, err := exec.Command("clang-19", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	program, binary := filepath.Join(dir, "program.o"), filepath.Join(dir, "program")
	source := file("program.c", functions.String())
	clang("-O0", "-w", "-fwrapv", "-c", "-o", program, "-fsanitize=array-bounds,unsigned-integer-overflow,implicit-conversion,implicit-bitfield-conversion,float-cast-overflow",
		"-fsanitize-recover=all", source)
	clang("-O0", "-w", "-o", binary, program, file("handlers.c", fmt.Sprintf(sanitizedHandlers, numbers.String(), len(sanitized))))
	native, err := exec.Command(binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := len(sanitized) * len(ends) * len(ends); len(native) != want {
		t.Fatalf("%d answers of the native program, want %d", len(native), want)
	}

	main := file("main.c", `extern int __VERIFIER_nondet_int(void);
extern long long __VERIFIER_nondet_longlong(void), run(int, long long, long long);
int main(void) { int k = __VERIFIER_nondet_int(); long long x = __VERIFIER_nondet_longlong(), y = __VERIFIER_nondet_longlong(); run(k, x, y); return 0; }
`)
	loaded, err := frontend.Load(t.Context(), frontend.Options{Files: []string{source, main}, ExtraArgs: []string{"-w"}, Requested: []ir.CheckKind{ir.UnsignedOverflow, ir.ImplicitConversion, ir.ArrayIndex}})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[byte]int{}
	for k := range sanitized {
		for i, x := range ends {
			for j, y := range ends {
				got := byte('0')
				note := func(e interp.Event) bool {
					if e.Kind == interp.Violation {
						switch e.Check {
						case ir.UnsignedOverflow:
							got |= 1
						case ir.ImplicitConversion:
							got |= 2
						case ir.FloatConversion:
							got |= 4
						case ir.ArrayIndex:
							got |= 8
						}
					}
					return false
				}
				out, err := interp.Run(t.Context(), loaded.Module, interp.Options{Oracle: &inOrder{values: []uint64{uint64(k), uint64(x), uint64(y)}}, StopAt: note})
				if err != nil || out.End != interp.Halted {
					t.Fatalf("%v %v", out, err)
				}
				want := native[(k*len(ends)+i)*len(ends)+j]
				counts[want]++
				if got != want {
					t.Errorf("f%d(%d, %d): interpreter %c, native %c\n%s", k, x, y, got, want, sanitized[k])
				}
			}
		}
	}
	if counts['0'] < 1000 || counts['1'] < 1000 || counts['2'] < 1000 || counts['4'] < 100 {
		t.Errorf("answers %v", counts)
	}
}
