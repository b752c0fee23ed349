package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// runMain makes the test binary behave like the command itself.
const runMain = "ASSAY_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// outcome is how a command line ended.
type outcome struct {
	code           int
	signal         syscall.Signal
	stdout, stderr string
}

// last is the last line of the standard output.
func (o outcome) last() string {
	s := strings.TrimSuffix(o.stdout, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// command prepares the command in a process group of its own.
func command(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), runMain+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 2 * time.Second
	return cmd, &stdout, &stderr
}

// finish waits for a command that has been started.
func finish(t *testing.T, cmd *exec.Cmd, stdout, stderr *bytes.Buffer) outcome {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := outcome{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		o.signal = s.Signal()
	}
	return o
}

// invoke runs the command to its end.
func invoke(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd, stdout, stderr := command(ctx, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return finish(t, cmd, stdout, stderr)
}

// write makes a file in a fresh folder.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const example = "../../examples/"

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		args []string
		last string
		code int
	}{
		{[]string{example + "wrap.c"}, "RESULT: false(unreach-call)", exitFalse},
		{[]string{"--property=no-overflow,unreach-call", example + "midpoint_fixed.c"}, "RESULT: true", exitTrue},
		{[]string{"--certify=off", example + "popcount.c"}, "RESULT: true (uncertified)", exitTrue},
		{[]string{"--unwind=5", example + "forever.c"}, "RESULT: unknown", exitUnknown},
		{[]string{"--quiet", "--timeout=1", example + "forever.c"}, "RESULT: unknown", exitUnknown},
		{[]string{"--memory=2GiB", "--property=valid-deref", example + "use_after_free.c"}, "RESULT: false(valid-deref)", exitFalse},
		{[]string{"--property=termination", example + "wrap.c"}, "RESULT: true", exitTrue},
		{[]string{"--solver=z3", "--property=div-by-zero", example + "average.c"}, "RESULT: false(div-by-zero)", exitFalse},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			o := invoke(t, append([]string{"check"}, test.args...)...)
			if o.last() != test.last || o.code != test.code {
				t.Errorf("exit code %d, output:\n%s%s", o.code, o.stdout, o.stderr)
			}
		})
	}
}

// TestTrace looks at the trace of [2LS Fig. 4]: m, n, row, col and the place.
func TestTrace(t *testing.T) {
	o := invoke(t, "check", "--property", "valid-deref", example+"matrix_to_vector.c")
	for _, want := range []string{"matrix_to_vector.c:23", "m = ", "n = ", "row = ", "col = ", "index = ", "array[index] = matrix[row][col];", "replayed: interpreter"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("%q is missing in:\n%s", want, o.stdout)
		}
	}
}

// TestLog: the log has a line for each engine that began, and one with how it ended, in
// the order of time.
func TestLog(t *testing.T) {
	for _, limit := range []string{"--memory=2GiB", "--quiet"} {
		file := filepath.Join(t.TempDir(), "events.jsonl")
		o := invoke(t, "check", "--log", file, limit, "--property", "valid-deref", example+"off_by_one.c")
		if o.code != exitFalse {
			t.Fatalf("%+v", o)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var last int64
		events := map[string]string{}
		for line := range strings.Lines(string(text)) {
			var e struct {
				Nanoseconds         int64
				Engine, Event, Text string
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.Engine == "" || e.Nanoseconds < last {
				t.Fatalf("%v in %s", err, line)
			}
			last = e.Nanoseconds
			events[e.Engine] += e.Event + " "
		}
		if events["bmc"] != "began answered " {
			t.Errorf("%s: %v", limit, events)
		}
	}
	if o := invoke(t, "check", "--log", t.TempDir(), example+"off_by_one.c"); o.code != exitInput || !strings.Contains(o.stderr, "writing the log") {
		t.Errorf("a log that cannot be written: %+v", o)
	}
}

func TestJSON(t *testing.T) {
	o := invoke(t, "check", "--json", "--property", "valid-deref", example+"off_by_one.c")
	var got struct {
		Result    string
		Violation struct{ Position struct{ Line int } }
		Trace     []struct{ Kind, Variable, Value string }
		Stats     struct{ Depth int }
	}
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, o.stdout)
	}
	if got.Result != "false(valid-deref)" || got.Violation.Position.Line != 15 || len(got.Trace) == 0 || o.code != exitFalse {
		t.Errorf("got %+v", got)
	}
	if last := got.Trace[len(got.Trace)-1]; last.Kind != "violation" {
		t.Errorf("the trace ends with %+v", last)
	}
}

