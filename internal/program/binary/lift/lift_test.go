package lift

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The oracle of these tests is the processor: a program is compiled and runs; it is lifted, what comes
// out is compiled and runs; both have to print the same.

// stubs are what lifted programs call, for native runs.
const stubs = `
extern int printf(const char *, ...);
extern void _exit(int);
_Bool __assay_valid_range(const void *p, unsigned long n) { return p != 0; }
_Noreturn void __assay_unsupported(const char *what) { printf("UNSUPPORTED %s\n", what); extern int fflush(void *); fflush(0); _exit(99); }
unsigned long __assay_approximate_size(const char *name) { return 0x5ca1ab1edeadbeef; }
_Bool __assay_heap_start(const void *p) { return p != 0; }
void *__assay_stack_save(void) { return 0; }
void __assay_stack_restore(void *token) {}
`

func run(t testing.TB, name string, args ...string) (stdout string, code int) {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return string(out), exit.ExitCode()
	}
	return string(out), 0
}

func compile(t testing.TB, out string, args ...string) {
	t.Helper()
	compiler := "gcc"
	if !strings.HasPrefix(args[0], "-") && !strings.Contains(args[0], "/") {
		compiler, args = args[0], args[1:]
	}
	if text, err := exec.Command(compiler, append([]string{"-w", "-o", out}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, text)
	}
}

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// compare compiles sources, lifts what comes out, and compares both runs.
func compare(t *testing.T, names, sources []string, options ...string) {
	t.Helper()
	dir := t.TempDir()
	native, lifted := filepath.Join(dir, "native"), filepath.Join(dir, "lifted")
	compile(t, native, append(slices.Clone(options), append(sources, "-lm")...)...)
	content, err := os.ReadFile(native)
	if err != nil {
		t.Fatal(err)
	}
	text, err := C("native", content, Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, "lifted.c"), strings.ReplaceAll(text, "#line", "//"))
	compile(t, lifted, "-O0", "-no-pie", "-fwrapv", "-fno-strict-aliasing", file, write(t, filepath.Join(dir, "stubs.c"), stubs), "-lm")
	want, code := run(t, native)
	got, liftedCode := run(t, lifted)
	if liftedCode == 99 && strings.Contains(got, "whose value would count") && slices.Contains(options, "-no-pie") {
		return // a limit that is known
	}
	x, y := strings.Split(want, "\n"), strings.Split(got, "\n")
	for k, name := range names {
		if k < len(x) && k < len(y) && x[k] != y[k] {
			t.Errorf("%v: %s", options, name)
		}
	}
	if got != want || code != liftedCode {
		t.Errorf("%v: exit code %d, lifted %d\nnative:\n%.600s\nlifted:\n%.600s", options, code, liftedCode, difference(want, got), difference(got, want))
	}
}

// difference is a text from the first line on that differs.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for k := range x {
		if k >= len(y) || x[k] != y[k] {
			return strings.Join(x[k:min(k+8, len(x))], "\n")
		}
	}
	return ""
}

// forms are instructions over the registers rax, rcx and rdx and one place of memory; %s is one of their
// parts in turn.
func forms() (list []string) {
	parts := map[int][3]string{8: {"al", "cl", "dl"}, 16: {"ax", "cx", "dx"}, 32: {"eax", "ecx", "edx"}, 64: {"rax", "rcx", "rdx"}}
	sizes := map[int]string{8: "byte", 16: "word", 32: "dword", 64: "qword"}
	constants := map[int][]string{8: {"1", "-128", "0x7f"}, 16: {"1", "-2", "0x1234"}, 32: {"1", "-2", "0x12345678"}, 64: {"1", "-2", "0x12345678"}}
	for _, bits := range []int{8, 16, 32, 64} {
		a, c, d := parts[bits][0], parts[bits][1], parts[bits][2]
		memory := sizes[bits] + " ptr [rip+place]"
		for _, op := range []string{"add", "sub", "and", "or", "xor", "cmp", "test", "adc", "sbb", "mov"} {
			carry := ""
			if op == "adc" || op == "sbb" {
				carry = "add rdx, rdx; "
			}
			list = append(list, fmt.Sprintf("%s%s %s, %s", carry, op, a, c), fmt.Sprintf("%s%s %s, %s", carry, op, memory, c))
			if op != "test" {
				list = append(list, fmt.Sprintf("%s%s %s, %s", carry, op, a, memory))
			}
			for _, k := range constants[bits] {
				list = append(list, fmt.Sprintf("%s%s %s, %s", carry, op, a, k))
			}
		}
		for _, op := range []string{"inc", "dec", "neg", "not"} {
			list = append(list, op+" "+a, op+" "+memory)
		}
		for _, op := range []string{"shl", "shr", "sar", "rol", "ror"} {
			list = append(list, op+" "+a+", 1", op+" "+a+", 5", op+" "+d+", 7")
			if bits >= 32 && (op == "shl" || op == "shr" || op == "sar") {
				list = append(list, op+" "+a+", cl")
			}
		}
		list = append(list, fmt.Sprintf("xchg %s, %s", a, d))
		if bits > 8 {
			list = append(list, fmt.Sprintf("imul %s, %s", a, c), fmt.Sprintf("imul %s, %s, 7", a, c), fmt.Sprintf("imul %s, %s", a, memory),
				fmt.Sprintf("bt %s, 5", a), fmt.Sprintf("bt %s, %s", a, c), fmt.Sprintf("movzx %s, cl", a), fmt.Sprintf("movsx %s, cl", a))
			for _, cc := range []string{"a", "l", "s", "e"} {
				list = append(list, fmt.Sprintf("cmp rcx, rdx; cmov%s %s, %s", cc, a, c))
			}
		}
		if bits > 16 {
			list = append(list, fmt.Sprintf("movzx %s, cx", a), fmt.Sprintf("movsx %s, cx", a), fmt.Sprintf("imul %s", c), fmt.Sprintf("mul %s", c),
				fmt.Sprintf("bswap %s", a), fmt.Sprintf("lea %s, [rcx+rdx*4-3]", a), fmt.Sprintf("lea %s, [rcx+1]", a))
		}
	}
	list = append(list, "movsxd rax, ecx", "cdq", "cqo", "cdqe", "cwde", "cbw", "cwd", "mov ah, cl", "mov al, ch", "add ah, dl", "sub al, ah",
		"or ecx, 1; and edx, 0x7fffffff; shr ecx, 1; or ecx, 0x40000000; xor edx, edx; div ecx",
		"or rcx, 1; xor edx, edx; div rcx", "or ecx, 1; cdq; sar eax, 2; cdq; idiv ecx", "or rcx, 1; sar rax, 2; cqo; idiv rcx",
		"or ecx, 0x40000000; and ecx, 0x7fffffff; and edx, 0x0fffffff; mov r8d, edx; mov edx, r8d; div ecx",
		"push rax; push rcx; pop rax; pop rcx", "nop", "xor eax, eax", "sub ecx, ecx")
	return list
}

