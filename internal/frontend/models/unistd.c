// Models of unistd.h, sys/stat.h, sys/wait.h and locale.h, as far as one
// process sees them: what other processes and files hold is arbitrary.
#include "library.h"

static void read_text(const char *s) {
	while (*s) s++;
}

static int status(const char *function) {
	if (!__assay_nondet_bool(function)) return 0;
	__assay_fail(function);
	return -1;
}

static int number(const char *function) {
	if (status(function)) return -1;
	return __assay_nondet_int(function) & 0x7fffffff;
}

// A number of bytes up to the limit, or -1.
static ptrdiff_t transferred(const char *function, size_t limit) {
	if (status(function)) return -1;
	size_t n = __assay_nondet_size(function);
	__assay_assume(n <= limit && n <= PTRDIFF_MAX);
	return (ptrdiff_t)n;
}

static ptrdiff_t input(const char *function, void *p, size_t size) {
	ptrdiff_t n = transferred(function, size);
	if (n > 0) __assay_havoc(p, (size_t)n);
	return n;
}

static ptrdiff_t output(const char *function, const void *p, size_t size) {
	if (size > 0) __assay_check(__assay_valid_range(p, size), INVALID_DEREF, "output from beyond the object");
	return transferred(function, size);
}

MODEL ptrdiff_t read(int file, void *p, size_t size) { return input("read", p, size); }
MODEL ptrdiff_t pread(int file, void *p, size_t size, long at) { return input("pread", p, size); }
MODEL ptrdiff_t recv(int file, void *p, size_t size, int flags) { return input("recv", p, size); }
MODEL ptrdiff_t getrandom(void *p, size_t size, unsigned flags) { return input("getrandom", p, size); }
MODEL ptrdiff_t write(int file, const void *p, size_t size) { return output("write", p, size); }
MODEL ptrdiff_t pwrite(int file, const void *p, size_t size, long at) { return output("pwrite", p, size); }
MODEL ptrdiff_t send(int file, const void *p, size_t size, int flags) { return output("send", p, size); }

MODEL int open(const char *path, int flags, ...) {
	read_text(path);
	return number("open");
}
MODEL int creat(const char *path, unsigned mode) {
	read_text(path);
	return number("creat");
}
MODEL int close(int file) { return status("close"); }
MODEL int dup(int file) { return number("dup"); }
MODEL int dup2(int file, int to) { return status("dup2") ? -1 : to; }
MODEL int fsync(int file) { return status("fsync"); }
MODEL int isatty(int file) { return __assay_nondet_bool("isatty"); }
MODEL long lseek(int file, long at, int origin) {
	long n = (long)__assay_nondet_size("lseek");
	if (n >= 0) return n;
	__assay_fail("lseek");
	return -1;
}
MODEL int ftruncate(int file, long size) { return status("ftruncate"); }
MODEL int access(const char *path, int mode) {
	read_text(path);
	return status("access");
}
MODEL int mkdir(const char *path, unsigned mode) {
	read_text(path);
	return status("mkdir");
}
MODEL int rmdir(const char *path) {
	read_text(path);
	return status("rmdir");
}
MODEL int chdir(const char *path) {
	read_text(path);
	return status("chdir");
}
MODEL int pipe(int *ends) {
	if (status("pipe")) return -1;
	ends[0] = __assay_nondet_int("pipe") & 0x7fffffff;
	ends[1] = __assay_nondet_int("pipe") & 0x7fffffff;
	return 0;
}

// The size of glibc's struct stat for the calls of programs that are not
// compiled for large files on 32 bits.
enum { STAT_SIZE = sizeof(long) == 8 ? 144 : 88 };
static int describe(const char *function, void *result) {
	if (status(function)) return -1;
	__assay_havoc(result, STAT_SIZE);
	return 0;
}
MODEL int stat(const char *restrict path, void *restrict result) {
	read_text(path);
	return describe("stat", result);
}
MODEL int lstat(const char *restrict path, void *restrict result) {
	read_text(path);
	return describe("lstat", result);
}
MODEL int fstat(int file, void *result) { return describe("fstat", result); }

MODEL char *getcwd(char *s, size_t size) {
	if (!s) __assay_unsupported("getcwd with a null pointer");
	if (size == 0 || status("getcwd")) return 0;
	size_t length = __assay_nondet_size("getcwd");
	__assay_assume(length > 0 && length < size);
	__assay_havoc(s, length);
	s[0] = '/';
	s[length] = 0;
	return s;
}

MODEL int gethostname(char *s, size_t size) {
	if (status("gethostname")) return -1;
	size_t length = __assay_nondet_size("gethostname");
	__assay_assume(length < size);
	if (length > 0) __assay_havoc(s, length);
	s[length] = 0;
	return 0;
}

MODEL unsigned sleep(unsigned seconds) {
	unsigned rest = (unsigned)__assay_nondet_int("sleep");
	__assay_assume(rest <= seconds);
	return rest;
}
MODEL int usleep(unsigned microseconds) { return status("usleep"); }

// A process keeps its numbers.
static int process, parent;
static int same_number(int *n, const char *function) {
	if (*n == 0) *n = __assay_nondet_int(function);
	__assay_assume(*n > 0);
	return *n;
}
MODEL int getpid(void) { return same_number(&process, "getpid"); }
MODEL int getppid(void) { return same_number(&parent, "getppid"); }
MODEL unsigned getuid(void) { return (unsigned)__assay_nondet_int("getuid"); }
MODEL unsigned geteuid(void) { return (unsigned)__assay_nondet_int("geteuid"); }
MODEL unsigned getgid(void) { return (unsigned)__assay_nondet_int("getgid"); }
MODEL unsigned getegid(void) { return (unsigned)__assay_nondet_int("getegid"); }
MODEL long sysconf(int name) { return (long)__assay_nondet_size("sysconf"); }
MODEL int getpagesize(void) { return 4096; }
MODEL int sched_yield(void) { return 0; }

// The program stays in the "C" locale: setlocale succeeds for that one only.
// Other locales may not exist, and where they do, the models do not follow.
static char locale_name[2] = "C";
MODEL char *setlocale(int category, const char *name) {
	if (!name) return locale_name;
	if (name[0] == 0 || (name[0] == 'C' && name[1] == 0)) return locale_name;
	read_text(name);
	return 0;
}
