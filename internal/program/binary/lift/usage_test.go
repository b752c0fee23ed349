package lift

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestStack compares what functions take of the stack with what gcc says of its own code.
func TestStack(t *testing.T) {
	const source = `
int leaf(int x) { volatile int a[20]; a[3] = x; return a[3] + 1; }
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, long h) { return a * b + c * d - e * f + g * h; }
__attribute__((noinline)) int deep(int n, int *p) { int b[5] = {n, *p}; return n <= 0 ? b[1] : deep(n - 1, b) + leaf(n); }
__attribute__((noinline)) static double mixed(double x, int n) { volatile double d[3] = {x, 1, 2}; return n > 2 ? d[n & 1] : mixed(x + 1, n + 1) * d[0]; }
int main(void) { int n = 3; return deep(4, &n) + (int)many(1, 2, 3, 4, 5, 6, 7, n) + (int)mixed(0.5, n - 3); }
`
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed")
	}
	for _, level := range []string{"-O0", "-O1", "-O2", "-Os"} {
		dir := t.TempDir()
		file, object := filepath.Join(dir, "f.c"), filepath.Join(dir, "f.o")
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(gcc, level, "-mno-red-zone", "-fstack-usage", "-c", "-o", object, file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		said, err := os.ReadFile(filepath.Join(dir, "f.su"))
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(object)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Lift(object, content, Options{})
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for line := range strings.Lines(string(said)) {
			place, rest, _ := strings.Cut(line, "\t")
			name := place[strings.LastIndex(place, ":")+1:]
			bytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(line, err)
			}
			u, ok := p.Stack[name]
			if !ok { // nothing calls it any more
				continue
			}
			compared++
			if u.Dynamic || u.Bytes != bytes {
				t.Errorf("%s: %s takes %d bytes, gcc says %d (%s)", level, name, u.Bytes, bytes, strings.TrimSpace(rest))
			}
		}
		if compared < 2 {
			t.Errorf("%s: %d functions", level, compared)
		}
	}
}
