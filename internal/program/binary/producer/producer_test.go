package producer

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	installed := func(names ...string) func(string) (string, error) {
		return func(n string) (string, error) {
			for _, x := range names {
				if x == n {
					return "/bin/" + n, nil
				}
			}
			return "", exec.ErrNotFound
		}
	}
	for _, test := range []struct {
		text      string
		installed []string
		command   string
		options   string
		optimised bool
	}{
		{"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables -fdebug-prefix-map=a=b", []string{"gcc", "gcc-12"}, "/bin/gcc-12", "-mtune=generic -march=x86-64 -O2 -fasynchronous-unwind-tables", true},
		{"GNU C17 13.1.0 -mtune=generic -g", []string{"gcc"}, "/bin/gcc", "-mtune=generic -O0", true},
		{"Debian clang version 19.1.7 (3~deb12u1)", []string{"gcc", "clang-19"}, "/bin/clang-19", "", false},
		{"", []string{"gcc"}, "/bin/gcc", "", false},
		{"clang version 17.0.1", []string{"gcc"}, "", "", false},
	} {
		c, err := Compiler{Text: test.text}.resolve(installed(test.installed...))
		var none *ErrNone
		if c.Command != test.command || strings.Join(c.Options, " ") != test.options || c.Optimised != test.optimised || (err != nil) != (test.command == "") || err != nil && !errors.As(err, &none) {
			t.Errorf("%q: %+v, %v", test.text, c, err)
		}
	}
}

func TestOf(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "a.c"), filepath.Join(folder, "a.o")
	if err := os.WriteFile(in, []byte("int x;"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("gcc", "-O1", "-fwrapv", "-g", "-c", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Of(content, []string{in})
	if err != nil || !c.Optimised || !strings.Contains(strings.Join(c.Options, " "), "-O1 -fwrapv") {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err := Of([]byte("nothing"), nil); err != nil || c.Text != "" || c.Options != nil {
		t.Errorf("no file: %+v, %v", c, err)
	}
}
