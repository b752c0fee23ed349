// Accounts and terminals: pwd.h, and what is asked of terminals. What they answer is arbitrary.
#include "library.h"

_Bool __assay_bad_descriptor(int file);

// The texts of an account end in one block, and may be as long as it; they are overwritten by
// the next answer, as POSIX allows, and stay where they are: that they may be gone then, which POSIX
// allows as well, is not modelled. Texts of accounts do not overlap: a violation that depends on
// that does not count.
enum { LENGTH = 131072 };
static char texts[LENGTH];

// struct passwd.
static struct account {
	char *name, *password;
	unsigned user, group;
	char *full, *home, *shell;
} account;

static char *some_text(const char *function) {
	size_t at = __assay_approximate_size(function);
	__assay_assume(at < LENGTH);
	return texts + at;
}

// An account, or null, with or without an error.
static struct account *some_account(const char *function) {
	if (__assay_nondet_bool(function)) {
		if (__assay_nondet_bool(function)) __assay_fail(function);
		return 0;
	}
	OVER_APPROXIMATED(function);
	__assay_havoc(texts, LENGTH);
	texts[LENGTH - 1] = 0;
	account.name = some_text(function);
	account.password = some_text(function);
	account.user = __assay_approximate_int(function);
	account.group = __assay_approximate_int(function);
	account.full = some_text(function);
	account.home = some_text(function);
	account.shell = some_text(function);
	return &account;
}

MODEL struct account *getpwent(void) { return some_account("getpwent"); }
MODEL void setpwent(void) {}
MODEL void endpwent(void) {}
MODEL struct account *getpwnam(const char *name) {
	while (*name) name++;
	return some_account("getpwnam");
}
MODEL struct account *getpwuid(unsigned user) {
	struct account *a = some_account("getpwuid");
	if (a) a->user = user;
	return a;
}

static _Bool failed(int file, const char *function) {
	if (!__assay_bad_descriptor(file) && !__assay_nondet_bool(function)) return 0;
	__assay_fail(function);
	return 1;
}

// The size of a window: rows, columns, and two more numbers of 16 bits.
enum { WINDOW_SIZE = 0x5413, WINDOW = 8 };
MODEL int ioctl(int file, unsigned long request, ...) {
	if (request != WINDOW_SIZE) __assay_unsupported("ioctl that asks for something else than the size of a window");
	__builtin_va_list more;
	__builtin_va_start(more, request);
	void *to = __builtin_va_arg(more, void *);
	__builtin_va_end(more);
	if (failed(file, "ioctl")) return -1;
	__assay_havoc(to, WINDOW);
	OVER_APPROXIMATED("ioctl");
	return 0;
}

// struct termios has 60 bytes.
enum { TERMINAL = 60 };
MODEL int tcgetattr(int file, void *to) {
	if (failed(file, "tcgetattr")) return -1;
	__assay_havoc(to, TERMINAL);
	OVER_APPROXIMATED("tcgetattr");
	return 0;
}
MODEL int tcsetattr(int file, int when, const void *from) {
	__assay_check(__assay_valid_range(from, TERMINAL), INVALID_DEREF, "tcsetattr: invalid settings");
	return failed(file, "tcsetattr") ? -1 : 0;
}
