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
	"assay/internal/program/ir"
	"assay/internal/program/syntax"
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
	// Files are the C files, Flags what clang is told about them.
	Files         []string
	Flags         []string
	Specification string
	ILP32         bool
	Entry         string
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
	sources map[int32]*syntax.File // by the index of the file in the module
	left    map[string]bool
}

// Of makes the witness of an answer. version is that of the format, witness.V20 or witness.V21; empty is 2.0, or 2.1 if
// something needs it. The error is an *ErrNone, or one of the machine.
func Of(ctx context.Context, s Subject, version string) (*Exported, error) {
	x := &exporter{Subject: s, Module: s.Answer.Module, ctx: ctx, out: &Exported{Witness: &witness.Witness{Version: version, Producer: s.Producer}, Cycle: -1}, sources: map[int32]*syntax.File{}, left: map[string]bool{}}
	w := x.out.Witness
	w.Task = witness.Task{Specification: s.Specification, DataModel: "LP64", Entry: s.Entry}
	if s.ILP32 {
		w.Task.DataModel = "ILP32"
	}
	for _, f := range s.Files {
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
	var err error
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

// source is the text of a file of the module, nil if it is none of those that the witness is about.
func (x *exporter) source(file int32) *syntax.File {
	if f, ok := x.sources[file]; ok {
		return f
	}
	x.sources[file] = nil
	if int(file) >= len(x.Module.Files) {
		return nil
	}
	name := x.Module.Files[file]
	for _, f := range x.Files {
		if !same(f, name) {
			continue
		}
		parsed, err := syntax.Parse(x.ctx, f, "", x.Flags)
		var clang *syntax.Error
		switch {
		case errors.As(err, &clang):
			x.leave("places in %s: clang does not parse it alone", f)
		case err != nil:
			x.leave("places in %s: %v", f, err)
		default:
			x.sources[file] = parsed
		}
	}
	return x.sources[file]
}

func same(a, b string) bool {
	p, err := filepath.Abs(a)
	q, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && p == q
}

// offset is the byte of a position in its file.
func (x *exporter) offset(p ir.Pos) (*syntax.File, int, bool) {
	if p.Line == 0 {
		return nil, 0, false
	}
	f := x.source(p.File)
	if f == nil {
		return nil, 0, false
	}
	at, ok := f.Offset(int(p.Line), max(int(p.Col), 1))
	return f, at, ok
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
func (x *exporter) proof(v verdict.True) error {
	switch c := v.Certificate.(type) {
	case *verdict.Induction:
		m := x.Module
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
	var places []ir.Pos
	if instrs := f.Blocks[head].Instrs; len(instrs) > 0 {
		places = append(places, f.Def(instrs[0]).Pos)
	}
	for _, p := range f.Blocks[head].Preds {
		places = append(places, f.Terminator(p).Pos)
	}
	places = append(places, f.BlockPos(head))
	for _, p := range places {
		file, at, ok := x.offset(p)
		if !ok {
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
	return v != nil && v.Static == global && x.source(declared.File) == f && v.Line == int(declared.Line)
}
