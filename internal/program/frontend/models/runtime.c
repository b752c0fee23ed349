// Models of what compilers call without being asked: libatomic, and the parts of
// libgcc and compiler-rt that compute with complex and with wide numbers.
//
// There is one thread, so that atomic operations are plain ones. Quotients of
// complex numbers are rounded as the runtime library likes: the result is that
// of libgcc before version 12, of libgcc since, or of compiler-rt.
#include "library.h"

// clang does not let a program define its builtins by their names.
#define BUILTIN(name) __asm__(#name)

#ifdef __SIZEOF_INT128__
typedef __int128 ti;
typedef unsigned __int128 uti;
#else
typedef _BitInt(128) ti;
typedef unsigned _BitInt(128) uti;
#endif
typedef int si;
typedef unsigned usi;
typedef long long di;
typedef unsigned long long udi;

// Objects of any size.
MODEL void atomic_load(size_t size, void *from, void *to, int order) BUILTIN(__atomic_load);
MODEL void atomic_store(size_t size, void *to, void *from, int order) BUILTIN(__atomic_store);
MODEL void atomic_exchange(size_t size, void *p, void *with, void *old, int order) BUILTIN(__atomic_exchange);
MODEL _Bool atomic_compare_exchange(size_t size, void *p, void *expected, void *desired, int success, int failure) BUILTIN(__atomic_compare_exchange);
MODEL _Bool atomic_is_lock_free(size_t size, void *p) BUILTIN(__atomic_is_lock_free);

void atomic_load(size_t size, void *from, void *to, int order) { __assay_memcpy(to, from, size); }
void atomic_store(size_t size, void *to, void *from, int order) { __assay_memcpy(to, from, size); }
void atomic_exchange(size_t size, void *p, void *with, void *old, int order) {
	__assay_memcpy(old, p, size);
	__assay_memcpy(p, with, size);
}
// All bytes are compared, those of padding too.
_Bool atomic_compare_exchange(size_t size, void *p, void *expected, void *desired, int success, int failure) {
	const unsigned char *a = p, *b = expected;
	for (size_t i = 0; i < size; i++) {
		if (a[i] != b[i]) {
			__assay_memcpy(expected, p, size);
			return 0;
		}
	}
	__assay_memcpy(p, desired, size);
	return 1;
}
_Bool atomic_is_lock_free(size_t size, void *p) { return size <= 16 && __assay_nondet_bool("__atomic_is_lock_free"); }

// Integers.
#define UPDATE(N, T, name, result) \
	MODEL T atomic_fetch_##name##_##N(void *p, T x, int order) BUILTIN(__atomic_fetch_##name##_##N); \
	T atomic_fetch_##name##_##N(void *p, T x, int order) { \
		T old = *(T *)p; \
		*(T *)p = (T)(result); \
		return old; \
	} \
	MODEL T atomic_##name##_fetch_##N(void *p, T x, int order) BUILTIN(__atomic_##name##_fetch_##N); \
	T atomic_##name##_fetch_##N(void *p, T x, int order) { \
		T old = *(T *)p; \
		return *(T *)p = (T)(result); \
	}
#define ATOMIC(N, T) \
	MODEL T atomic_load_##N(void *p, int order) BUILTIN(__atomic_load_##N); \
	T atomic_load_##N(void *p, int order) { return *(T *)p; } \
	MODEL void atomic_store_##N(void *p, T x, int order) BUILTIN(__atomic_store_##N); \
	void atomic_store_##N(void *p, T x, int order) { *(T *)p = x; } \
	MODEL T atomic_exchange_##N(void *p, T x, int order) BUILTIN(__atomic_exchange_##N); \
	T atomic_exchange_##N(void *p, T x, int order) { \
		T old = *(T *)p; \
		*(T *)p = x; \
		return old; \
	} \
	MODEL _Bool atomic_compare_exchange_##N(void *p, void *expected, T x, int success, int failure) BUILTIN(__atomic_compare_exchange_##N); \
	_Bool atomic_compare_exchange_##N(void *p, void *expected, T x, int success, int failure) { \
		T old = *(T *)p; \
		if (old == *(T *)expected) { \
			*(T *)p = x; \
			return 1; \
		} \
		*(T *)expected = old; \
		return 0; \
	} \
	UPDATE(N, T, add, old + x) \
	UPDATE(N, T, sub, old - x) \
	UPDATE(N, T, and, old & x) \
	UPDATE(N, T, or, old | x) \
	UPDATE(N, T, xor, old ^ x) \
	UPDATE(N, T, nand, ~(old & x))
