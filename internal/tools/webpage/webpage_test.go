package webpage

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay"
	"assay/internal/tools/scan"
)

// page checks a source and writes its page, whose text it returns.
func page(t *testing.T, source string, change func(*assay.Task), o Options) (string, *assay.Result) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	task := assay.Task{Files: []string{name}, Timeout: time.Minute}
	if change != nil {
		change(&task)
	}
	r, err := assay.Check(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(t.Context(), &b, r, o); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	return b.String(), r
}

// wellFormed checks that tags are closed, that ids are unique, that links lead somewhere, and that nothing is loaded.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	body := regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`).ReplaceAllString(text, "")
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	ids, targets := map[string]bool{}, map[string]bool{}
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, body)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			for _, a := range e.Attr {
				switch {
				case a.Name.Local == "id" && ids[a.Value]:
					t.Errorf("two elements with id %s", a.Value)
				case a.Name.Local == "id":
					ids[a.Value] = true
				case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#"):
					targets[a.Value[1:]] = true
				case a.Name.Local == "href" || a.Name.Local == "src":
					t.Errorf("the page loads %s", a.Value)
				}
			}
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are not closed", depth)
	}
	for x := range targets {
		if !ids[x] {
			t.Errorf("a link to #%s leads nowhere", x)
		}
	}
	if regexp.MustCompile(`https?://|@import|url\(`).MatchString(text) {
		t.Error("the page names something outside of it")
	}
}

// has checks that texts are in a page.
func has(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
}

const indexed = `unsigned __VERIFIER_nondet_uint(void);
int a[8], sum;
static int get(unsigned k) {
  return a[k];
}
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 8) return 0; /* one <too> many
     & more */
  for (unsigned i = 0; i <= n; i++)
    sum += get(i);
  return 0;
}
`

func TestViolation(t *testing.T) {
	text, _ := page(t, indexed, func(task *assay.Task) { task.Properties = []assay.Property{assay.ValidDeref} }, Options{Command: "assay check <f.c>", When: "2026-11-24"})
	has(t, text,
		`<span class="badge false">false(valid-deref)</span>`, "CWE-119",
		`<tr id="f0-4" class="false">`, `<span class="hidden">violated</span>`,
		`<i class="c">/* one &lt;too&gt; many</i>`, `<i class="c">     &amp; more */</i>`,
		`<td class="what code">n = 8   (from __VERIFIER_nondet_uint())</td>`, "violation: invalid read of 4 bytes",
		`"func":"get"`, "assay check &lt;f.c&gt;", "steps of this loop left out")
}

func TestProof(t *testing.T) {
	text, r := page(t, "unsigned __VERIFIER_nondet_uint(void);\nvoid reach_error(void);\nint main(void) {\n  unsigned n = __VERIFIER_nondet_uint(), y = 0;\n  for (unsigned x = 0; x < n; x++) {\n    y += 2; if (y > 100) y = 0;\n  }\n  if (y % 2) reach_error();\n}\n", func(task *assay.Task) { task.Engine.Only = assay.EngineInduction }, Options{})
	if r.Answer != assay.True {
		t.Fatal(r.Line())
	}
	has(t, text, `<tr id="f0-8" class="true">`, "proved, accepted by "+r.Certificate.Checker, "y % 2 == 0", "<b>invariant", "No run violates unreach-call.")
	if strings.Contains(text, "<script>") {
		t.Error("a proof has a script")
	}
}

func TestTermination(t *testing.T) {
	text, _ := page(t, "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  while (x > 0)\n    x--;\n}\n", func(task *assay.Task) {
		task.Properties, task.Engine.Only = []assay.Property{assay.Termination}, "ranking"
	}, Options{})
	has(t, text, "Every run ends.", "<b>decreases</b>")
}

func TestUnknown(t *testing.T) {
	text, _ := page(t, "unsigned __VERIFIER_nondet_uint(void);\nvoid reach_error(void);\nint main(void) {\n  unsigned x = 1;\n  while (__VERIFIER_nondet_uint())\n    x = 1664525u * x + 1013904223u;\n  if (x == 2) reach_error();\n}\n", func(task *assay.Task) { task.Engine.Unwind = 3 }, Options{})
	has(t, text, "Why there is no answer", `<a href="#f0-5">`, "<b>unwinding</b>", "a greater --unwind", `<tr id="f0-7" class="unknown">`, "No violation was found up to unwinding depth 3")
}

