package z3

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// TestLargePages: the heap of the C libraries begins with large pages, where the system lets programs ask for these. (The
// compiler once left out the allocation that makes the beginning, and each context of Z3 cost 4,000 page faults.)
func TestLargePages(t *testing.T) {
	const choice = "/sys/kernel/mm/transparent_hugepage/enabled"
	if text, err := os.ReadFile(choice); err != nil || strings.Contains(string(text), "[never]") {
		t.Skipf("%s: %s%v", choice, text, err)
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("this system does not tell how memory is mapped: ", err)
	}
	defer f.Close()
	heap := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasSuffix(line, "[heap]"):
			heap = true
		case strings.Contains(line, "-") && !strings.Contains(line, ":  "): // the head of another mapping
			heap = heap && strings.HasSuffix(line, "[heap]")
		case heap && strings.HasPrefix(line, "VmFlags:") && strings.Contains(line+" ", " hg "):
			return
		}
	}
	t.Error("no part of the heap asks for large pages")
}
