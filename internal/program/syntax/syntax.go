// Package syntax says where things stand in the text of a C file: functions, statements, loops,
// calls, and which variables are visible where. It is what witnesses need, whose places are lines and
// columns, and whose expressions are put into the text.
//
// clang's syntax tree says it (-ast-dump=json): positions are bytes of the file as it is on disk, for
// line directives move no bytes. In the text here they are blanks (directives.go). What comes out of a macro has a place only where the macro's name
// begins; it is marked, because nothing can be inserted into it.
package syntax

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"assay/internal/run/process"
)

// File is the text of a C file with its syntax.
type File struct {
	Name string
	// Text has blanks in the place of line directives. Marked says that there are any; Changed, if it is not empty, why the program may be
	// another one without them.
	Text    string
	Marked  bool
	Changed string
	Funcs   []*Func
	// Globals are the variables at file scope, in their order.
	Globals []Variable
	lines   []int // where the lines begin
}

// Func is a function with a body in the file. Begin and End are bytes of the text, as everywhere here: End
// is behind the last one.
type Func struct {
	Name       string
	Type       string // as clang writes it: "int (int, char *)"
	Begin, End int
	Body       *Node
	// Params and Locals are the variables, with where they are visible.
	Params, Locals []Variable
	// Constants are the names of enumerations in the body.
	Constants []string
}

// Variable is a variable that is visible from Begin to End.
type Variable struct {
	Name       string
	Type       string // the canonical one
	Line       int    // of its name
	Begin, End int
	Static     bool
}

// Kind classifies nodes.
type Kind uint8

// The kinds of nodes.
const (
	Expression Kind = iota
	Call
	Conditional // ?:
	Declaration // a statement that declares
	Compound
	If
	While
	Do
	For
	Switch
	Return
	Label // also case and default
	Jump  // goto, break, continue
	Other // any other statement
)

// Statement says that the kind is one of statements.
func (k Kind) Statement() bool { return k >= Declaration }

// Loop says that the kind is one of loops.
func (k Kind) Loop() bool { return k == While || k == Do || k == For }

// Node is a statement or an expression.
type Node struct {
	Kind       Kind
	Begin, End int // without the semicolon of an expression
	// Macro says that the node begins or ends inside of a macro: nothing can be put before or behind it.
	Macro  bool
	Parent *Node
	Inner  []*Node
	// Void says of a call that it has no value.
	Void bool
	// Full says that an expression is no part of another one.
	Full bool
	// Cond is the place of the condition between the parentheses, of If, While, Do and Switch; of For it is
	// that between the semicolons. CondEnd is 0 if it was not found.
	Cond, CondEnd int
}

// raw is a node as clang writes it.
type raw struct {
	Kind         string
	Name         string
	Loc          place
	Range        struct{ Begin, End place }
	Type         struct{ QualType, DesugaredQualType string }
	ArgType      struct{ QualType string }
	Opcode       string
	StorageClass string
	IsImplicit   bool
	Inner        []*raw

	begin, end int
	macro      bool
	loc        int
	here       bool // in the file
	began      bool // it begins there
}

// place is a location. Its file is that of the one written before if it has none.
type place struct {
	Offset       *int
	File         string
	TokLen       int
	SpellingLoc  *place
	ExpansionLoc *place
}

