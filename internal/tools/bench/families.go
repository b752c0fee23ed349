package bench

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// This file generates families of programs, to measure how the cost of a question
// grows with the size of the program. Of the first two, which all end, the number of
// paths grows much faster than that of loops. The others are long rather than hard: what
// each part needs is near; the cost should be linear. They come with and without a
// violation, in the part at two thirds.

// family is programs by size.
type family struct {
	name     string
	property string
	sizes    []int
	// violated is the verdict with a bug, empty if there are no such programs.
	violated string
	program  func(n, bug int) string // bug is the number of the part that is wrong, -1 is none
}

var families = []family{
	{"nested loops", "termination", upTo(6), "", nestedLoops},
	{"loops in sequence", "termination", upTo(40), "", sequentialLoops},
	{"functions with a loop", "unreach-call", []int{10, 30, 100, 300, 1000}, "false", loopFunctions},
	{"states of a machine", "unreach-call", []int{10, 30, 100, 300, 1000}, "false", stateMachine},
	{"functions without loops", "unreach-call", []int{30, 100, 300, 1000, 3000}, "false", plainFunctions},
	{"blocks of the heap", "valid-memsafety", []int{30, 100, 300, 1000, 3000}, "valid-deref", heapBlocks},
	{"calls of functions", "unreach-call", []int{30, 100, 300, 1000}, "false", functionCalls},
	{"calls with pointers", "unreach-call", []int{10, 30, 100, 300}, "false", pointerCalls},
	{"chains of calls", "unreach-call", []int{5, 10, 20, 50, 100}, "", callChain}, // a run of n functions makes 2^n calls
}

func upTo(n int) (out []int) {
	for k := range n {
		out = append(out, k+1)
	}
	return out
}

// WriteFamilies writes the programs and their table into a folder, which is made
// if it is not there, and returns the path of the table.
func WriteFamilies(folder string) (table string, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	rows := [][]string{{"id", "set", "file", "property", "expected", "data_model", "size"}}
	write := func(f *family, set string, n, bug int, expected string) error {
		id := fmt.Sprintf("%s-%d", strings.ReplaceAll(set, " ", "-"), n)
		rows = append(rows, []string{id, set, id + ".c", f.property, expected, "LP64", fmt.Sprint(n)})
		return os.WriteFile(filepath.Join(folder, id+".c"), []byte(f.program(n, bug)), 0o666)
	}
	for i := range families {
		f := &families[i]
		for _, n := range f.sizes {
			if err := write(f, f.name, n, -1, "true"); err != nil {
				return "", err
			}
			if f.violated == "" {
				continue
			}
			if err := write(f, f.name+" and a bug", n, 2*n/3, f.violated); err != nil {
				return "", err
			}
		}
	}
	table = filepath.Join(folder, "families.csv")
	file, err := os.Create(table)
	if err != nil {
		return "", err
	}
	if err := csv.NewWriter(file).WriteAll(rows); err != nil {
		file.Close()
		return "", err
	}
	return table, file.Close()
}

// inMain is a program with n inputs.
func inMain(n int, body string) string {
	var b strings.Builder
	b.WriteString("extern int __VERIFIER_nondet_int(void);\n\nint main(void) {\n")
	for k := range n {
		fmt.Fprintf(&b, "  int n%d = __VERIFIER_nondet_int();\n", k)
	}
	return b.String() + body + "  return 0;\n}\n"
}

func counting(k, depth int) string {
	return fmt.Sprintf("%sfor (int i%d = 0; i%d < n%d; i%d++)", strings.Repeat("  ", depth+1), k, k, k, k)
}

func nestedLoops(n, _ int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(counting(k, k) + "\n")
	}
	return inMain(n, b.String()+strings.Repeat("  ", n+1)+";\n")
}

func sequentialLoops(n, _ int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(counting(k, 0) + "\n    ;\n")
	}
	return inMain(n, b.String())
}

const asserting = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\n"

