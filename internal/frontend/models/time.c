// Models of time.h: the clock shows anything.
#include "assay_model.h"

MODEL long time(long *result) {
	long now;
	__assay_havoc(&now, sizeof now);
	if (result) *result = now;
	return now;
}

MODEL long clock(void) {
	long now;
	__assay_havoc(&now, sizeof now);
	return now;
}
