// Models of stdio.h: what is written goes nowhere, what is read is arbitrary.
//
// The streams, and what a call leaves for the next, are in stream.c. Formats are
// interpreted in format.c and scan.c.
#include "stream.h"

#define STDIN (&__assay_streams[0])
#define STDOUT (&__assay_streams[1])
#define STDERR (&__assay_streams[2])

// Whether the program closes descriptors, or may see which one is new. Those of streams are known where it asks
// for them.
#define USES_NUMBERS __assay_uses("close dup2 dup3 closedir fdopen open open64 openat openat64 creat creat64 dup pipe socket opendir fdopendir mkstemp mkstemp64 mkostemp")

static unsigned open_files;
static FILE *closed_file;

// start makes a stream a new one. The modes are "r", "w" and "a", and any of
// them with a "+".
static _Bool left; // files that the program may have written, and may read
static FILE *start(FILE *s, const char *mode) {
	if (s == closed_file) closed_file = 0;
	_Bool both = 0;
	for (int i = 1; mode[0] && mode[i]; i++) both |= mode[i] == '+';
	s->open = 1;
	s->reads = both || mode[0] == 'r';
	s->writes = both || mode[0] != 'r';
	s->ended = s->failed = 0;
	s->pushed = s->next = 0;
	s->seen = 0;
	s->kept = s->reads && (left || mode[0] == 'w');
	left |= s->writes;
	if (TRACKS_PLACES) {
		s->placed = mode[0] != 'a';
		s->at = 0;
	}
	return s;
}

// opened makes a stream, or takes the place of one that was closed.
static FILE *opened(const char *function, const char *mode, int number) {
	if (__assay_nondet_bool(function)) {
		__assay_fail(function);
		return 0;
	}
	FILE *s;
	if (closed_file && __assay_nondet_bool(function)) {
		s = closed_file;
	} else {
		if (open_files == STREAMS - 3) __assay_unsupported("more than 16 files");
		s = &__assay_streams[3 + open_files++];
	}
	s->given = number >= 0 || TRACKS_NUMBERS;
	if (s->given) s->number = number >= 0 ? number : __assay_descriptor();
	else if (USES_NUMBERS) __assay_hidden_descriptor(1);
	return start(s, mode);
}
// Arguments that are read.
static void read_text(const char *s) {
	while (*s) s++;
}

// Calls that may fail.
static int status(const char *function) {
	if (!__assay_nondet_bool(function)) return 0;
	__assay_fail(function);
	return -1;
}

static int any_nonzero(const char *function) {
	int n = __assay_nondet_int(function);
	return n ? n : 1;
}

// What a length is as a result: more than INT_MAX is an error.
static int counted(size_t n) {
	if (n <= INT32_MAX) return (int)n;
	__assay_errno = 75;
	return -1;
}

MODEL int vsnprintf(char *restrict s, size_t size, const char *restrict format, va_list arguments) {
	size_t n = __assay_print(s, size, format, arguments);
	if (size > 0) s[n < size ? n : size - 1] = 0;
	return counted(n);
}

MODEL int vsprintf(char *restrict s, const char *restrict format, va_list arguments) {
	size_t n = __assay_print(s, PRINT_UNBOUNDED, format, arguments);
	s[n] = 0;
	return counted(n);
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

#define SCAN(text, file, last) \
	va_list arguments; \
	va_start(arguments, last); \
	int n = __assay_scan(text, file, last, arguments); \
	va_end(arguments); \
	return n

// The names under which headers declare scanf, by standard.
#define SCANF(prefix) \
	MODEL int prefix##scanf(const char *restrict format, ...) { SCAN(0, STDIN, format); } \
	MODEL int prefix##fscanf(FILE *restrict file, const char *restrict format, ...) { \
		FILE_IS_THERE("fscanf"); \
		SCAN(0, known(file), format); \
	} \
	MODEL int prefix##sscanf(const char *restrict s, const char *restrict format, ...) { SCAN(s, 0, format); } \
	MODEL int prefix##vscanf(const char *restrict format, va_list arguments) { return __assay_scan(0, STDIN, format, arguments); } \
	MODEL int prefix##vfscanf(FILE *restrict file, const char *restrict format, va_list arguments) { \
		FILE_IS_THERE("vfscanf"); \
		return __assay_scan(0, known(file), format, arguments); \
	} \
	MODEL int prefix##vsscanf(const char *restrict s, const char *restrict format, va_list arguments) { return __assay_scan(s, 0, format, arguments); }

