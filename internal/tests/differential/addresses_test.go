package differential

import (
	"strings"
	"testing"
	"time"
)

// TestAddresses proves a few programs that depend on addresses, and runs them
// natively; make fuzz-native takes more.
func TestAddresses(t *testing.T) {
	t.Parallel()
	needClang(t)
	c := &Placed{Decide: 5 * time.Second, Compilers: NativeCompilers()}
	var seeds []uint64
	for seed := range uint64(30) {
		seeds = append(seeds, seed+1)
	}
	var s PlacedSummary
	if err := c.Batch(t.Context(), t.TempDir(), seeds, &s); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Findings {
		t.Error(f)
	}
	if s.Proved == 0 || s.Refuted == 0 {
		t.Errorf("%v", &s)
	}
	t.Log(&s)
}

// TestAddressesCover: the programs have all that the generator is for, and seeds fix them.
func TestAddressesCover(t *testing.T) {
	t.Parallel()
	p := GenerateAddresses(4)
	if again := GenerateAddresses(4); again != p {
		t.Error("the seed does not fix the program")
	}
	var kinds []string
	for seed := range uint64(300) {
		kinds = append(kinds, GenerateAddresses(seed).Body)
	}
	all := strings.Join(kinds, "")
	for _, want := range []string{"free(h", "realloc(", "memcpy(&p", "of_parameter(", "(int *)u", "{ int x = "} {
		if !strings.Contains(all, want) {
			t.Errorf("no program has %q", want)
		}
	}
}
