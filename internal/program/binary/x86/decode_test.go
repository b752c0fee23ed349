package x86

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// TestLengths compares the lengths of the instructions of a real program, the compiler, with objdump's.
func TestLengths(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("no objdump")
	}
	path, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	text := file.Section(".text")
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	const most = 200_000 // bytes
	code = code[:min(len(code), most)]
	out, err := exec.Command(objdump, "-d", "-M", "intel", "--no-show-raw-insn", "-j", ".text",
		"--stop-address="+strconv.FormatUint(text.Addr+uint64(len(code)), 10), path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var starts []uint64
	var lines []string
	for _, m := range regexp.MustCompile(`(?m)^ *([0-9a-f]+):\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		a, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		starts, lines = append(starts, a), append(lines, m[2])
	}
	decoded, refused := 0, 0
	for i := 0; i+1 < len(starts); i++ {
		at := starts[i] - text.Addr
		inst, err := Decode(code[at:], starts[i])
		var refusal *Error
		switch {
		case errors.As(err, &refusal):
			refused++
		case inst.Next() != starts[i+1]:
			t.Errorf("0x%x: %s: length %d, not %d", starts[i], lines[i], inst.Len, starts[i+1]-starts[i])
		default:
			decoded++
		}
	}
	t.Logf("%d decoded, %d refused", decoded, refused)
	if decoded < 10_000 || refused > decoded/100 {
		t.Errorf("%d decoded, %d refused", decoded, refused)
	}
}

func TestRefused(t *testing.T) {
	for _, code := range [][]byte{{}, {0x66}, {0xc5, 0xf8, 0x77}, {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07}, {0x48}, {0x0f}, {0xe8, 0}} {
		if i, err := Decode(code, 0x1000); err == nil {
			t.Errorf("% x is %s", code, &i)
		}
	}
	if i, err := Decode([]byte{0xf3, 0x0f, 0x1e, 0xfa, 0x55}, 0); err != nil || !i.Marker || i.Len != 4 {
		t.Errorf("endbr64: %v %v", i, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x55, 0x48, 0x89, 0xe5})
	if data, err := os.ReadFile("/proc/self/exe"); err == nil {
		f.Add(data[:min(len(data), 64)])
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		if i, err := Decode(code, 0x400000); err == nil {
			if i.Len < 1 || i.Len > len(code) {
				t.Fatalf("length %d of %d bytes", i.Len, len(code))
			}
			_ = i.String()
		}
	})
}
