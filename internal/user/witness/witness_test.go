package witness

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// metadata of the entries of the tests.
const metadata = `  metadata:
    format_version: "2.0"
    uuid: 0e84a9de-b9f6-44dd-ab8d-ebdeca941483
    creation_time: 2025-10-17T17:14:00Z
    producer: {name: X, version: "1.0"}
    task:
      input_files: [f.c]
      input_file_hashes: {f.c: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef}
      specification: G ! call(reach_error())
      data_model: LP64
      language: C
`

func invariantSet(content string) string {
	return "- entry_type: invariant_set\n" + metadata + "  content:\n" + content
}

func sequence(content string) string {
	return "- entry_type: violation_sequence\n" + metadata + "  content:\n" + content
}

const (
	goodInvariant = "  - invariant: {type: loop_invariant, location: {file_name: f.c, line: 3, column: 5, function: main}, value: 'x <= 5', format: c_expression}\n"
	goodTarget    = "  - segment:\n    - waypoint: {type: target, action: follow, location: {file_name: f.c, line: 9}}\n"
)

// TestFiles reads witnesses in the style of other tools.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrong has the messages for what is no witness.
func TestWrong(t *testing.T) {
	invariant := func(change ...string) string {
		return invariantSet(strings.NewReplacer(change...).Replace(goodInvariant))
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "1:1: no YAML: EOF"},
		{"no YAML", "- a: [\n", "no YAML"},
		{"binary", "a\x00b", "zero byte"},
		{"GraphML", "<?xml version='1.0'?><graphml/>", "GraphML"},
		{"a mapping", "a: b\n", "1:1: a witness is a list"},
		{"two documents", "- a\n---\n- b\n", "several YAML documents"},
		{"an alias", "- &a x\n- *a\n", "anchors"},
		{"a bomb", "- a: &a [x, x]\n  b: &b [*a, *a]\n  c: [*b, *b]\n", "anchors"},
		{"an old format", "- entry_type: loop_invariant\n", "format 0.1"},
		{"an unknown entry", "- entry_type: guess\n", "1:15: unknown entry type"},
		{"no metadata", "- entry_type: invariant_set\n  content: []\n", "no metadata"},
		{"another version", strings.Replace(invariantSet(goodInvariant), `"2.0"`, `"3.0"`, 1), "3:21: the format version"},
		{"no hash", strings.Replace(invariantSet(goodInvariant), "f.c: 0123", "g.c: 0123", 1), "input_file_hashes has no f.c"},
		{"a short hash", strings.Replace(invariantSet(goodInvariant), "{f.c: 0123", "{f.c: 123", 1), "no SHA-256"},
		{"another language", strings.Replace(invariantSet(goodInvariant), "language: C", "language: Java", 1), "language"},
		{"an assignment", invariant("x <= 5", "x = 5"), "changes something"},
		{"an increment", invariant("x <= 5", "x++ < 5"), "++"},
		{"a call", invariant("x <= 5", "f(x)"), "calls f"},
		{"an escape", invariant("x <= 5", "1)) ; abort(); ((1"), `"1)) ; abort(); ((1" has`},
		{"a statement", invariant("x <= 5", "({ x; })"), "has the character '{'"},
		{"unbalanced", invariant("x <= 5", ") + ("), "brackets"},
		{"a comment", invariant("x <= 5", "x /* y"), "comment"},
		{"a directive", invariant("x <= 5", "x #define"), "character '#'"},
		{"a text", invariant("x <= 5", `"a"`), `character '"'`},
		{"no value", invariant("value: 'x <= 5', ", ""), "no value"},
		{"line 0", invariant("line: 3", "line: 0"), "line must be a number from 1"},
		{"a huge line", invariant("line: 3", "line: 99999999999999999999"), "line must be a number"},
		{"a column of words", invariant("column: 5", "column: x"), "column must be a number"},
		{"no line", invariant("line: 3, ", ""), "location has no line"},
		{"an unknown type", invariant("loop_invariant", "invariant"), "type is"},
		{"a key twice", invariant("line: 3", "line: 3, line: 4"), "location has line twice"},
		{"no segment", sequence("    []\n"), "needs a segment"},
		{"no waypoint", sequence("  - segment: []\n"), "needs a waypoint"},
		{"a target that is avoided", sequence(strings.Replace(goodTarget, "follow", "avoid", 1)), "must be followed"},
		{"nothing behind the target", sequence(goodTarget + goodTarget), "the target must be"},
		{"no target", sequence(strings.Replace(goodTarget, "target", "function_enter", 1)), "the last segment must follow a target"},
		{"a constraint of a target", sequence(strings.Replace(goodTarget, "action", "constraint: {value: x}, action", 1)), "has no constraint"},
		{"a wild branch", sequence("  - segment:\n    - waypoint: {type: branching, action: follow, location: {file_name: f.c, line: 9}, constraint: {value: maybe}}\n" + goodTarget), "a branch is true"},
		{"an assumption that writes", sequence("  - segment:\n    - waypoint: {type: assumption, action: follow, location: {file_name: f.c, line: 9}, constraint: {value: x -= 1}}\n" + goodTarget), "changes something"},
	} {
		w, err := Read([]byte(c.text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.name, w, err, c.want)
		}
	}
}

