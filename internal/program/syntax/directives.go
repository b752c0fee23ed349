package syntax

import "strings"

// This file takes line directives out of a text: # 12 "f.c" 3 4 and #line 12 "f.c", which say that what follows
// stands somewhere else. Who asks for the places in the file itself needs a program without them. They become blanks, so that no
// byte moves and no line changes its number.

// WithoutLineDirectives is a C text in which line directives are blanks. marked says that there were any. why says why the text without
// them may be another program, "" if it is the same one.
func WithoutLineDirectives(text string) (plain string, marked bool, why string) {
	if !strings.Contains(text, "#") && !strings.Contains(text, "%:") && !strings.Contains(text, "??=") {
		return text, false, ""
	}
	out := []byte(text)
	line, code := false, false // a line directive was there; something but blanks stands before, on the line
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			code = false
			i++
		case strings.HasPrefix(text[i:], "\\\n"), strings.HasPrefix(text[i:], "\\\r\n"):
			i += strings.IndexByte(text[i:], '\n') + 1
		case strings.IndexByte(" \t\r\v\f", c) >= 0:
			i++
		case strings.HasPrefix(text[i:], "//"):
			i = endOfLine(text, i)
		case strings.HasPrefix(text[i:], "/*"):
			i = endOfComment(text, i)
		case !code && (c == '#' || strings.HasPrefix(text[i:], "%:") || strings.HasPrefix(text[i:], "??=")):
			end := endOfDirective(text, i)
			rest := text[i+1 : end]
			if c != '#' {
				rest = strings.TrimLeft(text[i+1:end], ":?=")
			}
			// What the directive is called may be behind blanks and comments.
			word := strings.TrimLeft(rest, " \t\v\f")
			switch {
			case strings.HasPrefix(word, "line") || word != "" && word[0] >= '0' && word[0] <= '9':
				line = true
				if strings.Contains(rest, "\n") || strings.Contains(rest, "/*") || c != '#' {
					why = "a line directive spans lines, or has a comment"
				}
				for k := i; k < end; k++ {
					if out[k] != '\n' && out[k] != '\r' {
						out[k] = ' '
					}
				}
			case strings.HasPrefix(word, "\\") || strings.HasPrefix(word, "/*"):
				why = "the name of a directive is not on its line"
			}
			i = end
		case c == '"' || c == '\'':
			code = true
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
					if i < len(text) && text[i] == '\r' {
						i++
					}
				}
			}
			if i < len(text) && text[i] == c {
				i++
			}
		default:
			code = true
			if letter(c) {
				n := i
				for n < len(text) && letter(text[n]) {
					n++
				}
				if word := text[i:n]; word == "__LINE__" || word == "__FILE__" {
					why = "the program asks for " + word
				}
				i = n
				continue
			}
			i++
		}
	}
	if !line {
		return text, false, ""
	}
	return string(out), true, why
}

// endOfLine is where the line ends, with those that continue it.
func endOfLine(text string, i int) int {
	for {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		i += n
		if !strings.HasSuffix(strings.TrimSuffix(text[:i], "\r"), "\\") {
			return i
		}
		i++
	}
}

func endOfComment(text string, i int) int {
	n := strings.Index(text[i+2:], "*/")
	if n < 0 {
		return len(text)
	}
	return i + n + 4
}

// endOfDirective is where a directive ends: at the end of the line, but for comments in it.
func endOfDirective(text string, i int) int {
	for i < len(text) {
		switch c := text[i]; {
		case c == '\n':
			return i
		case c == '\\':
			i += 2
			if i <= len(text) && text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "//"):
			return endOfLine(text, i)
		case strings.HasPrefix(text[i:], "/*"):
			i = endOfComment(text, i)
		case c == '"' || c == '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i < len(text) && text[i] == c {
				i++
			}
		default:
			i++
		}
	}
	return len(text)
}
