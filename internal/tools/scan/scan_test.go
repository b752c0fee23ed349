package scan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/user/show"
)

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDiff(t *testing.T) {
	changed := parseDiff("/p", `diff --git a.c a.c
--- a.c
+++ a.c
@@ -3,0 +4,2 @@ int f(void)
+x
+y
@@ -10 +12 @@
-a
+b
@@ -20,3 +21,0 @@
-removed
--- b.c
+++ /dev/null
@@ -1,2 +0,0 @@
`)
	got := changed["/p/a.c"]
	if !slices.Equal(got, []lineRange{{4, 5}, {12, 12}, {21, 22}}) {
		t.Errorf("changed: %v", got)
	}
	for _, x := range []struct {
		first, last int
		want        bool
	}{{1, 3, false}, {5, 9, true}, {6, 11, false}, {12, 12, true}, {22, 30, true}, {23, 30, false}} {
		if touches(got, x.first, x.last) != x.want {
			t.Errorf("lines %d to %d: not %v", x.first, x.last, x.want)
		}
	}
}

func TestIgnores(t *testing.T) {
	path := write(t, t.TempDir(), "a.c", `int a; // assay: ignore(valid-deref) known
// assay: ignore(no-overflow, shift) the hash wraps
int b;
int c; /* assay: ignore(div-by-zero) */
int d; // assay: ignore(nonsense) why
int e; // assay: skip
int f; /* assay: ignore(valid-memsafety) the caller knows */
`)
	list, problems := ignores(path)
	if len(list) != 3 || list[0].line != 1 || list[1].line != 3 || list[2].line != 7 || list[2].Reason != "the caller knows" || len(list[1].properties) != 2 {
		t.Errorf("comments: %+v", list)
	}
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Pos.Line)
	}
	if !slices.Equal(lines, []int{4, 5, 6}) {
		t.Errorf("problems: %+v", problems)
	}
	s := &suppressor{root: "/", byFile: map[string][]ignore{path: list}, starts: map[string]map[int]string{path: {3: "b"}}}
	finding := func(line int, function string, p assay.Property) *Finding {
		return &Finding{Property: p, Place: assay.Place{Pos: assay.Position{File: path, Line: line}, Func: function}}
	}
	for _, x := range []struct {
		f    *Finding
		want bool
	}{
		{finding(1, "a", assay.ValidDeref), true}, {finding(1, "a", assay.NoOverflow), false}, {finding(30, "b", assay.Shift), true},
		{finding(30, "c", assay.Shift), false}, {finding(7, "f", assay.ValidFree), true}, {finding(4, "c", assay.DivByZero), false},
	} {
		if (s.of(x.f) != nil) != x.want {
			t.Errorf("%s at line %d: suppressed is not %v", x.f.Property, x.f.Place.Pos.Line, x.want)
		}
	}
}

