#include "library.h"
#include <ctype.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
	wchar_t a[16], b[16], c[32] = {0};
	unsigned n = below(8), m = below(4);
	for (unsigned i = 0; i < n; i++) a[i] = (wchar_t)(L'a' + below(2));
	for (unsigned i = 0; i < m; i++) b[i] = (wchar_t)(L'a' + below(2));
	a[n] = b[m] = 0;
	OBSERVE(wcslen(a));
	OBSERVE(wcscmp(a, b) < 0);
	OBSERVE(wcscmp(a, b) == 0);
	OBSERVE(wcsncmp(a, b, 2) > 0);
	OBSERVE(wcsstr(a, b) ? wcsstr(a, b) - a : -1);
	OBSERVE(wcschr(a, L'b') ? wcschr(a, L'b') - a : -1);
	OBSERVE(wcsrchr(a, L'b') ? wcsrchr(a, L'b') - a : -1);
	OBSERVE(wcsspn(a, b));
	OBSERVE(wcscspn(a, b));
	wcscpy(c, a);
	wcscat(c, b);
	wcsncat(c, a, 2);
	bytes(c, sizeof c, "wcscat");
	wcsncpy(c + 1, b, 4);
	wmemset(c + 9, L'x', 3);
	wmemmove(c, c + 1, 5);
	bytes(c, sizeof c, "wmemset");
	OBSERVE(wmemcmp(a, b, 1) == 0);
	char s[20];
	text(s, 6, "ab\xe9");
	wchar_t w = 0;
	OBSERVE(mbtowc(&w, s, 3));
	OBSERVE(w);
	OBSERVE(mbstowcs(c, s, 5));
	OBSERVE(wcstombs(s, a, 5));
	unsigned x = below(300);
	OBSERVE(!!iswalpha(x) + 2 * !!iswdigit(x) + 4 * !!iswspace(x) + 8 * !!iswpunct(x) + 16 * !!iswprint(x) + 32 * !!iswcntrl(x) + 64 * !!iswxdigit(x));
	OBSERVE(towupper(x));
	int ch = (int)below(257) - 1;
	OBSERVE(!!isalpha(ch) + 2 * !!isdigit(ch) + 4 * !!isspace(ch) + 8 * !!ispunct(ch) + 16 * !!isprint(ch) + 32 * !!iscntrl(ch) + 64 * !!isxdigit(ch) + 128 * !!isupper(ch) + 256 * !!islower(ch) + 512 * !!isgraph(ch) + 1024 * !!isblank(ch) + 2048 * !!isalnum(ch));
	OBSERVE((tolower)(ch));
	OBSERVE(toupper(ch));
	return 0;
}
