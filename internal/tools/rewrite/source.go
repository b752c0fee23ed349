// Package rewrite turns C programs into C programs that other verifiers can use: bit operations become
// branches (bitwise branching [Liu, Sect. 3.2]), and conditions with products linear ones (dual
// rewriting [Liu, Chap. 5]).
//
// clang says where operations stand in the source, and of which type (source.go). A bit operation becomes
// a call of a function, so that its operands are evaluated once; the functions have the rules of package
// bitwise as branches (functions.go). Comparisons with products, and the variables that are visible there,
// come from the same tree (conditions.go); what equals them is found with the program's integer
// transition system (linear.go) and written in C again (comparison.go). A file with preprocessor
// directives is preprocessed first.
package rewrite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/run/process"
)

// Operation is a bit operation in a program.
type Operation struct {
	Op   string // & | ^ ~ << >>
	Type Type
	// Constant is the second operand, if it is one (HasConstant).
	Constant    int64
	HasConstant bool
}

// Type is an integer type of C, after promotion.
type Type struct {
	Name   string // as C writes it
	Bits   int
	Signed bool
}

// types are those that operands have after promotion. long is as wide as a pointer.
func types(pointerBits int) map[string]Type {
	list := []Type{
		{"int", 32, true}, {"unsigned int", 32, false}, {"long", pointerBits, true}, {"unsigned long", pointerBits, false},
		{"long long", 64, true}, {"unsigned long long", 64, false},
	}
	out := map[string]Type{}
	for _, t := range list {
		out[t.Name] = t
	}
	return out
}

// node is a node of clang's syntax tree, as -ast-dump=json writes it.
type node struct {
	ID, Name       string
	Kind, Opcode   string
	CastKind       string
	StorageClass   string
	ReferencedDecl *node
	Type           struct{ QualType, DesugaredQualType string }
	Range          struct{ Begin, End location }
	Value          json.RawMessage
	Inner          []*node
}

type location struct {
	Offset, TokLen int
}

// Error is a complaint of clang about the program.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// limit bounds the time of one run of clang.
const limit = time.Minute

// clang runs clang and returns what it writes.
func clang(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.Command("clang-19", args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	end, err := process.Run(ctx, cmd, process.Limits{Wall: limit})
	if err != nil {
		return nil, err
	}
	if end.ExitCode != 0 {
		return nil, &Error{strings.TrimSpace(complaints.String())}
	}
	return out.Bytes(), nil
}

// parse is the text of a C file, preprocessed if it has directives, and its syntax tree. The error is an
// *Error if the program is wrong.
func parse(ctx context.Context, file string, flags []string) (string, *node, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, &Error{err.Error()}
	}
	if slices.ContainsFunc(strings.Split(string(text), "\n"), func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "#") }) {
		if text, err = clang(ctx, append(slices.Clone(flags), "-E", "-P", file)...); err != nil {
			return "", nil, err
		}
	}
	name, remove, err := temporary(string(text))
	if err != nil {
		return "", nil, err
	}
	defer remove()
	dump, err := clang(ctx, append(slices.Clone(flags), "-w", "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-fsyntax-only", "-Xclang", "-ast-dump=json", name)...)
	if err != nil {
		return "", nil, err
	}
	var root node
	if err := json.Unmarshal(dump, &root); err != nil {
		return "", nil, fmt.Errorf("reading clang's syntax tree: %w", err)
	}
	return string(text), &root, nil
}

// temporary writes a C file, which the function removes.
func temporary(text string) (name string, remove func(), err error) {
	file, err := os.CreateTemp("", "assay-rewrite-*.c")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(file.Name()) }
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return file.Name(), remove, nil
}

// Bitwise rewrites the bit operations of a C file: with weaken, what no rule rewrites becomes
// any number of which the weakening rules hold, else it stays. flags are for clang. The error is
// an *Error if the program is wrong.
func Bitwise(ctx context.Context, file string, flags []string, pointerBits int, weaken bool) (string, error) {
	text, root, err := parse(ctx, file, flags)
	if err != nil {
		return "", err
	}
	e := &editor{text: text, types: types(pointerBits), functions: map[string]Operation{}}
	e.collect(root, false)
	body := e.render(0, len(e.text))
	return prelude(e.functions, weaken) + body, nil
}

// editor replaces operations in a text.
type editor struct {
	text      string
	types     map[string]Type
	places    []place
	functions map[string]Operation // by name
}

