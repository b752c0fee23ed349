package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	boundNested = `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS begin))
(VAR n i j)
(RULES
  begin(n,i,j) -> outer(n,0,0)
  outer(n,i,j) -> inner(n,i,0) :|: i < n
  inner(n,i,j) -> inner(n,i,j+1) :|: j < i
  inner(n,i,j) -> outer(n,i+1,j) :|: j >= i
)`
	// Each round of the outer loop takes back what the inner one has done.
	boundShared = `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS begin))
(VAR n stack)
(RULES
  begin(n,stack) -> work(n,0)
  work(n,stack) -> work(n-1,stack+1) :|: n > 0
  work(n,stack) -> pop(n-1,stack) :|: n > 0
  pop(n,stack) -> pop(n,stack-1) :|: stack > 0
  pop(n,stack) -> work(n,stack)
)`
	boundForever = "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR x)\n(RULES\n  f(x) -> f(x+1) :|: x > 0\n)"
	boundCalls   = "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR x)\n(RULES\n  f(x) -> Com_2(f(x-1),f(x-1)) :|: x > 0\n)"
	boundChosen  = "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR x y)\n(RULES\n  f(x) -> g(y)\n  g(x) -> g(x-2) :|: x > 0\n)"
	boundFree    = "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR x)\n(RULES\n  f(x) -{0}> f(x+1) :|: x > 0\n)"
	boundCosts   = "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR x y)\n(RULES\n  f(x,y) -{y}> f(x-1,y+1) :|: x > 0\n)"
)

func TestBound(t *testing.T) {
	for _, test := range []struct {
		name, text string
		args       []string
		code       int
		stdout     string // its end
	}{
		{"nested.koat", boundNested, nil, exitTrue, "RESULT: bound(O(n^2))\n"},
		{"nested.koat", boundNested, []string{"--certify=off"}, exitTrue, "not certified\nRESULT: bound(O(n^2))\n"},
		{"shared.koat", boundShared, []string{"-q"}, exitTrue, "RESULT: bound(O(n))\n"},
		{"costs.koat", boundCosts, nil, exitTrue, "RESULT: bound(O(n^2))\n"},
		{"forever.koat", boundForever, nil, exitFalse, "RESULT: unbounded\n"},
		{"chosen.koat", boundChosen, nil, exitFalse, "RESULT: unbounded\n"},
		{"free.koat", boundFree, nil, exitTrue, "RESULT: bound(O(1))\n"},
		{"calls.koat", boundCalls, []string{"--timeout=5"}, exitUnknown, "RESULT: unknown\n"},
		{"bad.koat", "(GOAL", nil, exitInput, ""},
	} {
		o := invoke(t, append([]string{"bound", write(t, test.name, test.text)}, test.args...)...)
		if o.code != test.code || !strings.HasSuffix(o.stdout, test.stdout) {
			t.Errorf("%s %v: code %d\n%s%s", test.name, test.args, o.code, o.stdout, o.stderr)
		}
	}
}

const boundProgram = "int nondet(void);\nvoid f(int n, int m) {\n  for (int i = 0; i < n; i++)\n    for (int j = 0; j < m; j++) ;\n}\n"

