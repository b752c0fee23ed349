// Models of unistd.h, sys/stat.h, sys/wait.h and locale.h, as far as one
// process sees them: what other processes and files hold is arbitrary. A call
// with a descriptor that is negative, or was closed just now, fails.
#include "stream.h"

static void read_text(const char *s) {
	while (*s) s++;
}

static int status(const char *function) {
	if (!__assay_nondet_bool(function)) return 0;
	__assay_fail(function);
	return -1;
}

// unnamed says that a path is empty: it is no name of anything, and the call fails.
static _Bool unnamed(const char *function, const char *path) {
	if (*path) return 0;
	__assay_fail(function);
	return 1;
}

// What a call with a descriptor returns: 0 or -1.
static int on(const char *function, int file) {
	if (!__assay_bad_descriptor(file)) return status(function);
	__assay_fail(function);
	return -1;
}

static int descriptor(const char *function) { return status(function) ? -1 : __assay_descriptor(); }

// A number of bytes up to the limit, or -1.
static ptrdiff_t transferred(const char *function, int file, size_t limit) {
	if (on(function, file)) return -1;
	size_t n = __assay_nondet_size(function);
	__assay_assume(n <= limit && n <= PTRDIFF_MAX);
	return (ptrdiff_t)n;
}

// Whether a program can read what it has written: to a pipe, or a file that it opened for that.
#define OWNS __assay_uses("pipe pipe2 socketpair open open64 openat openat64 creat creat64 mkstemp mkstemp64 mkostemp") && __assay_uses("write pwrite pwrite64 send")
static _Bool owns, sent;
void __assay_owns(int flags) {
	if (OWNS && (flags & 3)) owns = 1;
}

static ptrdiff_t input(const char *function, int file, void *p, size_t size) {
	if (OWNS && sent) OVER_APPROXIMATED("input");
	ptrdiff_t n = transferred(function, file, size);
	if (n > 0) __assay_havoc(p, (size_t)n);
	return n;
}

static ptrdiff_t output(const char *function, int file, const void *p, size_t size) {
	if (size > 0) __assay_check(__assay_valid_range(p, size), INVALID_DEREF, "output from beyond the object");
	if (OWNS && owns) sent = 1;
	return transferred(function, file, size);
}

MODEL ptrdiff_t read(int file, void *p, size_t size) { return input("read", file, p, size); }
MODEL ptrdiff_t pread(int file, void *p, size_t size, long at) { return input("pread", file, p, size); }
MODEL ptrdiff_t recv(int file, void *p, size_t size, int flags) {
	if (flags & 0x20) __assay_unsupported("recv with MSG_TRUNC");
	return input("recv", file, p, size);
}
MODEL ptrdiff_t getrandom(void *p, size_t size, unsigned flags) { return input("getrandom", 0, p, size); }
MODEL ptrdiff_t write(int file, const void *p, size_t size) { return output("write", file, p, size); }
MODEL ptrdiff_t pwrite(int file, const void *p, size_t size, long at) { return output("pwrite", file, p, size); }
MODEL ptrdiff_t send(int file, const void *p, size_t size, int flags) { return output("send", file, p, size); }

MODEL int open(const char *path, int flags, ...) {
	read_text(path);
	if (unnamed("open", path)) return -1;
	__assay_owns(flags);
	return descriptor("open");
}
MODEL int creat(const char *path, unsigned mode) {
	read_text(path);
	if (unnamed("creat", path)) return -1;
	__assay_owns(2);
	return descriptor("creat");
}
MODEL int close(int file) {
	int result = on("close", file);
	__assay_close_descriptor(file); // also if it fails
	return result;
}
MODEL int dup(int file) { return on("dup", file) ? -1 : __assay_descriptor(); }
MODEL int dup2(int file, int to) {
	if (to < 0) {
		__assay_fail("dup2");
		return -1;
	}
	if (on("dup2", file)) return -1;
	__assay_close_descriptor(to);
	__assay_open_descriptor(to);
	return to;
}
MODEL int fsync(int file) { return on("fsync", file); }
// A descriptor stays what it is: other answers than the first are over-approximated.
MODEL int isatty(int file) {
	static _Bool asked;
	if (__assay_bad_descriptor(file)) {
		__assay_fail("isatty");
		return 0;
	}
	_Bool is = __assay_nondet_bool("isatty");
	if (asked) OVER_APPROXIMATED("isatty");
	asked = 1;
	if (!is) __assay_fail("isatty");
	return is;
}
MODEL long lseek(int file, long at, int origin) {
	if (on("lseek", file)) return -1;
	if (origin < 0) {
		__assay_fail("lseek");
		return -1;
	}
	if (origin == 0) return at >= 0 && __assay_nondet_bool("lseek") ? at : 0; // /dev/null stays at 0, wherever one wants to be
	long n = (long)__assay_nondet_size("lseek");
	__assay_assume(n >= 0); // /dev/null stays at 0
	if (origin != 2) OVER_APPROXIMATED("lseek");
	return n;
}
MODEL int ftruncate(int file, long size) { return on("ftruncate", file); }
MODEL int access(const char *path, int mode) {
	read_text(path);
	return unnamed("access", path) ? -1 : status("access");
}
MODEL int mkdir(const char *path, unsigned mode) {
	read_text(path);
	return unnamed("mkdir", path) ? -1 : status("mkdir");
}
MODEL int rmdir(const char *path) {
	read_text(path);
	return unnamed("rmdir", path) ? -1 : status("rmdir");
}
MODEL int chdir(const char *path) {
	read_text(path);
	return unnamed("chdir", path) ? -1 : status("chdir");
}
MODEL int pipe(int *ends) {
	if (status("pipe")) return -1;
	__assay_owns(2);
	int from = __assay_descriptor(), to = __assay_descriptor();
	if (from == to) to++;
	ends[0] = from;
	ends[1] = to;
	return 0;
}

