// Models of stdio.h: what is written goes nowhere, what is read is arbitrary.
//
// Files are opaque: a program only passes them on. Formats are interpreted in
// format.c and scan.c.
#include "library.h"

typedef char FILE;

// A file is one byte. FOPEN_MAX is 16; what happens beyond is not modelled.
enum { FILES = 16 };
static char files[FILES], standard[3];
static unsigned open_files;
MODEL FILE *stdin = &standard[0];
MODEL FILE *stdout = &standard[1];
MODEL FILE *stderr = &standard[2];

static FILE *opened(const char *function) {
	if (__assay_nondet_bool(function)) {
		__assay_fail(function);
		return 0;
	}
	if (open_files == FILES) __assay_unsupported("more than 16 files");
	return &files[open_files++];
}

// Arguments that are read.
static void read_text(const char *s) {
	while (*s) s++;
}

#define FILE_IS_THERE(name) REQUIRE(file != 0, name ": the file is null")

// What output returns: result, or -1 if it fails.
static int output(const char *function, int result) {
	if (!__assay_nondet_bool(function)) return result;
	__assay_fail(function);
	return -1;
}

// A count below 2^31, of a function that may fail.
static int count(const char *function) { return output(function, __assay_nondet_int(function) & 0x7fffffff); }

MODEL int vsnprintf(char *restrict s, size_t size, const char *restrict format, va_list arguments) {
	size_t n = __assay_print(s, size, format, arguments);
	if (size > 0) s[n < size ? n : size - 1] = 0;
	return (int)n;
}

MODEL int vsprintf(char *restrict s, const char *restrict format, va_list arguments) {
	size_t n = __assay_print(s, PRINT_UNBOUNDED, format, arguments);
	s[n] = 0;
	return (int)n;
}

MODEL int snprintf(char *restrict s, size_t size, const char *restrict format, ...) {
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(s, size, format, arguments);
	va_end(arguments);
	return n;
}

MODEL int sprintf(char *restrict s, const char *restrict format, ...) {
	va_list arguments;
	va_start(arguments, format);
	int n = vsprintf(s, format, arguments);
	va_end(arguments);
	return n;
}

void *malloc(size_t);

MODEL int vasprintf(char **restrict result, const char *restrict format, va_list arguments) {
	size_t n = __assay_print(0, 0, format, arguments);
	char *s = malloc(n + 1);
	if (!s) return -1;
	// What is not known about the text differs from pass to pass.
	size_t again = __assay_print(s, n + 1, format, arguments);
	if (again > n) again = n;
	s[again] = 0;
	*result = s;
	return (int)again;
}

MODEL int asprintf(char **restrict result, const char *restrict format, ...) {
	va_list arguments;
	va_start(arguments, format);
	int n = vasprintf(result, format, arguments);
	va_end(arguments);
	return n;
}

#define SCAN(text, last) \
	va_list arguments; \
	va_start(arguments, last); \
	int n = __assay_scan(text, last, arguments); \
	va_end(arguments); \
	return n

// The names under which headers declare scanf, by standard.
#define SCANF(prefix) \
	MODEL int prefix##scanf(const char *restrict format, ...) { SCAN(0, format); } \
	MODEL int prefix##fscanf(FILE *restrict file, const char *restrict format, ...) { \
		FILE_IS_THERE("fscanf"); \
		SCAN(0, format); \
	} \
	MODEL int prefix##sscanf(const char *restrict s, const char *restrict format, ...) { SCAN(s, format); } \
	MODEL int prefix##vscanf(const char *restrict format, va_list arguments) { return __assay_scan(0, format, arguments); } \
	MODEL int prefix##vfscanf(FILE *restrict file, const char *restrict format, va_list arguments) { \
		FILE_IS_THERE("vfscanf"); \
		return __assay_scan(0, format, arguments); \
	} \
	MODEL int prefix##vsscanf(const char *restrict s, const char *restrict format, va_list arguments) { return __assay_scan(s, format, arguments); }