// after lists the conditions that have a meaning behind a form.
func after(form string) []string {
	last := strings.TrimSpace(form[strings.LastIndex(form, ";")+1:])
	op, _, _ := strings.Cut(last, " ")
	switch op {
	case "add", "sub", "and", "or", "xor", "cmp", "test", "neg":
		return []string{"a", "ae", "b", "be", "e", "ne", "g", "ge", "l", "le", "s", "ns", "o", "no", "p", "np"}
	case "inc", "dec":
		return []string{"e", "ne", "g", "ge", "l", "le", "s", "ns", "o", "no", "p"}
	case "adc", "sbb":
		return []string{"b", "ae", "e", "s", "be"}
	case "shl", "shr", "sar":
		if strings.HasSuffix(last, "cl") {
			return nil
		}
		return []string{"b", "e", "s", "ne"}
	case "imul", "mul":
		return []string{"b", "o"}
	case "bt":
		return []string{"b", "ae"}
	}
	return nil
}

// vectorForms are instructions over xmm0, xmm1, rax, rcx, rdx, and places of memory; rounded says that the result has floats of so
// many bits: which NaN comes out depends on which operand the compiler takes for the first one.
func vectorForms() (list []form) {
	add := func(floats int, formats ...string) {
		for _, f := range formats {
			list = append(list, form{text: f, vector: true, floats: floats})
		}
	}
	memory := func(size string) string { return size + " ptr [rip+place+16]" }
	for _, op := range strings.Fields(`paddb paddw paddd paddq psubb psubw psubd psubq paddsb paddsw paddusb paddusw psubsb psubsw psubusb psubusw pmullw
		pmulhw pmulhuw pmuludq pmaddwd psadbw pavgb pavgw pminub pmaxub pminsw pmaxsw pcmpeqb pcmpeqw pcmpeqd pcmpgtb pcmpgtw pcmpgtd pand pandn por pxor
		punpcklbw punpcklwd punpckldq punpcklqdq punpckhbw punpckhwd punpckhdq punpckhqdq packsswb packuswb packssdw
		andps andnps orps xorps andpd andnpd orpd xorpd unpcklps unpckhps unpcklpd unpckhpd`) {
		add(0, op+" xmm0, xmm1", op+" xmm0, "+memory("xmmword"), op+" xmm0, xmm0")
	}
	for _, op := range strings.Fields("psllw pslld psllq psrlw psrld psrlq psraw psrad") {
		add(0, op+" xmm0, 0", op+" xmm0, 5", op+" xmm0, 15", op+" xmm0, 40", op+" xmm0, 63", op+" xmm0, 64", "and rcx, 31; movq xmm1, rcx; "+op+" xmm0, xmm1", op+" xmm0, xmm1")
	}
	for _, k := range []string{"0", "27", "177", "78", "228"} {
		for _, op := range []string{"pshufd", "pshuflw", "pshufhw", "shufps"} {
			add(0, fmt.Sprintf("%s xmm0, xmm1, %s", op, k), fmt.Sprintf("%s xmm0, %s, %s", op, memory("xmmword"), k))
		}
	}
	for k := range 4 {
		add(0, fmt.Sprintf("shufpd xmm0, xmm1, %d", k), fmt.Sprintf("pinsrw xmm0, ecx, %d", 2*k), fmt.Sprintf("pinsrw xmm0, %s, %d", memory("word"), 2*k+1), fmt.Sprintf("pextrw eax, xmm0, %d", 2*k+1))
	}
	for _, k := range []string{"0", "1", "8", "15", "16", "200"} {
		add(0, "pslldq xmm0, "+k, "psrldq xmm0, "+k)
	}
	for _, op := range strings.Fields("movaps movapd movups movupd movdqa movdqu") {
		add(0, op+" xmm0, xmm1", op+" xmm0, "+memory("xmmword"), op+" "+memory("xmmword")+", xmm1")
	}
	add(0, "movss xmm0, xmm1", "movsd xmm0, xmm1", "movss xmm0, "+memory("dword"), "movsd xmm0, "+memory("qword"), "movss "+memory("dword")+", xmm1", "movsd "+memory("qword")+", xmm1",
		"movd xmm0, ecx", "movd xmm0, "+memory("dword"), "movd eax, xmm1", "movd "+memory("dword")+", xmm1", "movq xmm0, rcx", "movq rax, xmm1", "movq xmm0, xmm1", "movq xmm0, "+memory("qword"), "movq "+memory("qword")+", xmm1",
		"movlps xmm0, "+memory("qword"), "movhps xmm0, "+memory("qword"), "movlpd xmm0, "+memory("qword"), "movhpd xmm0, "+memory("qword"),
		"movlps "+memory("qword")+", xmm1", "movhps "+memory("qword")+", xmm1", "movhpd "+memory("qword")+", xmm1", "movlpd "+memory("qword")+", xmm1", "movlhps xmm0, xmm1", "movhlps xmm0, xmm1",
		"movmskps eax, xmm1", "movmskpd eax, xmm1", "pmovmskb eax, xmm1", "movntdq "+memory("xmmword")+", xmm1", "movntps "+memory("xmmword")+", xmm1", "movntpd "+memory("xmmword")+", xmm1", "movnti "+memory("qword")+", rcx", "movnti "+memory("dword")+", ecx")
	for _, op := range []string{"add", "sub", "mul", "div", "min", "max", "sqrt"} {
		for _, suffix := range []string{"ss", "sd", "ps", "pd"} {
			if op == "sqrt" && suffix[0] == 'p' {
				continue
			}
			size, bits := map[string]string{"ss": "dword", "sd": "qword", "ps": "xmmword", "pd": "xmmword"}[suffix], 32
			if suffix[1] == 'd' {
				bits = 64
			}
			add(bits, op+suffix+" xmm0, xmm1", op+suffix+" xmm0, "+memory(size), op+suffix+" xmm0, xmm0")
		}
	}
	for k := range 8 {
		for _, suffix := range []string{"ss", "sd", "ps", "pd"} {
			add(0, fmt.Sprintf("cmp%s xmm0, xmm1, %d", suffix, k))
		}
	}
	add(0, "cvtsi2sd xmm0, ecx", "cvtsi2sd xmm0, rcx", "cvtsi2ss xmm0, ecx", "cvtsi2ss xmm0, rcx", "cvtsi2sd xmm0, "+memory("dword"), "cvtsi2ss xmm0, "+memory("qword"),
		"cvttsd2si eax, xmm1", "cvttsd2si rax, xmm1", "cvttss2si eax, xmm1", "cvttss2si rax, xmm1", "cvttsd2si eax, "+memory("qword"), "cvttss2si rax, "+memory("dword"),
		"cvtsd2si eax, xmm1", "cvtsd2si rax, xmm1", "cvtss2si eax, xmm1", "cvtss2si rax, xmm1",
		"cvtdq2ps xmm0, xmm1", "cvtdq2pd xmm0, xmm1", "cvtdq2pd xmm0, "+memory("qword"), "cvttps2dq xmm0, xmm1", "cvtps2dq xmm0, xmm1", "cvttpd2dq xmm0, xmm1", "cvtpd2dq xmm0, xmm1")
	add(64, "cvtss2sd xmm0, xmm1", "cvtss2sd xmm0, "+memory("dword"), "cvtps2pd xmm0, xmm1", "cvtps2pd xmm0, "+memory("qword"))
	add(32, "cvtsd2ss xmm0, xmm1", "cvtsd2ss xmm0, "+memory("qword"), "cvtpd2ps xmm0, xmm1")
	for _, op := range []string{"ucomisd", "ucomiss", "comisd", "comiss"} {
		for _, c := range []string{"a", "ae", "b", "be", "e", "ne", "p", "np", "s", "o", "l", "g", "le", "ge"} {
			add(0, fmt.Sprintf("mov eax, 0; %s xmm0, xmm1; set%s al", op, c))
		}
		add(0, fmt.Sprintf("mov eax, 0; %s xmm0, xmm0; setp al", op))
	}
	return list
}

