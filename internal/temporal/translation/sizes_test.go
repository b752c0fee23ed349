package translation_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"assay/internal/temporal/inclusion"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/translation"
)

var update = flag.Bool("update", false, "write the sizes into testdata/sizes.txt")

const sizesFile = "testdata/sizes.txt"

// row is a line of the table of sizes.
type row struct{ name, other, ours, formula string }

// table reads the table of sizes; lines without columns are kept as they are.
func table(t testing.TB) (lines []string, rows map[int]row) {
	t.Helper()
	text, err := os.ReadFile(sizesFile)
	if err != nil {
		t.Fatal(err)
	}
	rows = map[int]row{}
	for line := range strings.Lines(string(text)) {
		if parts := strings.SplitN(strings.TrimRight(line, "\n"), " | ", 4); len(parts) == 4 && line[0] != '#' {
			rows[len(lines)] = row{strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2]), parts[3]}
		}
		lines = append(lines, line)
	}
	return lines, rows
}

// TestSizes compares the sizes of automata with the table, and says how many are
// smaller and larger than those of ltl2ba. Every automaton is shown to accept at least
// what it should.
func TestSizes(t *testing.T) {
	lines, rows := table(t)
	smaller, larger := 0, 0
	var states, otherStates, transitions, otherTransitions int
	for i, r := range rows {
		f := ltl.MustParse(r.formula)
		start := time.Now()
		a, stats, err := translation.Translate(context.Background(), f)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		took := time.Since(start)
		if err := inclusion.Accepts(context.Background(), a, f, stats.Formula); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		if all := time.Since(start); all > 2*time.Second {
			t.Logf("%s: %v, %v with the proof", r.name, took, all)
		}
		ours := fmt.Sprintf("%d/%d", stats.Final.States, stats.Final.Transitions)
		if ours != r.ours && !*update {
			t.Errorf("%s: %s, not %s", r.name, ours, r.ours)
		}
		lines[i] = fmt.Sprintf("%-42s | %8s | %8s | %s\n", r.name, r.other, ours, r.formula)
		var s, tr int
		if _, err := fmt.Sscanf(r.other, "%d/%d", &s, &tr); err != nil {
			continue
		}
		states, otherStates = states+stats.Final.States, otherStates+s
		transitions, otherTransitions = transitions+stats.Final.Transitions, otherTransitions+tr
		switch {
		case stats.Final.States < s:
			smaller++
		case stats.Final.States > s:
			larger++
			t.Logf("%s: %s, ltl2ba has %s", r.name, ours, r.other)
		}
	}
	t.Logf("%d automata: %d have fewer states than those of ltl2ba, %d more; all together %d states and %d transitions, %d and %d",
		len(rows), smaller, larger, states, transitions, otherStates, otherTransitions)
	if *update {
		if err := os.WriteFile(sizesFile, []byte(strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// family is the family of a formula of the table.
func family(name string) string {
	name = strings.TrimPrefix(name, "not: ")
	if strings.Contains(name, "globally") || strings.Contains(name, " q") || strings.Contains(name, " r") && strings.Contains(name, "before") {
		return "patterns"
	}
	return strings.TrimRight(name, " 0123456789,")
}
