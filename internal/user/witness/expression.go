package witness

import (
	"fmt"
	"strings"
)

// This file looks at expressions before anybody compiles them: they are put into the text of the program, and must stay what
// they are there, one expression that changes nothing. So an expression is a balanced row of tokens of C's
// operators without assignment, and no name is called. That a parenthesised operand is not called through a pointer is
// looked at in the compiled program.

// token is a token of an expression.
type token struct {
	text string
	at   int
}

// operators, longest first.
var operators = []string{"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "::", "<:", ":>", "<%", "%>", "%:"}

// single are the operators and brackets of one character that an expression may have.
const single = "+-*/%&|^~!<>()[].?:,"

func isLetter(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// tokens are those of an expression, or why is what cannot be in one.
func tokens(text string) (list []token, why string) {
	for i := 0; i < len(text); {
		c := text[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		start := i
		switch {
		case c >= '0' && c <= '9' || c == '.' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
			for i < len(text) && (isLetter(text[i]) || text[i] == '.' || strings.IndexByte("+-", text[i]) >= 0 && strings.IndexByte("eEpP", text[i-1]) >= 0 && i > start) {
				i++
			}
		case isLetter(c):
			for i < len(text) && isLetter(text[i]) {
				i++
			}
		case c == '\\':
			for i++; i < len(text) && isLetter(text[i]); i++ {
			}
		case c == '\'':
			for i++; i < len(text) && text[i] != '\''; i++ {
				if text[i] == '\\' {
					i++
				}
				if i >= len(text) || text[i] == '\n' || text[i] < ' ' {
					return nil, "has an unfinished character"
				}
			}
			if i >= len(text) {
				return nil, "has an unfinished character"
			}
			i++
		case strings.HasPrefix(text[i:], "/*") || strings.HasPrefix(text[i:], "//"):
			return nil, "has a comment"
		default:
			i++
			for _, op := range operators {
				if strings.HasPrefix(text[start:], op) {
					i = start + len(op)
					break
				}
			}
			if i == start+1 && strings.IndexByte(single, c) < 0 && c != '=' {
				return nil, fmt.Sprintf("has the character %q", c)
			}
		}
		list = append(list, token{text[start:i], start})
	}
	return list, ""
}

// writes are the operators that change something, foreign those that are not C's.
var (
	writes  = map[string]bool{"=": true, "++": true, "--": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "&=": true, "|=": true, "^=": true, "<<=": true, ">>=": true}
	foreign = map[string]bool{"...": true, "##": true, "::": true, "<:": true, ":>": true, "<%": true, "%>": true, "%:": true}
)

// words that may stand before a parenthesis, and those that may not be in an expression at all.
var (
	typeWords = map[string]bool{
		"int": true, "char": true, "short": true, "long": true, "signed": true, "unsigned": true, "float": true, "double": true, "_Bool": true, "bool": true, "void": true,
		"struct": true, "union": true, "enum": true, "const": true, "volatile": true, "__int128": true, "__int128_t": true, "__uint128_t": true,
	}
	statements = map[string]bool{
		"if": true, "else": true, "while": true, "for": true, "do": true, "switch": true, "case": true, "default": true, "goto": true, "return": true, "break": true,
		"continue": true, "asm": true, "__asm__": true, "__asm": true, "typedef": true, "extern": true, "static": true, "auto": true, "register": true, "inline": true,
		"_Generic": true, "typeof": true, "__typeof__": true, "__typeof": true, "__extension__": true, "_Static_assert": true, "static_assert": true, "__attribute__": true, "__auto_type": true, "__COUNTER__": true,
	}
)

// maxNesting bounds the parentheses inside each other, for clang has a limit.
const maxNesting = 200

// Impure says what forbids an expression in a witness, "" if nothing does. result allows \result.
func Impure(text string, result bool) string {
	list, why := tokens(text)
	switch {
	case why != "":
		return why
	case len(list) == 0:
		return "is empty"
	}
	var open []string
	questions := 0
	for i, t := range list {
		previous, next := "", ""
		if i > 0 {
			previous = list[i-1].text
		}
		if i+1 < len(list) {
			next = list[i+1].text
		}
		switch {
		case writes[t.text]:
			return fmt.Sprintf("changes something: it has the operator %s", t.text)
		case foreign[t.text]:
			return fmt.Sprintf("is none of C: it has %s", t.text)
		case statements[t.text] || strings.HasPrefix(t.text, "__assay") || strings.HasPrefix(t.text, "__builtin"):
			return fmt.Sprintf("has the word %s", t.text)
		case t.text == `\result` && result:
		case t.text[0] == '\\':
			return fmt.Sprintf("has %s, which is no C", t.text)
		case t.text == "," && len(open) == 0:
			return "has a comma"
		case t.text == "(" || t.text == "[":
			if t.text == "(" && (isName(previous) && !typeWords[previous] && previous != "sizeof" && previous != "_Alignof" || previous == "]") {
				return fmt.Sprintf("calls %s", previous)
			}
			if open = append(open, t.text); len(open) > maxNesting {
				return "is nested too deeply"
			}
		case t.text == ")" || t.text == "]":
			if len(open) == 0 || (open[len(open)-1] == "(") != (t.text == ")") {
				return "has brackets that do not match"
			}
			open = open[:len(open)-1]
		case t.text == "?":
			questions++
		case t.text == ":":
			if questions--; questions < 0 {
				return "has a colon without a question mark"
			}
		case isName(t.text) && isName(next) && !typeWords[t.text] && t.text != "sizeof" && previous != "struct" && previous != "union" && previous != "enum":
			return fmt.Sprintf("is no expression: %s %s", t.text, next)
		}
	}
	switch {
	case len(open) > 0:
		return "has brackets that do not match"
	case questions != 0:
		return "has a question mark without a colon"
	}
	return ""
}

func isName(text string) bool {
	return text != "" && isLetter(text[0]) && (text[0] < '0' || text[0] > '9')
}

// Previous is a part of a transition invariant that is about an earlier visit of the loop.
type Previous struct{ Begin, End, TextBegin, TextEnd int } // of \at(text, AnyPrev), and of text

// AtPrevious finds the parts \at(x, AnyPrev) of a transition invariant.
func AtPrevious(text string) ([]Previous, error) {
	list, why := tokens(text)
	if why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	var out []Previous
	rest := []byte(text)
	for i := 0; i < len(list); i++ {
		if list[i].text != `\at` {
			continue
		}
		if i+1 >= len(list) || list[i+1].text != "(" {
			return nil, fmt.Errorf(`has \at without parentheses`)
		}
		depth, comma, k := 0, -1, i+1
		for ; k < len(list); k++ {
			switch list[k].text {
			case "(", "[":
				depth++
			case ")", "]":
				depth--
			case ",":
				if depth == 1 {
					comma = k
				}
			case `\at`:
				return nil, fmt.Errorf(`has \at inside of \at`)
			}
			if depth == 0 {
				break
			}
		}
		if k >= len(list) || comma < 0 || comma != k-2 || list[k-1].text != "AnyPrev" {
			return nil, fmt.Errorf(`has \at of something else than AnyPrev`)
		}
		p := Previous{list[i].at, list[k].at + 1, list[i+1].at + 1, list[comma].at}
		inner := text[p.TextBegin:p.TextEnd]
		if why := Impure(inner, false); why != "" {
			return nil, fmt.Errorf("%s", why)
		}
		out = append(out, p)
		for b := p.Begin; b < p.End; b++ {
			rest[b] = ' '
		}
		rest[p.Begin] = '0'
		i = k
	}
	if why := Impure(string(rest), false); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	return out, nil
}

// Rename replaces names that are no members of something.
func Rename(text string, to func(name string) string) string {
	list, why := tokens(text)
	if why != "" {
		return text
	}
	out, done := "", 0
	for i, t := range list {
		if !isName(t.text) || i > 0 && (list[i-1].text == "." || list[i-1].text == "->") {
			continue
		}
		out += text[done:t.at] + to(t.text)
		done = t.at + len(t.text)
	}
	return out + text[done:]
}

// Olds finds the parts \old(x) of a postcondition: where they stand, and where the text of x does.
func Olds(text string) ([]Previous, error) {
	list, why := tokens(text)
	if why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	var out []Previous
	for i := 0; i < len(list); i++ {
		if list[i].text != `\old` {
			continue
		}
		if i+1 >= len(list) || list[i+1].text != "(" {
			return nil, fmt.Errorf(`has \old without parentheses`)
		}
		depth, k := 0, i+1
		for ; k < len(list); k++ {
			switch list[k].text {
			case "(", "[":
				depth++
			case ")", "]":
				depth--
			case `\old`, `\result`:
				return nil, fmt.Errorf(`has %s inside of \old`, list[k].text)
			}
			if depth == 0 {
				break
			}
		}
		if k >= len(list) {
			return nil, fmt.Errorf("has brackets that do not match")
		}
		out = append(out, Previous{list[i].at, list[k].at + 1, list[i+1].at + 1, list[k].at})
		i = k
	}
	return out, nil
}