// TestBoundPrograms: bounds of programs speak of their inputs.
func TestBoundPrograms(t *testing.T) {
	readOnce := "int nondet(void);\nint main(void) {\n  int k = nondet();\n  while (k > 0) k -= 2;\n  return 0;\n}\n"
	costs := "void __assay_cost(unsigned long n);\nvoid send(void) { __assay_cost(3); }\nvoid f(int n, int m) {\n  for (int i = 0; i < n; i++) {\n    send();\n    for (int j = 0; j < m; j++) __assay_cost(2);\n  }\n}\n"
	list := "#include <stdlib.h>\nstruct node { struct node *next; int v; };\nvoid build(unsigned n) {\n  struct node *l = 0;\n  for (unsigned i = 0; i < n; i++) {\n    struct node *x = malloc(sizeof *x);\n    x->next = l; l = x;\n  }\n  char *b = malloc(n);\n  while (l) { struct node *x = l; l = l->next; free(x); }\n}\n"
	recursive := "int f(int n) { return n > 0 ? f(n - 1) + f(n - 2) : 0; }\n"
	for _, test := range []struct {
		text string
		args []string
		code int
		want string
	}{
		{boundProgram, []string{"--semantics=integers"}, exitTrue, "max(0, n)*max(0, m)"},
		{boundProgram, []string{"--semantics=integers", "--cost=instructions"}, exitTrue, "RESULT: bound(O(n^2))\n"},
		{boundProgram, []string{"--function=f"}, exitTrue, "max(0, n - 1)*max(0, m)"},
		{boundProgram, []string{"--semantics=integers"}, exitTrue, "f.c:4: as often as m - j can decrease"},
		{boundProgram, []string{"--semantics=integers", "--json"}, exitTrue, `"why":"as often as m - j can decrease"`},
		{readOnce, []string{"--semantics=integers"}, exitTrue, "tight: Θ(n): for each N >= 0 the run from k@3 = "},
		{"void f(void) { for (int i = 0; i < 9; i++) ; }", []string{"--semantics=integers"}, exitTrue, "tight: Θ(1)"},
		{recursive, []string{"--cost=stack"}, exitTrue, "recursive: f"},
		{list, []string{"--cost=heap", "--function=build"}, exitTrue, "RESULT: bound(O(n))"},
		{readOnce, []string{"--semantics=integers"}, exitTrue, "k@3"},
		{"void g(unsigned int j) { while (j > 0) j++; }", nil, exitTrue, "  max(0, -j + UINT_MAX) + "}, // [AProVE-BV, Fig. 1]
		{"void g(unsigned int j) { while (j > 0) j++; }", []string{"--cost=instructions"}, exitTrue, "  6*max(0, -j + UINT_MAX) + "},
		{"void h(unsigned int j) { while (j > 0) j--; }", []string{"--cost=instructions"}, exitTrue, "  6*max(0, j) + "}, // [AProVE-BV, Fig. 9]
		{"void g(unsigned int j) { while (j > 0) j++; }", []string{"--json"}, exitTrue, `"result":"bound(O(n))"`},
		{"void f(unsigned int x) { unsigned int j = 0; while (j <= x) j++; }", []string{"--timeout=20"}, exitFalse, "x = 4294967295"},
		// Its runs without end pass through a signed overflow.
		{"void f(int x, int y) { while (x >= y) y++; }", []string{"--timeout=3"}, exitUnknown, "RESULT: unknown"},
		{"void f(int x, int y) { while (x >= y) y++; }", []string{"--timeout=20", "--semantics=wrap"}, exitFalse, "RESULT: unbounded"},
		{"void f(long b) { for (unsigned long v = b; v > 0; v--) ; }", nil, exitTrue, "max(0, (unsigned long long)b)"},
		{recursive, nil, exitUnknown, "recursive functions"},
		{costs, []string{"--semantics=integers", "--cost=calls:send", "--function=f"}, exitTrue, "max(0, n)"},
		{costs, []string{"--semantics=integers", "--cost=marked", "--function=f"}, exitTrue, "*max(0, m)"},
		{costs, []string{"--cost=calls:receive", "--function=f"}, exitUnknown, "does not call a function receive"},
		{costs, []string{"--cost=calls:"}, exitInput, ""},
		// The lists have any length, but nothing is allocated while one is followed.
		{list, []string{"--cost=allocated", "--function=build"}, exitTrue, "17*max(0, n) + 16"},
		{"#include <stdlib.h>\nvoid f(void) { for (;;) malloc(8); }", []string{"--cost=allocated", "--timeout=5"}, exitUnknown, "RESULT: unknown"},
		{"#include <stdlib.h>\nvoid f(void) { malloc(8); for (;;) ; }", []string{"--cost=allocated"}, exitTrue, "RESULT: bound(O(1))"},
		{boundProgram, []string{"--function=g"}, exitInput, ""},
	} {
		o := invoke(t, append([]string{"bound", write(t, "f.c", test.text)}, test.args...)...)
		if o.code != test.code || !strings.Contains(o.stdout, test.want) {
			t.Errorf("%v: code %d\n%s%s", test.args, o.code, o.stdout, o.stderr)
		}
	}
}