func TestGraph(t *testing.T) {
	text, _ := page(t, "int main(void) { return 0; }\n", nil, Options{Graph: []byte(`<?xml version="1.0"?><svg><text>a state</text></svg>`)})
	has(t, text, `<div class="graph"><svg><text>a state</text></svg></div>`)
	text, _ = page(t, "int main(void) { return 0; }\n", nil, Options{NoGraph: "Graphviz is not installed"})
	has(t, text, "The graph is not drawn: Graphviz is not installed")
}

// TestLongFile: of a long file the page shows what is near to something.
func TestLongFile(t *testing.T) {
	text, _ := page(t, "int __VERIFIER_nondet_int(void);\n"+strings.Repeat("//\n", 5000)+"int main(void) { return 1 / __VERIFIER_nondet_int(); }\n", func(task *assay.Task) { task.Properties = []assay.Property{assay.DivByZero} }, Options{})
	has(t, text, "… 4989 lines …", `<tr id="f0-5002" class="false">`)
	if n := strings.Count(text, "<tr id="); n != near+1 {
		t.Errorf("%d lines", n)
	}
}

// TestHighlight: colours change no text.
func TestHighlight(t *testing.T) {
	var h highlighter
	for _, line := range []string{`int x = '\'' + "a\"b//"; // c`, "/* a", "if */ if (a<b) x[0x1fu]=.5e3;", "# define A 1", `"not closed`, "\tréturn\xff;", "a / b", "/", "'", `"\`} {
		marked := string(h.line(line))
		plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(marked, "")
		if want := template.HTMLEscapeString(strings.ToValidUTF8(strings.ReplaceAll(line, "\t", "    "), "\uFFFD")); plain != want {
			t.Errorf("%q became %q", line, plain)
		}
	}
	if h.comment {
		t.Error("the comment goes on")
	}
	h = highlighter{}
	if got := string(h.line("if (x) /* y */ return 1; // z")); got != `<i class="k">if</i> (x) <i class="c">/* y */</i> <i class="k">return</i> <i class="n">1</i>; <i class="c">// z</i>` {
		t.Error(got)
	}
}

// TestProject: the page of a scan has each finding with its run, links between summary, findings and source, and totals.
func TestProject(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte("int get(int *a, int n) {\n  int s = 0;\n  for (int i = 0; i <= n; i++)\n    s ^= a[i]; // <end>\n  return s;\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := func(line int) assay.Position { return assay.Position{File: "a.c", Line: line, Col: 10} }
	r := &scan.Report{
		Root: dir, Properties: []assay.Property{assay.ValidDeref},
		Findings: []scan.Finding{{
			ID: "1", Property: assay.ValidDeref, Place: assay.Place{Pos: at(4), Func: "get", Text: "invalid read of 4 bytes"}, Entry: "get", Confidence: scan.High, Because: "as it is",
			Harness: []string{"a points to n elements"}, Replayed: []string{"interpreter"},
			Trace: []assay.Step{{Kind: assay.StepAssign, Pos: at(1), Func: "get", Var: "n", Value: "1", Input: "the caller"}, {Kind: assay.StepViolation, Pos: at(4), Func: "get", Text: "invalid read of 4 bytes"}},
		}},
		Suppressed: []scan.Finding{{ID: "2", Property: assay.NoOverflow, Place: assay.Place{Pos: at(3), Func: "get", Text: "signed overflow"}, Entry: "get", Confidence: scan.Low, Needs: []string{"n < 100"}, Suppressed: &scan.Suppression{Pos: at(3), Reason: "never so long"}}},
		Functions:  []scan.Function{{Name: "get", Pos: assay.Position{File: filepath.Join(dir, "a.c"), Line: 1}, Answer: assay.False, Open: []assay.Property{assay.NoOverflow}, Reasons: []assay.Reason{{Cause: "timeout", Text: "too long"}}}},
		Files:      []scan.File{{Path: "a.c", Functions: 1}, {Path: "b.c", Error: "b.c:1: error: x"}},
		Problems:   []scan.Problem{{Pos: at(2), Text: "a comment that ignores nothing"}},
		Stopped:    "timeout",
	}
	var b bytes.Buffer
	if err := WriteProject(&b, r, "assay scan"); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	has(t, b.String(), `<span class="badge false">1 finding</span>`, `<a href="#finding1">`, `<article id="finding1"`, `<tr id="f0-4" class="false">`, "// &lt;end&gt;",
		"n = 1   (from the caller)", "violation: invalid read of 4 bytes", "a points to n elements", "<b>Not everything was looked at: timeout.</b>", "not compiled: b.c:1: error: x",
		"a comment that ignores nothing", "never so long", "<code>n &lt; 100</code>", "timeout: too long", "<tr><td>a.c</td><td>1</td><td>0</td><td>0</td><td>1</td><td>0</td><td>1</td>")
}
