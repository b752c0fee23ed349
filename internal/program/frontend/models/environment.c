// The environment: getenv and what changes its answers.
//
// The value of a variable is null or any string; Linux limits a string of the
// environment to 128 KiB. What is known of up to KNOWN variables is kept: what
// getenv has answered, and what the program has set. The strings that the
// program starts with are in blocks of arbitrary content, one for each of the
// first two variables that it asks for; answers about others are
// over-approximated, and so are all when more is changed than fits.
//
// A text that setenv has stored lives until the variable is set again: POSIX lets
// the library overwrite it then, which is possible here, but decides nothing.
#include "library.h"

enum { LENGTH = 131072, KNOWN = 4, NAME = 32, TEXT = 64 };

static char environment_1[LENGTH], environment_2[LENGTH];
static unsigned char asked;

// A variable: its name up to a "=" or the end, and its value. One that was given
// to putenv is known by the text of the program, which may change; the value is
// behind the name then.
static struct variable {
	const char *name;
	char *value;
	char copy[NAME], text[2][TEXT];
} variables[KNOWN];
static unsigned known;
// Nothing is left of what the program started with; a text of the program is
// part of the environment; it is not known any more what was set.
static _Bool cleared, given, lost;

static size_t length_of(const char *s) {
	size_t n = 0;
	while (s[n]) n++;
	return n;
}

static _Bool ends_name(char c) { return c == 0 || c == '='; }

static _Bool same_name(const char *a, const char *b) {
	while (!ends_name(*a) && *a == *b) a++, b++;
	return ends_name(*a) && ends_name(*b);
}

// find is the variable of a name, KNOWN if nothing is known of it.
static unsigned find(const char *name) {
	for (unsigned i = 0; i < KNOWN; i++)
		if (i < known && same_name(name, variables[i].name)) return i;
	return KNOWN;
}

// lose is what happens when there is no room for what is to be known.
static struct variable *lose(void) {
	lost = 1;
	known = 0;
	return 0;
}

// entry is a variable that is to be changed, null if there is no room for it.
static struct variable *entry(const char *name) {
	unsigned i = find(name);
	if (i == KNOWN && known < KNOWN) i = known++;
	return i == KNOWN ? lose() : &variables[i];
}

// named is the variable of a name that the library keeps.
static struct variable *named(const char *name) {
	size_t n = length_of(name);
	if (n >= NAME) return lose();
	struct variable *v = entry(name);
	if (!v) return 0;
	for (size_t i = 0; i <= n; i++) v->copy[i] = name[i];
	v->name = v->copy;
	return v;
}

// started is what the program starts with for a name of which nothing is known.
static char *started(void) {
	if (cleared && !lost && !given) return 0;
	_Bool fresh = asked < 2 && !lost && !given;
	char *block = asked == 0 ? environment_1 : environment_2;
	if (asked < 2) {
		__assay_havoc(block, LENGTH);
		block[LENGTH - 1] = 0;
		asked++;
	}
	size_t at = fresh ? __assay_nondet_size("getenv") : __assay_approximate_size("getenv");
	return at < LENGTH ? block + at : 0;
}

// A program that looks at the environment behind these functions, and lets them change it, is not modelled.
#define LOOKS_AT_IT __assay_uses("environ __environ _environ")
#define ONLY_HERE(name) \
	if (LOOKS_AT_IT) __assay_unsupported(name " in a program that looks at environ")

// look finds a variable where the program sees it.
static char *look(const char *name) {
	for (char **v = __assay_environment(); v && *v; v++) {
		const char *a = name;
		char *b = *v;
		while (*a && *a == *b) a++, b++;
		if (!*a && *b == '=') return b + 1;
	}
	return 0;
}

MODEL char *getenv(const char *name) {
	if (LOOKS_AT_IT) return look(name);
	size_t n = 0;
	_Bool equals = 0;
	for (; name[n]; n++) equals |= name[n] == '=';
	if (n == 0) return 0;
	if (equals) { // the end of a value that begins so
		OVER_APPROXIMATED("getenv");
		lost = 1;
		return started();
	}
	unsigned i = find(name);
	if (i < KNOWN) return variables[i].name == variables[i].copy ? variables[i].value : (char *)variables[i].name + n + 1;
	char *value = started();
	struct variable *v = named(name);
	if (v) v->value = value;
	return value;
}

// A privileged program gets nothing.
MODEL char *secure_getenv(const char *name) {
	static _Bool decided, privileged;
	if (!decided) privileged = __assay_nondet_bool("secure_getenv");
	decided = 1;
	return privileged ? 0 : getenv(name);
}

static int failed(const char *function) {
	if (!__assay_nondet_bool(function)) return 0;
	__assay_fail(function);
	return -1;
}

static _Bool no_name(const char *name) {
	size_t n = 0;
	while (name[n] && name[n] != '=') n++;
	if (n > 0 && !name[n]) return 0;
	__assay_errno = ERROR_INVAL;
	return 1;
}

MODEL int setenv(const char *name, const char *value, int replace) {
	ONLY_HERE("setenv");
	if (no_name(name)) return -1;
	size_t n = length_of(value);
	if (failed("setenv")) return -1;
	if (!replace && getenv(name)) return 0;
	if (n >= TEXT) {
		lose();
		return 0;
	}
	struct variable *v = named(name);
	if (!v) return 0;
	// The text that was there is overwritten, or not.
	_Bool other = 0;
	if (v->value == v->text[0]) other = __assay_approximate_bool("setenv");
	for (size_t k = 0; k <= n; k++) v->text[other][k] = value[k];
	v->value = v->text[other];
	return 0;
}

MODEL int unsetenv(const char *name) {
	ONLY_HERE("unsetenv");
	if (no_name(name)) return -1;
	if (failed("unsetenv")) return -1;
	struct variable *v = named(name);
	if (v) v->value = 0;
	return 0;
}

// The string itself becomes a part of the environment.
MODEL int putenv(char *text) {
	ONLY_HERE("putenv");
	size_t n = 0;
	while (!ends_name(text[n])) n++;
	if (n == 0 || !text[n]) __assay_unsupported("putenv of a text without a name and a value");
	if (failed("putenv")) return -1;
	given = 1;
	struct variable *v = entry(text);
	if (v) v->name = text;
	return 0;
}

MODEL int clearenv(void) {
	ONLY_HERE("clearenv");
	if (failed("clearenv")) return -1;
	known = 0;
	lost = given = 0;
	cleared = 1;
	return 0;
}