func TestAll(t *testing.T) {
	file := write(t, "f.c", `#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  assert(x != 3);
  assert(x == x);
  assert(x < 5 || x > 2);
  return 0;
}
`)
	o := invoke(t, "check", "--all", file)
	if !strings.Contains(o.stdout, "3 checks: 2 true, 1 false, 0 unknown") || o.last() != "RESULT: false(unreach-call)" {
		t.Errorf("output:\n%s%s", o.stdout, o.stderr)
	}
}

func TestFunction(t *testing.T) {
	file := write(t, "f.c", `int first(const int *values, int n) { return n > 0 ? values[n - 1] : 0; }
`)
	base := []string{"check", "--property", "valid-deref", "--function", "first"}
	if o := invoke(t, append(base, "--array", "first:values=4", file)...); o.last() != "RESULT: false(valid-deref)" {
		t.Errorf("output:\n%s%s", o.stdout, o.stderr)
	}
	if o := invoke(t, append(base, "--array", "first:values=n", "--nullable", "first:values", file)...); o.last() != "RESULT: false(valid-deref)" {
		t.Errorf("values may be null; output:\n%s%s", o.stdout, o.stderr)
	}
	const assumed = "first:values is not null, about which nothing in the program asks"
	if o := invoke(t, append(base, "--array", "first:values=n", file)...); o.last() != "RESULT: true" || !strings.Contains(o.stdout, assumed) {
		t.Errorf("values is not null; output:\n%s%s", o.stdout, o.stderr)
	}
	if o := invoke(t, append(base, "--array", "first:values=n", "--nonnull", file)...); o.last() != "RESULT: true" {
		t.Errorf("output:\n%s%s", o.stdout, o.stderr)
	}
	const usual = "needs a precondition: with arguments as a person would pass them (--nonnull), valid-deref is proved: values points to n elements of int"
	if o := invoke(t, append(base, file)...); o.last() != "RESULT: false(valid-deref)" || !strings.Contains(o.stdout, usual) {
		t.Errorf("the answer does not say that usual arguments do not lead there:\n%s%s", o.stdout, o.stderr)
	}
	if o := invoke(t, "check", "--property", "div-by-zero", "--function", "twice", write(t, "g.c", "int twice(int *a) { return 2 / *a; }")); o.last() != "RESULT: false(div-by-zero)" || strings.Contains(o.stdout, "needs a precondition") {
		t.Errorf("usual arguments lead there:\n%s%s", o.stdout, o.stderr)
	}
	if o := invoke(t, append(base, "-D", "x", file)...); !strings.Contains(o.stdout, "assumption") {
		t.Errorf("the assumptions are missing in:\n%s%s", o.stdout, o.stderr)
	}
}

// TestArguments describes what pointer parameters point to.
func TestArguments(t *testing.T) {
	file := write(t, "f.c", `#include <stddef.h>
size_t length(const char *text) {
  const char *p = text;
  while (*p)
    p++;
  return p - text;
}
long twice(long *a, const long *b) {
  *a = 1;
  long old = *b;
  *a = 2;
  return 1 / (*b == old);
}
extern void reach_error(void);
void isNull(char *text) { if (!text) reach_error(); }
`)
	for _, test := range []struct{ property, arguments, want string }{
		{"valid-deref", "--function length --string length:text", "RESULT: true"},
		{"valid-deref", "--function length --string length:text --nullable length:text", "RESULT: false(valid-deref)"},
		{"valid-deref", "--function length --string length:text --nonnull length:text", "RESULT: true"},
		{"valid-deref", "--function length --string length:text --nonnull all", "RESULT: true"},
		{"valid-deref", "--function length --nonnull=length:text --array length:text=0", "RESULT: false(valid-deref)"},
		{"termination", "--function length --nonnull --string length:text", "RESULT: true"},
		{"unreach-call", "--function isNull --string isNull:text", "RESULT: false(unreach-call)"},
		{"unreach-call", "--function isNull --array isNull:text=2", "RESULT: false(unreach-call)"},
		{"unreach-call", "--function isNull --array isNull:text=2 --nonnull isNull:text", "RESULT: true"},
		{"unreach-call", "--function isNull --nonnull isNull:text", "RESULT: true"},
		{"valid-deref", "--function length --array length:text=3", "RESULT: false(valid-deref)"},
		{"div-by-zero", "--function twice --nonnull --array twice:a=1 --array twice:b=1", "RESULT: true"},
		{"div-by-zero", "--function twice --nonnull --array twice:b=1 --alias twice:a=b", "RESULT: false(div-by-zero)"},
	} {
		args := append([]string{"check", "--property", test.property}, strings.Fields(test.arguments)...)
		if o := invoke(t, append(args, file)...); o.last() != test.want {
			t.Errorf("%s: want %s, output:\n%s%s", test.arguments, test.want, o.stdout, o.stderr)
		}
	}
	for _, test := range []struct{ arguments, want string }{
		{"--string length:txt", "the argument length:txt is no pointer parameter"},
		{"--string len:text", "the argument len:text is not one of the function length"},
		{"--array length:text=n", "n, which is no integer parameter"},
		{"--nonnull length:txt", "the argument length:txt is no pointer parameter"},
		{"--nonnull len:text", "the argument len:text is not one of the function length"},
		{"--nonnull=text", "write function:parameter"},
		{"--alias length:text=text", "text, which is no other pointer parameter"},
		{"--string length:text --array length:text=3", "described before"},
	} {
		args := append([]string{"check", "--function", "length"}, strings.Fields(test.arguments)...)
		if o := invoke(t, append(args, file)...); o.code != 3 || !strings.Contains(o.stderr, test.want) {
			t.Errorf("%s: want exit code 3 and %q, not %d and:\n%s", test.arguments, test.want, o.code, o.stderr)
		}
	}
}

