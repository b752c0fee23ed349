package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBinaryOfSource: source and binary agree, or differ for a reason that is found.
func TestBinaryOfSource(t *testing.T) {
	const overflow = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x + 100 < x) reach_error();\n  return 0;\n}\n"
	const endless = "extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  unsigned x = __VERIFIER_nondet_uint();\n  while (x != 1) { if (x % 2) x = 3 * x + 1; else x = x / 2; }\n  return 0;\n}\n"
	const request = "extern int __VERIFIER_nondet_int(void);\nint x, y;\nint main(void) {\n  for (;;) { x = __VERIFIER_nondet_int(); if (x > 0) { y = 1; y = 0; } }\n}\n"
	build := func(source, compiler string, options ...string) (string, string) {
		in := write(t, "f.c", source)
		out := filepath.Join(filepath.Dir(in), "f.o")
		if _, err := exec.LookPath(compiler); err != nil {
			t.Skip(compiler + " is not installed")
		}
		if text, err := exec.Command(compiler, append(options, "-w", "-c", "-o", out, in)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", compiler, err, text)
		}
		return in, out
	}
	for _, test := range []struct {
		name, source, compiler, options string
		args                            []string
		code                            int
		output                          []string
	}{
		{"overflow", overflow, "gcc", "-O2 -g", nil, exitFalse,
			[]string{"as it is: true", "explained by -fwrapv: signed overflow", "the source does so at", "f.c:4:9: signed overflow in +", "RESULT: differ(source: false(unreach-call), binary: true)"}},
		{"wraps", overflow, "gcc", "-O2 -g -fwrapv", nil, exitFalse, []string{"source and binary agree", "RESULT: false(unreach-call)"}},
		{"no options known", overflow, "gcc", "-O1", nil, exitFalse, []string{"compiled again with gcc -O", "explained by -fwrapv"}},
		{"another source", overflow, "gcc", "-O2 -g -fwrapv -Dreach_error=abort", nil, exitFalse, []string{"not explained: compiled again, the answer is that of the source"}},
		{"endless", endless, "clang-19", "-O2 -g", []string{"--property=termination", "--timeout=60"}, exitFalse,
			[]string{"compiled again with clang-19 -O", "explained by -fno-finite-loops: a loop without effects", "differ(source: false(termination), binary: true)"}},
		{"ends", endless, "gcc", "-O0 -g", []string{"--property=termination"}, exitFalse, []string{"source and binary agree", "RESULT: false(termination)"}},
		{"ltl", request, "gcc", "-O0 -g", []string{"--ltl=G (y == 1 ==> F y == 0)"}, exitTrue, []string{"source and binary agree", "RESULT: true"}},
		{"memory", request, "gcc", "-O0 -g", []string{"--property=no-overflow"}, exitInput, []string{"no-overflow is not a property of binaries"}},
		{"ctl", request, "gcc", "-O0 -g", []string{"--ctl=AF(x > 0)", "--semantics=wrap"}, exitInput, []string{"--binary compares"}},
		{"bound", request, "gcc", "-O0 -g", []string{"--property=bound<=3"}, exitInput, []string{"--binary compares"}},
	} {
		in, out := build(test.source, test.compiler, strings.Fields(test.options)...)
		o := invoke(t, append([]string{"check", "--timeout=30", in, "--binary", out}, test.args...)...)
		for _, text := range test.output {
			if o.code != test.code || !strings.Contains(o.stdout+o.stderr, text) {
				t.Errorf("%s: code %d, want %d and %q\n%s%s", test.name, o.code, test.code, text, o.stdout, o.stderr)
				break
			}
		}
	}
	in, out := build(overflow, "gcc", "-O2", "-g")
	var answer struct {
		Result   string
		Explain  []string `json:"explained_by"`
		Source   struct{ Result string }
		Binary   struct{ Result string }
		Attempts []struct{ Result string }
	}
	o := invoke(t, "check", "--json", in, "--binary", out)
	if err := json.Unmarshal([]byte(o.stdout), &answer); err != nil || len(answer.Explain) != 1 || answer.Source.Result != "false(unreach-call)" || answer.Binary.Result != "true" || len(answer.Attempts) != 2 {
		t.Errorf("json: %v\n%s%s", err, o.stdout, o.stderr)
	}
	if o := invoke(t, "check", in, "--binary", in); o.code != exitInput || !strings.Contains(o.stderr, "is no ELF file") {
		t.Errorf("no binary: code %d\n%s", o.code, o.stderr)
	}
	if o := invoke(t, "check", out, "--binary", out); o.code != exitInput || !strings.Contains(o.stderr, "a binary is given as the source") {
		t.Errorf("no source: code %d\n%s", o.code, o.stderr)
	}
}
