// Package export says answers as witnesses: a proof by what holds at the loops, a violation by the inputs of its run.
//
// It decides nothing. What has no form in a witness is left out, and said (Exported.Left): a witness with
// less in it is weaker, but not wrong. Places are those of the source text, so C files are
// parsed again (package syntax): a loop stands where its keyword does, a call returns at its closing parenthesis.
package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/internal/conductor"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/syntax"
	"assay/internal/program/target"
	"assay/internal/user/show"
	"assay/internal/user/witness"
)

// Subject is an answer about a program.
type Subject struct {
	// Ask is the question, Answer the answer; Known says that it counts.
	Ask    *conductor.Task
	Answer *conductor.Answer
	Known  bool
	// Run and Violation are those of a False.
	Run       *show.Run
	Violation *show.Place
	// Options are what the front end was told, Loaded what it made of that.
	Options       frontend.Options
	Loaded        *frontend.Program
	Specification string
	Producer      string
}

// Exported is an answer as a witness.
type Exported struct {
	Witness *witness.Witness
	// Left is what is not part of it, and why.
	Left []string
	// Steps, Cycle and Invariant are those of the run, for format 1.0.
	Steps     []witness.GraphStep
	Cycle     int
	Invariant string
}

// ErrNone says why there is no witness.
type ErrNone struct{ Why string }

func (e *ErrNone) Error() string { return e.Why }

// exporter makes one witness.
type exporter struct {
	Subject
	Module  *ir.Module
	ctx     context.Context
	out     *Exported
	sources map[string]*syntax.File // by the name of the file
	left    map[string]bool
	// physical leads from places as the module has them to those in the files, if line directives say something else.
	physical map[spot]spot
	second   *ir.Module // the program without its line directives
}

// spot is a place.
type spot struct {
	file         string
	line, column int
	name         string // of what is declared there
}