// The size of glibc's struct stat for the calls of programs that are not
// compiled for large files on 32 bits.
enum { STAT_SIZE = sizeof(long) == 8 ? 144 : 88 };
static int describe(int failure, void *result) {
	if (failure) return -1;
	__assay_havoc(result, STAT_SIZE);
	return 0;
}
MODEL int stat(const char *restrict path, void *restrict result) {
	read_text(path);
	return describe(unnamed("stat", path) || status("stat"), result);
}
MODEL int lstat(const char *restrict path, void *restrict result) {
	read_text(path);
	return describe(unnamed("lstat", path) || status("lstat"), result);
}
MODEL int fstat(int file, void *result) { return describe(on("fstat", file), result); }
MODEL int fstatat(int folder, const char *restrict path, void *restrict result, int flags) {
	read_text(path);
	return describe(status("fstatat"), result);
}

MODEL char *getcwd(char *s, size_t size) {
	if (!s) __assay_unsupported("getcwd with a null pointer");
	if (size == 0) {
		__assay_errno = ERROR_INVAL;
		return 0;
	}
	if (status("getcwd")) return 0;
	size_t length = __assay_nondet_size("getcwd");
	__assay_assume(length > 0 && length < size);
	__assay_havoc(s, length);
	s[0] = '/';
	s[length] = 0;
	return s;
}

MODEL int gethostname(char *s, size_t size) {
	if (status("gethostname")) {
		size_t part = __assay_nondet_size("gethostname"); // a name that is too long is there, without a NUL
		if (size > 0 && part == size) __assay_havoc(s, size);
		return -1;
	}
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
struct same { _Bool known; int number; };
static int same_number(struct same *n, const char *function, int least) {
	if (__assay_uses("setuid setgid seteuid setegid setreuid setregid setresuid setresgid initgroups setfsuid setfsgid")) {
		if (n->known) OVER_APPROXIMATED(function);
		n->known = 0;
	}
	if (!n->known) n->number = __assay_nondet_int(function);
	__assay_assume(n->number >= least);
	n->known = 1;
	return n->number;
}
static struct same process, users[2], groups[2];
MODEL int getpid(void) { return same_number(&process, "getpid", 1); }
// The parent may end, and another process takes its place.
MODEL int getppid(void) {
	int n = __assay_nondet_int("getppid");
	__assay_assume(n >= 0);
	return n;
}
MODEL unsigned getuid(void) { return (unsigned)same_number(&users[0], "getuid", INT32_MIN); }
MODEL unsigned geteuid(void) { return (unsigned)same_number(&users[1], "geteuid", INT32_MIN); }
MODEL unsigned getgid(void) { return (unsigned)same_number(&groups[0], "getgid", INT32_MIN); }
MODEL unsigned getegid(void) { return (unsigned)same_number(&groups[1], "getegid", INT32_MIN); }

// A limit, or -1 where there is none or the name is unknown. Pages have 4096
// bytes; other answers than the first are over-approximated.
enum { PAGE = 4096, PAGE_SIZE_NAME = 30 };
MODEL long sysconf(int name) {
	static _Bool asked;
	if (name == PAGE_SIZE_NAME) return PAGE;
	long n = (long)__assay_nondet_size("sysconf");
	if (n < -1) n = -1;
	if (asked || n == 0) OVER_APPROXIMATED("sysconf");
	asked = 1;
	if (n == -1 && __assay_nondet_bool("sysconf")) __assay_fail("sysconf");
	return n;
}
MODEL int getpagesize(void) { return PAGE; }
MODEL int sched_yield(void) { return 0; }

// The program stays in the "C" locale: setlocale succeeds for that one only,
// and for the one that the environment asks for, if it is that one. Other locales
// may not exist, and where they do, the models do not follow.
static char locale_name[2] = "C";
enum { CATEGORIES = 13 };
MODEL char *setlocale(int category, const char *name) {
	if (category < 0 || category >= CATEGORIES) return 0;
	if (!name || (name[0] == 'C' && name[1] == 0)) return locale_name;
	if (name[0] == 0) return __assay_nondet_bool("setlocale") ? locale_name : 0;
	const char *posix = "POSIX";
	size_t i = 0;
	while (posix[i] && name[i] == posix[i]) i++;
	if (!posix[i] && !name[i]) return locale_name;
	read_text(name);
	return 0;
}
