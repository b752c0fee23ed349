package assay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/internal/user/validate"
)

// declared is what the programs of these tests declare.
const declared = `extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void); extern unsigned __VERIFIER_nondet_uint(void); extern long long __VERIFIER_nondet_longlong(void);
extern void abort(void); void *malloc(unsigned long); void free(void *); void reach_error() {}
`

// witnessed are programs with a property, and what holds of them. They are about what may go wrong on the way into a witness and
// out of it: places, scopes, types, promotion.
var witnessed = []struct {
	name     string
	property Property
	answer   Answer
	source   string
	facts    []string // that the witness has
	engine   string   // the one that runs alone, empty is all
}{
	{"a sum", UnreachCall, True, `int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, s = 0;
  if (n < 0 || n > 1000) return 0;
  while (i < n) {
    i++;
    s += 2;
  }
  if (s != 2 * n) reach_error();
}`, []string{"loop_invariant", "line: 6\n", "2U*(unsigned int)i"}, EngineInduction},
	{"a for loop with its own variable, and another one of that name", UnreachCall, True, `int main(void) {
  int n = __VERIFIER_nondet_int(), k = 0;
  for (int i = 7; i > 0; i--) n--;
  if (n < 0) return 0;
  for (int i = 0; i < n; i++) { int i = 3; k++; }
  if (k != n) reach_error();
}`, nil, ""},
	{"two loops in a row", UnreachCall, True, `int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, j = 0;
  if (n < 0) return 0;
  do { i++; } while (i < n);
  for (;;) { if (j >= i) break; j++; }
  if (j != i) reach_error();
}`, nil, ""},
	{"a global", NoOverflow, True, `int g;
int main(void) {
  g = 0;
  while (__VERIFIER_nondet_int()) if (g != 1000) g = g + 1; else g = 0;
}`, []string{"g <= "}, ""},
	{"bytes, which are promoted", UnreachCall, True, `int main(void) {
  unsigned char c = 0; signed char d = -100;
  while (__VERIFIER_nondet_int()) { if (c < 200) c++; if (d < 100) d++; }
  if (c > 200 || d > 100 || d < -100) reach_error();
}`, nil, ""},
	{"a sum of wide numbers", UnreachCall, True, `int main(void) {
  long long x = 0, y = __VERIFIER_nondet_longlong(), z = y;
  while (__VERIFIER_nondet_int()) { if (y <= -9223372036854775807LL) break; x++; y--; }
  if ((unsigned long long)x + (unsigned long long)y != (unsigned long long)z) reach_error();
}`, nil, ""},
	{"memory", ValidMemSafety, True, `int main(void) {
  int *p = malloc(40), i;
  for (i = 0; i < 10; i++) p[i] = i;
  free(p);
}`, nil, ""},
	{"a loop that ends", Termination, True, `int main(void) {
  int x = __VERIFIER_nondet_int();
  while (x > 0) x -= 2;
}`, []string{`format_version: "2.0"`}, ""},
	{"a recursive function", UnreachCall, True, `int g;
int id(int x) {
  if (x == 0) return 0;
  x = x - 1;
  return id(x) + 1;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 5000) return 0;
  if (id(n) > n) reach_error();
}`, []string{"function_contract", `\result`, `format_version: "2.1"`}, EngineInduction},
	{"inputs, and a local without a value", UnreachCall, False, `int main(void) {
  int x = __VERIFIER_nondet_int(), y, z = __VERIFIER_nondet_int();
  unsigned char c = __VERIFIER_nondet_uchar();
  if (x == -2147483647 - 1 && z == 77 && y == 4 && c == 255) { reach_error(); }
}`, []string{"function_return", "assumption", "target", "y == 4", `\result == 255`, "line: 6\n"}, ""},
	{"a call of a function", UnreachCall, False, `static void check(int c) { if (!c) { ERROR: reach_error(); abort(); } }
int main(void) { int a[3] = {0}; for (int i = 0; i < 3; i++) a[i] = __VERIFIER_nondet_int(); check(a[0] + a[1] != 5 || a[2] != a[0] || a[0] < 0 || a[1] < 4); }`, []string{"function: check"}, ""},
	{"an overflow", NoOverflow, False, `int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 1000)
    x = x * x;
  return x;
}`, []string{"line: 6\n", "column: 5\n"}, ""},
	{"an access", ValidMemSafety, False, `int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 9) return 0;
  int *p = malloc(9 * sizeof(int));
  p[n] = 1;
  free(p);
}`, []string{"function_return", `\result == 9`}, ""},
	{"a leak", ValidCleanup, False, `int main(void) {
  int *p = malloc(4);
  if (__VERIFIER_nondet_int() != 3) free(p);
}`, nil, ""},
	{"a loop that goes round", Termination, False, `int main(void) {
  int i = __VERIFIER_nondet_int();
  while (i != 0) {
    if (i > 5) i = 7; else i--;
    if (i < 0) break;
  }
}`, []string{"action: cycle"}, ""},
	{"a loop that goes round, and counts what nobody looks at", Termination, False, `int main(void) {
  int x = __VERIFIER_nondet_int(), y = 0;
  while (x >= 0) {
    y -= 1;
  }
}`, []string{"action: cycle", "value: x == "}, ""},
	{"line directives, several places with the same line", UnreachCall, False, `# 40 "orig.c"
int main(void) {
  int x = __VERIFIER_nondet_int(), y;
# 90 "other.h"
  while (x < 10) {
    if (x < -5) break;
# 41 "orig.c" 3 4
    if (
# 41 "orig.c"
    (x == 4 && y == 3)
# 41 "orig.c" 3 4
     ) reach_error();
    x++;
  }
}`, []string{"line: 14\n", "y == 3"}, ""},
	{"line directives, and what holds at loops", NoOverflow, True, `#line 1 "f.c"
int g;
# 1 "f.c"
int main(void) {
  g = 0;
# 3 "g.c"
  while (__VERIFIER_nondet_int()) if (g != 1000)
# 7 "f.c"
    g = g + 1; else g = 0;
}`, []string{"g <= ", "line: 9\n"}, EngineInduction},
	{"line directives, and a run without end", Termination, False, `int main(void) {
  int i = __VERIFIER_nondet_int();
# 1 "f.c"
  while (i != 0) {
    if (i > 5) i = 7; else i--;
    if (i < 0) break;
  }
}`, []string{"action: cycle", "line: 7\n"}, ""},
	{"a loop around the one whose state comes back", Termination, False, `int main(void) {
  int i, n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
  if (n > 6 || m > 0) return 0;
  for (i = 0; i < n; i++) {
    for (i = 0; i < m; i++) {
    }
  }
}`, []string{"action: cycle"}, ""},
	{"a library function that chooses", UnreachCall, False, `int getchar(void);
int main(void) { int a = getchar(), b = getchar(); if (a == -1 || b != a + 3) return 0; reach_error(); }`, []string{"result == "}, ""},
	{"a local without a value in each round", UnreachCall, False, `int main(void) { int s = 0;
  for (int i = 0; i < 3; i++) {
    int y;
    if (y < 0 || y > 3) return 0;
    s = 4 * s + y;
  }
  if (s == 57) reach_error(); }`, []string{"value: y == 3", "value: y == 2", "value: y == 1"}, ""},
	{"paths", UnreachCall, True, `int main(void) {
  char a[4];
  for (int i = 0; i < 4; i++) a[i] = (char)__VERIFIER_nondet_int();
  int n = 0;
  while (n < 3 && a[n] == 'x') n++;
  if (n > 3) reach_error();
}`, nil, "paths"},
	{"a label", UnreachLabel, False, `int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) { ERROR: return 1; } }`, []string{"label(ERROR)"}, ""},
}

