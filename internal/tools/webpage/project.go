package webpage

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"assay"
	"assay/internal/tools/report"
	"assay/internal/tools/scan"
	"assay/internal/user/property"
)

//go:embed project.html
var projectText string

var projectPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.Must(template.New("project").Parse(projectText)).Parse(
		`{{define "link"}}{{if .Target}}<a href="#{{.Target}}">{{.Text}}</a>{{else}}{{.Text}}{{end}}{{end}}`))
})

// project is what the page of a scan shows.
type project struct {
	Style      template.CSS
	R          *scan.Report
	Version    string
	Command    string
	Findings   []projectFinding
	Known      []projectFinding
	ByFile     []tally
	ByProperty []tally
	Open       []openFunction
	Proved     int
	Files      []*file
}

// tally is a line of a summary.
type tally struct {
	Name                      string
	Functions                 int
	High, Medium, Low, Proved int
	Open                      int
	Note                      string
}

// projectFinding is a finding with its run.
type projectFinding struct {
	*scan.Finding
	N     int
	At    link
	Class string
	Rule  *property.Rule
	Steps []step
	// Origins is the history of the pointer of the violation.
	Origins []step
}

// openFunction is a function about which something is open.
type openFunction struct {
	At     link
	Name   string
	Open   string
	Reason string
}

// WriteProject writes the page of a scan: findings in their order, each with its run, and what is known of each file and property.
func WriteProject(w io.Writer, r *scan.Report, command string) error {
	s := newSources()
	s.root, s.whole = r.Root, 0
	p := &project{Style: template.CSS(style), R: r, Version: assay.Version(), Command: command}
	for i := range r.Findings {
		p.Findings = append(p.Findings, finding(s, &r.Findings[i], i+1))
	}
	for i := range r.Suppressed {
		p.Known = append(p.Known, finding(s, &r.Suppressed[i], len(r.Findings)+i+1))
	}
	p.tallies(r)
	for i := range r.Functions {
		f := &r.Functions[i]
		if f.Answer == assay.True {
			p.Proved++
		}
		if len(f.Open) == 0 && f.Failed == "" {
			continue
		}
		o := openFunction{At: link{Text: f.Pos.String(), Line: f.Pos.Line}, Name: f.Name, Open: names(f.Open), Reason: f.Failed}
		if len(f.Reasons) > 0 && o.Reason == "" {
			o.Reason = f.Reasons[0].Cause + ": " + f.Reasons[0].Text
		}
		p.Open = append(p.Open, o)
	}
	p.Files = s.shown()
	return projectPage().Execute(w, p)
}

func names(ps []assay.Property) string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = string(p)
	}
	return strings.Join(out, ", ")
}

// finding is a finding with the rows of its run.
func finding(s *sources, f *scan.Finding, n int) projectFinding {
	out := projectFinding{Finding: f, N: n, At: s.link(f.Place.Pos), Rule: property.RuleOf(f.Property)}
	out.Class = map[scan.Confidence]string{scan.High: "false", scan.Medium: "unknown", scan.Low: "dim"}[f.Confidence]
	s.note(f.Place.Pos, note{Class: "false", Label: fmt.Sprintf("finding %d: %s", n, f.Property), Text: f.Place.Text})
	s.mark(f.Place.Pos, assay.False, f.Place.Text)
	number := 0
	short := report.NewShortener(false, 400, func(x assay.Step) {
		number++
		row := step{N: number, At: s.link(x.Pos), Func: x.Func, Indent: strings.Repeat("· ", min(x.Depth, 12)), Text: report.StepText(x), Class: string(x.Kind)}
		if x.Input != "" {
			row.Class += " input"
		}
		out.Steps = append(out.Steps, row)
	}, func(left int, _ bool) {
		out.Steps = append(out.Steps, step{Gap: fmt.Sprintf("%d steps left out", left)})
	})
	for _, x := range f.Trace {
		short.Add(x)
	}
	short.Close()
	if n := len(f.Trace); n > 0 {
		out.Origins = s.origins(f.Trace[n-1])
	}
	return out
}

// tallies sums up by file and by property.
func (p *project) tallies(r *scan.Report) {
	files, properties := map[string]*tally{}, map[string]*tally{}
	line := func(m map[string]*tally, name string) *tally {
		if short, err := filepath.Rel(r.Root, name); err == nil && filepath.IsAbs(name) && filepath.IsLocal(short) {
			name = short
		}
		if m[name] == nil {
			m[name] = &tally{Name: name}
		}
		return m[name]
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, t := range []*tally{line(files, cmp.Or(f.Place.Pos.File, f.File)), line(properties, string(f.Property))} {
			switch f.Confidence {
			case scan.High:
				t.High++
			case scan.Medium:
				t.Medium++
			default:
				t.Low++
			}
		}
	}
	for i := range r.Functions {
		f := &r.Functions[i]
		t := line(files, f.Pos.File)
		if t.Functions++; f.Answer == assay.True {
			t.Proved++
		}
		if len(f.Open) > 0 || f.Failed != "" {
			t.Open++
		}
		for _, x := range f.Proved {
			line(properties, string(x)).Proved++
		}
		for _, x := range f.Open {
			line(properties, string(x)).Open++
		}
	}
	for _, f := range r.Files {
		if f.Error != "" {
			line(files, f.Path).Note = "not compiled: " + strings.SplitN(f.Error, "\n", 2)[0]
		}
	}
	p.ByFile, p.ByProperty = ordered(files), ordered(properties)
}

// ordered puts what has most findings first.
func ordered(m map[string]*tally) []tally {
	var out []tally
	for _, t := range m {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b tally) int {
		return cmp.Or(b.High-a.High, b.Medium-a.Medium, b.Low-a.Low, cmp.Compare(a.Name, b.Name))
	})
	return out
}
