// Models of what glibc's ctype.h expands to: tables of the properties of
// characters and of their other case, for the "C" locale, indexed from -128.
#include "library.h"

// The bits of a property, as glibc numbers them on a little-endian machine.
#define BIT(n) ((n) < 8 ? (1 << (n)) << 8 : (1 << (n)) >> 8)
enum { UPPER = BIT(0), LOWER = BIT(1), ALPHA = BIT(2), DIGIT = BIT(3), XDIGIT = BIT(4), SPACE = BIT(5), PRINT = BIT(6), GRAPH = BIT(7), BLANK = BIT(8), CNTRL = BIT(9), PUNCT = BIT(10), ALNUM = BIT(11) };

#define IN(c, a, b) ((c) >= (a) && (c) <= (b))
#define IS_UPPER(c) IN(c, 'A', 'Z')
#define IS_LOWER(c) IN(c, 'a', 'z')
#define IS_DIGIT(c) IN(c, '0', '9')
#define IS_ALPHA(c) (IS_UPPER(c) || IS_LOWER(c))
#define IS_ALNUM(c) (IS_ALPHA(c) || IS_DIGIT(c))
#define PROPERTIES(c) \
	((IS_UPPER(c) ? UPPER : 0) | (IS_LOWER(c) ? LOWER : 0) | (IS_ALPHA(c) ? ALPHA : 0) | (IS_DIGIT(c) ? DIGIT : 0) | \
	 (IS_DIGIT(c) || IN(c, 'A', 'F') || IN(c, 'a', 'f') ? XDIGIT : 0) | ((c) == ' ' || IN(c, 9, 13) ? SPACE : 0) | \
	 (IN(c, 32, 126) ? PRINT : 0) | (IN(c, 33, 126) ? GRAPH : 0) | ((c) == ' ' || (c) == 9 ? BLANK : 0) | \
	 (IN(c, 0, 31) || (c) == 127 ? CNTRL : 0) | (IN(c, 33, 126) && !IS_ALNUM(c) ? PUNCT : 0) | (IS_ALNUM(c) ? ALNUM : 0))
#define TO_LOWER(c) (IS_UPPER(c) ? (c) + 32 : (c))
#define TO_UPPER(c) (IS_LOWER(c) ? (c) - 32 : (c))

#define ROW(F, c) F(c), F(c + 1), F(c + 2), F(c + 3), F(c + 4), F(c + 5), F(c + 6), F(c + 7)
#define PAGE(F, c) ROW(F, (c)), ROW(F, (c) + 8), ROW(F, (c) + 16), ROW(F, (c) + 24), ROW(F, (c) + 32), ROW(F, (c) + 40), ROW(F, (c) + 48), ROW(F, (c) + 56)
#define TABLE(F) {PAGE(F, -128), PAGE(F, -64), PAGE(F, 0), PAGE(F, 64), PAGE(F, 128), PAGE(F, 192)}

static const unsigned short properties[384] = TABLE(PROPERTIES);
static const int lower_case[384] = TABLE(TO_LOWER);
static const int upper_case[384] = TABLE(TO_UPPER);
static const unsigned short *const properties_at = properties + 128;
static const int *const lower_at = lower_case + 128;
static const int *const upper_at = upper_case + 128;

MODEL const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&properties_at; }
MODEL const int **__ctype_tolower_loc(void) { return (const int **)&lower_at; }
MODEL const int **__ctype_toupper_loc(void) { return (const int **)&upper_at; }
MODEL size_t __ctype_get_mb_cur_max(void) { return 1; }

// The functions take EOF or an unsigned char, as the tables do. C says that those that ask are not 0 for
// yes; glibc gives the bit of its table, others, and compilers that know the function, 1.
#define CTYPE(name, result) \
	MODEL int name(int c) { \
		REQUIRE(c >= -1 && c <= 255, #name ": neither EOF nor an unsigned char"); \
		return result; \
	}

static int yes(int bit, const char *function) { return __assay_nondet_bool(function) ? 1 : bit; }
#define ASKS(name, condition, bit) CTYPE(name, (condition) ? yes(bit, #name) : 0)
ASKS(isdigit, IS_DIGIT(c), DIGIT)
ASKS(isupper, IS_UPPER(c), UPPER)
ASKS(islower, IS_LOWER(c), LOWER)
ASKS(isalpha, IS_ALPHA(c), ALPHA)
ASKS(isalnum, IS_ALNUM(c), ALNUM)
ASKS(isxdigit, IS_DIGIT(c) || IN(c, 'A', 'F') || IN(c, 'a', 'f'), XDIGIT)
ASKS(isspace, c == ' ' || IN(c, 9, 13), SPACE)
ASKS(isblank, c == ' ' || c == 9, BLANK)
ASKS(iscntrl, IN(c, 0, 31) || c == 127, CNTRL)
ASKS(isprint, IN(c, 32, 126), PRINT)
ASKS(isgraph, IN(c, 33, 126), GRAPH)
ASKS(ispunct, IN(c, 33, 126) && !IS_ALNUM(c), PUNCT)
CTYPE(tolower, TO_LOWER(c))
CTYPE(toupper, TO_UPPER(c))
MODEL int isascii(int c) { return (c & ~127) == 0; }
MODEL int toascii(int c) { return c & 127; }
