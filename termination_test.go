package assay

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkTermination asks for the termination of a C program.
func checkTermination(t *testing.T, source string, change func(*Task)) *Result {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.c")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	task := Task{Files: []string{file}, Properties: []Property{Termination}, Timeout: time.Minute}
	if change != nil {
		change(&task)
	}
	r, err := Check(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUnwoundTermination: programs whose loops and recursions are short end,
// whatever else they do.
func TestUnwoundTermination(t *testing.T) {
	for name, source := range map[string]string{
		"loop free": `int main(void) { return 0; }`,
		"loop":      `int main(void) { int n = 0; for (int i = 0; i < 9; i++) n += i; return n; }`,
		"recursion": `int f(unsigned n) { return n == 0 ? 0 : 1 + f(n / 2); } int main(void) { return f(200); }`,
		"assumed":   `void __VERIFIER_assume(int); int main(void) { for (;;) __VERIFIER_assume(0); }`,
		"abort":     `#include <stdlib.h>` + "\n" + `int main(void) { for (;;) abort(); }`,
		"exit":      `#include <stdlib.h>` + "\n" + `int main(void) { for (;;) exit(1); }`,
		"assertion": `#include <assert.h>` + "\n" + `int main(void) { for (;;) assert(0); }`,
		"string":    `#include <string.h>` + "\n" + `int main(void) { return strlen("abc"); }`,
		"overflow":  `int main(void) { int x = 2147483647; while (x > 2147483640) x++; return x; }`,
		"unknown":   `int f(int); int main(void) { for (int i = 0; i < 3; i++) f(i); return 0; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, source, nil)
			if r.Answer != True || r.Certificate == nil || r.Certificate.Checker == "" {
				t.Errorf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			if name == "unknown" && !slices.ContainsFunc(r.Assumptions, func(a Assumption) bool { return strings.Contains(a.Text, "f ") }) {
				t.Errorf("it is not said that f is assumed to return: %v", r.Assumptions)
			}
		})
	}
}

// TestTerminationIsNotClaimed: nothing is proved of programs that run for ever.
func TestTerminationIsNotClaimed(t *testing.T) {
	for name, source := range map[string]string{
		"loop":      `int main(void) { for (;;); }`,
		"recursion": `int f(int n) { return f(n); } int main(void) { return f(1); }`,
		"some":      `int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); while (x != 7) x += 2; return 0; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := checkTermination(t, source, func(t *Task) { t.Timeout = 3 * time.Second }); r.Answer == True {
				t.Errorf("proved: %+v", r.Certificate)
			}
		})
	}
}

func TestTerminationAlone(t *testing.T) {
	for _, task := range []Task{
		{Files: []string{"f.c"}, Properties: []Property{Termination, NoOverflow}},
		{Files: []string{"f.c"}, Properties: []Property{Termination}, Engine: Engine{EachCheck: true}},
	} {
		_, err := Check(t.Context(), task)
		var input *InputError
		if !errors.As(err, &input) || input.Hint == "" {
			t.Errorf("got %v", err)
		}
	}
}
