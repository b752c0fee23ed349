package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Growth plots: tasks of a set that have a size (a column of their table) are
// drawn by it, so that one sees how the cost of a family of programs grows. Both
// axes are linear: what is proportional to the size is a straight line, what
// multiplies with each step is not.

// dot is a task in a growth plot.
type dot struct {
	X, Y   float64
	Solved bool
	Text   string // when pointed at
}

// sized are the results of tasks with a size, by set and size.
func sized(results []Result) map[string][]Result {
	out := map[string][]Result{}
	for _, r := range results {
		if r.Task.Size > 0 && r.Answer != "skipped" {
			out[r.Task.Set] = append(out[r.Task.Set], r)
		}
	}
	for _, rs := range out {
		slices.SortStableFunc(rs, func(a, b Result) int { return cmp.Compare(a.Task.Size, b.Task.Size) })
	}
	return out
}

// growthPlots are one plot for each set with sizes.
func growthPlots(results []Result) []plot {
	families := sized(results)
	var out []plot
	for i, set := range slices.Sorted(maps.Keys(families)) {
		out = append(out, newGrowthPlot(set, families[set], palette[i%len(palette)]))
	}
	return out
}

func newGrowthPlot(title string, results []Result, color string) plot {
	p := plot{Title: title, Width: 560, Height: 300, Left: 56, Top: 16, Right: 540, Bottom: 260}
	largest, slowest := 1, 0.1
	for _, r := range results {
		largest, slowest = max(largest, r.Task.Size), max(slowest, r.CPU.Seconds())
	}
	step := niceSeconds(slowest)
	high := step * math.Ceil(slowest/step-1e-9)
	x := func(n int) float64 { return p.Left + (p.Right-p.Left)*float64(n)/float64(largest) }
	y := func(seconds float64) float64 { return p.Bottom - (p.Bottom-p.Top)*seconds/high }
	for k := 0; float64(k)*step <= high+1e-9; k++ {
		p.Down = append(p.Down, tick{y(float64(k) * step), fmt.Sprintf("%.4g s", float64(k)*step)})
	}
	for n, by := 0, niceStep(largest); n <= largest; n += by {
		p.Across = append(p.Across, tick{x(n), fmt.Sprint(n)})
	}
	c := curve{Name: title, Color: color}
	var points []string
	for _, r := range results {
		d := dot{x(r.Task.Size), y(r.CPU.Seconds()), r.solved(), fmt.Sprintf("%s, size %d: %s, %s s", r.Task.ID, r.Task.Size, r.Answer, seconds(r.CPU))}
		p.Dots = append(p.Dots, d)
		if d.Solved {
			c.Solved++
			points = append(points, fmt.Sprintf("%.1f,%.1f", d.X, d.Y))
		}
	}
	p.Title = fmt.Sprintf("%s: %d of %d solved", title, c.Solved, len(results))
	c.Points = strings.Join(points, " ")
	p.Curves = []curve{c}
	return p
}

// niceSeconds is 1, 2 or 5 times a power of ten, for about five steps to t.
func niceSeconds(t float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(t/5)))
	for _, m := range []float64{1, 2, 5} {
		if m*power*5 >= t-1e-9 {
			return m * power
		}
	}
	return 10 * power
}

// writeGrowth prints the times of each family by size, and with which power of the size they
// grow: the slope of the line that fits the logarithms best, of tasks that are solved and
// take so long that starting is not what is measured.
func writeGrowth(w io.Writer, results []Result) {
	families := sized(results)
	for _, set := range slices.Sorted(maps.Keys(families)) {
		fmt.Fprintf(w, "\ncpu s of %s by size:", set)
		for _, r := range families[set] {
			mark := ""
			if !r.solved() {
				mark = " (" + r.Answer + ")"
			}
			fmt.Fprintf(w, " %d: %s%s", r.Task.Size, seconds(r.CPU.Round(time.Millisecond)), mark)
		}
		if e, ok := exponent(families[set]); ok {
			fmt.Fprintf(w, "; grows as size^%.2f", e)
		}
		fmt.Fprintln(w)
	}
}

// leastMeasured is the time from which a task counts for exponents.
const leastMeasured = 200 * time.Millisecond

// exponent is that of the time over the size; ok is false if there are not three tasks that
// tell it, or their sizes are within a factor of four.
func exponent(results []Result) (e float64, ok bool) {
	var n, sx, sy, sxx, sxy float64
	least, most := math.Inf(1), 0.
	for _, r := range results {
		if !r.solved() || r.CPU < leastMeasured {
			continue
		}
		size := float64(r.Task.Size)
		least, most = min(least, size), max(most, size)
		x, y := math.Log(size), math.Log(r.CPU.Seconds())
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if n < 3 || most < 4*least {
		return 0, false
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx), true
}
