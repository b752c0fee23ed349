// getopt and getopt_long of glibc: arguments that are no options are moved behind the
// options, unless the list of options begins with + or the environment has POSIXLY_CORRECT,
// which any environment may have or not. What they print is not modelled. optind = 0, or another
// value than the last call left, starts anew where glibc does.
#include "library.h"

char *getenv(const char *);

MODEL int optind = 1, opterr = 1, optopt = '?';
MODEL char *optarg = 0;

struct option {
	const char *name;
	int has_arg, *flag, val;
};

static _Bool started, asked, posix;
static char *rest;           // what is left of the argument that is read
static int skipped, behind;  // [skipped, behind) are arguments that were passed over
static enum { PERMUTE, REQUIRE_ORDER, IN_ORDER } ordering;

static size_t length(const char *s) {
	size_t n = 0;
	while (s[n]) n++;
	return n;
}

static _Bool begins(const char *s, const char *with, size_t n) {
	for (size_t i = 0; i < n; i++)
		if (s[i] != with[i] || !s[i]) return 0;
	return 1;
}

// The arguments that were passed over change places with the options behind them.
static void exchange(char **v) {
	int moved = optind - behind;
	for (int k = 0; k < moved; k++) {
		char *x = v[behind + k];
		for (int i = behind + k; i > skipped + k; i--) v[i] = v[i - 1];
		v[skipped + k] = x;
	}
	skipped += moved;
	behind = optind;
}

static int long_option(int c, char **v, const char *letters, const struct option *options, int *index) {
	size_t n = 0;
	while (rest[n] && rest[n] != '=') n++;
	int found = -1, partial = 0;
	for (int i = 0; options[i].name; i++) {
		if (!begins(options[i].name, rest, n)) continue;
		if (length(options[i].name) == n) {
			found = i;
			partial = 0;
			break;
		}
		if (found < 0) {
			found = i;
		} else if (options[found].has_arg != options[i].has_arg || options[found].flag != options[i].flag || options[found].val != options[i].val) {
			partial = 1;
		}
	}
	optind++;
	if (found < 0 || partial) {
		rest = 0;
		optopt = 0;
		return '?';
	}
	const struct option *o = &options[found];
	_Bool value = rest[n] == '=';
	char *text = rest + n + 1;
	rest = 0;
	if (value) {
		if (!o->has_arg) {
			optopt = o->val;
			return '?';
		}
		optarg = text;
	} else if (o->has_arg == 1) {
		if (optind >= c) {
			optopt = o->val;
			return letters[0] == ':' ? ':' : '?';
		}
		optarg = v[optind++];
	}
	if (index) *index = found;
	if (!o->flag) return o->val;
	*o->flag = o->val;
	return 0;
}

static int next(int c, char **v, const char *letters, const struct option *options, int *index) {
	if (c < 1) return -1;
	optarg = 0;
	if (optind == 0 || !started) {
		if (optind == 0) optind = 1;
		skipped = behind = optind;
		rest = 0;
		started = 1;
		if (letters[0] != '-' && letters[0] != '+' && !asked) {
			posix = __assay_uses("setenv unsetenv putenv clearenv") ? getenv("POSIXLY_CORRECT") != 0 : __assay_nondet_bool("getopt");
			asked = 1;
		}
		ordering = letters[0] == '-' ? IN_ORDER : letters[0] == '+' || posix ? REQUIRE_ORDER : PERMUTE;
	}
	if (letters[0] == '-' || letters[0] == '+') letters++;
	if (!rest || !*rest) {
		if (behind > optind) behind = optind;
		if (skipped > optind) skipped = optind;
		if (ordering == PERMUTE) {
			if (skipped != behind && behind != optind)
				exchange(v);
			else if (behind != optind)
				skipped = optind;
			while (optind < c && (v[optind][0] != '-' || !v[optind][1])) optind++;
			behind = optind;
		}
		if (optind < c && v[optind][0] == '-' && v[optind][1] == '-' && !v[optind][2]) {
			optind++;
			if (skipped != behind && behind != optind)
				exchange(v);
			else if (skipped == behind)
				skipped = optind;
			behind = c;
			optind = c;
		}
		if (optind >= c) {
			if (skipped != behind) optind = skipped;
			return -1;
		}
		if (v[optind][0] != '-' || !v[optind][1]) {
			if (ordering == REQUIRE_ORDER) return -1;
			optarg = v[optind++];
			return 1;
		}
		if (options && v[optind][1] == '-') {
			rest = v[optind] + 2;
			return long_option(c, v, letters, options, index);
		}
		rest = v[optind] + 1;
	}
	char letter = *rest++;
	const char *at = letters;
	while (*at && *at != letter) at++;
	if (!*rest) optind++;
	if (!*at || letter == ':' || letter == ';') {
		optopt = letter;
		return '?';
	}
	if (at[0] == 'W' && at[1] == ';' && options) __assay_unsupported("getopt_long with W; among the options");
	if (at[1] != ':') return letter;
	if (at[2] == ':') {
		if (*rest) {
			optarg = rest;
			optind++;
		}
		rest = 0;
		return letter;
	}
	if (*rest) {
		optarg = rest;
		optind++;
	} else if (optind == c) {
		optopt = letter;
		letter = letters[0] == ':' ? ':' : '?';
	} else {
		optarg = v[optind++];
	}
	rest = 0;
	return letter;
}

MODEL int getopt(int c, char *const v[], const char *letters) { return next(c, (char **)v, letters, 0, 0); }
MODEL int getopt_long(int c, char *const v[], const char *letters, const struct option *options, int *index) {
	return next(c, (char **)v, letters, options, index);
}
