package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTree: the picture of a proof has a box for each part of the formula.
func TestTree(t *testing.T) {
	folder := t.TempDir()
	for name, contains := range map[string][]string{
		"t.dot": {"digraph", "AF(AP(p &lt; 0))", "<b>AP(p &lt; 0)</b>", "the formula is true", "rank ("},
		"t.svg": {"<?xml", "AF(AP(p &lt; 0))"},
		"t.png": {"\x89PNG"},
	} {
		file := filepath.Join(folder, name)
		o := invoke(t, "check", "--semantics=integers", "--timeout=100", "--ctl", "AF(p < 0)", "--tree", file, write(t, "program.c", ctlCubes))
		if o.code != exitTrue {
			t.Fatalf("code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range contains {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
	for _, arguments := range [][]string{
		{"check", "--semantics=integers", "--ctl", "AF(p < 0)", "--tree", "t.gif", write(t, "program.c", ctlCubes)},
		{"check", "--tree", "t.svg", write(t, "program.c", ctlCubes)},
		{"solve", "--tree", "t.svg", write(t, "a.t2", "")},
	} {
		if o := invoke(t, arguments...); o.code != exitInput || !strings.Contains(o.stderr, "--tree") {
			t.Errorf("%v: code %d\n%s", arguments, o.code, o.stderr)
		}
	}
}

func TestWrapped(t *testing.T) {
	long := strings.Repeat("x", 300)
	for text, want := range map[string]string{
		"short":            "short",
		long:               long,
		"  " + long + " y": "  " + long + " y",
		strings.Repeat("a", 60) + " && " + strings.Repeat("b", 60): strings.Repeat("a", 60) + "\n  && " + strings.Repeat("b", 60),
	} {
		if got := wrapped(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
