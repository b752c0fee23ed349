package bench

import (
	"encoding/xml"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const peersText = `id,set,tool,limit_s,answer,correct,wall_s
a,s,2ls,10,true,yes,1
a,s,cbmc,10,true,yes,4
b,s,2ls,10,unknown,,1
c,s,2ls,10,true,yes,0.5
c,s,cbmc,10,false,NO,0.5
z,s,cbmc,10,true,yes,0.5
a,s,assay,10,true,yes,2
`

func peersFixture(t *testing.T) (tables []string, results []Result) {
	t.Helper()
	dir := at(t, map[string]string{"peers.csv": peersText})
	return []string{filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")},
		[]Result{result("a", "true", "true", time.Second), result("b", "true", "true", time.Second), result("c", "true", "timeout", 10*time.Second)}
}

func TestPeers(t *testing.T) {
	tables, results := peersFixture(t)
	other := result("d", "true", "true", time.Second)
	other.Task.Set = "other" // nobody else ran it
	for _, test := range []struct {
		scale Scale
		want  string
	}{
		{Scale{}, "s 2ls 3 2 2 1 1 0 0 1 1.000 1.000;s cbmc 2 1 1 0 0 1 0 1 4.000 1.000"},
		{Scale{Factors: map[string]float64{"cbmc": 0.25}}, "s 2ls 3 2 2 1 1 0 0 1 1.000 1.000;s cbmc 2 1 1 0 0 1 0 1 1.000 1.000"},
		// assay took 2 s there and 1 s here.
		{Scale{Reference: "a"}, "s 2ls 3 2 2 1 1 0 0 1 0.500 1.000;s cbmc 2 1 1 0 0 1 0 1 2.000 1.000"},
		{Scale{Reference: "a", Seconds: 10, Factors: map[string]float64{"2ls": 1}}, "s 2ls 3 2 2 1 1 0 0 1 1.000 1.000;s cbmc 2 1 1 0 0 1 0 1 0.400 1.000"},
	} {
		peers, err := ReadPeers(tables, append(results, other), test.scale)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, cells := range peers.Table()[1:] {
			lines = append(lines, strings.Join(cells, " "))
		}
		if got := strings.Join(lines, ";"); got != test.want {
			t.Errorf("%+v: got  %s\nwant %s", test.scale, got, test.want)
		}
	}
	for _, test := range []struct {
		scale Scale
		want  string
	}{
		{Scale{Factors: map[string]float64{"esbmc": 1}}, `there is no tool "esbmc" in peers.csv, only 2ls, assay, cbmc`},
		{Scale{Reference: "c"}, "was not solved"},
		{Scale{Reference: "b"}, "no time of assay"},
	} {
		if _, err := ReadPeers(tables, results, test.scale); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v", test.scale, err)
		}
	}
	if peers, err := ReadPeers([]string{"/no/such/table.csv"}, results, Scale{}); err != nil || peers.Table() != nil {
		t.Errorf("got %+v, %v", peers, err)
	}
}

func TestBadPeers(t *testing.T) {
	results := []Result{result("a", "true", "true", 0), result("a", "true", "true", 0)}
	results[1].Task.Property = "no-overflow"
	for text, want := range map[string]string{
		"id,tool,correct\n,x,yes\n":              ":2: the id or the tool is empty",
		"id,tool,correct\na,x,maybe\n":           `:2: the column correct holds "maybe"`,
		"id,tool,correct,wall_s\na,x,yes,fast\n": `:2: the column wall_s holds "fast"`,
		"id,tool,correct\na,x,yes\na,x,yes\n":    ":3: x ran the task a in line 2 already",
		"id,tool,correct\na,x,yes\n":             ":2: the task a has several properties",
	} {
		dir := at(t, map[string]string{"peers.csv": text})
		if _, err := ReadPeers([]string{dir + "/t.csv"}, results, Scale{}); err == nil || !strings.HasPrefix(err.Error(), dir+"/peers.csv"+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	dir := at(t, map[string]string{"peers.csv": "id,tool,correct,property,wall_s,cpu_s\na,x,yes,no-overflow,1,3\n"})
	peers, err := ReadPeers([]string{dir + "/t.csv"}, results, Scale{})
	if err != nil || len(peers.runs) != 1 || peers.runs[0].our.Task.Property != "no-overflow" || peers.runs[0].time != 3*time.Second {
		t.Errorf("got %+v, %v", peers, err)
	}
}

func TestPlots(t *testing.T) {
	tables, results := peersFixture(t)
	peers, err := ReadPeers(tables, results, Scale{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	colours := map[string]string{}
	for _, p := range plots(results, peers) {
		line := p.Title
		for _, c := range p.Curves {
			line += " " + c.Name + strings.Repeat("*", c.Solved)
			if old, ok := colours[c.Name]; ok && old != c.Color {
				t.Errorf("%s has the colours %s and %s", c.Name, old, c.Color)
			}
			colours[c.Name] = c.Color
			if n := len(strings.Fields(c.Points)); n != c.Solved {
				t.Errorf("%s: %d points of %d", c.Name, n, c.Solved)
			}
		}
		got = append(got, line)
	}
	want := "tasks that every tool ran (2) assay* 2ls** cbmc*;tasks that 2ls ran (3) assay** 2ls**;tasks that cbmc ran (2) assay* cbmc*"
	if strings.Join(got, ";") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ";"), want)
	}
	if p := plots(results, &Peers{}); len(p) != 1 || p[0].Curves[0].Solved != 2 {
		t.Errorf("got %+v", p)
	}
}

// TestPlotStaysInItsFrame, whatever the times are; a curve never falls.
func TestPlotStaysInItsFrame(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		q := quantiles{name: "x"}
		for range random.IntN(50) {
			q.times = append(q.times, time.Duration(random.ExpFloat64()*float64(time.Second)*[]float64{0, 1e-4, 1, 1e3}[random.IntN(4)]))
		}
		p := newPlot("t", []quantiles{q, {name: "none"}})
		coordinates := regexp.MustCompile(`([\d.]+),([\d.]+)`)
		lastX, lastY := p.Left, p.Bottom
		for _, point := range strings.Fields(p.Curves[0].Points) {
			var x, y float64
			if m := coordinates.FindStringSubmatch(point); m == nil || m[0] != point {
				t.Fatalf("seed %d: point %q", seed, point)
			} else if x, y = number(t, m[1]), number(t, m[2]); x < lastX || y > lastY+0.1 || x > p.Right+0.1 || y < p.Top-0.1 {
				t.Fatalf("seed %d: point %s after %g,%g", seed, point, lastX, lastY)
			}
			lastX, lastY = x, y
		}
		if len(p.Down) < 2 || len(p.Across) < 2 || len(p.Across) > 12 {
			t.Errorf("seed %d: %d and %d ticks", seed, len(p.Down), len(p.Across))
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	n, err := csvRow{column: map[string]int{"x": 0}, fields: []string{s}}.number("x")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPage(t *testing.T) {
	tables, results := peersFixture(t)
	results[0].Reason = `<script>alert("x")</script>`
	results = append(results, result("w", "false", "true", 0), result("n", "true", "skipped", 0))
	peers, err := ReadPeers(tables, results, Scale{Factors: map[string]float64{"cbmc": 2}})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Assay: "assay", Limit: time.Second}
	var b strings.Builder
	if err := WritePage(&b, "title & more", time.Unix(0, 0), results, peers, o); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"title &amp; more", "cbmc times 2", "<polyline points=\"", "tasks that every tool ran (2)", "assay check --property unreach-call --unmodelled pure --timeout 1s w.c",
		`data-category="wrong"`, `data-category="skipped"`, `data-against="gained"`, `data-against="lost "`, "<option>wrong</option>", "<option>unreach-call</option>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(page, "<script>alert") {
		t.Error("the reason is not escaped")
	}
	if m := regexp.MustCompile(`(?i)(src|href)\s*=|url\(|@import|https?:`).FindString(page); m != "" {
		t.Errorf("the page refers to something else: %s", m)
	}
	// The tags are balanced: the page without its program is read as XML.
	d := xml.NewDecoder(strings.NewReader(regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(page, "")))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta", "input"}, xml.HTMLEntity
	for {
		_, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
