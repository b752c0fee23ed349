// What compilers call without being asked: the arithmetic of libgcc, called by name
// and by operators of complex numbers.
#include "library.h"

#define INTEGERS(T, U, suffix) \
	U __udiv##suffix##3(U, U); \
	U __umod##suffix##3(U, U); \
	T __div##suffix##3(T, T); \
	T __mod##suffix##3(T, T); \
	T __mul##suffix##3(T, T); \
	T __neg##suffix##2(T); \
	T __ashl##suffix##3(T, int); \
	T __ashr##suffix##3(T, int); \
	U __lshr##suffix##3(U, int); \
	int __cmp##suffix##2(T, T); \
	int __ucmp##suffix##2(U, U); \
	int __popcount##suffix##2(U); \
	int __parity##suffix##2(U); \
	int __clz##suffix##2(U); \
	int __ctz##suffix##2(U); \
	int __ffs##suffix##2(T); \
	T __mulv##suffix##3(T, T); \
	T __addv##suffix##3(T, T); \
	double __float##suffix##df(T); \
	float __floatun##suffix##sf(U); \
	static void suffix(U x, U y) { \
		unsigned n = below(sizeof(T) * 8); \
		U small = x >> sizeof(T) * 4; \
		if (y == 0) y = 3; \
		WIDE(__udiv##suffix##3(x, y)); \
		WIDE(__umod##suffix##3(x, y)); \
		WIDE(__div##suffix##3((T)x, (T)y)); \
		WIDE(__mod##suffix##3((T)x, (T)y)); \
		WIDE(__mul##suffix##3((T)x, (T)y)); \
		WIDE(__neg##suffix##2((T)x)); \
		WIDE(__ashl##suffix##3((T)x, n)); \
		WIDE(__ashr##suffix##3((T)x, n)); \
		WIDE(__lshr##suffix##3(x, n)); \
		OBSERVE(__cmp##suffix##2((T)x, (T)y)); \
		OBSERVE(__ucmp##suffix##2(x, y)); \
		OBSERVE(__popcount##suffix##2(x)); \
		OBSERVE(__parity##suffix##2(x)); \
		OBSERVE(__clz##suffix##2(y)); \
		OBSERVE(__ctz##suffix##2(y)); \
		OBSERVE(__ffs##suffix##2((T)x)); \
		WIDE(__mulv##suffix##3((T)(small >> 1), (T)n)); \
		WIDE(__addv##suffix##3((T)small, -(T)n)); \
		double d = __float##suffix##df((T)x); \
		bytes(&d, sizeof d, "double"); \
		float f = __floatun##suffix##sf(x); \
		bytes(&f, sizeof f, "float"); \
	}

typedef unsigned long long word;
#define WIDE(x) (OBSERVE(x), OBSERVE((x) >> (sizeof(x) * 4)))
#ifdef __SIZEOF_INT128__
INTEGERS(__int128, unsigned __int128, ti)
#undef __parityti2
int __mulodi4(long long, long long, int *);
#else
#define __cmpsi2(x, y) (((x) > (y)) - ((x) < (y)) + 1)
INTEGERS(long long, word, di)
#endif

static double part(void) {
	static const double special[] = {0.0, -0.0, 1.0, -2.0, 0x1p-3, 3.0, 1e300, __builtin_inf()};
	return special[below(8)];
}

static word number(void) { return __VERIFIER_nondet_ulonglong() >> below(64); }

static void look(double x) {
	if (x != x) OBSERVE(0x7ff8);
	else bytes(&x, sizeof x, "part");
}

int main(void) {
#ifdef __SIZEOF_INT128__
	ti((unsigned __int128)number() << 64 | number(), (unsigned __int128)(below(2) ? number() : 0) << 64 | number());
#else
	di(number(), number());
#endif
	for (int i = 0; i < 4; i++) {
		double a = part(), b = part(), c = part(), d = part();
		double _Complex x = __builtin_complex(a, b), y = __builtin_complex(c, d), z = x * y;
		look(__real__ z);
		look(__imag__ z);
		float _Complex p = __builtin_complex((float)a, (float)b), q = __builtin_complex((float)c, (float)d), r = p * q;
		look(__real__ r);
		look(__imag__ r);
		// Divisors in which all libraries agree, but for the sign of a zero.
		static const double powers[] = {1.0, -2.0, 0x1p-3, 64.0};
		double e = powers[below(4)], f = below(100), g = below(100);
		z = __builtin_complex(f, g) / __builtin_complex(e, 0.0);
		look(__real__ z + 0.0);
		look(__imag__ z + 0.0);
		r = __builtin_complex((float)f, (float)g) / __builtin_complex(0.0f, (float)e);
		look(__real__ r + 0.0);
		look(__imag__ r + 0.0);
	}
}
