package lift

import (
	"fmt"
	"strings"

	"assay/internal/program/binary/x86"
)

// This file says how functions are called whose meaning is that of their name: inputs and errors of
// verification tasks, also where the file defines them, and functions of the C library. The front end has models of
// them.

// prototype is how a function of C is declared.
type prototype struct {
	result     string
	parameters []string
	// text, if not empty, stands for the call.
	text string
	// as is the name that is called instead.
	as string
	// truth says that the argument is a condition of a type that is not known: where assert was not declared it may be
	// a pointer. What is above an integer of 32 bits there is 0, for instructions that write 32 bits write that.
	truth bool
	// needs are conditions on the arguments: "0+2" that as many bytes as the third says are at the first one, "0+1*2" that
	// they are a product, "0s" that a string is there, "0z" the same if it is not null, "0+1s" that there is room for the string of the second
	// ("0+0s+1s": behind its own), "0h" that it is null, or the start of a live object of the heap, "0=8" that eight bytes are there,
	// "0?8" the same if it is not null.
	needs string
}

func (x prototype) declaration(name string) string {
	parameters := strings.Join(x.parameters, ", ")
	if parameters == "" {
		parameters = "void"
	}
	prefix := ""
	if neverReturns[name] {
		prefix = "_Noreturn "
	}
	return fmt.Sprintf("%s%s %s(%s);\n", prefix, x.result, name, parameters)
}

// widened is the unsigned type of the result's size: what is above it in rax is 0.
func (x prototype) widened() string {
	switch x.result {
	case "char", "signed char", "unsigned char", "_Bool":
		return "u8"
	case "short", "unsigned short":
		return "u16"
	case "int", "unsigned":
		return "u32"
	}
	return "u64"
}

// inputs are the types of __VERIFIER_nondet_…, by what follows.
var inputs = map[string]string{
	"bool": "_Bool", "_Bool": "_Bool", "char": "char", "schar": "signed char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "int": "int",
	"uint": "unsigned", "unsigned": "unsigned", "unsigned_int": "unsigned", "long": "long", "ulong": "unsigned long", "longlong": "long long",
	"ulonglong": "unsigned long long", "size_t": "unsigned long", "u32": "unsigned", "u64": "unsigned long", "s32": "int", "s64": "long",
	"float": "float", "double": "double",
}