ATOMIC(1, uint8_t)
ATOMIC(2, uint16_t)
ATOMIC(4, uint32_t)
ATOMIC(8, uint64_t)
ATOMIC(16, uti)

// Arithmetic. Nothing here overflows: results are those of the machine.
#define MAGNITUDE(T, x) ((x) < 0 ? -(u##T)(x) : (u##T)(x))
#define INTEGERS(T, suffix, bits) \
	MODEL u##T __udiv##suffix##3(u##T a, u##T b) { return a / b; } \
	MODEL u##T __umod##suffix##3(u##T a, u##T b) { return a % b; } \
	MODEL u##T __udivmod##suffix##4(u##T a, u##T b, u##T *rest) { \
		if (rest) *rest = a % b; \
		return a / b; \
	} \
	MODEL T __div##suffix##3(T a, T b) { \
		u##T q = MAGNITUDE(T, a) / MAGNITUDE(T, b); \
		return (T)((a < 0) != (b < 0) ? -q : q); \
	} \
	MODEL T __mod##suffix##3(T a, T b) { \
		u##T r = MAGNITUDE(T, a) % MAGNITUDE(T, b); \
		return (T)(a < 0 ? -r : r); \
	} \
	MODEL T __divmod##suffix##4(T a, T b, T *rest) { \
		*rest = __mod##suffix##3(a, b); \
		return __div##suffix##3(a, b); \
	} \
	MODEL T __mul##suffix##3(T a, T b) { return (T)((u##T)a * (u##T)b); } \
	MODEL T __neg##suffix##2(T a) { return (T) - (u##T)a; } \
	MODEL u##T __ashl##suffix##3(u##T a, int n) { return a << n; } \
	MODEL u##T __lshr##suffix##3(u##T a, int n) { return a >> n; } \
	MODEL T __ashr##suffix##3(T a, int n) { return a >> n; } \
	MODEL int __cmp##suffix##2(T a, T b) { return (a > b) - (a < b) + 1; } \
	MODEL int __ucmp##suffix##2(u##T a, u##T b) { return (a > b) - (a < b) + 1; } \
	MODEL T __mulo##suffix##4(T a, T b, int *overflow) { \
		T c = (T)((u##T)a * (u##T)b); \
		u##T x = MAGNITUDE(T, a), y = MAGNITUDE(T, b), limit = ((u##T)1 << (bits - 1)) - !((a < 0) != (b < 0)); \
		*overflow = x != 0 && y > limit / x; \
		return c; \
	} \
	MODEL T __addv##suffix##3(T a, T b) { \
		T c = (T)((u##T)a + (u##T)b); \
		if ((c < a) != (b < 0)) __assay_abort(); \
		return c; \
	} \
	MODEL T __subv##suffix##3(T a, T b) { \
		T c = (T)((u##T)a - (u##T)b); \
		if ((c > a) != (b < 0)) __assay_abort(); \
		return c; \
	} \
	MODEL T __mulv##suffix##3(T a, T b) { \
		int overflow; \
		T c = __mulo##suffix##4(a, b, &overflow); \
		if (overflow) __assay_abort(); \
		return c; \
	} \
	MODEL T __negv##suffix##2(T a) { return __subv##suffix##3(0, a); } \
	MODEL T __absv##suffix##2(T a) { return a < 0 ? __negv##suffix##2(a) : a; } \
	MODEL int __popcount##suffix##2(u##T a) { \
		int n = 0; \
		for (int i = 0; i < bits; i++) n += (int)(a >> i & 1); \
		return n; \
	} \
	MODEL int __parity##suffix##2(u##T a) { return __popcount##suffix##2(a) & 1; } \
	MODEL int __ctz##suffix##2(u##T a) { \
		REQUIRE(a != 0, "__ctz" #suffix "2 of 0"); \
		int n = 0; \
		while (n < bits && !(a >> n & 1)) n++; \
		return n; \
	} \
	MODEL int __clz##suffix##2(u##T a) { \
		REQUIRE(a != 0, "__clz" #suffix "2 of 0"); \
		int n = 0; \
		while (n < bits && !(a >> (bits - 1 - n) & 1)) n++; \
		return n; \
	} \
	MODEL int __ffs##suffix##2(u##T a) { return a == 0 ? 0 : __ctz##suffix##2(a) + 1; }
INTEGERS(si, si, 32)
INTEGERS(di, di, 64)
INTEGERS(ti, ti, 128)
MODEL uint32_t __bswapsi2(uint32_t a) { return __builtin_bswap32(a); }
MODEL uint64_t __bswapdi2(uint64_t a) { return __builtin_bswap64(a); }

// Conversions. A result that does not fit is undefined behaviour U7.
#define CONVERSIONS(T, suffix) \
	MODEL double __float##suffix##df(T a) { return (double)a; } \
	MODEL float __float##suffix##sf(T a) { return (float)a; } \
	MODEL double __floatun##suffix##df(u##T a) { return (double)a; } \
	MODEL float __floatun##suffix##sf(u##T a) { return (float)a; } \
	MODEL T __fixdf##suffix(double a) { return (T)a; } \
	MODEL T __fixsf##suffix(float a) { return (T)a; } \
	MODEL u##T __fixunsdf##suffix(double a) { return (u##T)a; } \
	MODEL u##T __fixunssf##suffix(float a) { return (u##T)a; }
CONVERSIONS(si, si)
CONVERSIONS(di, di)
CONVERSIONS(ti, ti)
MODEL float __extendhfsf2(_Float16 a) { return (float)a; }
MODEL double __extendhfdf2(_Float16 a) { return (double)a; }
MODEL _Float16 __truncsfhf2(float a) { return (_Float16)a; }
MODEL _Float16 __truncdfhf2(double a) { return (_Float16)a; }

// Complex numbers. Products are as in Annex G of C11, in which the libraries agree.
#define NAN_OR(x, other) ((x) != (x) ? __builtin_copysign(0, (x)) : (other))
#define MULTIPLY(name, T) \
	MODEL T _Complex name(T a, T b, T c, T d) { \
		T ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc; \
		if (x == x || y == y) return __builtin_complex(x, y); \
		_Bool again = 0; \
		if (__builtin_isinf(a) || __builtin_isinf(b)) { \
			a = (T)__builtin_copysign(__builtin_isinf(a) ? 1 : 0, a); \
			b = (T)__builtin_copysign(__builtin_isinf(b) ? 1 : 0, b); \
			c = (T)NAN_OR(c, c); \
			d = (T)NAN_OR(d, d); \
			again = 1; \
		} \
		if (__builtin_isinf(c) || __builtin_isinf(d)) { \
			c = (T)__builtin_copysign(__builtin_isinf(c) ? 1 : 0, c); \
			d = (T)__builtin_copysign(__builtin_isinf(d) ? 1 : 0, d); \
			a = (T)NAN_OR(a, a); \
			b = (T)NAN_OR(b, b); \
			again = 1; \
		} \
		if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) { \
			a = (T)NAN_OR(a, a); \
			b = (T)NAN_OR(b, b); \
			c = (T)NAN_OR(c, c); \
			d = (T)NAN_OR(d, d); \
			again = 1; \
		} \
		if (!again) return __builtin_complex(x, y); \
		T infinite = (T)__builtin_inf(); \
		return __builtin_complex((T)(infinite * (a * c - b * d)), (T)(infinite * (a * d + b * c))); \
	}