// otherForms are instructions that the other lists do not have: on bits, strings, pairs of registers; and flags that are kept over
// several instructions.
func otherForms() (list []form) {
	add := func(formats ...string) {
		for _, f := range formats {
			list = append(list, form{text: f})
		}
	}
	parts := map[int][3]string{8: {"al", "cl", "dl"}, 16: {"ax", "cx", "dx"}, 32: {"eax", "ecx", "edx"}, 64: {"rax", "rcx", "rdx"}}
	sizes := map[int]string{8: "byte", 16: "word", 32: "dword", 64: "qword"}
	for _, bits := range []int{8, 16, 32, 64} {
		a, c, d := parts[bits][0], parts[bits][1], parts[bits][2]
		memory := sizes[bits] + " ptr [rip+place]"
		for _, op := range []string{"shl", "shr", "sar"} {
			add(op+" "+a+", cl", op+" "+memory+", cl", op+" "+memory+", 3", op+" "+a+", 9")
			for _, cc := range []string{"b", "e", "s", "le", "a"} {
				if cc == "le" || bits < 32 && (cc == "b" || cc == "a") && op != "sar" { // without meaning
					continue
				}
				add(fmt.Sprintf("cmp rdx, rax; %s %s, cl; set%s al", op, d, cc))
			}
		}
		for _, op := range []string{"rol", "ror"} {
			add(op+" "+a+", cl", op+" "+memory+", cl", op+" "+memory+", 3", op+" "+a+", 17")
			add(fmt.Sprintf("cmp rdx, rax; %s %s, cl; setb al", op, d), fmt.Sprintf("cmp rdx, rax; %s %s, 3; setb al", op, d), fmt.Sprintf("cmp rdx, rax; %s %s, 3; sete al", op, d))
		}
		for _, op := range []string{"rcl", "rcr"} {
			add(fmt.Sprintf("add rdx, rdx; %s %s, 1", op, a), fmt.Sprintf("add rdx, rdx; %s %s, cl", op, a), fmt.Sprintf("add rdx, rdx; %s %s, 5; setb al", op, d), fmt.Sprintf("stc; %s %s, 1", op, memory))
		}
		add(fmt.Sprintf("xadd %s, %s", a, c), fmt.Sprintf("xadd %s, %s", memory, c), fmt.Sprintf("lock xadd %s, %s; setb al", memory, c), fmt.Sprintf("xchg %s, %s", memory, c),
			fmt.Sprintf("cmpxchg %s, %s", memory, c), fmt.Sprintf("lock cmpxchg %s, %s; sete al", memory, d), fmt.Sprintf("mov %s, %s; cmpxchg %s, %s; sete cl", a, memory, memory, d),
			fmt.Sprintf("mul %s", c), fmt.Sprintf("imul %s", c), fmt.Sprintf("mul %s; setb al", memory), fmt.Sprintf("imul %s; seto al", memory), fmt.Sprintf("lock add %s, %s", memory, c))
		suffix := sizes[bits][:1]
		for _, op := range []string{"movs", "stos", "lods", "scas", "cmps"} {
			for _, repeat := range []string{"", "rep ", "repne "} {
				if repeat == "repne " && op != "scas" && op != "cmps" {
					continue
				}
				if repeat == "rep " && (op == "scas" || op == "cmps") {
					repeat = "repe "
				}
				text := fmt.Sprintf("and ecx, 3; lea rdi, [rip+place]; lea rsi, [rip+place+32]; cmp rdx, 5; %s%s%s", repeat, op, suffix)
				add(text + "; lea rdx, [rip+place]; sub rdi, rdx; sub rsi, rdx; mov edx, 0; lea rcx, [rcx+2*rdi]; lea rcx, [rcx+4*rsi]")
				if op == "scas" || op == "cmps" {
					for _, cc := range []string{"e", "b", "l", "a", "s", "o"} {
						add(text + "; set" + cc + " al; movzx eax, al")
					}
				}
			}
		}
		if bits == 8 {
			add("or cl, 1; movzx eax, dl; div cl", "or cl, 1; movsx ax, dl; sar ax, 1; idiv cl")
			continue
		}
		for _, op := range []string{"bt", "bts", "btr", "btc"} {
			add(fmt.Sprintf("%s %s, 5; setb dl", op, a), fmt.Sprintf("%s %s, %s; setb dl", op, a, c), fmt.Sprintf("%s %s, 7; setb dl", op, memory), fmt.Sprintf("cmp rdx, rcx; %s %s, %s; sete dl", op, a, c))
		}
		add(fmt.Sprintf("or %s, 16; bsf %s, %s", c, a, c), fmt.Sprintf("or %s, 16; bsr %s, %s", c, a, c), fmt.Sprintf("or %s, 16; tzcnt %s, %s", c, a, c), fmt.Sprintf("bsf %s, %s; sete al; movzx eax, al; mov edx, 0", d, c),
			fmt.Sprintf("bsr %s, %s; setne al; movzx eax, al; mov edx, 0", d, memory), fmt.Sprintf("mov edx, 0; bsf %s, %s; setne al; movzx eax, al; mov edx, 0", d, c))
		if bits == 16 {
			add("or cx, 1; movzx eax, ax; xor edx, edx; div cx", "or cx, 1; sar ax, 1; cwd; idiv cx")
			continue
		}
		for _, op := range []string{"shld", "shrd"} {
			add(fmt.Sprintf("%s %s, %s, 5", op, a, d), fmt.Sprintf("%s %s, %s, cl", op, a, d), fmt.Sprintf("%s %s, %s, cl", op, memory, d))
			for _, cc := range []string{"b", "e", "s"} {
				add(fmt.Sprintf("cmp rdx, rcx; %s %s, %s, 9; set%s al", op, d, a, cc), fmt.Sprintf("cmp rdx, rcx; %s %s, %s, cl; set%s al", op, d, a, cc))
			}
		}
	}
	for _, cc := range []string{"a", "ae", "b", "be", "e", "ne", "g", "ge", "l", "le", "s", "ns", "o", "no", "p", "np"} {
		// Two ways lead to the condition, with flags of other instructions.
		add(fmt.Sprintf("test cl, 1; je 1f; cmp rax, rdx; jmp 2f; 1: add edx, ecx; 2: set%s al; movzx eax, al", cc),
			fmt.Sprintf("test cl, 1; je 1f; sub al, dl; jmp 2f; 1: and rdx, rcx; 2: set%s al; movzx eax, al", cc),
			fmt.Sprintf("cmp rdx, rax; dec ecx; test eax, 1; je 1f; cmp ecx, edx; 1: set%s al; movzx eax, al", cc),
			fmt.Sprintf("cmp rdx, rax; inc cx; set%s al; movzx eax, al", cc), fmt.Sprintf("cmp edx, eax; cmc; set%s al; movzx eax, al", cc))
	}
	for _, c := range []string{"l", "ge", "le", "g", "o", "no", "s", "e", "be"} {
		add("cmp rcx, rdx; sbb eax, edx; set"+c+" cl", "cmp rax, rcx; sbb rcx, rdx; set"+c+" dl", "add rcx, rdx; adc ax, dx; set"+c+" cl", "cmp cl, dl; sbb al, 0; set"+c+" dl", "cmp ecx, edx; adc eax, ecx; set"+c+" dl")
	}
	add("stc; adc rax, rdx", "clc; sbb rax, rdx", "stc; setb al", "add rax, rdx; adc rcx, 0; adc rdx, rcx", "sub rax, rdx; sbb rcx, rdx; sbb rdx, 5; setb al",
		"test cl, 1; je 1f; stc; jmp 2f; 1: clc; 2: adc rax, rdx", "mov rcx, rax; cmp rdx, rcx; mov rdx, 0; adc rax, 0", "neg rax; sbb rdx, rdx", "cmp rax, 1; sbb ecx, ecx; and edx, ecx")
	return list
}

