package bench

// Comparison with other tools, whose answers lie in a file peers.csv beside
// the table of tasks: id, set, tool, limit_s, answer, correct, wall_s, and
// optionally property and cpu_s. Two things make such comparisons unfair, and
// are avoided:
//
// 1. Another tool ran a sample only. Each is compared over the tasks that it
//    ran and that were run now.
// 2. Another tool ran on another machine. Its times can be scaled: by a factor
//    for each tool, or for all of them by a reference task that assay solved
//    on both machines.

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// ours names this program among the tools.
const ours = "assay"

// Scale turns the times of other tools into those of this machine.
type Scale struct {
	// Factors by tool; a tool without one has the factor of the reference, or 1.
	Factors map[string]float64
	// Reference is the id of a task that was run now, empty for none.
	Reference string
	// Seconds is what assay needs for the reference task on the machine of the
	// others; if 0, peers.csv must have a row of the tool assay for the task.
	Seconds float64
}

// Peers are runs of other tools on tasks that were run now.
type Peers struct {
	Tools []string // in order
	// Factor of the times of each tool, which are applied already.
	Factor map[string]float64
	runs   []peerRun
}

// peerRun is a run of another tool, and ours of the same task.
type peerRun struct {
	tool    string
	our     Result
	answer  string
	correct correctness
	time    time.Duration // scaled
}

// peerRow is a line of peers.csv.
type peerRow struct {
	csvRow
	key     Key // Property empty if there is no such column
	tool    string
	correct correctness
	time    time.Duration
}

