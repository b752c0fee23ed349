// The interpreter of printf formats, exact for d i u o x X c s n % with all
// flags, widths, precisions and lengths. Of what the other conversions write,
// only the bounds are known: f F e E g G a A p.
//
// Loops run over constant bounds where the format is constant, so that they
// fold: over the most digits that a type can have, not over those of a value.
#include "library.h"

#include <limits.h>

struct sink {
	char *s;
	size_t size, n; // written so far, or wanted
};

static void put(struct sink *o, char c) {
	if (o->size == PRINT_UNBOUNDED || o->n < o->size) o->s[o->n] = c;
	o->n++;
}

static void pad(struct sink *o, char c, size_t from, size_t to) {
	for (; from < to; from++) put(o, c);
}

struct conversion {
	_Bool left, plus, space, alternative, zero, precise;
	size_t width, precision;
	int length; // bytes of an integer argument
};

// The length of a number in a base, at most so many digits.
static size_t digits(unsigned long long u, unsigned base, unsigned most) {
	size_t n = 1;
	unsigned long long power = 1;
	for (unsigned i = 1; i < most; i++) {
		power *= base;
		n += u >= power;
	}
	return n;
}

static void put_digit(struct sink *o, unsigned digit, _Bool capital) {
	put(o, (char)(digit < 10 ? '0' + digit : (capital ? 'A' : 'a') + digit - 10));
}

// Integers. The prefix is a sign, or 0x.
static void put_integer(struct sink *o, const struct conversion *c, unsigned long long u, char sign, unsigned base, _Bool capital) {
	unsigned most = base == 10 ? (c->length == 8 ? 20 : c->length == 4 ? 10 : c->length == 2 ? 5 : 3)
	                           : (unsigned)(c->length * 8 + (base == 8 ? 2 : 3)) / (base == 8 ? 3 : 4);
	size_t count = digits(u, base, most);
	if (c->precise && c->precision == 0 && u == 0) count = 0;
	size_t all = c->precise && c->precision > count ? c->precision : count;
	if (c->alternative && base == 8 && all == count && (u != 0 || count == 0)) all = count + 1;
	size_t prefix = sign ? 1 : 0;
	_Bool hexadecimal = c->alternative && base == 16 && u != 0;
	if (hexadecimal) prefix = 2;
	_Bool zeros = c->zero && !c->left && !c->precise;
	if (!c->left && !zeros) pad(o, ' ', prefix + all, c->width);
	if (sign) put(o, sign);
	if (hexadecimal) {
		put(o, '0');
		put(o, capital ? 'X' : 'x');
	}
	if (zeros) pad(o, '0', prefix + all, c->width);
	pad(o, '0', count, all);
	unsigned long long power = 1;
	for (unsigned i = 1; i < most; i++) power *= base;
	for (unsigned i = most; i > 0; i--, power /= base) {
		if (i > count) continue;
		if (c->length == 8) put_digit(o, (unsigned)(u / power % base), capital);
		else put_digit(o, (unsigned)u / (unsigned)power % base, capital);
	}
	if (c->left) pad(o, ' ', prefix + all, c->width);
}

// Text that is not known: between least and most characters, and the width.
static void put_unknown(struct sink *o, const struct conversion *c, size_t least, size_t most) {
	size_t n = __assay_approximate_size("printf");
	if (n < least) n = least;
	if (n > most) n = most;
	if (least == most) n = least;
	if (n < c->width) n = c->width;
	for (size_t i = 0; i < most || i < c->width; i++) {
		char any = __assay_approximate_char("printf");
		if (i < n) put(o, any ? any : '0'); // no NUL
	}
}

// The digits of a number before the point, up to 16.
static size_t whole_digits(double x) {
	size_t n = 1;
	double power = 10;
	for (int i = 1; i < 16; i++, power *= 10) n += x >= power;
	return n;
}

static void put_floating(struct sink *o, const struct conversion *c, char kind, double x) {
	size_t precision = c->precise ? c->precision : 6;
	size_t least = 1, most;
	switch (kind | 32) {
	case 'f':
		most = 309 + 2 + precision;
		if (x < 1e15 && x > -1e15) { // rounding may carry into one more digit
			size_t rest = (__builtin_signbit(x) || c->plus || c->space) + (precision > 0 || c->alternative) + precision;
			double magnitude = __builtin_fabs(x);
			least = rest + whole_digits(magnitude);
			most = rest + whole_digits(magnitude + 1);
		}
		break;
	case 'a':
		most = 12 + (c->precise ? precision : 13);
		break;
	default:
		most = 10 + precision;
	}
	if (least == 1 && most < 4) most = 4; // -inf, -nan
	put_unknown(o, c, least, most);
}

static void put_text(struct sink *o, const struct conversion *c, const char *s) {
	size_t n = 0;
	if (!s) { // what glibc prints
		s = c->precise && c->precision < 6 ? "" : "(null)";
		REQUIRE(0, "printf: %s with a null pointer");
	}
	if (c->width > 0 && !c->left) {
		while ((!c->precise || n < c->precision) && s[n]) n++;
		pad(o, ' ', n, c->width);
	}
	for (n = 0; (!c->precise || n < c->precision) && s[n]; n++) put(o, s[n]);
	if (o->size > 0 && __assay_same_object(o->s, s)) {
		size_t to = __assay_offset(o->s), from = __assay_offset(s), end = o->n > 0 ? o->n : 1;
		if (end > o->size) end = o->size;
		REQUIRE(from >= to + end || from + n < to, "printf: a string where the text is written");
	}
	if (c->left) pad(o, ' ', n, c->width);
}

