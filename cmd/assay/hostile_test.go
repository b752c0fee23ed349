package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/tests/corpus"
)

// TestHostileInputs runs the command on mutated C, LLVM assembly and bitcode:
// it must never die by a signal, and use a documented exit code. An internal
// error (4) is documented, but a bug all the same.
//
// ASSAY_FUZZ_INPUTS is the number of inputs, ASSAY_FUZZ_SEED the first seed; an
// input is determined by its seed. `make fuzz-input N=10000` sets the first.
func TestHostileInputs(t *testing.T) {
	n, first := environment("ASSAY_FUZZ_INPUTS", 40), environment("ASSAY_FUZZ_SEED", 1)
	seeds := seedInputs(t)
	keep := filepath.Join(os.TempDir(), "assay-hostile")
	next := make(chan int)
	codes := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			dir := t.TempDir()
			for seed := range next {
				name, data := mutant(seeds, uint64(seed))
				file := filepath.Join(dir, name)
				if err := os.WriteFile(file, data, 0o644); err != nil {
					t.Error(err)
					continue
				}
				o := tryInput(t, file)
				mu.Lock()
				codes[fmt.Sprintf("%s %d", filepath.Ext(name), o.code)]++
				mu.Unlock()
				if o.signal != 0 || o.code < 0 || o.code > exitInput {
					_ = os.MkdirAll(keep, 0o755)
					kept := filepath.Join(keep, fmt.Sprintf("%d-%s", seed, name))
					_ = os.WriteFile(kept, data, 0o644)
					t.Errorf("seed %d: exit code %d, signal %v, input kept as %s\n%s", seed, o.code, o.signal, kept, head(o.stderr))
				}
			}
		})
	}
	for i := range n {
		next <- first + i
	}
	close(next)
	wg.Wait()
	t.Logf("%d inputs, by exit code: %v", n, codes)
}

// environment is a number from the environment.
func environment(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// head is the beginning of a text.
func head(s string) string { return s[:min(len(s), 1000)] }

// tryInput runs the command on a file. Every property is asked at once, so that
// as much as possible of the program is read.
func tryInput(t *testing.T, file string) outcome {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd, stdout, stderr := command(ctx, "check", "--quiet", "--timeout=500ms", "--memory=2GiB", "--unwind=6",
		"--property=unreach-call,no-overflow,div-by-zero,shift,valid-deref,valid-free", file)
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return outcome{}
	}
	return finish(t, cmd, stdout, stderr)
}

// input is an unmutated file. What clang makes of a program is made when a seed asks for it: few of them are.
type input struct {
	extension string
	data      func() []byte
}

// seedInputs are the programs of the corpus as C, and some of them as LLVM
// assembly and bitcode.
func seedInputs(t *testing.T) []input {
	t.Helper()
	programs, err := corpus.Programs()
	if err != nil {
		t.Fatal(err)
	}
	var c, ll, bc []input
	for i, p := range programs {
		dir := t.TempDir()
		files, err := p.Write(dir)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		c = append(c, input{".c", func() []byte { return source }})
		if i%6 != 0 || bytes.Contains(source, []byte("<assay.h>")) { // which clang alone does not find
			continue
		}
		bc = append(bc, input{".bc", sync.OnceValue(func() []byte { return compile(t, files[0], "-emit-llvm", "-c") })})
		ll = append(ll, input{".ll", sync.OnceValue(func() []byte { return compile(t, files[0], "-emit-llvm", "-S") })})
	}
	// The kinds of input are equally frequent.
	var out []input
	for i := range c {
		out = append(out, c[i], ll[i%len(ll)], bc[i%len(bc)])
	}
	return out
}

