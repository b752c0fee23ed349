package frontend

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// The programs of testdata/run are imported for both data models and run in
// the interpreter, with many random decisions. A comment "// @kind text" says
// that some run must have a violation of that kind on this line, whose message
// contains the text; without text, any message will do. All other violations
// are errors, and so is a run that reaches something unsupported. Comments
//
//	// function: f           where runs start
//	// array: f:p=N          the size of an argument
//	// only: LP64            the data model
//	// runs: N               the number of runs, 200 by default
//
// in the first lines direct the test.

var expectation = regexp.MustCompile(`// @([-\w]+)(?: (.*))?$`)

// program is a parsed test program.
type program struct {
	options Options
	models  []DataModel
	runs    int
	want    map[int][2]string // by line: kind and text
}

func parseProgram(t *testing.T, file string) program {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := program{options: Options{Files: []string{file}}, models: []DataModel{LP64, ILP32}, runs: 200, want: map[int][2]string{}}
	for i, line := range strings.Split(string(content), "\n") {
		if m := expectation.FindStringSubmatch(line); m != nil {
			p.want[i+1] = [2]string{m[1], m[2]}
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(line, "// "), ": ")
		if !strings.HasPrefix(line, "// ") {
			continue
		}
		switch key {
		case "function":
			p.options.Function = value
		case "array":
			name, n, _ := strings.Cut(value, "=")
			count, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			p.options.Arguments = map[string]Argument{name: {IsArray: true, Elements: count}}
			p.options.NonNull = []string{name}
		case "only":
			p.models = []DataModel{map[string]DataModel{"LP64": LP64, "ILP32": ILP32}[value]}
		case "runs":
			fmt.Sscan(value, &p.runs)
		}
	}
	return p
}

func TestRun(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no test programs", err)
	}
	for _, file := range files {
		p := parseProgram(t, file)
		for _, model := range p.models {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".c")+"/"+model.String(), func(t *testing.T) {
				t.Parallel()
				options := p.options
				options.DataModel = model
				options.PureUnmodelled = true // interp.Random leaves nothing as it is
				loaded, err := Load(t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				checkRuns(t, loaded, p)
			})
		}
	}
}

func checkRuns(t *testing.T, loaded *Program, p program) {
	found := map[string]string{} // "line kind" → message
	for seed := range p.runs {
		outcome, err := interp.Run(context.Background(), loaded.Module, interp.Options{
			Oracle:   interp.Random(uint64(seed)),
			MaxSteps: 100000,
			Observe: func(e interp.Event) {
				if e.Kind == interp.Violation {
					key := fmt.Sprintf("%d %v", e.Pos.Line, e.Check)
					if !strings.Contains(found[key], e.Text) {
						found[key] += e.Text + "; "
					}
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		switch outcome.End {
		case interp.UnsupportedReached, interp.StepLimit, interp.StackLimit:
			t.Fatalf("seed %d: %v at %s", seed, outcome, loaded.Module.PosString(outcome.Pos))
		}
	}
	for line, want := range p.want {
		key := fmt.Sprintf("%d %s", line, want[0])
		text, ok := found[key]
		if !ok {
			t.Errorf("line %d: no violation of %s in %d runs", line, want[0], p.runs)
		} else if !strings.Contains(text, want[1]) {
			t.Errorf("line %d: the message %q does not contain %q", line, text, want[1])
		}
		delete(found, key)
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		line, kind, _ := strings.Cut(key, " ")
		t.Errorf("line %s: unexpected violation of %s: %s", line, kind, found[key])
	}
	if t.Failed() && testing.Verbose() {
		t.Log(ir.Print(loaded.Module))
	}
}
