package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/syntax"
	"assay/internal/user/witness"
)

// This file confines runs to a violation witness. The program counts the segments that it has passed; at each waypoint of the
// segment at hand it goes on to the next one, if the constraint holds. In a strict program a run ends where it
// does not at the first visit, which is what witnesses of a whole run mean; otherwise it may come again.
//
// Of a run that does not end the waypoints are strict in any case, and the run has to pass those of the cycle again and again: idle.go
// ends a run that goes on without.

// mark is what a waypoint adds at its site: of the segment, a run that follows or one that is avoided.
type mark struct {
	segment, next int
	cond          string
	avoid         bool
	owner         int
}

// mark puts the segments into the text. The segments from the first cycle on go round. A target that is a return of the entry, where the
// program ends, is a segment of its own; returns says so.
func (x *instrumented) mark(w *witness.Witness, strict bool, returns *syntax.Node) error {
	marks := map[*site][]mark{}
	first := cycleOf(w)
	owner := 0
	for s, segment := range w.Segments {
		for _, p := range segment {
			owner++
			if p.Type == witness.Target {
				if returns != nil {
					f, _ := x.find(p.At)
					at := x.at(f, returns, before)
					marks[at] = append(marks[at], mark{s, s + 1, "", false, owner - 1})
				}
				continue
			}
			at, cond, err := x.waypoint(p)
			if err != nil {
				return &located{p.Mark, p.At, err}
			}
			next := s + 1
			if p.Action == witness.Cycle && next == len(w.Segments) {
				next = first
			}
			marks[at] = append(marks[at], mark{s, next, cond, p.Action == witness.Avoid, owner - 1})
		}
	}
	for at, list := range marks {
		at.code = chain(list, strict || first < len(w.Segments))
	}
	return nil
}

// cycleOf is the number of segments before the cycle.
func cycleOf(w *witness.Witness) int {
	for i, s := range w.Segments {
		if s.Last().Action == witness.Cycle {
			return i
		}
	}
	return len(w.Segments)
}

// located is an error about an element of the witness.
type located struct {
	mark witness.Mark
	at   witness.Location
	err  error
}

func (e *located) Error() string { return fmt.Sprintf("%s: %v", e.at, e.err) }

// waypoint is the site of a waypoint, and its condition there; empty is none.
func (x *instrumented) waypoint(p witness.Waypoint) (*site, string, error) {
	switch p.Type {
	case witness.Assumption:
		f, n, err := x.statementAt(p.At)
		if err != nil {
			return nil, "", err
		}
		return x.at(f, n, before), p.Value, nil
	case witness.Branching:
		f, n, err := x.branchAt(p.At)
		if err != nil {
			return nil, "", err
		}
		switch {
		case n.Kind == syntax.Switch && p.Value == "default":
			return nil, "", noPlace("a branch to default is not judged")
		case n.Kind == syntax.Switch && p.Value != "true" && p.Value != "false":
			return x.at(f, n, branch), branchName + " == " + p.Value, nil
		case n.Kind == syntax.Switch:
			return nil, "", noPlace("the branch of a switch is the number of a case")
		case p.Value == "true" || p.Value == "1":
			return x.at(f, n, branch), branchName, nil
		case p.Value == "false" || p.Value == "0":
			return x.at(f, n, branch), "!" + branchName, nil
		}
		return nil, "", noPlace("the branch there is true or false")
	case witness.FunctionEnter, witness.FunctionReturn:
		f, n, err := x.callAt(p.At)
		if err != nil {
			return nil, "", err
		}
		if p.Type == witness.FunctionEnter {
			return x.at(f, n, enter), "", nil
		}
		if n.Void && strings.Contains(p.Value, `\result`) {
			return nil, "", noPlace("the call there has no result")
		}
		return x.at(f, n, leave), strings.ReplaceAll(p.Value, `\result`, resultName), nil
	}
	return nil, "", noPlace("unexpected waypoint")
}