// form is an instruction, or several, behind which rax, rcx, rdx, memory and, for vectors, xmm0 are compared.
type form struct {
	text   string
	vector bool
	floats int
}

// assembly is a function of three numbers.
func (f form) assembly() string {
	const (
		start  = "mov rax, rdi\nmov r8, rdx\nmov rdx, rsi\nmov rcx, r8\n"
		load   = "movq xmm0, rdi\nmovq xmm2, qword ptr [rip+place]\npunpcklqdq xmm0, xmm2\nmovq xmm1, rsi\nmovq xmm2, qword ptr [rip+place+8]\npunpcklqdq xmm1, xmm2\n"
		end    = "\nlea r8, [rax+rcx*2]\nlea rax, [r8+rdx*4]\nimul rax, rax, 31\nadd rax, qword ptr [rip+place]\nimul rax, rax, 31\nadd rax, qword ptr [rip+place+8]\nimul rax, rax, 31\nadd rax, qword ptr [rip+place+16]\nimul rax, rax, 31\nadd rax, qword ptr [rip+place+24]\n"
		unload = "\nmovq r8, xmm0\nimul r8, r8, 31\nadd rax, r8\npsrldq xmm0, 8\nmovq r8, xmm0\nimul rax, rax, 31\nadd rax, r8\n"
	)
	text := start
	if f.vector {
		text += load
	}
	text += strings.ReplaceAll(f.text, "; ", "\n")
	switch f.floats {
	case 32:
		text += "\nmovaps xmm3, xmm0\ncmpunordps xmm3, xmm3\nandnps xmm3, xmm0\nmovaps xmm0, xmm3"
	case 64:
		text += "\nmovapd xmm3, xmm0\ncmpunordpd xmm3, xmm3\nandnpd xmm3, xmm0\nmovapd xmm0, xmm3"
	}
	text += end
	if f.vector {
		text += unload
	}
	return text
}

