package scan

import (
	"testing"
	"time"
)

// TestLimits: which limits allow as much as others.
func TestLimits(t *testing.T) {
	some := limits{10, 45, 240}
	for _, c := range []struct {
		l, other limits
		want     bool
	}{
		{some, some, true},
		{limits{10, 46, 240}, some, true},
		{limits{10, 44, 240}, some, false},
		{limits{9, 45, 240}, some, false},
		{limits{10, 45, 239}, some, false},
		{limits{10, 0, 240}, some, true},
		{some, limits{10, 0, 240}, false},
		{limits{}, limits{}, true},
		{limits{}, some, true},
	} {
		if got := c.l.allow(c.other); got != c.want {
			t.Errorf("%v allows %v: %v", c.l, c.other, got)
		}
	}
}

// TestResume: what a scan has left is not looked at again, unless there is more time for it, or somebody asks to go on.
func TestResume(t *testing.T) {
	folder := t.TempDir()
	fresh := func(o Options) *scanner {
		c, err := openCache(folder)
		if err != nil {
			t.Fatal(err)
		}
		return &scanner{o: &o, cache: c}
	}
	o := Options{FunctionTimeout: time.Second, Effort: 45 * time.Second}
	done, partly, never := &target{key: "done"}, &target{key: "partly"}, &target{key: "never"}
	first := fresh(o)
	for _, x := range []*target{done, partly, never} {
		if first.recall(x) || x.answer != nil || x.cached || x.left {
			t.Errorf("%s is known at first", x.key)
		}
	}
	first.take(done, &answer{Answer: "true"}, time.Second)
	first.take(partly, &answer{Answer: "false", Findings: []Finding{{}}, TimedOut: true}, time.Second)
	first.take(partly, &answer{Failed: "it died"}, 2*time.Second)
	if a := partly.answer; len(a.Findings) != 1 || a.Answer != "false" || a.Failed == "" || a.Limit != 2*time.Second {
		t.Errorf("what was found is lost: %+v", a)
	}
	partly.answer.Failed = ""
	first.leave([]*target{partly, never})
	greater, less, again := o, o, o
	greater.Effort, less.Effort, again.Continue = time.Minute, time.Second, true
	for _, c := range []struct {
		o    Options
		left bool // are functions that are left all that there is to say?
	}{{o, true}, {less, true}, {greater, false}, {again, false}} {
		s := fresh(c.o)
		done, partly, never := &target{key: "done"}, &target{key: "partly"}, &target{key: "never"}
		if !s.recall(done) || !done.cached || done.left || done.answer == nil {
			t.Errorf("%+v: done: %+v", s.limits(), done)
		}
		if s.recall(partly) != c.left || !partly.left || !partly.cached || partly.answer == nil || len(partly.answer.Findings) != 1 {
			t.Errorf("%+v: partly: %+v", s.limits(), partly)
		}
		if s.recall(never) != c.left || !never.left || never.cached || never.answer != nil {
			t.Errorf("%+v: never: %+v", s.limits(), never)
		}
	}
}
