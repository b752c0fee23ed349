// Streams of stdio and descriptors: what one call leaves for the next.
//
// What is read is arbitrary and what is written goes nowhere, but calls depend
// on each other: input that has ended has set one of two indicators, and goes
// on only when it is asked to; a character that was pushed back is the next
// one; behind a number there is no digit. A program that asks for none of this
// does not pay for it: what it can see is known when it is imported
// (__assay_uses), and the rest of the state is left alone.
//
// Streams and descriptors keep no text: what the program has written itself, or reads again, is arbitrary, too, but
// no violation may rest on it (kept, __assay_owns).
//
// Where the library determines more than we keep, the run goes on with
// OVER_APPROXIMATED: proofs hold, violations on it do not count.
#include "stream.h"

FILE __assay_streams[STREAMS] = {
	{.open = 1, .reads = 1, .given = 1, .number = 0},
	{.open = 1, .writes = 1, .given = 1, .number = 1},
	{.open = 1, .writes = 1, .given = 1, .number = 2},
};
MODEL FILE *stdin = &__assay_streams[0];
MODEL FILE *stdout = &__assay_streams[1];
MODEL FILE *stderr = &__assay_streams[2];

void __assay_no_input(FILE *s) {
	_Bool fails = __assay_nondet_bool("input");
	if (fails) __assay_fail("input");
	if (!s || !TRACKS_INPUT) return;
	if (fails) s->failed = 1;
	else s->ended = 1;
	s->next = ANYTHING;
}

_Bool __assay_input_over(FILE *s) {
	// Input may flush what was written, which may fail.
	if (TRACKS_ERRORS && __assay_uses("stdout") && PERHAPS("ferror")) __assay_streams[1].failed = 1;
	if (!s) return 0;
	REQUIRE(s->open, "input from a stream that is closed");
	if (!s->reads) {
		s->failed = 1;
		__assay_fail("input");
		return 1;
	}
	if (TRACKS_PLACES) s->placed = 0;
	if (s->kept) OVER_APPROXIMATED("input");
	s->seen = 1;
	return TRACKS_INPUT && s->ended;
}

int __assay_output(const char *function, FILE *s, int result) {
	if (s) {
		REQUIRE(s->open, "output to a stream that is closed");
		if (s->reads) s->kept = 1;
		if (TRACKS_PLACES) s->placed = 0;
	}
	if (s && !s->writes) {
	} else if (!__assay_nondet_bool(function)) {
		// Output that succeeds may leave its traces in errno.
		if (__assay_uses("__errno_location") && PERHAPS("errno")) __assay_fail(function);
		return result;
	}
	__assay_fail(function);
	if (s && TRACKS_ERRORS) s->failed = 1;
	return -1;
}

// Descriptors. A new one has the least number that is free: as long as none is
// closed, a number above those of all others. Of those below 64 it is known
// which are closed.
static int last_descriptor = -1;
static _Bool any_closed;
static int closed_above; // the last one

static uint64_t closed;
static _Bool hidden; // streams have opened numbers that are not known
enum { MOST_DESCRIPTORS = 1 << 20 };

int __assay_descriptor(void) {
	int n = __assay_nondet_int("descriptor");
	__assay_assume(n >= 0 && n < MOST_DESCRIPTORS);
	if (any_closed) {
		OVER_APPROXIMATED("descriptor");
		__assay_open_descriptor(n);
	} else {
		__assay_assume(n > last_descriptor);
		last_descriptor = n;
	}
	return n;
}

void __assay_hidden_descriptor(_Bool opens) {
	if (opens) hidden = 1;
	else any_closed = 1;
}

void __assay_close_descriptor(int n) {
	any_closed = 1;
	if (n >= 64) closed_above = n;
	else if (n >= 0) closed |= 1ull << n;
}

void __assay_open_descriptor(int n) {
	if (n >= 0 && n < 64) closed &= ~(1ull << n);
	if (n == closed_above) closed_above = 0;
}

_Bool __assay_bad_descriptor(int n) {
	if (n < 0 || !any_closed) return n < 0;
	if (hidden && (n < 64 ? closed >> n & 1 : n == closed_above)) return __assay_approximate_bool("descriptor");
	if (n < 64) return closed >> n & 1;
	if (closed_above && n != closed_above) OVER_APPROXIMATED("descriptor");
	return n == closed_above;
}