SCANF()
SCANF(__isoc99_)
SCANF(__isoc23_)

// What puts and fputs return: any number that is not negative, but for failures.
static int written(const char *function, FILE *s) { return __assay_output(function, s, __assay_nondet_int(function) & 0x7fffffff); }

MODEL int puts(const char *s) {
	read_text(s);
	return written("puts", STDOUT);
}
MODEL int fputs(const char *s, FILE *file) {
	read_text(s);
	FILE_IS_THERE("fputs");
	return written("fputs", known(file));
}
MODEL int putchar(int c) { return __assay_output("putchar", STDOUT, (unsigned char)c); }
MODEL int putchar_unlocked(int c) { return __assay_output("putchar", STDOUT, (unsigned char)c); }
MODEL int putc(int c, FILE *file) {
	FILE_IS_THERE("putc");
	return __assay_output("putc", known(file), (unsigned char)c);
}
MODEL int fputc(int c, FILE *file) {
	FILE_IS_THERE("fputc");
	return __assay_output("fputc", known(file), (unsigned char)c);
}
MODEL void perror(const char *s) {
	if (s) read_text(s);
	if (TRACKS_ERRORS) __assay_output("perror", STDERR, 0);
}

static size_t items_of(const char *function, size_t size, size_t items, size_t *bytes) {
	REQUIRE(!__builtin_mul_overflow(size, items, bytes), "a file is asked for more bytes than fit memory");
	size_t done = __assay_nondet_size(function);
	__assay_assume(done <= items);
	return done;
}

MODEL size_t fwrite(const void *p, size_t size, size_t items, FILE *file) {
	FILE_IS_THERE("fwrite");
	if (size == 0 || items == 0) return 0;
	size_t bytes, done = items_of("fwrite", size, items, &bytes);
	__assay_check(__assay_valid_range(p, bytes), INVALID_DEREF, "fwrite reads beyond the object");
	FILE *s = known(file);
	if (s && !s->writes) done = 0;
	if (done < items) {
		__assay_fail("fwrite");
		if (s && TRACKS_ERRORS) s->failed = 1;
	}
	if (s && TRACKS_PLACES) s->placed = 0;
	if (s && s->reads) s->kept = 1;
	return done;
}

// Input of several characters begins with those that were pushed back, or that
// scanf has looked at.
#define BLOCK(function, s) \
	if (s && TRACKS_INPUT && (s->pushed || s->next)) { \
		OVER_APPROXIMATED(function); \
		s->pushed = s->next = 0; \
	}

// A short count may come with a part of the next item: its bytes are arbitrary.
MODEL size_t fread(void *p, size_t size, size_t items, FILE *file) {
	FILE_IS_THERE("fread");
	if (size == 0 || items == 0) return 0;
	FILE *s = known(file);
	BLOCK("fread", s);
	if (__assay_input_over(s)) return 0;
	size_t bytes, done = items_of("fread", size, items, &bytes);
	if (done == items) {
		__assay_havoc(p, bytes);
	} else {
		size_t part = __assay_nondet_size("fread");
		__assay_assume(part < size);
		if (done * size + part > 0) __assay_havoc(p, done * size + part);
		__assay_no_input(s);
	}
	return done;
}

// The next character, or -1. It may be one that was pushed back.
static int character(const char *function, FILE *s) {
	if (s && TRACKS_INPUT && s->pushed > 0 && s->reads) return s->text[--s->pushed];
	if (__assay_input_over(s)) return -1;
	int c = __assay_nondet_int(function);
	__assay_assume(c >= -1 && c <= 255);
	if (c < 0) {
		__assay_no_input(s);
	} else if (s && TRACKS_INPUT) {
		__assay_assume(s->next != NO_SPACE || !is_space(c));
		if (s->next == SOMETHING) OVER_APPROXIMATED("getc");
		s->next = ANYTHING;
	}
	return c;
}

