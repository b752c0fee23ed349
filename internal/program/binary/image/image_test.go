package image

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const source = `int counter = 7; int zeros[100]; extern int outside(int);
int twice(int x) { return 2 * x; }
#ifdef CALL
int call(void) { return outside(counter); }
#endif
int main(void) { return twice(counter) + zeros[3]; }
`

// compile runs gcc on source and returns the bytes of what it made.
func compile(t testing.TB, options ...string) []byte {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.c"), filepath.Join(dir, "a.out")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("gcc", append(options, "-o", out, in)...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLoad(t *testing.T) {
	for _, options := range [][]string{{"-no-pie"}, {"-pie"}, {"-c", "-DCALL"}, {"-c", "-ffunction-sections"}} {
		t.Run(strings.Join(options, ""), func(t *testing.T) {
			m, err := Load("a.out", compile(t, options...))
			if err != nil {
				t.Fatal(err)
			}
			symbols := map[string]Symbol{}
			for _, s := range m.Symbols {
				symbols[s.Name] = s
			}
			counter, zeros, main := symbols["counter"], symbols["zeros"], symbols["main"]
			s := m.SectionAt(counter.Address)
			if counter.Size != 4 || s == nil || !s.Writable || s.Data[counter.Address-s.Address] != 7 {
				t.Errorf("counter: %+v in %v", counter, s)
			}
			if s := m.SectionAt(zeros.Address); zeros.Size != 400 || s == nil || s.Data != nil || !s.Writable {
				t.Errorf("zeros: %+v in %v", zeros, s)
			}
			if s := m.SectionAt(main.Address); main.Type != elf.STT_FUNC || s == nil || !s.Executable || s.Writable {
				t.Errorf("main: %+v in %v", main, s)
			}
			if outside, found := symbols["outside"]; found && outside.Defined {
				t.Errorf("outside is defined: %+v", outside)
			}
			if m.SectionAt(0) != nil || m.SectionAt(^uint64(0)) != nil {
				t.Error("a section at an address that has none")
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	other := compile(t, "-no-pie")
	other[18] = byte(elf.EM_AARCH64)
	for name, data := range map[string][]byte{"text": []byte("int main;"), "empty": nil, "aarch64": other, "common": compile(t, "-c", "-fcommon")} {
		var refusal *Error
		if _, err := Load(name, data); !errors.As(err, &refusal) || refusal.File != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzLoad: hostile files do not crash, and what loads keeps invariant 1.
func FuzzLoad(f *testing.F) {
	f.Add(compile(f, "-c"))
	f.Add(compile(f, "-no-pie"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Load("fuzz", data)
		if err != nil {
			return
		}
		for i, s := range m.Sections {
			if m.SectionAt(s.Address) != &m.Sections[i] || m.SectionAt(s.Address+s.Size-1) != &m.Sections[i] {
				t.Fatalf("section %d is not found at its addresses", i)
			}
		}
	})
}
