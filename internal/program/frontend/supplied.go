package frontend

import (
	"os"

	"assay/internal/run/lazyregexp"
)

// This file supplies what the header "assert.h" of collections of verification tasks (SV-COMP's loop programs, and what
// was made of them) defines beside the functions __VERIFIER_…: LARGE_INT, the bound of inputs. A program that was taken out
// of its collection includes the library's assert.h in its place, and does not compile. It is supplied to programs that
// include "assert.h", with quotes, and of which clang says that the name is undeclared: all others are what they were. As the
// value is not the program's own, a note says that it is assumed.

// Bound is LARGE_INT as a flag for clang.
const Bound = "-D" + boundName + "=1000000"

const boundName = "LARGE_INT"

var (
	undeclaredBound = lazyregexp.New(`error: use of undeclared identifier '` + boundName + `'`)
	quotedAssert    = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include[ \t]*"assert\.h"`)
)

// wantsBound says whether clang's output is about a unit that relies on its collection's header for LARGE_INT.
func wantsBound(u unit, text string) bool {
	if u.model || !undeclaredBound.MatchString(text) {
		return false
	}
	source, err := os.ReadFile(u.path())
	return err == nil && quotedAssert.Match(source)
}

// boundNote is the assumption.
var boundNote = Note{Kind: NoteBound, Name: boundName, Text: `is taken for 1000000, as "assert.h" of collections of verification tasks defines it; the program does not`}