// chain is the code of a site.
func chain(list []mark, strict bool) []code {
	slices.SortStableFunc(list, func(a, b mark) int { return cmp.Compare(a.segment, b.segment) })
	out := []code{{"switch (" + segmentName + ") { ", noOwner}}
	plain := func(format string, args ...any) { out = append(out, code{fmt.Sprintf(format, args...), noOwner}) }
	for i := 0; i < len(list); {
		s := list[i].segment
		plain("case %d: ", s)
		follow := ""
		for ; i < len(list) && list[i].segment == s; i++ {
			k := list[i]
			cond := k.cond
			if cond == "" {
				cond = "1"
			}
			switch {
			case k.avoid:
				plain("if (")
				out = append(out, code{cond, k.owner})
				plain(") __assay_assume(0); ")
			case strict:
				plain("__assay_assume(!!(")
				out = append(out, code{cond, k.owner})
				plain(")); ")
				follow = fmt.Sprintf("%s = %d; %s = 0; ", segmentName, k.next, idleName)
			default:
				plain("if (")
				out = append(out, code{cond, k.owner})
				plain(") { %s = %d; %s = 0; } ", segmentName, k.next, idleName)
			}
		}
		plain("%sbreak; ", follow)
	}
	plain("}")
	return out
}

// guide is an oracle that decides as the waypoints say: what a call returns, and what a variable is that gets an
// arbitrary value. Everything else is 0. Whether the run is along the witness is decided by the program, not here.
type guide struct {
	x     *instrumented
	m     *ir.Module
	hints []hint
	next  int
	cycle int // hints from here on come again and again
	zero  interp.Zero
	named map[*ir.Func]map[ir.Value][]string // the variables that have a value
}

// hint is a waypoint that may tell a value.
type hint struct {
	call   *syntax.Node // of a function_return
	file   *syntax.File
	values map[string]string // by the name of the variable; \result for a call
	passes bool              // it tells nothing
}

// newGuide looks at the waypoints of a witness.
func newGuide(x *instrumented, m *ir.Module, w *witness.Witness) *guide {
	g := &guide{x: x, m: m, cycle: -1}
	for i, s := range w.Segments {
		p := s.Last()
		if i == cycleOf(w) {
			g.cycle = len(g.hints)
		}
		h := hint{passes: true}
		switch p.Type {
		case witness.FunctionReturn:
			if f, n, err := x.callAt(p.At); err == nil {
				h = hint{call: n, file: f, values: equalities(p.Value)}
			}
		case witness.Assumption:
			h = hint{values: equalities(p.Value), passes: false}
		}
		g.hints = append(g.hints, h)
	}
	return g
}

// equalities are the conjuncts x == c of a constraint.
func equalities(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, "&&") {
		l, r, ok := strings.Cut(part, "==")
		if !ok {
			continue
		}
		l, r = trim(l), trim(r)
		if _, err := number(r); err != nil {
			l, r = r, l
		}
		if _, err := number(r); err == nil || floating(r) {
			out[l] = r
		}
	}
	return out
}