// TestInstructions runs each form of an instruction on random states, and each condition behind it.
// ASSAY_STATES=n tries n states each, ASSAY_FORMS=text those that have the text.
func TestInstructions(t *testing.T) {
	states := os.Getenv("ASSAY_STATES")
	if states == "" {
		states = "50"
	}
	all := os.Getenv("ASSAY_STATES") != ""
	var list []form
	for _, text := range forms() {
		list = append(list, form{text: text})
		for k, c := range after(text) {
			if all || (len(list)+k)%8 == 0 { // the compiler takes the time
				list = append(list, form{text: text + "; mov eax, 0; set" + c + " al"})
			}
		}
	}
	for k, f := range append(otherForms(), vectorForms()...) {
		if all || k%4 == 0 {
			list = append(list, f)
		}
	}
	if only := os.Getenv("ASSAY_FORMS"); only != "" {
		list = slices.DeleteFunc(list, func(f form) bool { return !strings.Contains(f.text, only) })
	}
	const part = 500 // forms in one program
	for k := 0; k < len(list); k += part {
		t.Run(fmt.Sprint(k/part), func(t *testing.T) {
			t.Parallel()
			runForms(t, list[k:min(k+part, len(list))], states)
		})
	}
	t.Logf("%d forms and conditions, %s states each", len(list), states)
}

func runForms(t *testing.T, list []form, states string) {
	var assembly, declared, calls bytes.Buffer
	assembly.WriteString(".intel_syntax noprefix\n.text\n")
	var names []string
	for k, f := range list {
		names = append(names, f.text)
		fmt.Fprintf(&assembly, ".globl f%[1]d\n.type f%[1]d, @function\nf%[1]d:\n%[2]sret\n.size f%[1]d, .-f%[1]d\n", k, f.assembly())
		fmt.Fprintf(&declared, "u64 f%[1]d(u64, u64, u64); void t%[1]d(void) { TRY(f%[1]d) }\n", k)
		fmt.Fprintf(&calls, "  t%d();\n", k)
	}
	dir := t.TempDir()
	asm := write(t, filepath.Join(dir, "forms.s"), assembly.String()+".section .note.GNU-stack,\"\",@progbits\n")
	source := write(t, filepath.Join(dir, "main.c"), `typedef unsigned long u64;
u64 place[16] __attribute__((aligned(16))), seed = 88172645463325252ul;
extern int putchar(int);
static u64 next(void) {
  seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
  u64 kind = seed >> 60;
  switch (kind) {
  case 0: case 1: case 2: return seed & 7;
  case 3: case 4: return -(seed & 7);
  case 5: case 6: return 1ul << (seed & 63);
  case 7: return (unsigned)seed;
  case 8: return (seed >> 52 & 1) << 63 | (1023 + (seed >> 40 & 63) - 12) << 52 | (seed & 3) << 50; /* a double */
  case 9: case 10: { u64 x = (seed >> 52 & 1) << 31 | (127 + (seed >> 40 & 31) - 8) << 23 | (seed & 3) << 21; return x << 32 | (x ^ (seed & 1) << 31); } /* two floats */
  case 11: return (seed & 1) << 63 | 0x7ff0000000000000ul | (seed & 8) << 48; /* an infinity, or none */
  }
  return seed;
}
static void print(u64 n) { for (int k = 60; k >= 0; k -= 4) putchar("0123456789abcdef"[n >> k & 15]); putchar(10); }
#define TRY(f) { u64 sum = 0; for (int k = 0; k < `+states+`; k++) { u64 a = next(), b = next(), c = next(); for (int i = 0; i < 8; i++) place[i] = next(); sum = sum * 1000003 + f(a, b, c); } print(sum); }
`+declared.String()+`int main(void) {
`+calls.String()+"  return 0;\n}\n")
	compare(t, names, []string{source, asm}, "-O1", "-fno-tree-vectorize")
}

