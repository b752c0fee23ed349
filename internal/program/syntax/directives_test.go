package syntax

import (
	"strings"
	"testing"
)

// TestLineDirectives: they become blanks, and nothing else does.
func TestLineDirectives(t *testing.T) {
	for _, c := range []struct {
		text   string
		blanks string // the lines that are blank then, by their numbers from 1
		why    bool
	}{
		{"int x;\n", "", false},
		{"# 1 \"f.c\"\nint x;\n", "1", false},
		{"#line 7\n  #  line 8 \"g.c\"\nint x;\n# 12 \"f.c\" 3 4\nint y;\n", "124", false},
		{"#define F \"\\\"# 1\"\n#if 0\n#endif\n#pragma once\n", "", false},
		{"/*\n# 1 \"f.c\"\n*/ int x;\n", "", false},
		{"char *s = \"a\\\n# 5\";\n# 3\n", "3", false},
		{"// a \\\n# 1 \"f.c\"\n# 2 \"f.c\"\n", "3", false},
		{"#define A /* \n# 1\n*/ 5\n# 9\n", "4", false},
		{"int x; # 1\n", "", false},
		{"#if 0\ndon't /* do\n#endif\n# 4\n", "4", false},
		{"# 1 \\\n\"f.c\"\nint x;\n", "12", true},
		{"# 1 \"f.c\"\nint x = __LINE__;\n", "1", true},
		{"int x = __LINE__;\n", "", false},
		{"# /* */ line 7\nint x;\n# 1\n", "3", true},
		{"#line", "1", false},
		{"#", "", false},
		{"'", "", false},
		{"\"\\", "", false},
		{"/*", "", false},
	} {
		plain, marked, why := WithoutLineDirectives(c.text)
		if len(plain) != len(c.text) || strings.Count(plain, "\n") != strings.Count(c.text, "\n") || (why != "") != c.why || marked != (c.blanks != "") {
			t.Errorf("%q: %q, %v, %q", c.text, plain, marked, why)
		}
		old := strings.Split(c.text, "\n")
		for i, l := range strings.Split(plain, "\n") {
			blank := strings.Contains(c.blanks, string(rune('1'+i)))
			if blank && strings.TrimSpace(l) != "" || !blank && l != old[i] {
				t.Errorf("%q: line %d is %q", c.text, i+1, l)
			}
		}
	}
}

func FuzzLineDirectives(f *testing.F) {
	f.Add("# 1 \"f.c\"\nint x; /* \\\n# 3 */\n")
	f.Fuzz(func(t *testing.T, text string) {
		plain, marked, _ := WithoutLineDirectives(text)
		if len(plain) != len(text) || marked != (plain != text) {
			t.Errorf("%q: %q", text, plain)
		}
		if again, more, _ := WithoutLineDirectives(plain); more && again != plain {
			t.Errorf("%q: %q, then %q", text, plain, again)
		}
	})
}