// TestBuiltinAssume: what __builtin_assume and its kin promise is undefined behaviour where
// it does not hold. It is listed, and runs without it are preferred.
func TestBuiltinAssume(t *testing.T) {
	file := write(t, "f.c", `extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  char c[64];
  WHAT
  return 0;
}
`)
	const passes, excluded = "the run passes through undefined behaviour", "undefined behaviour that was not excluded"
	for _, test := range []struct{ what, result, listed string }{
		{"__builtin_assume(x > 0); if (x < 0) reach_error();", "false(unreach-call)", passes},
		{"if (x == 3) { __builtin_assume(0); reach_error(); }", "false(unreach-call)", passes},
		{"__builtin_assume(x > 0); if (x < 9) reach_error();", "false(unreach-call)", ""},
		{"__attribute__((assume(x > 0))); if (x == -5) reach_error();", "false(unreach-call)", passes},
		{"char *p = __builtin_assume_aligned(c + 1, 16); if (p != c + 1) reach_error();", "true", excluded},
		{"__builtin_assume(x > 0); if (x > 0 && x < 0) reach_error();", "true", excluded},
		{"if (x > 0) { __builtin_assume(x != 0); if (x < 0) reach_error(); }", "true", ""},
	} {
		o := invoke(t, "check", "-D", "WHAT="+test.what, file)
		listed := strings.Contains(o.stdout, passes) || strings.Contains(o.stdout, excluded)
		if o.last() != "RESULT: "+test.result || !strings.Contains(o.stdout, test.listed) || listed != (test.listed != "") {
			t.Errorf("%s: want %s, %q; output:\n%s%s", test.what, test.result, test.listed, o.stdout, o.stderr)
		}
	}
}

// TestHeader has assay.h, which programs include without having it.
func TestHeader(t *testing.T) {
	header := invoke(t, "header")
	if header.code != 0 || !strings.Contains(header.stdout, "#define assay_string(s)") {
		t.Errorf("exit code %d, output:\n%s%s", header.code, header.stdout, header.stderr)
	}
	file := write(t, "h.c", `#include <assay.h>
int main(void) {
  int *a, n = assay_int();
  assay_assume(n > 3);
  assay_array(a, n);
  a[3] = 1;
  assay_assert(a[3] == n - LEAST);
}
`)
	for least, want := range map[string]string{"(n - 1)": "RESULT: true", "4": "RESULT: false(unreach-call)"} {
		if o := invoke(t, "check", "-D", "LEAST="+least, "--replay", "native", file); o.last() != want {
			t.Errorf("want %s, output:\n%s%s", want, o.stdout, o.stderr)
		}
	}
	own := write(t, "assay.h", "#define mine 1\n")
	user := write(t, "own.c", "#include <assay.h>\nint main(void) { return 1 / mine; }\n")
	if o := invoke(t, "check", "--property", "div-by-zero", "-I", filepath.Dir(own), user); o.last() != "RESULT: true" {
		t.Errorf("a header of the program's own: output:\n%s%s", o.stdout, o.stderr)
	}
}