// compile is what clang makes of a file; any goroutine may ask.
func compile(t *testing.T, file string, flags ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	args := append(slices.Clone(flags), "-w", "-Wno-error=implicit-function-declaration", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-o", out, file)
	if text, err := exec.Command("clang-19", args...).CombinedOutput(); err != nil {
		t.Errorf("clang-19: %v\n%s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Error(err)
	}
	return data
}

// mutant is the input of a seed.
func mutant(seeds []input, seed uint64) (name string, data []byte) {
	r := rand.New(rand.NewPCG(seed, 0x6173736179))
	base := seeds[r.IntN(len(seeds))]
	data = slices.Clone(base.data())
	for range 1 + r.IntN(3) {
		switch {
		case base.extension == ".bc" || r.IntN(10) == 0:
			data = mutateBytes(r, data)
		case r.IntN(4) == 0:
			data = mutateText(r, data, seeds, base.extension)
		default:
			data = swapTokens(r, data)
		}
	}
	return "input" + base.extension, data
}

// mutateBytes changes single bytes, or cuts or repeats a range.
func mutateBytes(r *rand.Rand, data []byte) []byte {
	if len(data) == 0 {
		return []byte{byte(r.Uint32())}
	}
	i := r.IntN(len(data))
	j := i + r.IntN(min(64, len(data)-i)+1)
	switch r.IntN(6) {
	case 0:
		data[i] ^= 1 << r.IntN(8)
	case 1:
		data[i] = byte(r.Uint32())
	case 2:
		return data[:i] // truncated
	case 3:
		return append(slices.Clone(data[:i]), data[j:]...)
	case 4:
		return append(slices.Clone(data[:j]), data[i:]...)
	case 5:
		for k := i; k < j; k++ {
			data[k] = byte(r.Uint32())
		}
	}
	return data
}

// words are tokens that are worth a try, by kind of file.
var words = map[string][]string{
	".c": {
		"0", "1", "-1", "2147483647", "4294967296", "0x7fffffffffffffff", "1.0f", "'a'", "\"s\"", "int", "char", "unsigned", "long", "float", "double",
		"_Bool", "void", "*", "&", "[", "]", "[0]", "[1000000000]", "{", "}", "(", ")", ";", ",", "+", "-", "/", "%", "<<", ">>", "==", "!", "~", "?", ":",
		"goto", "return", "while", "for", "switch", "case", "break", "continue", "sizeof", "struct", "union", "static", "volatile", "const",
		"__int128", "_Complex", "long double", "__asm__(\"nop\")", "&&label", "goto *p", "setjmp", "alloca(8)", "__builtin_trap()", "__attribute__((packed))",
		"__attribute__((vector_size(16)))", "main", "malloc(8)", "free", "memcpy", "assert(0)", "__VERIFIER_nondet_int()", "__VERIFIER_assume(0)",
	},
	".ll": {
		"i1", "i8", "i32", "i64", "i128", "i65", "i1000", "ptr", "float", "double", "half", "x86_fp80", "<4 x i32>", "[4 x i32]", "{ i32, ptr }", "void",
		"undef", "poison", "null", "zeroinitializer", "0", "1", "-1", "4294967296", "%0", "%1", "@main", "label", "add", "sub", "mul", "sdiv", "shl", "nsw",
		"load", "store", "getelementptr", "inbounds", "alloca", "br", "switch", "phi", "select", "call", "invoke", "ret", "unreachable", "freeze", "volatile",
		"atomic", "trunc", "zext", "inttoptr", "ptrtoint", "bitcast", "addrspacecast", "extractvalue", "insertelement", "indirectbr", "blockaddress(@main, %1)",
		"va_arg", "landingpad", "fence seq_cst", "cmpxchg", "atomicrmw", "thread_local", "external", "weak", "alias", "ifunc", "comdat", "asm \"nop\", \"\"()",
	},
}

// token finds names, numbers and operators.
var token = regexp.MustCompile(`[%@]?[A-Za-z_][\w.]*|\d+|[-+*/%&|^<>=!]+`)

// swapTokens replaces a token by another one of the file that is of the same
// class, so that many results are still accepted.
func swapTokens(r *rand.Rand, data []byte) []byte {
	found := token.FindAllIndex(data, -1)
	if len(found) == 0 {
		return data
	}
	class := func(at []int) byte {
		switch c := data[at[0]]; {
		case c >= '0' && c <= '9':
			return '0'
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return 'a'
		case c == '@' || c == '%' && at[1]-at[0] > 1:
			return c
		}
		return '+'
	}
	at := found[r.IntN(len(found))]
	for range 4 { // names rather stay
		if c := class(at); c == '0' || c == '+' {
			break
		}
		at = found[r.IntN(len(found))]
	}
	for range 50 {
		other := found[r.IntN(len(found))]
		if class(other) == class(at) && !bytes.Equal(data[at[0]:at[1]], data[other[0]:other[1]]) {
			return slices.Concat(data[:at[0]], data[other[0]:other[1]], data[at[1]:])
		}
	}
	return data
}

// mutateText works on lines and tokens.
func mutateText(r *rand.Rand, data []byte, seeds []input, extension string) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	i := r.IntN(len(lines))
	switch r.IntN(6) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, r.IntN(len(lines)+1), lines[i])
	case 2:
		j := r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
	case 3: // a line of another input of the kind
		other := seeds[r.IntN(len(seeds))]
		if other.extension == extension {
			foreign := bytes.SplitAfter(other.data(), []byte("\n"))
			lines = slices.Insert(lines, i, foreign[r.IntN(len(foreign))])
		}
	default:
		tokens := strings.SplitAfter(string(lines[i]), " ")
		k := r.IntN(len(tokens))
		word := words[extension][r.IntN(len(words[extension]))] + " "
		if r.IntN(2) == 0 {
			tokens[k] = word
		} else {
			tokens = slices.Insert(tokens, k, word)
		}
		lines[i] = []byte(strings.Join(tokens, ""))
	}
	return slices.Concat(lines...)
}
