package internal_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// This file holds rules of the code that no compiler knows, each with the reason.

// goroutines are the files that start some, and why a panic in them does no harm: one
// that nobody recovers ends the process with the exit code of "unknown".
var goroutines = map[string]string{
	"../internal/schedule/schedule.go": "recovers, and hands the panic to its caller",
	"../check.go":                      "boundary recovers",
	"../cmd/assay/solve.go":            "looks at the memory, ten times a second",
	"../cmd/assay/limits.go":           "waits for signals and timers",
	"../cmd/assay/child.go":            "reads lines of JSON",
	"../cmd/assay/bench.go":            "waits for signals",
	"../internal/process/process.go":   "waits for a process",
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

// TestCertificatesNameTheirSolver: who asks for a check says which solver found the
// claim, so that the other one is asked.
func TestCertificatesNameTheirSolver(t *testing.T) {
	found := 0
	sources(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(pkg, "internal/certify") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			typ, ok := lit.Type.(*ast.SelectorExpr)
			if !ok || typ.Sel.Name != "Options" {
				return true
			}
			if of, ok := typ.X.(*ast.Ident); !ok || of.Name != "certify" {
				return true
			}
			found++
			if !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					return false
				}
				key, ok := kv.Key.(*ast.Ident)
				return ok && key.Name == "Engine"
			}) {
				t.Errorf("%s makes certify.Options without Engine", path)
			}
			return true
		})
	})
	if found == 0 {
		t.Error("nobody makes certify.Options")
	}
}