// Error is a complaint of clang about the program.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// Parse reads a C file with clang and these flags, from the folder directory.
func Parse(ctx context.Context, file, directory string, flags []string) (*File, error) {
	path := file
	if directory != "" && !filepath.IsAbs(file) {
		path = filepath.Join(directory, file)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tree, err := dump(ctx, file, directory, flags)
	if err != nil {
		return nil, err
	}
	return read(file, string(text), tree)
}

// dump is clang's syntax tree.
func dump(ctx context.Context, file, directory string, flags []string) ([]byte, error) {
	args := append(slices.Clone(flags), "-w", "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
		"-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch", "-fsyntax-only", "-Xclang", "-ast-dump=json")
	if e := filepath.Ext(file); e != ".c" && e != ".i" {
		args = append(args, "-x", "c")
	}
	cmd := exec.Command("clang-19", append(args, "--", file)...)
	cmd.Dir = directory
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	end, err := process.Run(ctx, cmd, process.Limits{})
	switch {
	case err != nil:
		return nil, err
	case end.Cancelled:
		return nil, context.Cause(ctx)
	case end.ExitCode != 0 && out.Len() == 0:
		return nil, &Error{strings.TrimSpace(complaints.String())}
	}
	return out.Bytes(), nil
}

// read makes a File of clang's tree.
func read(file, text string, tree []byte) (*File, error) {
	var root raw
	if err := json.Unmarshal(tree, &root); err != nil {
		return nil, fmt.Errorf("reading clang's syntax tree: %w", err)
	}
	if root.Kind != "TranslationUnitDecl" {
		return nil, errors.New("clang wrote no syntax tree")
	}
	f := &File{Name: file, lines: []int{0}}
	f.Text, f.Marked, f.Changed = WithoutLineDirectives(text)
	for i := range len(text) {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	l := &locator{file: file, size: len(text)}
	l.visit(&root)
	for _, d := range root.Inner {
		if d.here && !d.IsImplicit {
			f.declare(d)
		}
	}
	return f, nil
}

// locator gives nodes their places, in the order in which clang wrote them.
type locator struct {
	file string
	size int
	last string // the file of the last place
}

func (l *locator) visit(n *raw) {
	n.loc, _, _, _ = l.resolve(&n.Loc)
	var endLen int
	var beginMacro, endMacro, here, there bool
	n.begin, _, beginMacro, here = l.resolve(&n.Range.Begin)
	n.end, endLen, endMacro, there = l.resolve(&n.Range.End)
	n.end += endLen
	n.began = here
	n.macro, n.here = beginMacro || endMacro, here && there && n.end <= l.size && n.begin <= n.end
	for _, c := range n.Inner {
		if c != nil {
			l.visit(c)
		}
	}
}

// resolve is the place of a location in the file: where it was written, or where its macro was.
func (l *locator) resolve(p *place) (offset, length int, macro, here bool) {
	if p.SpellingLoc != nil || p.ExpansionLoc != nil {
		if p.SpellingLoc != nil {
			l.resolve(p.SpellingLoc)
		}
		if p.ExpansionLoc == nil {
			return 0, 0, true, false
		}
		offset, length, _, here = l.resolve(p.ExpansionLoc)
		return offset, length, true, here
	}
	if p.File != "" {
		l.last = p.File
	}
	if p.Offset == nil {
		return 0, 0, false, false
	}
	return *p.Offset, p.TokLen, false, l.last == l.file
}

// declare notes a declaration at file scope.
func (f *File) declare(d *raw) {
	switch d.Kind {
	case "VarDecl":
		f.Globals = append(f.Globals, Variable{Name: d.Name, Type: d.typeName(), Line: f.LineOf(d.loc), Begin: d.end, End: len(f.Text), Static: true})
	case "FunctionDecl":
		fn := &Func{Name: d.Name, Type: d.Type.QualType, Begin: d.begin, End: d.end}
		for _, c := range d.Inner {
			if c == nil {
				continue
			}
			switch c.Kind {
			case "ParmVarDecl":
				fn.Params = append(fn.Params, Variable{Name: c.Name, Type: c.typeName(), Line: f.LineOf(c.loc), Begin: c.end, End: d.end})
			case "CompoundStmt":
				fn.Body = f.node(c, nil, fn, c.end)
			}
		}
		if fn.Body != nil {
			f.Funcs = append(f.Funcs, fn)
		}
	}
}

func (d *raw) typeName() string {
	if d.Type.DesugaredQualType != "" {
		return d.Type.DesugaredQualType
	}
	return d.Type.QualType
}

var kinds = map[string]Kind{
	"CallExpr": Call, "ConditionalOperator": Conditional, "BinaryConditionalOperator": Conditional,
	"DeclStmt": Declaration, "CompoundStmt": Compound, "IfStmt": If, "WhileStmt": While, "DoStmt": Do, "ForStmt": For, "SwitchStmt": Switch,
	"ReturnStmt": Return, "LabelStmt": Label, "CaseStmt": Label, "DefaultStmt": Label, "GotoStmt": Jump, "IndirectGotoStmt": Jump, "BreakStmt": Jump, "ContinueStmt": Jump,
	"NullStmt": Other, "GCCAsmStmt": Other, "MSAsmStmt": Other, "AttributedStmt": Label,
}

// node makes the node of a statement or expression below parent. Variables that it declares are visible up to scope.
func (f *File) node(c *raw, parent *Node, fn *Func, scope int) *Node {
	kind, known := kinds[c.Kind]
	n := &Node{Kind: kind, Begin: c.begin, End: c.end, Macro: c.macro || !c.here, Parent: parent}
	if !known && strings.HasSuffix(c.Kind, "Stmt") {
		n.Kind = Other
	}
	n.Void = kind == Call && c.typeName() == "void"
	n.Full = !n.Kind.Statement() && (parent == nil || parent.Kind.Statement())
	switch {
	case kind == Compound || kind == For:
		scope = c.end
	case kind == Label:
		n.Macro = n.Macro || c.Kind == "AttributedStmt" && len(c.Inner) != 1
	}
	var inner func(list []*raw)
	inner = func(list []*raw) {
		for _, x := range list {
			switch {
			case x == nil || x.Kind == "":
			case x.Kind == "VarDecl":
				fn.Locals = append(fn.Locals, Variable{Name: x.Name, Type: x.typeName(), Line: f.LineOf(x.loc), Begin: x.end, End: scope, Static: x.StorageClass == "static" || x.StorageClass == "extern"})
				inner(x.Inner)
			case x.Kind == "EnumDecl":
				for _, c := range x.Inner {
					if c != nil && c.Kind == "EnumConstantDecl" {
						fn.Constants = append(fn.Constants, c.Name)
					}
				}
			case strings.HasSuffix(x.Kind, "Decl") || strings.HasSuffix(x.Kind, "Attr") || strings.HasSuffix(x.Kind, "Type"):
			default:
				n.Inner = append(n.Inner, f.node(x, n, fn, scope))
			}
		}
	}
	inner(c.Inner)
	f.condition(n)
	return n
}

// condition finds the place of a condition in the text.
func (f *File) condition(n *Node) {
	if n.Macro && n.Kind != Do {
		// The end may be that of a macro in the body; the head decides.
		if !f.word(n.Begin, "if", "while", "for", "switch") {
			return
		}
	}
	switch n.Kind {
	case If, While, Switch:
		if open := f.skip(n.Begin + f.wordLength(n.Begin)); open < len(f.Text) && f.Text[open] == '(' {
			if end := f.closing(open); end > 0 {
				n.Cond, n.CondEnd = open+1, end
			}
		}
	case For:
		open := f.skip(n.Begin + f.wordLength(n.Begin))
		if open >= len(f.Text) || f.Text[open] != '(' {
			return
		}
		end := f.closing(open)
		if end < 0 {
			return
		}
		if parts := f.semicolons(open+1, end); len(parts) == 2 {
			n.Cond, n.CondEnd = parts[0]+1, parts[1]
		}
	case Do:
		// The condition is the last expression; its parentheses are those around it, with while before them.
		if len(n.Inner) != 2 || n.Inner[0] == nil {
			return
		}
		body := f.StatementEnd(n.Inner[0])
		if body < 0 {
			return
		}
		at := f.skip(body)
		if !f.word(at, "while") {
			return
		}
		if open := f.skip(at + len("while")); open < len(f.Text) && f.Text[open] == '(' {
			if end := f.closing(open); end > 0 {
				n.Cond, n.CondEnd = open+1, end
			}
		}
	}
}

// LineOf is the line of a byte, from 1.
func (f *File) LineOf(offset int) int {
	return sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset })
}

