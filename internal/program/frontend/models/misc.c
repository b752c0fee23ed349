// Models of small functions whose values are fixed: byte order, complex numbers, sets
// of signals, names of paths; and of random bytes.
#include "library.h"

MODEL uint32_t htonl(uint32_t x) { return __builtin_bswap32(x); }
MODEL uint32_t ntohl(uint32_t x) { return __builtin_bswap32(x); }
MODEL uint16_t htons(uint16_t x) { return __builtin_bswap16(x); }
MODEL uint16_t ntohs(uint16_t x) { return __builtin_bswap16(x); }

double hypot(double, double);
float hypotf(float, float);
double atan2(double, double);
float atan2f(float, float);
#define COMPLEX(T, f) \
	MODEL T creal##f(T _Complex z) { return __real__ z; } \
	MODEL T cimag##f(T _Complex z) { return __imag__ z; } \
	MODEL T _Complex conj##f(T _Complex z) { return __builtin_complex(__real__ z, -__imag__ z); } \
	MODEL T _Complex cproj##f(T _Complex z) { \
		if (!__builtin_isinf(__real__ z) && !__builtin_isinf(__imag__ z)) return z; \
		return __builtin_complex((T)__builtin_inf(), (T)__builtin_copysign(0, __imag__ z)); \
	} \
	MODEL T cabs##f(T _Complex z) { return hypot##f(__real__ z, __imag__ z); } \
	MODEL T carg##f(T _Complex z) { return atan2##f(__imag__ z, __real__ z); }
COMPLEX(double, )
COMPLEX(float, f)

MODEL double drem(double x, double y) {
	double remainder(double, double);
	return remainder(x, y);
}

// Signals 1 to 64; the library keeps 32 and 33 for itself. The set has 128 bytes; what
// is beyond the signals is nobody's.
enum { SIGNALS = 64, SET_SIZE = 128 };
static uint64_t *set_of(void *set) { return set; }
static void rest(void *set) { __assay_havoc((char *)set + 8, SET_SIZE - 8); }
static int refused(void) {
	__assay_errno = ERROR_INVAL;
	return -1;
}
static _Bool reserved(int signal) { return signal == 32 || signal == 33; }
static _Bool wrong(int signal) { return signal < 1 || signal > SIGNALS; }
#define BIT(signal) ((uint64_t)1 << ((signal) - 1))

MODEL int sigemptyset(void *set) {
	if (!set) return refused();
	*set_of(set) = 0;
	rest(set);
	return 0;
}
MODEL int sigfillset(void *set) {
	if (!set) return refused();
	*set_of(set) = ~(BIT(32) | BIT(33));
	rest(set);
	return 0;
}
MODEL int sigaddset(void *set, int signal) {
	if (!set || wrong(signal) || reserved(signal)) return refused();
	*set_of(set) |= BIT(signal);
	return 0;
}
MODEL int sigdelset(void *set, int signal) {
	if (!set || wrong(signal) || reserved(signal)) return refused();
	*set_of(set) &= ~BIT(signal);
	return 0;
}
MODEL int sigismember(const void *set, int signal) {
	if (!set || wrong(signal)) return refused();
	return (*(const uint64_t *)set & BIT(signal)) != 0;
}
// glibc looks at the lower half only where long has 64 bits.
MODEL int sigisemptyset(const void *set) {
	if (!set) return refused();
	uint64_t signals = *(const uint64_t *)set;
	return signals == 0 || ((uint32_t)signals == 0 && __assay_nondet_bool("sigisemptyset"));
}
MODEL int sigandset(void *set, const void *a, const void *b) {
	if (!set || !a || !b) return refused();
	*set_of(set) = *(const uint64_t *)a & *(const uint64_t *)b;
	rest(set);
	return 0;
}
MODEL int sigorset(void *set, const void *a, const void *b) {
	if (!set || !a || !b) return refused();
	*set_of(set) = *(const uint64_t *)a | *(const uint64_t *)b;
	rest(set);
	return 0;
}

// The end of a path: basename of string.h, and the two functions of libgen.h.
size_t strlen(const char *);
char *strrchr(const char *, int);
MODEL char *basename(const char *path) {
	char *slash = strrchr(path, '/');
	return slash ? slash + 1 : (char *)path;
}
static char dot[2] = ".";
MODEL char *__xpg_basename(char *path) {
	if (!path || !*path) return dot;
	size_t end = strlen(path);
	while (end > 1 && path[end - 1] == '/') end--;
	if (end == 1 && path[0] == '/') return path + strlen(path) - 1;
	if (path[end]) path[end] = 0;
	while (end > 0 && path[end - 1] != '/') end--;
	return path + end;
}
MODEL char *dirname(char *path) {
	if (!path) return dot;
	size_t end = strlen(path), slashes = 0;
	while (end > 0 && path[end - 1] == '/') end--;
	if (end == 0) { // only slashes, or nothing
		if (!*path) return dot;
		while (path[slashes] == '/') slashes++;
		path[slashes == 2 ? 2 : 1] = 0;
		return path;
	}
	end--; // the end of the last part is none
	while (end > 0 && path[end - 1] != '/') end--;
	if (end == 0) return dot;
	size_t slash = end - 1; // the last one before the last part
	while (end > 0 && path[end - 1] == '/') end--;
	if (end > 0) path[end] = 0;
	else path[slash == 1 ? 2 : 1] = 0;
	return path;
}

MODEL void arc4random_buf(void *p, size_t size) {
	if (size > 0) __assay_havoc(p, size);
}
MODEL int getentropy(void *p, size_t size) {
	if (size > 256 || __assay_nondet_bool("getentropy")) {
		__assay_fail("getentropy");
		return -1;
	}
	if (size > 0) __assay_havoc(p, size);
	return 0;
}
