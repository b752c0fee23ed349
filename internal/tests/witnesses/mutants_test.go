package witnesses

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay"
	"assay/internal/user/witness"
)

var (
	mutants = flag.Int("mutants", 24, "how many changed witnesses are judged")
	seed    = flag.Uint64("seed", 1, "of the changes")
)

// sly are conditions that look harmless: they may overflow, divide by 0, be promoted, converted or rounded. $a and $b are names, $n is a number.
var sly = []string{
	"$a >= $n", "$a <= $n", "$a != $n", "$a == $b", "$a < $b", "$a + $b >= $a", "$a - $b <= $a", "$a * $b >= 0", "$a / $b >= 0", "$a % ($b - $n) >= 0 || 1",
	"($a << $b) >= 0", "($a >> $n) <= $a", "(unsigned char)($a + 250) > $b", "(signed char)($a + 100) >= 0", "(_Bool)$a == $a", "(float)$a / 3 <= $b", "(int)(0.1f * $a) <= $b",
	"2147483647 - $a - $b > 0", "-1 < (unsigned)$a", "($a ? $b : 1) != 0", "1 / $a || 1", "0 && 1 / ($a - $a)", "!($a - $n)", "~$a < 0", "$a - $n > -1U", "$a == (unsigned char)$a",
	"(long long)$a * $b < 3000", "sizeof($a) == 4", "sizeof($a + 0) == 4", "$a % 2 == 0 || $b % 2 == 1", "($a & $n) <= ($b | $n)", "($a ^ $b) >= 0", "$a == $n || $b == $n", "*&$a >= $n",
}

// condition makes one of names.
func condition(r *rand.Rand, names []string) string {
	pick := func() string { return names[r.IntN(len(names))] }
	text := sly[r.IntN(len(sly))]
	if len(names) == 0 {
		return "1"
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "$a", pick()), "$b", pick())
	return strings.ReplaceAll(text, "$n", strconv.Itoa([]int{0, 1, 2, 3, 5, 8, 19, 20, 21, 40, 80, 100}[r.IntN(12)]))
}

var tokenPattern = regexp.MustCompile(`[A-Za-z_\\][A-Za-z_0-9]*|\d+[uUlL]*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>]`)

// change changes a token of a condition.
func change(r *rand.Rand, text string, names []string) string {
	list := tokenPattern.FindAllStringIndex(text, -1)
	if len(list) == 0 {
		return text
	}
	at := list[r.IntN(len(list))]
	old := text[at[0]:at[1]]
	other := old
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	switch c := old[0]; {
	case c >= '0' && c <= '9':
		digits := strings.TrimRight(old, "uUlL")
		n, _ := strconv.ParseUint(digits, 0, 64)
		other = strconv.FormatUint(n+uint64(one("1", "2", "7")[0]-'0'), 10) + old[len(digits):]
		if r.IntN(2) == 0 && n > 0 {
			other = strconv.FormatUint(n-1, 10) + old[len(digits):]
		}
	case slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, old):
		other = one("<", "<=", ">", ">=", "==", "!=")
	case slices.Contains([]string{"+", "-", "*", "/", "%"}, old) && at[0] > 0 && text[at[0]-1] == ' ':
		other = one("+", "-", "*", "/", "%")
	case old == "&&" || old == "||":
		other = one("&&", "||")
	case slices.Contains(names, old):
		other = names[r.IntN(len(names))]
	}
	return text[:at[0]] + other + text[at[1]:]
}

// mutant is a changed witness.
type mutant struct {
	witness *witness.Witness
	claims  []claim
	// nowhere says that an element was moved to a place where nothing is: it must not be confirmed, whatever it says.
	nowhere bool
}

// location is a place as a location.
func (p *template) location(file string, x *place) witness.Location {
	return witness.Location{File: file, Line: x.line, Column: x.column}
}

// somewhere is a random place that is fit.
func (p *template) somewhere(r *rand.Rand, fit func(*place) bool) *place {
	var list []*place
	for _, id := range p.order {
		if x := p.places[id]; fit(x) {
			list = append(list, x)
		}
	}
	return list[r.IntN(len(list))]
}

// invariants changes a proof.
func (p *template) invariants(r *rand.Rand, file string, base *witness.Witness) mutant {
	m := mutant{witness: &witness.Witness{Version: base.Version, Producer: "somebody 1", Task: base.Task}}
	add := func(x *place, text string) {
		i := witness.Invariant{Type: witness.LocationInvariant, At: p.location(file, x), Value: text}
		if x.loop {
			i.Type = witness.LoopInvariant
		}
		m.witness.Invariants = append(m.witness.Invariants, i)
		m.claims = append(m.claims, claim{x.id, text})
	}
	for _, i := range base.Invariants {
		if x := p.placed(i.At.Line, i.At.Column, false); x != nil && x.loop && i.Type == witness.LoopInvariant && r.IntN(3) > 0 {
			text := i.Value
			if r.IntN(2) == 0 {
				text = change(r, text, x.visible)
			}
			add(x, text)
		}
	}
	for range 1 + r.IntN(2) {
		x := p.somewhere(r, func(x *place) bool { return x.hooked && !x.call && len(x.visible) > 0 })
		text := condition(r, x.visible)
		if r.IntN(3) == 0 {
			text = change(r, text, x.visible)
		}
		add(x, text)
	}
	if r.IntN(8) == 0 {
		m.witness.Invariants[len(m.claims)-1].At.Column++
		m.nowhere = true
	}
	return m
}

