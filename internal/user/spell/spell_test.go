package spell

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"unreach-call", "valid-deref", "valid-free", "termination"}
	for name, want := range map[string]string{
		"valid-dref": "valid-deref", "valid-frees": "valid-free", "Termination": "termination", "unreachcall": "unreach-call", "xyz": "", "": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
