package lift

import (
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	f := os.Getenv("DUMP")
	if f == "" {
		t.Skip()
	}
	data, err := os.ReadFile(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := C(f, data, "main")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/lifted.c", []byte(text), 0o666)
}
