package internal_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This file holds rules of the code that no compiler knows, each with the reason.

// goroutines are the files that start some, and why a panic in them does no harm: one
// that nobody recovers ends the process with the exit code of "unknown".
var goroutines = map[string]string{
	"../internal/run/schedule/schedule.go":   "recovers, and hands the panic to its caller",
	"../internal/run/schedule/ration.go":     "waits for timers",
	"../check.go":                            "boundary recovers",
	"../cmd/assay/solve.go":                  "looks at the memory, ten times a second",
	"../cmd/assay/limits.go":                 "waits for signals and timers",
	"../cmd/assay/child.go":                  "reads lines of JSON",
	"../cmd/assay/bench.go":                  "waits for signals",
	"../internal/program/frontend/served.go": "reads a pipe",
	"../internal/run/process/process.go":     "waits for a process",
	"../internal/run/tracing/tracing.go":     "waits for a timer",
}

// TestGoroutines: engines run in package schedule; nothing else that may have a bug runs
// in a goroutine of its own.
func TestGoroutines(t *testing.T) {
	sources(t, func(_, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || goroutines[path] != "" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts a goroutine: who recovers its panic?", path)
			}
			return true
		})
	})
}

// TestOnlyAcceptAsksCheckers: claims become answers in one place, which knows who found
// them. (A claim that does not say which solver found it is a panic there.)
func TestOnlyAcceptAsksCheckers(t *testing.T) {
	for pkg, imports := range allowed {
		if strings.HasPrefix(pkg, "internal/certify") {
			continue
		}
		for _, x := range imports {
			if x != "internal/certify/accept" && strings.HasPrefix(x, "internal/certify") {
				t.Errorf("%s may import %s: it must go through internal/certify/accept", pkg, x)
			}
		}
	}
}

// TestRootIsTheAPI: tasks, properties, results and Check are in the root package, and no
// engine.
func TestRootIsTheAPI(t *testing.T) {
	lines := 0
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err != nil {
			t.Fatal(err)
		} else if !strings.HasSuffix(f, "_test.go") {
			lines += strings.Count(string(text), "\n")
		}
	}
	if lines == 0 || lines > 1500 {
		t.Errorf("the root package has %d lines", lines)
	}
	for _, x := range allowed[""] {
		if g := group(x); g >= group("internal/models") && g <= group("internal/certify") {
			t.Errorf("the root package may import %s", x)
		}
	}
}

// TestTimeIsWork: limits of time of engines, solvers and checkers go through package work, so that they can be limits
// of work (--deterministic).
func TestTimeIsWork(t *testing.T) {
	sources(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || pkg == "internal/run/work" || group(pkg) > group("internal/conductor") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "WithTimeout") {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "context" {
					t.Errorf("%s limits time: work.%s", path, s.Sel.Name)
				}
			}
			return true
		})
	})
}
