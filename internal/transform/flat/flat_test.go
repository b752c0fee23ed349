package flat

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// generator writes random programs: main and two functions that work on objects by addresses, of which some
// are dead or too small, in branches and loops.
type generator struct {
	*rand.Rand
	s    strings.Builder
	n    int
	vars []string // of i64
	ptrs []string // to objects of 16 or more bytes, mostly
}

func (g *generator) name() string {
	g.n++
	return fmt.Sprintf("%%v%d", g.n)
}

func (g *generator) emit(format string, args ...any) { fmt.Fprintf(&g.s, "  "+format+"\n", args...) }

func (g *generator) pick(list []string) string { return list[g.IntN(len(list))] }

// at is an address in an object.
func (g *generator) at(wide bool) string {
	p := g.pick(g.ptrs)
	offsets := []int{0, 4, 8, 12}
	if wide {
		offsets = []int{8, 8, 0}
	}
	off := offsets[g.IntN(len(offsets))]
	if off == 0 && g.IntN(2) == 0 {
		return p
	}
	v := g.name()
	g.emit("%s = ptradd ptr %s, i64 %d", v, p, off)
	return v
}

func (g *generator) op(calls bool) {
	switch g.IntN(13) {
	case 0, 1:
		v, w := g.name(), g.name()
		g.emit("%s = load i32 %s align 4", v, g.at(false))
		g.emit("%s = zext i64 %s", w, v)
		g.vars = append(g.vars, w)
	case 2, 3:
		v := g.name()
		g.emit("%s = trunc i32 %s", v, g.pick(g.vars))
		g.emit("store %s, %s align 4", v, g.at(false))
	case 4:
		v := g.name()
		g.emit("%s = load i64 %s align 4", v, g.at(true))
		g.vars = append(g.vars, v)
	case 5:
		g.emit("store %s, %s align 4", g.pick(g.vars), g.at(true))
	case 6:
		g.emit("memset %s, i8 %d, i64 %d", g.pick(g.ptrs), g.IntN(3), 8*g.IntN(3))
	case 7, 8:
		if a, b := g.pick(g.ptrs), g.pick(g.ptrs); a != b {
			g.emit("memcpy %s, %s, i64 %d", a, b, []int{4, 8, 16}[g.IntN(3)])
		}
	case 9, 10:
		v := g.name()
		g.emit("%s = %s i64 %s, %s", v, []string{"add", "xor", "mul"}[g.IntN(3)], g.pick(g.vars), g.pick(g.vars))
		g.vars = append(g.vars, v)
	case 11:
		v := g.name()
		g.emit("%s = ult i1 %s, %s", v, g.pick(g.vars), g.pick(g.vars))
		g.emit("check assertion %s \"a%d\"", v, g.n)
	case 12:
		if calls {
			v := g.name()
			g.emit("%s = call i64 @%s(%s, %s, %s)", v, g.pick([]string{"f", "g"}), g.pick(g.ptrs), g.pick(g.ptrs), g.pick(g.vars))
			g.vars = append(g.vars, v)
		}
	}
}