// Of makes the witness of an answer. version is that of the format, witness.V20 or witness.V21; empty is 2.0, or 2.1 if
// something needs it. The error is an *ErrNone, or one of the machine.
func Of(ctx context.Context, s Subject, version string) (*Exported, error) {
	x := &exporter{Subject: s, Module: s.Answer.Module, ctx: ctx, out: &Exported{Witness: &witness.Witness{Version: version, Producer: s.Producer}, Cycle: -1}, sources: map[string]*syntax.File{}, left: map[string]bool{}}
	w := x.out.Witness
	w.Task = witness.Task{Specification: s.Specification, DataModel: s.Loaded.DataModel.String(), Entry: s.Options.Function}
	for _, f := range s.Options.Files {
		switch filepath.Ext(f) {
		case ".c", ".i", ".h":
		default:
			return nil, &ErrNone{"a witness is about C files, and " + f + " is none"}
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		w.Task.Files = append(w.Task.Files, witness.File{Name: f, Hash: hex.EncodeToString(sum[:])})
	}
	err := x.directives()
	if err != nil {
		return nil, err
	}
	switch v := s.Answer.Verdict.(type) {
	case verdict.True:
		err = x.proof(v)
	case verdict.False:
		w.Violation = true
		err = x.violation(v)
	default:
		return nil, &ErrNone{"there is a witness of true and of false only"}
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if w.Version == "" {
		w.Version = witness.V20
	}
	return x.out, err
}

// needs21 says whether something that only format 2.1 has may be written.
func (x *exporter) needs21(what string) bool {
	switch x.out.Witness.Version {
	case witness.V20:
		x.leave("%s: format 2.0 has none (--witness-version 2.1)", what)
		return false
	case "":
		x.out.Witness.Version = witness.V21
	}
	return true
}

// leave notes what is not part of the witness.
func (x *exporter) leave(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !x.left[text] {
		x.left[text] = true
		x.out.Left = append(x.out.Left, text)
	}
}

// directives finds the places in the files, if line directives say that they are others: it reads the program a second time without
// them, and compares.
func (x *exporter) directives() error {
	plain, marked, done, err := x.Options.Physical()
	defer done()
	if err != nil || !marked {
		return err
	}
	x.physical = map[spot]spot{}
	second, err := frontend.Load(x.ctx, plain)
	if err != nil {
		x.leave("places: the program cannot be read without its line directives")
		return nil
	}
	m, n := x.Loaded.Module, second.Module
	x.second = n
	add := func(name string, a, b ir.Pos) {
		from := spotOf(m, a)
		from.name = name
		if to := spotOf(n, b); from.line > 0 && to.line > 0 && x.physical[from].line == 0 {
			x.physical[from] = to
		}
	}
	for _, f := range m.Funcs {
		g := n.Func(f.Name)
		if g == nil || len(f.Values) != len(g.Values) || len(f.Vars) != len(g.Vars) {
			continue
		}
		add(f.Name, f.Pos, g.Pos)
		for v := range f.Values {
			add("", f.Values[v].Pos, g.Values[v].Pos)
		}
		for v := range f.Vars {
			add(f.Vars[v].Name, f.Vars[v].Pos, g.Vars[v].Pos)
		}
	}
	for i := range m.Globals {
		if g := n.Global(m.Globals[i].Name); g != nil {
			add(m.Globals[i].CName, m.Globals[i].Pos, g.Pos)
		}
	}
	return nil
}

func spotOf(m *ir.Module, p ir.Pos) spot {
	if int(p.File) >= len(m.Files) {
		return spot{}
	}
	return spot{file: m.Files[p.File], line: int(p.Line), column: int(p.Col)}
}

// place is the file in which a position is, with its text, and the place there; f is nil if it is none of those that the witness is about.
// names are what may be declared there, if it is the position of a declaration.
func (x *exporter) place(p ir.Pos, names ...string) (f *syntax.File, at spot) {
	at = spotOf(x.Module, p)
	if at.line == 0 {
		return nil, at
	}
	if x.physical != nil {
		from := at
		at = spot{}
		for _, name := range append(names, "") {
			if from.name = name; at.line == 0 {
				at = x.physical[from]
			}
		}
		if at.line == 0 {
			return nil, at
		}
	}
	return x.source(at.file), at
}

// source is the text of a file, nil if it is none of those that the witness is about.
func (x *exporter) source(name string) *syntax.File {
	if f, ok := x.sources[name]; ok {
		return f
	}
	x.sources[name] = nil
	for _, f := range x.Options.Files {
		if !same(f, name) {
			continue
		}
		parsed, err := syntax.Parse(x.ctx, f, "", append(x.Options.Flags(), target.Flags(x.Options.DataModel == frontend.ILP32)...))
		var clang *syntax.Error
		switch {
		case errors.As(err, &clang):
			x.leave("places in %s: clang does not parse it alone", f)
		case err != nil:
			x.leave("places in %s: %v", f, err)
		default:
			x.sources[name] = parsed
		}
	}
	return x.sources[name]
}

func same(a, b string) bool {
	p, err := filepath.Abs(a)
	q, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && p == q
}

// offsetOf is the byte at which an instruction stands.
func (x *exporter) offsetOf(f *ir.Func, v ir.Value) (*syntax.File, int, bool) {
	p := f.Def(v).Pos
	if x.second != nil {
		// Several places may have the same line and column for line directives; the instruction is one of them.
		m, n := x.Loaded.Module.Func(f.Name), x.second.Func(f.Name)
		if m != nil && n != nil && len(m.Values) == len(n.Values) && int(v) < len(m.Values) && m.Values[v].Op == f.Def(v).Op && m.Values[v].Pos == p {
			return x.within(spotOf(x.second, n.Values[v].Pos))
		}
	}
	return x.offset(p)
}

// within is the byte of a place in its file.
func (x *exporter) within(to spot) (*syntax.File, int, bool) {
	if to.line == 0 {
		return nil, 0, false
	}
	f := x.source(to.file)
	if f == nil {
		return nil, 0, false
	}
	at, ok := f.Offset(to.line, max(to.column, 1))
	return f, at, ok
}

// offset is the byte of a position in its file.
func (x *exporter) offset(p ir.Pos) (*syntax.File, int, bool) {
	_, to := x.place(p)
	return x.within(to)
}

// location is a byte as a location.
func location(f *syntax.File, at int) witness.Location {
	l := witness.Location{File: f.Name}
	l.Line, l.Column = f.Position(at)
	if fn := f.At(at); fn != nil {
		l.Function = fn.Name
	}
	return l
}

// proof says what holds at the loops.
func (x *exporter) proof(v verdict.True) error { return x.certificate(x.Module, v.Certificate) }

// certificate says what holds at the loops of a program by a certificate.
func (x *exporter) certificate(m *ir.Module, c verdict.Certificate) error {
	switch c := c.(type) {
	case *verdict.Several:
		for _, p := range c.Parts {
			if err := x.certificate(p.Program, p.Certificate); err != nil {
				return err
			}
		}
	case *verdict.Induction:
		if c.Module != nil {
			m = c.Module
		}
		x.heads(m, c.Heads)
		x.contracts(m, c.Contracts)
	case *verdict.Ranking:
		x.heads(c.Program, c.Heads)
		x.rankings(c)
	case *verdict.Unwinding:
		x.leave("invariants: every loop was unwound to its end, so the proof needs none")
	case *verdict.PathTree:
		x.leave("invariants: the %d paths of the program were followed to their ends, so the proof needs none", c.Paths)
	case *verdict.SymbolicGraph:
		x.leave("the %d states of the symbolic execution graph, which speak of memory in ways that C expressions cannot", len(c.Graph.Nodes))
	case *verdict.OverIntegers:
		return &ErrNone{"the answer is about mathematical integers, and a witness about those of the machine"}
	case verdict.Unchecked:
		x.leave("invariants: the proof was not checked (--certify=off)")
	default:
		panic(fmt.Sprintf("unexpected certificate %T", c))
	}
	return nil
}

// heads writes what holds at loops.
func (x *exporter) heads(m *ir.Module, heads []invariant.Head) {
	for i := range heads {
		h := &heads[i]
		if len(h.Predicates)+len(h.Clauses)+len(h.Formulas) == 0 {
			continue
		}
		where := show.PositionOf(m, h.Pos).String()
		if ir.NameInC(h.Func) != h.Func {
			x.leave("what holds at %s for some of the calls of %s", where, ir.NameInC(h.Func))
			continue
		}
		f, loop := x.loop(m, h)
		if loop == nil {
			x.leave("what holds at %s: no loop statement stands there", where)
			continue
		}
		texts, left := show.Expressions(m, h, x.sees(m, f, loop))
		at := location(f, loop.Begin)
		for _, t := range texts {
			if why := witness.Impure(t, false); why != "" {
				panic("a fact of a loop " + why + ": " + t)
			}
			x.out.Witness.Invariants = append(x.out.Witness.Invariants, witness.Invariant{Type: witness.LoopInvariant, At: at, Value: t})
		}
		for _, why := range left {
			x.leave("a fact of the loop at %s: %s", where, why)
		}
	}
}

// loop finds the statement of a loop head.
func (x *exporter) loop(m *ir.Module, h *invariant.Head) (*syntax.File, *syntax.Node) {
	f := m.Func(h.Func)
	if f == nil || f.Model {
		return nil, nil
	}
	return x.statement(f, h.Head)
}

// statement finds the statement of the loop whose head a block is: the edges into the head have the
// position of the keyword.
func (x *exporter) statement(f *ir.Func, head ir.BlockID) (*syntax.File, *syntax.Node) {
	type place struct {
		file *syntax.File
		at   int
		ok   bool
	}
	var places []place
	add := func(file *syntax.File, at int, ok bool) { places = append(places, place{file, at, ok}) }
	if instrs := f.Blocks[head].Instrs; len(instrs) > 0 {
		add(x.offsetOf(f, instrs[0]))
	}
	for _, p := range f.Blocks[head].Preds {
		if instrs := f.Blocks[p].Instrs; len(instrs) > 0 {
			add(x.offsetOf(f, instrs[len(instrs)-1]))
		}
	}
	add(x.offset(f.BlockPos(head)))
	for _, p := range places {
		file, at := p.file, p.at
		if !p.ok {
			continue
		}
		fn := file.At(at)
		if fn == nil {
			continue
		}
		var found *syntax.Node
		fn.Body.Walk(func(n *syntax.Node) {
			if n.Kind.Loop() && n.Begin == at && n.CondEnd > 0 {
				found = n
			}
		})
		if found != nil {
			return file, found
		}
	}
	return nil, nil
}

// sees says which names mean what at a loop.
func (x *exporter) sees(m *ir.Module, f *syntax.File, loop *syntax.Node) show.Sees {
	fn := f.At(loop.Begin)
	return func(name string, declared ir.Pos, global bool) bool {
		return x.visible(f, fn, name, loop.Head(), declared, global)
	}
}

// visible says whether a name means the variable that is declared at a place.
func (x *exporter) visible(f *syntax.File, fn *syntax.Func, name string, at int, declared ir.Pos, global bool) bool {
	base := name
	for i := range name {
		if name[i] == '.' || name[i] == '[' {
			base = name[:i]
			break
		}
	}
	v := f.Visible(fn, base, at)
	g, there := x.place(declared, name, base)
	return v != nil && v.Static == global && g == f && v.Line == there.line
}
