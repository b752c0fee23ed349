package cprover

import (
	"strings"
)

// kind classifies tokens.
type kind uint8

const (
	end kind = iota
	word
	number
	text // a string or character literal
	mark // punctuation
)

// token is a token of preprocessed C: before is what stands in front of it (blanks, line
// markers, pragmas), which the output keeps.
type token struct {
	kind   kind
	before string
	text   string
	// pair is the index of the bracket that belongs to a bracket, -1 for others and where it is missing.
	pair int
}

// marks are the punctuators of more than a character, longer ones first.
var marks = []string{
	"<==>", "==>", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "##",
}

// scan splits preprocessed C into tokens, the last of which has what stands behind all.
func scan(source string) []token {
	var out []token
	var open []int
	at := 0
	for {
		begin := at
		at = skip(source, at)
		t := token{before: source[begin:at], pair: -1}
		if at >= len(source) {
			out = append(out, t)
			return out
		}
		t.kind, t.text = next(source[at:])
		at += len(t.text)
		if t.kind == mark {
			switch t.text {
			case "(", "[", "{":
				open = append(open, len(out))
			case ")", "]", "}":
				if n := len(open); n > 0 {
					t.pair = open[n-1]
					out[t.pair].pair = len(out)
					open = open[:n-1]
				}
			}
		}
		out = append(out, t)
	}
}

// skip is the position behind blanks, comments and lines for the compiler.
func skip(s string, at int) int {
	fresh := at == 0 || s[at-1] == '\n'
	for at < len(s) {
		switch c := s[at]; {
		case c == '\n':
			fresh = true
			at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			at++
		case c == '#' && fresh:
			if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
				at += n
			} else {
				at = len(s)
			}
		case strings.HasPrefix(s[at:], "//"):
			if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
				at += n
			} else {
				at = len(s)
			}
		case strings.HasPrefix(s[at:], "/*"):
			if n := strings.Index(s[at+2:], "*/"); n >= 0 {
				at += n + 4
			} else {
				at = len(s)
			}
		case c == '\\' && at+1 < len(s) && s[at+1] == '\n':
			at += 2
		default:
			return at
		}
	}
	return at
}

// next is the first token of a text.
func next(s string) (kind, string) {
	c := s[0]
	switch {
	case isLetter(c):
		n := 1
		for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
			n++
		}
		if n < len(s) && n <= 2 && (s[n] == '"' || s[n] == '\'') { // L"…", u8"…"
			return text, s[:n+literal(s[n:])]
		}
		return word, s[:n]
	case isDigit(c) || c == '.' && len(s) > 1 && isDigit(s[1]):
		n := 1
		for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '.' || (s[n] == '+' || s[n] == '-') && strings.IndexByte("eEpP", s[n-1]) >= 0) {
			n++
		}
		return number, s[:n]
	case c == '"' || c == '\'':
		return text, s[:literal(s)]
	}
	for _, m := range marks {
		if strings.HasPrefix(s, m) {
			return mark, m
		}
	}
	return mark, s[:1]
}

// literal is the length of the string or character literal that a text begins with.
func literal(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
