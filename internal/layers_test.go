// Package internal_test checks rules that hold across packages: who may import
// whom, and that every cited paper is in docs/references.md.
package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// everywhere are packages without imports that every package may import.
var everywhere = []string{"internal/components", "internal/memo", "internal/pause", "internal/schedule"}

// allowed is the table of layers: for each package of the module, the packages
// of the module that it may import, tests excepted. "" is the root package.
// A new package needs a line here and a paragraph in docs/architecture.md.
var allowed = map[string][]string{
	// Mathematics: no idea that programs or solvers exist.
	"internal/bv":         {},
	"internal/bitwise":    {},
	"internal/linear":     {},
	"internal/polynomial": {},
	"internal/components": {},
	"internal/polyhedra":  {"internal/linear"},
	// Temporal logic: formulas and automata, no idea of programs.
	"internal/ltl":         {},
	"internal/ltl/ltltest": {"internal/ltl"},
	"internal/buchi":       {"internal/ltl"},
	"internal/buchi/hoa":   {"internal/ltl", "internal/buchi"},
	"internal/translation": {"internal/ltl", "internal/buchi"},
	"internal/tableau":     {"internal/ltl"},
	"internal/inclusion":   {"internal/ltl", "internal/buchi", "internal/tableau"},
	"internal/ctl":         {},
	// Runs: engines side by side.
	"internal/memo":     {},
	"internal/pause":    {},
	"internal/schedule": {},
	// Programs.
	"internal/ir":        {"internal/bv"},
	"internal/ir/interp": {"internal/bv", "internal/ir"},
	"internal/inline":    {"internal/bv", "internal/ir"},
	"internal/reducible": {"internal/bv", "internal/ir"},
	"internal/ir/irtest": {"internal/bv", "internal/ir"},
	"internal/invariant": {"internal/bv", "internal/ir", "internal/term"},
	"internal/verdict":   {"internal/bv", "internal/ir", "internal/ir/interp", "internal/invariant", "internal/symgraph"},
	"internal/symgraph":  {"internal/ir", "internal/its", "internal/linear"},
	// Terms and solvers: no idea of programs.
	"internal/term":            {"internal/bv"},
	"internal/floats":          {"internal/bv", "internal/term"},
	"internal/sat":             {},
	"internal/sat/cadical":     {"internal/sat"},
	"internal/smt":             {"internal/bv", "internal/term"},
	"internal/smt/bitblast":    {"internal/bv", "internal/term", "internal/smt", "internal/sat", "internal/sat/cadical"},
	"internal/smt/z3":          {"internal/bv", "internal/term", "internal/smt"},
	"internal/smt/intblast":    {"internal/term", "internal/smt/z3"},
	"internal/smt/algebra":     {"internal/bv", "internal/term", "internal/smt", "internal/polynomial"},
	"internal/floats/ondemand": {"internal/bv", "internal/term", "internal/absdomain", "internal/floats", "internal/smt"},
	"internal/smt/both":        {"internal/bv", "internal/term", "internal/smt"},
	// From C to ir.
	"internal/llvm":     {"internal/bv"},
	"internal/frontend": {"internal/bv", "internal/ir", "internal/llvm", "internal/process", "internal/target"},
	// From ir to terms.
	"internal/memory": {"internal/bv", "internal/ir", "internal/term"},
	"internal/encode": {"internal/bv", "internal/ir", "internal/term", "internal/memory"},
	"internal/ssa":    {"internal/bv", "internal/ir", "internal/term", "internal/memory", "internal/encode", "internal/verdict"},
	// Abstract interpretation.
	"internal/absdomain": {"internal/bv", "internal/term"},
	"internal/absint":    {"internal/absdomain", "internal/ir", "internal/term"},
	// Integer transition systems.
	"internal/its":              {"internal/linear"},
	"internal/bound":            {"internal/linear", "internal/its"},
	"internal/complexity":       {"internal/bound", "internal/linear", "internal/polyhedra", "internal/its", "internal/forward", "internal/ranking"},
	"internal/forward":          {"internal/linear", "internal/polyhedra", "internal/its"},
	"internal/integer":          {"internal/linear", "internal/smt", "internal/smt/z3"},
	"internal/rewrite":          {"internal/bitwise", "internal/process"},
	"internal/region":           {"internal/its", "internal/linear", "internal/polyhedra"},
	"internal/branching":        {"internal/ctl", "internal/its", "internal/polyhedra", "internal/region"},
	"internal/branchcheck":      {"internal/branching", "internal/ctl", "internal/integer", "internal/its", "internal/itscheck", "internal/linear", "internal/polyhedra", "internal/region", "internal/smt"},
	"internal/branching/search": {"internal/branching", "internal/ctl", "internal/forward", "internal/integer", "internal/its", "internal/linear", "internal/polyhedra", "internal/ranking", "internal/region", "internal/smt"},
	"internal/itscheck":         {"internal/bound", "internal/linear", "internal/its", "internal/smt/z3"},
	"internal/ranking":          {"internal/linear", "internal/polyhedra", "internal/its", "internal/forward"},
	"internal/refutation":       {"internal/linear", "internal/polyhedra", "internal/its", "internal/forward", "internal/integer", "internal/smt"},
	"internal/termination":      {"internal/its", "internal/ranking", "internal/refutation"},
	"internal/integerize":       {"internal/bv", "internal/linear", "internal/ir", "internal/absdomain", "internal/absint", "internal/invariant", "internal/verdict", "internal/its"},
	"internal/product":          {"internal/bv", "internal/inline", "internal/ir", "internal/ltl", "internal/buchi"},
	"internal/branching/observation": {
		"internal/absint", "internal/branching", "internal/ctl", "internal/integerize", "internal/ir", "internal/its", "internal/linear", "internal/region",
	},
	// Evidence.
	"internal/certify": {
		"internal/bv", "internal/ir", "internal/ir/interp", "internal/term", "internal/floats", "internal/floats/ondemand", "internal/smt", "internal/smt/algebra", "internal/smt/bitblast", "internal/smt/intblast", "internal/smt/z3",
		"internal/memory", "internal/encode", "internal/invariant", "internal/recursion", "internal/verdict",
	},
	"internal/certify/graph": {"internal/bv", "internal/ir", "internal/linear", "internal/its", "internal/itscheck", "internal/symgraph", "internal/smt/z3"},
	"internal/accept": {
		"internal/bound", "internal/branchcheck", "internal/branching", "internal/certify", "internal/certify/graph", "internal/ctl", "internal/its", "internal/itscheck", "internal/ts", "internal/ts/inductive", "internal/verdict",
		"internal/ltl", "internal/buchi", "internal/inclusion", "internal/tableau",
	},
	// Engines.
	"internal/inspect": {
		"internal/inference", "internal/invariant", "internal/ir", "internal/picture", "internal/show", "internal/ssa", "internal/symex", "internal/term",
		"internal/transition", "internal/ts/program", "internal/verdict",
	},
	"internal/picture": {"internal/ir", "internal/linear", "internal/symgraph", "internal/process", "internal/show"},
	"internal/symex":   {"internal/bv", "internal/ir", "internal/linear", "internal/polyhedra", "internal/its", "internal/symgraph"},
	"internal/bmc": {
		"internal/bv", "internal/ir", "internal/ir/interp", "internal/term", "internal/floats/ondemand", "internal/smt", "internal/smt/bitblast",
		"internal/smt/z3", "internal/smt/both", "internal/memory", "internal/ssa", "internal/verdict",
	},
	"internal/lasso":     {"internal/bv", "internal/ir", "internal/ir/interp", "internal/verdict"},
	"internal/recurrent": {"internal/bv", "internal/ir", "internal/ir/interp", "internal/verdict"},
	"internal/heap":      {"internal/bv", "internal/ir"},
	"internal/cut":       {"internal/bv", "internal/invariant", "internal/ir"},
	"internal/inference": {
		"internal/cut",
		"internal/bv", "internal/ir", "internal/ir/interp", "internal/memory", "internal/absdomain", "internal/absint", "internal/invariant", "internal/term", "internal/encode", "internal/floats/ondemand", "internal/smt", "internal/polynomial",
		"internal/smt/algebra", "internal/smt/bitblast", "internal/ssa", "internal/verdict",
	},
	"internal/induction":    {"internal/cut", "internal/inference", "internal/invariant", "internal/ir", "internal/verdict"},
	"internal/acceleration": {"internal/bv", "internal/ir", "internal/ir/interp", "internal/verdict"},
	"internal/trial":        {"internal/bv", "internal/ir", "internal/ir/interp", "internal/verdict"},
	"internal/recursion":    {"internal/bv", "internal/ir"},
	"internal/skeleton":     {"internal/absint", "internal/bv", "internal/ir"},
	"internal/precondition": {"internal/bv", "internal/ir"},
	"internal/bitranking": {
		"internal/bv", "internal/ir", "internal/ir/interp", "internal/absint", "internal/cut", "internal/inference", "internal/invariant", "internal/linear", "internal/recursion",
		"internal/smt", "internal/term", "internal/verdict",
	},
	// Transition systems and their engines: no idea of programs.
	"internal/ts":           {"internal/bv", "internal/term", "internal/sat", "internal/smt/bitblast"},
	"internal/ts/aiger":     {"internal/bv", "internal/term", "internal/sat", "internal/ts"},
	"internal/ts/btor2":     {"internal/bv", "internal/term", "internal/ts"},
	"internal/ts/chc":       {"internal/bv", "internal/term", "internal/ts"},
	"internal/ts/dimspec":   {"internal/term", "internal/sat", "internal/ts"},
	"internal/ts/reduce":    {"internal/sat", "internal/sat/cadical", "internal/ts"},
	"internal/ts/inductive": {"internal/bv", "internal/term", "internal/smt", "internal/smt/bitblast", "internal/smt/z3", "internal/ts"},
	"internal/ic3":          {"internal/sat", "internal/ts", "internal/ic3/cdcl"},
	"internal/ic3/cdcl":     {},
	"internal/incremental":  {"internal/sat", "internal/sat/cadical", "internal/ts"},
	"internal/simulation":   {"internal/sat", "internal/ts"},
	"internal/spacer":       {"internal/smt/z3", "internal/ts", "internal/ts/chc"},
	"internal/liveness":     {"internal/bv", "internal/term", "internal/ts"},
	"internal/solve": {
		"internal/sat", "internal/ts", "internal/ts/aiger", "internal/ts/btor2", "internal/ts/chc", "internal/ts/dimspec", "internal/ts/reduce",
		"internal/ic3", "internal/incremental", "internal/liveness", "internal/simulation", "internal/spacer", "internal/term",
	},
	// Programs as transition systems.
	"internal/ts/program": {
		"internal/bv", "internal/inline", "internal/ir", "internal/term", "internal/floats", "internal/smt", "internal/smt/bitblast", "internal/memory", "internal/ssa",
		"internal/invariant", "internal/verdict", "internal/ts",
	},
	"internal/transition": {
		"internal/ir", "internal/invariant", "internal/ir/interp", "internal/verdict", "internal/ts", "internal/ts/program", "internal/ic3", "internal/solve",
	},
	// Tests across packages: programs run in several ways. Package placement is an oracle, and
	// shares nothing with what it is compared to.
	"internal/placement": {"internal/bv", "internal/ir"},
	"internal/differential": {
		"internal/bv", "internal/ir", "internal/ir/interp", "internal/frontend", "internal/bmc", "internal/accept", "internal/verdict", "internal/process", "internal/target",
	},
	// All engines together.
	"internal/conductor": {
		"internal/bv", "internal/ir", "internal/its", "internal/invariant", "internal/verdict", "internal/absint", "internal/accept",
		"internal/acceleration", "internal/bitranking", "internal/bmc", "internal/cut", "internal/heap", "internal/induction", "internal/inference", "internal/integerize", "internal/lasso", "internal/precondition", "internal/reducible",
		"internal/recurrent", "internal/recursion", "internal/skeleton", "internal/solve", "internal/symex", "internal/termination", "internal/transition", "internal/trial",
		"internal/ir/interp", "internal/ltl", "internal/product", "internal/translation",
	},
	"internal/formula": {"internal/conductor", "internal/frontend", "internal/ltl", "internal/product"},
	// What a person sees.
	"internal/show": {"internal/bv", "internal/ir", "internal/ir/interp", "internal/invariant", "internal/verdict"},
	"": {"internal/conductor", "internal/formula", "internal/ltl", "internal/ir", "internal/frontend", "internal/its", "internal/native", "internal/verdict", "internal/inspect",
		"internal/picture", "internal/propfile", "internal/show", "internal/spell"},
	"internal/report":   {""},
	"internal/native":   {"internal/frontend", "internal/ir", "internal/process", "internal/show", "internal/target", "internal/verdict"},
	"internal/target":   {},
	"internal/propfile": {},
	"internal/spell":    {},
	"internal/process":  {},
	"internal/bench":    {"internal/process"},
	"internal/corpus":   {},
	"cmd/assay": {
		"", "internal/accept", "internal/solve", "internal/ic3", "internal/ts", "internal/its", "internal/termination", "internal/report", "internal/bench", "internal/bound", "internal/complexity",
		"internal/process", "internal/frontend", "internal/ltl", "internal/buchi", "internal/buchi/hoa", "internal/translation",
		"internal/branching", "internal/branching/observation", "internal/branching/search", "internal/ctl", "internal/integerize", "internal/region", "internal/rewrite", "internal/target",
	},
}

