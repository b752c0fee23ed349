// Models of time.h and sys/time.h: the clock shows anything, and somebody may set
// it. Processor time and the monotonic clock do not go back; what they show when
// they do is over-approximated.
#include "library.h"

MODEL long time(long *result) {
	long now;
	__assay_havoc(&now, sizeof now);
	if (result) *result = now;
	return now;
}

// -1 where the time is not known.
MODEL long clock(void) {
	static long last;
	long now;
	__assay_havoc(&now, sizeof now);
	if (now == -1) return now;
	if (now < last) OVER_APPROXIMATED("clock");
	last = now;
	return now;
}

MODEL double difftime(long end, long begin) {
	long d;
	if (!__builtin_sub_overflow(end, begin, &d)) return (double)d;
	if (sizeof d == 8) OVER_APPROXIMATED("difftime"); // rounded twice
	return (double)end - (double)begin;
}

struct timespec { long tv_sec, tv_nsec; };
struct timeval { long tv_sec, tv_usec; };

static long below(const char *function, long limit) {
	long n = (long)__assay_nondet_size(function);
	__assay_assume(n >= 0 && n < limit);
	return n;
}

static int show(const char *function, struct timespec *t) {
	if (t) {
		__assay_havoc(&t->tv_sec, sizeof t->tv_sec);
		t->tv_nsec = below(function, 1000000000);
	}
	return 0;
}

static int set(const char *function, struct timespec *t) {
	if (__assay_nondet_bool(function)) {
		__assay_fail(function);
		return -1;
	}
	return show(function, t);
}

enum { REALTIME, MONOTONIC };
MODEL int clock_gettime(int clock, struct timespec *t) {
	static struct timespec last;
	if (clock == REALTIME) return show("clock_gettime", t); // POSIX: there is such a clock
	int result = set("clock_gettime", t);
	if (clock == MONOTONIC && result == 0 && t) {
		if (t->tv_sec < last.tv_sec || (t->tv_sec == last.tv_sec && t->tv_nsec < last.tv_nsec)) OVER_APPROXIMATED("clock_gettime");
		last = *t;
	}
	return result;
}
MODEL int clock_getres(int clock, struct timespec *t) { return set("clock_getres", t); }
MODEL int timespec_get(struct timespec *t, int base) { return set("timespec_get", t) == 0 ? base : 0; }

MODEL int gettimeofday(struct timeval *t, void *zone) {
	if (zone) __assay_havoc(zone, 2 * sizeof(int));
	if (t) {
		__assay_havoc(&t->tv_sec, sizeof t->tv_sec);
		t->tv_usec = below("gettimeofday", 1000000);
	}
	return 0;
}

// An interrupted sleep leaves the rest of the time.
MODEL int nanosleep(const struct timespec *wanted, struct timespec *rest) {
	long seconds = wanted->tv_sec, nanoseconds = wanted->tv_nsec;
	if (seconds < 0 || nanoseconds < 0 || nanoseconds >= 1000000000) {
		__assay_errno = ERROR_INVAL;
		return -1;
	}
	if (!__assay_nondet_bool("nanosleep")) return 0;
	__assay_fail("nanosleep");
	if (rest) {
		__assay_havoc(&rest->tv_sec, sizeof rest->tv_sec);
		__assay_assume(rest->tv_sec >= 0 && rest->tv_sec <= seconds);
		rest->tv_nsec = below("nanosleep", 1000000000);
	}
	return -1;
}

// A time in its parts, as glibc has it. That the parts fit the argument is not
// modelled: each is within its range.
struct tm {
	int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
	long tm_gmtoff;
	const char *tm_zone;
};

static char zone[8]; // the name of a time zone

static int part(const char *function, int least, int greatest) {
	int n = __assay_approximate_int(function);
	return n < least ? least : n > greatest ? greatest : n;
}

static struct tm *parts(const char *function, const long *t, struct tm *result) {
	long read = *t;
	// The year does not fit an int; in local time a day sooner or later.
	if (sizeof read == 8 && (read > 67768036191676799 || read < -67768040609740800)) {
		if (read > 67768036191676799 + 86400 || read < -67768040609740800 - 86400 || __assay_approximate_bool(function)) {
			__assay_errno = 75;
			return 0;
		}
	} else if (sizeof read == 8 && (read > 67768036191676799 - 86400 || read < -67768040609740800 + 86400) && __assay_approximate_bool(function)) {
		__assay_errno = 75;
		return 0;
	}
	result->tm_sec = part(function, 0, 60);
	result->tm_min = part(function, 0, 59);
	result->tm_hour = part(function, 0, 23);
	result->tm_mday = part(function, 1, 31);
	result->tm_mon = part(function, 0, 11);
	result->tm_year = __assay_approximate_int(function);
	result->tm_wday = part(function, 0, 6);
	result->tm_yday = part(function, 0, 365);
	result->tm_isdst = part(function, 0, 1);
	result->tm_gmtoff = part(function, -100000, 100000);
	result->tm_zone = zone;
	for (size_t i = 0; i + 1 < sizeof zone; i++) zone[i] = __assay_approximate_char(function);
	return result;
}

