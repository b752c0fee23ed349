package assay

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNodes has what a list of any length holds proved, and that no access of it is
// invalid; the programs beside it have a bug.
func TestNodes(t *testing.T) {
	for _, c := range []struct {
		file   string
		engine Engine
		want   Answer
	}{
		{"ones", Engine{Only: EngineInduction}, True},
		{"ones_bug", Engine{}, False},
		{"ones_end", Engine{}, False},
	} {
		file := filepath.Join("examples", "heap", c.file+".c")
		task := Task{Files: []string{file}, Properties: []Property{UnreachCall, ValidDeref}, Timeout: 5 * time.Minute, Engine: c.engine}
		r, err := Check(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != c.want {
			t.Errorf("%s: %s, want %v; %v", file, r.Line(), c.want, r.Reasons)
			continue
		}
		if c.want == True {
			text := ""
			for _, h := range r.Certificate.Invariants {
				text += strings.Join(h.Predicates, "\n") + "\n"
			}
			if !strings.Contains(text, "for all k with 1 <= k < ") {
				t.Errorf("%s: the invariants are\n%s", file, text)
			}
		}
	}
}
