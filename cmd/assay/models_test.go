package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestModels(t *testing.T) {
	o := invoke(t, "models")
	for _, want := range []string{"stdio.h\n", "qsort", "over-approximated", "non-local jumps are not modelled"} {
		if o.code != exitTrue || !strings.Contains(o.stdout, want) {
			t.Errorf("code %d, no %q in\n%s", o.code, want, o.stdout)
		}
	}
	for line := range strings.Lines(o.stdout) {
		if len(line) > 101 {
			t.Errorf("a long line: %s", line)
		}
	}
	o = invoke(t, "models", "--json", "qsort", "longjmp")
	var found []string
	for line := range strings.Lines(o.stdout) {
		var f struct{ Name, Header, Fidelity, Note string }
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		found = append(found, f.Name+" "+f.Header+" "+f.Fidelity)
	}
	if got := strings.Join(found, "; "); got != "qsort stdlib.h contract; longjmp setjmp.h unsupported" {
		t.Error(got)
	}
	if o := invoke(t, "models", "nosuch"); o.code != exitInput || !strings.Contains(o.stderr, "nosuch is not modelled") {
		t.Errorf("code %d: %s", o.code, o.stderr)
	}
}

func TestUserModels(t *testing.T) {
	program := write(t, "main.c", "#include <assert.h>\nint device(void);\nint main(void) { assert(device() < 8); return 0; }\n")
	model := write(t, "device.c", "#include \"assay_model.h\"\nint device(void) { return __assay_nondet_int(\"device\") & 7; }\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"check", program}, exitFalse, "RESULT: false(unreach-call)"},
		{[]string{"check", "--models", filepath.Dir(model), program}, exitTrue, "RESULT: true"},
	} {
		if o := invoke(t, c.args...); o.code != c.code || o.last() != c.want {
			t.Errorf("%v: code %d, %s%s", c.args, o.code, o.stdout, o.stderr)
		}
	}
}
