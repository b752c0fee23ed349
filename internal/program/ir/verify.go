package ir

// The verifier: everything that the rest of assay takes for granted about a
// module. The front end, the lifter, the parser and every transformation call
// it (transformations in tests); engines do not check again.
//
//   - names are unique, symbols are defined, Entry and Constructors are
//     functions with a body, without parameters and results;
//   - initialisers have the size of the global, relocations are sorted and
//     inside it;
//   - operands and results have the types that the table of signatures and the
//     rules below say; terminators end blocks and stand nowhere else; phis come
//     first and have one argument for each predecessor;
//   - predecessors are the inverse of successors; the entry block has none;
//   - definitions dominate uses in reachable blocks;
//   - each instruction is listed in its block, once; a value that is not used
//     any more is the zero Def.

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// maxDiagnostics bounds the length of the verifier's report.
const maxDiagnostics = 50

// Verify checks the module and returns all defects found, up to a limit, as
// one error.
func Verify(m *Module) error {
	v := &verifier{m: m, index: m.Index()}
	v.module()
	for _, f := range m.Funcs {
		v.params(f)
	}
	if v.count == 0 { // calls look at the parameters of other functions
		for _, f := range m.Funcs {
			v.function(f)
		}
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	m     *Module
	index *Index
	errs  []error
	count int   // of defects, also beyond those in errs
	f     *Func // the function being checked
	at    Value // the instruction being checked, 0 for none
}

func (v *verifier) errorf(format string, args ...any) {
	v.count++
	if len(v.errs) >= maxDiagnostics {
		return
	}
	where := "module"
	if v.f != nil {
		where = "@" + v.f.Name
		if v.at != 0 {
			where += fmt.Sprintf(": %%%d (%s)", v.at, v.f.Values[v.at].Op)
			if p := v.f.Values[v.at].Pos; p != (Pos{}) {
				where += " at " + v.m.PosString(p)
			}
		}
	}
	v.errs = append(v.errs, fmt.Errorf("ir: %s: %s", where, fmt.Sprintf(format, args...)))
}

func alignOK(a int64) bool { return a >= 0 && bits.OnesCount64(uint64(a)) <= 1 }

func (v *verifier) module() {
	m := v.m
	if m.PointerBits != 32 && m.PointerBits != 64 {
		v.errorf("PointerBits is %d", m.PointerBits)
	}
	names := map[string]bool{}
	declare := func(n string) {
		if n == "" || names[n] {
			v.errorf("name %q is empty or defined twice", n)
		}
		names[n] = true
	}
	for _, g := range m.Globals {
		declare(g.Name)
		v.global(g)
	}
	for _, f := range m.Funcs {
		declare(f.Name)
	}
	runnable := func(what, n string) {
		switch f := v.index.Funcs[n]; {
		case f == nil:
			v.errorf("%s %q is not a function", what, n)
		case f.IsDecl() || len(f.Params) != 0 || len(f.Results) != 0 || f.Variadic:
			v.errorf("%s @%s must have a body and neither parameters nor results", what, n)
		}
	}
	runnable("entry", m.Entry)
	for _, n := range m.Constructors {
		runnable("constructor", n)
	}
}

func (v *verifier) global(g *Global) {
	if !alignOK(int64(g.Align)) {
		v.errorf("@%s: alignment %d", g.Name, g.Align)
	}
	if g.Counter != "" && v.index.Globals[g.Counter] == nil {
		v.errorf("@%s: the counter @%s is no global", g.Name, g.Counter)
	}
	if g.Init != nil && uint64(len(g.Init)) != g.Size {
		v.errorf("@%s: initialiser of %d bytes for size %d", g.Name, len(g.Init), g.Size)
	}
	if g.External && (g.Init != nil || g.Relocs != nil) {
		v.errorf("@%s: external, but has an initialiser", g.Name)
	}
	n, end := uint64(v.m.PointerBits/8), uint64(0)
	for _, r := range g.Relocs {
		if r.Offset < end || g.Size < n || r.Offset > g.Size-n {
			v.errorf("@%s: relocation at %d is out of range or order", g.Name, r.Offset)
			return
		}
		end = r.Offset + n
		if g.Init != nil {
			for _, b := range g.Init[r.Offset:end] {
				if b != 0 {
					v.errorf("@%s: bytes under the relocation at %d are not zero", g.Name, r.Offset)
					break
				}
			}
		}
		if r.Target != "" && !v.defined(r.Target) {
			v.errorf("@%s: relocation to undefined @%s", g.Name, r.Target)
		}
	}
}

func (v *verifier) defined(n string) bool {
	return v.index.Funcs[n] != nil || v.index.Globals[n] != nil
}

func (v *verifier) params(f *Func) {
	v.f = f
	seen := map[Value]bool{}
	for i, p := range f.Params {
		if p < 1 || int(p) >= len(f.Values) || f.Values[p].Op != Param || seen[p] {
			v.errorf("parameter %d is %%%d, which is no Param or appears twice", i, p)
		}
		seen[p] = true
	}
	v.f = nil
}

func (v *verifier) function(f *Func) {
	v.f = f
	defer func() { v.f, v.at = nil, 0 }()
	for _, t := range f.Results {
		v.valueType(t, "result")
	}
	before := v.count
	v.structure(f)
	if v.count != before {
		return // the rest needs a sound graph
	}
	for i := 1; i < len(f.Values); i++ {
		v.at = Value(i)
		if f.Values[i].Op != OpInvalid {
			v.operands(f, &f.Values[i])
		}
	}
	v.at = 0
	if v.count == before && !f.IsDecl() {
		v.dominance(f)
	}
}

// structure checks blocks: which instructions they list, and their edges.
func (v *verifier) structure(f *Func) {
	listed := make([]bool, len(f.Values))
	edges := map[[2]BlockID]int{} // successors minus predecessors
	for b := 1; b < len(f.Blocks); b++ {
		blk := &f.Blocks[b]
		if len(blk.Instrs) == 0 {
			v.errorf("block %d is empty", b)
			continue
		}
		phis := true
		for i, x := range blk.Instrs {
			if x < 1 || int(x) >= len(f.Values) || listed[x] {
				v.errorf("block %d lists %%%d, which does not exist or is listed twice", b, x)
				continue
			}
			v.at = x
			listed[x] = true
			d := &f.Values[x]
			last := i == len(blk.Instrs)-1
			switch {
			case d.Block != BlockID(b):
				v.errorf("listed in block %d but belongs to block %d", b, d.Block)
			case IsTerminator(d.Op) != last:
				v.errorf("position %d of %d in block %d: a block has one terminator, at its end", i+1, len(blk.Instrs), b)
			case d.Op == Phi && !phis:
				v.errorf("phi after another instruction")
			}
			phis = phis && d.Op == Phi
			if IsTerminator(d.Op) {
				for _, s := range d.Succs {
					if s < 1 || int(s) >= len(f.Blocks) {
						v.errorf("successor %d does not exist", s)
						continue
					}
					edges[[2]BlockID{BlockID(b), s}]++
				}
			}
		}
		v.at = 0
		for _, p := range blk.Preds {
			edges[[2]BlockID{p, BlockID(b)}]--
		}
	}
	for e, n := range edges {
		if n != 0 {
			v.errorf("block %d does not list block %d as predecessor as often as that has it as successor", e[1], e[0])
		}
	}
	if len(f.Blocks) > 1 && len(f.Blocks[1].Preds) != 0 {
		v.errorf("the entry block has predecessors")
	}
	if len(f.Blocks) == 1 {
		v.errorf("blocks without an entry block")
	}
	for i := 1; i < len(f.Values); i++ {
		v.at = Value(i)
		switch d := &f.Values[i]; {
		case d.Op == OpInvalid:
			if d.Block != 0 || d.Args != nil || d.Type != (Type{}) {
				v.errorf("a value without operation must be the zero Def")
			}
		case d.Op == Param:
			if !slices.Contains(f.Params, v.at) || d.Block != 0 {
				v.errorf("not listed as a parameter, or in a block")
			}
		case IsConst(d.Op):
			if d.Block != 0 {
				v.errorf("a constant belongs to no block")
			}
		case !listed[i]:
			v.errorf("not listed in a block")
		}
	}
	v.at = 0
}

// dominance checks that definitions come before uses.
func (v *verifier) dominance(f *Func) {
	dom := Dominators(f)
	place := make([]int32, len(f.Values)) // within the block
	for b := range f.Blocks {
		for i, x := range f.Blocks[b].Instrs {
			place[x] = int32(i)
		}
	}
	for b := 1; b < len(f.Blocks); b++ {
		if !dom.Reachable(BlockID(b)) {
			continue
		}
		for _, x := range f.Blocks[b].Instrs {
			v.at = x
			d := &f.Values[x]
			for i, a := range d.Args {
				def := f.Values[a].Block
				if def == 0 {
					continue
				}
				ok := true
				switch {
				case d.Op == Phi:
					p := f.Blocks[b].Preds[i]
					ok = !dom.Reachable(p) || dom.Dominates(def, p)
				case def == BlockID(b):
					ok = place[a] < place[x]
				default:
					ok = dom.Dominates(def, BlockID(b))
				}
				if !ok {
					v.errorf("operand %d (%%%d) is not defined on every path", i+1, a)
				}
			}
		}
	}
	v.at = 0
}
