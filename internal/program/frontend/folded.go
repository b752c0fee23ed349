package frontend

import (
	"fmt"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file has what clang computes itself of constants that C does not define.
//
//	in an expression    clang's check is a branch that always fails, and the result is poison, which package llvm has made
//	                    a call (llvm/poison.go); of conversions the call of a function stands for the branch
//	in an initialiser   of an array or a structure that is constant: clang writes the number that it computes, and no check.
//	                    Only a warning tells. Where no check is at its place, nothing is proved about its kind
//
// clang warns of no explicit conversion.

// foldedConversion is the check of a conversion that clang has folded, of a float that does not fit the integer.
func (f *function) foldedConversion() {
	f.b.Op(ir.FToSI, ir.IntType(32), f.b.ConstBV(ir.FloatType(64), bv.New(64, 0x7ff8<<48)))
	f.folded = true
	f.checked()
}

// failsAlways recognises the condition of a check that fails on every run, unless it is the trap itself.
func failsAlways(v llvm.Value) bool {
	if and, ok := v.(*llvm.Inst); ok && and.Op == llvm.And && and.Type.Kind == llvm.IntType && and.Type.Bits == 1 {
		return failsAlways(and.Args[0]) || failsAlways(and.Args[1])
	}
	return isZero(v) && v != llvm.Value(falseConst)
}

// undefinedValue is what clang leaves a poison integer for: the result of an operation whose check failed before.
// Without such a check clang was told not to make one; a truth value may be a part of the check.
func (f *function) undefinedValue(width uint32) []ir.Value {
	if !f.folded && width > 1 {
		f.unsupported("an operation of constants that is not defined, for which clang makes no check")
		return nil
	}
	return []ir.Value{f.b.Nondet(ir.IntType(width), ir.NondetApproximate, "an operation of constants that is not defined")}
}

// foldedWarnings are beginnings of clang's warnings of operations of constants that are not defined, or may be.
var foldedWarnings = []struct {
	begins string
	kind   NoteKind
	what   string
}{
	{"overflow in expression", NoteFoldedSum, "whether it overflows"},
	{"shift count", NoteFoldedShift, "whether its shift amount is in range"},
	{"signed shift result", NoteFoldedShift, "whether its shift is defined"},
	{"implicit conversion of out of range value", NoteFoldedConversion, "whether the number fits"},
}

// warnedConstant is a warning of an operation of constants, of one of foldedWarnings.
type warnedConstant struct {
	Diagnostic
	kind NoteKind
	what string
}

// checkPlace is where a check is.
type checkPlace struct {
	file      string
	line, col int
}

func warnedConstants(warnings string) (list []warnedConstant) {
	var diagnostics []Diagnostic
	for _, w := range foldedWarnings {
		if !strings.Contains(warnings, w.begins) {
			continue
		}
		if diagnostics == nil {
			diagnostics = parseDiagnostics(warnings)
		}
		for _, d := range diagnostics {
			if strings.HasPrefix(d.Message, w.begins) {
				list = append(list, warnedConstant{d, w.kind, w.what})
			}
		}
	}
	return list
}

// checked remembers the place of a check, if clang has warned of something.
func (f *function) checked() {
	im := f.im
	if len(im.opts.warnedConstants) == 0 || int(f.pos.File) >= len(im.p.Files) {
		return
	}
	if im.checkedAt == nil {
		im.checkedAt = map[checkPlace]bool{}
	}
	im.checkedAt[checkPlace{absolute(im.p.Files[f.pos.File]), int(f.pos.Line), int(f.pos.Col)}] = true
}

// unseenConstants notes the warned operations of functions where no check is.
func (im *importer) unseenConstants() {
	for _, d := range im.opts.warnedConstants {
		if im.checkedAt[checkPlace{absolute(d.File), d.Line, d.Col}] {
			continue
		}
		var in *ir.Func
		for _, f := range im.m.Funcs {
			if !f.Model && f.Pos.Line > 0 && int(f.Pos.File) < len(im.p.Files) && int(f.Pos.Line) <= d.Line && (in == nil || f.Pos.Line > in.Pos.Line) && absolute(im.p.Files[f.Pos.File]) == absolute(d.File) {
				in = f
			}
		}
		if in != nil {
			im.notes.add(Note{Kind: d.kind, Name: in.Name, Text: fmt.Sprintf("has an operation of constants that clang computes, in an initialiser (line %d): %s is not checked", d.Line, d.what), Pos: in.Pos})
		}
	}
}