// programs print numbers; print is theirs.
var programs = map[string]string{
	"dynamic stack": `static int __attribute__((noinline)) sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 3 + p[i]; return s; }
static int __attribute__((noinline)) f(int n) { int v[n], s = n; for (int i = 0; i < n; i++) v[i] = i * i + s; s = sum(v, n); return s + v[n / 2]; }
static int __attribute__((noinline)) g(int n) { char *a = __builtin_alloca(n + 1); short *b = __builtin_alloca(2 * n); for (int i = 0; i < n; i++) { a[i] = i; b[i] = a[i] * 300; } a[n] = 0; return b[n - 1] + sum((int *)b, n / 2); }
int main(void) { for (int n = 1; n < 20; n += 3) { print(f(n)); print(g(n)); } return 0; }`,
	"dynamic stack in loops": `static int __attribute__((noinline)) sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 3 + p[i]; return s; }
static int __attribute__((noinline)) rounds(int n) { int t = 0; for (int k = 1; k < n; k++) { int v[k]; for (int i = 0; i < k; i++) v[i] = i + k; t += sum(v, k); } return t; }
static int __attribute__((noinline)) kept(int n) { char *l[10]; int t = 0; for (int k = 0; k < n && k < 10; k++) { l[k] = __builtin_alloca(k + 5); for (int i = 0; i < k + 5; i++) l[k][i] = k + i; } for (int k = 0; k < n && k < 10; k++) t = t * 7 + l[k][0] + l[k][k + 4]; return t; }
static int __attribute__((noinline)) two(int n, int m) { short a[n]; long b[m]; for (int i = 0; i < n; i++) a[i] = i; for (int i = 0; i < m; i++) b[i] = i * i; int t = 0; for (int i = 0; i < n; i++) t += a[i]; for (int i = 0; i < m; i++) t += b[i]; return t; }
static int __attribute__((noinline)) perhaps(int n, int c) { int t = 3; if (c) { int v[n]; for (int i = 0; i < n; i++) v[i] = i ^ c; t = sum(v, n); } else t = n; return t + c; }
static int __attribute__((noinline)) again(int n) { if (n <= 0) return 1; int v[n]; for (int i = 0; i < n; i++) v[i] = i + n; int r = again(n - 2); return r * 3 + sum(v, n); }
static int __attribute__((noinline)) left(int n) { int t = 0; for (int i = 1; i < 20; i++) { int v[i]; v[i - 1] = i; t += v[i - 1]; if (t > n) break; if (t & 1) continue; t += sum(v + i - 1, 1) & 3; } return t; }
int main(void) { for (int i = 1; i < 14; i += 3) { print(rounds(i)); print(kept(i)); print(two(i, i + 1)); print(perhaps(i, i & 1)); print(again(i)); print(left(i)); } return 0; }`,
	"called back": `#include <stdlib.h>
#include <string.h>
#include <ctype.h>
struct pair { int key; char name[8]; }; static int by_key(const void *a, const void *b) { return ((struct pair *)a)->key - ((struct pair *)b)->key; }
static int by_name(const void *a, const void *b) { return strcmp(((struct pair *)a)->name, ((struct pair *)b)->name); } static void bye(void) { print(77); }
int main(void) { struct pair list[6]; atexit(bye); for (int i = 0; i < 6; i++) { list[i].key = i * 5 % 6; strcpy(list[i].name, "n"); strcat(list[i].name, i & 1 ? "ab" : "zy"); list[i].name[1] = toupper(list[i].name[1]) + i; }
  qsort(list, 6, sizeof *list, by_key); for (int i = 0; i < 6; i++) print(list[i].key * 100 + list[i].name[1]); qsort(list, 6, sizeof *list, by_name); for (int i = 0; i < 6; i++) print(list[i].key);
  qsort(list, 6, sizeof *list, by_key); struct pair key = {4}; struct pair *p = bsearch(&key, list, 6, sizeof *list, by_key); print(p ? p->name[2] : -1); char text[] = "12,x 7"; for (char *t = strtok(text, ", "); t; t = strtok(0, ", ")) print(isdigit((unsigned char)*t) ? strtol(t, 0, 10) : -5); return 0; }`,
	"address of what is not looked at": `int *volatile kept; static int __attribute__((noinline)) f(int n) { int x; kept = &x; return n + (kept != 0); }
int main(void) { print(f(3)); return 0; }`,
	"ends of arrays": `static int __attribute__((noinline)) sum(int *p, int *q) { int s = 0; while (p != q) s = s * 3 + *p++; return s; }
int main(void) { int a[4], b[8], c[5]; for (int i = 0; i < 4; i++) a[i] = i; for (int i = 0; i < 8; i++) b[i] = i * i; for (int i = 0; i < 5; i++) c[i] = b[i + 1] - a[i & 3];
  print(sum(a, a + 4)); print(sum(b, b + 8)); print(sum(c, c + 5)); return 0; }`,
	"before an array": `short list[9] = {4, 8, 1, 5, 2, 7, 3, 6, 9}; short pad, other[3] = {1, 2, 3};
int main(void) { for (int n = 9; n > 0; n--) if (list[n - 1] & 1) { pad += list[n - 1]; list[n - 1] = other[n % 3]; } for (int i = 0; i < 9; i++) print(list[i]); print(pad); return 0; }`,
	"neighbours": `struct t { int a, b, c; }; static struct t g = {1, 2, 3}; static char after = 9; static struct t h;
int main(void) { h = g; g.c = after; print(h.a + h.b * 10 + h.c * 100); h = g; print(h.c); return after; }`,
	"sums": `static int sum(int n) { int s = 0; for (int i = 1; i <= n; i++) s += i * i % 7; return s; }
int main(void) { for (int n = 0; n < 50; n += 3) print(sum(n)); return sum(9) & 63; }`,
	"recursion": `static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static long ack(long m, long n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
int main(void) { print(fib(15)); print(ack(2, 3)); return 0; }`,
	"arrays": `int table[10]; short small[5] = {1, -2, 3, -4, 5}; const char text[] = "binary";
int main(void) { int local[8]; for (int i = 0; i < 8; i++) { local[i] = i * i - 3; table[i] = local[i] * 2; }
  long s = 0; for (int i = 0; i < 8; i++) s += table[i] - local[7 - i]; for (int i = 0; i < 5; i++) s = s * 3 + small[i];
  for (int i = 0; text[i]; i++) s = s * 31 + text[i]; print(s); return 0; }`,
	"pointers": `static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
struct node { int value; struct node *next; }; static struct node nodes[4];
int main(void) { int x = 3, y = 8; swap(&x, &y); print(x * 10 + y);
  for (int i = 0; i < 3; i++) { nodes[i].value = i * 5; nodes[i].next = &nodes[i + 1]; } nodes[3].value = 99;
  int s = 0; for (struct node *p = nodes; p; p = p->next) s += p->value; print(s); return 0; }`,
	"divisions": `int main(void) { int a[] = {7, -7, 100, -100, 2147483647}; unsigned b[] = {3, 7, 10, 1000, 4000000000u};
  for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) { print(a[i] / (int)(b[j] / 2 + 1)); print(a[i] % 10); print((unsigned)a[i] / b[j]); print(a[i] / 7 + a[i] % 3);
    print((long)a[i] * a[j] / (j + 1)); } return 0; }`,
	"bits": `int main(void) { unsigned x = 1; for (int i = 0; i < 40; i++) { x = x << 3 ^ x >> 5 ^ i; print(x); print((int)x >> 3); print((unsigned char)x); print((short)x); print(x & -x); } return 0; }`,
	"cases": `static int f(int n) { switch (n) { case 1: return 10; case 5: return 50; case -3: return 7; default: return n > 100 ? 1 : n & 1 ? 2 : 3; } }
int main(void) { for (int i = -5; i < 8; i++) print(f(i)); print(f(200)); return 0; }`,
	"switches": `__attribute__((noinline)) int f(int n) { switch (n) { case 0: return 10; case 1: return 7; case 2: print(3); case 3: return 9; case 4: return n * 5; case 5: return 2; case 7: return 77; case 8: print(n); return 1; default: return -1; } }
__attribute__((noinline)) long g(unsigned char c) { long s = 0; for (;;) { switch (c) { case 'a': s += 3; break; case 'b': s ^= 9; break; case 'c': s *= 7; break; case 'd': return s; case 'e': s -= c; break; case 'f': s = ~s; break; default: return s + 1000; } c += 1 + (s & 1); } }
int main(void) { for (int i = -2; i < 11; i++) print(f(i)); for (int i = 90; i < 110; i++) print(g(i)); return 0; }`,
	"functions": `static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } static int mul(int a, int b) { return a * b; }
int (*table[])(int, int) = {add, sub, mul}; struct op { const char *name; int (*f)(int, int); struct op *next; };
static struct op ops[3] = {{"add", add, &ops[1]}, {"sub", sub, &ops[2]}, {"mul", mul, 0}};
__attribute__((noinline)) static int apply(int (*h)(int, int), int a, int b) { return h(a, b) + 1; }
__attribute__((noinline)) static int last(int (*h)(int, int), int a, int b) { return h(b, a); }
int main(void) { for (int i = 0; i < 3; i++) { print(table[i](i + 5, 3)); print(apply(ops[i].f, i, 8)); print(last(table[i], 9, i)); if (table[i] == sub) print(4444); }
  for (struct op *o = ops; o; o = o->next) { print(o->name[0]); print(o->f(20, 3)); } return 0; }`,
	"arguments": `__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, int h, char i, long j) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j; }
__attribute__((noinline)) long pass(long a, long b, long c, long d, long e, long f, long g, int h, char i, long j) { return many(b, a, c, d, e, f, j, h + 1, i, g); }
int main(void) { print(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)); print(many(-1, 2, -3, 4, -5, 6, -7, 8, -9, 10)); print(pass(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)); return 0; }`,
	"library": `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#define P(...) do { char b_[200]; snprintf(b_, 200, __VA_ARGS__); puts(b_); } while (0)
struct item { char name[16]; int n; double w; };
static int cmp3(const char *a, const char *b) { return strcmp(a, b) < 0 ? -1 : strcmp(a, b) > 0; }
double scale(double x, int n) { return x * n + sqrt(x) - floor(x / 3); }
float half(float f) { return f / 2.5f + (f > 3 ? 1 : -1); }
int main(int argc, char **argv) {
  char buf[64]; struct item *items = malloc(5 * sizeof *items);
  for (int i = 0; i < 5; i++) { sprintf(items[i].name, "it%d-%s", i * 7, i & 1 ? "odd" : "even"); items[i].n = i * 3; items[i].w = i * 1.25; }
  double s = 0; for (int i = 0; i < 5; i++) { s += scale(items[i].w, items[i].n); P("%s %d %.3f %c %5ld|%-4x|", items[i].name, items[i].n, items[i].w, 'a' + i, (long)i << 33, i * 99); }
  P("%.6f %g %d %d %d %d %d %d %d", s, half(7.5f), 1, 2, 3, 4, 5, 6, 7);
  snprintf(buf, sizeof buf, "%d:%s:%lu", 42, "hello", strlen("hello")); puts(buf); puts(strchr(buf, 58)); fputs("x\n", stdout);
  char *d = strdup(buf); strcpy(buf, "zz"); P("%d %d %s", cmp3(buf, d), memcmp(buf, d, 2) > 0, d); free(d);
  int a[100]; float f[37]; for (int i = 0; i < 100; i++) a[i] = i * i - 50; for (int i = 0; i < 37; i++) f[i] = a[i] * 0.5f;
  int t = 0; for (int i = 0; i < 100; i++) t += a[i] > 0 ? a[i] : -a[i]; float g = 0; for (int i = 0; i < 37; i++) g += f[i]; unsigned char c[50]; for (int i = 0; i < 50; i++) c[i] = a[i] >> 1; unsigned x = 0; for (int i = 0; i < 50; i++) x += c[i];
  P("%d %f %u", t, g, x); int q, r; if (sscanf("12 abc 77", "%d %*s %d", &q, &r) == 2) P("%d %d", q, r);
  memset(a, 7, sizeof a); memmove(a + 1, a, 40); P("%d %ld %d", a[5], (long)(s * 1000), (int)half(100)); free(items);
  struct item copy = {"abc", 5, 2.5}, other; other = copy; P("%s %d %f", other.name, other.n, other.w);
  return t & 63;
}`,
	"floats": `struct point { double x, y; }; static struct point __attribute__((noinline)) turn(struct point p, double by) { struct point q = {p.x * by - p.y, p.y * by + p.x}; return q; }
static float __attribute__((noinline)) mean(const float *f, int n) { float s = 0; for (int i = 0; i < n; i++) s += f[i]; return s / n; }
static int __attribute__((noinline)) order(double a, double b) { return a < b ? 1 : a == b ? 2 : a > b ? 3 : 4; }
int main(void) { struct point p = {1, 2}; for (int i = 0; i < 6; i++) { p = turn(p, 0.5 + i); print((long)(p.x * 1000)); print((long)(p.y * 1000)); print(order(p.x, p.y)); }
  float f[9]; for (int i = 0; i < 9; i++) f[i] = i * 1.5f - 4; print((long)(mean(f, 9) * 1e6f)); print(order(0.0 / (p.x - p.x), 1)); print((unsigned)(p.x > 0 ? p.x : -p.x)); print((unsigned char)(int)p.y); return 0; }`,
	"kept": `static double __attribute__((noinline)) f(double d) { return d * 0.5 + 1; } static void __attribute__((noinline)) g(double *p) { *p = 3; }
int main(void) { for (double d = 1; d <= 20; d++) { double r = f(d); g(&r); print((long)(r * 10 + f(d + r))); } return 0; }`,
	"names": `int p, n; int a[8], s, b[8]; const int c[4] = {1, 2, 3, 4};
int main(void) { p = 7; int *q = a; while (q != a + 8) *q++ = p; for (q = b; q < b + 8; q++) *q = a[q - b] + c[p & 3]; for (int i = 0; i < 8; i++) s += b[i]; n = s; print(n); print(b[2] - p); return 0; }`,
	"copies": `struct big { long x[5]; short y[7]; }; __attribute__((noinline)) struct big make(long n, struct big in) { struct big b; for (int i = 0; i < 5; i++) b.x[i] = n * i + in.x[i]; for (int i = 0; i < 7; i++) b.y[i] = in.y[i] + n; return b; }
static int a[64], b[64]; static unsigned char c[64];
int main(void) { struct big s = {{1, 2, 3, 4, 5}, {7, 8, 9}}; s = make(3, s); for (int i = 0; i < 5; i++) print(s.x[i]); print(s.y[1] + s.y[6]);
  for (int i = 0; i < 64; i++) { a[i] = i * 3 - 50; b[i] = a[i] > 0 ? a[i] : i; c[i] = a[i] + b[i]; } long t = 0; unsigned m = 0; for (int i = 0; i < 64; i++) { t += a[i] * b[i]; if (c[i] > m) m = c[i]; t ^= c[i] << 3; } print(t); print(m); return 0; }`,
	"prints": `extern int printf(const char *, ...);
struct pair { long a, b; }; static struct pair __attribute__((noinline)) make(long x) { struct pair p = {x, x * 7}; return p; }
static volatile int never;
int main(void) { for (int i = 0; i < 5; i++) { if (never) printf("%d and %5x%%\n", i, i); struct pair p = make(i); print(p.a + p.b); } return 0; }`,
	"narrow": `unsigned char c; signed char d; unsigned short e; long g;
int main(void) { for (int i = 0; i < 300; i += 7) { c += i; d -= i; e = e * 3 + c; g = g * 5 + d - e; print(c); print(d); print(e); print(g); if (c < d) print(1); if (c > e) print(2); } return 0; }`,
}

