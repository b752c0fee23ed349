package interp

import (
	"context"
	"fmt"
	"testing"

	"assay/internal/program/ir"
)

// The programs that measure the machine: each has about a million rounds.
var benchPrograms = []struct{ name, src string }{
	{"arithmetic", loopProgram},
	{"calls", callProgram},
	{"list", listProgram},
}

func BenchmarkRun(b *testing.B) {
	for _, program := range benchPrograms {
		m, err := ir.Parse(program.src)
		if err != nil {
			b.Fatal(err)
		}
		if err := ir.Verify(m); err != nil {
			b.Fatal(err)
		}
		for _, observed := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/observed=%t", program.name, observed), func(b *testing.B) {
				opts := Options{}
				if observed {
					opts.StopAt = func(Event) bool { return false }
				}
				var steps int64
				for b.Loop() {
					out, err := Run(context.Background(), m, opts)
					if err != nil || out.End != Halted {
						b.Fatal(out, err)
					}
					steps += out.Steps
				}
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
			})
		}
	}
}

// loopProgram mixes arithmetic, an array and branches.
const loopProgram = `module 64 entry @main
func @main() {
  var "i" "int" 32 signed
entry:
  %a = alloca ptr i64 4096 align 4
  br loop
loop:
  %i = phi i32 [i32 0, entry], [%i2, next]
  %s = phi i32 [i32 1, entry], [%s4, next]
  dbg 0, %i
  %j = and i32 %i, i32 1023
  %j64 = zext i64 %j
  %off = shl i64 %j64, i64 2
  %p = ptradd ptr %a, %off
  %x = load i32 %p align 4
  %s2 = mul i32 %s, i32 1103515245
  %s3 = add i32 %s2, %x
  %c = slt i1 %s3, i32 0
  condbr %c, neg, pos
neg:
  %n = sub i32 i32 0, %s3
  br next
pos:
  br next
next:
  %s4 = phi i32 [%n, neg], [%s3, pos]
  store i32 7, %p align 4
  store %s4, %p align 4
  %i2 = add i32 %i, i32 1
  %d = ult i1 %i2, i32 1000000
  condbr %d, loop, exit
exit:
  halt exit
}
`

// callProgram calls functions with stack objects.
const callProgram = `module 64 entry @main
func @set(%p: ptr, %n: i32) {
b1:
  %x = add i32 %n, i32 1
  store %x, %p
  ret
}
func @next(%n: i32) -> i32 {
b1:
  %a = alloca ptr i64 64 align 8
  lifetimestart %a
  store %n, %a
  call void @set(%a, %n)
  %x = load i32 %a
  lifetimeend %a
  ret %x
}
func @main() {
b1:
  br loop
loop:
  %i = phi i32 [i32 0, b1], [%r, loop]
  %r = call i32 @next(%i)
  %c = ult i1 %r, i32 1000000
  condbr %c, loop, out
out:
  halt exit
}
`

// listProgram builds linked lists, walks them and frees them.
const listProgram = `module 64 entry @main
func @main() {
b1:
  br outer
outer:
  %o = phi i32 [i32 0, b1], [%o2, freed]
  br build
build:
  %i = phi i32 [i32 0, outer], [%i2, build]
  %head = phi ptr [null, outer], [%node, build]
  %node = malloc ptr i64 16
  store %head, %node align 8
  %v = ptradd ptr %node, i64 8
  store %i, %v align 4
  %i2 = add i32 %i, i32 1
  %c = ult i1 %i2, i32 1000
  condbr %c, build, walk
walk:
  %w = phi ptr [%node, build], [%next, walk]
  %s = phi i32 [i32 0, build], [%s2, walk]
  %wv = ptradd ptr %w, i64 8
  %x = load i32 %wv align 4
  %s2 = add i32 %s, %x
  %next = load ptr %w align 8
  %d = ne i1 %next, null
  condbr %d, walk, free
free:
  %f = phi ptr [%node, walk], [%fn, free]
  %fn = load ptr %f align 8
  free %f
  %e = ne i1 %fn, null
  condbr %e, free, freed
freed:
  %o2 = add i32 %o, i32 1
  %g = ult i1 %o2, i32 300
  condbr %g, outer, out
out:
  halt exit
}
`
