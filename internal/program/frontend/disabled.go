package frontend

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/program/cprover"
	"assay/internal/program/ir"
)

// This file switches off the checks that a program disables by CBMC's pragmas (cprover.Disabled). Each check that is
// left out is noted, with the lines, for the answer rests on that.
//
//	unsigned-overflow, conversion, nan   defined behaviour: the check is left out; so is that of array-bounds with bounds
//	signed-overflow                      left out; the arithmetic wraps around, as in CBMC
//	pointer, bounds                      a read or write that is not valid is no violation, but what it would do is
//	                                     not known: reaching it makes the answer unknown
//
// The checks of others (shifts, divisions, conversions of floats) stay, which is more than is asked.

// switches are the names of CBMC that switch kinds of checks off.
var switches = map[ir.CheckKind][]string{
	ir.UnsignedOverflow:   {"unsigned-overflow"},
	ir.ImplicitConversion: {"conversion"},
	ir.NotANumber:         {"nan"},
	ir.ArrayIndex:         {"bounds"},
	ir.Overflow:           {"signed-overflow"},
	ir.InvalidDeref:       {"pointer", "bounds"},
}

// disabledIn are the regions of a unit, with the names of files that debug information has.
func disabledIn(source string, u unit) []cprover.Region {
	regions := cprover.Disabled(source, u.file)
	for i, r := range regions {
		name := r.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(u.directory, name)
		}
		if full, err := filepath.Abs(name); err == nil {
			regions[i].File = full
		}
	}
	return regions
}

// disabled says whether checks of a kind are off at the place that is imported, and notes it.
func (f *function) disabled(kind ir.CheckKind) bool {
	names := switches[kind]
	regions := f.im.opts.disabled
	if len(regions) == 0 || len(names) == 0 || f.pos.Line == 0 || int(f.pos.File) >= len(f.im.p.Files) {
		return false
	}
	file, line := filepath.Clean(f.im.p.Files[f.pos.File]), int(f.pos.Line)
	i := slices.IndexFunc(regions, func(r cprover.Region) bool {
		return r.From <= line && line <= r.To && r.File == file && slices.Contains(names, r.Check)
	})
	if i < 0 {
		return false
	}
	r := regions[i]
	where := fmt.Sprintf("lines %d to %d", r.From, r.To)
	if r.From == r.To {
		where = fmt.Sprintf("line %d", r.From)
	}
	f.im.notes.add(Note{Text: fmt.Sprintf("%s of %s: the program disables the check %q (#pragma CPROVER), so it is not asked there", where, filepath.Base(r.File), r.Check)})
	return true
}

// unlessDisabled goes on where n bytes at p may be accessed, if checks of that are off: elsewhere the answer is
// unknown.
func (f *function) unlessDisabled(p, n ir.Value) {
	if !f.disabled(ir.InvalidDeref) {
		return
	}
	valid := f.b.Cmp(ir.Or, f.b.Cmp(ir.Eq, n, f.b.Word(0)), f.b.Cmp(ir.ValidRange, p, n))
	invalid, next := f.b.Block(""), f.b.Block("")
	f.b.CondBr(valid, next, invalid)
	f.b.At(invalid)
	f.b.Emit(ir.Def{Op: ir.Unsupported, Sym: "an access that is not valid, where " + strings.Join(switches[ir.InvalidDeref], " or ") + " checks are disabled,"})
	f.b.At(next)
}
