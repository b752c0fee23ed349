// The interpreter of scanf formats. Texts are scanned exactly, except for the
// values of floating-point numbers. From a file the input is arbitrary: each
// conversion gets what some input gives it, or fails and ends the scan. What is
// known of the character that comes next is kept (stream.h): behind a number
// there is no digit, behind white space none of it.
#include "stream.h"

double strtod(const char *, char **);

struct source {
	const char *text; // null for a file
	size_t at;
	// Of a file: no input is left; input may have ended behind the last
	// conversion, which looked at the next character; what is known of that.
	_Bool ended, ahead;
	unsigned char next;
};

// begin is what a conversion that does not skip white space does first.
static void begin(struct source *in) {
	if (in->next == SOMETHING) OVER_APPROXIMATED("scanf");
}

// end_behind says what is known of the next character behind a conversion.
static void end_behind(struct source *in, unsigned char next) {
	in->next = next;
	in->ahead = next != ANYTHING;
}

// store writes an integer of a length in bytes.
static void store(void *p, int length, unsigned long long x) {
	if (length == 8) *(unsigned long long *)p = x;
	else if (length == 4) *(unsigned *)p = (unsigned)x;
	else if (length == 2) *(unsigned short *)p = (unsigned short)x;
	else *(unsigned char *)p = (unsigned char)x;
}

static int length_modifier(const char **f) {
	char c = **f;
	int n = c == 'h' ? 2 : c == 'l' ? (int)sizeof(long) : c == 'j' || c == 'q' ? 8 : c == 'z' || c == 't' ? (int)sizeof(size_t) : c == 'L' ? 0 : 4;
	if (n == 4 && c != 'l' && c != 'z' && c != 't') return n;
	++*f;
	if ((c == 'h' || c == 'l') && **f == c) {
		++*f;
		n = c == 'h' ? 1 : 8;
	}
	return n;
}

// Whether a character is in the set [...] that begins at f, after the bracket.
static _Bool in_set(const char *f, unsigned char c) {
	_Bool negated = *f == '^';
	if (negated) f++;
	_Bool found = 0;
	for (const char *p = f; p == f || *p != ']'; p++) {
		if (*p == 0) break;
		if (p[1] == '-' && p[2] != ']' && p[2] != 0) {
			found |= c >= (unsigned char)p[0] && c <= (unsigned char)p[2];
			p += 2;
		} else {
			found |= c == (unsigned char)*p;
		}
	}
	return found != negated;
}

// The end of a set.
static const char *after_set(const char *f) {
	if (*f == '^') f++;
	if (*f) f++;
	while (*f && *f != ']') f++;
	return *f ? f + 1 : f;
}

// Whether %s, %c or %[ takes the character.
static _Bool takes(char kind, const char *set, char c) { return kind == 'c' || (kind == 's' ? !is_space((unsigned char)c) : in_set(set, (unsigned char)c)); }

// fill makes characters of the input.
static void fill(char *p, size_t length, char kind, const char *set, _Bool no_space) {
	for (size_t n = 0; n < length; n++) {
		char c = (char)__assay_nondet_int("scanf");
		__assay_assume(takes(kind, set, c));
		if (n == 0 && no_space) __assay_assume(!is_space((unsigned char)c));
		p[n] = c;
	}
}

// scan_characters is %c, %s and %[: up to width characters go to p (null drops
// them), with a NUL if they are text.
static _Bool scan_characters(struct source *in, char kind, const char *set, size_t width, char *p) {
	size_t n = 0;
	if (in->text) {
		while (n < width && in->text[in->at] && takes(kind, set, in->text[in->at])) {
			if (p) p[n] = in->text[in->at];
			n++;
			in->at++;
		}
		if (n == 0) return 0;
		if (p) REQUIRE(!overlap(p, in->text + (in->at - n), n), "sscanf into the text that it reads");
	} else {
		_Bool no_space = in->next == NO_SPACE;
		end_behind(in, kind == 'c' ? ANYTHING : SOMETHING);
		// The end of the file leaves %5c with less, as glibc has it.
		size_t length = width;
		if (kind != 'c' || width > 1) {
			length = __assay_nondet_size("scanf");
			__assay_assume(length > 0 && length <= width);
		}
		in->ended |= kind == 'c' && length < width;
		if (!p) return 1;
		// A text without a bound that is too long is one invalid write.
		if (width == (size_t)-1) {
			size_t room = __assay_object_size(p) - __assay_offset(p);
			__assay_check(length < room, INVALID_DEREF, "scanf: a text that is longer than its object");
			if (length >= room) length = room;
			fill(p, length, kind, set, no_space);
			if (length < room) p[length] = 0;
			return 1;
		}
		fill(p, length, kind, set, no_space);
		n = length;
	}
	if (p && kind != 'c') p[n] = 0;
	return 1;
}

