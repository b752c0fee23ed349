package frontend

import (
	"context"
	"slices"

	"assay/internal/program/llvm"
)

// This file repairs declarations like
//
//	extern int __VERIFIER_nondet_int() __attribute__((__noreturn__));
//
// which occur in published tasks: with them clang drops everything after the
// call, and the rest of the program would be "proved". Such sources are compiled
// once more without the attribute; in modules from elsewhere the rest is lost, and
// the call is unsupported.

// withoutNoReturn are arguments of clang, which has to preprocess .i files, too.
var withoutNoReturn = []string{"-x", "c", "-D__noreturn__=__unused__", "-Dnoreturn=__unused__", "-Wno-macro-redefined"}

// returns says that a function of the environment gives back control, whatever
// its declaration says.
func returns(name string) bool {
	return isInput(name) || name == "__VERIFIER_assume" || name == "__CPROVER_assume" || name == "__VERIFIER_assert" || name == "__VERIFIER_ltl_step" || name == "assume_abort_if_not"
}

// misdeclared says whether some function of the environment is declared not to
// return.
func misdeclared(p *llvm.Program) bool {
	for _, f := range p.Functions {
		if f.Blocks == nil && f.NoReturn && returns(f.Name) {
			return true
		}
	}
	return false
}

// recoverReturns returns the program without the attribute, nil if that is not
// needed or does not help.
func recoverReturns(ctx context.Context, o *Options, p *llvm.Program) *llvm.Program {
	if !misdeclared(p) {
		return nil
	}
	again := *o
	again.Warnings = nil
	again.ExtraArgs = slices.Concat(withoutNoReturn, o.ExtraArgs)
	modules, _, err := gather(ctx, &again)
	if err != nil {
		return nil
	}
	q, err := readModules(o, modules, o.first())
	if err != nil || misdeclared(q) {
		return nil
	}
	return q
}