MODEL int getchar(void) { return character("getchar", STDIN); }
MODEL int getchar_unlocked(void) { return character("getchar", STDIN); }
MODEL int getc(FILE *file) {
	FILE_IS_THERE("getc");
	return character("getc", known(file));
}
MODEL int fgetc(FILE *file) {
	FILE_IS_THERE("fgetc");
	return character("fgetc", known(file));
}

// One character can be pushed back, and then perhaps others.
MODEL int ungetc(int c, FILE *file) {
	FILE_IS_THERE("ungetc");
	if (c == -1) return -1;
	FILE *s = known(file);
	if (!s) OVER_APPROXIMATED("ungetc");
	if (!s || !s->reads || s->pushed > 0)
		if (__assay_nondet_bool("ungetc")) return -1;
	if (s) {
		if (s->pushed == PUSHED) __assay_unsupported("more than 4 characters that are pushed back");
		s->text[s->pushed++] = (unsigned char)c;
		s->ended = 0;
		if (TRACKS_PLACES) s->placed = 0;
	}
	return (unsigned char)c;
}

// line reads length > 0 characters of a line to p: only the last one may be the
// end of the line, and if it is not, there was no room for more or no more input.
// A file may hold NULs. Of lines that are longer than LINE proofs do not look at every
// character.
enum { LINE = 64 };
static void line(const char *function, FILE *s, char *p, size_t length, _Bool more, int end) {
	__assay_havoc(p, length);
	size_t looked = LINE;
	if (length > LINE + 1) {
		if (__assay_exact("a line")) looked = length;
		else OVER_APPROXIMATED("a line");
	}
	for (size_t i = 0; i < looked && i + 1 < length; i++) __assay_assume(p[i] != (char)end);
	if (s && TRACKS_INPUT && more && p[length - 1] != (char)end) s->ended = 1;
}

// no_line is the end of input, or an error: then some of the line may have been
// read.
static void no_line(FILE *s, char *p, size_t room) {
	size_t part = __assay_nondet_size("input");
	if (part > 0 && part < room && __assay_nondet_bool("input")) {
		__assay_havoc(p, part);
		__assay_fail("input");
		if (s && TRACKS_INPUT) s->failed = 1;
	} else {
		__assay_no_input(s);
	}
}

MODEL char *fgets(char *restrict p, int size, FILE *restrict file) {
	FILE_IS_THERE("fgets");
	FILE *s = known(file);
	if (size <= 0) return 0;
	if (size == 1) {
		if (__assay_nondet_bool("fgets")) return 0;
		p[0] = 0;
		return p;
	}
	BLOCK("fgets", s);
	if (__assay_input_over(s)) return 0;
	if (__assay_nondet_bool("fgets")) {
		no_line(s, p, (size_t)size - 1);
		return 0;
	}
	size_t length = __assay_nondet_size("fgets");
	__assay_assume(length > 0 && length < (size_t)size);
	line("fgets", s, p, length, length + 1 < (size_t)size, '\n');
	p[length] = 0;
	return p;
}

// gets does not know how large its object is: a line may be longer.
MODEL char *gets(char *p) {
	BLOCK("gets", STDIN);
	if (__assay_input_over(STDIN)) return 0;
	size_t length = __assay_nondet_size("gets"), room = __assay_object_size(p) - __assay_offset(p);
	if (__assay_nondet_bool("gets")) {
		no_line(STDIN, p, room);
		return 0;
	}
	__assay_check(length < room, INVALID_DEREF, "gets: a line that is longer than its object");
	if (length >= room) length = room;
	if (length > 0) line("gets", 0, p, length, 0, '\n');
	if (length > 0 && (length <= LINE + 1 || __assay_exact("gets"))) __assay_assume(p[length - 1] != '\n');
	if (length < room) p[length] = 0;
	if (TRACKS_INPUT && __assay_nondet_bool("gets")) STDIN->ended = 1;
	return p;
}

void *realloc(void *, size_t);

