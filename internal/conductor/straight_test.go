package conductor

import (
	"slices"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// TestStraight: what comes before every loop, branch by branch and call by call, is told from what may come behind one.
func TestStraight(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
file "a.c"
global @g size 4 align 4

func @once() {
entry:
  check assertion i1 1 "once"
  ret
}

func @both() {
entry:
  check assertion i1 1 "both"
  ret
}

func @round() {
entry:
  check assertion i1 1 "round begins"
  br head
head:
  %more = nondet i1 input "more"
  check assertion %more "round"
  condbr %more, head, exit
exit:
  ret
}

func @self() {
entry:
  check assertion i1 1 "self"
  call void @self()
  ret
}

func @main() {
entry:
  check assertion i1 1 "first"
  call void @once()
  call void @both()
  %c = nondet i1 input "c"
  condbr %c, left, right
left:
  check assertion i1 1 "left"
  call void @round()
  check assertion i1 1 "behind round"
  br end
right:
  check assertion i1 1 "right"
  br stop
stop:
  check assertion i1 1 "stop"
  halt exit
end:
  check assertion i1 1 "end"
  call void @both()
  call void @self()
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	s := straightOf(m)
	var got []string
	for _, x := range sites(m, []ir.CheckKind{ir.Assertion}, "") {
		if s.has(verdict.Site{Func: x.Func, Value: x.Value, Kind: x.Kind}) {
			got = append(got, m.Func(x.Func).Def(x.Value).Sym)
		}
	}
	if want := []string{"once", "round begins", "first", "left", "right", "stop"}; !slices.Equal(got, want) {
		t.Errorf("before every loop: %q, want %q", got, want)
	}
	// They are not called proved.
	r := newRun(Task{Module: m, Targets: []ir.CheckKind{ir.Assertion}})
	all := &verdict.CheckCount{Proved: 1}
	for _, x := range sites(m, []ir.CheckKind{ir.Assertion}, "") {
		d := m.Func(x.Func).Def(x.Value)
		all.Open = append(all.Open, verdict.Guard{Kind: x.Kind, Text: d.Sym, Func: x.Func, Pos: d.Pos})
	}
	// Checks that stand at one place, as those of main do here, are open as long as one of them is.
	if left := r.withoutStraight(m, all); left.Proved != 1 || left.Searched != 1 || len(left.Open) != len(all.Open)-1 {
		t.Errorf("%d proved, %d searched, %d of %d open", left.Proved, left.Searched, len(left.Open), len(all.Open))
	}
	// One behind a loop is named, outside of the function in which the program starts.
	if x := all.Open[r.foremost(m, all)]; x.Func == "main" || x.Func == "once" {
		t.Errorf("%s of %s is named", x.Text, x.Func)
	}
}