func TestSpecification(t *testing.T) {
	prp := write(t, "p.prp", "CHECK( init(main()), LTL(G ! overflow) )\n")
	if o := invoke(t, "check", "--spec", prp, example+"midpoint.c"); o.last() != "RESULT: false(no-overflow)" {
		t.Errorf("output:\n%s%s", o.stdout, o.stderr)
	}
}

// TestBadInput: one message, the documented exit code, no stack trace.
func TestBadInput(t *testing.T) {
	good := example + "wrap.c"
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"no file", []string{"check"}, "no input file"},
		{"missing file", []string{"check", "/no/such/file.c"}, "/no/such/file.c"},
		{"unknown command", []string{"prove", good}, "unknown command"},
		{"unknown flag", []string{"check", "--wat", good}, "unknown flag: --wat"},
		{"misspelt flag", []string{"check", "--propery", "valid-deref", good}, "unknown flag: --propery; did you mean --property?"},
		{"unknown property", []string{"check", "--property", "valid-dref", good}, `did you mean "valid-deref"?`},
		{"unknown solver", []string{"check", "--solver", "minisat", good}, "cadical, z3, both"},
		{"bad time", []string{"check", "--timeout", "soon", good}, "10s or 2m"},
		{"bad size", []string{"check", "--memory", "lots", good}, "2GiB"},
		{"bad array", []string{"check", "--function", "main", "--array", "x", good}, "function:parameter=N"},
		{"bad string", []string{"check", "--function", "main", "--string", "f:p=3", good}, "function:parameter, for example"},
		{"string without function", []string{"check", "--string", "f:p", good}, "use --array, --string, --alias, --nonnull and --harness together with --function"},
		{"graph to nowhere", []string{"graph", "-o", "g.jpg", good}, "none of the suffixes .html"},
		{"bad property file", []string{"check", "--spec", write(t, "p.prp", "\nCHECK(x)\n"), good}, "p.prp:2: not a property"},
		{"missing property file", []string{"check", "--spec", "/no/such.prp", good}, "/no/such.prp"},
		{"does not compile", []string{"check", write(t, "bad.c", "int main(void) {\n  return x;\n}\n")}, "bad.c:2:10: error: use of undeclared identifier 'x'"},
		{"no main", []string{"check", write(t, "lib.c", "int f(void) { return 1; }\n")}, "main"},
		{"unknown function", []string{"check", "--function", "nope", good}, "nope"},
		{"truncated bitcode", []string{"check", write(t, "t.bc", "BC\xc0\xde5\x14")}, "t.bc"},
		{"broken assembly", []string{"check", write(t, "t.ll", "define i32 @main( {\n")}, "t.ll"},
		{"unknown kind of file", []string{"check", write(t, "t.txt", "hello")}, "t.txt"},
		{"bench without table", []string{"bench"}, "a table of tasks is needed"},
		{"bench with missing table", []string{"bench", "/no/tasks.csv"}, "/no/tasks.csv"},
		{"bench with a broken definition", []string{"bench", write(t, "t.yml", "input_files: x.c\n")}, "t.yml:1: the key format_version is missing"},
		{"bench resumes nothing", []string{"bench", "x.csv", "--resume"}, "--resume needs --out"},
		{"bench with a wrong factor", []string{"bench", "x.csv", "--scale=cbmc"}, "write tool=factor"},
		{"bench compares one file", []string{"bench", "compare", "x.csv"}, "two files of results are needed"},
		{"bench compares no results", []string{"bench", "compare", write(t, "r.csv", "id\n"), "x.csv"}, `r.csv:1: the column "expected" is missing`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := invoke(t, test.args...)
			if o.code != exitInput || !strings.Contains(o.stderr, test.want) {
				t.Errorf("exit code %d, want %q in:\n%s", o.code, test.want, o.stderr)
			}
			if strings.Contains(o.stderr, "goroutine ") || o.stdout != "" {
				t.Errorf("a stack trace, or output:\n%s%s", o.stdout, o.stderr)
			}
		})
	}
}

