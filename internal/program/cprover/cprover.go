// Package cprover translates C with the extensions of CBMC to C that clang reads: contracts
// of functions and loops, quantifiers, implications, and the functions of CBMC
// (https://diffblue.github.io/cbmc/, "C Bounded Model Checker": primitives, contracts).
//
// It works on the tokens of preprocessed C, so nothing has to be known of types. What it
// writes stands where the original stood, and all line ends and line markers stay: positions
// in the result are those of the source, but for columns on lines that were changed.
//
//	a ==> b                       (!(a) || (b)), which binds weaker than || and stronger than ?:
//	__CPROVER_forall { T i; e }   a loop over the numbers that a lower and an upper bound of i in e allow; see quantifier.go
//	loop invariants               assertions at each visit of the loop: proved, never believed; see loop.go
//	contracts of functions        assumed and asserted around the body of the function under analysis, asserted
//	                              and assumed instead of the bodies of others if that is asked for; see contract.go
//
// Assigns clauses of loops claim nothing that the other engines need, and are left out.
package cprover

import (
	"fmt"
	"slices"
	"strings"
)

// Options say what becomes of contracts.
type Options struct {
	// Entry is the function under analysis: if it has a contract, that is assumed and
	// asserted around its body.
	Entry string
	// UseContracts makes the functions that stand for contracts where they are called.
	UseContracts bool
	// Arbitrary gives the pointer parameters of the entry any value.
	Arbitrary bool
	// Vacuous asserts, instead of the call of its body, that what the contract of the entry requires is never satisfied.
	Vacuous bool
}

// Contract is that of a function.
type Contract struct {
	Name string
	// File is where it was read, for those who link several.
	File string
	// Text are its clauses: the same text is the same contract.
	Text string
	// Static says that only its file knows the function, Defined that its body is in this unit.
	Static, Defined bool
}

// Result is the translated program.
type Result struct {
	Text string
	// Contracts are those of the program.
	Contracts []Contract
	// Enforced says that the entry has a contract here, which is put around its body.
	Enforced bool
}