// The buffer grows if the line has no room in it; there may be one although
// there is no line.
MODEL ptrdiff_t getdelim(char **restrict text, size_t *restrict size, int end, FILE *restrict file) {
	FILE_IS_THERE("getdelim");
	FILE *s = known(file);
	BLOCK("getline", s);
	size_t length = 0;
	_Bool is_line = !__assay_input_over(s);
	if (is_line && __assay_nondet_bool("getline")) {
		is_line = 0;
		__assay_no_input(s);
	}
	if (is_line) {
		length = __assay_nondet_size("getline");
		__assay_assume(length > 0 && length < PTRDIFF_MAX - 1);
	} else if (__assay_nondet_bool("getline")) {
		return -1;
	}
	if (!*text || *size < length + 2) {
		size_t more = __assay_nondet_size("getline") & 0xff;
		if (more > PTRDIFF_MAX - length) more = 0;
		if (!*text || *size < length + 1 || __assay_nondet_bool("getline")) {
			char *p = realloc(*text, length + 2 + more);
			if (!p) return -1;
			*text = p;
			*size = length + 2 + more;
		}
	}
	if (!is_line) return -1;
	line("getline", s, *text, length, 1, end);
	(*text)[length] = 0;
	return (ptrdiff_t)length;
}

MODEL ptrdiff_t getline(char **restrict text, size_t *restrict size, FILE *restrict file) { return getdelim(text, size, '\n', file); }

MODEL FILE *fopen(const char *path, const char *mode) {
	read_text(path);
	read_text(mode);
	return opened("fopen", mode, -1);
}
MODEL FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
MODEL FILE *fdopen(int descriptor, const char *mode) {
	read_text(mode);
	if (__assay_bad_descriptor(descriptor)) {
		__assay_fail("fdopen");
		return 0;
	}
	FILE *s = opened("fdopen", mode, descriptor);
	if (s && TRACKS_PLACES) s->placed = 0;
	return s;
}

static void close_stream(FILE *s) {
	REQUIRE(s->open, "the stream is closed");
	s->open = 0;
	if (s->given) __assay_close_descriptor(s->number);
	else if (USES_NUMBERS) __assay_hidden_descriptor(0);
}

MODEL FILE *freopen(const char *path, const char *mode, FILE *file) {
	FILE_IS_THERE("freopen");
	if (path) read_text(path);
	read_text(mode);
	FILE *s = known(file);
	if (s) close_stream(s);
	if (__assay_nondet_bool("freopen")) {
		__assay_fail("freopen");
		return 0;
	}
	if (!s) return file;
	s->given = TRACKS_NUMBERS;
	if (TRACKS_NUMBERS) {
		// A standard stream keeps its number if that is the least one.
		OVER_APPROXIMATED("freopen");
		s->number = __assay_descriptor();
	} else if (USES_NUMBERS) {
		__assay_hidden_descriptor(1);
	}
	return start(s, mode);
}
MODEL FILE *popen(const char *command, const char *mode) {
	read_text(command);
	read_text(mode);
	FILE *s = opened("popen", mode, -1);
	if (s && TRACKS_PLACES) s->placed = 0;
	return s;
}
MODEL FILE *tmpfile(void) { return opened("tmpfile", "w+", -1); }
MODEL int fclose(FILE *file) {
	FILE_IS_THERE("fclose");
	FILE *s = known(file);
	if (s) {
		close_stream(s);
		if (s != STDIN && s != STDOUT && s != STDERR) closed_file = s;
	}
	return status("fclose");
}
MODEL int pclose(FILE *file) {
	FILE_IS_THERE("pclose");
	FILE *s = known(file);
	if (s) {
		close_stream(s);
		closed_file = s;
	}
	return status("pclose") ? -1 : __assay_nondet_int("pclose") & 0xffff;
}
MODEL int fflush(FILE *file) {
	FILE *s = known(file);
	if (!file && TRACKS_ERRORS) { // of all streams
		if (__assay_exact("fflush")) return 0;
		OVER_APPROXIMATED("fflush");
	}
	if (s && TRACKS_INPUT && (s->pushed || s->next)) OVER_APPROXIMATED("fflush");
	int result = status("fflush");
	if (result && s && TRACKS_ERRORS) s->failed = 1;
	return result;
}
MODEL int feof(FILE *file) {
	FILE_IS_THERE("feof");
	FILE *s = known(file);
	if (!s) return __assay_approximate_int("feof");
	return s->ended ? any_nonzero("feof") : 0;
}
MODEL int ferror(FILE *file) {
	FILE_IS_THERE("ferror");
	FILE *s = known(file);
	if (!s) return __assay_approximate_int("ferror");
	return s->failed ? any_nonzero("ferror") : 0;
}
MODEL void clearerr(FILE *file) {
	FILE_IS_THERE("clearerr");
	FILE *s = known(file);
	if (s && TRACKS_INPUT) s->ended = s->failed = 0;
}
MODEL int fileno(FILE *file) {
	FILE_IS_THERE("fileno");
	FILE *s = known(file);
	if (s) return s->open ? s->number : -1;
	int n = __assay_approximate_int("fileno");
	return n < 0 ? -1 : n;
}