MULTIPLY(__muldc3, double)
MULTIPLY(__mulsc3, float)

static double any_double(const char *name) { return __assay_approximate_double(name); }

// 2^exponent, for |exponent| <= 1022.
static double power_of_two(int exponent) {
	union {
		uint64_t bits;
		double value;
	} u = {.bits = (uint64_t)(1023 + exponent) << 52};
	return u.value;
}
// The exponent of a normal number.
static int exponent_of(double x) {
	union {
		double value;
		uint64_t bits;
	} u = {.value = x};
	return (int)(u.bits >> 52 & 0x7ff) - 1023;
}

// Within these bounds no library scales, and nothing overflows or underflows.
#define TAME(x, bound) ((x) == 0 || (__builtin_fabs(x) <= bound && __builtin_fabs(x) >= 1 / bound))

#define SAME(x, y) (__real__(x) == __real__(y) && __imag__(x) == __imag__(y) && \
	__builtin_signbit(__real__(x)) == __builtin_signbit(__real__(y)) && __builtin_signbit(__imag__(x)) == __builtin_signbit(__imag__(y)))

#define DIVIDE(name, T, bound) \
	/* libgcc: Smith's method */ \
	static T _Complex name##_smith(T a, T b, T c, T d) { \
		if (__builtin_fabs(c) < __builtin_fabs(d)) { \
			T r = c / d, denominator = c * r + d; \
			return __builtin_complex((T)((a * r + b) / denominator), (T)((b * r - a) / denominator)); \
		} \
		T r = d / c, denominator = c + d * r; \
		return __builtin_complex((T)((a + b * r) / denominator), (T)((b - a * r) / denominator)); \
	} \
	/* compiler-rt: the divisor is scaled to about 1 */ \
	static T _Complex name##_scaled(T a, T b, T c, T d) { \
		int n = exponent_of(__builtin_fabs(c) < __builtin_fabs(d) ? d : c); \
		T scale = (T)power_of_two(-n); \
		c *= scale; \
		d *= scale; \
		T denominator = c * c + d * d; \
		T x = (a * c + b * d) / denominator, y = (b * c - a * d) / denominator; \
		return __builtin_complex((T)(x * scale), (T)(y * scale)); \
	} \
	MODEL T _Complex name(T a, T b, T c, T d) { \
		if (c == 0 && d == 0 && __builtin_isfinite(a) && __builtin_isfinite(b)) { \
			T infinite = (T)__builtin_copysign(__builtin_inf(), c); \
			return __builtin_complex((T)(infinite * a), (T)(infinite * b)); \
		} \
		if (!TAME(a, bound) || !TAME(b, bound) || !TAME(c, bound) || !TAME(d, bound) || (c == 0 && d == 0)) \
			return __builtin_complex((T)any_double(#name), (T)any_double(#name)); \
		T _Complex x = name##_smith(a, b, c, d), y = name##_scaled(a, b, c, d), z = name##_wide(a, b, c, d); \
		if (!SAME(x, y) && __assay_nondet_bool(#name)) x = y; \
		if (!SAME(x, z) && __assay_nondet_bool(#name)) x = z; \
		return x; \
	}

static double _Complex __divdc3_smith(double a, double b, double c, double d);
static double _Complex __divdc3_wide(double a, double b, double c, double d) { return __divdc3_smith(a, b, c, d); }
DIVIDE(__divdc3, double, 0x1p200)
// libgcc since version 12 divides floats as doubles.
static float _Complex __divsc3_wide(float a, float b, float c, float d) {
	double e = a, f = b, g = c, h = d, denominator = g * g + h * h;
	return __builtin_complex((float)((e * g + f * h) / denominator), (float)((f * g - e * h) / denominator));
}
DIVIDE(__divsc3, float, 0x1p20)
