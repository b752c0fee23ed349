package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	solveCounter = "1 sort bitvec 1\n2 sort bitvec 4\n3 state 2 count\n4 zero 2\n5 init 2 3 4\n6 input 1 go\n7 uext 2 6 3\n8 add 2 3 7\n9 next 2 3 8\n10 constd 2 %\n11 eq 1 3 10\n12 bad 11\n"
	solveToggler = "c toggle\ni cnf 1 1\n-1 0\nu cnf 1 0\ng cnf 1 1\n1 0\nt cnf 2 2\n1 2 0\n-1 -2 0\n"
	// A latch that keeps its 0, and one that is set after a step.
	solveLatches = "aag 2 0 2 1 0\n2 2\n4 1\n2\n"
	// The factors of a product of two primes below 2^32.
	solveForever = "1 sort bitvec 1\n2 sort bitvec 32\n3 sort bitvec 64\n4 input 2\n5 input 2\n6 uext 3 4 32\n7 uext 3 5 32\n8 mul 3 6 7\n9 constd 3 9345208821757322069\n10 eq 1 8 9\n11 bad 10\n"
)

func TestSolve(t *testing.T) {
	three := strings.Replace(solveCounter, "%", "3", 1)
	for _, test := range []struct {
		name, text string
		args       []string
		code       int
		stdout     string // the beginning
		stderr     string // a part
	}{
		{"count.btor2", three, nil, exitFalse, "sat\nb0\n#0\n0 0000 count@0\n@0\n0 1 go@0\n", ""},
		{"count.btor2", three, []string{"--engine=incremental"}, exitFalse, "sat\nb0\n", ""},
		{"toggle.dimspec", solveToggler, nil, exitFalse, "solution 1 2\n-1\n1\n", ""},
		{"noname", solveToggler, []string{"--engine=ic3"}, exitFalse, "solution 1 2\n", ""},
		{"latches.aag", solveLatches, []string{"--engine=kinduction"}, exitTrue, "0\nb0\n.\n", ""},
		{"latches.aag", strings.Replace(solveLatches, "4 1\n2\n", "4 1\n4\n", 1), nil, exitFalse, "1\nb0\n00\n\n\n.\n", ""},
		{"hard.btor2", solveForever, []string{"--timeout=0.3"}, exitUnknown, "unknown\n", "the time is over"},
		{"big.btor2", "1 sort bitvec 40\n2 sort array 1 1\n3 state 2\n", nil, exitUnknown, "unknown\n", "big.btor2:3: unsupported: an array of 2^40"},
		{"bad.btor2", "1 sort bitvec 4\n2 bad 1\n", nil, exitInput, "", "bad.btor2:2: 1 is a sort"},
		{"sorts.btor2", "1 sort bitvec 8\n2 sort bitvec 4\n3 state 1\n4 state 2\n5 add 1 3 4\n", nil, exitInput, "", "sorts.btor2:5: sort error: bitvec 4 where bitvec 8 is needed"},
		{"bad.dimspec", "i cnf 1 0\ng cnf 1 0\n", nil, exitInput, "", "bad.dimspec:2: the header"},
		{"header.dimspec", "i cnff 1 0\n", nil, exitInput, "", "header.dimspec:1: the header \"i cnff 1 0\" is not \"i cnf VARIABLES CLAUSES\""},
		{"missing.dimspec", "i cnf 1 0\nu cnf 1 0\ng cnf 1 1\n1 0\n", nil, exitInput, "", "missing.dimspec:4: the file ends without section t"},
		{"range.dimspec", "i cnf 2 1\n1 0\nu cnf 2 0\ng cnf 2 1\n7 0\nt cnf 4 0\n", nil, exitInput, "", "range.dimspec:5: the literal 7 is out of range: section g has the variables 1 to 2"},
		{"cycle.aag", "aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", nil, exitInput, "", "cycle.aag:4: the gate 4 depends on itself"},
		{"bad.aig", "aig 2 1 0 1 1\n4\n\x02", nil, exitInput, "", "bad.aig: byte 17: the file ends"},
		{"bad", "int main;", nil, exitInput, "", "neither DimSpec"},
	} {
		o := invoke(t, append([]string{"solve", write(t, test.name, test.text)}, test.args...)...)
		if o.code != test.code || !strings.HasPrefix(o.stdout, test.stdout) || !strings.Contains(o.stderr, test.stderr) {
			t.Errorf("%s %v: code %d\n%s%s", test.name, test.args, o.code, o.stdout, o.stderr)
		}
	}
}