SCANF()
SCANF(__isoc99_)
SCANF(__isoc23_)

MODEL int puts(const char *s) {
	read_text(s);
	return count("puts");
}
MODEL int fputs(const char *s, FILE *file) {
	read_text(s);
	FILE_IS_THERE("fputs");
	return count("fputs");
}
MODEL int putchar(int c) { return output("putchar", (unsigned char)c); }
MODEL int putchar_unlocked(int c) { return output("putchar", (unsigned char)c); }
MODEL int putc(int c, FILE *file) {
	FILE_IS_THERE("putc");
	return output("putc", (unsigned char)c);
}
MODEL int fputc(int c, FILE *file) {
	FILE_IS_THERE("fputc");
	return output("fputc", (unsigned char)c);
}
MODEL void perror(const char *s) {
	if (s) read_text(s);
}

static size_t transfer(const char *function, const void *p, size_t size, size_t items, size_t *bytes) {
	REQUIRE(!__builtin_mul_overflow(size, items, bytes), "a file is asked for more bytes than fit memory");
	size_t done = __assay_nondet_size(function);
	__assay_assume(done <= items && (size > 0 || done == 0));
	if (done < items) __assay_fail(function);
	return done;
}

MODEL size_t fwrite(const void *p, size_t size, size_t items, FILE *file) {
	FILE_IS_THERE("fwrite");
	size_t bytes;
	size_t done = transfer("fwrite", p, size, items, &bytes);
	if (bytes > 0) __assay_check(__assay_valid_range(p, bytes), INVALID_DEREF, "fwrite reads beyond the object");
	return done;
}

// A short count may come with a part of the next item: its bytes are arbitrary.
MODEL size_t fread(void *p, size_t size, size_t items, FILE *file) {
	FILE_IS_THERE("fread");
	size_t bytes;
	size_t done = transfer("fread", p, size, items, &bytes);
	if (done == items) {
		if (bytes > 0) __assay_havoc(p, bytes);
	} else {
		size_t part = __assay_nondet_size("fread");
		__assay_assume(part < size);
		if (done * size + part > 0) __assay_havoc(p, done * size + part);
	}
	return done;
}

// A character or -1.
static int character(const char *function) {
	int c = __assay_nondet_int(function);
	__assay_assume(c >= -1 && c <= 255);
	return c;
}

MODEL int getchar(void) { return character("getchar"); }
MODEL int getchar_unlocked(void) { return character("getchar"); }
MODEL int getc(FILE *file) {
	FILE_IS_THERE("getc");
	return character("getc");
}
MODEL int fgetc(FILE *file) {
	FILE_IS_THERE("fgetc");
	return character("fgetc");
}

// A line of at most size-1 characters; only the last one may be a newline. A
// file may hold NULs, so that the text can end early.
MODEL char *fgets(char *restrict s, int size, FILE *restrict file) {
	FILE_IS_THERE("fgets");
	if (size <= 0 || __assay_nondet_bool("fgets")) return 0;
	size_t length = __assay_nondet_size("fgets");
	__assay_assume(length < (size_t)size && (length > 0 || size == 1));
	if (length > 0) __assay_havoc(s, length);
	s[length] = 0;
	return s;
}

// gets does not know how large its object is: a line may be longer.
MODEL char *gets(char *s) {
	if (__assay_nondet_bool("gets")) return 0;
	size_t length = __assay_nondet_size("gets"), room = __assay_object_size(s) - __assay_offset(s);
	__assay_check(length < room, INVALID_DEREF, "gets: a line that is longer than its object");
	if (length >= room) length = room;
	if (length > 0) __assay_havoc(s, length);
	if (length < room) s[length] = 0;
	return s;
}

