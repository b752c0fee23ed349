package validate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/syntax"
	"assay/internal/user/witness"
)

// This file puts what a witness says into the text of the program. A C expression means what it means where it stands, so clang
// gives it its scope, its types and its conversions. Nothing of the program is changed or moved to another line:
//
//	(1) Text is inserted before statements, around conditions and around calls, at places of clang's syntax tree.
//	(2) Each inserted expression belongs to an element of the witness. What the compiled program does in it, by its position, is
//	    that element's business (confine.go): it may not call or write anything.
//	(3) Positions of the compiled program are those of the original text again, before anybody else sees them.

// The names that are inserted.
const (
	segmentName = "__assay_segment" // the number of segments that the run has passed
	idleName    = "__assay_idle"    // the loop heads and calls since it passed a waypoint of the cycle
	resultName  = "__assay_result"
	branchName  = "__assay_branch"
)

// siteKind says what is inserted at a node.
type siteKind uint8

const (
	before   siteKind = iota // a statement
	head                     // of a loop: before its condition, or at the beginning of the body of do
	branch                   // around a condition
	enter                    // before a call
	leave                    // behind a call, with its result
	entry                    // at the beginning of the body of a function
	exit                     // at its end
	returned                 // around the value that a return gives
)

// site is a node at which something is inserted.
type site struct {
	file *syntax.File
	node *syntax.Node
	kind siteKind
	code []code
	// result is the type of the function, of returned.
	result string
}

// code are statements that are inserted. Owner is the element of the witness that text belongs to.
type code struct {
	text  string
	owner int
}

// noOwner is the owner of what belongs to no element.
const noOwner = -1

// piece is an inserted text.
type piece struct {
	at     int // in the original text
	close  bool
	depth  int
	serial int
	code   []code
}

// instrumented is a program with a witness in it.
type instrumented struct {
	sites []*site
	files []*syntax.File
	// flags make clang read the new texts in place of the files.
	flags []string
	// maps are by the index in files.
	maps   []*textMap
	folder string
	// partial says that a constraint may have no value, where runs end that could go on.
	partial bool
}

// textMap leads from the new text of a file to the original.
type textMap struct {
	name  string // of the file that has it
	text  string
	body  int // the length of the text without what stands before it
	lines []int
	// spans are the inserted texts, in their order: where they begin and end in the new text, and where they were inserted.
	spans []span
}

type span struct{ begin, end, at, owner int }

// at is the site of a node.
func (x *instrumented) at(f *syntax.File, n *syntax.Node, kind siteKind) *site {
	for _, s := range x.sites {
		if s.node == n && s.kind == kind {
			return s
		}
	}
	s := &site{file: f, node: n, kind: kind}
	x.sites = append(x.sites, s)
	return s
}

// errNoPlace says why nothing can be inserted somewhere.
type errNoPlace struct{ why string }

func (e *errNoPlace) Error() string { return e.why }

func noPlace(format string, args ...any) error { return &errNoPlace{fmt.Sprintf(format, args...)} }

// find is the file that a location names.
func (x *instrumented) find(l witness.Location) (*syntax.File, error) {
	var base *syntax.File
	for _, f := range x.files {
		if f.Name == l.File {
			return f, nil
		}
		if filepath.Base(f.Name) == filepath.Base(l.File) {
			if base != nil {
				return nil, noPlace("%s names several files of the program", l.File)
			}
			base = f
		}
	}
	if base == nil {
		return nil, noPlace("%s is no file of the program", l.File)
	}
	return base, nil
}

// nodes are those at a location that fit, outer ones first: those that begin there, or, without a column, the first ones that begin
// on the line.
func nodes(f *syntax.File, l witness.Location, begin func(*syntax.Node) int, fits func(*syntax.Node) bool) []*syntax.Node {
	var out []*syntax.Node
	for _, fn := range f.Funcs {
		if l.Function != "" && fn.Name != l.Function {
			continue
		}
		fn.Body.Walk(func(n *syntax.Node) {
			b := begin(n)
			if b < 0 || !fits(n) {
				return
			}
			line, column := f.Position(b)
			if line == l.Line && (l.Column == 0 || column == l.Column) {
				out = append(out, n)
			}
		})
	}
	if l.Column == 0 && len(out) > 0 {
		first := slices.MinFunc(out, func(a, b *syntax.Node) int { return cmp.Compare(begin(a), begin(b)) })
		out = slices.DeleteFunc(out, func(n *syntax.Node) bool { return begin(n) != begin(first) })
	}
	return out
}

func begins(n *syntax.Node) int { return n.Begin }

// exists says whether a location is one of the text.
func exists(f *syntax.File, l witness.Location) error {
	if _, ok := f.Offset(l.Line, max(l.Column, 1)); !ok {
		return noPlace("%s has no such place", f.Name)
	}
	return nil
}