const prints = `extern int putchar(int);
static void print(long n) { char t[24]; int k = 0; unsigned long u = n; if (n < 0) { putchar('-'); u = -u; } do t[k++] = '0' + u % 10; while (u /= 10); while (k) putchar(t[--k]); putchar(10); }
`

// TestPrograms compares whole programs at several levels of optimisation.
func TestPrograms(t *testing.T) {
	for name, text := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := write(t, filepath.Join(t.TempDir(), "a.c"), prints+text)
			for k, options := range [][]string{{"-O0", "-g"}, {"-O0"}, {"-O1", "-g"}, {"-Os", "-g"}, {"-O2", "-g"}, {"-O1", "-g", "-no-pie", "-fno-pie"}, {"clang-19", "-O0"}, {"clang-19", "-O2", "-fno-plt"}} {
				if (k+len(name))%3 != 0 && os.Getenv("ASSAY_STATES") == "" { // the compiler takes the time
					continue
				}
				compare(t, nil, []string{source}, options...)
			}
		})
	}
}

// TestStructureOnStack: how large an argument on the stack is of which a function takes the address is known from DWARF.
func TestStructureOnStack(t *testing.T) {
	const program = `struct s { long a, b; int c; char d; }; static long __attribute__((noinline)) f(int x, struct s v) { char *p = (char *)&v; long n = x; for (int i = 0; i < 21; i++) n = n * 7 + p[i]; v.a = 1; return n + v.d; }
int main(void) { struct s v = {1, 2, 3, 4}; long k = 5, *p = &k; print(f(9, v)); print(*p); v.d = 77; print(f(k, v)); return 0; }`
	for _, compiler := range []string{"-O0", "-O1"} {
		compare(t, nil, []string{write(t, filepath.Join(t.TempDir(), "a.c"), prints+program)}, compiler, "-g", "-fno-ipa-sra", "-fno-ipa-cp")
	}
}

