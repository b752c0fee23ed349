// Models of calls of the operating system that change nothing that the program can see
// but errno: they succeed or fail, or return some number.
#include "stream.h"

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

static int descriptor(const char *function) { return status(function) ? -1 : __assay_descriptor(); }

// Paths are read.
#define PATH(name, ...) \
	MODEL int name(const char *path, ##__VA_ARGS__) { \
		read_text(path); \
		return status(#name); \
	}
PATH(chmod, unsigned mode)
PATH(lchmod, unsigned mode)
PATH(chown, unsigned user, unsigned group)
PATH(lchown, unsigned user, unsigned group)
PATH(chroot)
PATH(mkfifo, unsigned mode)
PATH(mknod, unsigned mode, unsigned long long device)
PATH(truncate, long size)
PATH(truncate64, long long size)
PATH(acct)
PATH(eaccess, int mode)
PATH(euidaccess, int mode)
#define PATHS(name) \
	MODEL int name(const char *path, const char *other) { \
		read_text(path); \
		read_text(other); \
		return status(#name); \
	}
PATHS(link)
PATHS(symlink)
#define AT(name, ...) \
	MODEL int name(int folder, const char *path, ##__VA_ARGS__) { \
		read_text(path); \
		return status(#name); \
	}
AT(fchmodat, unsigned mode, int flags)
AT(fchownat, unsigned user, unsigned group, int flags)
AT(unlinkat, int flags)
AT(mkdirat, unsigned mode)
AT(mkfifoat, unsigned mode)
AT(mknodat, unsigned mode, unsigned long long device)
AT(faccessat, int mode, int flags)
MODEL int linkat(int folder, const char *path, int other, const char *to, int flags) {
	read_text(path);
	read_text(to);
	return status("linkat");
}
MODEL int symlinkat(const char *path, int folder, const char *to) {
	read_text(path);
	read_text(to);
	return status("symlinkat");
}
MODEL int renameat(int folder, const char *path, int other, const char *to) {
	read_text(path);
	read_text(to);
	return status("renameat");
}
MODEL int openat(int folder, const char *path, int flags, ...) {
	read_text(path);
	__assay_owns(flags);
	return descriptor("openat");
}
MODEL int openat64(int folder, const char *path, int flags, ...) {
	read_text(path);
	__assay_owns(flags);
	return descriptor("openat64");
}

#define STATUS(name, ...) MODEL int name(__VA_ARGS__) { return status(#name); }
STATUS(fchmod, int file, unsigned mode)
STATUS(fchown, int file, unsigned user, unsigned group)
STATUS(fdatasync, int file)
STATUS(fchdir, int file)
STATUS(syncfs, int file)
STATUS(setuid, unsigned id)
STATUS(setgid, unsigned id)
STATUS(seteuid, unsigned id)
STATUS(setegid, unsigned id)
STATUS(setreuid, unsigned real, unsigned effective)
STATUS(setregid, unsigned real, unsigned effective)
STATUS(setresuid, unsigned real, unsigned effective, unsigned saved)
STATUS(setresgid, unsigned real, unsigned effective, unsigned saved)
STATUS(setpgid, int process, int group)
STATUS(setpgrp, void)
STATUS(tcsetpgrp, int file, int group)
STATUS(shutdown, int file, int how)
STATUS(listen, int file, int backlog)
STATUS(flock, int file, int operation)
STATUS(lockf, int file, int command, long size)
STATUS(lockf64, int file, int command, long long size)
STATUS(mlockall, int flags)
STATUS(munlockall, void)
STATUS(tcdrain, int file)
STATUS(tcflow, int file, int action)
STATUS(tcflush, int file, int queue)
STATUS(tcsendbreak, int file, int duration)
STATUS(fallocate, int file, int mode, long from, long size)
STATUS(fallocate64, int file, int mode, long long from, long long size)
STATUS(setpriority, int which, unsigned who, int priority)
STATUS(sethostid, long id)
STATUS(vhangup, void)
STATUS(daemon, int directory, int close)

#define DESCRIPTOR(name, ...) MODEL int name(__VA_ARGS__) { return descriptor(#name); }
#define NUMBER(name, ...) MODEL int name(__VA_ARGS__) { return number(#name); }
MODEL int dup3(int file, int to, int flags) {
	if (__assay_bad_descriptor(file) || to < 0 || file == to || status("dup3")) {
		__assay_fail("dup3");
		return -1;
	}
	__assay_close_descriptor(to);
	__assay_open_descriptor(to);
	return to;
}
DESCRIPTOR(socket, int domain, int type, int protocol)
DESCRIPTOR(epoll_create, int size)
DESCRIPTOR(epoll_create1, int flags)
DESCRIPTOR(eventfd, unsigned start, int flags)
DESCRIPTOR(inotify_init, void)
DESCRIPTOR(inotify_init1, int flags)
DESCRIPTOR(timerfd_create, int clock, int flags)
NUMBER(getpgid, int process)
NUMBER(getsid, int process)
NUMBER(setsid, void)
NUMBER(tcgetpgrp, int file)
DESCRIPTOR(posix_openpt, int flags)

// Numbers of errors, or 0.
#define ERROR(name, ...) MODEL int name(__VA_ARGS__) { return __assay_nondet_int(#name) & 0xfff; }
ERROR(posix_fadvise, int file, long from, long size, int advice)
ERROR(posix_fallocate, int file, long from, long size)
// Numbers that are the same each time, if the process does not change them.
static int positive(int *known, const char *function) {
	if (*known == 0 || __assay_uses("setpgid setpgrp setsid setrlimit")) {
		if (*known) OVER_APPROXIMATED(function);
		*known = __assay_nondet_int(function);
		__assay_assume(*known > 0);
	}
	return *known;
}
static int group_of_processes, most_files;
MODEL int getpgrp(void) { return positive(&group_of_processes, "getpgrp"); }
MODEL int getdtablesize(void) { return positive(&most_files, "getdtablesize"); }
MODEL unsigned umask(unsigned mask) {
	static _Bool known;
	static unsigned last;
	unsigned before = known ? last : (unsigned)__assay_nondet_int("umask") & 0777;
	last = mask & 0777;
	known = 1;
	return before;
}
// Other times than the first it is what was set.
static int priority(const char *function) {
	static _Bool asked;
	if (asked) OVER_APPROXIMATED(function);
	asked = 1;
	int n = __assay_nondet_int(function);
	__assay_assume(n >= -20 && n <= 19);
	return n;
}
MODEL int nice(int n) {
	if (status("nice")) return -1;
	return priority("nice");
}
MODEL int getpriority(int which, unsigned who) {
	if (status("getpriority")) return -1;
	return priority("getpriority");
}
MODEL long pathconf(const char *path, int name) {
	read_text(path);
	if (status("pathconf")) return -1;
	return (long)__assay_nondet_size("pathconf");
}
MODEL long fpathconf(int file, int name) {
	if (status("fpathconf")) return -1;
	return (long)__assay_nondet_size("fpathconf");
}
// A new descriptor, or what is said about one.
enum { DUP = 0, GET_FLAGS = 1, SET_FLAGS = 2, GET_STATUS = 3, SET_STATUS = 4, DUP_CLOSED = 1030 };
MODEL int fcntl(int file, int command, ...) {
	if (__assay_bad_descriptor(file)) {
		__assay_fail("fcntl");
		return -1;
	}
	if (status("fcntl")) return -1;
	switch (command) {
	case DUP:
	case DUP_CLOSED:
		OVER_APPROXIMATED("fcntl"); // not less than the argument
		return __assay_descriptor();
	case GET_FLAGS:
		return __assay_approximate_bool("fcntl");
	case GET_STATUS:
		return __assay_approximate_int("fcntl") & 0x7fffffff;
	case SET_FLAGS:
	case SET_STATUS:
		return 0;
	}
	__assay_unsupported("fcntl that does something else than to duplicate a descriptor, or to get or set its flags");
}

// Names of the system: six texts of up to 64 bytes.
MODEL int uname(char (*names)[65]) {
	if (status("uname")) return -1;
	__assay_havoc(names, 6 * sizeof *names);
	OVER_APPROXIMATED("uname");
	for (int i = 0; i < 6; i++) names[i][64] = 0;
	return 0;
}
MODEL int getrlimit(unsigned resource, unsigned long *limits) {
	if (status("getrlimit")) return -1;
	__assay_havoc(limits, 2 * sizeof *limits);
	OVER_APPROXIMATED("getrlimit");
	return 0;
}
MODEL int setrlimit(unsigned resource, const unsigned long *limits) {
	__assay_check(__assay_valid_range(limits, 2 * sizeof *limits), INVALID_DEREF, "setrlimit: invalid limits");
	return status("setrlimit");
}
enum { TIMES = 4, NUMBERS = 18 };
MODEL int getrusage(int who, long *usage) {
	if (status("getrusage")) return -1;
	__assay_havoc(usage, NUMBERS * sizeof *usage);
	OVER_APPROXIMATED("getrusage");
	return 0;
}
MODEL long times(long *result) {
	if (result) __assay_havoc(result, TIMES * sizeof *result);
	OVER_APPROXIMATED("times");
	return (long)__assay_nondet_size("times");
}
// Null is now.
static int set_times(const char *path, const void *wanted, size_t size, const char *function) {
	read_text(path);
	if (wanted) __assay_check(__assay_valid_range(wanted, size), INVALID_DEREF, "invalid times");
	return status(function);
}
MODEL int utime(const char *path, const void *wanted) { return set_times(path, wanted, 2 * sizeof(long), "utime"); }
MODEL int utimes(const char *path, const void *wanted) { return set_times(path, wanted, 4 * sizeof(long), "utimes"); }

// Null, or a text that is the library's; ttyname and getlogin have one each.
static char *named(char (*text)[64], const char *function) {
	if (status(function)) return 0;
	__assay_havoc(*text, sizeof *text);
	OVER_APPROXIMATED(function);
	(*text)[sizeof *text - 1] = 0;
	return *text;
}
static char terminal[64], user[64];
MODEL char *ttyname(int file) { return named(&terminal, "ttyname"); }
MODEL char *getlogin(void) { return named(&user, "getlogin"); }

MODEL void sync(void) {}
MODEL void closelog(void) {}