func TestConfig(t *testing.T) {
	folder := t.TempDir()
	for _, x := range []struct{ text, want string }{
		{"[scan]\ntimeuot = \"3s\"\n", "assay.toml:2:1: there is no setting scan.timeuot"},
		{"[scan]\ntimeout = \"soon\"\n", "is no time"},
		{"[scan\n", "assay.toml:1"},
		{"\n[[suppress]]\nproperty = \"shift\"\n", "assay.toml:2:3: the table suppress has no reason"},
		{"[[suppress]]\nreason = \"so\"\n", "would suppress everything"},
		{"[[suppress]]\nid = \"a\"\nreason = \"so\"\n[[suppress]]\nreason = \"so\"\nproperty = \"shfit\"\n", "assay.toml:6:1: unknown property \"shfit\"\ndid you mean \"shift\""},
		{"[scan]\nexclude = [\"a[\"]\n", "assay.toml:2:1: \"a[\" is no pattern"},
		{"[scan]\njobs = 1\nproperties = [\"valid-dref\"]\n", "assay.toml:3:1: "},
		{"[program]\ndata-model = \"64\"\n", "assay.toml:2:1: 64 is no data-model"},
		{"[function.f]\narray = { p = true }\n", "assay.toml:2:1: the array p of f"},
	} {
		_, err := ReadConfig(write(t, folder, ConfigName, x.text))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, want %s", x.text, err, x.want)
		}
	}
	path := write(t, folder, ConfigName, `
[scan]
properties = ["valid-deref"]
function-timeout = "3s"
timeout = "1m"
exclude = ["tests/**"]
stubs = ["stubs.c"]
[program]
include = ["inc"]
[function.f]
array = { p = "n", q = 4 }
[[suppress]]
file = "src/*.c"
property = "shift"
reason = "so it is"
`)
	c, err := ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{}
	if err := c.Apply(&o, func(flag string) bool { return flag == "timeout" }); err != nil {
		t.Fatal(err)
	}
	if o.Timeout != 0 || o.FunctionTimeout.Seconds() != 3 || o.Root != folder || o.Program.Include[0] != filepath.Join(folder, "inc") || o.Stubs[0] != filepath.Join(folder, "stubs.c") {
		t.Errorf("options: %+v", o)
	}
	p := assay.Program{}
	if err := o.Arguments["f"].apply("f", &p); err != nil || p.Pointers["f:p"].Length != "n" || p.Pointers["f:q"].Elements != 4 {
		t.Errorf("arguments: %+v, %v", p.Pointers, err)
	}
	f := &Finding{Property: assay.Shift, Place: assay.Place{Pos: assay.Position{File: filepath.Join(folder, "src/a.c")}}}
	if !o.Suppress[0].matches(folder, f) {
		t.Error("the table does not match")
	}
	for file, want := range map[string]bool{"tests/a.c": true, "tests/x/a.c": true, "src/tests.c": false} {
		if o.excludes(folder, filepath.Join(folder, file)) != want {
			t.Errorf("%s: excluded is not %v", file, want)
		}
	}
}

// TestContext: a finding counts by where a run that leads there may start.
func TestContext(t *testing.T) {
	own := show.Pointee{Kind: show.PointeeLocal, Name: "buffer", Where: show.WhereBehind}
	argument := show.Pointee{Kind: show.PointeeArgument, Name: "p", Where: show.WhereBehind}
	finding := func(entry string, p show.Pointee) Finding {
		return Finding{Property: assay.ValidDeref, Place: assay.Place{Pos: assay.Position{File: "a.c", Line: 3}, Func: "inner", Pointee: p}, Entry: entry, Confidence: High, Because: "so"}
	}
	for _, x := range []struct {
		name   string
		caller *answer
		about  show.Pointee
		root   bool
		want   Confidence
		label  Label
	}{
		{"confirmed", &answer{Findings: []Finding{finding("outer", own)}}, argument, false, High, ""},
		{"excluded", &answer{Proved: []assay.Property{assay.ValidDeref}}, own, false, Low, LabelCallers},
		{"an argument of a static function", &answer{}, argument, false, Low, LabelCallers},
		{"an object of its own", &answer{}, own, false, Medium, ""},
		{"null from the start", &answer{}, show.Pointee{Kind: show.PointeeNull, Initial: true}, false, Low, LabelCallers},
		{"null by itself", &answer{}, show.Pointee{Kind: show.PointeeNull}, false, Medium, ""},
		{"known to all", &answer{Proved: []assay.Property{assay.ValidDeref}}, argument, true, High, ""},
	} {
		targets := []*target{
			{name: "inner", def: &frontend.Definition{}, answer: &answer{Findings: []Finding{finding("inner", x.about)}}},
			{name: "outer", def: &frontend.Definition{}, answer: x.caller},
		}
		list := merge("", targets, &callGraph{callers: [][]int{{1}, nil}, open: []bool{x.root, true}, root: []bool{x.root, true}})
		if len(list) != 1 || list[0].Confidence != x.want || list[0].Label != x.label {
			t.Errorf("%s: %+v", x.name, list)
		}
	}
}

// TestRoots: main, and what others may call and no main does.
func TestRoots(t *testing.T) {
	names := []string{"main", "helper", "parse", "step", "api"}
	static := []bool{false, false, false, true, false}
	g := &callGraph{callers: [][]int{nil, {0}, nil, {2}, {3}}} // main calls helper; parse calls step, which calls api
	g.findRoots(func(f int) bool { return names[f] == "main" }, func(f int) bool { return static[f] })
	if want := []bool{true, false, true, false, true}; !slices.Equal(g.root, want) {
		t.Errorf("roots: %v, want %v", g.root, want)
	}
}

