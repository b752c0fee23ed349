package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/program/harness"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// TestMade: objects that functions of the program make hold what these establish, and runs in which they fail are left out.
func TestMade(t *testing.T) {
	const source = `
void *malloc(unsigned long); void free(void *);
struct pile { int *at; unsigned top, room; };
struct pile *pile_new(unsigned room) {
    struct pile *p;
    if (room == 0) return 0;
    p = malloc(sizeof *p); p->at = malloc(room * sizeof(int)); p->top = 0; p->room = room; return p;
}
int pile_init(struct pile *p, const char *name) { if (!name[0]) return -1; p->at = malloc(8 * sizeof(int)); p->top = 1; p->room = 8; p->at[0] = 3; return 0; }
int pile_push(struct pile *p, int v) { if (p->top == p->room) return 0; p->at[p->top++] = v; return 1; }
void pile_put(struct pile *p) { free(p->at); free(p); }
int pile_open(unsigned room, struct pile **out) {
    struct pile *p = pile_new(room);
    if (!p) return 3;
    *out = p;
    return 0;
}
struct place { struct pile *of; unsigned at; };
void place_init(struct place *q, struct pile *p) { q->of = p; q->at = 0; }
int next(struct place *q) { return q->at < q->of->top ? q->of->at[q->at++] : -1; }
int peek(struct pile *p) { return p->top ? p->at[p->top - 1] : 0; }
int wrong(struct pile *p) { return p->at[p->top]; }
int behind(struct pile *p) { return p->at[p->room]; }
`
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	u, err := Compile(t.Context(), Source{File: file}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	making := harness.Making{
		Type:     "pile",
		Makers:   []harness.Step{{Function: "pile_new", Into: harness.Returned}, {Function: "pile_init", Into: 0}},
		Changers: []harness.Step{{Function: "pile_push", Into: 0}, {Function: "pile_put", Into: 0}},
	}
	handed := making
	handed.Makers = []harness.Step{{Function: "pile_open", Into: 1, Handed: true}}
	place := harness.Making{Type: "place", Makers: []harness.Step{{Function: "place_init"}}}
	inner := handed
	inner.Inner = true
	const both = "p is an object that pile_new or pile_init makes, and that pile_push and then pile_put may change"
	// violations are how many of 100 runs go wrong, and how many come to an end.
	violations := func(function, want string, made ...harness.Making) (wrong, ended int) {
		roots := []Named{{0, function}}
		for _, m := range made {
			for _, s := range slices.Concat(m.Makers, m.Changers) {
				roots = append(roots, Named{0, s.Function})
			}
		}
		r, err := NewProject([]*Unit{u}).Reach(roots...)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(t.Context(), Options{Link: r.Link, Function: function, Harness: harness.Variant{Infer: true, Made: made}})
		if err != nil {
			t.Fatal(err)
		}
		if text := loaded.Harness.Text(); want != "" && !slices.Contains(text, want) {
			t.Errorf("the harness does not say %q:\n%s", want, strings.Join(text, "\n"))
		}
		for seed := range 100 {
			bad := false
			outcome, err := interp.Run(t.Context(), loaded.Module, interp.Options{
				Oracle: interp.Random(uint64(seed)), MaxSteps: 2000, MaxMemory: 1 << 20,
				Observe: func(e interp.Event) { bad = bad || e.Kind == interp.Violation && e.Check == ir.InvalidDeref },
			})
			switch {
			case err != nil:
				t.Fatal(err)
			case bad:
				wrong++
			case outcome.End == interp.Halted:
				ended++
			}
		}
		return wrong, ended
	}
	if n, _ := violations("peek", ""); n == 0 {
		t.Error("no structure with arbitrary content goes wrong in peek")
	}
	for _, x := range []struct {
		function, want string
		made           []harness.Making
		wrong          bool
	}{
		{"peek", both, []harness.Making{making}, false},
		{"wrong", both, []harness.Making{making}, true},
		{"peek", "p is an object that pile_open makes, and that pile_push and then pile_put may change", []harness.Making{handed}, false},
		{"behind", "", []harness.Making{handed}, true},
		{"next", "q is an object that place_init makes of what pile_open makes", []harness.Making{place, inner}, false},
	} {
		if n, ended := violations(x.function, x.want, x.made...); n > 0 != x.wrong || n+ended == 0 {
			t.Errorf("%s: %d objects that were made go wrong, %d do not", x.function, n, ended)
		}
	}
}
