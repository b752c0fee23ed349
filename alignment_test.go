package assay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAlignment: with CheckAlignment a misaligned access is invalid, one of a
// packed structure is not.
func TestAlignment(t *testing.T) {
	for _, c := range []struct {
		name, body string
		check      bool
		want       Answer
	}{
		{"odd offset", "char *b = malloc(16); *(int *)(b + 5) = 1; free(b);", true, False},
		{"odd offset, not asked", "char *b = malloc(16); *(int *)(b + 5) = 1; free(b);", false, True},
		{"aligned offset", "char *b = malloc(16); *(int *)(b + 8) = 1; free(b);", true, True},
		{"char array", "static char b[8]; int *p = (int *)(b + 1); *p = 1;", true, False},
		{"packed", "struct __attribute__((packed)) { char c; int x; } s[2]; s[1].x = 1;", true, True},
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		if err := os.WriteFile(file, []byte("#include <stdlib.h>\nint main(void) {\n  "+c.body+"\n  return 0;\n}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Properties: []Property{ValidDeref}, Timeout: time.Minute, Program: Program{CheckAlignment: c.check}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != c.want {
			t.Errorf("%s: %s, want %v; %v", c.name, r.Line(), c.want, r.Reasons)
		}
	}
}
