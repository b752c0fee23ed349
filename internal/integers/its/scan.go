package its

import (
	"fmt"
	"strings"
	"unicode"

	"assay/internal/logic/linear"
)

// ParseError is a mistake in a file, with its place.
type ParseError struct {
	File    string
	Line    int
	Message string
}

func (e *ParseError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// scanner splits text into tokens: names, numbers, strings, and symbols of
// which the longest in symbols is taken. Line comments begin with one of comments.
type scanner struct {
	file     string
	text     string
	pos      int
	line     int
	symbols  []string // longest first
	comments []string
	nameRune func(r rune, first bool) bool

	token string // "" at the end
	kind  tokenKind
	at    int // line of the token
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenNumber
	tokenString
	tokenSymbol
)

// failure carries a ParseError out of a recursive descent.
type failure struct{ err *ParseError }

func (s *scanner) fail(format string, args ...any) {
	panic(failure{&ParseError{s.file, s.at, fmt.Sprintf(format, args...)}})
}

// rescue turns a failure into an error; to be deferred.
func rescue(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.err
	default:
		panic(p)
	}
}

func cName(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && (unicode.IsDigit(r) || strings.ContainsRune("'.!$^#@", r))
}

func (s *scanner) skip() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch c := rest[0]; {
		case c == '\n':
			s.line++
			s.pos++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			s.pos++
		default:
			comment := false
			for _, p := range s.comments {
				comment = comment || strings.HasPrefix(rest, p)
			}
			if !comment {
				return
			}
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				s.pos += end
			} else {
				s.pos = len(s.text)
			}
		}
	}
}

// next reads a token.
func (s *scanner) next() {
	s.skip()
	s.at = s.line
	if s.pos >= len(s.text) {
		s.token, s.kind = "", tokenEnd
		return
	}
	rest := s.text[s.pos:]
	for _, sym := range s.symbols {
		if strings.HasPrefix(rest, sym) {
			s.take(len(sym), tokenSymbol)
			return
		}
	}
	if rest[0] == '"' {
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			s.fail("a string without end")
		}
		s.line += strings.Count(rest[:end+2], "\n")
		s.take(end+2, tokenString)
		return
	}
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	if n > 0 {
		s.take(n, tokenNumber)
		return
	}
	for i, r := range rest {
		if !s.nameRune(r, i == 0) {
			break
		}
		n = i + len(string(r))
	}
	if n == 0 || n > len(rest) {
		s.fail("unexpected character %q", rest[0])
	}
	s.take(n, tokenName)
}

func (s *scanner) take(n int, kind tokenKind) {
	s.token, s.kind = s.text[s.pos:s.pos+n], kind
	s.pos += n
}

// is says whether the token is a symbol or name.
func (s *scanner) is(token string) bool {
	return s.token == token && (s.kind == tokenSymbol || s.kind == tokenName)
}

// accept reads over the token if it is the given one.
func (s *scanner) accept(token string) bool {
	if s.is(token) {
		s.next()
		return true
	}
	return false
}

func (s *scanner) expect(token string) {
	if !s.accept(token) {
		s.fail("expected %q, found %s", token, s.describe())
	}
}

func (s *scanner) describe() string {
	if s.kind == tokenEnd {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", s.token)
}

func (s *scanner) name(what string) string {
	if s.kind != tokenName {
		s.fail("expected %s, found %s", what, s.describe())
	}
	t := s.token
	s.next()
	return t
}

// number is the value of a number token, which it reads over.
func (s *scanner) number() linear.Number {
	if len(s.token) > 1000 {
		s.fail("a number of %d digits", len(s.token))
	}
	n, ok := parseNumber(s.token)
	if s.kind != tokenNumber || !ok {
		s.fail("expected a number, found %s", s.describe())
	}
	s.next()
	return n
}
