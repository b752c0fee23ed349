package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay"
	"assay/internal/tools/scan"
)

// TestScan: the project of testdata/scan, whose comments say what is wrong with it.
func TestScan(t *testing.T) {
	cache := t.TempDir()
	look := func(code int, args ...string) *scan.Report {
		t.Helper()
		o := invoke(t, append([]string{"scan", "--json", "--cache", cache}, args...)...)
		if o.code != code {
			t.Fatalf("exit code %d, want %d\n%s%s", o.code, code, o.stdout, o.stderr)
		}
		r := &scan.Report{}
		if err := json.Unmarshal([]byte(o.stdout), r); err != nil {
			t.Fatalf("%v\n%s", err, o.stdout)
		}
		return r
	}
	r := look(1, "testdata/scan")
	places := func(list []scan.Finding) (out []string) {
		for _, f := range list {
			out = append(out, strings.Join([]string{f.Entry, string(f.Property), string(f.Confidence)}, " "))
		}
		return out
	}
	if got := places(r.Findings); len(got) == 0 || got[0] != "ring_push valid-deref high" {
		t.Errorf("findings: %v", got)
	} else {
		for _, f := range r.Findings[1:] {
			if f.Confidence != scan.Low || len(f.Needs) == 0 {
				t.Errorf("not labelled: %s %s %s", f.Entry, f.Property, f.Because)
			}
		}
		if !slices.Contains(got, "average no-overflow low") || !slices.Contains(got, "first valid-deref low") {
			t.Errorf("findings: %v", got)
		}
		if len(r.Findings[0].Trace) == 0 || len(r.Findings[0].Replayed) == 0 || !slices.Contains(r.Findings[0].Harness, "r->slots points to capacity elements of int, one at least (named so)") {
			t.Errorf("the first finding: %+v", r.Findings[0])
		}
	}
	if got := places(r.Suppressed); len(got) != 1 || !strings.HasPrefix(got[0], "scaled div-by-zero") || r.Suppressed[0].Suppressed.Reason != "callers never pass 0" {
		t.Errorf("suppressed: %v", got)
	}
	if len(r.Functions) != 7 || len(r.Files) != 2 {
		t.Errorf("%d functions in %d files", len(r.Functions), len(r.Files))
	}
	for _, f := range r.Functions {
		if f.Name == "ring_last" && (f.Answer != assay.True || len(f.Assumptions) == 0) {
			t.Errorf("ring_last: %+v", f)
		}
	}
	if again := look(1, "testdata/scan"); again.Cached != 7 || !slices.Equal(places(again.Findings), places(r.Findings)) {
		t.Errorf("the second time, %d answers are from the cache: %v", again.Cached, places(again.Findings))
	}
	if one := look(0, "--function", "ring_last", "testdata/scan"); len(one.Functions) != 1 || one.Cached != 1 {
		t.Errorf("one function: %+v", one.Functions)
	}
	short := invoke(t, "scan", "--cache", cache, "testdata/scan").stdout
	if strings.Contains(short, "needs a precondition: ") || !strings.Contains(short, "that need a precondition (--show-low)") {
		t.Errorf("what needs a precondition is more than a number:\n%s", short)
	}
	text := invoke(t, "scan", "--cache", cache, "--show-low", "testdata/scan").stdout
	for _, want := range []string{"1. src/ring.c:7:", "needs a precondition: ", "1 suppressed", "sums.c", "7 from the cache", "files are named as seen from /"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
}

// TestScanSummary: the table has a line for each function, and agrees with the counts.
func TestScanSummary(t *testing.T) {
	folder := t.TempDir()
	text := "int whole(unsigned a) { return a % 7 < 7; }\nint part(int a, int b) { return a / b; }\n"
	if err := os.WriteFile(filepath.Join(folder, "a.c"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, "scan", "--summary", "--no-cache", "--property", "div-by-zero,valid-deref", folder)
	if o.code != 0 {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
	rows := map[string][]string{}
	for _, line := range strings.Split(o.stdout, "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			rows[words[0]] = words
		}
	}
	isEngine := func(state string) bool { return state != "open" && state != "violated" } // which one wins is not said
	if row := rows["a.c:1"]; len(row) != 4 || row[1] != "whole" || !isEngine(row[2]) || !isEngine(row[3]) {
		t.Errorf("whole: %v\n%s", row, o.stdout)
	}
	if row := rows["a.c:2"]; len(row) != 4 || row[1] != "part" || row[2] != "violated" || !isEngine(row[3]) {
		t.Errorf("part: %v\n%s", row, o.stdout)
	}
	for property, want := range map[string]string{"div-by-zero": "0 1", "valid-deref": "0 0"} {
		if row := rows[property]; len(row) < 5 || strings.Join(row[len(row)-2:], " ") != want {
			t.Errorf("%s: %v", property, row)
		}
	}
}

// TestScanTrouble: what does not compile, and what is asked wrongly.
func TestScanTrouble(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("bad.c", "int f( {\n")
	write("good.c", "int g(int x) { return x & 3; }\n")
	o := invoke(t, "scan", "--no-cache", folder)
	if o.code != 2 || !strings.Contains(o.stdout, "bad.c: cannot be compiled") || !strings.Contains(o.stdout, "1 function in 2 files") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	write("assay.toml", "[scan]\nexclud = [\"bad.c\"]\n")
	if o := invoke(t, "scan", "--no-cache", folder); o.code != 3 || !strings.Contains(o.stderr, "assay.toml:2:1: there is no setting scan.exclud") {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
	write("assay.toml", "[scan]\nexclude = [\"bad.c\"]\n")
	if o := invoke(t, "scan", "--no-cache", folder); o.code != 0 {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for _, args := range [][]string{{"scan", filepath.Join(folder, "none")}, {"scan", "--property", "termination", folder}, {"scan", "--property", "shfit", folder}, {"scan", "--witness", "w.yml", folder}} {
		if o := invoke(t, args...); o.code != 3 || o.stderr == "" {
			t.Errorf("%v: exit code %d\n%s", args, o.code, o.stderr)
		}
	}
}

// TestScanMisspelt: a function that there is not is an error, which the file for other programs has, too.
func TestScanMisspelt(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.c"), []byte("int parse(int x) { return x & 3; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(folder, "s.sarif")
	o := invoke(t, "scan", "--no-cache", "--sarif", report, "--function", "pasre", folder)
	if o.code != 3 || !strings.Contains(o.stderr, "did you mean parse?") {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
	if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text), "pasre") || !json.Valid(text) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestScanSince: functions that a commit changed.
func TestScanSince(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "a.c")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.org"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	before := "int f(int x) {\n\treturn x & 1;\n}\nint g(int x) {\n\treturn x & 2;\n}\n"
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "one")
	if err := os.WriteFile(file, []byte(strings.Replace(before, "x & 2", "x & 4", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, "scan", "--no-cache", "--json", "--since", "HEAD", folder)
	r := &scan.Report{}
	if err := json.Unmarshal([]byte(o.stdout), r); err != nil || o.code != 0 || len(r.Functions) != 1 || r.Functions[0].Name != "g" {
		t.Errorf("exit code %d, %v\n%s%s", o.code, err, o.stdout, o.stderr)
	}
	if o := invoke(t, "scan", "--no-cache", "--since", "nothing", folder); o.code != 3 || !strings.Contains(o.stderr, "--since nothing") {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
}

// TestScanProgram: in a program with main, what its own functions do counts where main leads there, or where small numbers do.
func TestScanProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.c")
	source := `#include <stdlib.h>
static int days(int month) { int table[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}; return table[month]; }
static int copy(int n) { char *p = malloc(n); p[n] = 0; return p[0]; }
static int (*chosen)(int, int);
static int twice(int rest, int n) { char *p = malloc(n + 8); if (rest == n) return p[rest]; p[n + 8] = 1; return p[rest]; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
	int t[2] = {argc, 1};
	qsort(t, 2, sizeof *t, compare);
	chosen = twice;
	if (argv[0][0] == 'x') return copy(3);
	return days(argc % 12);
}
`
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, "scan", "--json", "--no-cache", file)
	r := &scan.Report{}
	if err := json.Unmarshal([]byte(o.stdout), r); err != nil {
		t.Fatalf("%v\n%s", err, o.stdout)
	}
	got := map[int][]string{}
	for _, f := range r.Findings {
		if _, where, ok := strings.Cut(f.Place.Text, "allocated at "); ok && !strings.HasPrefix(where, "p.c:") {
			t.Errorf("not as seen from the folder that is scanned: %s", f.Place.Text)
		}
		if f.Property == assay.ValidDeref || f.Property == assay.NoOverflow {
			got[f.Place.Pos.Line] = append(got[f.Place.Pos.Line], strings.Join([]string{f.Entry, string(f.Property), string(f.Confidence), string(f.Label)}, " "))
		}
	}
	for line, want := range map[int]string{2: "days valid-deref low numbers", 3: "main valid-deref high ", 5: "twice valid-deref medium ", 6: "compare no-overflow low numbers"} {
		if !slices.Contains(got[line], want) {
			t.Errorf("line %d: %q, want %q", line, got[line], want)
		}
	}
	for _, c := range r.Counts {
		if c.Functions != 5 || c.Open+c.Violated > 5 {
			t.Errorf("counts: %+v", c)
		}
	}
}

// TestScanBehind: a null pointer that nobody passes hides no violation behind it.
func TestScanBehind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.c")
	source := `struct stack { unsigned depth; int limit; int item[4]; };
int push(struct stack *s, int *count, int x) {
	if (s->depth > 4) return -1;
	*count += 1;
	if (count && s) s->item[s->depth++] = x;
	int t[3] = {0, 1, 2};
	if (x == 7) return t[s->depth];
	s->item[s->depth] = x;
	return 0;
}
`
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, "scan", "--json", "--no-cache", "--property", "valid-deref", file)
	r := &scan.Report{}
	if err := json.Unmarshal([]byte(o.stdout), r); err != nil {
		t.Fatalf("%v\n%s", err, o.stdout)
	}
	got := map[int]scan.Confidence{}
	for _, f := range r.Findings {
		got[f.Place.Pos.Line] = f.Confidence
	}
	if got[7] != scan.High || got[8] != scan.High {
		t.Errorf("confidence by line: %v", got)
	}
}
