package bench

import (
	_ "embed"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// pageRow is a result on the page.
type pageRow struct {
	Result   Result
	Category string
	CPU      string
	Wall     string
	Memory   string
	Command  string
	Others   []other
	// Lost and Gained say that another tool solved it and we did not, or the
	// other way round.
	Lost, Gained bool
}

// other is the answer of another tool.
type other struct {
	Tool, Answer, Seconds string
	Wrong, Solved         bool
}

// WritePage writes a page of HTML that needs no other file: the counts, the
// comparison with other tools, plots, and all results with filters.
func WritePage(w io.Writer, title string, when time.Time, results []Result, peers *Peers, o Options) error {
	page := struct {
		Title, When, Settings, Scaled string
		Counts, Peers                 [][]string
		Plots, Growth                 []plot
		Sets, Categories, Properties  []string
		Rows                          []pageRow
	}{
		Title: title, When: when.Format("2006-01-02 15:04"), Settings: o.Settings(), Scaled: peers.scaled(),
		Counts: countTable(results), Peers: peers.Table(), Plots: plots(results, peers), Growth: growthPlots(results),
	}
	runs := map[Key][]peerRun{}
	for _, run := range peers.runs {
		runs[run.our.Task.Key()] = append(runs[run.our.Task.Key()], run)
	}
	sets, categories, properties := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range results {
		row := pageRow{Result: r, Category: r.category()}
		if r.Answer != "skipped" {
			row.CPU, row.Wall, row.Memory, row.Command = seconds(r.CPU), seconds(r.Wall), mebibytes(r.Memory), o.Command(r.Task)
		}
		for _, run := range runs[r.Task.Key()] {
			theirs := run.correct == correct
			row.Others = append(row.Others, other{run.tool, run.answer, seconds(run.time), run.correct == wrong, theirs})
			row.Lost = row.Lost || theirs && !r.solved()
			row.Gained = row.Gained || !theirs && r.solved()
		}
		slices.SortFunc(row.Others, func(a, b other) int { return strings.Compare(a.Tool, b.Tool) })
		page.Rows = append(page.Rows, row)
		sets[r.Task.Set], categories[row.Category], properties[r.Task.question()] = true, true, true
	}
	page.Sets = slices.Sorted(maps.Keys(sets))
	page.Categories = slices.Sorted(maps.Keys(categories))
	page.Properties = slices.Sorted(maps.Keys(properties))
	return pageTemplate().Execute(w, page)
}
