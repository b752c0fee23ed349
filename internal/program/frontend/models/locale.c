// The formatting conventions of the "C" locale [C11 7.11.2.1], which is the only one that
// programs are in. The structure belongs to the library; a program must not change it.
#include "library.h"

// struct lconv of glibc.
static struct conventions {
	char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol;
	char *mon_decimal_point, *mon_thousands_sep, *mon_grouping, *positive_sign, *negative_sign;
	char limits[14]; // int_frac_digits to int_n_sign_posn: CHAR_MAX says that there is no such thing
} conventions;

MODEL struct conventions *localeconv(void) {
	static const char point[2] = ".", none[1] = "";
	char *empty = (char *)none;
	conventions = (struct conventions){
		(char *)point, empty, empty, empty, empty, empty, empty, empty, empty, empty,
		{127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127},
	};
	return &conventions;
}