// cgo lists the only packages that may import "C".
var cgo = []string{"internal/llvm", "internal/sat/cadical", "internal/smt/z3"}

// sources calls f with every Go file of the module, parsed with comments.
func sources(t *testing.T, f func(pkg, path string, file *ast.File)) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != ".." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel("..", filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		f(filepath.ToSlash(pkg), path, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	sources(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || file.Name.Name == "main" && pkg != "cmd/assay" {
			return
		}
		if _, ok := allowed[pkg]; !ok && !seen[pkg] {
			t.Errorf("package %q has no line in the table of layers", pkg)
		}
		seen[pkg] = true
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if imported == "C" && !slices.Contains(cgo, pkg) {
				t.Errorf("%s uses cgo", path)
			}
			if imported != "assay" && !strings.HasPrefix(imported, "assay/") {
				continue
			}
			short := strings.TrimPrefix(strings.TrimPrefix(imported, "assay"), "/")
			if !slices.Contains(allowed[pkg], short) && !slices.Contains(everywhere, short) {
				t.Errorf("%s imports %s, which the table of layers does not allow", path, imported)
			}
		}
	})
	for pkg := range allowed {
		if !seen[pkg] {
			t.Errorf("the table of layers has a line for %q, which does not exist", pkg)
		}
	}
}

