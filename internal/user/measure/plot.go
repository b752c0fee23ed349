package measure

import (
	"fmt"
	"io"
	"strings"
)

// Point is a run whose inputs are all n, and what the bound says of it.
type Point struct {
	N, Cost, Bound float64
}

// Sizes of a picture.
const (
	width, height, margin = 640, 400, 60
)

// WritePlot draws the costs of runs as dots beside the curve of the bound, as SVG. Where the bound is far above
// all runs, the curve leaves the picture.
func WritePlot(w io.Writer, title, cost string, points []Point) error {
	var right, top float64
	for _, p := range points {
		right, top = max(right, p.N), max(top, p.Cost*3, 1)
	}
	var most float64
	for _, p := range points {
		most = max(most, p.Bound)
	}
	top = min(top, max(most, 1)*1.05)
	x := func(n float64) float64 { return margin + n/max(right, 1)*(width-2*margin) }
	y := func(c float64) float64 { return height - margin - c/top*(height-2*margin) }
	var b strings.Builder
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	fmt.Fprintf(&b, `<text x="%d" y="24" font-size="14">%s</text>`+"\n", margin, escape.Replace(title))
	fmt.Fprintf(&b, `<path d="M%d %d V%d H%d" fill="none" stroke="black"/>`+"\n", margin, margin, height-margin, width-margin)
	for i := range 5 {
		n, c := right*float64(i)/4, top*float64(i)/4
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%.4g</text>`+"\n", x(n), height-margin+18, n)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%.4g</text>`+"\n", margin-6, y(c)+4, c)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">n, the value of every input</text>`+"\n", width/2, height-margin+38)
	b.WriteString(`<clipPath id="inside"><rect x="` + fmt.Sprint(margin) + `" y="` + fmt.Sprint(margin-10) + `" width="` + fmt.Sprint(width-2*margin) + `" height="` + fmt.Sprint(height-2*margin+10) + `"/></clipPath>` + "\n")
	b.WriteString(`<polyline clip-path="url(#inside)" fill="none" stroke="firebrick" stroke-width="2" points="`)
	for _, p := range points {
		fmt.Fprintf(&b, "%.1f,%.1f ", x(p.N), max(y(p.Bound), -10_000))
	}
	b.WriteString("\"/>\n")
	for _, p := range points {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="steelblue"/>`+"\n", x(p.N), y(p.Cost))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="firebrick">the bound</text>`+"\n", margin+10, margin+4)
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="steelblue">%s of runs</text>`+"\n</svg>\n", margin+10, margin+20, escape.Replace(cost))
	_, err := io.WriteString(w, b.String())
	return err
}
