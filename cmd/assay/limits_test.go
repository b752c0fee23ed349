package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slack is for a machine that does other things, too: what is asserted is that a limit
// is a limit, not how fast the machine is.
const slack = 6 * time.Second

// repeat writes a piece n times, with its number for %d.
func repeat(n int, piece string) string {
	var b strings.Builder
	for i := range n {
		if strings.Contains(piece, "%") {
			fmt.Fprintf(&b, piece, i)
		} else {
			b.WriteString(piece)
		}
	}
	return b.String()
}

// within wraps the body of main.
func within(body string) string {
	return "int f(void); void reach_error(void) {}\nint main(void) { unsigned x = f(); " + body + " if (x == 77) reach_error(); return 0; }\n"
}

// huge are inputs that take long or much, each at another place: front end, bit-blasting,
// encoding, solving, reading.
func huge() map[string]string {
	btor := func(op string) string {
		return "1 sort bitvec 10000\n2 sort bitvec 1\n3 state 1 a\n4 state 1 b\n5 " + op + " 1 3 4\n6 next 1 3 5\n7 next 1 4 5\n8 constd 1 7\n9 eq 2 3 8\n10 bad 9\n"
	}
	return map[string]string{
		"product.btor2":  btor("mul"),
		"quotient.btor2": btor("udiv"),
		"nested.btor2":   "1 sort bitvec 32\n2 sort bitvec 1\n3 state 1 a\n" + deepProduct(20000) + "30000 next 1 3 20003\n30001 constd 1 7\n30002 eq 2 20003 30001\n30003 bad 30002\n",
		"calls.koat":     "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS f0))\n(VAR x)\n(RULES\n" + repeat(5000, "f%d(x) -> Com_1(f1(x + 1))\n") + ")\n",
		"width.c": "typedef unsigned _BitInt(8000) T; T nondet(void); void reach_error(void) {}\n" +
			"int main(void) { T a = nondet(), b = nondet(), q = a * b, r = b ? q / b : a; if (q == 77 && r > 3) reach_error(); return 0; }\n",
		"width.ll": "declare i20000 @f()\ndeclare void @reach_error()\ndefine i32 @main() {\n  %a = call i20000 @f()\n  %b = call i20000 @f()\n" +
			"  %c = mul i20000 %a, %b\n  %d = udiv i20000 %c, %a\n  %e = icmp eq i20000 %d, 77\n  br i1 %e, label %x, label %y\nx:\n  call void @reach_error()\n  br label %y\ny:\n  ret i32 0\n}\n",
		"parentheses.c": within("x = " + strings.Repeat("(", 10000) + "x" + strings.Repeat(")", 10000) + ";"),
		"signs.c":       within("x = " + strings.Repeat("- ", 200000) + "x;"),
		"ifs.c":         within(strings.Repeat("if (f()) { ", 3000) + "x++;" + strings.Repeat("}", 3000)),
		"loops.c":       within(strings.Repeat("while (f()) { ", 200) + "x++;" + strings.Repeat("}", 200)),
		"switch.c":      within("while (f()) switch (f()) {" + repeat(10000, "case %d: x++; break;") + "}"),
		"blocks.c":      within(strings.Repeat("if (f()) x += 3; else x ^= 1;\n", 34000)), // three blocks each
		"sum.c":         within("x = x" + strings.Repeat(" + x * x", 20000) + ";"),
		"initialiser.c": "unsigned char a[1 << 20] = {" + strings.Repeat("7,", 1<<20) + "};\n" + within("for (unsigned i = 0; i < 1 << 20; i++) x += a[i];"),
		"globals.c":     repeat(20000, "int g%d = 1;\n") + within(repeat(20000, "x += g%d;\n")),
		"types.c":       "struct s0 { int x; };\n" + types(24) + within("static struct s18 z; x += sizeof z;"),
		"ackermann.c":   "unsigned a(unsigned n, unsigned m) { return n == 0 ? m + 1 : m == 0 ? a(n - 1, 1) : a(n - 1, a(n, m - 1)); }\n" + within("x = a(x, x) | 1024;"),
	}
}

func deepProduct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d mul 1 %d 3\n", i+4, i+3)
	}
	return b.String()
}

func types(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "struct s%d { struct s%d a, b; };\n", i+1, i)
	}
	return b.String()
}

