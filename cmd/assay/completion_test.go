package main

import (
	"slices"
	"strings"
	"testing"
)

// TestCompletion: shells get the values of flags that have a fixed list of them.
func TestCompletion(t *testing.T) {
	for _, x := range []struct{ command, flag, value string }{
		{"check", "--engine", "bmc"}, {"check", "--property", "valid-deref"}, {"check", "--semantics", "wrap"}, {"check", "--replay", "native"},
		{"scan", "--property", "no-overflow"}, {"graph", "--property", "valid-memsafety"}, {"bound", "--cost", "stack"}, {"export", "--to", "btor2"},
		{"solve", "--engine", "ic3"},
	} {
		o := invoke(t, "__complete", x.command, x.flag, "")
		if lines := strings.Split(o.stdout, "\n"); o.code != 0 || !slices.Contains(lines, x.value) {
			t.Errorf("%s %s: code %d, %q, want %s among them", x.command, x.flag, o.code, lines, x.value)
		}
	}
}
