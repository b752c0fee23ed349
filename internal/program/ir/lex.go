package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseError is a defect of a text, at a line and column that count from 1.
type ParseError struct {
	Line, Col int
	Msg       string
}

// Error is "line:column: message".
func (e *ParseError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// tokenKind is the class of a token. Lines are tokenised one at a time, for
// every construct of the text form fits one line.
type tokenKind uint8

const (
	tokEnd    tokenKind = iota // of the line
	tokWord                    // mnemonics, types, labels
	tokNumber                  // as written
	tokValue                   // %x, text is x
	tokSymbol                  // @x or @"x", text is x
	tokString                  // "x", text is x
	tokPos                     // !1:2:3, text is 1:2:3
	tokPunct                   // one of ( ) [ ] { } , : = or ->
)

type token struct {
	kind tokenKind
	text string
	col  int
}

func (t token) String() string {
	if t.kind == tokEnd {
		return "end of line"
	}
	return strconv.Quote(t.text)
}

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool { return isWordStart(c) || isDigit(c) || c == '-' }

// span is the length of the longest prefix of s whose bytes satisfy in.
func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

// numberSpan is the length of the number at the start of s: digits, letters
// and points, and signs after the e of a decimal.
func numberSpan(s string) int {
	n := 1
	for n < len(s) {
		sign := (s[n] == '+' || s[n] == '-') && (s[n-1] == 'e' || s[n-1] == 'E') && !strings.HasPrefix(s, "0x")
		if !isDigit(s[n]) && !isWordStart(s[n]) && !sign {
			break
		}
		n++
	}
	return n
}

// lex splits one line into tokens, the last of which is tokEnd. A comment
// extends from a semicolon to the end of the line.
func lex(line string, number int, toks []token) ([]token, error) {
	fail := func(i int, format string, args ...any) error {
		return &ParseError{number, i + 1, fmt.Sprintf(format, args...)}
	}
	quoted := func(i int) (string, int, error) {
		q, err := strconv.QuotedPrefix(line[i:])
		if err != nil || line[i] != '"' {
			return "", 0, fail(i, "malformed string")
		}
		s, err := strconv.Unquote(q)
		if err != nil {
			return "", 0, fail(i, "malformed string")
		}
		return s, len(q), nil
	}
	i := 0
	for i < len(line) {
		c := line[i]
		rest := line[i+1:]
		tok := token{col: i + 1}
		n := 1
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case c == ';':
			return append(toks, token{col: i + 1}), nil
		case c == '"':
			s, k, err := quoted(i)
			if err != nil {
				return nil, err
			}
			tok.kind, tok.text, n = tokString, s, k
		case c == '@' && rest != "" && rest[0] == '"':
			s, k, err := quoted(i + 1)
			if err != nil {
				return nil, err
			}
			tok.kind, tok.text, n = tokSymbol, s, k+1
		case c == '@' && span(rest, isWordByte) > 0:
			n = 1 + span(rest, isWordByte)
			tok.kind, tok.text = tokSymbol, line[i+1:i+n]
		case c == '%' && span(rest, isWordByte) > 0:
			n = 1 + span(rest, isWordByte)
			tok.kind, tok.text = tokValue, line[i+1:i+n]
		case c == '!':
			n = 1 + span(rest, func(c byte) bool { return isDigit(c) || c == ':' || c == '-' })
			tok.kind, tok.text = tokPos, line[i+1:i+n]
		case c == '-' && rest != "" && rest[0] == '>':
			n = 2
			tok.kind, tok.text = tokPunct, "->"
		case isDigit(c) || c == '-':
			n = numberSpan(line[i:])
			tok.kind, tok.text = tokNumber, line[i:i+n]
		case isWordStart(c):
			n = span(line[i:], isWordByte)
			tok.kind, tok.text = tokWord, line[i:i+n]
		case strings.IndexByte("()[]{},:=", c) >= 0:
			tok.kind, tok.text = tokPunct, line[i:i+1]
		default:
			return nil, fail(i, "unexpected character %q", c)
		}
		toks = append(toks, tok)
		i += n
	}
	return append(toks, token{col: i + 1}), nil
}