// commands are the command lines for an input, with a limit of one second.
func commands(t *testing.T, name, path string) map[string][]string {
	if strings.HasSuffix(name, ".btor2") {
		return map[string][]string{
			"solve":  {"solve", "--timeout=1", path},
			"export": {"export", "--timeout=1", "--to=aiger", "-o", t.TempDir() + "/out", path},
		}
	}
	if strings.HasSuffix(name, ".koat") {
		return map[string][]string{"solve": {"solve", "--timeout=1", path}}
	}
	lines := map[string][]string{"check": {"check", "--timeout=1", path}}
	switch name { // each place once with the other commands
	case "width.c":
		lines["memory"] = []string{"check", "--timeout=1", "--memory=2GiB", path}
		lines["z3"] = []string{"check", "--timeout=1", "--solver=z3", path}
	case "blocks.c":
		lines["termination"] = []string{"check", "--timeout=1", "--property=termination", path}
		lines["export"] = []string{"export", "--timeout=1", "--to=btor2", "-o", t.TempDir() + "/out", path}
		lines["graph"] = []string{"graph", "--timeout=1", "-o", t.TempDir() + "/out.dot", path}
	case "sum.c":
		lines["json"] = []string{"check", "--json", "--timeout=1", path}
	}
	return lines
}

// TestLimitsAreObeyed: whatever the input, every command ends within its limit and two
// seconds, with an exit code that the help documents.
func TestLimitsAreObeyed(t *testing.T) {
	for name, text := range huge() {
		path := write(t, name, text)
		for command, args := range commands(t, name, path) {
			t.Run(name+"/"+command, func(t *testing.T) {
				begin := time.Now()
				o := invoke(t, args...)
				if elapsed := time.Since(begin); elapsed > time.Second+2*time.Second+slack {
					t.Errorf("it took %v", elapsed)
				}
				if o.signal != 0 || o.code < exitTrue || o.code > exitInput {
					t.Errorf("exit code %d, signal %v:\n%s%s", o.code, o.signal, o.stdout, tail(o.stderr))
				}
				if o.code == exitUnknown && o.stdout == "" && !strings.Contains(o.stderr, "unknown") {
					t.Errorf("unknown without a word:\n%s", o.stderr)
				}
				if command == "check" && o.code == exitUnknown && o.last() != "RESULT: unknown" {
					t.Errorf("the last line is %q", o.last())
				}
				if o.code == exitInput && !strings.Contains(o.stderr, name) {
					t.Errorf("which input is wrong?\n%s", tail(o.stderr))
				}
			})
		}
	}
}

// TestSignalsAreObeyed: SIGTERM ends every command within two seconds.
func TestSignalsAreObeyed(t *testing.T) {
	inputs := huge()
	for name, command0 := range map[string]string{"product.btor2": "solve", "width.c": "check", "initialiser.c": "check", "blocks.c": "graph"} {
		t.Run(command0+" "+name, func(t *testing.T) {
			cmd, stdout, stderr := command(t.Context(), command0, write(t, name, inputs[name]))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
			begin := time.Now()
			_ = cmd.Process.Signal(syscall.SIGTERM)
			o := finish(t, cmd, stdout, stderr)
			if elapsed := time.Since(begin); elapsed > 2*time.Second+slack {
				t.Errorf("it took %v", elapsed)
			}
			if o.code != exitUnknown || !strings.Contains(o.stdout+o.stderr, "interrupted") {
				t.Errorf("exit code %d, signal %v:\n%s%s", o.code, o.signal, o.stdout, tail(o.stderr))
			}
		})
	}
}

// TestWatchdog: a command that does not look at its context is ended by the process.
func TestWatchdog(t *testing.T) {
	begin := time.Now()
	ended := make(chan string)
	ctx, l := limited(50*time.Millisecond, 0, func(why string) int {
		ended <- why
		select {} // the test goes on, not the end of the process
	})
	if why := <-ended; why != "the time limit was reached" || time.Since(begin) > patience+slack {
		t.Errorf("%q after %v", why, time.Since(begin))
	}
	if ctx.Err() == nil || l.finished.CompareAndSwap(false, true) {
		t.Error("the command could still write")
	}
}

// tail is the end of a long text.
func tail(s string) string { return s[max(0, len(s)-2000):] }
