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
var everywhere = []string{"internal/logic/components", "internal/run/lazyregexp", "internal/run/memo", "internal/run/pause", "internal/run/schedule", "internal/run/work"}

// groups are the folders of internal, and what is above them, bottom up: a package imports
// packages of its own group and of those before it.
var groups = []string{
	"internal/logic", "internal/temporal", "internal/run", "internal/program", "internal/integers", "internal/finite", "internal/evidence",
	"internal/models", "internal/transform", "internal/engines", "internal/certify", "internal/conductor", "internal/user", "", "internal/tools", "internal/tests", "cmd",
}

// group is the place of a package in that order, -1 if it is in none.
func group(pkg string) int {
	return slices.IndexFunc(groups, func(g string) bool { return pkg == g || g != "" && strings.HasPrefix(pkg, g+"/") })
}

// allowed is the table of layers: for each package of the module, the packages
// of the module that it may import, tests excepted. "" is the root package.
// A new package needs a line here and one in docs/architecture.md.
var allowed = map[string][]string{
	// Logic: numbers, terms, solvers. No idea of programs.
	"internal/logic/absdomain":   {"internal/logic/bv", "internal/logic/term"},
	"internal/logic/bitwise":     {},
	"internal/logic/bv":          {},
	"internal/logic/components":  {},
	"internal/logic/conjunction": {"internal/logic/linear", "internal/logic/smt", "internal/logic/smt/z3"},
	"internal/logic/floats":      {"internal/logic/term"},
	"internal/logic/floats/ondemand": {
		"internal/logic/absdomain", "internal/logic/bv", "internal/logic/floats", "internal/logic/smt", "internal/logic/term",
	},
	"internal/logic/linear":              {},
	"internal/logic/polyhedra":           {"internal/logic/linear"},
	"internal/logic/polynomial":          {},
	"internal/logic/polynomial/rational": {"internal/logic/linear", "internal/logic/polynomial"},
	"internal/logic/sat":                 {},
	"internal/logic/sat/cadical":         {},
	"internal/logic/sat/clausal":         {},
	"internal/logic/smt":                 {"internal/logic/bv", "internal/logic/term"},
	"internal/logic/smt/algebra":         {"internal/logic/bv", "internal/logic/polynomial", "internal/logic/smt", "internal/logic/term"},
	"internal/logic/smt/bitblast": {
		"internal/logic/bv", "internal/logic/sat", "internal/logic/sat/cadical", "internal/logic/smt", "internal/logic/term",
	},
	"internal/logic/smt/both": {"internal/logic/bv", "internal/logic/smt", "internal/logic/term"},
	"internal/logic/smt/checked": {
		"internal/logic/bv", "internal/logic/sat/cadical", "internal/logic/sat/clausal", "internal/logic/smt", "internal/logic/term",
	},
	"internal/logic/smt/intblast": {"internal/logic/smt/z3", "internal/logic/term"},
	"internal/logic/smt/z3":       {"internal/logic/bv", "internal/logic/smt", "internal/logic/term"},
	"internal/logic/term":         {"internal/logic/bv"},
	// Temporal logic: formulas and automata. No idea of programs.
	"internal/temporal/buchi":       {"internal/temporal/ltl"},
	"internal/temporal/buchi/hoa":   {"internal/temporal/buchi", "internal/temporal/ltl"},
	"internal/temporal/ctl":         {},
	"internal/temporal/inclusion":   {"internal/temporal/buchi", "internal/temporal/ltl", "internal/temporal/tableau"},
	"internal/temporal/ltl":         {},
	"internal/temporal/ltl/ltltest": {"internal/temporal/ltl"},
	"internal/temporal/tableau":     {"internal/temporal/ltl"},
	"internal/temporal/translation": {"internal/temporal/buchi", "internal/temporal/ltl"},
	// Running: engines side by side, processes. No idea of what they do.
	"internal/run/lazyregexp": {},
	"internal/run/memo":       {},
	"internal/run/pause":      {},
	"internal/run/process":    {},
	"internal/run/schedule":   {},
	"internal/run/tracing":    {},
	"internal/run/work":       {},
	// Programs: how they come in, and what they mean.
	"internal/program/binary/image":    {},
	"internal/program/binary/lift":     {"internal/program/binary/image", "internal/program/binary/x86"},
	"internal/program/binary/producer": {},
	"internal/program/binary/x86":      {},
	"internal/program/contract":        {"internal/logic/bv", "internal/program/cprover", "internal/program/ir"},
	"internal/program/cprover":         {},
	"internal/program/frontend": {
		"internal/logic/bv",
		"internal/run/process",
		"internal/program/binary/image", "internal/program/binary/lift",
		"internal/program/contract", "internal/program/cprover", "internal/program/initialised",
		"internal/program/harness", "internal/program/ir", "internal/program/llvm", "internal/program/stackusage", "internal/program/syntax", "internal/program/target",
	},
	"internal/program/harness":     {"internal/program/llvm"},
	"internal/program/initialised": {"internal/logic/bv", "internal/program/ir"},
	"internal/program/inline":      {"internal/logic/bv", "internal/program/ir"},
	"internal/program/ir":          {"internal/logic/bv"},
	"internal/program/ir/interp":   {"internal/logic/bv", "internal/program/ir"},
	"internal/program/ir/irtest":   {"internal/logic/bv", "internal/program/ir"},
	"internal/program/llvm":        {"internal/logic/bv"},
	"internal/program/stackusage":  {"internal/logic/components", "internal/run/process", "internal/program/ir", "internal/program/target"},
	"internal/program/syntax":      {"internal/run/process"},
	"internal/program/target":      {},
	// Integer transition systems, and the engines for them.
	"internal/integers/bound":     {"internal/logic/linear", "internal/logic/polynomial/rational", "internal/integers/its"},
	"internal/integers/branching": {"internal/logic/linear", "internal/logic/polyhedra", "internal/temporal/ctl", "internal/integers/its", "internal/integers/region"},
	"internal/integers/branching/search": {
		"internal/logic/conjunction", "internal/logic/linear", "internal/logic/polyhedra", "internal/logic/smt",
		"internal/temporal/ctl",
		"internal/integers/branching", "internal/integers/forward", "internal/integers/its", "internal/integers/ranking", "internal/integers/region", "internal/integers/walk",
	},
	"internal/integers/complexity": {
		"internal/logic/conjunction", "internal/logic/linear", "internal/logic/polyhedra", "internal/logic/polynomial/rational", "internal/logic/smt",
		"internal/integers/bound", "internal/integers/forward", "internal/integers/its", "internal/integers/ranking",
	},
	"internal/integers/equations": {
		"internal/logic/conjunction", "internal/logic/linear", "internal/logic/polyhedra", "internal/logic/polynomial", "internal/logic/polynomial/rational", "internal/logic/smt",
		"internal/integers/forward", "internal/integers/its", "internal/integers/walk",
	},
	"internal/integers/forward": {"internal/logic/linear", "internal/logic/polyhedra", "internal/integers/its"},
	"internal/integers/its":     {"internal/logic/linear"},
	"internal/integers/ranking": {"internal/logic/linear", "internal/logic/polyhedra", "internal/logic/polynomial/rational", "internal/integers/forward", "internal/integers/its"},
	"internal/integers/refutation": {
		"internal/logic/conjunction", "internal/logic/linear", "internal/logic/polyhedra", "internal/logic/smt",
		"internal/integers/forward", "internal/integers/its",
	},
	"internal/integers/region":      {"internal/logic/linear", "internal/logic/polyhedra", "internal/integers/its"},
	"internal/integers/termination": {"internal/integers/its", "internal/integers/ranking", "internal/integers/refutation"},
	"internal/integers/walk":        {"internal/logic/linear", "internal/integers/its"},
	// Finite transition systems: formats, and the engines for them.
	"internal/finite/ic3":         {"internal/logic/sat", "internal/finite/ic3/cdcl", "internal/finite/ts"},
	"internal/finite/ic3/cdcl":    {},
	"internal/finite/incremental": {"internal/logic/sat", "internal/logic/sat/cadical", "internal/finite/ts"},
	"internal/finite/liveness":    {"internal/logic/bv", "internal/logic/term", "internal/finite/ts"},
	"internal/finite/simulation":  {"internal/logic/sat", "internal/finite/ts"},
	"internal/finite/solve": {
		"internal/logic/sat", "internal/logic/term",
		"internal/finite/ic3", "internal/finite/incremental", "internal/finite/liveness", "internal/finite/simulation", "internal/finite/spacer", "internal/finite/ts", "internal/finite/ts/aiger", "internal/finite/ts/btor2", "internal/finite/ts/chc", "internal/finite/ts/dimspec", "internal/finite/ts/reduce",
	},
	"internal/finite/spacer":     {"internal/logic/smt/z3", "internal/finite/ts", "internal/finite/ts/chc"},
	"internal/finite/ts":         {"internal/logic/bv", "internal/logic/sat", "internal/logic/smt/bitblast", "internal/logic/term"},
	"internal/finite/ts/aiger":   {"internal/logic/bv", "internal/logic/sat", "internal/logic/term", "internal/finite/ts"},
	"internal/finite/ts/btor2":   {"internal/logic/bv", "internal/logic/term", "internal/finite/ts"},
	"internal/finite/ts/chc":     {"internal/logic/bv", "internal/logic/term", "internal/finite/ts"},
	"internal/finite/ts/dimspec": {"internal/logic/sat", "internal/logic/term", "internal/finite/ts"},
	"internal/finite/ts/reduce":  {"internal/logic/sat", "internal/logic/sat/cadical", "internal/finite/ts"},
	// Evidence: what an answer rests on, as data.
	"internal/evidence/invariant": {"internal/logic/bv", "internal/logic/term", "internal/program/ir"},
	"internal/evidence/symgraph":  {"internal/logic/linear", "internal/program/ir", "internal/integers/its"},
	"internal/evidence/verdict": {
		"internal/logic/bv",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/invariant", "internal/evidence/symgraph",
	},
	// Models: ways to look at a program.
	"internal/models/absint": {"internal/logic/absdomain", "internal/logic/term", "internal/program/ir"},
	"internal/models/encode": {"internal/logic/bv", "internal/logic/term", "internal/program/ir"},
	"internal/models/integerize": {
		"internal/logic/bitwise", "internal/logic/bv", "internal/logic/linear",
		"internal/program/ir",
		"internal/integers/its",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/absint",
	},
	"internal/models/memory": {"internal/logic/bv", "internal/logic/term", "internal/program/ir"},
	"internal/models/observation": {
		"internal/logic/linear",
		"internal/temporal/ctl",
		"internal/program/ir",
		"internal/integers/branching", "internal/integers/its", "internal/integers/region",
		"internal/models/absint", "internal/models/integerize",
	},
	"internal/models/replay": {
		"internal/logic/bv", "internal/logic/term",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/verdict",
		"internal/models/memory", "internal/models/ssa",
	},
	"internal/models/ssa": {
		"internal/logic/term",
		"internal/program/ir",
		"internal/evidence/verdict",
		"internal/models/encode", "internal/models/memory",
	},
	// Programs made of programs.
	"internal/transform":              {"internal/program/ir", "internal/evidence/verdict"},
	"internal/transform/arbitrary":    {"internal/program/ir", "internal/transform"},
	"internal/transform/cut":          {"internal/program/ir", "internal/evidence/invariant"},
	"internal/transform/flat":         {"internal/logic/bv", "internal/program/inline", "internal/program/ir", "internal/transform"},
	"internal/transform/heap":         {"internal/program/ir", "internal/transform"},
	"internal/transform/precondition": {"internal/logic/bv", "internal/program/ir", "internal/transform"},
	"internal/transform/product": {
		"internal/logic/bv",
		"internal/temporal/buchi", "internal/temporal/ltl",
		"internal/program/inline", "internal/program/ir",
		"internal/transform",
	},
	"internal/transform/product/producttest": {
		"internal/temporal/buchi", "internal/temporal/ltl", "internal/temporal/ltl/ltltest",
		"internal/program/ir",
	},
	"internal/transform/recursion": {"internal/logic/bv", "internal/program/ir", "internal/transform"},
	"internal/transform/reducible": {"internal/logic/bv", "internal/program/ir", "internal/transform"},
	"internal/transform/slice":     {"internal/program/ir", "internal/evidence/verdict", "internal/models/absint", "internal/transform"},
	"internal/transform/skeleton": {
		"internal/logic/bv",
		"internal/program/ir",
		"internal/evidence/verdict",
		"internal/models/absint",
		"internal/transform",
	},
	// Engines for programs. None knows another.
	"internal/engines/abstract": {
		"internal/program/ir",
		"internal/evidence/verdict",
		"internal/models/absint",
		"internal/transform/cut",
		"internal/engines/guess",
	},
	"internal/engines/acceleration": {
		"internal/logic/bv",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/verdict",
		"internal/transform",
	},
	"internal/engines/bitranking": {
		"internal/logic/bv", "internal/logic/linear", "internal/logic/smt", "internal/logic/term",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/absint",
		"internal/transform/cut", "internal/transform/recursion",
		"internal/engines/guess", "internal/engines/inference",
	},
	"internal/engines/bmc": {
		"internal/logic/bv", "internal/logic/floats/ondemand", "internal/logic/smt", "internal/logic/smt/bitblast", "internal/logic/smt/both", "internal/logic/smt/z3", "internal/logic/term",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/verdict",
		"internal/models/memory", "internal/models/replay", "internal/models/ssa",
	},
	"internal/engines/guess": {
		"internal/logic/absdomain", "internal/logic/bv", "internal/logic/term",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/absint", "internal/models/encode",
		"internal/transform/cut",
	},
	"internal/engines/induction": {
		"internal/program/ir",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/transform/cut",
		"internal/engines/inference",
	},
	"internal/engines/inference": {
		"internal/logic/bv", "internal/logic/floats/ondemand", "internal/logic/polynomial", "internal/logic/smt", "internal/logic/smt/algebra", "internal/logic/smt/bitblast", "internal/logic/term",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/absint", "internal/models/memory", "internal/models/ssa",
		"internal/transform/cut",
		"internal/engines/guess",
	},
	"internal/engines/lasso": {"internal/logic/bv", "internal/program/ir", "internal/program/ir/interp", "internal/evidence/verdict"},
	"internal/engines/pathwise": {
		"internal/logic/absdomain", "internal/logic/bv", "internal/logic/floats/ondemand", "internal/logic/smt", "internal/logic/smt/bitblast", "internal/logic/term",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/verdict",
		"internal/models/memory", "internal/models/replay", "internal/models/ssa",
	},
	"internal/engines/recurrent": {
		"internal/logic/bv",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/verdict",
		"internal/transform/arbitrary",
	},
	"internal/engines/symex": {
		"internal/logic/linear", "internal/logic/polyhedra",
		"internal/program/ir",
		"internal/integers/its",
		"internal/evidence/symgraph",
	},
	"internal/engines/transition": {
		"internal/program/ir", "internal/program/ir/interp",
		"internal/finite/ic3", "internal/finite/solve", "internal/finite/ts",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/engines/transition/program",
	},
	"internal/engines/transition/program": {
		"internal/logic/bv", "internal/logic/floats", "internal/logic/smt", "internal/logic/smt/bitblast", "internal/logic/term",
		"internal/program/inline", "internal/program/ir",
		"internal/finite/ts",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/memory", "internal/models/ssa",
	},
	"internal/engines/trial": {"internal/logic/bv", "internal/program/ir", "internal/program/ir/interp", "internal/evidence/verdict"},
	// Checkers of evidence; accept is the only one who calls them.
	"internal/certify": {
		"internal/logic/absdomain", "internal/logic/bv", "internal/logic/floats", "internal/logic/floats/ondemand", "internal/logic/smt", "internal/logic/smt/algebra", "internal/logic/smt/bitblast", "internal/logic/smt/checked", "internal/logic/smt/intblast", "internal/logic/smt/z3", "internal/logic/term",
		"internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/encode", "internal/models/memory",
		"internal/transform/recursion",
		"internal/certify/ranges",
	},
	"internal/certify/ranges": {"internal/logic/term"},
	"internal/certify/accept": {
		"internal/logic/linear", "internal/logic/polynomial/rational",
		"internal/temporal/buchi", "internal/temporal/ctl", "internal/temporal/inclusion", "internal/temporal/ltl", "internal/temporal/tableau",
		"internal/integers/bound", "internal/integers/branching", "internal/integers/equations", "internal/integers/its",
		"internal/finite/ts",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/certify", "internal/certify/branchcheck", "internal/certify/graph", "internal/certify/inductive", "internal/certify/itscheck",
	},
	"internal/certify/branchcheck": {
		"internal/logic/conjunction", "internal/logic/linear", "internal/logic/polyhedra", "internal/logic/smt",
		"internal/temporal/ctl",
		"internal/integers/branching", "internal/integers/its", "internal/integers/region",
		"internal/certify/itscheck",
	},
	"internal/certify/graph": {
		"internal/logic/linear", "internal/logic/smt/z3",
		"internal/program/ir",
		"internal/evidence/symgraph",
		"internal/certify/itscheck",
	},
	"internal/certify/inductive": {
		"internal/logic/bv", "internal/logic/smt", "internal/logic/smt/bitblast", "internal/logic/smt/z3", "internal/logic/term",
		"internal/finite/ts",
	},
	"internal/certify/itscheck": {
		"internal/logic/linear", "internal/logic/polynomial/rational", "internal/logic/smt/z3",
		"internal/integers/bound", "internal/integers/equations", "internal/integers/its",
	},
	// The table of engines.
	"internal/conductor": {
		"internal/logic/bv",
		"internal/temporal/ltl", "internal/temporal/translation",
		"internal/program/ir", "internal/program/ir/interp", "internal/program/stackusage",
		"internal/integers/equations", "internal/integers/its", "internal/integers/termination",
		"internal/finite/solve",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/absint", "internal/models/integerize",
		"internal/transform", "internal/transform/arbitrary", "internal/transform/cut", "internal/transform/flat", "internal/transform/heap", "internal/transform/precondition", "internal/transform/product", "internal/transform/recursion", "internal/transform/reducible", "internal/transform/skeleton", "internal/transform/slice",
		"internal/engines/abstract", "internal/engines/acceleration", "internal/engines/bitranking", "internal/engines/bmc", "internal/engines/guess", "internal/engines/induction", "internal/engines/inference", "internal/engines/lasso", "internal/engines/pathwise", "internal/engines/recurrent", "internal/engines/symex", "internal/engines/transition", "internal/engines/trial",
		"internal/certify/accept",
	},
	// What a person writes and reads.
	"internal/user/contracts": {
		"internal/evidence/verdict", "internal/program/frontend", "internal/program/ir",
		"internal/conductor", "internal/user/show",
	},
	"internal/user/formula": {"internal/temporal/ltl", "internal/program/frontend", "internal/transform/product", "internal/conductor", "internal/user/propfile", "internal/user/property"},
	"internal/user/measure": {"internal/logic/bv", "internal/program/ir", "internal/program/ir/interp"},
	"internal/user/inspect": {
		"internal/logic/term",
		"internal/program/ir",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/models/ssa",
		"internal/engines/inference", "internal/engines/symex", "internal/engines/transition", "internal/engines/transition/program",
		"internal/user/picture", "internal/user/show",
	},
	"internal/user/native": {
		"internal/run/process", "internal/run/tracing",
		"internal/program/binary/image", "internal/program/binary/lift", "internal/program/frontend", "internal/program/ir", "internal/program/ir/interp", "internal/program/target",
		"internal/evidence/verdict",
		"internal/user/show",
	},
	"internal/user/picture": {
		"internal/logic/linear",
		"internal/run/process",
		"internal/program/ir",
		"internal/evidence/symgraph",
		"internal/user/show",
	},
	"internal/user/propfile": {},
	"internal/user/proofs":   {},
	"internal/user/property": {"internal/program/ir", "internal/user/propfile", "internal/user/spell"},
	"internal/user/show": {
		"internal/logic/bv", "internal/logic/term",
		"internal/temporal/ltl",
		"internal/program/frontend", "internal/program/harness", "internal/program/initialised", "internal/program/ir", "internal/program/ir/interp",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/transform/precondition",
		"internal/conductor",
	},
	"internal/user/validate": {
		"internal/logic/bv",
		"internal/program/frontend", "internal/program/ir", "internal/program/ir/interp", "internal/program/syntax", "internal/program/target",
		"internal/evidence/verdict",
		"internal/conductor",
		"internal/user/property", "internal/user/show", "internal/user/witness",
	},
	"internal/user/version": {},
	"internal/user/witness": {},
	"internal/user/witness/export": {
		"internal/logic/bv",
		"internal/program/frontend", "internal/program/ir", "internal/program/ir/interp", "internal/program/syntax", "internal/program/target",
		"internal/evidence/invariant", "internal/evidence/verdict",
		"internal/conductor",
		"internal/user/show", "internal/user/witness",
	},
	"internal/user/spell": {},
	// The API.
	"": {
		"internal/temporal/ltl",
		"internal/program/frontend", "internal/program/harness", "internal/program/ir", "internal/program/target",
		"internal/integers/its",
		"internal/evidence/verdict",
		"internal/conductor",
		"internal/user/contracts", "internal/user/formula", "internal/user/inspect", "internal/user/native", "internal/user/picture", "internal/user/propfile", "internal/user/property", "internal/user/show", "internal/user/validate", "internal/user/version", "internal/user/witness/export",
	},
	// Tools beside the verifier.
	"internal/tools/bench":      {"internal/run/process", "internal/program/frontend"},
	"internal/tools/report":     {""},
	"internal/tools/validation": {"internal/run/process", "internal/program/binary/image", "internal/program/binary/producer", ""},
	"internal/tools/sarif":      {"internal/user/property", "", "internal/tools/report"},
	"internal/tools/webpage":    {"internal/user/property", "", "internal/tools/report", "internal/tools/scan"},
	"internal/tools/scan": {
		"internal/run/lazyregexp", "internal/run/process", "internal/program/frontend", "internal/program/harness", "internal/user/property", "internal/user/show", "internal/user/spell",
		"", "internal/tools/report",
	},
	"internal/tools/rewrite": {
		"internal/logic/bitwise", "internal/logic/linear", "internal/logic/polynomial/rational",
		"internal/run/process",
		"internal/program/frontend", "internal/program/ir",
		"internal/integers/equations", "internal/integers/its",
		"internal/models/absint", "internal/models/integerize",
		"internal/certify/accept",
	},
	// Tests across packages. Package placement is an oracle, and shares nothing with what it is compared to.
	"internal/tests/corpus": {},
	"internal/tests/differential": {
		"internal/logic/bv",
		"internal/run/process",
		"internal/program/frontend", "internal/program/ir", "internal/program/ir/interp", "internal/program/target",
		"internal/evidence/verdict",
		"internal/engines/bmc",
		"internal/certify/accept",
	},
	"internal/tests/witnesses": {},
	"internal/tests/placement": {"internal/logic/bv", "internal/program/ir"},
	// The command line.
	"cmd/assay": {
		"internal/logic/linear",
		"internal/temporal/buchi", "internal/temporal/buchi/hoa", "internal/temporal/ctl", "internal/temporal/ltl", "internal/temporal/translation",
		"internal/run/process",
		"internal/program/binary/lift", "internal/program/frontend", "internal/program/ir", "internal/program/target",
		"internal/integers/bound", "internal/integers/branching", "internal/integers/branching/search", "internal/integers/complexity", "internal/integers/equations", "internal/integers/its", "internal/integers/region", "internal/integers/termination",
		"internal/finite/ic3", "internal/finite/solve", "internal/finite/ts",
		"internal/models/integerize", "internal/models/observation",
		"internal/certify/accept",
		"internal/user/measure", "internal/user/proofs", "internal/user/propfile", "internal/user/show", "internal/user/spell", "internal/user/validate",
		"",
		"internal/tools/bench", "internal/tools/report", "internal/tools/rewrite", "internal/tools/scan", "internal/tools/sarif", "internal/tools/validation", "internal/tools/webpage",
	},
}

// cgo lists the only packages that may import "C".
var cgo = []string{"internal/program/llvm", "internal/logic/sat/cadical", "internal/logic/smt/z3"}

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

// TestGroupsGoOneWay: the folders of internal are layers.
func TestGroupsGoOneWay(t *testing.T) {
	for pkg, imports := range allowed {
		if group(pkg) < 0 {
			t.Errorf("package %q is in no group", pkg)
		}
		for _, x := range imports {
			if group(x) > group(pkg) {
				t.Errorf("%q is below %q, and may import it", pkg, x)
			}
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