// checkWitness checks a program, and writes the witness into the file that it returns.
func checkWitness(t *testing.T, file string, p Property, format, engine string) (*Result, string, *WitnessOutput) {
	t.Helper()
	var b bytes.Buffer
	task := Task{Files: []string{file}, Properties: []Property{p}, Timeout: 30 * time.Second, Witnesses: []*WitnessOutput{{To: &b, Format: format}}}
	task.Program.Unmodelled = UnmodelledPure
	if p == UnreachCall || p == Termination {
		task.Engine.Only = engine
	}
	r, err := Check(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r, b.String(), task.Witnesses[0]
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func judge(t *testing.T, program, witness string, p ...Property) (*Judgement, error) {
	t.Helper()
	task := Task{Files: []string{program}, Properties: p, Timeout: 30 * time.Second}
	task.Program.DataModel, task.Program.Unmodelled = "", UnmodelledPure
	return Validate(t.Context(), task, writeFile(t, "w.yml", witness), false)
}

// TestWitnesses: what is answered has a witness, which is confirmed; the same bytes a second time.
func TestWitnesses(t *testing.T) {
	for _, c := range witnessed {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, "f.c", declared+c.source)
			r, text, o := checkWitness(t, file, c.property, "auto", c.engine)
			if r.Answer != c.answer || !o.Written {
				t.Fatalf("%s, %v %v", r.Answer, r.Reasons, o.Left)
			}
			for _, want := range c.facts {
				if !strings.Contains(text, want) {
					t.Errorf("the witness has no %q:\n%s\n%q", want, text, o.Left)
				}
			}
			j, err := judge(t, file, text)
			if err != nil || j.Outcome != validate.Confirmed {
				t.Errorf("%+v %v\n%s", j, err, text)
			}
			if c.property == Termination && c.answer == True {
				if _, ranked, _ := checkWitness(t, file, c.property, "2.1", "ranking"); !strings.Contains(ranked, "loop_transition_invariant") || !strings.Contains(ranked, `\at(x, AnyPrev)`) {
					t.Errorf("no ranking function:\n%s", ranked)
				} else if j, err := judge(t, file, ranked); err != nil || j.Outcome != validate.Confirmed {
					t.Errorf("%+v %v\n%s", j, err, ranked)
				}
			}
			if c.answer == False {
				_, graph, _ := checkWitness(t, file, c.property, "graphml", c.engine)
				for _, want := range []string{"<graphml", `<data key="entry">true</data>`, "violation_witness"} {
					if !strings.Contains(graph, want) {
						t.Errorf("no %q in\n%s", want, graph)
					}
				}
			}
		})
	}
}

