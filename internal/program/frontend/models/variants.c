// Models of functions that are others by another name: those of stdio.h that take no
// lock (there is one thread), and those for large files.
#include "library.h"

typedef char FILE;
typedef long long off64;

size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
char *fgets(char *, int, FILE *);
int fputs(const char *, FILE *);
int getc(FILE *);
int fgetc(FILE *);
int putc(int, FILE *);
int fputc(int, FILE *);
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
int fflush(FILE *);
int fileno(FILE *);

MODEL size_t fread_unlocked(void *p, size_t size, size_t items, FILE *file) { return fread(p, size, items, file); }
MODEL size_t fwrite_unlocked(const void *p, size_t size, size_t items, FILE *file) { return fwrite(p, size, items, file); }
MODEL char *fgets_unlocked(char *s, int n, FILE *file) { return fgets(s, n, file); }
MODEL int fputs_unlocked(const char *s, FILE *file) { return fputs(s, file); }
MODEL int getc_unlocked(FILE *file) { return getc(file); }
MODEL int fgetc_unlocked(FILE *file) { return fgetc(file); }
MODEL int putc_unlocked(int c, FILE *file) { return putc(c, file); }
MODEL int fputc_unlocked(int c, FILE *file) { return fputc(c, file); }
MODEL int feof_unlocked(FILE *file) { return feof(file); }
MODEL int ferror_unlocked(FILE *file) { return ferror(file); }
MODEL void clearerr_unlocked(FILE *file) { clearerr(file); }
MODEL int fflush_unlocked(FILE *file) { return fflush(file); }
MODEL int fileno_unlocked(FILE *file) { return fileno(file); }
MODEL int _IO_getc(FILE *file) { return getc(file); }
MODEL int _IO_putc(int c, FILE *file) { return putc(c, file); }
MODEL void flockfile(FILE *file) {}
MODEL void funlockfile(FILE *file) {}
MODEL int ftrylockfile(FILE *file) { return 0; }

ptrdiff_t getdelim(char **, size_t *, int, FILE *);
MODEL ptrdiff_t __getdelim(char **line, size_t *size, int end, FILE *file) { return getdelim(line, size, end, file); }

FILE *freopen(const char *, const char *, FILE *);
FILE *tmpfile(void);
MODEL FILE *freopen64(const char *path, const char *mode, FILE *file) { return freopen(path, mode, file); }
MODEL FILE *tmpfile64(void) { return tmpfile(); }

// Positions are any numbers, so that those of the plain functions are not enough where long has 32 bits.
int fseek(FILE *, long, int);
MODEL int fseeko64(FILE *file, off64 offset, int origin) {
	if ((long)offset != offset) OVER_APPROXIMATED("fseeko64");
	return fseek(file, (long)offset, origin);
}
static off64 position(const char *function) {
	off64 n = __assay_nondet_long_long(function);
	if (n >= 0) return n;
	__assay_fail(function);
	return -1;
}
MODEL off64 ftello64(FILE *file) {
	REQUIRE(file != 0, "ftello64: the file is null");
	off64 n = position("ftello64");
	if (n >= 0) OVER_APPROXIMATED("ftello64");
	return n;
}
MODEL off64 lseek64(int file, off64 at, int origin) {
	off64 n = position("lseek64");
	if (n < 0) return n;
	if (origin == 0) return at >= 0 && __assay_nondet_bool("lseek64") ? at : 0;
	OVER_APPROXIMATED("lseek64");
	return n;
}

ptrdiff_t pread(int, void *, size_t, long);
ptrdiff_t pwrite(int, const void *, size_t, long);
int creat(const char *, unsigned);
int ftruncate(int, long);
MODEL ptrdiff_t pread64(int file, void *p, size_t size, off64 at) { return pread(file, p, size, 0); }
MODEL ptrdiff_t pwrite64(int file, const void *p, size_t size, off64 at) { return pwrite(file, p, size, 0); }
MODEL int creat64(const char *path, unsigned mode) { return creat(path, mode); }
MODEL int open64(const char *path, int flags, ...) { return creat(path, 0); }
MODEL int ftruncate64(int file, off64 size) { return ftruncate(file, 0); }

// Large files have a larger struct stat on 32 bits: the plain functions fill in a part of it.
enum { STAT64_SIZE = sizeof(long) == 8 ? 144 : 96 };
int stat(const char *restrict, void *restrict);
int lstat(const char *restrict, void *restrict);
int fstat(int, void *);
int fstatat(int, const char *restrict, void *restrict, int);
static int describe(int failure, void *result) {
	if (!failure) __assay_havoc(result, STAT64_SIZE);
	return failure;
}
MODEL int stat64(const char *restrict path, void *restrict result) { return describe(stat(path, result), result); }
MODEL int lstat64(const char *restrict path, void *restrict result) { return describe(lstat(path, result), result); }
MODEL int fstat64(int file, void *result) { return describe(fstat(file, result), result); }
MODEL int fstatat64(int folder, const char *restrict path, void *restrict result, int flags) {
	return describe(fstatat(folder, path, result, flags), result);
}

// By other names.
char *strdup(const char *);
char *strndup(const char *, size_t);
char *stpcpy(char *, const char *);
char *stpncpy(char *, const char *, size_t);
void *mempcpy(void *, const void *, size_t);
void *rawmemchr(const void *, int);
char *strtok_r(char *, const char *, char **);
int strcasecmp(const char *, const char *);
void exit(int);
MODEL char *__strdup(const char *s) { return strdup(s); }
MODEL char *__strndup(const char *s, size_t n) { return strndup(s, n); }
MODEL char *__stpcpy(char *to, const char *from) { return stpcpy(to, from); }
MODEL char *__stpncpy(char *to, const char *from, size_t n) { return stpncpy(to, from, n); }
MODEL void *__mempcpy(void *to, const void *from, size_t n) { return mempcpy(to, from, n); }
MODEL void *__rawmemchr(const void *p, int c) { return rawmemchr(p, c); }
MODEL char *__strtok_r(char *s, const char *delimiters, char **next) { return strtok_r(s, delimiters, next); }
MODEL int __strcasecmp(const char *s, const char *t) { return strcasecmp(s, t); }
