package stackusage

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestParse reads what gcc and clang write.
func TestParse(t *testing.T) {
	f := &Frames{Bytes: map[string]int64{}, Dynamic: map[string]bool{}}
	err := f.parse([]byte("a.c:1:5:f\t48\tstatic\nb.c:3:f\t32\tstatic\na.c:7:12:g\t128\tdynamic,bounded\na.c:9:6:h\t16\tdynamic\n"), 8)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int64{"f": 56, "g": 136, "h": 24}; !maps.Equal(f.Bytes, want) {
		t.Errorf("%v, want %v", f.Bytes, want)
	}
	if want := map[string]bool{"h": true}; !maps.Equal(f.Dynamic, want) {
		t.Errorf("dynamic: %v, want %v", f.Dynamic, want)
	}
	for _, bad := range []string{"f 48", "a.c:1:f\tmany\tstatic"} {
		if f.parse([]byte(bad), 0) == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestMeasure: an array is in the frame of its function, with the return address, in both compilers.
func TestMeasure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(file, []byte("int f(int i) { char a[100]; a[i] = 1; return a[0]; }\nint g(int n) { char a[n]; a[0] = 1; return a[0]; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, ilp32 := range []bool{false, true} {
		f, err := Measure(t.Context(), []string{file}, nil, ilp32)
		if err != nil {
			t.Fatal(err)
		}
		if f.Bytes["f"] < 104 || f.Bytes["f"] > 200 || !f.Dynamic["g"] || f.Dynamic["f"] {
			t.Errorf("%+v", f)
		}
	}
	if _, err := Measure(t.Context(), []string{filepath.Join(t.TempDir(), "none.c")}, nil, false); err == nil {
		t.Error("a file that does not exist has frames")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Log("gcc is not installed")
	}
}