// TestSolveEvidence writes what a proof and a violation leave, and reads it back.
func TestSolveEvidence(t *testing.T) {
	model := write(t, "latches.aag", solveLatches)
	dir := t.TempDir()
	inv, cert := filepath.Join(dir, "inv"), filepath.Join(dir, "cert.aag")
	if o := invoke(t, "solve", "--engine=ic3", "--invariant", inv, "--certificate", cert, model); o.code != exitTrue {
		t.Fatalf("%+v", o)
	}
	text, err := os.ReadFile(inv)
	if err != nil || !strings.Contains(string(text), "!l0\n") {
		t.Errorf("invariant %q, %v", text, err)
	}
	// The witness circuit's property is inductive by itself.
	if o := invoke(t, "solve", "--engine=kinduction", cert); o.code != exitTrue {
		t.Errorf("certificate: %+v", o)
	}

	count := write(t, "count.btor2", strings.Replace(solveCounter, "%", "2", 1))
	o := invoke(t, "solve", count)
	witness := write(t, "witness", o.stdout)
	if o := invoke(t, "simulate", count, witness); o.code != 0 {
		t.Errorf("simulate: %+v", o)
	}
	wrong := write(t, "wrong", strings.Replace(o.stdout, "0 1 go@0", "0 0 go@0", 1))
	if o := invoke(t, "simulate", count, wrong); o.code != exitInput {
		t.Errorf("a wrong witness: %+v", o)
	}

	for _, target := range []string{"aiger", "aag", "plain", "btor2", "dimspec"} {
		out := filepath.Join(dir, "model."+target)
		if o := invoke(t, "export", "--to", target, "-o", out, count); o.code != 0 {
			t.Fatalf("export %s: %+v", target, o)
		}
		if o := invoke(t, "solve", out); o.code != exitFalse {
			t.Errorf("%s: %+v", target, o)
		}
	}
}

// TestExportProgram: the transition system of a program has the answer that the
// program has, in each format and with steps of both sizes.
func TestExportProgram(t *testing.T) {
	const text = `extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
unsigned char a[2];
int main(void) {
  unsigned char n = 0;
  while (n < 4) { a[n & 1] += 2; n++; if (__VERIFIER_nondet_int()) a[0] = 0; }
  if (a[0] %s) reach_error();
}
`
	for _, test := range []struct {
		cond string
		code int
	}{{"== 4", exitFalse}, {"== 3", exitTrue}} {
		file := write(t, "a.c", strings.Replace(text, "%s", test.cond, 1))
		for _, target := range []string{"btor2", "aiger", "dimspec"} {
			for _, blocks := range blockSizes {
				out := filepath.Join(t.TempDir(), "a."+target)
				if o := invoke(t, "export", "--to", target, "--blocks", blocks, "-m32", "-o", out, file); o.code != 0 {
					t.Fatalf("%s, %s: %+v", target, blocks, o)
				}
				if o := invoke(t, "solve", "--engine=ic3", out); o.code != test.code {
					t.Errorf("%s, %s, %s: %+v", test.cond, target, blocks, o)
				}
			}
		}
		for _, engine := range []string{"ic3", "incremental"} {
			if engine == "incremental" && test.code == exitTrue {
				continue
			}
			if o := invoke(t, "check", "--engine", engine, file); o.code != test.code {
				t.Errorf("%s, engine %s: %+v", test.cond, engine, o)
			}
		}
	}
	heap := write(t, "heap.c", "extern void *malloc(unsigned long); void reach_error(void) {}\nint main(void) { char *p = 0;\n for (int i = 0; i < 3; i++) { if (!p) p = malloc(1); *p = 1; }\n if (*p != 1) reach_error(); }\n")
	if o := invoke(t, "export", "--to", "btor2", heap); o.code != 0 || !strings.Contains(o.stderr, "not exact") || !strings.Contains(o.stdout, "obstacle") {
		t.Errorf("a heap object: %+v", o)
	}
	for step, code := range map[string]int{"1": exitTrue, "2": exitFalse} {
		file := write(t, "loop.c", "int main(void) { unsigned char n = 0; while (n != 5) n += "+step+"; }")
		out := filepath.Join(t.TempDir(), "loop.btor2")
		if o := invoke(t, "export", "--to", "btor2", "--property", "termination", "-o", out, file); o.code != 0 {
			t.Fatalf("termination: %+v", o)
		}
		if o := invoke(t, "solve", out); o.code != code {
			t.Errorf("termination in steps of %s: %+v", step, o)
		}
	}
	if o := invoke(t, "export", "--to", "btor2", "--property", "termination,unreach-call", heap); o.code != exitInput || !strings.Contains(o.stderr, "termination") {
		t.Errorf("termination and more: %+v", o)
	}
}
