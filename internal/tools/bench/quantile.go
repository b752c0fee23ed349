package bench

// Quantile plots (cactus plots) as the competitions draw them: the point (n, t)
// of a tool says that its n fastest correct answers took at most t each. The
// further a curve reaches to the right the more was solved; the lower it runs
// the faster. The time axis is logarithmic.

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// plot is a quantile plot, or one of growth, with its coordinates computed, for the template.
type plot struct {
	Title         string
	Width, Height float64
	// The frame of the curves.
	Left, Top, Right, Bottom float64
	Across, Down             []tick
	Curves                   []curve
	Dots                     []dot // of a growth plot
}

// tick is a labelled place on an axis.
type tick struct {
	At    float64
	Label string
}

// curve is one tool.
type curve struct {
	Name   string
	Color  string
	Solved int
	Points string // of an SVG polyline
	LabelY float64
}

// quantiles are the processor times of the correct answers of one tool.
type quantiles struct {
	name  string
	times []time.Duration
}

// palette are colours that differ for people with colour blindness, too
// (Okabe and Ito).
var palette = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// newPlot lays out the curves. Times below a hundredth of a second are drawn
// there: no tool measures them well.
func newPlot(title string, tools []quantiles) plot {
	const floor = 0.01
	p := plot{Title: title, Width: 640, Height: 300, Left: 56, Top: 16, Right: 500, Bottom: 260}
	most, slowest := 1, 0.1
	for _, q := range tools {
		most = max(most, len(q.times))
		for _, t := range q.times {
			slowest = max(slowest, t.Seconds())
		}
	}
	low, high := math.Log10(floor), math.Ceil(math.Log10(slowest)-1e-9)
	x := func(n int) float64 { return p.Left + (p.Right-p.Left)*float64(n)/float64(most) }
	y := func(seconds float64) float64 {
		return p.Bottom - (p.Bottom-p.Top)*(math.Log10(max(seconds, floor))-low)/(high-low)
	}
	for decade := low; decade <= high+1e-9; decade++ {
		p.Down = append(p.Down, tick{y(math.Pow(10, decade)), fmt.Sprintf("%g s", math.Pow(10, decade))})
	}
	step := niceStep(most)
	for n := 0; n <= most; n += step {
		p.Across = append(p.Across, tick{x(n), fmt.Sprint(n)})
	}
	for i, q := range tools {
		times := slices.Sorted(slices.Values(q.times))
		c := curve{Name: q.name, Color: palette[i%len(palette)], Solved: len(times), LabelY: p.Top + 14 + 18*float64(i)}
		var points []string
		for n, t := range times {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(n+1), y(t.Seconds())))
		}
		c.Points = strings.Join(points, " ")
		p.Curves = append(p.Curves, c)
	}
	return p
}

// niceStep is 1, 2 or 5 times a power of ten, for about six steps to n.
func niceStep(n int) int {
	for step := 1; ; step *= 10 {
		for _, m := range []int{1, 2, 5} {
			if step*m*6 >= n {
				return step * m
			}
		}
	}
}

// plots are one of all tools over the tasks that every one of them ran, and
// one for each other tool over the tasks that it ran.
func plots(results []Result, peers *Peers) []plot {
	if len(peers.Tools) == 0 {
		var q quantiles
		n := 0
		for _, r := range results {
			if r.Answer != "skipped" {
				n++
			}
			if r.solved() {
				q.times = append(q.times, r.CPU)
			}
		}
		q.name = ours
		return []plot{newPlot(fmt.Sprintf("%d tasks", n), []quantiles{q})}
	}
	byTask := map[Key]map[string]peerRun{}
	for _, run := range peers.runs {
		k := run.our.Task.Key()
		if byTask[k] == nil {
			byTask[k] = map[string]peerRun{}
		}
		byTask[k][run.tool] = run
	}
	over := func(title string, tools []string) (plot, bool) {
		curves := make([]quantiles, 1+len(tools))
		curves[0].name = ours
		tasks := 0
		for _, runs := range byTask {
			if slices.ContainsFunc(tools, func(tool string) bool { return runs[tool].tool == "" }) {
				continue
			}
			tasks++
			if our := runs[tools[0]].our; our.solved() {
				curves[0].times = append(curves[0].times, our.CPU)
			}
			for i, tool := range tools {
				curves[i+1].name = tool
				if runs[tool].correct == correct {
					curves[i+1].times = append(curves[i+1].times, runs[tool].time)
				}
			}
		}
		return newPlot(fmt.Sprintf("%s (%d)", title, tasks), curves), tasks > 0
	}
	var out []plot
	if len(peers.Tools) > 1 {
		if p, ok := over("tasks that every tool ran", peers.Tools); ok {
			out = append(out, p)
		}
	}
	for i, tool := range peers.Tools {
		if p, ok := over("tasks that "+tool+" ran", []string{tool}); ok {
			// A tool has the same colour everywhere.
			p.Curves[1].Color = palette[(i+1)%len(palette)]
			out = append(out, p)
		}
	}
	return out
}
