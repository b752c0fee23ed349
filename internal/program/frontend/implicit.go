package frontend

import (
	"os"
	"slices"
	"strings"
	"sync"

	"assay/internal/run/lazyregexp"
)

// This file supplies declarations of library functions that a program calls
// without declaring them. Compilers know these functions and give them their
// types; with -fno-builtin clang takes them for functions that return int,
// which on a 64-bit machine cuts off pointers. So a file that calls some of
// them is compiled a second time with their declarations in front of it.

var undeclared = lazyregexp.New(`call to undeclared (?:library )?function '(\w+)'`)

// implicitDeclarations are declarations for the functions that clang's output
// calls undeclared, as far as they are known; "" if there are none.
func implicitDeclarations(text string) string {
	var lines []string
	for _, m := range undeclared.FindAllStringSubmatch(text, -1) {
		if d := libraryDeclarations()[m[1]]; d != "" && !slices.Contains(lines, d) {
			lines = append(lines, d)
		}
	}
	if lines == nil {
		return ""
	}
	return strings.Join(lines, ";\n") + ";\n"
}

// laterDefined is an error about a definition, with its line, behind a call that declared the function implicitly.
var laterDefined = lazyregexp.New(`error: conflicting types for '(\w+)'[^\n]*\n\s*\d+ \| ([^\n]*)\n[^\n]*\n[^\n]*note: previous implicit declaration is here`)

// laterDeclarations are declarations for the functions that were called before they were defined, with another
// result than int: an error of the program, but gcc forgives it if there is no result, and other verifiers read
// such programs. Results are known if their types are words of C on the line of the name.
func laterDeclarations(text string) string {
	var b strings.Builder
	for _, m := range laterDefined.FindAllStringSubmatch(text, -1) {
		before, _, _ := strings.Cut(" "+strings.ReplaceAll(m[2], "*", " * "), " "+m[1])
		result := strings.Join(strings.Fields(before), " ")
		for _, w := range strings.Fields(result) {
			if !slices.Contains([]string{"void", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "const", "_Bool", "*"}, w) {
				return ""
			}
		}
		if result == "" {
			result = "void" // its type is on another line
		}
		b.WriteString(result + " " + m[1] + "();\n")
	}
	return b.String()
}

// writePrelude writes declarations to a temporary file.
func writePrelude(text string) (path string, err error) {
	f, err := os.CreateTemp("", "assay-*.h")
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// libraryDeclarations are keyed by the name that they declare.
var libraryDeclarations = sync.OnceValue(func() map[string]string { return declarationTable(libraryHeader) })

const libraryHeader = `
void *malloc(__SIZE_TYPE__)
void *calloc(__SIZE_TYPE__, __SIZE_TYPE__)
void *realloc(void *, __SIZE_TYPE__)
void free(void *)
void *alloca(__SIZE_TYPE__)
void *memcpy(void *, const void *, __SIZE_TYPE__)
void *memmove(void *, const void *, __SIZE_TYPE__)
void *memset(void *, int, __SIZE_TYPE__)
int memcmp(const void *, const void *, __SIZE_TYPE__)
void *memchr(const void *, int, __SIZE_TYPE__)
__SIZE_TYPE__ strlen(const char *)
char *strcpy(char *, const char *)
char *strncpy(char *, const char *, __SIZE_TYPE__)
char *strcat(char *, const char *)
char *strncat(char *, const char *, __SIZE_TYPE__)
int strcmp(const char *, const char *)
int strncmp(const char *, const char *, __SIZE_TYPE__)
char *strchr(const char *, int)
char *strrchr(const char *, int)
char *strstr(const char *, const char *)
char *strpbrk(const char *, const char *)
__SIZE_TYPE__ strspn(const char *, const char *)
__SIZE_TYPE__ strcspn(const char *, const char *)
char *strdup(const char *)
char *strndup(const char *, __SIZE_TYPE__)
char *strtok(char *, const char *)
int printf(const char *, ...)
int sprintf(char *, const char *, ...)
int snprintf(char *, __SIZE_TYPE__, const char *, ...)
int scanf(const char *, ...)
int sscanf(const char *, const char *, ...)
int puts(const char *)
int putchar(int)
void exit(int) __attribute__((noreturn))
void abort(void) __attribute__((noreturn))
int abs(int)
long labs(long)
long long llabs(long long)
int atoi(const char *)
long atol(const char *)
double atof(const char *)
double fabs(double)
double sqrt(double)
double floor(double)
double ceil(double)
double pow(double, double)
double sin(double)
double cos(double)
double exp(double)
double log(double)
double fmod(double, double)
`

var declaredName = lazyregexp.New(`(\w+)\(`)

func declarationTable(text string) map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			table[declaredName.FindStringSubmatch(line)[1]] = line
		}
	}
	return table
}
