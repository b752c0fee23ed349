package scan

import (
	"slices"
	"testing"

	"assay/internal/program/frontend"
	"assay/internal/program/harness"
)

// TestWanted: of a structure with variants those constructors are taken that a name asks for by a word that not all have; what fills it in
// makes the part only that all variants have.
func TestWanted(t *testing.T) {
	returned := func(name string) candidate {
		return candidateOf(&target{name: name}, harness.Returned, false, &frontend.Reached{})
	}
	filled := func(name string) candidate { return candidateOf(&target{name: name}, 0, false, &frontend.Reached{}) }
	variants := []candidate{returned("value_new_number"), returned("value_new_list"), returned("value_new_text"), returned("value_new_null"), returned("node"), filled("value_init")}
	few := []candidate{returned("pile_new"), filled("pile_init")}
	for _, x := range []struct {
		list     []candidate
		function string
		want     []string
	}{
		{variants, "value_list_first", []string{"value_new_list"}},
		{variants, "value_delete", nil},
		{variants, "free_all", nil},
		{few, "pile_push", []string{"pile_new", "pile_init"}},
	} {
		var got []string
		for _, c := range wanted(x.list, x.function) {
			got = append(got, c.t.name)
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s wants %v, want %v", x.function, got, x.want)
		}
	}
}

// TestFillers: a function that changes a structure does not fill it in, whatever else its name says.
func TestFillers(t *testing.T) {
	s := []harness.Structure{{}, {Type: "struct list"}}
	var targets []*target
	for _, name := range []string{"list_init", "list_append_new"} {
		targets = append(targets, &target{name: name, def: &frontend.Definition{Structures: s}})
	}
	l := lifeOf(targets, make([]frontend.Reached, 2))
	names := func(list []candidate) (out []string) {
		for _, c := range list {
			out = append(out, c.t.name)
		}
		return out
	}
	if got := names(l.makers["struct list"]); !slices.Equal(got, []string{"list_init"}) {
		t.Errorf("%v fill in", got)
	}
	if got := names(l.changers["struct list"]); !slices.Equal(got, []string{"list_append_new"}) {
		t.Errorf("%v change", got)
	}
}

// TestChangers: what gets two objects of a structure changes none, for the second would have arbitrary content; nor does a helper of what others may
// call, unless the program has nothing else.
func TestChangers(t *testing.T) {
	list := harness.Structure{Type: "list"}
	static := map[string]bool{"add_first": true, "row_add": true}
	var targets []*target
	add := func(name string, structures ...harness.Structure) {
		targets = append(targets, &target{name: name, def: &frontend.Definition{Structures: append([]harness.Structure{{}}, structures...)}})
	}
	add("list_add", list)
	add("list_add_all", list, list)
	add("add_first", list)
	add("row_add", harness.Structure{Type: "row"})
	l := lifeOf(targets, make([]frontend.Reached, len(targets)))
	for structure, want := range map[string][]string{"list": {"list_add"}, "row": {"row_add"}} {
		var got []string
		for _, c := range l.offered(structure, func(t *target) bool { return static[t.name] }) {
			got = append(got, c.t.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is changed by %v, want %v", structure, got, want)
		}
	}
}

// TestHanded: a constructor may put the object where a parameter says; what is put there of an object that it gets is none.
func TestHanded(t *testing.T) {
	list, out := harness.Structure{Type: "list"}, harness.Structure{Handed: "list"}
	var targets []*target
	add := func(name string, structures ...harness.Structure) {
		targets = append(targets, &target{name: name, def: &frontend.Definition{Structures: append([]harness.Structure{{}}, structures...)}})
	}
	add("list_new", harness.Structure{}, out)
	add("list_open_sorted", list, out)
	add("list_find", harness.Structure{}, out)
	reached := make([]frontend.Reached, len(targets))
	for i := range reached {
		reached[i].Digests = []string{"malloc"}
	}
	got := lifeOf(targets, reached).makers["list"]
	if len(got) != 1 || got[0].Step != (harness.Step{Function: "list_new", Into: 1, Handed: true}) {
		t.Errorf("constructors: %+v", got)
	}
}

// TestFilledIn: of several structures that is filled in which the function is named after, or the first.
func TestFilledIn(t *testing.T) {
	list, place, options := harness.Structure{Type: "list"}, harness.Structure{Type: "list_place"}, harness.Structure{Type: "options", Constant: true}
	for _, x := range []struct {
		function   string
		parameters []harness.Structure
		want       int
	}{
		{"list_place_init", []harness.Structure{list, place}, 1},
		{"list_place_init", []harness.Structure{place, list}, 0},
		{"list_init", []harness.Structure{options, {}, list}, 2},
		{"start", []harness.Structure{{}, list, place}, 1},
		{"options_init", []harness.Structure{options}, -1},
		{"my_treetable_iter_init", []harness.Structure{{Type: "struct my_treetable"}, {Type: "struct tree_table_iter"}}, 1},
	} {
		if got := filledIn(x.function, x.parameters); got != x.want {
			t.Errorf("%s of %v fills in %d, want %d", x.function, x.parameters, got, x.want)
		}
	}
}

// TestHasWord: the end of a word counts, but a vector is no constructor.
func TestHasWord(t *testing.T) {
	for name, want := range map[string]bool{"hashinit": true, "list_ctor": true, "my_vector_lock": false, "vector_init": true, "qvector": false} {
		if hasWord(name, fillerWords) != want {
			t.Errorf("%s: not %v", name, want)
		}
	}
}
