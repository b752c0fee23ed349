package witnesses

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// claim is a condition at a place: of an invariant, or a waypoint. Of a target and of what holds anyway the condition is empty.
type claim struct {
	place int
	text  string
}

// native is a program that tells of each of some witnesses whether it is true. invalid are those with a condition that is no C at its place.
type native struct {
	path    string
	invalid map[int]bool
}

var (
	complaint = regexp.MustCompile(`oracle\.c:(\d+):\d+: error: `)
	belongs   = regexp.MustCompile(`/\*W(\d+)\*/`)
)

// compile makes the program. claims are those of each witness, in their order; violation says what they mean: each holds whenever its place is
// reached, or some run comes to them one after the other, each at a visit of its own, and then to the target, the last one.
func (p *template) compile(t *testing.T, witnesses [][]claim, violation bool) *native {
	t.Helper()
	n := &native{filepath.Join(t.TempDir(), "oracle"), map[int]bool{}}
	for range len(witnesses) + 1 {
		text := p.program(witnesses, violation, n.invalid)
		source := n.path + ".c"
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("clang-19", "-w", "-O1", "-ferror-limit=0", "-fwrapv", "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,bounds,null", "-fsanitize-trap=all", source, "-o", n.path).CombinedOutput()
		if err == nil {
			return n
		}
		found := len(n.invalid)
		lines := strings.Split(text, "\n")
		for _, m := range complaint.FindAllStringSubmatch(string(out), -1) {
			line, _ := strconv.Atoi(m[1])
			if w := belongs.FindStringSubmatch(lines[line-1]); w != nil {
				k, _ := strconv.Atoi(w[1])
				n.invalid[k] = true
			}
		}
		if len(n.invalid) == found {
			t.Fatalf("%v: %s", err, out)
		}
	}
	t.Fatal("the oracle does not compile")
	return nil
}

// program is the text of the oracle, without the claims of witnesses that are invalid.
func (p *template) program(witnesses [][]claim, violation bool, invalid map[int]bool) string {
	var b strings.Builder
	b.WriteString(prelude)
	if violation {
		b.WriteString("#define VIOLATION 1\n")
	}
	b.WriteString("static const int last[] = {")
	for _, w := range witnesses {
		target := -1
		if violation {
			target = w[len(w)-1].place
		}
		fmt.Fprintf(&b, "%d, %d, ", len(w)-1, target)
	}
	fmt.Fprintf(&b, "0};\n#define INPUTS %d\n#define RESET %s\n", p.inputs, p.reset)
	hook := func(id int) string {
		var out strings.Builder
		out.WriteString("({ int at_ = passed; switch (witness) {")
		for k, w := range witnesses {
			code := ""
			for i, c := range w {
				if c.place != id || c.text == "" || invalid[k] {
					continue
				}
				text := strings.ReplaceAll(c.text, `\result`, "result_")
				evaluate := "{ int ok_ = 0; if (!sigsetjmp(undefined, 0)) { evaluating = 1; ok_ = !!(" + text + "); } evaluating = 0; "
				if violation {
					code += fmt.Sprintf("if (at_ == %d) %sif (ok_) passed++; } ", i, evaluate)
				} else {
					code += evaluate + "if (!ok_) fails(); } "
				}
			}
			if code != "" {
				fmt.Fprintf(&out, "\n/*W%d*/ case %d: %sbreak; ", k, k, code)
			}
		}
		out.WriteString("\ndefault: break; } 0; })")
		return out.String()
	}
	text := p.native
	text = strings.ReplaceAll(text, "extern unsigned char __VERIFIER_nondet_uchar(void);\n", "")
	text = strings.ReplaceAll(text, "extern void abort(void);\n", "")
	text = strings.ReplaceAll(text, "void reach_error(void) { abort(); }\n", "")
	for id := range p.places {
		text = strings.ReplaceAll(text, fmt.Sprintf("HOOK(%d)", id), "(void)"+hook(id))
	}
	b.WriteString("#define main program\n" + text + "\n#undef main\n" + postlude)
	return b.String()
}

// isTrue says whether a witness is true.
func (n *native) isTrue(t *testing.T, witness int) bool {
	t.Helper()
	if n.invalid[witness] {
		return false
	}
	err := exec.Command(n.path, fmt.Sprint(witness)).Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return false
	}
	t.Fatal(err)
	return false
}

const prelude = `#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static int witness, target, passed, evaluating, found;
static sigjmp_buf undefined, ended;
static unsigned char inputs[8]; static int next;
static void trap(int s) { if (!evaluating) _Exit(3); siglongjmp(undefined, 1); }
static unsigned char __VERIFIER_nondet_uchar(void) { return inputs[next++]; }
static void fails(void) { exit(1); }
void reach_error(void);
`

const postlude = `
void reach_error(void) {
#ifdef VIOLATION
	if (passed == last[2 * witness] && target == last[2 * witness + 1]) found = 1;
#else
	_Exit(1);
#endif
	siglongjmp(ended, 1);
}
int main(int argc, char **argv) {
	int chosen = atoi(argv[1]);
	struct sigaction a; memset(&a, 0, sizeof a); a.sa_handler = trap; a.sa_flags = SA_NODEFER;
	sigaction(SIGILL, &a, 0); sigaction(SIGTRAP, &a, 0); sigaction(SIGFPE, &a, 0); sigaction(SIGSEGV, &a, 0);
	long all = 1;
	for (int i = 0; i < INPUTS; i++) all *= 256;
	for (long k = 0; k < all; k++) {
		witness = chosen; passed = 0; next = 0; target = 0;
		for (int i = 0; i < INPUTS; i++) inputs[i] = (unsigned char)(k >> (8 * i));
		RESET
		if (!sigsetjmp(ended, 0)) program();
		if (found) return 0;
	}
#ifdef VIOLATION
	return 1;
#else
	return 0;
#endif
}
`