static _Bool scan_integer(struct source *in, char kind, size_t width, int length, void *p) {
	int base = kind == 'd' || kind == 'u' ? 10 : kind == 'o' ? 8 : kind == 'i' ? 0 : 16;
	unsigned long long x;
	if (in->text) {
		size_t used;
		const char *s = in->text + in->at;
		struct integer r = __assay_integer(s, width, base, &used);
		if (used == 0) {
			static const char null[] = "(nil)"; // so glibc writes and reads a null pointer
			for (size_t i = 0; i < 5; i++)
				if (kind != 'p' || width < 5 || (i > 0 && i < 4 ? s[i] | 32 : s[i]) != null[i]) return 0;
			used = 5;
		}
		if (base == 0 && used == 1 + (*s == '-' || *s == '+') && s[used - 1] == '0' && (s[used] | 32) == 'b' && digit_value(s[used + 1]) < 2 && __assay_uses("__isoc23_sscanf __isoc23_vsscanf"))
			__assay_unsupported("scanf: a binary number");
		// 0x without a digit: no number, as C says, or 0, as glibc has it.
		if ((base == 16 || base == 0) && used < width && s[used - 1] == '0' && used - (*s == '-' || *s == '+') == 1 && (s[used] | 32) == 'x') {
			if (__assay_nondet_bool("sscanf")) return 0;
			used++;
		}
		in->at += used;
		_Bool isSigned = kind == 'd' || kind == 'i';
		unsigned long long greatest = ~0ull >> (64 - (length < (int)sizeof(long) ? (int)sizeof(long) : length) * 8) >> isSigned;
		if (r.overflow || r.magnitude > greatest + (isSigned && r.negative)) { // as strtol
			x = greatest + (isSigned && r.negative);
			if (isSigned && r.negative) x = -x;
		} else {
			x = r.negative ? -r.magnitude : r.magnitude;
		}
	} else {
		x = (unsigned long long)__assay_nondet_long_long("scanf");
		if (width < 20) { // so few digits, a sign included
			unsigned long long limit = 1;
			unsigned digit = base == 0 ? 10 : (unsigned)base; // 0x takes two characters
			for (size_t i = 0; i < width; i++) limit *= digit;
			long long s = length == 8 ? (long long)x : length == 4 ? (int)x : length == 2 ? (short)x : (signed char)x;
			__assay_assume(s < 0 ? -(unsigned long long)s < limit / digit : (unsigned long long)s < limit);
			x = (unsigned long long)s;
		}
	}
	if (p) store(p, length, x);
	return 1;
}

static _Bool scan_floating(struct source *in, size_t width, int length, void *p) {
	double x;
	if (in->text) {
		if (width != (size_t)-1) __assay_unsupported("scanf: a floating-point number of bounded width");
		char *end;
		x = strtod(in->text + in->at, &end);
		if (end == in->text + in->at) return 0;
		// What goes on as a number, but is none: C and glibc differ.
		const char *s = in->text + in->at + (in->text[in->at] == '-' || in->text[in->at] == '+');
		_Bool hexadecimal = s[0] == '0' && (s[1] | 32) == 'x';
		if ((*end | 32) == (hexadecimal ? 'p' : 'e') || (hexadecimal && end == s + 1) || ((*s | 32) == 'i' && (*end | 32) == 'i') || ((*s | 32) == 'n' && s[3] == '('))
			__assay_unsupported("scanf: the beginning of a number that does not go on as one");
		in->at = (size_t)(end - in->text);
	} else {
		x = __assay_nondet_double("scanf");
	}
	if (!p) return 1;
	if (length == 8) *(double *)p = x;
	else *(float *)p = (float)x;
	return 1;
}

static void skip_space(struct source *in) {
	if (in->text)
		while (is_space((unsigned char)in->text[in->at])) in->at++;
	else end_behind(in, NO_SPACE);
}

