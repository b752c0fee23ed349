package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDeterministic: two runs on the same input say the same, byte by byte: output, log, findings, page, witness, and what is said of it. What is done is not
// the same for all engines: some programs come to answers, some to the limit of work.
func TestDeterministic(t *testing.T) {
	for _, x := range []struct{ property, source, want string }{
		{"unreach-call", "unsigned __VERIFIER_nondet_uint(void);\nvoid reach_error(void);\nint main(void) {\n  unsigned n = __VERIFIER_nondet_uint(), y = 0;\n  for (unsigned x = 0; x < n; x++) { y += 2; if (y > 100) y = 0; }\n  if (y % 2) reach_error();\n}\n", "true"},
		{"unreach-call", "unsigned __VERIFIER_nondet_uint(void);\nvoid reach_error(void);\nint main(void) {\n  unsigned x = 1;\n  while (__VERIFIER_nondet_uint())\n    x = 1664525u * x + 1013904223u;\n  if (x == 2) reach_error();\n}\n", "unknown"},
		{"unreach-call", "int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\nint main(void) {\n  long long x = 0, y = 0;\n  while (__VERIFIER_nondet_int()) { x++; y += 2; }\n  if (y == 6000000000) reach_error();\n}\n", "false(unreach-call)"},
		{"valid-memsafety", "#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\nstruct n { struct n *next; };\nint main(void) {\n  struct n *l = 0;\n  while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x); x->next = l; l = x; }\n  while (l) { struct n *x = l->next; free(l); l = x; }\n}\n", "true"},
		{"valid-deref", "unsigned __VERIFIER_nondet_uint(void);\nint a[8];\nint main(void) {\n  unsigned n = __VERIFIER_nondet_uint();\n  for (unsigned i = 0; i <= n % 9; i++) a[i] = 1;\n}\n", "false(valid-deref)"},
		{"termination", "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n  while (x > 0 && y > 0) { if (__VERIFIER_nondet_int()) x--; else { x = __VERIFIER_nondet_int(); y--; } }\n}\n", "true"},
		{"termination", "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  while (x != 7) x += 2;\n}\n", ""},
	} {
		dir := t.TempDir()
		source := filepath.Join(dir, "f.c")
		if err := os.WriteFile(source, []byte(x.source), 0o666); err != nil {
			t.Fatal(err)
		}
		limit := "2s"
		if x.want == "" || x.want == "unknown" {
			limit = "400ms"
		}
		var all [2][]string
		for i := range all {
			files := []string{filepath.Join(dir, "log"), filepath.Join(dir, "sarif"), filepath.Join(dir, "html"), filepath.Join(dir, "yml")}
			o := invoke(t, "check", "--deterministic", "--timeout", limit, "--property", x.property, "--trace", "--log", files[0], "--sarif", files[1], "--html", files[2], "--witness", files[3], source)
			if x.want != "" && o.last() != "RESULT: "+x.want {
				t.Errorf("%s: %s, want %s", x.source, o.last(), x.want)
			}
			all[i] = append(all[i], o.stdout)
			if _, err := os.Stat(files[3]); err == nil && x.want != "" {
				j := invoke(t, "validate", "--deterministic", "--timeout", limit, "--trace", "--witness", files[3], source)
				all[i] = append(all[i], j.stdout)
				if x.want == "true" && j.last() != "RESULT: confirmed" {
					t.Errorf("%s: the witness is %s", x.source, j.last())
				}
			} else {
				all[i] = append(all[i], "")
			}
			for _, name := range files {
				text, err := os.ReadFile(name)
				if os.IsNotExist(err) && name == files[3] && (x.want == "unknown" || x.want == "") {
					continue // no witness
				}
				if err != nil || len(text) == 0 {
					t.Fatalf("%s: %v, %d bytes", name, err, len(text))
				}
				all[i] = append(all[i], string(text))
			}
		}
		for k, what := range []string{"output", "validation", "log", "SARIF", "HTML", "witness"} {
			if k >= len(all[0]) {
				break
			}
			if all[0][k] != all[1][k] {
				t.Errorf("%s: the %s of two runs differs:\n%s\n---\n%s", x.source, what, all[0][k], all[1][k])
			}
		}
	}
}

// TestDeterministicJSON: numbers of work are the same, too, and there is no time among them.
func TestDeterministicJSON(t *testing.T) {
	file := write(t, "f.c", "int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int(); for (int i = 0; i < 5; i++) x = x * 3 + 1; return 100 / x; }\n")
	a := invoke(t, "check", "--deterministic", "--property", "div-by-zero,no-overflow", "--all", "--json", file)
	b := invoke(t, "check", "--deterministic", "--property", "div-by-zero,no-overflow", "--all", "--json", file)
	if a.stdout != b.stdout || !strings.Contains(a.stdout, `"phases":[]`) || !strings.Contains(a.stdout, `"seconds": 0`) {
		t.Errorf("%s\n---\n%s", a.stdout, b.stdout)
	}
}

var (
	twiceTasks = flag.String("twice", "", "a table of tasks: each is answered twice (TestTwice)")
	twiceCount = flag.Int("twice-count", 1000, "how many of them")
	twiceFlags = flag.String("twice-flags", "--timeout 10s", "flags of each run, for example --deterministic")
)

// TestTwice: the engines side by side may differ in time, so that one run is unknown, but never between true and false; with
// --deterministic in the flags, not in a byte. It takes hours: make twice.
func TestTwice(t *testing.T) {
	if *twiceTasks == "" {
		t.Skip("make twice runs this")
	}
	file, err := os.Open(*twiceTasks)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	rows = rows[1:]
	done, differ := 0, 0
	for i := 0; i < len(rows) && done < *twiceCount; i++ {
		row := rows[i*max(1, len(rows)/(*twiceCount))%len(rows)] // of all sets
		property, name := row[column["property"]], filepath.Join(filepath.Dir(*twiceTasks), row[column["file"]])
		if !strings.HasSuffix(name, ".c") && !strings.HasSuffix(name, ".i") || strings.ContainsAny(property, ":") || property == "complexity" {
			continue
		}
		done++
		args := append([]string{"check", "--property", property, "--unmodelled", "pure", "--data-model", strings.ToLower(row[column["data_model"]])}, strings.Fields(*twiceFlags)...)
		var out [2]string
		var line [2]string
		for k := range out {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
			cmd, stdout, stderr := command(ctx, append(args, name)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			o := finish(t, cmd, stdout, stderr)
			stop()
			out[k], line[k] = o.stdout, o.last()
		}
		decided := line[0] != "RESULT: unknown" && line[1] != "RESULT: unknown"
		if decided && strings.HasPrefix(line[0], "RESULT: true") != strings.HasPrefix(line[1], "RESULT: true") {
			t.Errorf("%s of %s: %s, then %s", property, name, line[0], line[1])
		}
		if line[0] != line[1] {
			differ++
		}
		if strings.Contains(*twiceFlags, "--deterministic") && !bytes.Equal([]byte(out[0]), []byte(out[1])) {
			t.Errorf("%s of %s: the output of two runs differs", property, name)
		}
	}
	t.Logf("%d tasks twice; %d times the last lines differ", done, differ)
}