// The place of a stream is known behind fopen, rewind and fseek; the size of a
// file is arbitrary.
static int move_to(const char *function, FILE *s, long offset, int origin) {
	if (origin < 0 || origin > 2) {
		__assay_fail(function);
		return -1;
	}
	if (s && TRACKS_INPUT && (s->pushed || s->next)) OVER_APPROXIMATED("fseek");
	if (status(function)) {
		// What could not be written is lost, and the error is kept.
		if (s && TRACKS_ERRORS && PERHAPS("ferror")) s->failed = 1;
		return -1;
	}
	if (!s) return 0;
	s->kept |= s->seen;
	if (TRACKS_INPUT) {
		s->ended = 0;
		s->pushed = s->next = 0;
	}
	if (!TRACKS_PLACES) return 0;
	long at = offset;
	if (origin == 0 && (offset < 0 || __assay_nondet_bool(function))) at = 0; // /dev/null
	if (origin == 2) at = (long)__assay_nondet_size(function);
	if (origin == 1) {
		if (!s->placed) return 0;
		if (__builtin_add_overflow(s->at, offset, &at)) at = -1;
		if (__assay_nondet_bool(function)) at = 0;
	}
	__assay_assume(at >= 0);
	s->placed = 1;
	s->at = at;
	return 0;
}
MODEL int fseek(FILE *file, long offset, int origin) {
	FILE_IS_THERE("fseek");
	return move_to("fseek", known(file), offset, origin);
}
MODEL int fseeko(FILE *file, long offset, int origin) {
	FILE_IS_THERE("fseeko");
	return move_to("fseeko", known(file), offset, origin);
}
MODEL void rewind(FILE *file) {
	FILE_IS_THERE("rewind");
	FILE *s = known(file);
	move_to("rewind", s, 0, 0);
	if (s && TRACKS_INPUT) s->ended = s->failed = 0;
}
static long place(const char *function, FILE *s) {
	if (status(function)) return -1;
	if (s && s->placed) return s->at;
	long at = (long)__assay_approximate_size(function);
	return at < 0 ? 0 : at;
}
MODEL long ftell(FILE *file) {
	FILE_IS_THERE("ftell");
	return place("ftell", known(file));
}
MODEL long ftello(FILE *file) {
	FILE_IS_THERE("ftello");
	return place("ftello", known(file));
}
MODEL int remove(const char *path) {
	read_text(path);
	return status("remove");
}
MODEL int unlink(const char *path) {
	read_text(path);
	return status("unlink");
}
MODEL int rename(const char *from, const char *to) {
	read_text(from);
	read_text(to);
	return status("rename");
}
// The program does not see the buffer that it gives away.
MODEL int setvbuf(FILE *file, char *buffer, int mode, size_t size) {
	FILE_IS_THERE("setvbuf");
	if (buffer) __assay_unsupported("setvbuf with a buffer of the program");
	return status("setvbuf");
}
MODEL void setbuf(FILE *file, char *buffer) {
	FILE_IS_THERE("setbuf");
	if (buffer) __assay_unsupported("setbuf with a buffer of the program");
}