// match is a character of the format that is none of a conversion.
static _Bool match(struct source *in, char c) {
	if (in->text) return in->text[in->at] == c;
	begin(in);
	_Bool same = __assay_nondet_bool("scanf");
	end_behind(in, same ? ANYTHING : SOMETHING);
	in->ahead = 0; // the character is there
	return same;
}

int __assay_scan(const char *text, FILE *file, const char *f, va_list arguments) {
	struct source in = {text, 0, 0, 0, 0};
	int done = 0;
	if (!text) {
		in.ended = __assay_input_over(file);
		if (file && file->pushed) {
			OVER_APPROXIMATED("ungetc");
			file->pushed = 0;
			in.ended = 0;
		}
		if (file) in.next = file->next;
	}
	_Bool over = in.ended;
	va_list a;
	va_copy(a, arguments);
	while (*f) {
		if (is_space((unsigned char)*f)) {
			skip_space(&in);
			f++;
			continue;
		}
		if (*f != '%' || f[1] == '%') {
			if (*f == '%') {
				skip_space(&in);
				f++;
			}
			if (text ? text[in.at] == 0 : in.ended || __assay_nondet_bool("scanf")) { // the end of the input
				in.ended = 1;
				if (done == 0) done = -1;
				break;
			}
			if (!match(&in, *f)) break;
			in.at++;
			f++;
			continue;
		}
		f++;
		_Bool drop = *f == '*';
		if (drop) f++;
		size_t width = 0;
		for (; *f >= '0' && *f <= '9'; f++) width = width * 10 + (size_t)(*f - '0');
		_Bool wide = *f == 'l', allocate = *f == 'm';
		int length = length_modifier(&f);
		char kind = *f++;
		const char *set = f;
		if (kind == '[') f = after_set(f);
		if ((wide || allocate) && (kind == 's' || kind == 'c' || kind == '[' || allocate)) __assay_unsupported("scanf with wide or allocated text");
		if (kind == 'n') {
			if (length == 0) length = 8;
			if (text) store(va_arg(a, void *), length, in.at);
			else store(va_arg(a, void *), length, (unsigned long long)(__assay_approximate_int("scanf") & 0x7fffffff));
			continue;
		}
		if (width == 0) width = kind == 'c' ? 1 : (size_t)-1;
		if (kind != 'c' && kind != '[') skip_space(&in);
		if (text ? text[in.at] == 0 : in.ended || __assay_nondet_bool("scanf")) { // the end of the input
			in.ended = 1;
			if (done == 0) done = -1;
			break;
		}
		if (!text && (kind == 'c' || kind == '[')) begin(&in);
		void *p = drop ? 0 : va_arg(a, void *);
		_Bool fits;
		switch (kind) {
		case 'd':
		case 'i':
		case 'u':
		case 'o':
		case 'x':
		case 'X':
			if (length == 0) length = 8; // as glibc has it
			end_behind(&in, SOMETHING);
			fits = (text || !__assay_nondet_bool("scanf")) && scan_integer(&in, kind, width, length, p);
			break;
		case 'p':
			end_behind(&in, SOMETHING);
			fits = (text || !__assay_nondet_bool("scanf")) && scan_integer(&in, 'p', width, sizeof(void *), p);
			break;
		case 'a':
		case 'A':
		case 'e':
		case 'E':
		case 'f':
		case 'F':
		case 'g':
		case 'G':
			if (length == 0) __assay_unsupported("scanf with a long double");
			end_behind(&in, SOMETHING);
			fits = (text || !__assay_nondet_bool("scanf")) && scan_floating(&in, width, wide ? 8 : 4, p);
			break;
		case 'c':
		case 's':
			fits = scan_characters(&in, kind, set, width, p);
			break;
		case '[':
			fits = (text || !__assay_nondet_bool("scanf")) && scan_characters(&in, kind, set, width, p);
			if (!fits) end_behind(&in, SOMETHING);
			break;
		default:
			__assay_unsupported("scanf with a conversion that is not modelled");
		}
		if (!fits) break;
		if (!drop) done++;
	}
	va_end(a);
	if (text || over) return done;
	if (in.ended || (in.ahead && __assay_nondet_bool("scanf"))) __assay_no_input(file);
	else if (file) file->next = in.next;
	return done;
}