// The line is in a new heap block: a given one may be too small.
MODEL ptrdiff_t getdelim(char **restrict line, size_t *restrict size, int end, FILE *restrict file) {
	FILE_IS_THERE("getdelim");
	if (__assay_nondet_bool("getline")) {
		__assay_fail("getline");
		return -1;
	}
	size_t length = __assay_nondet_size("getline");
	__assay_assume(length > 0 && length < PTRDIFF_MAX);
	if (*line) __assay_free(*line);
	size_t more = __assay_nondet_size("getline") & 0xff;
	if (more > PTRDIFF_MAX - length) more = 0;
	*size = length + 1 + more;
	*line = __assay_malloc(*size); // with arbitrary content
	(*line)[length] = 0;
	return (ptrdiff_t)length;
}

MODEL ptrdiff_t getline(char **restrict line, size_t *restrict size, FILE *restrict file) { return getdelim(line, size, '\n', file); }

MODEL FILE *fopen(const char *path, const char *mode) {
	read_text(path);
	read_text(mode);
	return opened("fopen");
}
MODEL FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
MODEL FILE *fdopen(int descriptor, const char *mode) {
	read_text(mode);
	return opened("fdopen");
}
MODEL FILE *freopen(const char *path, const char *mode, FILE *file) {
	FILE_IS_THERE("freopen");
	if (path) read_text(path);
	read_text(mode);
	if (!__assay_nondet_bool("freopen")) return file;
	__assay_fail("freopen");
	return 0;
}
MODEL FILE *popen(const char *command, const char *mode) {
	read_text(command);
	read_text(mode);
	return opened("popen");
}
MODEL FILE *tmpfile(void) { return opened("tmpfile"); }
MODEL int fclose(FILE *file) {
	FILE_IS_THERE("fclose");
	return output("fclose", 0);
}
MODEL int pclose(FILE *file) {
	FILE_IS_THERE("pclose");
	return output("pclose", __assay_nondet_int("pclose"));
}
MODEL int fflush(FILE *file) { return output("fflush", 0); }
MODEL int feof(FILE *file) {
	FILE_IS_THERE("feof");
	return __assay_nondet_int("feof");
}
MODEL int ferror(FILE *file) {
	FILE_IS_THERE("ferror");
	return __assay_nondet_int("ferror");
}
MODEL void clearerr(FILE *file) { FILE_IS_THERE("clearerr"); }
MODEL int fileno(FILE *file) {
	FILE_IS_THERE("fileno");
	return count("fileno");
}
MODEL int fseek(FILE *file, long offset, int origin) {
	FILE_IS_THERE("fseek");
	return output("fseek", 0);
}
MODEL int fseeko(FILE *file, long offset, int origin) {
	FILE_IS_THERE("fseeko");
	return output("fseeko", 0);
}
MODEL void rewind(FILE *file) { FILE_IS_THERE("rewind"); }
MODEL long ftell(FILE *file) {
	FILE_IS_THERE("ftell");
	long at = (long)__assay_nondet_size("ftell");
	if (at >= 0) return at;
	__assay_fail("ftell");
	return -1;
}
MODEL long ftello(FILE *file) { return ftell(file); }
MODEL int ungetc(int c, FILE *file) {
	FILE_IS_THERE("ungetc");
	return c == -1 || __assay_nondet_bool("ungetc") ? -1 : (unsigned char)c;
}
MODEL int remove(const char *path) {
	read_text(path);
	return output("remove", 0);
}
MODEL int unlink(const char *path) {
	read_text(path);
	return output("unlink", 0);
}
MODEL int rename(const char *from, const char *to) {
	read_text(from);
	read_text(to);
	return output("rename", 0);
}
// The program does not see the buffer that it gives away.
MODEL int setvbuf(FILE *file, char *buffer, int mode, size_t size) {
	FILE_IS_THERE("setvbuf");
	if (buffer) __assay_unsupported("setvbuf with a buffer of the program");
	return output("setvbuf", 0);
}
MODEL void setbuf(FILE *file, char *buffer) {
	FILE_IS_THERE("setbuf");
	if (buffer) __assay_unsupported("setbuf with a buffer of the program");
}