// Error is something that cannot be translated.
type Error struct {
	Line int // of the text
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Concerns says whether a text has something to translate.
func Concerns(source string) bool {
	return strings.Contains(source, "__CPROVER_") || strings.Contains(source, "==>") || strings.Contains(source, "pragma CPROVER")
}

// Translate translates preprocessed C.
func Translate(source string, o Options) (r Result, err error) {
	t := &translator{tokens: scan(source), o: o}
	defer func() {
		if e, ok := recover().(*Error); ok {
			err = e
		} else if e != nil {
			panic(e)
		}
	}()
	t.findContracts()
	t.sequence(0, len(t.tokens)-1)
	t.out.WriteString(t.tokens[len(t.tokens)-1].before)
	if functions := t.functions(); functions != "" {
		t.out.WriteString("\n" + functions)
	}
	r.Text = t.prelude() + withoutPragmas(t.out.String())
	for _, c := range t.contracts {
		text := t.source(c.params, t.tokens[c.params].pair+1)
		for _, k := range c.clauses {
			text += " " + t.source(k, t.tokens[k+1].pair+1)
		}
		r.Contracts = append(r.Contracts, Contract{Name: c.name, Text: text, Static: c.static, Defined: c.defined})
		r.Enforced = r.Enforced || t.enforced(c)
	}
	return r, nil
}

// translator walks over the tokens and writes the translation.
type translator struct {
	tokens    []token
	o         Options
	out       strings.Builder
	contracts []*contract
	// dropped are the declarations that are left out, from their first token to that behind; defined are the
	// uninterpreted functions that are.
	dropped map[int]int
	defined map[string]bool
	// before and behind are what is written before and behind a token.
	before, behind map[int]string
	fresh          int // numbers variables
	// guarded says that the primitive that is read is within what asks whether its pointers are known.
	guarded bool
	// ghosts are the variables of f__enforced for the checks of writes: name and type.
	ghosts [][2]string
	// clause is where contracts are read, nil elsewhere.
	clause *clauseContext
	depth  int // of braces
}

// fail ends the translation.
func (t *translator) fail(at int, format string, args ...any) {
	line := 1
	for i := 0; i <= at && i < len(t.tokens); i++ {
		line += strings.Count(t.tokens[i].before, "\n")
	}
	panic(&Error{Line: line, Text: fmt.Sprintf(format, args...)})
}

// is says that a token is a mark or word.
func (t *translator) is(i int, texts ...string) bool {
	return i < len(t.tokens) && t.tokens[i].kind != text && slices.Contains(texts, t.tokens[i].text)
}

// lines is the number of line ends in a range, which are kept where tokens are left out.
func (t *translator) lines(lo, hi int) string {
	var b strings.Builder
	for i := lo; i < hi; i++ {
		b.WriteString(keepLines(t.tokens[i].before))
	}
	return b.String()
}

// keepLines is what a gap has of lines: its ends, and its markers.
func keepLines(s string) string {
	if !strings.Contains(s, "\n") {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") {
			b.WriteString(line)
		} else if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// source is the text of a range as it stands, on one line.
func (t *translator) source(lo, hi int) string {
	var b strings.Builder
	for i := lo; i < hi; i++ {
		if i > lo && t.tokens[i].before != "" {
			b.WriteByte(' ')
		}
		b.WriteString(t.tokens[i].text)
	}
	return b.String()
}

// translated is the translation of a range on one line.
func (t *translator) translated(lo, hi int) string {
	sub := *t
	sub.out = strings.Builder{}
	sub.sequence(lo, hi)
	t.fresh, t.ghosts = sub.fresh, sub.ghosts
	return strings.Join(strings.Fields(stripLines(sub.out.String())), " ")
}

// stripLines leaves out the lines for the compiler.
func stripLines(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// separators end an operand of ==>.
var separators = []string{",", ";", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return"}

// sequence writes a range between brackets.
func (t *translator) sequence(lo, hi int) {
	for i := lo; i < hi; {
		j := i
		for j < hi && !(t.is(j, separators...) || t.is(j, "{") && !t.isQuantifier(j-1) || t.is(j, "}")) {
			j = t.after(j, hi)
		}
		if n := t.piece(i, j); n > j { // a loop that ends behind separators
			i = n
			continue
		}
		if j < hi {
			j = t.element(j, hi)
		}
		i = j
	}
}

// after is the index behind a token, or behind the bracket that it opens.
func (t *translator) after(i, hi int) int {
	if p := t.tokens[i].pair; p > i && p < hi {
		return p + 1
	}
	return i + 1
}

// piece writes a range without separators: implications are split at the first arrow. It gives the
// index behind what was written.
func (t *translator) piece(lo, hi int) int {
	for i := lo; i < hi; i = t.after(i, hi) {
		switch {
		case t.is(i, "==>"):
			t.out.WriteString(" (!(")
			t.piece(lo, i)
			t.out.WriteString(") || (" + keepLines(t.tokens[i].before))
			t.piece(i+1, hi)
			t.out.WriteString("))")
			return hi
		case t.is(i, "<==>"):
			t.out.WriteString(" (!(")
			t.piece(lo, i)
			t.out.WriteString(") == !(" + keepLines(t.tokens[i].before))
			t.piece(i+1, hi)
			t.out.WriteString("))")
			return hi
		}
	}
	i := lo
	for i < hi {
		i = t.element(i, hi)
	}
	return i
}

// element writes a token, or what begins with it, and gives the index behind.
func (t *translator) element(i, hi int) int {
	x := &t.tokens[i]
	if behind, ok := t.dropped[i]; ok && t.depth == 0 {
		t.out.WriteString(t.tokens[i].before + t.before[i] + t.lines(i+1, behind))
		return behind
	}
	if x.kind == word {
		if n := t.word(i, hi); n > i {
			return n
		}
	}
	t.out.WriteString(x.before)
	if t.depth == 0 {
		t.out.WriteString(t.before[i])
	}
	t.out.WriteString(x.text)
	n := i + 1
	if x.pair > i && x.pair < hi {
		if x.text == "{" {
			t.depth++
		}
		t.sequence(i+1, x.pair)
		if x.text == "{" {
			t.depth--
		}
		t.out.WriteString(t.tokens[x.pair].before + t.tokens[x.pair].text)
		n = x.pair + 1
	}
	for j := i; j < n; j++ {
		if s, ok := t.behind[j]; ok && (j == i || j == n-1) {
			t.out.WriteString(s)
			delete(t.behind, j)
		}
	}
	return n
}

// word writes what begins with a word of CBMC; it gives i if there is nothing to do.
func (t *translator) word(i, hi int) int {
	name := t.tokens[i].text
	switch name {
	case "for", "while", "do":
		return t.loop(i)
	}
	if !strings.HasPrefix(name, "__CPROVER_") {
		return i
	}
	call := i+1 < hi && t.is(i+1, "(") && t.tokens[i+1].pair > 0
	switch {
	case t.isQuantifier(i):
		return t.quantifier(i)
	case call && slices.Contains(functionClauses, name), call && slices.Contains(loopClauses, name):
		t.out.WriteString(t.lines(i, t.tokens[i+1].pair+1)) // left out; contracts were found before
		return t.tokens[i+1].pair + 1
	case name == "__CPROVER_threadlocal" || name == "__CPROVER_thread_local":
		t.out.WriteString(t.tokens[i].before)
		return i + 1
	case name == "__CPROVER_return_value" && t.clause != nil:
		t.out.WriteString(t.tokens[i].before + t.clause.result)
		return i + 1
	case call && t.depth+t.clauses() > 0:
		return t.primitive(i)
	}
	return i
}

func (t *translator) clauses() int {
	if t.clause != nil {
		return 1
	}
	return 0
}

// operands are the ranges between the commas of the bracket at i.
func (t *translator) operands(i int) (out [][2]int) {
	lo, hi := i+1, t.tokens[i].pair
	if lo == hi {
		return nil
	}
	for j := lo; j < hi; j = t.after(j, hi) {
		if t.is(j, ",") {
			out = append(out, [2]int{lo, j})
			lo = j + 1
		}
	}
	return append(out, [2]int{lo, hi})
}

// variable is a new name.
func (t *translator) variable(what string) string {
	t.fresh++
	return fmt.Sprintf("cprover_%s_%d", what, t.fresh)
}

// Rename gives a word of preprocessed C another name.
func Rename(source, from, to string) string {
	var b strings.Builder
	for _, x := range scan(source) {
		if x.kind == word && x.text == from {
			x.text = to
		}
		b.WriteString(x.before + x.text)
	}
	return b.String()
}

// withoutPragmas leaves out the pragmas of CBMC, which clang warns of.
func withoutPragmas(s string) string {
	if !strings.Contains(s, "#pragma CPROVER") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(line), "#pragma CPROVER") {
			line = "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
