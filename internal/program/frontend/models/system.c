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
	return descriptor("openat");
}
MODEL int openat64(int folder, const char *path, int flags, ...) {
	read_text(path);
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

#define ANY(name, ...) MODEL int name(__VA_ARGS__) { return __assay_nondet_int(#name); }
ANY(getpgrp, void)
ANY(umask, unsigned mask)
ANY(getdtablesize, void)
ANY(posix_fadvise, int file, long from, long size, int advice)
ANY(posix_fallocate, int file, long from, long size)
MODEL int nice(int n) {
	if (status("nice")) return -1;
	return __assay_nondet_int("nice");
}
MODEL int getpriority(int which, unsigned who) {
	if (status("getpriority")) return -1;
	return __assay_nondet_int("getpriority");
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
MODEL void sync(void) {}
MODEL void closelog(void) {}
