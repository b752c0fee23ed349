// Models of arpa/inet.h: IPv4 addresses as texts, as glibc reads and writes them. IPv6 is not modelled.
#include "library.h"

enum { INET = 2, ERROR_NOSPC = 28, ERROR_AFNOSUPPORT = 97 };

// number reads a part of an address in decimal, octal or hexadecimal, as strtoul does; no sign, no space. One
// that does not fit is not ok.
static const char *number(const char *s, uint32_t *value, _Bool *ok) {
	unsigned base = 10;
	uint64_t n = 0;
	_Bool some = 0;
	if (*s == '0') {
		base = 8;
		some = 1;
		s++;
		if ((*s == 'x' || *s == 'X') && digit_value(s[1]) < 16) {
			base = 16;
			s++;
		}
	}
	for (; digit_value(*s) < base; s++) {
		if (n <= UINT32_MAX) n = n * base + digit_value(*s);
		some = 1;
	}
	*ok = some && n <= UINT32_MAX;
	*value = (uint32_t)n;
	return s;
}

// address reads one to four parts, the last of which fills the rest; what is behind must be white space.
static _Bool address(const char *s, uint32_t *result) {
	uint32_t high = 0, value = 0;
	int parts = 0;
	for (;;) {
		_Bool ok;
		if (*s < '0' || *s > '9') return 0;
		s = number(s, &value, &ok);
		if (!ok) return 0;
		parts++;
		if (*s != '.') break;
		if (parts == 4 || value > 255) return 0;
		high |= value << (32 - 8 * parts);
		s++;
	}
	if (*s && !is_space(*s)) return 0;
	if (parts > 1 && value > (UINT32_MAX >> (8 * (parts - 1)))) return 0;
	*result = __builtin_bswap32(high | value);
	return 1;
}
MODEL int inet_aton(const char *s, void *result) {
	uint32_t a;
	if (!address(s, &a)) return 0;
	if (result) __assay_memcpy(result, &a, sizeof a);
	return 1;
}
MODEL uint32_t inet_addr(const char *s) {
	uint32_t a;
	return address(s, &a) ? a : UINT32_MAX;
}

// Four parts in decimal without needless zeros.
MODEL int inet_pton(int family, const char *restrict s, void *restrict result) {
	if (family == 10) __assay_unsupported("inet_pton of IPv6");
	if (family != INET) {
		__assay_errno = ERROR_AFNOSUPPORT;
		return -1;
	}
	unsigned char bytes[4] = {0};
	int part = 0, digits = 0;
	for (; *s; s++) {
		if (*s >= '0' && *s <= '9') {
			unsigned n = bytes[part] * 10u + (unsigned)(*s - '0');
			if ((digits > 0 && bytes[part] == 0) || n > 255) return 0;
			bytes[part] = (unsigned char)n;
			digits++;
		} else if (*s == '.' && digits > 0) {
			if (part == 3) return 0;
			part++;
			digits = 0;
		} else {
			return 0;
		}
	}
	if (part < 3 || digits == 0) return 0;
	__assay_memcpy(result, bytes, sizeof bytes);
	return 1;
}

enum { TEXT = 16 };
static size_t text_of(const unsigned char *bytes, char *to) {
	size_t n = 0;
	for (int i = 0; i < 4; i++) {
		unsigned b = bytes[i];
		if (i > 0) to[n++] = '.';
		if (b >= 100) to[n++] = (char)('0' + b / 100);
		if (b >= 10) to[n++] = (char)('0' + b / 10 % 10);
		to[n++] = (char)('0' + b % 10);
	}
	to[n] = 0;
	return n;
}
MODEL char *inet_ntoa(uint32_t address) {
	static char text[TEXT];
	text_of((const unsigned char *)&address, text);
	return text;
}
MODEL const char *inet_ntop(int family, const void *restrict address, char *restrict to, unsigned size) {
	if (family == 10) __assay_unsupported("inet_ntop of IPv6");
	if (family != INET) {
		__assay_errno = ERROR_AFNOSUPPORT;
		return 0;
	}
	char text[TEXT];
	size_t n = text_of(address, text);
	if (n >= size) {
		__assay_errno = ERROR_NOSPC;
		return 0;
	}
	__assay_memcpy(to, text, n + 1);
	return to;
}
