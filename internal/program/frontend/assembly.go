package frontend

import (
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
	"assay/internal/run/lazyregexp"
)

// This file gives a meaning to the idioms of inline assembly: barriers and empty templates, by
// which programs hide values from compilers; swaps of bytes; counters and identities of the
// processor, which are inputs. Anything else is not supported where it is reached.

// idleAssembly are the instructions that change nothing a program can see.
var idleAssembly = map[string]bool{
	"": true, "nop": true, "pause": true, "rep; nop": true, "rep;nop": true, "mfence": true, "lfence": true, "sfence": true,
	"lock; addl $$0,0(%rsp)": true, "lock; orl $$0,0(%rsp)": true, "lock; orq $$0,(%rsp)": true,
}

var (
	byteSwap   = lazyregexp.New(`^(?:bswap[lq]?\s+|ro[lr]w?\s+\$\$8\s*,\s*)\$\{?0(?::[a-z])?\}?$`)
	fromOwner  = lazyregexp.New(`^(?:(?:lfence|mfence|cpuid)\s*[;\n]\s*)?(rdtscp?|cpuid|rdrand|rdseed|rdpmc|xgetbv)\b[^;\n]*(?:[;\n]\s*(?:lfence|setc|setb)\b[^;\n]*)?$`)
	asmComment = lazyregexp.New(`#[^\n;]*|/\*.*?\*/`)
)

// inlineAssembly imports a call of inline assembly.
func (f *function) inlineAssembly(i *llvm.Inst, a *llvm.Asm) {
	text := strings.Trim(asmComment.ReplaceAllString(a.Text, ""), " \t\n;")
	results := f.im.flatten(i.Type).scalars
	tied, direct, ok := operandsOf(a.Constraints)
	if len(results) != direct || !ok {
		f.unsupported("inline assembly")
		return
	}
	arg := func(k int) (v ir.Value, ok bool) {
		if n, isTied := tied[k]; isTied && n < len(i.Args) {
			if list := f.operand(i.Args[n]); len(list) == 1 {
				return list[0], true
			}
		}
		return 0, false
	}
	var list []ir.Value
	switch {
	case idleAssembly[text]:
		for k, s := range results {
			v, ok := arg(k)
			if !ok {
				v = f.b.Nondet(s.Type, ir.NondetUndef, "")
			}
			list = append(list, v)
		}
	case byteSwap.MatchString(text) && len(results) == 1:
		v, ok := arg(0)
		bits := results[0].Type.Bits
		rotates := strings.HasPrefix(text, "ro")
		if !ok || results[0].Type.Kind != ir.Int || rotates != (bits == 16) || bits != 16 && bits != 32 && bits != 64 {
			f.unsupported("inline assembly: " + text)
			return
		}
		list = append(list, f.b.Op(ir.Bswap, results[0].Type, v))
	case fromOwner.MatchString(text) && writesNothing(a.Constraints):
		name := fromOwner.FindStringSubmatch(text)[1]
		for _, s := range results {
			list = append(list, f.b.Nondet(s.Type, ir.NondetInput, name))
		}
	default:
		if text == "" {
			text = a.Text
		}
		f.unsupported("inline assembly: " + strings.Join(strings.Fields(text), " "))
		return
	}
	if len(list) > 0 {
		f.vals[i] = list
	}
}

// operandsOf reads the constraints: which argument is tied to an output, by the index of the
// output, and how many outputs are results.
func operandsOf(constraints string) (tied map[int]int, direct int, ok bool) {
	tied = map[int]int{}
	operand, argument := 0, 0
	result := map[int]int{} // of an operand
	for c := range strings.SplitSeq(constraints, ",") {
		switch {
		case c == "" || strings.HasPrefix(c, "~"):
			continue
		case strings.HasPrefix(c, "!"):
			return nil, 0, false // asm goto
		case strings.HasPrefix(c, "="):
			if strings.Contains(c, "*") {
				argument++ // the place of the output
			} else {
				result[operand] = direct
				direct++
			}
		default:
			n := 0
			digits := 0
			for _, d := range c {
				if d < '0' || d > '9' {
					break
				}
				n, digits = 10*n+int(d-'0'), digits+1
			}
			if digits > 0 && digits == len(c) {
				if r, isResult := result[n]; isResult {
					tied[r] = argument
				}
			}
			argument++
		}
		operand++
	}
	return tied, direct, true
}

// writesNothing says that no output is in memory.
func writesNothing(constraints string) bool { return !strings.Contains(constraints, "*") }