// TestPlot: the picture has a dot for each run, and the curve of the bound.
func TestPlot(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "bound.svg")
	o := invoke(t, "bound", "--function=f", "--plot", picture, write(t, "f.c", boundProgram))
	text, err := os.ReadFile(picture)
	if o.code != exitTrue || err != nil || strings.Count(string(text), "<circle") != plotted+1 || !strings.Contains(string(text), "<polyline") || strings.Contains(string(text), "NaN") {
		t.Errorf("code %d, %v\n%s%s\n%s", o.code, err, o.stdout, o.stderr, text)
	}
	if o := invoke(t, "bound", "--cost=heap", "--plot", picture, write(t, "f.c", boundProgram)); o.code != exitInput {
		t.Errorf("--plot of the heap: code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestCheckBound: limits of costs as properties.
func TestCheckBound(t *testing.T) {
	forever := "int main(void) { for (;;) ; }\n"
	for _, test := range []struct {
		text, property string
		args           []string
		code           int
		want           string
	}{
		{boundProgram, "bound=O(n^2)", []string{"--function=f"}, exitTrue, "RESULT: true\n"},
		{boundProgram, "bound=O(n)", []string{"--function=f"}, exitUnknown, "this is O(n^2)"},
		{boundProgram, "bound<=max(0, n)*max(0, m) + 5*max(0, n) + max(0, m) + 20", []string{"--function=f"}, exitTrue, "RESULT: true\n"},
		{boundProgram, "bound<=n*m", []string{"--function=f"}, exitUnknown, "not everywhere at most"},
		{boundProgram, "bound<=n*m", []string{"--function=f", "--semantics=c"}, exitFalse, "a run costs at least 5, more than 1: n = 1, m = 1"},
		{boundProgram, "bound(instructions)<=2*n*m+40", []string{"--function=f", "--semantics=c"}, exitFalse, "RESULT: false(bound)\n"},
		{"void f(int n) { while (n > 1) n = n / 2; }", "bound=O(log n)", []string{"--function=f"}, exitTrue, "RESULT: true\n"},
		{"void f(int n) { while (n > 0) n--; }", "bound=O(log n)", []string{"--function=f"}, exitUnknown, "this is O(n)"},
		{boundProgram, "bound=O(1)", []string{"--function=f"}, exitFalse, "goes N times around a loop"},
		{boundProgram, "bound(instructions)=O(n^2)", []string{"--function=f", "-q"}, exitTrue, "RESULT: true\n"},
		{boundProgram, "bound<=n*", []string{"--function=f"}, exitInput, "column 3"},
		{boundProgram, "bound<=q", []string{"--function=f"}, exitInput, "there is no input q"},
		{boundProgram, "bound(nothing)<=3", nil, exitInput, "iterations, instructions"},
		{boundProgram, "bound=O(log)", nil, exitInput, "a class is"},
		{forever, "bound=O(n^9)", nil, exitFalse, "RESULT: false(bound)\n"},
		{"#include <stdlib.h>\nint main(void) { char *p = malloc(10); free(p); for (;;) ; }\n", "bound(allocated)<=10", nil, exitUnknown, "not everywhere"},
		{"#include <stdlib.h>\nint main(void) { char *p = malloc(10); free(p); for (;;) ; }\n", "bound(allocated)<=20", nil, exitTrue, "RESULT: true"},
	} {
		o := invoke(t, append([]string{"check", "--semantics=integers", "--property", test.property, write(t, "f.c", test.text)}, test.args...)...)
		if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.want) {
			t.Errorf("%s: code %d\n%s%s", test.property, o.code, o.stdout, o.stderr)
		}
	}
}