static size_t decimal(const char **f) {
	size_t n = 0;
	for (; **f >= '0' && **f <= '9'; ++*f) n = n * 10 + (size_t)(**f - '0');
	return n;
}

// The length modifier, in bytes of the integer; 0 for long double.
static int modifier(const char **f) {
	char c = **f;
	int n = 4;
	switch (c) {
	case 'h':
		n = 2;
		break;
	case 'l':
		n = sizeof(long);
		break;
	case 'q':
	case 'j':
		n = 8;
		break;
	case 'z':
	case 't':
		n = sizeof(size_t);
		break;
	case 'L':
		n = 0;
		break;
	default:
		return n;
	}
	++*f;
	if ((c == 'h' || c == 'l') && **f == c) {
		++*f;
		n = c == 'h' ? 1 : 8;
	}
	return n;
}

size_t __assay_print(char *s, size_t size, const char *f, va_list arguments) {
	struct sink o = {s, size, 0};
	va_list a;
	va_copy(a, arguments);
	while (*f) {
		if (*f != '%') {
			put(&o, *f++);
			continue;
		}
		f++;
		struct conversion c = {0, 0, 0, 0, 0, 0, 0, 0, 0};
		for (_Bool flags = 1; flags;) {
			switch (*f) {
			case '-': c.left = 1; break;
			case '+': c.plus = 1; break;
			case ' ': c.space = 1; break;
			case '#': c.alternative = 1; break;
			case '0': c.zero = 1; break;
			default: flags = 0;
			}
			if (flags) f++;
		}
		if (*f == '*') {
			f++;
			int width = va_arg(a, int);
			c.left |= width < 0;
			c.width = width < 0 ? -(size_t)width : (size_t)width;
		} else {
			c.width = decimal(&f);
		}
		if (*f == '.') {
			f++;
			c.precise = 1;
			if (*f == '*') {
				f++;
				int precision = va_arg(a, int);
				c.precise = precision >= 0;
				c.precision = precision >= 0 ? (size_t)precision : 0;
			} else {
				c.precision = decimal(&f);
			}
		}
		_Bool wide = *f == 'l';
		c.length = modifier(&f);
		char kind = *f++;
		_Bool integer = kind == 'd' || kind == 'i' || kind == 'u' || kind == 'o' || kind == 'x' || kind == 'X' || kind == 'n';
		if (c.length == 0 && integer) c.length = 8; // as glibc has it
		switch (kind) {
		case 'd':
		case 'i': {
			long long x;
			if (c.length == 8) x = va_arg(a, long long);
			else x = va_arg(a, int);
			if (c.length == 2) x = (short)x;
			if (c.length == 1) x = (signed char)x;
			put_integer(&o, &c, x < 0 ? -(unsigned long long)x : (unsigned long long)x, x < 0 ? '-' : c.plus ? '+' : c.space ? ' ' : 0, 10, 0);
			break;
		}
		case 'u':
		case 'o':
		case 'x':
		case 'X': {
			unsigned long long x;
			if (c.length == 8) x = va_arg(a, unsigned long long);
			else x = va_arg(a, unsigned);
			if (c.length == 2) x = (unsigned short)x;
			if (c.length == 1) x = (unsigned char)x;
			put_integer(&o, &c, x, 0, kind == 'u' ? 10 : kind == 'o' ? 8 : 16, kind == 'X');
			break;
		}
		case 'c':
			if (wide) __assay_unsupported("printf with a wide character");
			if (!c.left) pad(&o, ' ', 1, c.width);
			put(&o, (char)va_arg(a, int));
			if (c.left) pad(&o, ' ', 1, c.width);
			break;
		case 's':
			if (wide) __assay_unsupported("printf with a wide string");
			put_text(&o, &c, va_arg(a, const char *));
			break;
		case 'p':
			va_arg(a, void *);
			put_unknown(&o, &c, 3, 18);
			break;
		case 'n':
			if (c.length == 8) *va_arg(a, long long *) = (long long)o.n;
			else if (c.length == 4) *va_arg(a, int *) = (int)o.n;
			else if (c.length == 2) *va_arg(a, short *) = (short)o.n;
			else *va_arg(a, signed char *) = (signed char)o.n;
			break;
		case 'f':
		case 'F':
		case 'e':
		case 'E':
		case 'g':
		case 'G':
		case 'a':
		case 'A':
			if (c.length == 0) {
				(void)va_arg(a, long double);
				put_unknown(&o, &c, 1, 4935 + (c.precise ? c.precision : 63));
			} else put_floating(&o, &c, kind, va_arg(a, double));
			break;
		case '%':
			put(&o, '%');
			break;
		default:
			__assay_unsupported("printf with a conversion that is not modelled");
		}
	}
	va_end(a);
	return o.n;
}
