package hoa

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
)

// maxCubes bounds how many cubes a label expression may become, and maxStates how
// many states a file may have.
const (
	maxCubes  = 1 << 12
	maxStates = 1 << 20
)

// Read reads an automaton. An atom whose name is no atom of our formulas becomes the
// C expression of that text.
func Read(text string) (a *Automaton, err error) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(*syntaxError)
			if !ok {
				panic(p)
			}
			a, err = nil, e
		}
	}()
	r := &reader{text: text, line: 1, aliases: map[string][]buchi.Cube{}}
	r.next()
	r.header()
	r.body()
	if err := r.a.Check(); err != nil {
		return nil, err
	}
	return &Automaton{r.a, r.name}, nil
}

// syntaxError is what is wrong with a file, and where.
type syntaxError struct {
	line    int
	message string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.message) }

// reader reads one automaton. tok is the token that comes next: a word, a string with
// its quotes, a header with its colon, or a sign; empty at the end.
type reader struct {
	text    string
	at      int
	line    int
	tok     string
	name    string
	a       *buchi.Automaton
	aliases map[string][]buchi.Cube
	started bool // a Start header was read
	states  int
	given   map[int]bool // the states that the body has
}

func (r *reader) fail(format string, args ...any) {
	panic(&syntaxError{r.line, fmt.Sprintf(format, args...)})
}

// next reads a token.
func (r *reader) next() {
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == '\n':
			r.line++
			r.at++
		case c == ' ' || c == '\t' || c == '\r':
			r.at++
		case strings.HasPrefix(r.text[r.at:], "/*"):
			end := strings.Index(r.text[r.at+2:], "*/")
			if end < 0 {
				r.fail("a comment without end")
			}
			r.line += strings.Count(r.text[r.at:r.at+2+end], "\n")
			r.at += end + 4
		default:
			start := r.at
			r.at = r.tokenEnd()
			r.tok = r.text[start:r.at]
			return
		}
	}
	r.tok = ""
}

// tokenEnd is the end of the token that begins here.
func (r *reader) tokenEnd() int {
	c := r.text[r.at]
	word := func(c byte) bool {
		return c == '_' || c == '-' || c < 0x80 && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)))
	}
	switch {
	case strings.HasPrefix(r.text[r.at:], "--"):
		for _, mark := range []string{"--BODY--", "--END--", "--ABORT--"} {
			if strings.HasPrefix(r.text[r.at:], mark) {
				return r.at + len(mark)
			}
		}
		r.fail("-- that is no mark")
	case c == '"':
		for i := r.at + 1; i < len(r.text); i++ {
			switch r.text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		r.fail("a string without end")
	case c == '@' || word(c):
		i := r.at + 1
		for i < len(r.text) && word(r.text[i]) {
			i++
		}
		if i < len(r.text) && r.text[i] == ':' && c != '@' {
			i++
		}
		return i
	}
	return r.at + 1
}

// take is the next token, which must be there.
func (r *reader) take() string {
	t := r.tok
	if t == "" {
		r.fail("the file ends too early")
	}
	r.next()
	return t
}

func (r *reader) expect(t string) {
	if r.tok != t {
		r.fail("%q where %q is expected", r.tok, t)
	}
	r.next()
}

// number reads a number that is less than a bound.
func (r *reader) number(bound int) int {
	n, err := strconv.Atoi(r.tok)
	if err != nil || n < 0 || n >= bound {
		r.fail("%q is not a number less than %d", r.tok, bound)
	}
	r.next()
	return n
}