// chained is a main that hands a number from function to function.
func chained(b *strings.Builder, n int) string {
	b.WriteString("int main(void) {\n  unsigned x = __VERIFIER_nondet_uint();\n")
	for k := range n {
		fmt.Fprintf(b, "  x = part%d(x);\n", k)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// loopFunctions has n functions, each with a loop of any number of iterations; the assertion
// behind it needs a congruence.
func loopFunctions(n, bug int) string {
	var b strings.Builder
	b.WriteString(asserting)
	for k := range n {
		step, also := 2<<(k%3), ""
		if k == bug {
			also = fmt.Sprintf(" && sum != %d", 7*step)
		}
		fmt.Fprintf(&b, `static unsigned part%d(unsigned most) {
  unsigned sum = 0;
  for (unsigned i = 0; i < most; i++)
    sum += %d;
  assert(sum %% %d == 0%s);
  return most %% %d;
}
`, k, step, step, also, 100+k)
	}
	return chained(&b, n)
}

// plainFunctions has n functions without loops, with an assertion in each.
func plainFunctions(n, bug int) string {
	var b strings.Builder
	b.WriteString(asserting)
	for k := range n {
		most := 300
		if k == bug {
			most = 200
		}
		fmt.Fprintf(&b, `static unsigned last%d;
static unsigned part%d(unsigned x) {
  unsigned y = __VERIFIER_nondet_uint();
  last%d = x > y ? y & 255 : (x - y) %% %d;
  if (last%d == 17) last%d += %d;
  assert(last%d < %d);
  return last%d + y;
}
`, k, k, k, 40+k%200, k, k, k%9, k, most, k)
	}
	return chained(&b, n)
}

// functionCalls has n calls, of three functions with loops, with an assertion behind each.
func functionCalls(n, bug int) string {
	var b strings.Builder
	b.WriteString(asserting + "static unsigned total;\n")
	for k := range 3 {
		fmt.Fprintf(&b, `static unsigned part%d(unsigned most, unsigned step) {
  unsigned sum = 0, i = 0;
  if (most > %d)
    most = %d;
  while (i < most) {
    sum += 2 * step;
    total = step > 3 ? total + 2 : 0;
    if (total > 900)
      total = 0;
    i++;
  }
  assert(sum %% 2 == 0);
  return i;
}
`, k, 100+k, 100+k)
	}
	b.WriteString("int main(void) {\n")
	for k := range n {
		most := 100 + k%3
		if k == bug {
			most--
		}
		fmt.Fprintf(&b, "  assert(part%d(__VERIFIER_nondet_uint(), %d) <= %d && total %% 2 == 0);\n", k%3, k%11, most)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// callChain has n functions, each of which calls the one before it twice.
func callChain(n, _ int) string {
	var b strings.Builder
	b.WriteString(asserting + `static unsigned odd;
static unsigned part0(unsigned x) {
  unsigned i = 0;
  if (x > 10)
    x = 10;
  while (i < x)
    i++;
  odd = i & 1;
  return i;
}
`)
	for k := 1; k < n; k++ {
		most := 10 + k - 1
		fmt.Fprintf(&b, "static unsigned part%d(unsigned x) {\n  unsigned a = part%d(x), b = part%d(x + 1);\n  assert(a <= %d && b <= %d && odd <= 1);\n  return a + 1;\n}\n", k, k-1, k-1, most, most)
	}
	fmt.Fprintf(&b, "int main(void) {\n  assert(part%d(__VERIFIER_nondet_uint()) <= %d);\n  return 0;\n}\n", n-1, 10+n-1)
	return b.String()
}

// stateMachine has an endless loop over a switch with n states.
func stateMachine(n, bug int) string {
	var b strings.Builder
	b.WriteString(asserting + "int main(void) {\n  unsigned state = 0, last = 0;\n  for (;;) {\n    unsigned event = __VERIFIER_nondet_uint();\n    switch (state) {\n")
	for k := range n {
		to := (7*k + 3) % n
		if k == bug {
			to = n
		}
		fmt.Fprintf(&b, "    case %d: last = %d; if (event %% %d == 0) state = %d; else if (event > %d) state = %d; break;\n", k, k, 2+k%6, to, 500*k, (k+1)%n)
	}
	fmt.Fprintf(&b, "    default: assert(0);\n    }\n    assert(last < %d);\n  }\n}\n", n)
	return b.String()
}

// heapBlocks puts n blocks into a list, and frees it.
func heapBlocks(n, bug int) string {
	var b strings.Builder
	b.WriteString("#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct item { int number; struct item *rest; };\n")
	for k := range n {
		early := ""
		if k == bug {
			early = "  free(first);\n"
		}
		fmt.Fprintf(&b, `static struct item *part%d(struct item *rest) {
  struct item *first = malloc(sizeof *first);
  if (!first) return rest;
  first->number = __VERIFIER_nondet_int() %% %d;
  first->rest = rest;
%s  return first;
}
`, k, k+2, early)
	}
	b.WriteString("int main(void) {\n  struct item *all = 0;\n")
	for k := range n {
		fmt.Fprintf(&b, "  all = part%d(all);\n", k)
	}
	b.WriteString("  while (all) { struct item *rest = all->rest; free(all); all = rest; }\n  return 0;\n}\n")
	return b.String()
}

// pointerCalls has n calls, of three functions with loops that are given pointers to structures and to numbers of the caller; three calls have
// the same.
func pointerCalls(n, bug int) string {
	var b strings.Builder
	b.WriteString(asserting + "struct counter {\n  unsigned used, total, last[4];\n};\n")
	for k := range 3 {
		fmt.Fprintf(&b, `static unsigned part%d(struct counter *c, unsigned most, unsigned *out) {
  unsigned sum = 0, i = 0;
  if (most > %d)
    most = %d;
  while (i < most) {
    sum += 2;
    c->total = c->total < 900 ? c->total + 2 : 0;
    c->last[i & 3] = i;
    i++;
  }
  assert(sum %% 2 == 0);
  c->used = i;
  *out = sum;
  return i;
}
`, k, 100+k, 100+k)
	}
	b.WriteString("int main(void) {\n")
	for k := range n {
		of, most := k-k%3, 100+k%3
		if k == bug {
			most--
		}
		if of == k {
			fmt.Fprintf(&b, "  struct counter c%d = {0};\n  unsigned out%d;\n", k, k)
		}
		fmt.Fprintf(&b, "  assert(part%d(&c%d, __VERIFIER_nondet_uint(), &out%d) <= %d && c%d.total %% 2 == 0);\n", k%3, of, of, most, of)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}
