package ltl

import "strings"

// tokenKind is a kind of token. Formulas and the C expressions in them have the
// same tokens.
type tokenKind uint8

const (
	endToken    tokenKind = iota
	nameToken             // an identifier, also qualified: main::x
	numberToken           // a C number
	stringToken           // in double quotes
	charToken             // in single quotes
	punctToken            // an operator or a bracket
	badToken              // no token at all
)

// token is a piece of the source.
type token struct {
	kind tokenKind
	text string
	span Span
}

// is says that the token is one of these operators or brackets.
func (t token) is(texts ...string) bool {
	if t.kind == punctToken {
		for _, s := range texts {
			if t.text == s {
				return true
			}
		}
	}
	return false
}

// puncts are the operators and brackets of more than one character, longest first.
// No C expression has the first row.
var puncts = []string{
	"<==>", "==>", "<->", "<=>", "=>", "<>", "[]", "^^",
	"<<=", ">>=", "...",
	"->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=",
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	digits  = "0123456789"
	singles = "()[]{}<>!~+-*/%&|^=?:;,."
	blanks  = " \t\r\n\f\v"
)

func isLetter(c byte) bool { return strings.IndexByte(letters, c) >= 0 }
func isDigit(c byte) bool  { return strings.IndexByte(digits, c) >= 0 }

// scan is the token at or after a position.
func scan(text string, at int) token {
	for at < len(text) && strings.IndexByte(blanks, text[at]) >= 0 {
		at++
	}
	to := func(kind tokenKind, end int) token { return token{kind, text[at:end], Span{at, end}} }
	if at == len(text) {
		return to(endToken, at)
	}
	switch c := text[at]; {
	case isLetter(c):
		return to(nameToken, nameEnd(text, at))
	case isDigit(c) || c == '.' && at+1 < len(text) && isDigit(text[at+1]):
		return to(numberToken, numberEnd(text, at))
	case c == '"' || c == '\'':
		end := quoteEnd(text, at)
		if end < 0 {
			return to(badToken, at+1)
		}
		if c == '"' {
			return to(stringToken, end)
		}
		return to(charToken, end)
	}
	for _, p := range puncts {
		if strings.HasPrefix(text[at:], p) {
			return to(punctToken, at+len(p))
		}
	}
	if strings.IndexByte(singles, text[at]) >= 0 {
		return to(punctToken, at+1)
	}
	return to(badToken, at+1)
}

// nameEnd is the end of an identifier, with the names that qualify it.
func nameEnd(text string, at int) int {
	for {
		for at < len(text) && (isLetter(text[at]) || isDigit(text[at])) {
			at++
		}
		if at+2 >= len(text) || text[at:at+2] != "::" || !isLetter(text[at+2]) {
			return at
		}
		at += 2
	}
}

// numberEnd is the end of a preprocessing number: digits, letters, dots and the
// signs of exponents.
func numberEnd(text string, at int) int {
	for at < len(text) {
		c := text[at]
		sign := (c == '+' || c == '-') && strings.IndexByte("eEpP", text[at-1]) >= 0
		if !isLetter(c) && !isDigit(c) && c != '.' && !sign {
			break
		}
		at++
	}
	return at
}

// quoteEnd is the end of a text in quotes, -1 if there is none.
func quoteEnd(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return -1
		case text[at]:
			return i + 1
		}
	}
	return -1
}

// operators are the words that are binary operators of formulas.
var operators = map[string]BinaryOp{"U": UntilOp, "W": WeakUntilOp, "WU": WeakUntilOp, "R": ReleaseOp, "V": ReleaseOp}

// prefixes are the letters of the unary operators.
var prefixes = map[byte]UnaryOp{'X': NextOp, 'F': FinallyOp, 'G': GloballyOp}

// reserved says that a name is an operator, or a row of unary ones like GF.
func reserved(name string) bool {
	if _, ok := operators[name]; ok {
		return true
	}
	return strings.Trim(name, "XFG") == ""
}

// plainName says that a text is a name that needs no AP( ) around it.
func plainName(text string) bool {
	if text == "" || !isLetter(text[0]) || nameEnd(text, 0) != len(text) || reserved(text) {
		return false
	}
	return text != "true" && text != "false" && text != "AP"
}