// body is a loop of two rounds with a branch in it.
func (g *generator) body(calls bool, begin func()) {
	g.s.WriteString("entry:\n")
	begin()
	for range 3 + g.IntN(5) {
		g.op(calls)
	}
	vars := slices.Clone(g.vars)
	ptrs := slices.Clone(g.ptrs)
	k, p := g.name(), g.name()
	g.emit("br head")
	fmt.Fprintf(&g.s, "head:\n  %s = phi i64 [i64 0, entry], [%sn, tail]\n", k, k)
	fmt.Fprintf(&g.s, "  %s = phi ptr [%s, entry], [%sn, tail]\n", p, g.pick(g.ptrs), p)
	g.ptrs = append(g.ptrs, p)
	ptrs = append(ptrs, p)
	token := "" // the stack is given back to it, with a block that each round makes, in the round or behind the loop
	if g.IntN(3) == 0 {
		token = g.name()
		v := g.name()
		g.emit("%s = stacksave ptr", token)
		g.emit("%s = alloca ptr i64 16 align 8", v)
		g.ptrs, ptrs = append(g.ptrs, v), append(ptrs, v)
	}
	early := g.IntN(2) == 0
	for range 1 + g.IntN(4) {
		g.op(calls)
	}
	in := slices.Clone(g.vars)
	c := g.name()
	g.emit("%s = ult i1 %s, %s", c, g.pick(g.vars), g.pick(g.vars))
	g.emit("condbr %s, left, right", c)
	for _, side := range []string{"left", "right"} {
		fmt.Fprintf(&g.s, "%s:\n", side)
		for range 1 + g.IntN(4) {
			g.op(calls)
		}
		g.emit("br tail")
		g.vars = slices.Clone(in)
	}
	from := p
	if g.IntN(4) == 0 {
		from = g.pick(g.ptrs)
	}
	fmt.Fprintf(&g.s, "tail:\n  %sn = add i64 %s, i64 1\n", k, k)
	g.emit("%sn = ptradd ptr %s, i64 %d", p, from, 4*g.IntN(2))
	g.ptrs = ptrs
	if token != "" && early {
		g.emit("stackrestore %s", token)
	}
	d := g.name()
	g.emit("%s = ult i1 %sn, i64 2", d, k)
	g.emit("condbr %s, head, out", d)
	g.s.WriteString("out:\n")
	g.vars = vars
	if token != "" && !early {
		g.emit("stackrestore %s", token)
	}
	for range 2 + g.IntN(4) {
		g.op(calls)
	}
}

// random is a program.
func random(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(7, seed))}
	g.s.WriteString("module 64 entry @main\nfunc @main() {\n")
	var heap []string
	g.body(true, func() {
		g.vars = []string{"i64 0", "i64 3", "i64 4294967297"}
		for range 2 + g.IntN(3) {
			v := g.name()
			if g.IntN(4) == 0 {
				g.emit("%s = malloc ptr i64 16", v)
				heap = append(heap, v)
			} else {
				g.emit("%s = alloca ptr i64 %d align 8", v, []int{16, 16, 24, 8}[g.IntN(4)])
			}
			g.ptrs = append(g.ptrs, v)
		}
	})
	for _, h := range heap {
		if g.IntN(4) > 0 {
			g.emit("free %s", h)
		}
	}
	if g.IntN(2) == 0 {
		g.op(true)
	}
	g.emit("halt exit")
	g.s.WriteString("}\n")
	for _, name := range []string{"f", "g"} {
		fmt.Fprintf(&g.s, "func @%s(%%p: ptr, %%q: ptr, %%x: i64) -> i64 {\n", name)
		g.vars, g.ptrs = []string{"i64 1", "%x"}, []string{"%p", "%q"}
		var local string
		g.body(false, func() {
			if g.IntN(2) == 0 {
				local = g.name()
				g.emit("%s = alloca ptr i64 16 align 8", local)
				g.ptrs = append(g.ptrs, local)
			}
		})
		if local != "" && g.IntN(4) == 0 {
			g.emit("lifetimeend %s", local)
			if g.IntN(2) == 0 {
				g.emit("lifetimestart %s", local)
			}
			g.op(false)
		}
		g.emit("ret %s", g.pick(g.vars))
		g.s.WriteString("}\n")
	}
	return g.s.String()
}