// gmtime and localtime have an object each, or share one.
static struct tm global, local;
MODEL struct tm *gmtime(const long *t) { return parts("gmtime", t, &global); }
MODEL struct tm *localtime(const long *t) { return parts("localtime", t, __assay_approximate_bool("localtime") ? &global : &local); }
MODEL struct tm *gmtime_r(const long *restrict t, struct tm *restrict result) { return parts("gmtime_r", t, result); }
MODEL struct tm *localtime_r(const long *restrict t, struct tm *restrict result) { return parts("localtime_r", t, result); }

// The days from 1970-01-01 to a day of the Gregorian calendar; months count from 0.
static long days(long year, long month, long day) {
	long y = month < 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	long from_march = (month + 10) % 12, of_year = (153 * from_march + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static long floored(long a, long b) { return a / b - (a % b < 0); }

MODEL long timegm(struct tm *t) {
	if (sizeof(long) < 8) {
		OVER_APPROXIMATED("timegm");
		long any = (long)__assay_approximate_size("timegm"), dummy = 0;
		parts("timegm", &dummy, t);
		return any;
	}
	long months = t->tm_mon, year = 1900 + (long)t->tm_year + floored(months, 12), month = months - floored(months, 12) * 12;
	long d = days(year, month, 1) + t->tm_mday - 1;
	long seconds = ((d * 24 + t->tm_hour) * 60 + t->tm_min) * 60 + t->tm_sec;
	d = floored(seconds, 86400);
	long left = seconds - d * 86400;
	// The calendar day of d (Hinnant, "chrono-compatible low-level date algorithms").
	long z = d + 719468, era = floored(z, 146097), of_era = z - era * 146097;
	long of_400 = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	long from_march = of_era - (365 * of_400 + of_400 / 4 - of_400 / 100), m = (5 * from_march + 2) / 153;
	month = m < 10 ? m + 2 : m - 10;
	year = of_400 + era * 400 + (month < 2);
	if (year - 1900 > 2147483647 || year - 1900 < -2147483647 - 1) {
		__assay_errno = 75;
		return -1;
	}
	t->tm_sec = (int)(left % 60);
	t->tm_min = (int)(left / 60 % 60);
	t->tm_hour = (int)(left / 3600);
	t->tm_mday = (int)(from_march - (153 * m + 2) / 5 + 1);
	t->tm_mon = (int)month;
	t->tm_year = (int)(year - 1900);
	t->tm_wday = (int)(((d + 4) % 7 + 7) % 7);
	t->tm_yday = (int)(d - days(year, 0, 1));
	t->tm_isdst = 0;
	t->tm_gmtoff = 0;
	t->tm_zone = "GMT";
	return seconds;
}

MODEL long mktime(struct tm *t) {
	long result = (long)__assay_approximate_size("mktime");
	long dummy = 0;
	if (result == -1 && __assay_approximate_bool("mktime")) { // the year does not fit
		__assay_fail("mktime");
		return -1;
	}
	parts("mktime", &dummy, t); // brought into their ranges
	return result;
}

// 26 characters and as many as a large year needs.
static char *print_time(char *s) {
	for (int i = 0; i < 24; i++) {
		char any = __assay_approximate_char("asctime");
		s[i] = any ? any : ' ';
	}
	s[24] = '\n';
	s[25] = 0;
	return s;
}

static char time_text[26];
MODEL char *asctime(const struct tm *t) {
	struct tm copy = *t;
	REQUIRE(copy.tm_year >= -2899 && copy.tm_year <= 8099, "asctime: the year has more than four digits");
	return print_time(time_text);
}
MODEL char *ctime(const long *t) {
	long read = *t;
	REQUIRE(sizeof read == 4 || (read > -30610224000 && read < 253402300800), "ctime: the year has more than four digits");
	localtime(&read); // which may overwrite what it returned before
	return print_time(time_text);
}
MODEL char *asctime_r(const struct tm *restrict t, char *restrict s) {
	struct tm copy = *t;
	REQUIRE(copy.tm_year >= -2899 && copy.tm_year <= 8099, "asctime_r: the year has more than four digits");
	return print_time(s);
}
MODEL char *ctime_r(const long *restrict t, char *restrict s) {
	long read = *t;
	REQUIRE(sizeof read == 4 || (read > -30610224000 && read < 253402300800), "ctime_r: the year has more than four digits");
	return print_time(s);
}

// How long the text is depends on the format: any length below the size.
MODEL size_t strftime(char *restrict s, size_t size, const char *restrict format, const struct tm *restrict t) {
	struct tm copy = *t;
	(void)copy;
	while (*format) format++;
	size_t n = __assay_approximate_size("strftime");
	if (n >= size) n = 0;
	for (size_t i = 0; i < size; i++) s[i] = __assay_approximate_char("strftime");
	if (size > 0) s[n] = 0;
	return n;
}
