package assay

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// leaking is a program that loses a block, or keeps one.
const leaking = `extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long); void free(void *); void exit(int);
int main(void) {
  int *p = malloc(4);
  int *q = malloc(4);
  free(q);
  if (__VERIFIER_nondet_int() == 3)
    p = 0;
  else
    free(p);
  if (__VERIFIER_nondet_int() == 4)
    return 1;
  if (__VERIFIER_nondet_int() == 5)
    exit(2);
  return 0;
}
`

// TestLeakTargets: the target of a leak is where the program ends in that run, or where the block was allocated.
func TestLeakTargets(t *testing.T) {
	file := writeFile(t, "f.c", leaking)
	lost := point("function_return", "follow", 7, 29, `\result == 3`)
	early := point("function_return", "follow", 11, 29, `\result == 4`)
	late := point("function_return", "follow", 11, 29, `\result == 0`)
	five := segments(late, point("function_return", "follow", 13, 29, `\result == 5`))[len("  - segment:\n"):]
	for _, c := range []struct {
		name         string
		line, column int
		before, want string
	}{
		{"the allocation", 4, 12, "", "confirmed"},
		{"another allocation", 5, 12, "", "unknown"},
		{"the end of the body", 16, 1, "", "confirmed"},
		{"the last return", 15, 3, "", "confirmed"},
		{"the last return, which is not executed", 15, 3, early, "unknown"},
		{"the first return", 12, 5, "", "confirmed"},
		{"the first return, which is not executed", 12, 5, late, "unknown"},
		{"a call that ends the program while a frame may hold the pointer", 14, 5, five, "unknown"},
		{"a free", 6, 3, "", "unknown"},
		{"a branch", 13, 3, "", "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list := []string{lost}
			if c.before != "" {
				list = append(list, c.before)
			}
			text := witnessOf(t, file, "violation_sequence", "G valid-memtrack", segments(append(list, point("target", "follow", c.line, c.column, ""))...))
			j, err := judge(t, file, text)
			if c.want == "unknown" && err == nil && j.Outcome != "confirmed" {
				return // rejected is right, too
			}
			checkJudgement(t, j, err, c.want)
		})
	}
}

// TestDistantCycle: a run that does not end may come to many loop heads between two visits of the cycle. That those who come to few end
// rejects nothing.
func TestDistantCycle(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "f.c", "int main(void) {\n  unsigned i = 0;\n  while (1) {\n    i++;\n    if (i == 100000) {\n      i = 0;\n    }\n  }\n}\n")
	witness := witnessOf(t, file, "violation_sequence", "F end", "  - segment:\n"+point("assumption", "cycle", 6, 7, "i == 100000"))
	task := Task{Files: []string{file}, Timeout: 6 * time.Second}
	task.Program.DataModel, task.Program.Unmodelled = "", UnmodelledPure
	if j, err := Validate(t.Context(), task, writeFile(t, "w.yml", witness), false); err != nil || j.Outcome == "rejected" {
		t.Errorf("%v, %v", j, err)
	}
}

// endlessly is a program with a loop that may not end, in front of one that does.
const endlessly = `extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), y = 0;
  while (x > 5) {
    y = 1 - y;
    y = y + 0;
  }
  x = 2;
  while (x > 0) {
    x = x - 1;
  }
again:
  y = 3;
  if (x == 1) goto again;
  return 0;
}
`

// TestFalseCycles: a run that does not end has to pass the cycle, in its order.
func TestFalseCycles(t *testing.T) {
	file := writeFile(t, "f.c", endlessly)
	stem := point("function_return", "follow", 3, 33, `\result == 9`)
	for _, c := range []struct{ name, content, want string }{
		{"each visit", stem + "  - segment:\n" + point("assumption", "cycle", 5, 5, "x == 9"), "confirmed"},
		{"two states", stem + "  - segment:\n" + point("assumption", "cycle", 5, 5, "y == 0") + "  - segment:\n" + point("assumption", "cycle", 5, 5, "y == 1"), "confirmed"},
		{"two states in the wrong order", stem + "  - segment:\n" + point("assumption", "cycle", 5, 5, "y == 1") + "  - segment:\n" + point("assumption", "cycle", 5, 5, "y == 0"), "not"},
		{"a state that does not come", stem + "  - segment:\n" + point("assumption", "cycle", 5, 5, "y == 2"), "not"},
		{"one that comes once", stem + "  - segment:\n" + point("assumption", "cycle", 5, 5, "y == 0"), "not"},
		{"another loop", stem + "  - segment:\n" + point("assumption", "cycle", 10, 5, "1"), "not"},
		{"behind the loop", stem + "  - segment:\n" + point("assumption", "cycle", 8, 3, "1"), "not"},
		{"a jump", stem + "  - segment:\n" + point("assumption", "cycle", 13, 3, "1"), "not"},
		{"a run that ends", strings.Replace(stem, "== 9", "== 5", 1) + "  - segment:\n" + point("assumption", "cycle", 5, 5, "1"), "not"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, err := judge(t, file, witnessOf(t, file, "violation_sequence", "F end", fmt.Sprintf("  - segment:\n%s", c.content)))
			if c.want == "not" && err == nil && j.Outcome != "confirmed" {
				return
			}
			checkJudgement(t, j, err, c.want)
		})
	}
}
