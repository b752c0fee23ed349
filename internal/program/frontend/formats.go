package frontend

import (
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports printing to files, as far as it reads no memory: a literal
// format without strings and counts. Such a call does nothing that a program
// could see but return a number, and programs are full of it. Everything else
// that has a format is interpreted by models/format.c and models/scan.c.

// printFunctions are the functions of models/print.c, printFormat is the
// position of the format among the arguments of those that printNumbers treats.
var (
	printFunctions = []string{"printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf", "syslog"}
	printFormat    = map[string]int{"printf": 0, "fprintf": 1, "dprintf": 1}
)

// printNumbers imports a call that prints no strings; it says whether it is one.
func (f *function) printNumbers(i *llvm.Inst, name string) bool {
	position, ok := printFormat[name]
	if !ok || len(i.Args) <= position || i.Type.Kind != llvm.IntType {
		return false
	}
	format, ok := literalText(i.Args[position])
	if !ok || format == "" || readsMemory(format) || f.im.seesOutput() {
		return false
	}
	f.output(f.callArguments(i)[position:])
	if name == "fprintf" {
		file := f.pointer(&externalCall{args: f.callArguments(i)}, 0)
		f.b.Check(ir.Precondition, f.not(f.b.Cmp(ir.Eq, file, f.b.Null())), "fprintf: the file is null")
	}
	if !i.Used {
		return true
	}
	// Output may fail. The length depends on the numbers.
	t := ir.IntType(uint32(i.Type.Bits))
	fails := f.b.Nondet(ir.BoolType, ir.NondetInput, name)
	length := f.b.Bin(ir.LShr, f.b.Nondet(t, ir.NondetApproximate, name), f.b.Const(t.Bits, 1))
	f.vals[i] = []ir.Value{f.b.Select(fails, f.complement(f.zero(t)), length)}
	return true
}

// seesOutput says whether the program can see more of printing than what it
// returns: a failure leaves its traces.
func (im *importer) seesOutput() bool {
	return slices.ContainsFunc(outputTraces, func(name string) bool { return im.p.Function(name) != nil })
}

// outputTraces are the functions that show traces of output.
var outputTraces = []string{"ferror", "__errno_location", "ftell", "ftello"}

// readsMemory says whether a printf format has conversions of strings or counts, or ones that are not known here, such as those
// that name their argument by its position.
func readsMemory(format string) bool {
	for {
		_, after, ok := strings.Cut(format, "%")
		if !ok {
			return false
		}
		after = strings.TrimLeft(after, "-+ #0123456789.*'hlqjztL")
		if after == "" || !strings.ContainsRune("diouxXcCfFeEgGaApm%", rune(after[0])) {
			return true
		}
		format = after[1:]
	}
}