// ReadPeers reads the files peers.csv beside the tables. Without one there are
// no peers.
func ReadPeers(tables []string, results []Result, scale Scale) (*Peers, error) {
	var rows []peerRow
	read := map[string]bool{}
	for _, table := range tables {
		path := filepath.Join(filepath.Dir(table), "peers.csv")
		if read[path] {
			continue
		}
		read[path] = true
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		more, err := parsePeers(path, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return matchPeers(rows, results, scale)
}

// parsePeers reads the text of peers.csv; path is for messages.
func parsePeers(path string, input io.Reader) ([]peerRow, error) {
	rows, err := readCSV(path, input, []string{"id", "tool", "correct"})
	if err != nil {
		return nil, err
	}
	type entry struct {
		key  Key
		tool string
	}
	seen := map[entry]int{}
	out := make([]peerRow, 0, len(rows))
	for _, row := range rows {
		p := peerRow{csvRow: row, key: Key{row.get("id"), row.get("property")}, tool: row.get("tool"), correct: correctness(row.get("correct"))}
		if p.key.ID == "" || p.tool == "" {
			return nil, row.errorf("the id or the tool is empty")
		}
		switch p.correct {
		case correct, wrong, undecided, unjudged:
		default:
			return nil, row.errorf("the column correct holds %q, not yes, NO, ? or nothing", string(p.correct))
		}
		name := "wall_s"
		if row.get("cpu_s") != "" {
			name = "cpu_s"
		}
		if p.time, err = row.seconds(name); err != nil {
			return nil, err
		}
		if line, twice := seen[entry{p.key, p.tool}]; twice {
			return nil, row.errorf("%s ran the task %s in line %d already", p.tool, p.key.ID, line)
		}
		seen[entry{p.key, p.tool}] = row.line
		out = append(out, p)
	}
	return out, nil
}

// matchPeers joins the rows with our results.
func matchPeers(rows []peerRow, results []Result, scale Scale) (*Peers, error) {
	byID := map[string][]Result{}
	for _, r := range results {
		if r.Answer != "skipped" {
			byID[r.Task.ID] = append(byID[r.Task.ID], r)
		}
	}
	p := &Peers{Factor: map[string]float64{}}
	usual, err := scale.usual(rows, byID)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, row := range rows {
		known[row.tool] = true
		if row.tool == ours {
			continue
		}
		var same []Result
		for _, r := range byID[row.key.ID] {
			if row.key.Property == "" || row.key.Property == r.Task.Property {
				same = append(same, r)
			}
		}
		if len(same) == 0 {
			continue
		}
		if len(same) > 1 {
			return nil, row.errorf("the task %s has several properties: a column property must tell which", row.key.ID)
		}
		factor, ok := scale.Factors[row.tool]
		if !ok {
			factor = usual
		}
		p.Factor[row.tool] = factor
		p.runs = append(p.runs, peerRun{
			tool: row.tool, our: same[0], answer: row.get("answer"), correct: row.correct,
			time: time.Duration(float64(row.time) * factor),
		})
	}
	for tool := range scale.Factors {
		if !known[tool] {
			return nil, fmt.Errorf("there is no tool %q in peers.csv, only %s", tool, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	p.Tools = slices.Sorted(maps.Keys(p.Factor))
	return p, nil
}

// usual is the factor of the reference task, 1 without one.
func (s Scale) usual(rows []peerRow, byID map[string][]Result) (float64, error) {
	if s.Reference == "" {
		return 1, nil
	}
	now := byID[s.Reference]
	if len(now) == 0 || !now[0].solved() || now[0].CPU == 0 {
		return 0, fmt.Errorf("the reference task %q was not solved in this run", s.Reference)
	}
	there := s.Seconds
	for _, row := range rows {
		if there == 0 && row.tool == ours && row.key.ID == s.Reference {
			there = row.time.Seconds()
		}
	}
	if there == 0 {
		return 0, fmt.Errorf("peers.csv has no time of %s for the reference task: add a row, or write --reference %s=SECONDS", ours, s.Reference)
	}
	return now[0].CPU.Seconds() / there, nil
}

// duel are the numbers of us against a tool on a set.
type duel struct {
	tasks, theirs, our, lost, gained, theirWrong, ourWrong, both int
	theirTime, ourTime                                           time.Duration // of those that both solved
}

func (d *duel) add(p peerRun) {
	d.tasks++
	theirs, we := p.correct == correct, p.our.solved()
	if p.correct == wrong {
		d.theirWrong++
	}
	if p.our.Correct == wrong {
		d.ourWrong++
	}
	if theirs {
		d.theirs++
	}
	if we {
		d.our++
	}
	switch {
	case theirs && we:
		d.both++
		d.theirTime += p.time
		d.ourTime += p.our.CPU
	case theirs:
		d.lost++
	case we:
		d.gained++
	}
}

// Table is us against each tool, by set and in sum, with its header; nil
// without peers.
func (p *Peers) Table() [][]string {
	if len(p.runs) == 0 {
		return nil
	}
	type key struct{ set, tool string }
	duels := map[key]*duel{}
	sum := map[string]*duel{}
	sets := map[string]bool{}
	for _, r := range p.runs {
		k := key{r.our.Task.Set, r.tool}
		sets[k.set] = true
		if duels[k] == nil {
			duels[k] = &duel{}
		}
		if sum[k.tool] == nil {
			sum[k.tool] = &duel{}
		}
		duels[k].add(r)
		sum[k.tool].add(r)
	}
	table := [][]string{{"set", "tool", "tasks", "it solved", "we solved", "lost", "gained", "it wrong", "we wrong", "both", "its s", "our s"}}
	line := func(set, tool string, d *duel) {
		if d == nil {
			return
		}
		cells := []string{set, tool}
		for _, n := range []int{d.tasks, d.theirs, d.our, d.lost, d.gained, d.theirWrong, d.ourWrong, d.both} {
			cells = append(cells, fmt.Sprint(n))
		}
		table = append(table, append(cells, seconds(d.theirTime), seconds(d.ourTime)))
	}
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		for _, tool := range p.Tools {
			line(set, tool, duels[key{set, tool}])
		}
	}
	if len(sets) > 1 {
		for _, tool := range p.Tools {
			line("all", tool, sum[tool])
		}
	}
	return table
}

// Write prints the table.
func (p *Peers) Write(w io.Writer) {
	table := p.Table()
	if table == nil {
		return
	}
	fmt.Fprintf(w, "assay against other tools, each over the tasks that it ran%s:\n", p.scaled())
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range table {
		fmt.Fprintln(tw, strings.Join(cells, "\t")+"\t")
	}
	tw.Flush()
	fmt.Fprintln(w)
}

// scaled tells the factors that are not 1.
func (p *Peers) scaled() string {
	var parts []string
	for _, tool := range p.Tools {
		if f := p.Factor[tool]; f != 1 {
			parts = append(parts, fmt.Sprintf("%s times %.3g", tool, f))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