// Position is the line and the column of a byte, both from 1.
func (f *File) Position(offset int) (line, column int) {
	line = f.LineOf(offset)
	return line, offset - f.lines[line-1] + 1
}

// Offset is the byte of a line and column. ok is false if there is none.
func (f *File) Offset(line, column int) (offset int, ok bool) {
	if line < 1 || line > len(f.lines) || column < 1 {
		return 0, false
	}
	offset = f.lines[line-1] + column - 1
	end := len(f.Text)
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	return offset, offset <= end
}

// Func is the function of that name, nil if there is none.
func (f *File) Func(name string) *Func {
	for _, fn := range f.Funcs {
		if fn.Name == name {
			return fn
		}
	}
	return nil
}

// At is the function that a byte is in, nil if it is in none.
func (f *File) At(offset int) *Func {
	for _, fn := range f.Funcs {
		if fn.Begin <= offset && offset < fn.End {
			return fn
		}
	}
	return nil
}

// Walk calls visit for a node and those below it, outer ones first.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, c := range n.Inner {
		c.Walk(visit)
	}
}

// Executed says that a node is a statement, or an expression in the place of one: something that can stand behind a semicolon.
func (n *Node) Executed() bool {
	switch {
	case n.Kind.Statement():
		return true
	case n.Parent == nil || !n.Full:
		return false
	}
	switch p := n.Parent; p.Kind {
	case Compound:
		return true
	case If, While, Switch:
		return p.CondEnd > 0 && n.Begin > p.CondEnd
	case For:
		return n == p.Inner[len(p.Inner)-1] && p.CondEnd > 0 && n.Begin > p.CondEnd
	case Do:
		return n == p.Inner[0]
	case Label:
		return n == p.Inner[len(p.Inner)-1]
	}
	return false
}

// Depth is the number of nodes around a node.
func (n *Node) Depth() int {
	d := 0
	for p := n.Parent; p != nil; p = p.Parent {
		d++
	}
	return d
}

// Head is where the head of a loop is in terms of scopes: a variable is visible there if it is in the condition.
func (n *Node) Head() int {
	if n.Kind == For && n.CondEnd > 0 {
		return n.Cond
	}
	return n.Begin
}

// Visible is the variable that a name means at a byte of the function, nil if it means none.
func (f *File) Visible(fn *Func, name string, offset int) *Variable {
	var best *Variable
	for _, list := range [][]Variable{f.Globals, fn.Params, fn.Locals} {
		for i := range list {
			// A later declaration in an inner scope hides the earlier ones.
			if v := &list[i]; v.Name == name && v.Begin <= offset && offset < v.End && (best == nil || v.Begin >= best.Begin || v.End < best.End) {
				best = v
			}
		}
	}
	return best
}
