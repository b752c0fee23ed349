package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/temporal/ctl"
)

// TestCTLModular: loops whose conditions have products of numbers of eight bits that wrap, with the equation that holds between them modulo
// 2^8, or with one that does not. Answers are compared with a list of all states; and of those with the equation most are found.
func TestCTLModular(t *testing.T) {
	count := max(4, *randomCTL/40)
	asked, decided := 0, 0
	for seed := range count {
		r := rand.New(rand.NewPCG(256, uint64(seed)))
		l := recurrence{signed: r.IntN(2) == 0, y: r.IntN(20) - 5, z: r.IntN(12) - 3, step: r.IntN(9) + 1, rest: r.IntN(7) - 3, end: r.IntN(4), inputs: [2]int{r.IntN(256), r.IntN(20) - 4}}
		equal := r.IntN(4) > 0
		if l.constant = l.z*l.z - 2*l.step*l.y - l.step*l.z; !equal {
			l.constant += r.IntN(5)
		}
		text := []string{
			"EF(p == 0) && EF(p == 1)", "AF(p == 0)", "AG(p != 0)", "EF(p == 3)", "AG(p != 2 || EF(p == 0))", "EG(p > 0)", "AF(AG(p == 0 || p == 1))", "AG(p < 2 || c < 60)",
		}[r.IntN(8)]
		f, err := ctl.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want := exitFalse
		if initial, next := l.states(); l.hold(f, initial, next) {
			want = exitTrue
		}
		o := invoke(t, "check", "--semantics=wrap", "--timeout=10", "--ctl", text, write(t, "program.c", l.program()))
		if strings.Contains(o.stderr, "is no integer variable that the program assigns to") {
			continue
		}
		if o.code != want && o.code != exitUnknown {
			t.Errorf("seed %d: %s: code %d, want %d\n%s\n%s%s", seed, text, o.code, want, l.program(), o.stdout, o.stderr)
		}
		if equal {
			if asked++; o.code == want {
				decided++
			}
		}
	}
	t.Logf("%d of %d decided", decided, asked)
	if decided*2 < asked {
		t.Errorf("only %d of %d are decided", decided, asked)
	}
}

// recurrence is a program in which z grows by a step, y by z, and c by 1, as long as a condition with products holds.
type recurrence struct {
	signed                bool
	y, z, step, rest, end int
	constant              int
	inputs                [2]int
}

func (l *recurrence) program() string {
	kind := "unsigned"
	if l.signed {
		kind = "signed"
	}
	return fmt.Sprintf(`extern _Bool __VERIFIER_nondet_bool(void);
%[1]s char y = %[2]d, z = %[3]d, c, k;
int p = 2;
int main(void) {
  k = __VERIFIER_nondet_bool() ? %[9]d : %[10]d;
  while ((%[1]s char)(z * z - %[4]d * y - %[5]d * z - (%[6]d) + c + %[7]d) <= k) {
    y = y + z;
    z = z + %[5]d;
    c = c + 1;
    p = 1;
  }
  %[8]s
  return 0;
}
`, kind, l.wrap(l.y), l.wrap(l.z), 2*l.step, l.step, l.constant, l.rest, l.last(), l.wrap(l.inputs[0]), l.wrap(l.inputs[1]))
}

func (l *recurrence) last() string {
	return []string{"p = 0;", "p = c - k;", "p = c > 5;", "if (c == k) p = 3;"}[l.end]
}

func (l *recurrence) wrap(n int) int {
	if l.signed {
		return int(int8(n))
	}
	return int(uint8(n))
}

// character is a state of the program: at 0 its input is read.
type character struct{ at, y, z, c, k, p int }

// states are the initial ones, and the successors of those that are reached.
func (l *recurrence) states() (initial character, next map[character][]character) {
	initial = character{0, l.wrap(l.y), l.wrap(l.z), 0, 0, 2}
	next = map[character][]character{}
	for work := []character{initial}; len(work) > 0; {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if _, seen := next[s]; seen {
			continue
		}
		var list []character
		t := s
		t.at++
		switch s.at {
		case 0:
			for _, n := range l.inputs {
				t.k = l.wrap(n)
				list = append(list, t)
			}
		case 1:
			if l.wrap(s.z*s.z-2*l.step*s.y-l.step*s.z-l.constant+s.c+l.rest) > s.k {
				t.at = 6
			}
		case 2:
			t.y = l.wrap(s.y + s.z)
		case 3:
			t.z = l.wrap(s.z + l.step)
		case 4:
			t.c = l.wrap(s.c + 1)
		case 5:
			t.p, t.at = 1, 1
		case 6:
			switch l.end {
			case 0:
				t.p = 0
			case 1:
				t.p = s.c - s.k
			case 2:
				if t.p = 0; s.c > 5 {
					t.p = 1
				}
			case 3:
				if s.c == s.k {
					t.p = 3
				}
			}
		case 7:
			t = s
		}
		if s.at > 0 {
			list = []character{t}
		}
		next[s] = list
		work = append(work, list...)
	}
	return initial, next
}

// hold says whether a formula is true at the start.
func (l *recurrence) hold(f ctl.Formula, initial character, next map[character][]character) bool {
	number := map[character]int{}
	var states []character
	for s := range next {
		number[s] = len(states)
		states = append(states, s)
	}
	plain := map[machine][]machine{}
	for s, list := range next {
		from := machine{at: number[s]}
		plain[from] = []machine{}
		for _, t := range list {
			plain[from] = append(plain[from], machine{at: number[t]})
		}
	}
	atom := func(text string, m machine) bool {
		s := states[m.at]
		var name, operator string
		var n int
		if k, _ := fmt.Sscan(strings.Trim(text, "() "), &name, &operator, &n); k != 3 {
			panic("atom " + text)
		}
		value := map[string]int{"p": s.p, "c": s.c}[name]
		return map[string]bool{"==": value == n, "!=": value != n, "<": value < n, ">": value > n}[operator]
	}
	return holdsIn(f, plain, compound(atom))[machine{at: number[initial]}]
}

// compound evaluates atoms with || and && in them.
func compound(atom func(string, machine) bool) func(string, machine) bool {
	return func(text string, m machine) bool {
		for _, part := range strings.Split(text, "||") {
			all := true
			for _, one := range strings.Split(part, "&&") {
				all = all && atom(one, m)
			}
			if all {
				return true
			}
		}
		return false
	}
}
