package scan

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"assay"
	"assay/internal/tools/report"
)

// TextOptions say what is shown to people.
type TextOptions struct {
	Traces         bool // the runs
	ShowSuppressed bool
	ShowLow        bool // findings that need a precondition, too
	Verbose        bool // what is open, and why; assumptions of each function
	Summary        bool // instead of findings, what is known of each function
}

// WriteText shows a report to a person: the findings, the best first, then a table of files and properties.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	b := bufio.NewWriter(w)
	t := &text{w: b, r: r, o: o, sources: report.Sources{}}
	for _, f := range r.Files {
		if f.Error != "" {
			t.printf("%s: cannot be compiled:\n%s\n", relativeTo(r.Root, f.Path), indent(f.Error, 12))
		}
	}
	for _, p := range r.Problems {
		t.printf("%s: %s\n", r.relative(p.Pos), p.Text)
	}
	if o.Summary {
		t.failures()
		t.functions()
		t.engines()
		return b.Flush()
	}
	low := 0
	for i, f := range r.Findings {
		if f.Confidence == Low {
			low++
			if !o.ShowLow {
				continue
			}
		}
		t.finding(i+1, &f)
	}
	if o.ShowSuppressed {
		for i, f := range r.Suppressed {
			t.finding(len(r.Findings)+i+1, &f)
		}
	}
	t.failures()
	if o.Verbose {
		t.open()
	}
	t.table()
	t.engines()
	if here, err := os.Getwd(); err == nil && here != r.Root {
		t.printf("files are named as seen from %s\n", r.Root)
	}
	t.printf("%s", plural(len(r.Findings)-low, "finding"))
	if low > 0 {
		t.printf(", and %d that need a precondition", low)
		if !o.ShowLow {
			t.printf(" (--show-low)")
		}
	}
	if n := len(r.Suppressed); n > 0 {
		t.printf(", %d suppressed (--show-suppressed)", n)
	}
	t.printf("; %s in %s, %d from the cache, %.1f s\n", plural(len(r.Functions), "function"), plural(len(r.Files), "file"), r.Cached, r.Seconds)
	t.left()
	return b.Flush()
}

