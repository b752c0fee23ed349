// The rounding mode, as x86 numbers it (rounding.go looks at it).
#include "library.h"

int __assay_rounding;
MODEL int fegetround(void) { return __assay_rounding; }
MODEL int fesetround(int mode) {
	if (mode & ~0xc00) return 1;
	__assay_rounding = mode;
	return 0;
}
