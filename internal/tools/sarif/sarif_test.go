package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"assay"
	"assay/internal/user/property"
)

// schema is that of the standard.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid writes a log and holds it against the schema.
func valid(t *testing.T, s *jsonschema.Schema, l *Log, exit int) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := l.Write(&b, exit); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v in:\n%s", err, b.String())
	}
	return v.(map[string]any)["runs"].([]any)[0].(map[string]any)
}

// at walks down a value: keys of objects, indices of lists.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			list, _ := v.([]any)
			if p < 0 {
				p += len(list)
			}
			if p < 0 || p >= len(list) {
				t.Fatalf("no element %d of %d at %v", p, len(list), path)
			}
			v = list[p]
		}
	}
	return v
}

// findings are ten programs with a violation each: its line, words of the message, a variable in the states of
// the code flow.
var findings = []struct {
	property assay.Property
	line     int
	message  string
	variable string
	source   string
}{
	{assay.UnreachCall, 5, "assertion", "x", "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  assert(x != 7);\n}\n"},
	{assay.NoOverflow, 4, "overflow", "x", "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  return x + 1;\n}\n"},
	{assay.DivByZero, 4, "zero", "d", "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int d = __VERIFIER_nondet_int();\n  return 100 / d;\n}\n"},
	{assay.Shift, 4, "shift", "n", "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n  return 1u << n;\n}\n"},
	{assay.ValidDeref, 5, "invalid", "i", "unsigned __VERIFIER_nondet_uint(void);\nint a[4];\nint main(void) {\n  unsigned i = __VERIFIER_nondet_uint();\n  a[i] = 1;\n}\n"},
	{assay.ValidDeref, 5, "freed", "p", "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4);\n  free(p);\n  return *p;\n}\n"},
	{assay.ValidFree, 5, "free", "p", "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4);\n  free(p);\n  free(p);\n}\n"},
	{assay.ValidMemTrack, 3, "leak", "p", "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4);\n  p = 0;\n  return 0;\n}\n"},
	{assay.Termination, 4, "for ever", "x", "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  while (x != 3) ;\n}\n"},
	{assay.UnreachLabel, 5, "label", "x", "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 3) goto ERROR;\n  return 0; ERROR: return 1;\n}\n"},
}

