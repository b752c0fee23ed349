// Models of dirent.h, and of what the system says of names of files: realpath, readlink,
// mkstemp.
//
// A folder has any entries in any order: their names have 1 to 255 bytes, none of them
// "/" [POSIX readdir]. To keep the model free of loops over the bytes of a name, an entry
// is one of two: a name of at most FREE bytes, or of 255 of which the first FREE are free, which
// some folder has; or any bytes up to a NUL, "/" among them, which is over-approximated. So proofs are about all names, and a violation is one that a real
// name leads to. Entries are valid until the next call of readdir for the same folder, as POSIX
// says; here they stay what they are until then. A folder is a block of the heap, as in glibc: what reads an entry behind
// closedir is an invalid access, and a folder that is never closed is a leak.
#include "stream.h"

enum { NAME = 256, FREE = 8 };

// struct dirent of glibc, for the data model, and that of readdir64.
struct entry {
	unsigned long number;
	long next;
	unsigned short size;
	unsigned char kind;
	char name[NAME];
};
struct entry64 {
	uint64_t number;
	int64_t next;
	unsigned short size;
	unsigned char kind;
	char name[NAME];
};
struct folder {
	int number;
	union {
		struct entry entry;
		struct entry64 entry64;
	};
};

#define X16 "xxxxxxxxxxxxxxxx"
#define X64 X16 X16 X16 X16
static const char letters[NAME] = X64 X64 X64 X16 X16 X16 "xxxxxxxxxxxxxxx";

static void read_text(const char *s) {
	while (*s) s++;
}

static int status(const char *function) {
	if (!__assay_nondet_bool(function)) return 0;
	__assay_fail(function);
	return -1;
}

static struct folder *open_folder(int number) {
	struct folder *d = __assay_malloc(sizeof *d);
	d->number = number;
	return d;
}

MODEL struct folder *opendir(const char *path) {
	read_text(path);
	if (!*path) { // no name of anything
		__assay_fail("opendir");
		return 0;
	}
	return status("opendir") ? 0 : open_folder(__assay_descriptor());
}
MODEL struct folder *fdopendir(int number) {
	if (!__assay_bad_descriptor(number) && !__assay_nondet_bool("fdopendir")) return open_folder(number);
	__assay_fail("fdopendir");
	return 0;
}

static void need_open(const struct folder *d) {
	__assay_check(__assay_valid_range(d, sizeof *d), INVALID_DEREF, "the folder is not open");
}

MODEL int closedir(struct folder *d) {
	need_open(d);
	__assay_close_descriptor(d->number);
	__assay_free(d);
	return status("closedir");
}
MODEL int dirfd(struct folder *d) {
	need_open(d);
	return d->number;
}

// name_in makes the name of an entry.
static void name_in(char *name) {
	if (__assay_nondet_bool("readdir")) {
		__assay_havoc(name, NAME);
		OVER_APPROXIMATED("readdir");
		if (name[0] == 0) name[0] = '.';
	} else {
		__assay_memcpy(name, letters, NAME);
		__assay_havoc(name, FREE);
		for (int i = 0; i < FREE; i++)
			if (name[i] == '/' || (i == 0 && name[i] == 0)) name[i] = 'x';
	}
	name[NAME - 1] = 0; // in both, so that provers need not look at the letters
}

// Behind the last entry, or if the folder cannot be read, there is none; only an error sets errno.
static _Bool next(struct folder *d) {
	need_open(d);
	if (!__assay_nondet_bool("readdir")) return 1;
	if (__assay_nondet_bool("readdir")) __assay_fail("readdir");
	return 0;
}
MODEL struct entry *readdir(struct folder *d) {
	if (!next(d)) return 0;
	__assay_havoc(&d->entry, offsetof(struct entry, name));
	name_in(d->entry.name);
	return &d->entry;
}
MODEL struct entry64 *readdir64(struct folder *d) {
	if (!next(d)) return 0;
	__assay_havoc(&d->entry64, offsetof(struct entry64, name));
	name_in(d->entry64.name);
	return &d->entry64;
}
MODEL void rewinddir(struct folder *d) { need_open(d); }
MODEL long telldir(struct folder *d) {
	need_open(d);
	return (long)__assay_nondet_size("telldir");
}
MODEL void seekdir(struct folder *d, long place) { need_open(d); }

