package target

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestHeaders: what a program may include can be found for both data models, on a
// machine that has what `make deps` installs and nothing else.
func TestHeaders(t *testing.T) {
	source := filepath.Join(t.TempDir(), "headers.c")
	text := ""
	for _, name := range []string{
		"assert", "ctype", "dirent", "errno", "fcntl", "float", "inttypes", "limits", "locale", "math", "poll", "pthread", "signal", "stdbool",
		"stddef", "stdint", "stdio", "stdlib", "string", "sys/ioctl", "sys/socket", "sys/stat", "sys/types", "sys/wait", "termios", "time", "unistd", "wchar", "linux/types",
	} {
		text += "#include <" + name + ".h>\n"
	}
	if err := os.WriteFile(source, []byte(text+"int main(void) { errno = EINVAL; return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, ilp32 := range []bool{false, true} {
		if out, err := exec.Command("clang-19", append(Flags(ilp32), "-fsyntax-only", source)...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", Flags(ilp32), err, out)
		}
	}
}