// TestInterrupt: Ctrl-C ends with unknown and what is known.
// TestRepeatedProperty: each use of --property adds to the question.
func TestRepeatedProperty(t *testing.T) {
	file := write(t, "f.c", "int a[2];\nint __VERIFIER_nondet_int(void);\nint main(void) { int i = __VERIFIER_nondet_int(); return i == 5 ? a[i] : 10 / (i - 7); }\n")
	for _, args := range [][]string{{"--property", "div-by-zero", "--property", "valid-deref"}, {"--property", "valid-deref", "--property", "div-by-zero"}} {
		o := invoke(t, append(append([]string{"check", "--all"}, args...), file)...)
		if !strings.Contains(o.stdout, "2 checks: 0 true, 2 false, 0 unknown") {
			t.Errorf("%v: code %d\n%s%s", args, o.code, o.stdout, o.stderr)
		}
	}
}

func TestInterrupt(t *testing.T) {
	for _, extra := range [][]string{nil, {"--memory=4GiB"}} {
		cmd, stdout, stderr := command(t.Context(), append(append([]string{"check"}, extra...), example+"forever.c")...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond)
		start := time.Now()
		// A terminal sends the signal to the whole group.
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		o := finish(t, cmd, stdout, stderr)
		if o.code != exitUnknown || o.last() != "RESULT: unknown" || !strings.Contains(o.stdout, "interrupted") || time.Since(start) > 8*time.Second {
			t.Errorf("%v: exit code %d after %s, output:\n%s%s", extra, o.code, time.Since(start), o.stdout, o.stderr)
		}
		if !strings.Contains(o.stdout, "no violation") {
			t.Errorf("what is known is missing in:\n%s", o.stdout)
		}
	}
}

// TestCrashIsNoUnknown: what ends a Go process from within has the exit code 2 by default.
func TestCrashIsNoUnknown(t *testing.T) {
	cmd, stdout, stderr := command(t.Context(), "check", "--timeout=60", example+"forever.c")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)             // it must have begun
	_ = cmd.Process.Signal(syscall.SIGQUIT) // the run-time's own end
	if o := finish(t, cmd, stdout, stderr); o.signal != syscall.SIGABRT {
		t.Errorf("ended by %v with exit code %d, want SIGABRT", o.signal, o.code)
	}
}

// TestMemoryLimit: running out of memory is an unknown with that reason.
func TestMemoryLimit(t *testing.T) {
	file := write(t, "big.c", `#include <assert.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
unsigned long a[64];
int main(void) {
  unsigned long h = 1;
  for (unsigned i = 0; __VERIFIER_nondet_ulong(); i++) {
    unsigned long x = __VERIFIER_nondet_ulong();
    h = h * 31 + a[x % 64] * x;
    a[h % 64] ^= x / (h | 1);
  }
  assert(h != 7 || a[3] != 99);
  return 0;
}
`)
	o := invoke(t, "check", "--memory=300MB", "--timeout=100", file)
	if o.code == exitFalse {
		t.Skip("the search was too fast for this test")
	}
	if o.code != exitUnknown || !strings.Contains(o.stdout, "memory") || o.last() != "RESULT: unknown" {
		t.Errorf("exit code %d, output:\n%s%s", o.code, o.stdout, o.stderr)
	}
	if strings.Contains(o.stderr, "goroutine ") {
		t.Errorf("a stack trace:\n%s", o.stderr)
	}
}

func TestHelpAndVersion(t *testing.T) {
	o := invoke(t, "check", "--help")
	for _, want := range []string{"Properties:", "valid-memtrack", "The question:", "The search:", "Limits:", "--array f:p=N", "RESULT: true", "Examples:"} {
		if o.code != 0 || !strings.Contains(o.stdout, want) {
			t.Errorf("%q is missing in:\n%s%s", want, o.stdout, o.stderr)
		}
	}
	if o := invoke(t, "version"); o.code != 0 || !strings.HasPrefix(o.stdout, "assay ") {
		t.Errorf("got %+v", o)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if o := invoke(t, "completion", shell); o.code != 0 || !strings.Contains(o.stdout, "assay") {
			t.Errorf("%s: got %+v", shell, o)
		}
	}
}

// TestNativeReplay: the compiled program confirms the counterexample.
func TestNativeReplay(t *testing.T) {
	for file, property := range map[string]string{"wrap.c": "unreach-call", "matrix_to_vector.c": "valid-deref", "midpoint.c": "no-overflow"} {
		o := invoke(t, "check", "--replay=native", "--property", property, example+file)
		if !strings.Contains(o.stdout, "replayed: interpreter, native") || o.code != exitFalse {
			t.Errorf("%s: output:\n%s%s", file, o.stdout, o.stderr)
		}
	}
}
