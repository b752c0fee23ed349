package frontend

import (
	"assay/internal/ir"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"
)

func TestZ(t *testing.T) {
	var files []string
	for _, d := range strings.Fields(os.Getenv("DIRS")) {
		for _, pat := range []string{"*.c", "*.i"} {
			m, _ := filepath.Glob("/work/shared/bench/programs/" + d + "/" + pat)
			files = append(files, m...)
		}
	}
	ok := 0
	uns := map[string]int{}
	undef := 0
	unknown := map[string]int{}
	var total time.Duration
	for _, f := range files {
		o := Options{Files: []string{f}}
		if os.Getenv("M32") != "" {
			o.DataModel = ILP32
		}
		if y, err := os.ReadFile(strings.TrimSuffix(strings.TrimSuffix(f, ".c"), ".i") + ".yml"); err == nil && strings.Contains(string(y), "ILP32") {
			o.DataModel = ILP32
		}
		t0 := time.Now()
		p, err := Load(t.Context(), o)
		total += time.Since(t0)
		if d := time.Since(t0); d > 300*time.Millisecond {
			fmt.Println("SLOW", f, d)
		}
		if err != nil {
			var ie *InputError
			s := err.Error()
			if errors.As(err, &ie) && len(ie.Diagnostics) > 0 {
				for _, d := range ie.Diagnostics {
					if d.Severity == "error" {
						s = d.String()
						break
					}
				}
			}
			fmt.Println("ERR", f, s)
			continue
		}
		ok++
		for _, fn := range p.Module.Funcs {
			for _, d := range fn.Values {
				if d.Op == ir.Unsupported {
					uns[d.Sym]++
					if os.Getenv("V") != "" {
						fmt.Println("UNS", f, d.Sym)
					}
				}
				if d.Op == ir.Nondet && d.Aux == int64(ir.NondetUndef) {
					undef++
					fmt.Println("UNDEF", f, fn.Name, p.Module.PosString(d.Pos))
				}
			}
		}
		for _, n := range p.Notes {
			if n.Kind == NoteUnknownFunction {
				unknown[n.Name]++
			}
		}
	}
	fmt.Println(ok, "of", len(files), "undef", undef, "avg", total/time.Duration(max(1, len(files))))
	for s, n := range uns {
		fmt.Println("  unsupported", n, s)
	}
	var names []string
	for s, n := range unknown {
		names = append(names, fmt.Sprintf("%s:%d", s, n))
	}
	sort.Strings(names)
	fmt.Println("  unknown", names)
}
