package native

import (
	"fmt"
	"strings"
)

// The exit codes of the harness.
const (
	hitCode      = 79 // the property is violated
	outOfInputs  = 78
	assumeFailed = 77
)

// prelude catches violations. Its definitions are weak: the program's win. The
// call of an error function that the program defines is seen by the hook that
// -finstrument-functions calls.
const prelude = `#include <stdlib.h>
#include <unistd.h>
#define WEAK __attribute__((weak))
static void hit(void) { _exit(%d); }
static void exhausted(void) { _exit(%d); }
static void assume(int c) { if (!c) _exit(%d); }
WEAK void reach_error(void) { hit(); }
WEAK void __VERIFIER_error(void) { hit(); }
WEAK void __assert_fail(const char *a, const char *f, unsigned l, const char *m) { hit(); }
WEAK void __VERIFIER_assert(int c) { if (!c) hit(); }
WEAK void __CPROVER_assert(int c, const char *m) { if (!c) hit(); }
WEAK void __VERIFIER_assume(int c) { assume(c); }
WEAK void __CPROVER_assume(int c) { assume(c); }
WEAK void assume_abort_if_not(int c) { assume(c); }
WEAK void __VERIFIER_atomic_begin(void) {}
WEAK void __assay_input(const void *p) {}
WEAK void __assay_cost(unsigned long n) {}
WEAK void __VERIFIER_atomic_end(void) {}
void *__wrap_malloc(size_t n) { return calloc(1, n); }
void __cyg_profile_func_enter(void *f, void *site) {
  if (f == (void *)reach_error || f == (void *)__VERIFIER_error) hit();
}
void __cyg_profile_func_exit(void *f, void *site) {}
`

// defined are the functions of the prelude, which are no inputs.
func defined(name string) bool {
	return strings.Contains(prelude, " "+name+"(")
}

// harnessSource is the C source of the harness.
func harnessSource(c Counterexample) string {
	var b strings.Builder
	fmt.Fprintf(&b, prelude, hitCode, outOfInputs, assumeFailed)
	inputs := map[string][]Input{}
	var order []string
	for _, i := range c.Inputs {
		if inputs[i.Function] == nil {
			order = append(order, i.Function)
		}
		inputs[i.Function] = append(inputs[i.Function], i)
	}
	for k, name := range order {
		if !isIdentifier(name) || defined(name) {
			continue
		}
		values := inputs[name]
		fmt.Fprintf(&b, "static const unsigned long long v%d[] = {", k)
		for _, v := range values {
			fmt.Fprintf(&b, "%#xull,", v.Value)
		}
		fmt.Fprintf(&b, "};\nstatic unsigned n%d;\n", k)
		next := fmt.Sprintf("  if (n%d == %d) exhausted();\n", k, len(values))
		if !values[0].Float {
			fmt.Fprintf(&b, "WEAK unsigned long long %s() {\n%s  return v%d[n%d++];\n}\n", name, next, k, k)
			continue
		}
		float, bits := "double", "unsigned long long"
		if values[0].Bits == 32 {
			float, bits = "float", "unsigned"
		}
		fmt.Fprintf(&b, "WEAK %s %s() {\n%s  union { %s u; %s f; } x = {(%s)v%d[n%d++]};\n  return x.f;\n}\n", float, name, next, bits, float, bits, k, k)
	}
	for _, name := range c.Silent {
		if inputs[name] == nil && isIdentifier(name) && !defined(name) {
			fmt.Fprintf(&b, "WEAK unsigned long long %s() { return 0; }\n", name)
		}
	}
	return b.String()
}

// isIdentifier says whether a name can be one in C.
func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
