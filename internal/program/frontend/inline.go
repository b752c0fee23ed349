package frontend

import (
	"context"
	"os"
	"slices"

	"assay/internal/program/llvm"
	"assay/internal/run/lazyregexp"
)

// This file recovers inline functions. Since C99 "inline int f(void) {…}" is
// no definition of f for the linker: without optimisation clang calls an f
// that is defined nowhere, and its body would be lost. If functions without a body
// are left and a source mentions inline, the sources are compiled once more
// with the older rule (-fgnu89-inline), under which such a function is a
// definition. The result is taken if it links and has fewer functions without
// body.

var inlineWord = lazyregexp.New(`\b(inline|__inline|__inline__)\b`)

// recoverInlines returns the better program, nil if there is none.
func recoverInlines(ctx context.Context, o *Options, p *llvm.Program) *llvm.Program {
	missing := bodiless(p)
	if len(missing) == 0 {
		return nil
	}
	mentions := false
	for _, file := range p.Files {
		content, err := os.ReadFile(file)
		mentions = mentions || err == nil && inlineWord.Match(content)
	}
	if !mentions {
		return nil
	}
	again := *o
	again.Warnings = nil
	again.ExtraArgs = append([]string{"-fgnu89-inline"}, o.ExtraArgs...)
	modules, _, err := gather(ctx, &again)
	if err != nil {
		return nil
	}
	q, err := readModules(o, modules, o.first())
	if err != nil || len(bodiless(q)) >= len(missing) {
		return nil
	}
	return q
}

// bodiless are the functions that would count as unknown.
func bodiless(p *llvm.Program) []*llvm.Function {
	var list []*llvm.Function
	for _, f := range p.Functions {
		if f.Blocks == nil && !f.Intrinsic && externals[f.Name] == nil && !isInput(f.Name) && !slices.Contains(printFunctions, f.Name) {
			list = append(list, f)
		}
	}
	return list
}
