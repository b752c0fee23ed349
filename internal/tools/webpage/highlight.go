package webpage

import (
	"html/template"
	"strings"
)

// keywords of C.
var keywords = map[string]bool{}

func init() {
	for _, k := range strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long
		register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Noreturn bool`) {
		keywords[k] = true
	}
}

// highlighter marks up lines of C one after the other: comments, literals, keywords and directives.
type highlighter struct{ comment bool } // inside of a comment that goes on

// line is a line as HTML. Whatever the text is, it stays the same to readers: marks only add colour.
func (h *highlighter) line(s string) template.HTML {
	var b strings.Builder
	put := func(class, text string) {
		if class == "" || text == "" {
			b.WriteString(template.HTMLEscapeString(text))
			return
		}
		b.WriteString(`<i class="` + class + `">` + template.HTMLEscapeString(text) + `</i>`)
	}
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\t", "    "), "\uFFFD")
	if !h.comment && strings.HasPrefix(strings.TrimSpace(s), "#") && !strings.Contains(s, "/*") {
		put("d", s)
		return template.HTML(b.String())
	}
	for len(s) > 0 {
		n, class := 1, ""
		switch {
		case h.comment, strings.HasPrefix(s, "/*"):
			from := 0
			if !h.comment {
				from = 2
			}
			class, h.comment = "c", true
			if end := strings.Index(s[from:], "*/"); end >= 0 {
				n, h.comment = from+end+2, false
			} else {
				n = len(s)
			}
		case strings.HasPrefix(s, "//"):
			n, class = len(s), "c"
		case s[0] == '"' || s[0] == '\'':
			class = "s"
			for n < len(s) && s[n] != s[0] {
				if s[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(s))
		case isLetter(s[0]):
			for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
				n++
			}
			if keywords[s[:n]] {
				class = "k"
			}
		case isDigit(s[0]):
			for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '.') {
				n++
			}
			class = "n"
		default:
			for n < len(s) && !isLetter(s[n]) && !isDigit(s[n]) && s[n] != '"' && s[n] != '\'' && s[n] != '/' {
				n++
			}
		}
		put(class, s[:n])
		s = s[n:]
	}
	return template.HTML(b.String())
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