// TestIdentity: the same line in the same function has another id in another file.
func TestIdentity(t *testing.T) {
	folder := t.TempDir()
	var ids []string
	for _, name := range []string{"a.c", "b.c"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("int main(int n, char **v) { return *v[1]; }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, identify(folder, &Finding{Property: assay.ValidDeref, Place: assay.Place{Pos: assay.Position{File: path, Line: 1}, Func: "main"}}))
	}
	if ids[0] == ids[1] {
		t.Error("two files have the same id")
	}
}

// TestExit: what the exit code says.
func TestExit(t *testing.T) {
	for _, x := range []struct {
		r    Report
		want int
	}{
		{Report{}, 0},
		{Report{Findings: []Finding{{Confidence: Low}}}, 0},
		{Report{Findings: []Finding{{Confidence: Medium}}, Stopped: "timeout"}, 1},
		{Report{Stopped: "timeout"}, 2},
		{Report{Files: []File{{Error: "no"}}}, 2},
		{Report{Problems: []Problem{{}}}, 2},
		{Report{Functions: []Function{{Failed: "crash"}}}, 2},
	} {
		if got := x.r.Exit(); got != x.want {
			t.Errorf("%+v: %d, want %d", x.r, got, x.want)
		}
	}
}

// TestCounts: a function counts once for each property.
func TestCounts(t *testing.T) {
	const deref, overflow = assay.ValidDeref, assay.NoOverflow
	r := Report{Properties: []assay.Property{deref, overflow}, Functions: []Function{
		{Proved: []assay.Property{deref, overflow}, By: map[assay.Property]string{deref: "abstract", overflow: "bmc"}},
		{Proved: []assay.Property{overflow}, By: map[assay.Property]string{overflow: "bmc"}, Open: []assay.Property{deref}},
		{Open: []assay.Property{overflow}},
	}}
	r.count()
	if c := r.Counts[0]; c.Functions != 3 || c.By["abstract"] != 1 || c.Open != 1 || c.Violated != 1 {
		t.Errorf("%+v", c)
	}
	if c := r.Counts[1]; c.By["bmc"] != 2 || c.Open != 1 || c.Violated != 0 {
		t.Errorf("%+v", c)
	}
}

// TestFold: what goes wrong with one argument in one function, or with one heap block, is one finding, unless it needs a precondition.
func TestFold(t *testing.T) {
	at := func(line int, name string, c Confidence) Finding {
		return Finding{Property: assay.ValidDeref, Confidence: c, Place: assay.Place{
			Pos: assay.Position{File: "a.c", Line: line}, Func: "f", Pointee: show.Pointee{Kind: show.PointeeArgument, Name: name, Where: show.WhereBehind},
		}}
	}
	got := fold([]Finding{at(1, "p", High), at(2, "q", High), at(3, "p", Medium), at(4, "p", Low)})
	if len(got) != 3 || len(got[0].AlsoAt) != 1 || got[0].AlsoAt[0].Line != 3 || got[2].Place.Pos.Line != 4 {
		t.Errorf("%+v", got)
	}
	block := func(line int, entry, via string) Finding {
		f := at(line, "", Medium)
		f.Entry, f.Place.Pointee.Kind, f.Place.Pointee.Via = entry, show.PointeeHeap, via
		return f
	}
	got = fold([]Finding{block(1, "f", "text"), block(2, "f", "text"), block(3, "f", "copy"), block(4, "g", "text"), block(5, "f", ""), block(6, "f", "")})
	if len(got) != 5 || len(got[0].AlsoAt) != 1 || got[0].AlsoAt[0].Line != 2 {
		t.Errorf("%+v", got)
	}
}

// TestSpread: what else goes wrong in one function is behind the first finding of each; main leads to many.
func TestSpread(t *testing.T) {
	var list []Finding
	for _, x := range []struct {
		entry, at string
		c         Confidence
	}{{"f", "f", High}, {"f", "h", High}, {"main", "main", High}, {"main", "h", High}, {"main", "h", High}, {"g", "g", Medium}, {"g", "g", Low}} {
		list = append(list, Finding{Entry: x.entry, Confidence: x.c, Place: assay.Place{Func: x.at, Pos: assay.Position{Line: len(list)}}})
	}
	var got []int
	for _, f := range spread(list) {
		got = append(got, f.Place.Pos.Line)
	}
	if want := []int{0, 2, 3, 5, 1, 4, 6}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