type text struct {
	w       *bufio.Writer
	r       *Report
	o       TextOptions
	sources report.Sources
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

// finding prints one.
func (t *text) finding(n int, f *Finding) {
	t.printf("%d. %s: %s\n", n, t.r.relative(f.Place.Pos), f.Place.Text)
	if line := t.sources.Line(f.Place.Pos); line != "" {
		t.printf("      %s\n", line)
	}
	t.printf("   %s, confidence %s: %s\n", f.Property, f.Confidence, f.Because)
	if len(f.Needs) > 0 {
		t.printf("   needs a precondition: %s\n", strings.Join(f.Needs, "; "))
	}
	from := "from " + f.Entry
	if f.Place.Func != "" && f.Place.Func != f.Entry {
		from = "in " + f.Place.Func + ", " + from
	}
	if len(f.Also) > 0 {
		from += fmt.Sprintf(" (also from %s)", strings.Join(f.Also[:min(len(f.Also), 4)], ", "))
	}
	t.printf("   %s; id %s\n", from, f.ID)
	if len(f.AlsoAt) > 0 {
		var places []string
		for _, p := range f.AlsoAt {
			places = append(places, t.r.relative(p))
		}
		t.printf("   the same with the same object at %s\n", strings.Join(places, ", "))
	}
	if f.Suppressed != nil {
		t.printf("   suppressed at %s: %s\n", t.r.relative(f.Suppressed.Pos), f.Suppressed.Reason)
	}
	for _, line := range f.Harness {
		t.printf("     %s\n", line)
	}
	if t.o.Traces {
		report.WriteSteps(t.w, t.sources, f.Trace, func(file string) string { return relativeTo(t.r.Root, file) })
		if f.Cut > 0 {
			t.printf("      (%s left out)\n", plural(f.Cut, "step"))
		}
	}
	t.printf("\n")
}

// left says how many functions more time may tell more of, and how they get it.
func (t *text) left() {
	r := t.r
	if r.Stopped == "interrupted" {
		t.printf("stopped: interrupted before %s were looked at; the next scan goes on\n", plural(r.Missed, "function"))
		return
	}
	var what []string
	if r.Missed > 0 {
		what = append(what, fmt.Sprintf("%s not looked at", plural(r.Missed, "function")))
	}
	if n := r.Left - r.Missed; n > 0 {
		what = append(what, fmt.Sprintf("%s not to the end", plural(n, "function")))
	}
	if len(what) == 0 {
		return
	}
	t.printf("the time was up (--effort, --timeout, --function-timeout): %s. A scan with greater limits, or with --continue, goes on with them\n", strings.Join(what, ", "))
}

// failures prints functions that ended a worker.
func (t *text) failures() {
	for _, f := range t.r.Functions {
		if f.Failed != "" {
			t.printf("%s: %s was not looked at to its end: %s\n", t.r.relative(f.Pos), f.Name, strings.TrimSpace(f.Failed))
		}
	}
}

// open prints the functions whose answer is unknown, and why.
func (t *text) open() {
	for _, f := range t.r.Functions {
		if f.Answer != assay.Unknown {
			continue
		}
		t.printf("%s: %s is open\n", t.r.relative(f.Pos), f.Name)
		for _, x := range f.Reasons {
			where := ""
			if !x.Pos.IsZero() {
				where = t.r.relative(x.Pos) + ": "
			}
			t.printf("      %s%s: %s\n", where, x.Cause, x.Text)
		}
	}
}

// table counts, by file and property, functions that are proved, open and violated, as 12/3/1.
func (t *text) table() {
	if len(t.r.Functions) == 0 {
		return
	}
	type cell struct{ proved, open, violated int }
	cells := map[string]map[assay.Property]*cell{}
	at := func(file string, p assay.Property) *cell {
		if cells[file] == nil {
			cells[file] = map[assay.Property]*cell{}
		}
		if cells[file][p] == nil {
			cells[file][p] = &cell{}
		}
		return cells[file][p]
	}
	const total = ""
	for _, f := range t.r.Functions {
		for _, p := range f.Proved {
			at(f.Pos.File, p).proved++
			at(total, p).proved++
		}
		for _, p := range f.Open {
			at(f.Pos.File, p).open++
			at(total, p).open++
		}
	}
	for _, f := range t.r.Findings {
		if f.Confidence != Low {
			at(f.Place.Pos.File, f.Property).violated++
			at(total, f.Property).violated++
		}
	}
	t.printf("functions proved/open, and findings, under the harness of each:\n")
	w := tabwriter.NewWriter(t.w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "  file\tfunctions")
	for _, p := range t.r.Properties {
		fmt.Fprintf(w, "\t%s", p)
	}
	fmt.Fprintln(w)
	row := func(name, file string, functions int) {
		fmt.Fprintf(w, "  %s\t%d", name, functions)
		for _, p := range t.r.Properties {
			c := at(file, p)
			fmt.Fprintf(w, "\t%d/%d/%d", c.proved, c.open, c.violated)
		}
		fmt.Fprintln(w)
	}
	for _, f := range t.r.Files {
		if f.Functions > 0 {
			row(relativeTo(t.r.Root, f.Path), f.Path, f.Functions)
		}
	}
	row("all", total, len(t.r.Functions))
	w.Flush()
}

// functions says of each function, by property, which engine has proved it, or that it is open or violated, under the harness of the function.
func (t *text) functions() {
	w := tabwriter.NewWriter(t.w, 0, 4, 2, ' ', 0)
	fmt.Fprint(w, "function")
	for _, p := range t.r.Properties {
		fmt.Fprintf(w, "\t%s", p)
	}
	fmt.Fprintln(w)
	for _, f := range t.r.Functions {
		fmt.Fprintf(w, "%s %s", t.r.relative(f.Pos), f.Name)
		for _, p := range t.r.Properties {
			fmt.Fprintf(w, "\t%s", f.state(p))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// engines says, for each property, by whom functions are proved: by abstract interpretation alone, or by an engine that costs more.
func (t *text) engines() {
	if len(t.r.Functions) == 0 {
		return
	}
	t.printf("functions by property, and the engines that proved them:\n")
	w := tabwriter.NewWriter(t.w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "  property\tby %s\tby others\topen\tviolated\n", engineAbstract)
	for _, c := range t.r.Counts {
		var others []string
		for _, name := range slices.Sorted(maps.Keys(c.By)) {
			if name != engineAbstract {
				others = append(others, fmt.Sprintf("%s %d", name, c.By[name]))
			}
		}
		fmt.Fprintf(w, "  %s\t%d\t%s\t%d\t%d\n", c.Property, c.By[engineAbstract], cmp.Or(strings.Join(others, ", "), "0"), c.Open, c.Violated)
	}
	w.Flush()
	t.printf("%d lines, %.1f s of processor time (%.1f s for 1,000 lines)\n", t.r.Lines, t.r.CPU, t.r.CPU*1000/float64(max(t.r.Lines, 1)))
}

func indent(s string, most int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	return "    " + strings.Join(lines, "\n    ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
