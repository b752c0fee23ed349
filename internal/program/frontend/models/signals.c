// Signals: what a program says about them. The default action and none change nothing that
// a run sees, for one that a signal ends is no run that goes on. Handlers run at any time, which
// is not modelled.
#include "library.h"

enum { SIGNALS = 64, KILL = 9, STOP = 19 };
static void *const default_action = (void *)0, *const ignore = (void *)1;

static int refused(void) {
	__assay_errno = ERROR_INVAL;
	return -1;
}
static void known(const void *handler) {
	if (handler != default_action && handler != ignore) __assay_unsupported("a handler of signals");
}
// What happens to a signal: a program is started with the default action, or with none.
static uint64_t asked, ignored;
static void *before(int number, const char *function) {
	uint64_t bit = (uint64_t)1 << (number - 1);
	if (!(asked & bit) && __assay_nondet_bool(function)) ignored |= bit;
	asked |= bit;
	return ignored & bit ? ignore : default_action;
}
static void become(int number, const void *handler) {
	uint64_t bit = (uint64_t)1 << (number - 1);
	ignored = handler == ignore ? ignored | bit : ignored & ~bit;
}

MODEL void *signal(int number, void *handler) {
	if (number < 1 || number > SIGNALS || number == KILL || number == STOP || number == 32 || number == 33) {
		refused();
		return (void *)-1;
	}
	known(handler);
	void *old = before(number, "signal");
	become(number, handler);
	return old;
}

// struct sigaction of glibc begins with the handler.
enum { ACTION_SIZE = sizeof(long) == 8 ? 152 : 140 };
MODEL int sigaction(int number, void *const *restrict action, void **restrict old) {
	if (number < 1 || number > SIGNALS || number == 32 || number == 33) return refused();
	if (action) __assay_check(__assay_valid_range(action, ACTION_SIZE), INVALID_DEREF, "sigaction: invalid action");
	if (action && (number == KILL || number == STOP)) return refused();
	const void *handler = action ? *action : 0; // old may be the same object
	void *was = before(number, "sigaction");
	if (action) {
		known(handler);
		become(number, handler);
	}
	if (old) {
		__assay_havoc(old, ACTION_SIZE);
		*old = was;
	}
	return 0;
}

// Masks decide when handlers run, and there are none.
enum { MASK_SIZE = 128 };
static int mask(int how, const void *set, void *old) {
	if (set) {
		__assay_check(__assay_valid_range(set, MASK_SIZE), INVALID_DEREF, "invalid set of signals");
		if (how < 0 || how > 2) return ERROR_INVAL;
	}
	if (old) __assay_havoc(old, MASK_SIZE);
	return 0;
}
MODEL int sigprocmask(int how, const void *restrict set, void *restrict old) { return mask(how, set, old) ? refused() : 0; }
MODEL int pthread_sigmask(int how, const void *restrict set, void *restrict old) { return mask(how, set, old); }
MODEL int siginterrupt(int number, int interrupts) { return number < 1 || number > SIGNALS || number == KILL || number == STOP || number == 32 || number == 33 ? refused() : 0; }
// The signal ends the run some time later, so no run behind this goes on for ever.
MODEL unsigned alarm(unsigned seconds) {
	if (seconds) OVER_APPROXIMATED("alarm");
	return (unsigned)__assay_nondet_int("alarm");
}
