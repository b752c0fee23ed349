package costs_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay"
	"assay/internal/integers/bound"
	"assay/internal/logic/linear"
)

// harness runs f on a stack that is painted, or with counting allocation, and prints how many bytes were in use
// at a time. What malloc itself takes is not looked at.
const harness = `
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int f(int);

static long live, most;

void *counted_malloc(unsigned long n) {
    unsigned long *p = malloc(n + 16);
    p[0] = n;
    live += n;
    if (live > most) most = live;
    return p + 2;
}

void counted_free(void *p) {
    if (!p) return;
    unsigned long *q = (unsigned long *)p - 2;
    live -= q[0];
    free(q);
}

enum { SIZE = 1 << 22, PAINT = 0xA5 };
static unsigned char stack[SIZE] __attribute__((aligned(4096)));
static unsigned char *volatile top;
static volatile int argument;

static void *run(void *unused) {
    register unsigned char *pointer __asm__("rsp");
    top = pointer;
    f(argument);
    return unused;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        pthread_t thread;
        pthread_attr_t attributes;
        memset(stack, PAINT, SIZE);
        most = live = 0;
        argument = atoi(argv[i]);
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, SIZE);
        pthread_create(&thread, &attributes, run, 0);
        pthread_join(thread, 0);
        unsigned char *p = stack;
        while (*p == PAINT) p++;
        printf("%ld %ld\n", (long)(top - p), most);
    }
}
`

// inputs of the programs.
var inputs = []int64{-1, 0, 1, 2, 3, 7, 12, 20}

// TestPeaks: what compiled programs have in use at a time, of stack and heap, is not more than the bounds say.
func TestPeaks(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	for column, cost := range []string{assay.CostStack, assay.CostHeap} {
		files, err := filepath.Glob("testdata/" + cost + "/*.c")
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(cost+"/"+filepath.Base(file), func(t *testing.T) {
				s, none, err := assay.IntegerSystem(t.Context(), assay.Task{Files: []string{file}, Program: assay.Program{Function: "f"}}, cost)
				if err != nil || none != nil {
					t.Fatal(err, none)
				}
				e, ok := upper(t, s.System)
				if !ok {
					t.Fatal("no bound")
				}
				e = e.Add(bound.Int(s.Rest))
				for i, line := range measured(t, file) {
					var used [2]int64
					if _, err := fmt.Sscan(line, &used[0], &used[1]); err != nil {
						t.Fatal(err)
					}
					limit, ok := e.Eval(func(v linear.Var) *big.Int {
						if s.System.VarName(v) != "n" {
							t.Fatalf("a bound that depends on %s", s.System.VarName(v))
						}
						return big.NewInt(inputs[i])
					})
					if !ok || limit.Cmp(big.NewRat(used[column], 1)) < 0 {
						t.Errorf("f(%d) has %d bytes in use, more than %v = %s", inputs[i], used[column], limit, e.Format(s.System.VarName))
					}
					if i == len(inputs)-1 {
						t.Logf("f(%d): %d bytes, at most %s: %s", inputs[i], used[column], limit.RatString(), e.Format(s.System.VarName))
					}
				}
			})
		}
	}
}

// measured runs the compiled program with all inputs.
func measured(t *testing.T, file string) []string {
	dir := t.TempDir()
	main := filepath.Join(dir, "harness.c")
	if err := os.WriteFile(main, []byte(harness), 0o666); err != nil {
		t.Fatal(err)
	}
	binary, object := filepath.Join(dir, "program"), filepath.Join(dir, "f.o")
	for _, args := range [][]string{
		{"-O0", "-w", "-include", "stdlib.h", "-Dmalloc=counted_malloc", "-Dfree=counted_free", "-c", "-o", object, file},
		{"-O1", "-w", "-o", binary, main, object, "-lpthread"},
	} {
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var args []string
	for _, n := range inputs {
		args = append(args, fmt.Sprint(n))
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
