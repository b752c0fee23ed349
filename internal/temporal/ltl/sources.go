package ltl

import (
	"strings"

	"assay/internal/run/lazyregexp"
)

// This file finds formulas in files: in property files, and in comments of C.

// Check is a line of a property file.
type Check struct {
	Entry    string // the function in init( )
	Property *Property
}

// checkLine is `CHECK( init(main()), LTL(` at the beginning of a line.
var checkLine = lazyregexp.New(`^\s*CHECK\s*\(\s*init\s*\(\s*([A-Za-z_]\w*)\s*\(\s*(?:void)?\s*\)\s*\)\s*,\s*LTL\s*(\()`)

// ParseChecks reads a property file with a line `CHECK( init(main()), LTL(…) )`
// for each formula. Empty lines and those that start with // or # are skipped.
func ParseChecks(file, text string) ([]Check, error) {
	var all []Check
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if l := strings.TrimSpace(line); l == "" || strings.HasPrefix(l, "//") || strings.HasPrefix(l, "#") {
			continue
		}
		whole := Source{File: file, Line: n, Col: 1, Text: line}
		m := checkLine.FindStringSubmatchIndex(line)
		if m == nil {
			return nil, whole.Errorf(Span{0, len(line)}, "a line reads CHECK( init(main()), LTL(<formula>) )", "not a property of linear temporal logic")
		}
		end, ok := closingParenthesis(line, m[4])
		if !ok {
			return nil, whole.Errorf(Span{m[4], m[5]}, "", "this has no closing )")
		}
		if rest := strings.Join(strings.Fields(line[end+1:]), ""); rest != ")" && rest != ");" {
			return nil, whole.Errorf(Span{end, end + 1}, "a line reads CHECK( init(main()), LTL(<formula>) )", "the line does not end with LTL(…) )")
		}
		p, err := Parse(part(whole, m[5], end))
		if err != nil {
			return nil, err
		}
		all = append(all, Check{line[m[2]:m[3]], p})
	}
	return all, nil
}

// part is a part of a source.
func part(s Source, start, end int) Source {
	e := Error{Source: s, Span: Span{start, start}}
	line, col := e.Position()
	return Source{File: s.File, Line: line, Col: col, Text: s.Text[start:end]}
}

// closingParenthesis is where the parenthesis at a place is closed.
func closingParenthesis(text string, at int) (int, bool) {
	depth := 0
	for {
		t := scan(text, at)
		at = t.span.End
		switch {
		case t.kind == endToken:
			return 0, false
		case t.is("("):
			depth++
		case t.is(")"):
			if depth--; depth == 0 {
				return t.span.Start, true
			}
		}
	}
}

// commentHead is how a comment with a formula begins, after // or /*.
var commentHead = lazyregexp.New(`^@\s*ltl\s+invariant\s+(\w+)\s*:`)

// ParseComments reads the formulas in comments of a C file:
//
//	//@ ltl invariant positive: [](AP(x > 0) ==> <>AP(y == 0));
//
// A blank before the @ makes it an ordinary comment, as do quotes around it.
func ParseComments(file, text string) ([]*Property, error) {
	var all []*Property
	whole := Source{File: file, Line: 1, Col: 1, Text: text}
	for at := 0; at < len(text); {
		switch {
		case strings.HasPrefix(text[at:], "//"), strings.HasPrefix(text[at:], "/*"):
			start, end := at+2, len(text)
			stop := "\n"
			if text[at+1] == '*' {
				stop = "*/"
			}
			if i := strings.Index(text[start:], stop); i >= 0 {
				end = start + i
			}
			at = min(len(text), end+len(stop))
			p, err := comment(whole, start, end)
			if err != nil {
				return nil, err
			}
			if p != nil {
				all = append(all, p)
			}
		case text[at] == '"' || text[at] == '\'':
			if end := quoteEnd(text, at); end > 0 {
				at = end
			} else {
				at++
			}
		default:
			at++
		}
	}
	return all, nil
}

// comment reads a comment, nil if it has no formula.
func comment(whole Source, start, end int) (*Property, error) {
	text := whole.Text[start:end]
	m := commentHead.FindStringSubmatchIndex(text)
	if m == nil {
		return nil, nil
	}
	if word := text[m[2]:m[3]]; word != "positive" {
		return nil, whole.Errorf(Span{start + m[2], start + m[3]}, "write //@ ltl invariant positive: <formula>;", "an invariant is positive, not %s", word)
	}
	body := strings.TrimRight(text[m[1]:], blanks)
	body = strings.TrimRight(strings.TrimSuffix(body, ";"), blanks)
	return Parse(part(whole, start+m[1], start+m[1]+len(body)))
}