func trim(s string) string {
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && strings.Count(s, "(") == 1 {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

// number reads an integer constant of C, and the least ones, which C writes as differences.
func number(s string) (int64, error) {
	s = trim(s)
	if a, b, ok := strings.Cut(s, " - "); ok {
		x, err := number(a)
		y, err2 := number(b)
		if err != nil || err2 != nil {
			return 0, strconv.ErrSyntax
		}
		return x - y, nil
	}
	digits := strings.TrimRight(s, "uUlL")
	if digits == "" || digits[0] == '+' || strings.Contains(digits, "_") {
		return 0, strconv.ErrSyntax
	}
	if v, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseUint(digits, 0, 64)
	return int64(v), err
}

func floating(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimRight(s, "fFlL"), 64)
	return err == nil
}

// Global implements interp.Oracle.
func (g *guide) Global(name string, size uint64) ir.GlobalChoice { return g.zero.Global(name, size) }

// Next implements interp.Oracle.
func (g *guide) Next(r interp.Request) (ir.Choice, error) {
	c, err := g.zero.Next(r)
	if err != nil || r.Kind != interp.WantValue {
		return c, err
	}
	if r.Func.Model {
		if v, err := number(g.fromModel("")); err == nil && r.Type.Kind != ir.Float && r.Type.Bits > 8 {
			c.Bits = bv.NewSigned(r.Type.Bits, v)
		}
		return c, nil
	}
	d := r.Func.Def(r.Value)
	if text, ok := g.told(r.Func, r.Value, d); ok {
		if v, err := number(text); err == nil && d.Type.Kind != ir.Float {
			c.Bits = bv.NewSigned(r.Type.Bits, v)
		} else if d.Type.Kind == ir.Float {
			c.Bits = floatBits(text, r.Type.Bits)
		}
	}
	return c, nil
}

// lookAhead bounds the waypoints that are passed over in search of one that tells a value.
const lookAhead = 64

// told finds the next waypoint that tells the value of an instruction.
func (g *guide) told(f *ir.Func, v ir.Value, d *ir.Def) (string, bool) {
	at := d.Pos
	variables := g.variables(f, v)
	i := g.next
	for range lookAhead {
		if i >= len(g.hints) {
			if g.cycle < 0 || g.cycle >= len(g.hints) {
				return "", false
			}
			i = g.cycle
		}
		h := &g.hints[i]
		i++
		if h.passes {
			continue
		}
		if h.call != nil {
			line, column := h.file.Position(h.call.Begin)
			if int(at.File) < len(g.m.Files) && sameFile(g.m.Files[at.File], h.file.Name) && int(at.Line) == line && int(at.Col) == column {
				g.next = i
				text, ok := h.values[`\result`]
				return text, ok
			}
			continue
		}
		for name, text := range h.values {
			if slices.Contains(variables, name) {
				if len(h.values) == 1 {
					g.next = i
				}
				return text, true
			}
		}
	}
	return "", false
}

// fromModel is what the next call returns that a waypoint tells, if it is one of a library model; that is what the model most often
// chooses. If left is the name of a model, its call has returned, and the waypoint is behind.
func (g *guide) fromModel(left string) string {
	for i := g.next; i < min(len(g.hints), g.next+lookAhead); i++ {
		h := &g.hints[i]
		if h.call == nil {
			continue
		}
		name := h.file.Word(h.call.Begin)
		if left == name {
			g.next = i + 1
		}
		if f := g.m.Func(name); f == nil || !f.Model {
			return ""
		}
		return h.values[`\result`]
	}
	return ""
}

// variables are those to which a value is assigned.
func (g *guide) variables(f *ir.Func, v ir.Value) []string {
	if g.named == nil {
		g.named = map[*ir.Func]map[ir.Value][]string{}
	}
	if g.named[f] == nil {
		g.named[f] = map[ir.Value][]string{}
	}
	names, ok := g.named[f][v]
	if ok {
		return names
	}
	for b := range f.Blocks {
		for _, i := range f.Blocks[b].Instrs {
			if x := f.Def(i); x.Op == ir.Dbg && len(x.Args) > 0 && from(f, x.Args[0], v) {
				names = append(names, f.Vars[x.Aux].Name)
			}
		}
	}
	g.named[f][v] = names
	return names
}

// floatBits is a constant of C as a float of a width.
func floatBits(text string, bits uint32) bv.BV {
	x, _ := strconv.ParseFloat(strings.TrimRight(trim(text), "fFlL"), int(max(bits, 32)))
	if bits == 32 {
		return bv.New(32, uint64(math.Float32bits(float32(x))))
	}
	return bv.New(bits, math.Float64bits(x))
}

// from says that a value is another one, but for conversions.
func from(f *ir.Func, v, source ir.Value) bool {
	for range 4 {
		if v == source {
			return true
		}
		switch d := f.Def(v); d.Op {
		case ir.Trunc, ir.ZExt, ir.SExt, ir.Freeze, ir.BitCast:
			v = d.Args[0]
		default:
			return false
		}
	}
	return false
}
