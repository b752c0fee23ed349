package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestBound: LARGE_INT is supplied, with a note, to programs that include "assert.h" and do not have it, and to no others.
func TestBound(t *testing.T) {
	const use = "extern int __VERIFIER_nondet_int(void);\nint main(void) { int n = __VERIFIER_nondet_int(); return n < LARGE_INT; }\n"
	tests := []struct {
		name, header, source string
		compiles, noted      bool
	}{
		{"missing", "", "#include \"assert.h\"\n" + use, true, true},
		{"library", "", "#include <assert.h>\n" + use, false, false},
		{"own header", "#define LARGE_INT 7\n", "#include \"assert.h\"\n" + use, true, false},
		{"own macro", "", "#include \"assert.h\"\n#define LARGE_INT 7\n" + use, true, false},
		{"own constant", "", "#include \"assert.h\"\nenum { LARGE_INT = 7 };\n" + use, true, false},
		{"other error", "", "#include \"assert.h\"\n" + use + "int f(void) { return SMALL_INT; }\n", false, false},
	}
	for _, x := range tests {
		t.Run(x.name, func(t *testing.T) {
			folder := t.TempDir()
			if x.header != "" {
				if err := os.WriteFile(filepath.Join(folder, "assert.h"), []byte(x.header), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(folder, "f.c")
			if err := os.WriteFile(file, []byte(x.source), 0o644); err != nil {
				t.Fatal(err)
			}
			p, err := Load(t.Context(), Options{Files: []string{file}})
			if (err == nil) != x.compiles {
				t.Fatalf("error %v", err)
			}
			if err == nil && slices.Contains(p.Notes, boundNote) != x.noted {
				t.Errorf("notes %v", p.Notes)
			}
		})
	}
}
