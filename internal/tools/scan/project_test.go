package scan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/program/frontend"
)

// TestHeaders: headers in an include folder beside the one that is scanned are found; of one that a build makes the message names the template.
func TestHeaders(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"include/pile/pile.h":    "int pile(void);\n",
		"src/pile.c":             "#include \"pile/pile.h\"\nint pile(void) { return 1; }\n",
		"src/other.c":            "#include <pile_config.h>\nint other(void) { return 1; }\n",
		"cmake/pile_config.h.in": "#define N @N@\n",
		"src/pile_config.h.in":   "#define N @N@\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := findProject(&Options{Paths: []string{filepath.Join(folder, "src")}})
	if err != nil {
		t.Fatal(err)
	}
	for k := range p.sources {
		s := &p.sources[k]
		_, err := p.compile(t.Context(), s, frontend.Options{})
		switch filepath.Base(s.File) {
		case "pile.c":
			if err != nil {
				t.Errorf("pile.c: %v", err)
			}
		case "other.c":
			if err == nil || !strings.Contains(err.Error(), "makes pile_config.h of pile_config.h.in") {
				t.Errorf("other.c: %v", err)
			}
		}
	}
}
