// Models of errno.h.
#include "library.h"

int __assay_errno;

MODEL int *__errno_location(void) { return &__assay_errno; }

void __assay_fail(const char *name) {
	int error = __assay_nondet_int(name) & 0xfff;
	__assay_errno = error == 0 ? 1 : error;
}