// Paths. A canonical one begins with a "/" and has less than 4096 bytes; parts have at most 255.
enum { PATH = 4096, PART = 128 };

// path_in writes a path with that many bytes and its NUL: one of parts of 127 letters x, which some file
// has, or any bytes, which are over-approximated.
static void path_in(char *to, size_t length, const char *function) {
	if (__assay_nondet_bool(function)) {
		__assay_havoc(to, length);
		OVER_APPROXIMATED(function);
		to[0] = '/';
	} else {
		__assay_memset(to, 'x', length);
		for (size_t i = 0; i < PATH; i += PART)
			if (i < length) to[i] = '/';
		if (length > 1 && (length - 1) % PART == 0) OVER_APPROXIMATED(function); // a "/" at the end
	}
	to[length] = 0;
}

void *malloc(size_t);
static char *canonical(const char *path, char *to, const char *function) {
	if (!path) {
		__assay_errno = ERROR_INVAL;
		return 0;
	}
	read_text(path);
	size_t length = __assay_nondet_size(function);
	__assay_assume(length >= 1 && length < PATH);
	if (!*path || status(function)) {
		if (to && __assay_nondet_bool(function)) { // POSIX: what is there then is not defined
			__assay_havoc(to, length);
			OVER_APPROXIMATED(function);
		}
		__assay_fail(function);
		return 0;
	}
	_Bool root = 1; // what leads to "/" whatever the files are
	for (const char *s = path; *s; s++) root &= *s == '/' || *s == '.';
	if (root) {
		if (path[0] == '/') length = 1;
		OVER_APPROXIMATED(function);
	}
	if (!to) to = malloc(length + 1);
	if (to) path_in(to, length, function);
	return to;
}
MODEL char *realpath(const char *restrict path, char *restrict to) { return canonical(path, to, "realpath"); }
MODEL char *canonicalize_file_name(const char *path) { return canonical(path, 0, "canonicalize_file_name"); }

// What a symbolic link holds, without a NUL: any bytes but NUL, as many as fit.
static ptrdiff_t link_text(const char *path, char *to, size_t size, const char *function) {
	read_text(path);
	if (size == 0 || status(function)) {
		__assay_fail(function);
		return -1;
	}
	size_t n = __assay_nondet_size(function);
	__assay_assume(n >= 1 && n <= size && n < PATH);
	if (__assay_nondet_bool(function)) {
		__assay_havoc(to, n);
		OVER_APPROXIMATED(function);
	} else {
		__assay_memset(to, 'x', n);
	}
	return (ptrdiff_t)n;
}
MODEL ptrdiff_t readlink(const char *restrict path, char *restrict to, size_t size) { return link_text(path, to, size, "readlink"); }
MODEL ptrdiff_t readlinkat(int folder, const char *restrict path, char *restrict to, size_t size) {
	return link_text(path, to, size, "readlinkat");
}

// The last six characters are X, and become others of which there is no such file yet: letters and digits
// in glibc.
static _Bool replace(char *template, const char *function) {
	size_t n = 0;
	while (template[n]) n++;
	_Bool fits = n >= 6;
	for (size_t i = 1; i <= 6 && fits; i++) fits = template[n - i] == 'X';
	if (!fits) {
		__assay_errno = ERROR_INVAL;
		return 0;
	}
	for (size_t i = 1; i <= 6; i++) {
		int c = __assay_nondet_int(function);
		__assay_assume((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
		template[n - i] = (char)c;
	}
	return !status(function);
}
static _Bool made(char *template, const char *function) {
	__assay_owns(2);
	return replace(template, function);
}
MODEL int mkstemp(char *template) { return made(template, "mkstemp") ? __assay_descriptor() : -1; }
MODEL int mkstemp64(char *template) { return made(template, "mkstemp64") ? __assay_descriptor() : -1; }
MODEL int mkostemp(char *template, int flags) { return made(template, "mkostemp") ? __assay_descriptor() : -1; }
MODEL char *mkdtemp(char *template) { return replace(template, "mkdtemp") ? template : 0; }