// TestStatic: functions of a library that is linked statically have the meaning of their names; those of the program are lifted, whatever
// their name.
func TestStatic(t *testing.T) {
	const program = `#include <string.h>
#include <stdlib.h>
__attribute__((noinline, noipa)) int ffs(int n) { return n + 7; }
int main(int argc, char **argv) { char b[20]; strcpy(b, argv[0]); memcpy(b + 5, b, argc); return strlen(b) + ffs(argc) + atoi(b); }`
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	source := write(t, filepath.Join(dir, "a.c"), program)
	if err := exec.Command("gcc", "-static", "-O1", "-fno-builtin", "-o", file, source).Run(); err != nil {
		t.Skip("gcc cannot link statically here")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := C("a", content, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{")strlen((const char *)", ")strcpy((char *)", ")memcpy((void *)", ")strtol((const char *)", "u64 ffs(u64 _rdi) {"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the C", want)
		}
	}
}

// TestUndefined: where the result of an instruction is not defined, the lifted program says so.
func TestUndefined(t *testing.T) {
	dir := t.TempDir()
	object := filepath.Join(dir, "f.o")
	compile(t, object, "-c", write(t, filepath.Join(dir, "f.s"), ".globl main\n.type main,@function\nmain: bsf %ecx, %eax\n.byte 0x66, 0x0f, 0xc8\nret\n.size main,.-main\n"))
	content, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	text, err := C("f.o", content, Options{})
	if err != nil || !strings.Contains(text, "of 16 bits, whose result is not defined") || !strings.Contains(text, ") _rax = __assay_approximate_size(") {
		t.Errorf("%v\n%s", err, text)
	}
}
