// Package smt_test has the tests that every solver must pass, and those that
// compare solvers with each other.
package smt_test

import (
	"assay/internal/logic/floats"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/smt/checked"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

// solverKind is a solver under test.
type solverKind struct {
	name       string
	make       func(*term.Store) smt.Solver
	exhaustive uint32 // largest width of the exhaustive tests
	widest     uint32 // largest width of the random tests
	slowness   int    // random tests are made fewer by this factor
	anyCore    bool   // cores are not reduced
}

var solvers = []solverKind{
	{"bitblast", func(s *term.Store) smt.Solver { return bitblast.New(s, bitblast.Options{Lower: floats.Lower}) }, 4, 128, 1, false},
	{"checked", func(s *term.Store) smt.Solver { return checked.New(s) }, 4, 128, 2, true},
	{"z3", func(s *term.Store) smt.Solver { return z3.New(s, z3.Options{}) }, 3, 32, 4, false},
	{"z3-oneshot", func(s *term.Store) smt.Solver { return z3.New(s, z3.Options{OneShot: true}) }, 1, 16, 10, true},
}