// library are functions of the C library.
var library = func() map[string]prototype {
	out := map[string]prototype{
		"abort":               {result: "void", text: "abort();"},
		"reach_error":         {result: "void"},
		"__VERIFIER_error":    {result: "void"},
		"__VERIFIER_assume":   {result: "void", parameters: []string{"int"}},
		"assert":              {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assert", truth: true}, // where it was not declared
		"__VERIFIER_assert":   {result: "void", parameters: []string{"int"}},
		"__CPROVER_assume":    {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assume"},
		"__CPROVER_assert":    {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assert"},
		"__ESBMC_assume":      {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assume"},
		"__VERIFIER_ltl_step": {result: "void"},
		"__cxa_atexit":        {result: "int", parameters: []string{"handler$"}, as: "atexit"}, // what it is given besides is arbitrary
	}
	for line := range strings.Lines(libraryTable) {
		declaration, needs, _ := strings.Cut(strings.TrimSpace(line), "|")
		head, parameters, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(declaration), ")"), "(")
		k := strings.LastIndexAny(head, " *") + 1
		x := prototype{result: strings.TrimSpace(head[:k]), needs: strings.TrimSpace(needs)}
		if parameters != "" && parameters != "void" {
			for p := range strings.SplitSeq(parameters, ",") {
				x.parameters = append(x.parameters, strings.TrimSpace(p))
			}
		}
		out[head[k:]] = x
	}
	return out
}()

// libraryTable has a declaration on each line, and what it needs.
const libraryTable = `void exit(int)
void _exit(int)
void _Exit(int)
void __assert_fail(const char *, const char *, unsigned, const char *)
void __stack_chk_fail(void)
int abs(int)
long labs(long)
int isalnum(int)
int isalpha(int)
int iscntrl(int)
int isdigit(int)
int isgraph(int)
int islower(int)
int isprint(int)
int ispunct(int)
int isspace(int)
int isupper(int)
int isxdigit(int)
int toupper(int)
int tolower(int)
int putchar(int)
int puts(const char *) | 0s
int fputs(const char *, struct _IO_FILE *) | 0s
int fputc(int, struct _IO_FILE *)
int putc(int, struct _IO_FILE *)
int fflush(struct _IO_FILE *)
int getchar(void)
int getc(struct _IO_FILE *)
int fgetc(struct _IO_FILE *)
char *fgets(char *, int, struct _IO_FILE *) | 0+1
unsigned long fwrite(const void *, unsigned long, unsigned long, struct _IO_FILE *) | 0+1*2
int rand(void)
void srand(unsigned)
long time(long *)
void *malloc(unsigned long)
void *calloc(unsigned long, unsigned long)
void *realloc(void *, unsigned long) | 0h
void free(void *) | 0h
void *memset(void *, int, unsigned long) | 0+2
void *memcpy(void *, const void *, unsigned long) | 0+2 1+2
void *memmove(void *, const void *, unsigned long) | 0+2 1+2
int memcmp(const void *, const void *, unsigned long) | 0+2 1+2
void *memchr(const void *, int, unsigned long) | 0+2
unsigned long strlen(const char *) | 0s
int strcmp(const char *, const char *) | 0s 1s
int strncmp(const char *, const char *, unsigned long) | 0s 1s
int strcasecmp(const char *, const char *) | 0s 1s
char *strchr(const char *, int) | 0s
char *strrchr(const char *, int) | 0s
char *strstr(const char *, const char *) | 0s 1s
unsigned long strspn(const char *, const char *) | 0s 1s
unsigned long strcspn(const char *, const char *) | 0s 1s
char *strpbrk(const char *, const char *) | 0s 1s
char *strcpy(char *, const char *) | 1s 0+1s
char *stpcpy(char *, const char *) | 1s 0+1s
char *strncpy(char *, const char *, unsigned long) | 1s 0+2
char *strdup(const char *) | 0s
char *getenv(const char *) | 0s
int atoi(const char *) | 0s
long atol(const char *) | 0s
double atof(const char *) | 0s
double sqrt(double)
float sqrtf(float)
double fabs(double)
float fabsf(float)
double floor(double)
float floorf(float)
double ceil(double)
float ceilf(float)
double trunc(double)
float truncf(float)
double round(double)
float roundf(float)
double rint(double)
float rintf(float)
double fmod(double, double)
float fmodf(float, float)
double fmin(double, double)
double fmax(double, double)
float fminf(float, float)
float fmaxf(float, float)
double pow(double, double)
double exp(double)
double log(double)
double sin(double)
double cos(double)
double tan(double)
double atan(double)
double atan2(double, double)
int isnan(double)
int isinf(double)
int isascii(int)
int isblank(int)
int toascii(int)
const unsigned short **__ctype_b_loc(void)
const int **__ctype_tolower_loc(void)
const int **__ctype_toupper_loc(void)
unsigned long __ctype_get_mb_cur_max(void)
int *__errno_location(void)
long long llabs(long long)
unsigned long div(int, int)
int ffs(int)
int ffsl(long)
int ffsll(long long)
unsigned htonl(unsigned)
unsigned ntohl(unsigned)
unsigned short htons(unsigned short)
unsigned short ntohs(unsigned short)
unsigned long strnlen(const char *, unsigned long) | 0s
int strncasecmp(const char *, const char *, unsigned long) | 0s 1s
int strcoll(const char *, const char *) | 0s 1s
char *stpncpy(char *, const char *, unsigned long) | 1s 0+2
unsigned long strlcpy(char *, const char *, unsigned long) | 1s 0+2
unsigned long strlcat(char *, const char *, unsigned long) | 0s 1s 0+2
char *strcat(char *, const char *) | 0s 1s 0+0s+1s
char *strncat(char *, const char *, unsigned long) | 0s 1s 0+0s+1s
char *index(const char *, int) | 0s
char *rindex(const char *, int) | 0s
char *strchrnul(const char *, int) | 0s
char *strcasestr(const char *, const char *) | 0s 1s
char *strtok(char *, const char *) | 0z 1s
char *strtok_r(char *, const char *, char **) | 0z 1s 2=8
char *strsep(char **, const char *) | 0=8 1s
char *strndup(const char *, unsigned long) | 0s
char *strerror(int)
void perror(const char *) | 0z
void *mempcpy(void *, const void *, unsigned long) | 0+2 1+2
int bcmp(const void *, const void *, unsigned long) | 0+2 1+2
void bzero(void *, unsigned long) | 0+1
void explicit_bzero(void *, unsigned long) | 0+1
void bcopy(const void *, void *, unsigned long) | 0+2 1+2
void *memrchr(const void *, int, unsigned long) | 0+2
void *memccpy(void *, const void *, int, unsigned long) | 0+3 1+3
void *memmem(const void *, unsigned long, const void *, unsigned long) | 0+1 2+3
void *reallocarray(void *, unsigned long, unsigned long) | 0h
void *aligned_alloc(unsigned long, unsigned long)
void *memalign(unsigned long, unsigned long)
int posix_memalign(void **, unsigned long, unsigned long) | 0=8
char *__strcpy_chk(char *, const char *, unsigned long) | 1s 0+1s
char *__stpcpy_chk(char *, const char *, unsigned long) | 1s 0+1s
char *__strncpy_chk(char *, const char *, unsigned long, unsigned long) | 1s 0+2
char *__stpncpy_chk(char *, const char *, unsigned long, unsigned long) | 1s 0+2
char *__strcat_chk(char *, const char *, unsigned long) | 0s 1s 0+0s+1s
char *__strncat_chk(char *, const char *, unsigned long, unsigned long) | 0s 1s 0+0s+1s
void *__memcpy_chk(void *, const void *, unsigned long, unsigned long) | 0+2 1+2
void *__mempcpy_chk(void *, const void *, unsigned long, unsigned long) | 0+2 1+2
void *__memmove_chk(void *, const void *, unsigned long, unsigned long) | 0+2 1+2
void *__memset_chk(void *, int, unsigned long, unsigned long) | 0+2
void __explicit_bzero_chk(void *, unsigned long, unsigned long) | 0+1
char *__fgets_chk(char *, unsigned long, int, struct _IO_FILE *) | 0+2
unsigned long __fread_chk(void *, unsigned long, unsigned long, unsigned long, struct _IO_FILE *) | 0+2*3
long __read_chk(int, void *, unsigned long, unsigned long) | 1+2
long long atoll(const char *) | 0s
long strtol(const char *, char **, int) | 0s 1?8
long long strtoll(const char *, char **, int) | 0s 1?8
unsigned long strtoul(const char *, char **, int) | 0s 1?8
unsigned long long strtoull(const char *, char **, int) | 0s 1?8
long __isoc23_strtol(const char *, char **, int) | 0s 1?8
long long __isoc23_strtoll(const char *, char **, int) | 0s 1?8
unsigned long __isoc23_strtoul(const char *, char **, int) | 0s 1?8
unsigned long long __isoc23_strtoull(const char *, char **, int) | 0s 1?8
double strtod(const char *, char **) | 0s 1?8
float strtof(const char *, char **) | 0s 1?8
long random(void)
void srandom(unsigned)
int rand_r(unsigned *) | 0=4
long clock(void)
double difftime(long, long)
unsigned sleep(unsigned)
int usleep(unsigned)
int getpid(void)
int getppid(void)
unsigned getuid(void)
int isatty(int)
int close(int)
long read(int, void *, unsigned long) | 1+2
long write(int, const void *, unsigned long) | 1+2
int putchar_unlocked(int)
int ungetc(int, struct _IO_FILE *)
unsigned long fread(void *, unsigned long, unsigned long, struct _IO_FILE *) | 0+1*2
struct _IO_FILE *fopen(const char *, const char *) | 0s 1s
struct _IO_FILE *fopen64(const char *, const char *) | 0s 1s
int fclose(struct _IO_FILE *)
int feof(struct _IO_FILE *)
int ferror(struct _IO_FILE *)
void clearerr(struct _IO_FILE *)
int fseek(struct _IO_FILE *, long, int)
long ftell(struct _IO_FILE *)
void rewind(struct _IO_FILE *)
int remove(const char *) | 0s
int unlink(const char *) | 0s
int rename(const char *, const char *) | 0s 1s
void qsort(void *, unsigned long, unsigned long, order$) | 0+1*2
void *bsearch(const void *, const void *, unsigned long, unsigned long, order$) | 1+2*3
int atexit(handler$)
int setjmp(void *)
int _setjmp(void *)
int sigsetjmp(void *, int)
int __sigsetjmp(void *, int)
double nearbyint(double)
float nearbyintf(float)
double copysign(double, double)
float copysignf(float, float)
double fdim(double, double)
float fdimf(float, float)
double fma(double, double, double)
float fmaf(float, float, float)
double remainder(double, double)
double ldexp(double, int)
float ldexpf(float, int)
double scalbn(double, int)
double frexp(double, int *) | 1=4
double modf(double, double *) | 1=8
double nextafter(double, double)
long lrint(double)
long lround(double)
long lrintf(float)
long lroundf(float)
int isnanf(float)
int finite(double)
int __isnan(double)
int __isinf(double)
int __finite(double)
int __signbit(double)
int __fpclassify(double)
float powf(float, float)
float expf(float)
float logf(float)
float sinf(float)
float cosf(float)
float tanf(float)
double asin(double)
double acos(double)
double sinh(double)
double cosh(double)
double tanh(double)
double exp2(double)
double log2(double)
double log10(double)
double log1p(double)
double expm1(double)
double cbrt(double)
double hypot(double, double)
float atan2f(float, float)
float hypotf(float, float)
`

// preconditions writes the conditions on the arguments of a call.
func (w *writer) preconditions(i *x86.Instruction, x prototype, arguments []string) {
	for need := range strings.FieldsSeq(x.needs) {
		if need[1:] == "h" && w.p.options.Frees || need[1:] != "h" && w.p.options.Memory {
			continue
		}
		p := "(const u8 *)" + arguments[need[0]-'0']
		switch rest := need[1:]; {
		case rest == "s":
			if text, ok := w.constantText(argumentRegisters[need[0]-'0']); ok && text != "" {
				continue
			}
			w.p.uses["string"] = true
			w.line("string$(%s);", p)
		case rest == "z":
			w.p.uses["string"] = true
			w.line("if (%s) string$(%s);", p, p)
		case rest == "h":
			w.p.uses["heap"] = true
			w.line("if (%s && !__assay_heap_start((void *)%s)) __assay_unsupported(\"0x%x: %v: not the start of a live object of the heap\");", p, p, i.Address, i)
		case rest[0] == '=':
			w.needRange(i, p, rest[1:])
		case rest[0] == '?':
			w.line("if (%s) {", p)
			w.needRange(i, p, rest[1:])
			w.line("}")
		default:
			n := w.temporary(64, w.neededSize(rest[1:], arguments))
			w.line("if (%s) {", n)
			w.needRange(i, p, n)
			w.line("}")
		}
	}
}

// neededSize is a number of bytes: a product of arguments, or a sum of the lengths of strings, with the 0 at the end.
func (w *writer) neededSize(text string, arguments []string) string {
	size := "1"
	if strings.HasSuffix(text, "s") {
		w.p.uses["string"] = true
		for k := range strings.SplitSeq(text, "+") {
			size = fmt.Sprintf("string$((const u8 *)%s) + %s", arguments[k[0]-'0'], size)
		}
		return size
	}
	for k := range strings.SplitSeq(text, "*") {
		n := fmt.Sprintf("(u64)%s", arguments[k[0]-'0'])
		if size == "1" {
			size = n
			continue
		}
		y := w.temporary(64, "0")
		w.line("if (__builtin_mul_overflow(%s, %s, &%s)) %s = ~0ul;", size, n, y, y)
		size = y
	}
	return size
}

// checked are the functions of the lifted program that look at strings.
const checkedString = `static u64 string$(const u8 *s) { u64 n = 0; for (;; n++) { if (!__assay_valid_range(s + n, 1)) __assay_unsupported("a string that does not end within its object"); if (!s[n]) return n; } }
`

// meaning is the prototype of a function that is not lifted, because of its name.
func (p *program) meaning(name string) (prototype, bool) {
	for _, prefix := range []string{"__VERIFIER_nondet_", "nondet_"} {
		if kind, ok := strings.CutPrefix(name, prefix); ok {
			t, ok := inputs[kind]
			return prototype{result: t}, ok
		}
	}
	if name == "nondet" || name == "__VERIFIER_nondet" {
		return prototype{result: "int"}, true
	}
	x, ok := library[name]
	if !ok && p.options.Unmodelled != nil && !p.defines(name) && p.options.Unmodelled(name) {
		return prototype{result: "u64"}, true
	}
	if name == "atexit" { // in every file: the library's own part that is linked to it
		return x, ok
	}
	if ok && (name == "reach_error" || !strings.HasPrefix(name, "__VERIFIER_")) && p.defines(name) {
		return prototype{}, false
	}
	return x, ok
}

// defines says whether the program defines a function: not so a library that is linked to it.
func (p *program) defines(name string) bool {
	for a, n := range p.functions.at {
		if n == name && p.functions.linked[a] == "" {
			return true
		}
	}
	return false
}

// declare notes that a function is used.
func (p *program) declare(name string, x prototype) { p.declared[name] = x }

// externalData are objects of the C library, with their types.
var externalData = map[string]string{
	"stdin": "struct _IO_FILE *", "stdout": "struct _IO_FILE *", "stderr": "struct _IO_FILE *",
}