// run changes a run.
func (p *template) run(r *rand.Rand, file string, base *witness.Witness) mutant {
	type step struct {
		x    *place
		text string
	}
	var steps []step
	for _, s := range base.Segments[:len(base.Segments)-1] {
		w := s.Last()
		if x := p.placed(w.At.Line, w.At.Column, w.Type == witness.FunctionReturn); x != nil && x.hooked {
			steps = append(steps, step{x, w.Value})
		}
	}
	names := func(x *place) []string {
		if x.call {
			return []string{`\result`}
		}
		return x.visible
	}
	for range 1 + r.IntN(2) {
		switch k := r.IntN(6); {
		case k == 0 && len(steps) > 0:
			steps = slices.Delete(steps, 0, 1)
		case k == 1 && len(steps) > 1:
			i := r.IntN(len(steps) - 1)
			steps[i], steps[i+1] = steps[i+1], steps[i]
		case k == 2 && len(steps) > 0:
			i := r.IntN(len(steps))
			steps[i].text = change(r, steps[i].text, names(steps[i].x))
		default:
			x := p.somewhere(r, func(x *place) bool { return x.hooked && !x.loop && len(names(x)) > 0 })
			steps = slices.Insert(steps, r.IntN(len(steps)+1), step{x, condition(r, names(x))})
		}
	}
	target := p.places[p.targets[r.IntN(len(p.targets))]]
	m := mutant{witness: &witness.Witness{Version: base.Version, Producer: "somebody 1", Task: base.Task, Violation: true}}
	for _, s := range steps {
		w := witness.Waypoint{Type: witness.Assumption, Action: witness.Follow, At: p.location(file, s.x), Value: s.text}
		if s.x.call {
			w.Type = witness.FunctionReturn
		}
		m.witness.Segments = append(m.witness.Segments, witness.Segment{w})
		m.claims = append(m.claims, claim{s.x.id, s.text})
	}
	m.witness.Segments = append(m.witness.Segments, witness.Segment{{Type: witness.Target, Action: witness.Follow, At: p.location(file, target)}})
	m.claims = append(m.claims, claim{target.id, ""})
	return m
}

// TestMutants: of changed witnesses none is confirmed that claims something false. 24 on every push, make fuzz-witnesses N=3000.
func TestMutants(t *testing.T) {
	files, err := filepath.Glob("testdata/*.c")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	counts := map[string]int{}
	r := rand.New(rand.NewPCG(*seed, 2))
	for i, file := range files {
		p := read(t, file)
		n := *mutants / len(files)
		if i < *mutants%len(files) {
			n++
		}
		path := filepath.Join(t.TempDir(), p.name)
		if err := os.WriteFile(path, []byte(p.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		task := assay.Task{Files: []string{path}, Properties: []assay.Property{assay.Property(p.property)}, Timeout: 60 * time.Second, Witnesses: []*assay.WitnessOutput{{To: &text, Format: "auto"}}}
		task.Program.Unmodelled = assay.UnmodelledPure
		result, err := assay.Check(t.Context(), task)
		if err != nil || result.Answer != map[bool]assay.Answer{true: assay.True, false: assay.False}[p.holds] {
			t.Fatalf("%s: %v %v", p.name, result, err)
		}
		base, err := witness.Read(text.Bytes())
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.name, err, text.String())
		}
		var list []mutant
		var claims [][]claim
		for range n {
			m := p.run
			if p.holds {
				m = p.invariants
			}
			list = append(list, m(r, path, base))
			claims = append(claims, list[len(list)-1].claims)
		}
		oracle := p.compile(t, claims, !p.holds)
		for k, m := range list {
			isTrue := oracle.isTrue(t, k)
			var b bytes.Buffer
			if err := m.witness.WriteYAML(&b); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "w.yml")
			if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			ask := assay.Task{Files: []string{path}, Timeout: 20 * time.Second}
			ask.Program.Unmodelled = assay.UnmodelledPure
			j, err := assay.Validate(t.Context(), ask, file, false)
			var input *assay.InputError
			outcome := "error"
			switch {
			case errors.As(err, &input):
			case err != nil:
				t.Fatalf("%s: %v\n%s", p.name, err, b.String())
			default:
				outcome = string(j.Outcome)
			}
			counts[fmt.Sprintf("%v %s", isTrue && !m.nowhere, outcome)]++
			switch {
			case outcome == "confirmed" && (!isTrue || m.nowhere):
				t.Errorf("%s: a witness that is false is confirmed: %s\n%+v\n%s", p.name, j.Why, m.claims, b.String())
			case outcome == "rejected" && isTrue && !m.nowhere:
				t.Errorf("%s: a witness that is true is rejected: %s\n%+v\n%s", p.name, j.Why, m.claims, b.String())
			case outcome == "error" && !oracle.invalid[k]:
				t.Errorf("%s: %v: %+v", p.name, err, m.claims)
			}
		}
	}
	t.Logf("%v", counts)
	if *mutants >= 24 && (counts["true confirmed"] == 0 || counts["false rejected"] == 0) {
		t.Errorf("nothing was confirmed, or nothing rejected: %v", counts)
	}
}