// loopAt finds a loop.
func (x *instrumented) loopAt(l witness.Location) (*syntax.File, *syntax.Node, error) {
	f, err := x.find(l)
	if err == nil {
		err = exists(f, l)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, n := range nodes(f, l, begins, func(n *syntax.Node) bool { return n.Kind.Loop() }) {
		if n.CondEnd > 0 {
			return f, n, nil
		}
	}
	return nil, nil, noPlace("no loop statement begins there")
}

// statementAt finds a statement.
func (x *instrumented) statementAt(l witness.Location) (*syntax.File, *syntax.Node, error) {
	f, err := x.find(l)
	if err == nil {
		err = exists(f, l)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, n := range nodes(f, l, begins, (*syntax.Node).Executed) {
		for n.Kind == syntax.Label { // a jump to the label comes to the statement
			if len(n.Inner) == 0 {
				return nil, nil, noPlace("the label there has no statement")
			}
			n = n.Inner[len(n.Inner)-1]
		}
		switch {
		case n.Kind == syntax.Declaration && (n.Macro || n.Parent == nil || n.Parent.Kind != syntax.Compound):
			return nil, nil, noPlace("the declaration there is no statement of its own")
		case n.Parent == nil:
			return nil, nil, noPlace("the body of a function is no statement of its own")
		case n.Kind != syntax.Declaration && f.StatementEnd(n) < 0:
			return nil, nil, noPlace("the statement there ends in a macro")
		}
		return f, n, nil
	}
	return nil, nil, noPlace("no statement begins there")
}

// branchAt finds a statement with a condition.
func (x *instrumented) branchAt(l witness.Location) (*syntax.File, *syntax.Node, error) {
	f, err := x.find(l)
	if err == nil {
		err = exists(f, l)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, n := range nodes(f, l, begins, func(n *syntax.Node) bool { return n.Kind.Loop() || n.Kind == syntax.If || n.Kind == syntax.Switch }) {
		if n.CondEnd > 0 && strings.TrimSpace(f.Text[n.Cond:n.CondEnd]) != "" {
			return f, n, nil
		}
	}
	return nil, nil, noPlace("no statement with a condition begins there")
}

// callAt finds a call: by its closing parenthesis, by the opening one, or by where it begins.
func (x *instrumented) callAt(l witness.Location) (*syntax.File, *syntax.Node, error) {
	f, err := x.find(l)
	if err == nil {
		err = exists(f, l)
	}
	if err != nil {
		return nil, nil, err
	}
	call := func(n *syntax.Node) bool {
		return n.Kind == syntax.Call && !n.Macro && n.End > n.Begin && f.Text[n.End-1] == ')'
	}
	places := []func(*syntax.Node) int{
		func(n *syntax.Node) int { return n.End - 1 },
		func(n *syntax.Node) int { return f.OpenOfCall(n) },
		begins,
	}
	for _, p := range places {
		if list := nodes(f, l, p, call); len(list) > 0 {
			return f, list[len(list)-1], nil
		}
	}
	return nil, nil, noPlace("no call ends there")
}

// write makes the texts with what is inserted, and the flags with which clang reads them. prelude stands before each.
func (x *instrumented) write(prelude string) error {
	folder, err := os.MkdirTemp("", "assay-witness-")
	if err != nil {
		return err
	}
	x.folder = folder
	for i, f := range x.files {
		m := x.render(f, prelude, i == 0)
		x.maps = append(x.maps, m)
		name := filepath.Join(folder, fmt.Sprintf("program-%d%s", i, filepath.Ext(f.Name)))
		m.name = name
		if err := os.WriteFile(name, []byte(m.text), 0o600); err != nil {
			return err
		}
		x.flags = append(x.flags, "-Xclang", "-remap-file", "-Xclang", f.Name+";"+name)
	}
	return nil
}

// close removes the texts.
func (x *instrumented) close() {
	if x.folder != "" {
		os.RemoveAll(x.folder)
	}
}

// pieces are the texts that a site inserts.
func (s *site) pieces(f *syntax.File) []piece {
	n := s.node
	depth := 2 * n.Depth()
	open := func(at int, pre string, list []code, post string) piece {
		all := append([]code{{pre, noOwner}}, list...)
		return piece{at: at, depth: depth, code: append(all, code{post, noOwner})}
	}
	shut := func(at int, text string) piece {
		return piece{at: at, close: true, depth: depth, code: []code{{text, noOwner}}}
	}
	switch s.kind {
	case before:
		if n.Kind == syntax.Declaration {
			return []piece{open(n.Begin, "", s.code, " ")}
		}
		return []piece{open(n.Begin, "{ ", s.code, " "), shut(f.StatementEnd(n), " }")}
	case head:
		if n.Kind == syntax.Do {
			b := n.Inner[0]
			depth += 2
			if b.Kind == syntax.Compound {
				return []piece{open(b.Begin+1, " ", s.code, " ")}
			}
			return []piece{open(b.Begin, "{ ", s.code, " "), shut(f.StatementEnd(b), " }")}
		}
		if strings.TrimSpace(f.Text[n.Cond:n.CondEnd]) == "" {
			return []piece{open(n.Cond, "({ ", s.code, " 1; })")}
		}
		return []piece{open(n.Cond, "({ ", s.code, " 0; }), ("), shut(n.CondEnd, ")")}
	case branch:
		depth++
		kind := "int " + branchName + " = !!("
		if n.Kind == syntax.Switch {
			kind = "__auto_type " + branchName + " = ("
		}
		p := shut(n.CondEnd, "); ")
		p.code = append(append(p.code, s.code...), code{" " + branchName + "; })", noOwner})
		return []piece{open(n.Cond, "({ "+kind, nil, ""), p}
	case entry:
		return []piece{open(n.Begin+1, " ", s.code, " ")}
	case exit:
		p := shut(n.End-1, " ")
		p.code = append(p.code, s.code...)
		return []piece{p}
	case returned:
		p := shut(f.StatementEnd(n)-1, "); ")
		p.code = append(append(p.code, s.code...), code{" " + resultName + "; })", noOwner})
		return []piece{open(n.Inner[0].Begin, "({ "+s.result+" "+resultName+" = (", nil, ""), p}
	case enter:
		return []piece{open(n.Begin, "({ ", s.code, " "), shut(n.End, "; })")}
	case leave:
		depth++
		if n.Void {
			p := shut(n.End, "; ")
			p.code = append(append(p.code, s.code...), code{" })", noOwner})
			return []piece{open(n.Begin, "({ ", nil, ""), p}
		}
		p := shut(n.End, "; ")
		p.code = append(append(p.code, s.code...), code{" " + resultName + "; })", noOwner})
		return []piece{open(n.Begin, "({ __auto_type "+resultName+" = ", nil, ""), p}
	}
	panic("unexpected kind of site")
}

// render is the new text of a file. Its lines have the numbers that they had.
func (x *instrumented) render(f *syntax.File, prelude string, first bool) *textMap {
	var list []piece
	for i, s := range x.sites {
		if s.file == f {
			for _, p := range s.pieces(f) {
				p.serial = i
				list = append(list, p)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b piece) int {
		switch {
		case a.at != b.at:
			return cmp.Compare(a.at, b.at)
		case a.close != b.close:
			if a.close {
				return -1
			}
			return 1
		case a.close:
			return cmp.Compare(b.depth, a.depth)
		}
		return cmp.Compare(a.depth, b.depth)
	})
	m := &textMap{}
	var b strings.Builder
	linkage := "extern "
	if first {
		linkage = ""
	}
	fmt.Fprintf(&b, "%s%s\n#line 1 %q\n", prelude, strings.ReplaceAll(declarations, "LINKAGE ", linkage), f.Name)
	start := b.Len()
	done := 0
	for _, p := range list {
		b.WriteString(f.Text[done:p.at])
		done = p.at
		for _, c := range p.code {
			if c.text == "" {
				continue
			}
			begin := b.Len()
			b.WriteString(oneLine(c.text))
			m.spans = append(m.spans, span{begin - start, b.Len() - start, p.at, c.owner})
		}
	}
	b.WriteString(f.Text[done:])
	m.text = b.String()
	body := m.text[start:]
	m.body = len(body)
	m.lines = []int{0}
	for i := range len(body) {
		if body[i] == '\n' {
			m.lines = append(m.lines, i+1)
		}
	}
	return m
}

// declarations are those of what is inserted.
const declarations = "LINKAGE int " + segmentName + "; LINKAGE unsigned long long " + idleName + "; void __assay_check(int, int, const char *); void __assay_assume(int);"

func oneLine(text string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(text) }

// original is a position of the new text in the original one, and the owner of the text there: noOwner-1 if nothing was inserted there.
func (m *textMap) original(f *syntax.File, line, column int) (l, c, owner int) {
	if line < 1 || line > len(m.lines) {
		return line, column, noOwner - 1
	}
	at := m.lines[line-1] + max(column, 1) - 1
	i := sort.Search(len(m.spans), func(i int) bool { return m.spans[i].end > at })
	if i < len(m.spans) && m.spans[i].begin <= at {
		l, c = f.Position(m.spans[i].at)
		return l, c, m.spans[i].owner
	}
	// Inserted before it: the sum of what ends at or before it.
	shift := 0
	if i > 0 {
		shift = m.spans[i-1].end - m.spans[i-1].at
		// spans[i-1].at is where the text goes on behind it.
	}
	l, c = f.Position(min(at-shift, len(f.Text)))
	if column == 0 {
		c = 0
	}
	return l, c, noOwner - 1
}

// fileOf is the index of a file of the module among those of the witness, -1 if it is none.
func (x *instrumented) fileOf(m *ir.Module, file int32) int {
	if int(file) >= len(m.Files) {
		return -1
	}
	return slices.IndexFunc(x.files, func(f *syntax.File) bool { return sameFile(f.Name, m.Files[file]) })
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	p, err := filepath.Abs(a)
	q, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && p == q
}