// witnessOf is a witness of a program, with this content.
func witnessOf(t *testing.T, file, kind, specification, content string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf(`- entry_type: %s
  metadata:
    format_version: "2.0"
    uuid: 0e84a9de-b9f6-44dd-ab8d-ebdeca941483
    creation_time: 2025-10-17T17:14:00Z
    producer: {name: X, version: "1.0"}
    task:
      input_files: [f.c]
      input_file_hashes: {f.c: %s}
      specification: %s
      data_model: LP64
      language: C
  content:
%s`, kind, hex.EncodeToString(sum[:]), specification, content)
}

// countsUp is a program with places for witnesses.
const countsUp = `extern int __VERIFIER_nondet_int(void);
void reach_error() {}
int side(void) { return 1; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0;
  int *p = 0;
  if (n < 0 || n > 1000)
    return 0;
  while (i < n)
    i++;
  if (i != n)
    reach_error();
  return 0;
}
`

func invariantAt(line, column int, kind, value string) string {
	return fmt.Sprintf("  - invariant: {type: %s, location: {file_name: f.c, line: %d, column: %d, function: main}, value: %q, format: c_expression}\n", kind, line, column, value)
}

// TestForeignInvariants judges what others may claim.
func TestForeignInvariants(t *testing.T) {
	file := writeFile(t, "f.c", countsUp)
	const loop, location = "loop_invariant", "location_invariant"
	for _, c := range []struct {
		name, content, want string // the outcome, or a part of the error
	}{
		{"no invariants", "", "confirmed"},
		{"the right one", invariantAt(10, 3, loop, "(0 <= i) && (i <= n)"), "confirmed"},
		{"with casts", invariantAt(10, 3, loop, "(long long)i - (long long )n <= 0LL"), "confirmed"},
		{"at the end", invariantAt(12, 3, location, "i == n"), "confirmed"},
		{"in the body", invariantAt(11, 5, location, "i < n"), "confirmed"},
		{"without a column", strings.Replace(invariantAt(10, 3, loop, "i >= 0"), "column: 3, ", "", 1), "confirmed"},
		{"one that fails at the beginning", invariantAt(10, 3, loop, "i > 0"), "rejected"},
		{"one that fails at the end", invariantAt(10, 3, loop, "i < n"), "rejected"},
		{"one that fails late", invariantAt(10, 3, loop, "i != 777"), "rejected"},
		{"one of two", invariantAt(10, 3, loop, "i <= n") + invariantAt(12, 3, location, "i == n + 1"), "rejected"},
		{"one without a value", invariantAt(10, 3, loop, "i + 2147483647 >= i"), "rejected"},
		{"one that reads through null", invariantAt(10, 3, loop, "*p == 0 || 1"), "rejected"},
		{"one that divides by 0", invariantAt(10, 3, loop, "1 / i >= 0"), "rejected"},
		{"no loop", invariantAt(11, 5, loop, "1"), "unknown"},
		{"no statement", invariantAt(10, 4, location, "1"), "unknown"},
		{"no such line", invariantAt(100, 4, location, "1"), "unknown"},
		{"a body of a function", invariantAt(4, 16, location, "1"), "unknown"},
		{"another file", strings.Replace(invariantAt(10, 3, loop, "1"), "f.c", "g.c", 1), "unknown"},
		{"a variable that is not there", invariantAt(10, 3, loop, "j <= n"), "undeclared"},
		{"a type that is not there", invariantAt(10, 3, loop, "(T)i <= n"), "means nothing"},
		{"a call behind parentheses", invariantAt(10, 3, loop, "(side)() == 1"), "calls"},
		{"a call through a pointer", invariantAt(10, 3, loop, "(*(0 ? side : side))() == 1"), "calls"},
		{"a pointer for a truth", invariantAt(10, 3, loop, "p"), "rejected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, err := judge(t, file, witnessOf(t, file, "invariant_set", "G ! call(reach_error())", "    []\n"[:len("    []\n")*b2i(c.content == "")]+c.content))
			checkJudgement(t, j, err, c.want)
			if err == nil && j.Outcome == validate.Rejected && (j.Run == nil || !strings.Contains(j.Why, "w.yml:") || !strings.Contains(j.Why, "does not hold") || !strings.Contains(j.Broken.Text, "of the witness")) {
				t.Errorf("rejected without a run that says why: %+v", j)
			}
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func checkJudgement(t *testing.T, j *Judgement, err error, want string) {
	t.Helper()
	var input *InputError
	switch {
	case errors.As(err, &input):
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	case err != nil:
		t.Error(err)
	case string(j.Outcome) != want:
		t.Errorf("%s: %s %+v, want %s", j.Outcome, j.Why, j.Findings, want)
	}
}

// TestLineDirectives: places of a witness are those of the file, whatever line directives say. (Before, what was inserted behind one was not taken for
// a part of the witness, and so not asserted.)
func TestLineDirectives(t *testing.T) {
	file := writeFile(t, "f.c", `extern int __VERIFIER_nondet_int(void);
#line 1 "f.c"
int g;
# 100 "g.c"
int main(void) {
  g = 0;
# 3 "f.c"
  while (__VERIFIER_nondet_int())
    if (g < 1000) g = g + 1; else g = 0;
}
`)
	for _, c := range []struct{ name, content, want string }{
		{"right", invariantAt(8, 3, "loop_invariant", "g <= 1000"), "confirmed"},
		{"false", invariantAt(8, 3, "loop_invariant", "g < 1000"), "rejected"},
		{"false, in the body", invariantAt(9, 5, "location_invariant", "g != 500"), "rejected"},
		{"at the place of the directive", invariantAt(3, 3, "loop_invariant", "g < 1000"), "unknown"},
		{"without a value", invariantAt(8, 3, "loop_invariant", "g + 2147483000 > 0"), "rejected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, err := judge(t, file, witnessOf(t, file, "invariant_set", "G ! overflow", c.content))
			checkJudgement(t, j, err, c.want)
		})
	}
	other := writeFile(t, "f.c", "# 1 \"f.c\"\nint main(void) { return __LINE__; }\n")
	j, err := judge(t, other, witnessOf(t, other, "invariant_set", "G ! overflow", "    []\n"))
	checkJudgement(t, j, err, "unknown")
}

// TestMacros: a condition must stay one that changes nothing when the macros of the program are expanded. (Before, such a witness could change the
// program, and a proof of that was taken for one of the program: of RETURN the property holds.)
func TestMacros(t *testing.T) {
	file := writeFile(t, "f.c", `extern int __VERIFIER_nondet_int(void);
void reach_error() {}
#define ONE 1
#define STEP i++
#define SET (i = 0)
#define RETURN ({ return 0; 1; })
#define CLOSE 1), 1, ""); i = 7; __assay_check((1
#define SIDE side()
static inline __attribute__((always_inline)) int side(void) { return 1; }
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  while (i < n && i < 5)
    i++;
  if (i == 5)
    reach_error();
}
`)
	for _, c := range []struct{ value, want string }{
		{"i >= ONE - 1", "rejected"}, // the property fails
		{"STEP >= 0", "changes something"},
		{"SET == 0", "changes something"},
		{"RETURN", "more than an expression"},
		{"CLOSE", `the expression "CLOSE"`},
		{"SIDE", "calls a function"},
		{"(side)()", "calls a function"},
		{"__COUNTER__ >= 0", "has the word"},
	} {
		t.Run(c.value, func(t *testing.T) {
			t.Parallel()
			j, err := judge(t, file, witnessOf(t, file, "invariant_set", "G ! call(reach_error())", invariantAt(12, 3, "loop_invariant", c.value)))
			checkJudgement(t, j, err, c.want)
			if c.want == "rejected" {
				return
			}
			j, err = judge(t, file, witnessOf(t, file, "violation_sequence", "G ! call(reach_error())", segments(point("assumption", "follow", 14, 3, c.value), point("target", "follow", 15, 5, ""))))
			checkJudgement(t, j, err, c.want)
		})
	}
}

// TestForeignContracts judges contracts that others may claim.
func TestForeignContracts(t *testing.T) {
	file := writeFile(t, "f.c", `extern int __VERIFIER_nondet_int(void);
void reach_error() {}
int g;
int f(int x, int y) {
  x = x + 1;
  if (y) return x;
  g = g + 1;
  return x - 1;
}
void h(void) { if (g > 3) return; g = 4; }
int k(void) { int g = 7; return g; }
int main(void) {
  g = k() - 4;
  if (f(5, __VERIFIER_nondet_int()) < 5) reach_error();
  h();
}
`)
	for _, c := range []struct{ name, at, requires, ensures, want string }{
		{"the right one", "line: 4, function: f", "x == 5", `\\result >= x && \\result <= x + 1 && g >= \\old(g)`, "confirmed"},
		{"of the parameter at the end", "line: 4, function: f", "1", `\\result == x`, "rejected"},
		{"a precondition that no call satisfies", "line: 4, function: f", "x == 4", `1`, "rejected"},
		{"a postcondition of one return", "line: 4, function: f", "1", `\\result == x + 1`, "rejected"},
		{"without a result", "line: 10, function: h", "g >= 3", `g == 4`, "confirmed"},
		{"without a result, and wrong", "line: 10, function: h", "1", `g == \\old(g)`, "rejected"},
		{"of a result that is not there", "line: 10, function: h", "1", `\\result == 4`, "unknown"},
		{"of no function", "line: 5", "1", `1`, "unknown"},
		{"of ACSL", "line: 4, function: f", "1", `\\forall`, "confirmed"},
		{"one that writes", "line: 4, function: f", "1", `g = 4`, "changes something"},
		{"of a local", "line: 4, function: f", "1", `r == 4`, "undeclared"},
		{"of a global that a local hides", "line: 11, function: k", "1", `g == 7`, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, err := judge(t, file, witnessOf(t, file, "invariant_set", "G ! call(reach_error())",
				fmt.Sprintf("  - contract: {type: function_contract, location: {file_name: f.c, %s}, requires: \"%s\", ensures: \"%s\", format: acsl_expression}\n", c.at, c.requires, c.ensures)))
			checkJudgement(t, j, err, c.want)
		})
	}
}

// TestInterleavedVisits: executions of a loop in a function that calls itself are interleaved; what is claimed of the visits of one is not judged. (It was
// confirmed that n is 0, or was.)
func TestInterleavedVisits(t *testing.T) {
	file := writeFile(t, "f.c", `void reach_error() {}
void f(int n) {
  int i = 0;
  while (i < 2) { if (n > 0) f(n - 1); i++; }
}
void g(void) {
  int i = 0;
  while (i < 2) i++;
}
int main(void) { g(); f(1); }
`)
	for _, c := range []struct {
		line          int
		claims, wants string
	}{
		{4, `n == 0 || \at(n, AnyPrev) == 0`, "unknown"},
		{4, `\at(i, AnyPrev) < i`, "unknown"},
		{8, `\at(i, AnyPrev) < i`, "confirmed"},
	} {
		j, err := judge(t, file, witnessOf(t, file, "invariant_set", "G ! call(reach_error())", strings.Replace(invariantAt(c.line, 3, "loop_transition_invariant", c.claims), ", function: main", "", 1)))
		checkJudgement(t, j, err, c.wants)
	}
}

// TestFalseWitnesses: of programs without a violation no violation witness is confirmed, and of those with one no correctness witness.
func TestFalseWitnesses(t *testing.T) {
	for _, c := range witnessed {
		if c.property != UnreachCall && c.property != NoOverflow {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, "f.c", declared+c.source)
			specification := map[Property]string{UnreachCall: "G ! call(reach_error())", NoOverflow: "G ! overflow"}[c.property]
			lines := strings.Split(declared+c.source, "\n")
			for i, l := range lines {
				if i%2 == 1 {
					continue
				}
				column := len(l) - len(strings.TrimLeft(l, " ")) + 1
				if i < 3 || column == 1 {
					continue
				}
				text := witnessOf(t, file, "violation_sequence", specification, segments(point("target", "follow", i+1, column, "")))
				if c.answer == False {
					text = witnessOf(t, file, "invariant_set", specification, invariantAt(i+1, column, "location_invariant", "1"))
				}
				if j, err := judge(t, file, text); err != nil || j.Outcome == validate.Confirmed {
					t.Errorf("line %d: %+v %v", i+1, j, err)
				}
			}
		})
	}
}

