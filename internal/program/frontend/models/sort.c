// Models of qsort and bsearch. C says that the comparisons are those of a
// total order, and leaves open where equal elements go, which of several equal
// elements is found, and which elements are compared.
//
// qsort is insertion sort by exchanges of neighbours that may, or may not, go
// on past equal elements: the results are the sorted permutations, each of
// them. To see what the comparison function does to pairs that this order does
// not need, two arbitrary elements are compared before.
//
// bsearch compares all elements and returns any of those that are equal to the key; or it
// compares those that glibc does, for comparison functions that leave a trace.
#include "library.h"

typedef int order(const void *, const void *);
typedef int order_with(const void *, const void *, void *);

static inline int compared(const void *a, const void *b, order *plain, order_with *with, void *argument) {
	return plain ? plain(a, b) : with(a, b, argument);
}

static inline void sort(const char *name, char *p, size_t count, size_t size, order *plain, order_with *with, void *argument) {
	size_t bytes;
	REQUIRE(!__builtin_mul_overflow(count, size, &bytes), "qsort of more bytes than fit memory");
	REQUIRE(count == 0 || size > 0, "qsort of elements without size");
	if (count > 2) {
		size_t i = __assay_nondet_size(name), j = __assay_nondet_size(name);
		if (i < count && j < count && i != j) compared(p + i * size, p + j * size, plain, with, argument);
	}
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j > 0; j--) {
			char *a = p + (j - 1) * size, *b = p + j * size;
			int c = compared(a, b, plain, with, argument);
			if (c < 0) break;
			if (c == 0 && !__assay_nondet_bool(name)) break;
			if (size % 8 == 0) {
				for (size_t k = 0; k < size; k += 8) {
					uint64_t x, y;
					__assay_memcpy(&x, a + k, 8);
					__assay_memcpy(&y, b + k, 8);
					__assay_memcpy(a + k, &y, 8);
					__assay_memcpy(b + k, &x, 8);
				}
			} else if (size % 4 == 0) {
				for (size_t k = 0; k < size; k += 4) {
					uint32_t x, y;
					__assay_memcpy(&x, a + k, 4);
					__assay_memcpy(&y, b + k, 4);
					__assay_memcpy(a + k, &y, 4);
					__assay_memcpy(b + k, &x, 4);
				}
			} else {
				for (size_t k = 0; k < size; k++) {
					char x = a[k];
					a[k] = b[k];
					b[k] = x;
				}
			}
		}
}

MODEL void qsort(void *base, size_t count, size_t size, order *compare) { sort("qsort", base, count, size, compare, 0, 0); }

MODEL void qsort_r(void *base, size_t count, size_t size, order_with *compare, void *argument) {
	sort("qsort_r", base, count, size, 0, compare, argument);
}

MODEL void *bsearch(const void *key, const void *base, size_t count, size_t size, order *compare) {
	const char *p = base;
	const void *found = 0;
	_Bool sorted = 1, below = 0;
	int last = 1;
	if (count > 1 && __assay_nondet_bool("bsearch")) {
		for (size_t low = 0, high = count; low < high;) {
			size_t i = low + (high - low) / 2;
			int c = compare(key, p + i * size);
			if (c == 0) return (void *)(p + i * size);
			if (c < 0) high = i;
			else low = i + 1;
		}
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		int c = compare(key, p + i * size);
		sorted &= !(c > 0 && last <= 0) && !(c == 0 && below);
		below |= c < 0;
		last = c;
		if (c == 0 && (!found || __assay_nondet_bool("bsearch"))) found = p + i * size;
	}
	REQUIRE(sorted, "bsearch in an array that is not sorted");
	return (void *)found;
}

// Linear search; lsearch adds the key where it is not found.
MODEL void *lfind(const void *key, const void *base, size_t *count, size_t size, order *compare) {
	const char *p = base;
	for (size_t i = 0; i < *count; i++)
		if (compare(key, p + i * size) == 0) return (void *)(p + i * size);
	return 0;
}

MODEL void *lsearch(const void *key, void *base, size_t *count, size_t size, order *compare) {
	void *p = lfind(key, base, count, size, compare);
	if (p) return p;
	p = (char *)base + *count * size;
	__assay_memcpy(p, key, size);
	++*count;
	return p;
}
