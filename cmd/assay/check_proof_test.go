package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProofFolder: a proof folder is checked as its Makefile says; flags count more, and what is wrong has a place.
func TestProofFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Makefile":  "HARNESS_ENTRY = harness\nPROOF_SOURCES = harness.c stub.c\nPROJECT_SOURCES = code.c\nREMOVE_FUNCTION_BODY = limit\nDEFINES = -DN=$(N)\nN = 4\nCBMCFLAGS = --unwind 1\n",
		"harness.c": "#include <stdlib.h>\nvoid fill(char *, unsigned);\nvoid harness(void) { char *p = malloc(N); if (p) fill(p, N); free(p); }\n",
		"stub.c":    "unsigned limit(unsigned n) { return n; }\n",
		"code.c":    "unsigned limit(unsigned n) { return n + 1; }\nvoid fill(char *p, unsigned n) { for (unsigned i = 0; i < limit(n); i++) p[i] = 0; }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"as it says", nil, exitTrue, "RESULT: true"},
		{"a macro more", []string{"-D", "N=0"}, exitTrue, "RESULT: true"},
		{"another property", []string{"--property", "implicit-conversion"}, exitTrue, "implicit-conversion"},
		{"files as well", []string{filepath.Join(dir, "code.c")}, exitInput, "names the files itself"},
	} {
		o := invoke(t, append([]string{"check", "--timeout=30", "--cbmc-project", dir}, x.args...)...)
		if o.code != x.code || !strings.Contains(o.stdout+o.stderr, x.want) {
			t.Errorf("%s: code %d, want %d and %q\n%s%s", x.name, o.code, x.code, x.want, o.stdout, o.stderr)
		}
	}
	makefile := filepath.Join(dir, "Makefile")
	text, _ := os.ReadFile(makefile)
	for _, x := range []struct {
		from, to string
		code     int
		want     string
	}{
		{"REMOVE_FUNCTION_BODY = limit", "", exitTrue, "limit has the body of the first file"}, // twice in the program
		{"stub.c", "", exitFalse, "RESULT: false"},                                             // limit has no body
		{"N = 4", "N = $(shell nproc)", exitInput, makefile + ":6: "},                          // is not run
		{"--unwind 1", "--partial-loops", exitInput, makefile + ":7: the"},                     // changes the question
	} {
		if err := os.WriteFile(makefile, []byte(strings.Replace(string(text), x.from, x.to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		o := invoke(t, "check", "--timeout=30", "--cbmc-project", dir)
		if o.code != x.code || !strings.Contains(o.stdout+o.stderr, x.want) {
			t.Errorf("%q: code %d, want %d and %q\n%s%s", x.to, o.code, x.code, x.want, o.stdout, o.stderr)
		}
	}
}
