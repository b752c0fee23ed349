package bench

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFamilies(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	table, err := WriteFamilies(folder)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := ReadTasks([]string{table}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, task := range tasks {
		sizes[task.Set]++
		if task.skipReason() != "" || task.Expected == "" {
			t.Errorf("%+v", task)
		}
		text, err := os.ReadFile(task.Paths[0])
		if err != nil {
			t.Fatal(err)
		}
		part := map[string]string{"unreach-call": "static unsigned part", "valid-memsafety": "malloc("}[task.Property]
		switch {
		case strings.Contains(task.Set, "calls of"), strings.Contains(task.Set, "with pointers"):
			part = "__VERIFIER_nondet_uint(), "
		case strings.Contains(task.Set, "states"):
			part = "case "
		case task.Property == "termination":
			part = "for ("
		}
		if n := strings.Count(string(text), part); n != task.Size {
			t.Errorf("%s has %d parts", task.ID, n)
		}
		plain, err := os.ReadFile(strings.Replace(task.Paths[0], "-and-a-bug", "", 1))
		if err != nil || strings.Contains(task.Set, "a bug") == (string(plain) == string(text)) {
			t.Errorf("%s: %v, the same program with and without a bug", task.ID, err)
		}
	}
	if len(sizes) != 15 || sizes["nested loops"] != 6 || sizes["loops in sequence"] != 40 || sizes["functions with a loop and a bug"] != 5 {
		t.Error(sizes)
	}
}

func TestSizes(t *testing.T) {
	const header = "id,set,file,property,expected,data_model,size\n"
	tasks, err := parseTable("t.csv", strings.NewReader(header+"a,s,a.c,termination,true,,7\nb,s,b.c,termination,true,,\n"))
	if err != nil || tasks[0].Size != 7 || tasks[1].Size != 0 {
		t.Error(tasks, err)
	}
	for _, bad := range []string{"x", "0", "-1", "1.5"} {
		_, err := parseTable("t.csv", strings.NewReader(header+"a,s,a.c,termination,true,,"+bad+"\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "t.csv:2: the size") {
			t.Errorf("size %s: %v", bad, err)
		}
	}
}

func TestGrowthPlots(t *testing.T) {
	result := func(set string, size int, answer string, cpu time.Duration) Result {
		r := Result{Task: Task{ID: set, Set: set, Size: size, Expected: "true"}, Answer: answer, CPU: cpu}
		r.Correct = r.Task.judge(answer)
		return r
	}
	results := []Result{
		result("f", 4, "timeout", 9*time.Second), result("f", 1, "true", time.Second), result("f", 2, "true", 2*time.Second),
		result("none", 0, "true", time.Second), result("g", 1, "skipped", 0),
	}
	ps := growthPlots(results)
	if len(ps) != 1 {
		t.Fatal(ps)
	}
	p := ps[0]
	if p.Title != "f: 2 of 3 solved" || len(p.Dots) != 3 || p.Dots[2].Solved {
		t.Errorf("%+v", p)
	}
	// Linear axes, time upwards.
	if one, two := p.Dots[0], p.Dots[1]; (one.X-p.Left)*2 != two.X-p.Left || (p.Bottom-one.Y)*2 != p.Bottom-two.Y {
		t.Errorf("%+v", p.Dots)
	}
	for _, d := range p.Dots {
		if d.X < p.Left || d.X > p.Right || d.Y < p.Top || d.Y > p.Bottom {
			t.Errorf("%+v is outside", d)
		}
	}
	var b strings.Builder
	writeGrowth(&b, results)
	if want := "\ncpu s of f by size: 1: 1.000 2: 2.000 4: 9.000 (timeout)\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	if err := WritePage(&b, "t", time.Unix(0, 0), results, &Peers{}, Options{}); err != nil || strings.Count(b.String(), "<circle") != 2 || !strings.Contains(b.String(), "✕") {
		t.Error(err, b.String())
	}
}

// TestExponent: times that are a power of the size show it, short ones do not count.
func TestExponent(t *testing.T) {
	var results []Result
	for _, n := range []int{1, 10, 100, 1000} {
		task := Task{ID: "a", Set: "s", Size: n, Expected: "true"}
		r := Result{Task: task, Answer: "true", CPU: time.Duration(float64(time.Millisecond) * 100 * math.Pow(float64(n), 1.5))}
		r.Correct = task.judge("true")
		results = append(results, r)
	}
	if e, ok := exponent(results); !ok || math.Abs(e-1.5) > 1e-6 {
		t.Errorf("%v, %v", e, ok)
	}
	if _, ok := exponent(results[:3]); ok {
		t.Error("an exponent of two measurements")
	}
}
