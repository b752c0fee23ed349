// Models of stdio.h: what is written goes nowhere, what is read is arbitrary.
//
// The strings given to %s are not read, so that an unterminated one passes
// unnoticed; formats are not checked. %n in a literal format, and scanf, are
// the importer's business (formats.go).
#include <stdarg.h>
#include "assay_model.h"

typedef struct FILE FILE;

// The result of a function that writes: a count, or a negative number.
#define RESULT(function) return __assay_nondet_int(function)

MODEL int printf(const char *format, ...) { RESULT("printf"); }
MODEL int vprintf(const char *format, va_list arguments) { RESULT("vprintf"); }
MODEL int fprintf(FILE *file, const char *format, ...) { RESULT("fprintf"); }
MODEL int vfprintf(FILE *file, const char *format, va_list arguments) { RESULT("vfprintf"); }
MODEL int dprintf(int file, const char *format, ...) { RESULT("dprintf"); }
MODEL int puts(const char *s) { RESULT("puts"); }
MODEL int fputs(const char *s, FILE *file) { RESULT("fputs"); }
MODEL int putchar(int c) { RESULT("putchar"); }
MODEL int putc(int c, FILE *file) { RESULT("putc"); }
MODEL int fputc(int c, FILE *file) { RESULT("fputc"); }
MODEL int fflush(FILE *file) { RESULT("fflush"); }
MODEL void perror(const char *s) {}

MODEL size_t fwrite(const void *p, size_t size, size_t count, FILE *file) {
	size_t written = __assay_nondet_size("fwrite");
	__assay_assume(written <= count);
	return written;
}

// A character or -1.
static int character(const char *function) {
	int c = __assay_nondet_int(function);
	__assay_assume(c >= -1 && c <= 255);
	return c;
}

MODEL int getchar(void) { return character("getchar"); }
MODEL int getc(FILE *file) { return character("getc"); }
MODEL int fgetc(FILE *file) { return character("fgetc"); }

MODEL char *fgets(char *s, int size, FILE *file) {
	if (size <= 0 || __assay_nondet_int("fgets") == 0) return 0;
	__assay_havoc(s, (size_t)size);
	size_t length = __assay_nondet_size("fgets");
	__assay_assume(length < (size_t)size);
	s[length] = 0;
	return s;
}

MODEL size_t fread(void *p, size_t size, size_t count, FILE *file) {
	size_t bytes;
	__assay_check(!__builtin_mul_overflow(size, count, &bytes), PRECONDITION, "fread of more bytes than fit memory");
	size_t done = __assay_nondet_size("fread");
	__assay_assume(done <= count);
	if (done > 0 || bytes > 0) __assay_havoc(p, bytes);
	return done;
}

// The range of a bounded print is arbitrary afterwards, with its end marked.
MODEL int vsnprintf(char *s, size_t size, const char *format, va_list arguments) {
	if (size > 0) {
		__assay_havoc(s, size);
		size_t length = __assay_nondet_size("snprintf");
		__assay_assume(length < size);
		s[length] = 0;
	}
	RESULT("snprintf");
}

MODEL int snprintf(char *s, size_t size, const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(s, size, format, arguments);
	va_end(arguments);
	return n;
}

// How much an unbounded print writes depends on the values.
MODEL int sprintf(char *s, const char *format, ...) { __assay_unsupported("sprintf: how much it writes is not modelled"); }
MODEL int vsprintf(char *s, const char *format, va_list arguments) { __assay_unsupported("vsprintf: how much it writes is not modelled"); }
MODEL char *gets(char *s) { __assay_unsupported("gets: how much it writes is not bounded"); }

// Files are opaque: a program only passes them on.
MODEL FILE *fopen(const char *path, const char *mode) { return __assay_nondet_pointer("fopen"); }
MODEL FILE *fdopen(int descriptor, const char *mode) { return __assay_nondet_pointer("fdopen"); }
MODEL FILE *freopen(const char *path, const char *mode, FILE *file) { return __assay_nondet_pointer("freopen"); }
MODEL FILE *popen(const char *command, const char *mode) { return __assay_nondet_pointer("popen"); }
MODEL FILE *tmpfile(void) { return __assay_nondet_pointer("tmpfile"); }
MODEL int fclose(FILE *file) { RESULT("fclose"); }
MODEL int pclose(FILE *file) { RESULT("pclose"); }
MODEL int feof(FILE *file) { RESULT("feof"); }
MODEL int ferror(FILE *file) { RESULT("ferror"); }
MODEL int fileno(FILE *file) { RESULT("fileno"); }
MODEL void clearerr(FILE *file) {}
MODEL int fseek(FILE *file, long offset, int origin) { RESULT("fseek"); }
MODEL void rewind(FILE *file) {}
MODEL long ftell(FILE *file) { return (long)__assay_nondet_size("ftell"); }
MODEL int ungetc(int c, FILE *file) { RESULT("ungetc"); }
MODEL int remove(const char *path) { RESULT("remove"); }
MODEL int rename(const char *from, const char *to) { RESULT("rename"); }