// place is an operation in the text: the operands' ranges, and whether the first is assigned.
type place struct {
	begin, end int
	operands   [][2]int
	name       string
	assigns    bool
}

// extent is the range of a node in the text; false if it has none.
func extent(n *node) (begin, end int, ok bool) {
	return n.Range.Begin.Offset, n.Range.End.Offset + n.Range.End.TokLen, n.Range.End.TokLen > 0
}

// collect finds the operations below a node. Constant expressions (constant says so) stay.
func (e *editor) collect(n *node, constant bool) {
	switch n.Kind {
	case "ConstantExpr", "EnumConstantDecl", "StaticAssertDecl":
		constant = true
	case "VarDecl": // that of an object that is not automatic is initialised by one
		constant = constant || n.StorageClass == "static"
	}
	if !constant {
		e.operation(n)
	}
	for _, c := range n.Inner {
		if c != nil {
			e.collect(c, constant || n.Kind == "TranslationUnitDecl" && c.Kind == "VarDecl" || n.Kind == "FieldDecl")
		}
	}
}

var words = map[string]string{"&": "and", "|": "or", "^": "xor", "~": "complement", "<<": "shl", ">>": "shr"}

// operation notes a node that is a bit operation.
func (e *editor) operation(n *node) {
	op := n.Opcode
	assigns := n.Kind == "CompoundAssignOperator"
	if assigns {
		op = strings.TrimSuffix(op, "=")
	}
	switch {
	case n.Kind == "BinaryOperator" || assigns:
		if words[op] == "" || op == "~" || len(n.Inner) != 2 {
			return
		}
	case n.Kind == "UnaryOperator" && op == "~" && len(n.Inner) == 1:
	default:
		return
	}
	name := n.Type.QualType
	if n.Type.DesugaredQualType != "" {
		name = n.Type.DesugaredQualType
	}
	t, known := e.types[name]
	begin, end, ok := extent(n)
	if !known || !ok {
		return
	}
	p := place{begin: begin, end: end, assigns: assigns}
	for _, c := range n.Inner {
		b, z, ok := extent(c)
		if !ok || b < begin || z > end {
			return
		}
		p.operands = append(p.operands, [2]int{b, z})
	}
	if assigns && !plain(e.text[p.operands[0][0]:p.operands[0][1]]) {
		return // it would be evaluated twice
	}
	o := Operation{Op: op, Type: t}
	if len(n.Inner) == 2 {
		o.Constant, o.HasConstant = constantOf(n.Inner[1])
	}
	p.name = o.name()
	e.functions[p.name] = o
	e.places = append(e.places, p)
}

// plain says that a text is a name.
func plain(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// constantOf is the value of an integer literal.
func constantOf(n *node) (int64, bool) {
	switch n.Kind {
	case "ImplicitCastExpr", "ParenExpr":
		if len(n.Inner) == 1 {
			return constantOf(n.Inner[0])
		}
	case "IntegerLiteral":
		var s string
		if json.Unmarshal(n.Value, &s) == nil {
			v, err := strconv.ParseInt(s, 10, 64)
			return v, err == nil
		}
	}
	return 0, false
}

// name is the function of an operation.
func (o Operation) name() string {
	name := "assay_" + words[o.Op] + "_" + strings.ReplaceAll(o.Type.Name, " ", "_")
	if o.HasConstant {
		name += "_" + strconv.FormatInt(o.Constant, 10)
	}
	return name
}

// render is a part of the text with its operations replaced.
func (e *editor) render(from, to int) string {
	var b strings.Builder
	for at := from; at < to; {
		next := e.outermost(at, to)
		if next == nil {
			b.WriteString(e.text[at:to])
			break
		}
		b.WriteString(e.text[at:next.begin])
		b.WriteString(e.call(next))
		at = next.end
	}
	return b.String()
}

// outermost is the first operation within [at, to), the greatest of those that begin there.
func (e *editor) outermost(at, to int) *place {
	var best *place
	for i := range e.places {
		p := &e.places[i]
		if p.begin < at || p.end > to {
			continue
		}
		if best == nil || p.begin < best.begin || p.begin == best.begin && p.end > best.end {
			best = p
		}
	}
	return best
}

// call is the text of the call that replaces an operation.
func (e *editor) call(p *place) string {
	var args []string
	for _, o := range p.operands {
		args = append(args, e.render(o[0], o[1]))
	}
	text := p.name + "(" + strings.Join(args, ", ") + ")"
	if p.assigns {
		return e.text[p.operands[0][0]:p.operands[0][1]] + " = " + text
	}
	return text
}