// violations are what a run violates: accesses by kind, once in a row.
func violations(t *testing.T, m *ir.Module) (out []string) {
	t.Helper()
	_, err := interp.Run(context.Background(), m, interp.Options{MaxSteps: 4000, Observe: func(e interp.Event) {
		if e.Kind != interp.Violation || e.Check == ir.MemTrack {
			return
		}
		text := e.Check.String()
		if e.Check == ir.Assertion {
			text += e.Text
		}
		if len(out) == 0 || out[len(out)-1] != text {
			out = append(out, text)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRandom: a run of the flat program violates what the run of the program does, in the same order, up to the
// first access that is invalid.
func TestRandom(t *testing.T) {
	changed, invalid, left := 0, 0, 0
	for seed := range uint64(1500) {
		text := random(seed)
		m, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		made := Make(m)
		p := made.Then(Offsets)
		if !p.Changed() {
			continue
		}
		changed++
		a, b := violations(t, m), violations(t, p.Module)
		first := func(list []string) []string {
			if i := slices.Index(list, ir.InvalidDeref.String()); i >= 0 {
				invalid++
				return list[:i+1]
			}
			return list
		}
		if a, b := first(a), first(b); !slices.Equal(a, b) {
			t.Fatalf("seed %d: the program violates %v, the flat one %v\n%s\n%s", seed, a, b, text, ir.Print(p.Module))
		}
		if made.Changed() && len(p.Module.Funcs) > 1 {
			left++
		}
	}
	if changed < 900 || invalid < 100 || left > 0 {
		t.Fatalf("%d programs changed, %d runs had an invalid access, %d kept functions", changed, invalid, left)
	}
	t.Logf("%d programs changed, %d runs had an invalid access", changed, invalid)
}

// TestPointers: a function that a struct names, and an array of a size that is not constant.
func TestPointers(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
func @main() {
entry:
  %1 = alloca ptr i64 16 align 8
  %2 = alloca ptr i64 4 align 4
  store @f, %1 align 8
  %3 = ptradd ptr %1, i64 8
  store %2, %3 align 8
  store i32 5, %2 align 4
  call void @run(%1)
  %4 = load i32 %2 align 4
  %5 = eq i1 %4, i32 6
  check assertion %5 "six"
  halt exit
}
func @run(%p: ptr) {
entry:
  %q = ptradd ptr %p, i64 8
  %x = load ptr %q align 8
  %f = load ptr %p align 8
  %n = load i32 %x align 4
  %w = zext i64 %n
  %a = alloca ptr %w align 1
  store i8 0, %a align 1
  call void %f(%x)
  ret
}
func @f(%x: ptr) {
entry:
  %n = load i32 %x align 4
  %m = add i32 %n, i32 1
  store %m, %x align 4
  ret
}
`)
	if err != nil {
		t.Fatal(err)
	}
	p := Make(m)
	if len(p.Module.Funcs) != 1 {
		t.Fatalf("functions are left:\n%s", ir.Print(p.Module))
	}
	var stores, saves int
	for _, d := range p.Module.Funcs[0].Values {
		switch d.Op {
		case ir.Store:
			stores++
		case ir.StackSave:
			saves++
		case ir.Call:
			t.Errorf("a call is left")
		}
	}
	if stores != 1 || saves != 1 {
		t.Errorf("%d stores, %d saves of the stack:\n%s", stores, saves, ir.Print(p.Module))
	}
	if out := violations(t, p.Module); out != nil {
		t.Errorf("the flat program violates %v", out)
	}
}

// TestOlder: what the stack is given back to a token takes objects that are younger than it, and no other.
func TestOlder(t *testing.T) {
	const program = `module 64 entry @main

func @main() {
entry:
  %old = alloca ptr i64 4 align 4 cell 4
  br again
again:
  %between = alloca ptr i64 4 align 4 cell 4
  %token = stacksave ptr
  %young = alloca ptr i64 4 align 4 cell 4
  store i32 1, %young align 4
  store i32 1, %between align 4
  store i32 1, %old align 4
  stackrestore %token
  %x = load i32 %USED align 4
  %more = nondet i1 input "more"
  condbr %more, again, end
end:
  halt exit
}
`
	for used, valid := range map[string]bool{"old": true, "between": true, "young": false} {
		m, err := ir.Parse(strings.Replace(program, "USED", used, 1))
		if err != nil {
			t.Fatal(err)
		}
		loads := 0
		for _, d := range Make(m).Module.Func("main").Values {
			if d.Op == ir.Load {
				loads++
			}
		}
		if (loads == 0) != valid {
			t.Errorf("%s: %d loads are left", used, loads)
		}
	}
}

// TestConstructors: a constructor that has become part of the entry function is none any more.
func TestConstructors(t *testing.T) {
	const program = `module 64 entry @start

constructor @before

func @before() {
entry:
  %x = alloca ptr i64 4 align 4 cell 4
  store i32 1, %x align 4
  ret
}

func @start() {
entry:
  call void @before()
  halt exit
}
`
	m, err := ir.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	p := Make(m)
	if p.Module == m {
		t.Fatal("nothing has become flat")
	}
	for _, name := range p.Module.Constructors {
		if p.Module.Func(name) == nil {
			t.Errorf("constructor %s is not a function", name)
		}
	}
}