// buggy is a program with a violation that needs two inputs.
const buggy = `extern int __VERIFIER_nondet_int(void);
void reach_error() {}
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  if (x > 10) {
    if (y == x + 1) {
      reach_error();
    }
  }
  switch (x) {
  case 3: y = 1; break;
  default: y = 2;
  }
  if (y == 1)
    reach_error();
  return 0;
}
`

func point(kind, action string, line, column int, value string) string {
	constraint := ""
	if value != "" {
		constraint = fmt.Sprintf(", constraint: {value: %q}", value)
	}
	return fmt.Sprintf("    - waypoint: {type: %s, action: %s, location: {file_name: f.c, line: %d, column: %d}%s}\n", kind, action, line, column, constraint)
}

func segments(list ...string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString("  - segment:\n" + s)
	}
	return b.String()
}

// TestForeignRuns judges runs that others may describe.
func TestForeignRuns(t *testing.T) {
	file := writeFile(t, "f.c", buggy)
	first, second := point("target", "follow", 8, 7, ""), point("target", "follow", 16, 5, "")
	for _, c := range []struct{ name, content, want string }{
		{"the target alone", segments(first), "confirmed"},
		{"the other target", segments(second), "confirmed"},
		{"an assumption", segments(point("assumption", "follow", 6, 3, "x == 42"), first), "confirmed"},
		{"an assumption that forbids it", segments(point("assumption", "follow", 6, 3, "x == 5"), first), "rejected"},
		{"a value", segments(point("function_return", "follow", 4, 33, `\result == 11`), point("function_return", "follow", 5, 33, `\result == 12`), first), "confirmed"},
		{"a wrong value", segments(point("function_return", "follow", 4, 33, `\result == 11`), point("function_return", "follow", 5, 33, `\result == 13`), first), "rejected"},
		{"in the wrong order", segments(point("function_return", "follow", 5, 33, `\result == 12`), point("function_return", "follow", 4, 33, `\result == 11`), first), "rejected"},
		{"branches", segments(point("branching", "follow", 6, 3, "true"), point("branching", "follow", 7, 5, "true"), first), "confirmed"},
		{"a branch that leads elsewhere", segments(point("branching", "follow", 6, 3, "false"), first), "rejected"},
		{"a case", segments(point("branching", "follow", 11, 3, "3"), second), "confirmed"},
		{"another case", segments(point("branching", "follow", 11, 3, "4"), second), "rejected"},
		{"a run that avoids it", segments(point("assumption", "avoid", 6, 3, "x < 1000") + first), "confirmed"},
		{"a run that avoids all", segments(point("assumption", "avoid", 6, 3, "x > 10") + first), "rejected"},
		{"a call", segments(point("function_enter", "follow", 8, 19, ""), first), "confirmed"},
		{"a call that does not come first", segments(point("function_enter", "follow", 8, 19, ""), second), "rejected"},
		{"a target where nothing is", segments(point("target", "follow", 12, 2, "")), "unknown"},
		{"a target that is a function", segments(point("target", "follow", 3, 16, "")), "unknown"},
		{"a target where nothing happens", segments(point("target", "follow", 12, 3, "")), "rejected"},
		{"a waypoint where nothing is", segments(point("branching", "follow", 12, 3, "true"), first), "unknown"},
		{"a call that is not there", segments(point("function_return", "follow", 6, 3, `\result == 1`), first), "unknown"},
		{"no place", segments(point("target", "follow", 800, 1, "")), "unknown"},
		{"an expression without a value", segments(point("assumption", "follow", 6, 3, "1 / (x - x) == 0"), first), "unknown"},
		{"a variable that is not there", segments(point("assumption", "follow", 6, 3, "z == 1"), first), "undeclared"},
		{"a call in a constraint", segments(point("assumption", "follow", 6, 3, "(reach_error)(), 1"), first), "comma"},
		{"a cycle", segments(point("assumption", "cycle", 6, 3, "1")), "a witness against safety ends with a target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, err := judge(t, file, witnessOf(t, file, "violation_sequence", "G ! call(reach_error())", c.content))
			checkJudgement(t, j, err, c.want)
			if err == nil && j.Outcome == validate.Confirmed && j.Run == nil {
				t.Error("confirmed without a run")
			}
		})
	}
}

