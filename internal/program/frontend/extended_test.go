package frontend

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

var extendedPairs = flag.Int("extended", 100_000, "random operands of long double to compare with the processor")

// TestExtended compares the arithmetic of long double with the processor's, on special and random operands; nothing in it is
// undefined behaviour.
func TestExtended(t *testing.T) {
	clang, err := clangPath()
	if err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "extended")
	build := exec.Command(clang, "-O1", "-std=gnu17", "-ffp-contract=off", "-fno-strict-aliasing",
		"-fsanitize=shift,signed-integer-overflow,integer-divide-by-zero", "-fsanitize-trap=all", "-o", program, "testdata/extended.c", "-lm")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := exec.Command(program, strconv.Itoa(*extendedPairs)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Logf("%s", text)
}