func TestExpressions(t *testing.T) {
	for _, good := range []string{
		"x", "0 <= x && x <= 40", "(long long)x + 1 < y", "!(a[3] == 'c')", "s->f.g != 0", "*p == 1", "&x == p", "sizeof(int) == 4", "x ? y : z", "x >= 1024U", "(unsigned int) (x)",
		"(struct s *)p == q", "1.5e-3 < d", "0x1p+3 == d", "-x == +y", "(x)", "((x) == (1))", "x == '\\''",
	} {
		if why := Impure(good, false); why != "" {
			t.Errorf("%s %s", good, why)
		}
	}
	for _, bad := range []string{
		"", "  ", "x = 1", "x += 1", "x <<= 1", "--x", "f()", "f (x)", "a[0](1)", "x;y", "x, y", "x)", "(x", "[", "x ? y", "x : y", "\\result", "\\old(x)", "x @ y", "if (x)", "return x",
		"__assay_segment == 1", "__builtin_trap()", "x y", "a ## b", "'a", "`", "x \\\n y", "typeof(x) y", "_Generic(x)", "sizeof(int[f(1)])", "asm(\"\")", "<% x %>", "x \x01",
	} {
		if Impure(bad, false) == "" {
			t.Errorf("%q is allowed", bad)
		}
	}
	if why := Impure(`\result == 5`, true); why != "" {
		t.Error(why)
	}
	if Impure(strings.Repeat("(", 300)+"x"+strings.Repeat(")", 300), false) == "" {
		t.Error("300 parentheses are allowed")
	}
}

func TestAtPrevious(t *testing.T) {
	text := `(long long)\at(x, AnyPrev) - \at((y), AnyPrev) > (long long)x`
	parts, err := AtPrevious(text)
	if err != nil || len(parts) != 2 || text[parts[0].TextBegin:parts[0].TextEnd] != "x" || text[parts[1].TextBegin:parts[1].TextEnd] != "(y)" || text[parts[1].Begin:parts[1].End] != `\at((y), AnyPrev)` {
		t.Error(parts, err)
	}
	for _, bad := range []string{`\at(x, Pre) > x`, `\at x > 0`, `\at(\at(x, AnyPrev), AnyPrev) > 0`, `\at(x++, AnyPrev) > 0`, `\at(x, AnyPrev > 0`, `\at(x, AnyPrev) = 0`, `\at()`} {
		if _, err := AtPrevious(bad); err == nil {
			t.Errorf("%s is allowed", bad)
		}
	}
}

// written is a witness with everything that is written.
func written() []*Witness {
	task := Task{Files: []File{{"f.c", strings.Repeat("0", 64)}}, Specification: "F end", DataModel: "ILP32"}
	at := func(line int) Location { return Location{"f.c", line, 3, "main"} }
	return []*Witness{
		{Version: V21, Producer: "assay 0", Task: task, Invariants: []Invariant{
			{Type: LoopInvariant, At: at(3), Value: "x <= 5 && y != 'a'"}, {Type: LoopTransitionInvariant, At: at(3), Value: `\at(x, AnyPrev) > x`},
		}, Contracts: []Contract{{At: at(1), Requires: "x >= 0", Ensures: `\result >= x && \old(g) == g`}}},
		{Version: V21, Producer: "assay 0", Task: task, Violation: true, Segments: []Segment{
			{{Type: Assumption, Action: Avoid, At: at(2), Value: "x > 2"}, {Type: FunctionReturn, Action: Follow, At: at(3), Value: `\result == -5`}},
			{{Type: Branching, Action: Follow, At: at(4), Value: "true"}},
			{{Type: FunctionEnter, Action: Follow, At: at(4)}},
			{{Type: Assumption, Action: Cycle, At: at(5), Value: "1"}},
		}},
		{Version: V20, Producer: "assay 0", Task: task, Violation: true, Segments: []Segment{{{Type: Target, Action: Follow, At: at(4)}}}},
		{Version: V20, Producer: "assay 0", Task: task},
	}
}

// TestRoundTrip reads what is written, and writes the same bytes again.
func TestRoundTrip(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	for _, w := range written() {
		var first, second bytes.Buffer
		if err := w.WriteYAML(&first); err != nil {
			t.Fatal(err)
		}
		got, err := Read(first.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, &first)
		}
		if err := got.WriteYAML(&second); err != nil || first.String() != second.String() {
			t.Errorf("%v: written again it is\n%s\nnot\n%s", err, &second, &first)
		}
		if !strings.Contains(first.String(), "creation_time: 1970-01-02T00:00:00Z\n") {
			t.Errorf("the time of creation is not that of SOURCE_DATE_EPOCH:\n%s", &first)
		}
		if len(got.Invariants) != len(w.Invariants) || len(got.Contracts) != len(w.Contracts) || len(got.Segments) != len(w.Segments) || !reflect.DeepEqual(got.Task, w.Task) {
			t.Errorf("read back: %+v", got)
		}
	}
}

// FuzzRead: no input makes the reader crash; what it reads can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(invariantSet(goodInvariant)))
	f.Add([]byte(sequence(goodTarget)))
	f.Add([]byte("- &a [*a]"))
	f.Add([]byte("- !!binary x\n- ? [a]\n  : b\n"))
	for _, w := range written() {
		var b bytes.Buffer
		if err := w.WriteYAML(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := Read(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("another kind of error: %v", err)
			}
			return
		}
		for _, i := range w.Invariants {
			if i.Type != LoopTransitionInvariant && Impure(i.Value, false) != "" {
				t.Fatalf("an expression that changes something was read: %q", i.Value)
			}
		}
		var b bytes.Buffer
		if err := w.WriteYAML(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(b.Bytes()); err != nil {
			t.Fatalf("what was read cannot be read again: %v\n%s", err, &b)
		}
	})
}