// TestTableIsAcyclic keeps the table itself honest.
func TestTableIsAcyclic(t *testing.T) {
	state := map[string]int{}
	var visit func(p string)
	visit = func(p string) {
		if state[p] == 1 {
			t.Errorf("the table of layers has a cycle through %q", p)
		}
		if state[p] != 0 {
			return
		}
		state[p] = 1
		for _, q := range allowed[p] {
			visit(q)
		}
		state[p] = 2
	}
	for _, p := range slices.Sorted(maps.Keys(allowed)) {
		visit(p)
	}
}

// citation is a bracket whose first word looks like a key: one of the papers
// that assay implements, or names and a year.
var citation = regexp.MustCompile(`\[((?:2LS|LLUMC|AProVE-BV|AProVE-Ptr|Liu|IEEE754|SMT-LIB)|[A-Z][A-Za-z]+[0-9]{2}[a-z]?)(?:[ ,][^\]]*)?\]`)

// definition is the first cell of a line of docs/references.md.
var definition = regexp.MustCompile(`(?m)^\| \[([^\]]+)\] \|`)

func TestCitationsResolve(t *testing.T) {
	text, err := os.ReadFile("../docs/references.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range definition.FindAllStringSubmatch(string(text), -1) {
		known[m[1]] = true
	}
	if len(known) == 0 {
		t.Fatal("docs/references.md defines no key")
	}
	sources(t, func(_, path string, file *ast.File) {
		for _, group := range file.Comments {
			for _, m := range citation.FindAllStringSubmatch(group.Text(), -1) {
				if !known[m[1]] {
					t.Errorf("%s cites [%s], which docs/references.md does not have", path, m[1])
				}
			}
		}
	})
}