// str reads a string.
func (r *reader) str() string {
	t := r.take()
	if len(t) < 2 || t[0] != '"' {
		r.fail("%q is no string", t)
	}
	var b strings.Builder
	for i := 1; i < len(t)-1; i++ {
		if t[i] == '\\' {
			i++
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

// atom is the atom of a name.
func atom(name string) ltl.Atom {
	if p, err := ltl.Parse(ltl.Source{Text: name}); err == nil {
		if f, ok := p.Formula.(ltl.Prop); ok {
			return f.Atom
		}
	}
	return ltl.Atom{Kind: ltl.CAtom, Text: name}
}

// header reads all before the body.
func (r *reader) header() {
	if r.tok != "HOA:" {
		r.fail("the file does not begin with HOA:")
	}
	r.next()
	if v := r.take(); v != "v1" {
		r.fail("version %q, not v1", v)
	}
	r.a = &buchi.Automaton{}
	r.states = -1
	acceptance := false
	for r.tok != "--BODY--" {
		switch h := r.take(); h {
		case "States:":
			r.states = r.number(maxStates)
		case "Start:":
			if r.started {
				r.fail("more than one initial state")
			}
			r.started = true
			r.a.Initial = r.number(maxStates)
		case "AP:":
			n := r.number(buchi.MaxAtoms + 1)
			for range n {
				r.a.Atoms = append(r.a.Atoms, atom(r.str()))
			}
		case "Acceptance:":
			for _, t := range []string{"1", "Inf", "(", "0", ")"} {
				if r.tok != t {
					r.fail("an acceptance condition that is not Büchi's: 1 Inf(0)")
				}
				r.next()
			}
			acceptance = true
		case "acc-name:":
			if t := r.take(); t != "Buchi" {
				r.fail("acceptance %s, not Buchi", t)
			}
		case "Alias:":
			name := r.take()
			r.aliases[name] = r.expression()
		case "name:":
			r.name = r.str()
		default:
			if !strings.HasSuffix(h, ":") {
				r.fail("%q where a header is expected", h)
			}
			if h[0] >= 'A' && h[0] <= 'Z' {
				r.fail("the header %s is not known", h)
			}
			for r.tok != "--BODY--" && !strings.HasSuffix(r.tok, ":") && r.tok != "" {
				if h == "properties:" && (r.tok == "trans-acc" || r.tok == "implicit-labels" || r.tok == "univ-branch") {
					r.fail("automata that are %s", r.tok)
				}
				r.next()
			}
		}
	}
	switch {
	case !acceptance:
		r.fail("no Acceptance header")
	case !r.started:
		r.fail("no Start header")
	}
	r.next()
}

// body reads the states.
func (r *reader) body() {
	r.given = map[int]bool{}
	grow := func(q int) {
		for len(r.a.Edges) <= q {
			r.a.Edges = append(r.a.Edges, nil)
			r.a.Accepting = append(r.a.Accepting, false)
		}
	}
	bound := r.states
	if bound < 0 {
		bound = maxStates
	} else if bound > 0 {
		grow(bound - 1)
	}
	for r.tok == "State:" {
		r.next()
		var common []buchi.Cube
		if r.tok == "[" {
			common = r.label()
		}
		q := r.number(bound)
		if r.given[q] {
			r.fail("state %d twice", q)
		}
		r.given[q] = true
		grow(q)
		if strings.HasPrefix(r.tok, `"`) {
			r.str()
		}
		if r.tok == "{" {
			r.next()
			if r.tok != "}" {
				r.number(1)
				r.a.Accepting[q] = true
			}
			r.expect("}")
		}
		for r.tok != "State:" && r.tok != "--END--" {
			labels := common
			if r.tok == "[" {
				if common != nil {
					r.fail("labels on a state and on its edges")
				}
				labels = r.label()
			} else if common == nil {
				r.fail("%q where a label is expected", r.tok)
			}
			to := r.number(bound)
			grow(to)
			if r.tok == "{" || r.tok == "&" {
				r.fail("acceptance on edges, or an edge to several states")
			}
			for _, c := range labels {
				r.a.Edges[q] = append(r.a.Edges[q], buchi.Edge{Label: c, To: to})
			}
		}
	}
	r.expect("--END--")
	if r.tok != "" && r.tok != "HOA:" {
		r.fail("%q after the end", r.tok)
	}
}

// label reads a label in brackets.
func (r *reader) label() []buchi.Cube {
	r.expect("[")
	cubes := r.expression()
	r.expect("]")
	if cubes == nil {
		cubes = []buchi.Cube{}
	}
	return cubes
}

// expression reads a label expression, as a disjunction of cubes.
func (r *reader) expression() []buchi.Cube { return r.or(true, 0) }

// or reads a disjunction, and negates it if it is not positive.
func (r *reader) or(positive bool, depth int) []buchi.Cube {
	if depth > 200 {
		r.fail("a label nested more than 200 deep")
	}
	cubes := r.and(positive, depth)
	for r.tok == "|" {
		r.next()
		cubes = r.join(!positive, cubes, r.and(positive, depth))
	}
	return cubes
}

func (r *reader) and(positive bool, depth int) []buchi.Cube {
	cubes := r.literal(positive, depth)
	for r.tok == "&" {
		r.next()
		cubes = r.join(positive, cubes, r.literal(positive, depth))
	}
	return cubes
}

// join is the conjunction or the disjunction of two disjunctions of cubes.
func (r *reader) join(conjunction bool, c, d []buchi.Cube) []buchi.Cube {
	all := append(append([]buchi.Cube{}, c...), d...)
	if conjunction {
		all = nil
		for _, x := range c {
			for _, y := range d {
				if z, ok := x.And(y); ok {
					all = append(all, z)
				}
			}
		}
	}
	if len(all) > maxCubes {
		r.fail("a label that is more than %d cubes", maxCubes)
	}
	return all
}

func (r *reader) literal(positive bool, depth int) []buchi.Cube {
	switch t := r.tok; {
	case t == "!":
		r.next()
		if r.tok == "!" && depth > 200 {
			r.fail("a label nested more than 200 deep")
		}
		return r.literal(!positive, depth+1)
	case t == "(":
		r.next()
		cubes := r.or(positive, depth+1)
		r.expect(")")
		return cubes
	case t == "t" || t == "f":
		r.next()
		if (t == "t") == positive {
			return []buchi.Cube{{}}
		}
		return nil
	case strings.HasPrefix(t, "@"):
		cubes, ok := r.aliases[t]
		if !ok {
			r.fail("the alias %s is not known", t)
		}
		r.next()
		if positive {
			return cubes
		}
		return r.negate(cubes)
	}
	bit := uint64(1) << r.number(len(r.a.Atoms))
	if positive {
		return []buchi.Cube{{Pos: bit}}
	}
	return []buchi.Cube{{Neg: bit}}
}

// negate is the negation of a disjunction of cubes.
func (r *reader) negate(cubes []buchi.Cube) []buchi.Cube {
	all := []buchi.Cube{{}}
	for _, c := range cubes {
		var not []buchi.Cube
		for i := range buchi.MaxAtoms {
			if c.Pos>>i&1 != 0 {
				not = append(not, buchi.Cube{Neg: 1 << i})
			}
			if c.Neg>>i&1 != 0 {
				not = append(not, buchi.Cube{Pos: 1 << i})
			}
		}
		all = r.join(true, all, not)
	}
	return all
}