// TestOtherProgram: a witness is about one program, and one property.
func TestOtherProgram(t *testing.T) {
	file := writeFile(t, "f.c", countsUp)
	good := witnessOf(t, file, "invariant_set", "G ! call(reach_error())", invariantAt(10, 3, "loop_invariant", "i <= n"))
	for _, c := range []struct {
		name, witness, want string
		property            []Property
	}{
		{"good", good, "confirmed", nil},
		{"another hash", regexp.MustCompile(`f.c: [0-9a-f]{64}`).ReplaceAllString(good, "f.c: "+strings.Repeat("0", 64)), "another program", nil},
		{"another data model", strings.Replace(good, "LP64", "ILP32", 1), "confirmed", nil},
		{"another property", good, "another property", []Property{NoOverflow}},
		{"an unknown property", strings.Replace(good, "G ! call(reach_error())", "G ! nonsense", 1), "which is not known", nil},
		{"an unknown property, and one that is asked", strings.Replace(good, "G ! call(reach_error())", "G ! nonsense", 1), "confirmed", []Property{UnreachCall}},
		{"no file", "", "empty", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, err := judge(t, file, c.witness, c.property...)
			if c.name == "no file" {
				_, err = Validate(context.Background(), Task{Files: []string{file}}, filepath.Join(t.TempDir(), "none.yml"), false)
				c.want = "cannot read the witness"
			}
			checkJudgement(t, j, err, c.want)
		})
	}
}
