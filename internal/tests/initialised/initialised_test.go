// Package initialised has tests of the property valid-init against an oracle that shares nothing with it:
// clang's MemorySanitizer.
package initialised

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay"
)

var programs = flag.Int("programs", 24, "how many random programs to compare with MemorySanitizer")

// generator writes a random program without inputs. Some of its variables are never written.
type generator struct {
	*rand.Rand
	b    strings.Builder
	adds bool
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// place is something that can be read and written.
func (g *generator) place() string {
	switch g.IntN(8) {
	case 0, 1:
		return g.pick("a", "b", "c", "d")
	case 2:
		return fmt.Sprintf("x[%d]", g.IntN(4))
	case 3:
		return fmt.Sprintf("h[%d]", g.IntN(4))
	case 4:
		return g.pick("s", "t") + g.pick(".c", ".i", ".f", ".g", ".w")
	case 5:
		return g.pick("p->i", "p->g", "p->c")
	case 6:
		return fmt.Sprintf("x[%s & 3]", g.pick("k", "k", "k", "a"))
	}
	return g.pick("a", "b", "G")
}

func (g *generator) expression(depth int) string {
	if depth == 0 {
		if g.IntN(3) == 0 {
			return g.pick("0", "1", "3", "7", "255", "256", "-1", "k")
		}
		return g.place()
	}
	x := g.expression(depth - 1)
	switch g.IntN(9) {
	case 0:
		g.adds = true
		return "(" + x + g.pick(" + ", " - ", " * ") + g.expression(depth-1) + ")"
	case 1, 2:
		return "(" + x + g.pick(" & ", " | ", " ^ ") + g.expression(depth-1) + ")"
	case 3:
		return fmt.Sprintf("((unsigned)%s %s %d)", x, g.pick("<<", ">>"), g.IntN(9))
	case 4:
		return "(" + g.pick("char", "short", "unsigned char", "long") + ")" + x
	case 5:
		return "id(" + x + ")"
	case 6:
		return "~" + x
	}
	return x
}

func (g *generator) statement(depth int) {
	in := strings.Repeat("  ", depth)
	switch g.IntN(12) {
	case 0:
		fmt.Fprintf(&g.b, "%s%s;\n", in, g.pick("t = s", "memcpy(&t, &s, sizeof t)", "*p = t", "t = pass(s)", "memcpy(x, h, 8)", "memcpy(h, x, 16)", "memset(h, 1, 6)", "memmove(x, x + 1, 12)", "q = fp(a)", "a = q"))
	case 1, 2:
		if depth > 3 {
			return
		}
		fmt.Fprintf(&g.b, "%sif (%s %s %d) {\n", in, g.expression(1), g.pick("==", "!="), g.IntN(4))
		g.statement(depth + 1)
		fmt.Fprintf(&g.b, "%s}\n", in)
	default:
		fmt.Fprintf(&g.b, "%s%s = %s;\n", in, g.place(), g.expression(g.IntN(3)))
	}
}

func program(seed uint64) (text string, adds bool) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	g.b.WriteString(`#include <stdlib.h>
#include <string.h>
struct s { char c; int i; unsigned f : 3, g : 5; short w; };
int G;
static int id(int v) { return v; }
static struct s pass(struct s v) { return v; }
int main(void) {
  int (*fp)(int) = id;
  int q, k = 2;
  int *h = malloc(16);
  struct s *p = malloc(sizeof *p);
  if (!h || !p) return 0;
`)
	for _, v := range []string{"a", "b", "c", "d"} {
		if g.IntN(3) == 0 {
			fmt.Fprintf(&g.b, "  int %s;\n", v)
		} else {
			fmt.Fprintf(&g.b, "  int %s = %d;\n", v, g.IntN(9))
		}
	}
	fmt.Fprintf(&g.b, "  int x[4]%s;\n", g.pick("", " = {1, 2}"))
	fmt.Fprintf(&g.b, "  struct s s%s, t%s;\n", g.pick("", " = {1, 2, 3, 4, 5}"), g.pick("", " = {0}"))
	for range 3 + g.IntN(3) {
		fmt.Fprintf(&g.b, "  %s = %d;\n", g.pick("h[0]", "h[1]", "h[2]", "x[2]", "x[3]", "s.c", "s.i", "s.g", "s.f", "p->i", "p->g", "t.w"), g.IntN(9))
	}
	for range 2 + g.IntN(5) {
		g.statement(1)
	}
	fmt.Fprintf(&g.b, "  if (%s == 3) G = 1;\n  return 0;\n}\n", g.expression(1))
	return g.b.String(), g.adds
}

// TestMemorySanitizer compares verdicts of random programs with what MemorySanitizer says. Where it does not object
// but the verdict is false, the program has arithmetic: MemorySanitizer forgets carries.
func TestMemorySanitizer(t *testing.T) {
	dir := t.TempDir()
	counts := map[string]int{}
	for seed := range uint64(*programs) {
		text, adds := program(seed)
		source, binary := filepath.Join(dir, fmt.Sprintf("p%d.c", seed)), filepath.Join(dir, fmt.Sprintf("p%d", seed))
		if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("clang-19", "-O0", "-w", "-fwrapv", "-fsanitize=memory", "-fno-sanitize-memory-param-retval", "-o", binary, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		run := exec.Command(binary)
		run.Env = append(os.Environ(), "MSAN_OPTIONS=exit_code=77:symbolize=0")
		var exit *exec.ExitError
		err := run.Run()
		reported := errors.As(err, &exit) && exit.ExitCode() == 77
		if err != nil && !reported {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		r, err := assay.Check(t.Context(), assay.Task{Files: []string{source}, Properties: []assay.Property{assay.ValidInit}, Timeout: 20 * time.Second})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		counts[fmt.Sprint(reported, r.Line())]++
		switch {
		case r.Answer == assay.Unknown:
			t.Logf("seed %d: unknown: %v", seed, r.Reasons)
		case reported != (r.Answer == assay.False) && !(adds && r.Answer == assay.False):
			t.Errorf("seed %d: %s, MemorySanitizer reports: %v, %+v\n%s", seed, r.Line(), reported, r.Violation, text)
		}
	}
	t.Log(counts)
	if counts["truefalse(valid-init)"] < *programs/8 || counts["falsetrue"] < *programs/8 {
		t.Errorf("answers %v", counts)
	}
}
