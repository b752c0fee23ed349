package syntax

import "strings"

// This file looks at the text itself, where clang's tree has no place for something: parentheses, semicolons.

// skip is the first byte from offset on that is neither blank nor comment.
func (f *File) skip(offset int) int {
	t := f.Text
	for offset < len(t) {
		switch {
		case strings.IndexByte(" \t\r\n\v\f", t[offset]) >= 0:
			offset++
		case strings.HasPrefix(t[offset:], "\\\n"):
			offset += 2
		case strings.HasPrefix(t[offset:], "//"):
			n := strings.IndexByte(t[offset:], '\n')
			if n < 0 {
				return len(t)
			}
			offset += n
		case strings.HasPrefix(t[offset:], "/*"):
			n := strings.Index(t[offset+2:], "*/")
			if n < 0 {
				return len(t)
			}
			offset += n + 4
		default:
			return offset
		}
	}
	return offset
}

// letter says that a byte can be part of a name.
func letter(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80 || b == '$'
}

// wordLength is the length of the name that begins at offset.
func (f *File) wordLength(offset int) int {
	n := 0
	for offset+n < len(f.Text) && letter(f.Text[offset+n]) {
		n++
	}
	return n
}

// Word is the name that begins at offset, "" if there is none.
func (f *File) Word(offset int) string {
	if offset < 0 || offset >= len(f.Text) || offset > 0 && letter(f.Text[offset-1]) {
		return ""
	}
	return f.Text[offset : offset+f.wordLength(offset)]
}

// word says that one of the words stands at offset.
func (f *File) word(offset int, words ...string) bool {
	have := f.Word(offset)
	for _, w := range words {
		if have == w {
			return true
		}
	}
	return false
}

// next is the byte behind the token at offset: a literal or a comment as a whole, or one byte.
func (f *File) next(offset int) int {
	t := f.Text
	switch q := t[offset]; q {
	case '"', '\'':
		for i := offset + 1; i < len(t); i++ {
			switch t[i] {
			case '\\':
				i++
			case q:
				return i + 1
			case '\n':
				return i
			}
		}
		return len(t)
	case '/', ' ', '\t', '\n', '\r':
		if s := f.skip(offset); s > offset {
			return s
		}
	}
	return offset + 1
}

// closing is the place of the parenthesis that closes the one at open, -1 if there is none.
func (f *File) closing(open int) int {
	depth := 0
	for i := open; i < len(f.Text); i = f.next(i) {
		switch f.Text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				if f.Text[i] != ')' {
					return -1
				}
				return i
			}
		}
	}
	return -1
}

// semicolons are the places of those between two places that are in no parentheses.
func (f *File) semicolons(from, to int) []int {
	var out []int
	depth := 0
	for i := from; i < to; i = f.next(i) {
		switch f.Text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ';':
			if depth == 0 {
				out = append(out, i)
			}
		}
	}
	return out
}

// ClosingOfCall is the place of the parenthesis that ends the call of a named function at offset, -1 if the text there is no
// such call.
func (f *File) ClosingOfCall(offset int) int {
	w := f.Word(offset)
	if w == "" {
		return -1
	}
	open := f.skip(offset + len(w))
	if open >= len(f.Text) || f.Text[open] != '(' {
		return -1
	}
	return f.closing(open)
}

// StatementEnd is the byte behind a statement with its semicolon, -1 if it cannot be told.
func (f *File) StatementEnd(n *Node) int {
	last := n
	for {
		switch last.Kind {
		case Compound, Declaration:
			if last.Macro {
				return -1
			}
			return last.End
		case If, While, For, Switch, Label:
			if len(last.Inner) == 0 {
				return -1
			}
			last = last.Inner[len(last.Inner)-1]
			continue
		}
		break
	}
	if last.Kind == Other && last.End > last.Begin && f.Text[last.End-1] == ';' {
		return last.End
	}
	end := last.End
	if last.Macro { // of a macro with arguments the name has a place
		if open := f.skip(end); open < len(f.Text) && f.Text[open] == '(' {
			if end = f.closing(open) + 1; end == 0 {
				return -1
			}
		}
	}
	if end = f.skip(end); end < len(f.Text) && f.Text[end] == ';' {
		return end + 1
	}
	return -1
}

// OpenOfCall is the place of the parenthesis that opens the arguments of a call, -1 if it is not found.
func (f *File) OpenOfCall(n *Node) int {
	for i := n.Begin; i < n.End; i = f.next(i) {
		if f.Text[i] == '(' && f.closing(i) == n.End-1 {
			return i
		}
	}
	return -1
}