// check is the result for a source with a name relative to the working directory, as users name files.
func check(t *testing.T, name, source string, ps ...assay.Property) *assay.Result {
	t.Helper()
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := assay.Check(t.Context(), assay.Task{Files: []string{name}, Properties: ps, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTenFindings(t *testing.T) {
	s := schema(t)
	t.Chdir(t.TempDir())
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	prints := map[string]string{}
	for i, f := range findings {
		name := fmt.Sprintf("f%d ä.c", i)
		write := func(source string) (map[string]any, string) {
			r := check(t, name, source, f.property)
			if r.Answer != assay.False {
				t.Fatalf("%s: %s", f.source, r.Line())
			}
			l := New(Options{Arguments: []string{"check", name}, Directory: dir, Begin: time.Now(), End: time.Now()})
			l.Add(t.Context(), r)
			run := valid(t, s, l, 1)
			return run, at(t, run, "results", 0, "partialFingerprints", "assay/v1").(string)
		}
		run, before := write(f.source)
		result := at(t, run, "results", 0)
		id, index := at(t, result, "ruleId").(string), at(t, result, "ruleIndex")
		if n, _ := index.(json.Number).Int64(); id != string(f.property) || at(t, run, "tool", "driver", "rules", int(n), "id") != id {
			t.Errorf("%s: rule %s, index %v", f.property, id, index)
		}
		if m := at(t, result, "message", "text").(string); !strings.Contains(m, f.message) {
			t.Errorf("%s: message %q without %q", f.property, m, f.message)
		}
		physical := at(t, result, "locations", 0, "physicalLocation")
		if at(t, physical, "region", "startLine").(json.Number).String() != fmt.Sprint(f.line) {
			t.Errorf("%s: %v, want line %d", f.property, physical, f.line)
		}
		if at(t, physical, "artifactLocation", "uri") != fmt.Sprintf("f%d%%20%%C3%%A4.c", i) || at(t, physical, "artifactLocation", "uriBaseId") != "%SRCROOT%" {
			t.Errorf("%v", physical)
		}
		steps := at(t, result, "codeFlows", 0, "threadFlows", 0, "locations").([]any)
		if last := at(t, steps, -1, "location", "message", "text").(string); !strings.HasPrefix(last, "violation: ") {
			t.Errorf("%s: the last step is %q", f.property, last)
		}
		seen := false
		for _, x := range steps {
			state, _ := x.(map[string]any)["state"].(map[string]any)
			seen = seen || state[f.variable] != nil
		}
		if !seen {
			t.Errorf("%s: no step with a value of %s: %v", f.property, f.variable, steps)
		}
		if base := at(t, run, "originalUriBaseIds", "%SRCROOT%", "uri"); base != "file://"+filepath.Dir(dir)+"/a%20b/" {
			t.Errorf("base %v", base)
		}
		if other := prints[before]; other != "" {
			t.Errorf("%s and %s have one fingerprint", f.property, other)
		}
		prints[before] = string(f.property)
		if _, after := write("// a line above\n\n" + strings.ReplaceAll(f.source, "\n  ", "\n\t\t")); after != before {
			t.Errorf("%s: the fingerprint depends on lines above or white space: %s, %s", f.property, before, after)
		}
	}
}

// TestEachCheck: with --all each violated check is a finding, with a trace of its own, and equal lines have
// fingerprints of their own.
func TestEachCheck(t *testing.T) {
	s := schema(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("f.c", []byte("int __VERIFIER_nondet_int(void);\nint main(void) {\n  int d = __VERIFIER_nondet_int(), x = 0;\n  x += 100 / d;\n  d = __VERIFIER_nondet_int();\n  x += 100 / d;\n  return x / 5;\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := assay.Check(t.Context(), assay.Task{Files: []string{"f.c"}, Properties: []assay.Property{assay.DivByZero}, Engine: assay.Engine{EachCheck: true}})
	if err != nil {
		t.Fatal(err)
	}
	l := New(Options{})
	l.Add(t.Context(), r)
	results := at(t, valid(t, s, l, 1), "results").([]any)
	if len(results) != 2 {
		t.Fatalf("%d findings: %v", len(results), r.Checks)
	}
	for i, line := range []string{"4", "6"} {
		if at(t, results[i], "locations", 0, "physicalLocation", "region", "startLine").(json.Number).String() != line || at(t, results[i], "codeFlows") == nil {
			t.Errorf("%v", results[i])
		}
	}
	if a, b := at(t, results[0], "partialFingerprints", "assay/v1"), at(t, results[1], "partialFingerprints", "assay/v1"); a == b {
		t.Errorf("equal lines have one fingerprint, %v", a)
	}
}

// TestOthers: proofs, unknown and failures are valid logs without results.
func TestOthers(t *testing.T) {
	s := schema(t)
	t.Chdir(t.TempDir())
	l := New(Options{})
	l.Add(t.Context(), check(t, "f.c", "int main(void) { return 0; }\n"))
	run := valid(t, s, l, 0)
	if results, ok := at(t, run, "results").([]any); !ok || len(results) != 0 || at(t, run, "properties", "result") != "true" {
		t.Errorf("%v", run)
	}
	l = New(Options{})
	l.Add(t.Context(), &assay.Result{Answer: assay.Unknown, Reasons: []assay.Reason{
		{Cause: "unwinding", Text: "the loop goes on", Pos: assay.Position{File: "f.c", Line: 1, Col: 5}, Func: "main", Hint: "a greater --unwind"},
		{Cause: "timeout", Text: "the time limit was reached"},
	}})
	run = valid(t, s, l, 2)
	notes := at(t, run, "invocations", 0, "toolExecutionNotifications").([]any)
	if len(notes) != 2 || at(t, notes, 0, "level") != "warning" || at(t, notes, 0, "locations", 0, "physicalLocation", "region", "startColumn").(json.Number) != "5" ||
		!strings.Contains(at(t, notes, 0, "message", "text").(string), "unwinding: the loop goes on (a greater --unwind)") || at(t, run, "invocations", 0, "executionSuccessful") != true {
		t.Errorf("%v", notes)
	}
	l = New(Options{})
	l.Failed(&assay.InputError{Message: "no such file"}, assay.Position{File: "g.c"})
	run = valid(t, s, l, 3)
	if at(t, run, "invocations", 0, "executionSuccessful") != false || at(t, run, "invocations", 0, "toolExecutionNotifications", 0, "level") != "error" {
		t.Errorf("%v", run)
	}
}

// TestLongFlow: the steps of a code flow are bounded, its first and last ones stay.
func TestLongFlow(t *testing.T) {
	s := schema(t)
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("int main(void) {\n  int x = 0;\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "  x = %d;\n", i)
	}
	b.WriteString("  return 1 / (x - 4999);\n}\n")
	l := New(Options{FullTrace: true})
	l.Add(t.Context(), check(t, "f.c", b.String(), assay.DivByZero))
	flow := at(t, valid(t, s, l, 1), "results", 0, "codeFlows", 0, "threadFlows", 0, "locations").([]any)
	if len(flow) != maxSteps {
		t.Errorf("%d steps", len(flow))
	}
	if first := at(t, flow, 0, "location", "message", "text"); first != "x = 0" {
		t.Errorf("the first step is %v", first)
	}
	if cut := at(t, flow, maxSteps/2, "location", "message", "text").(string); !strings.Contains(cut, "steps are left out") {
		t.Errorf("the step after the gap is %v", cut)
	}
}

// TestEveryPropertyHasARule: what a `false(…)` may name is described.
func TestEveryPropertyHasARule(t *testing.T) {
	for _, i := range property.Table {
		for _, k := range i.Kinds {
			if r := property.RuleOf(property.Violated(k)); r == nil || r.Short == "" || r.Wrong == "" || r.Mend == "" {
				t.Errorf("no rule for %s", property.Violated(k))
			}
		}
	}
	for _, p := range []assay.Property{assay.Termination, assay.LTL} {
		if property.RuleOf(p) == nil {
			t.Errorf("no rule for %s", p)
		}
	}
}
