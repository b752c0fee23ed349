// Models of the allocation functions of stdlib.h and of the functions of
// string.h that work on ranges of bytes.
//
// A size of 0 gives an object without bytes, which may be freed once.
#include "assay_model.h"

MODEL void *malloc(size_t size) {
	if (__assay_malloc_fails()) return 0;
	return __assay_malloc(size);
}

MODEL void *calloc(size_t count, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) return 0;
	if (__assay_malloc_fails()) return 0;
	void *p = __assay_malloc(bytes);
	__assay_memset(p, 0, bytes);
	return p;
}

MODEL void free(void *p) { __assay_free(p); }

// The old object is dead afterwards, whether or not it moved.
MODEL void *realloc(void *p, size_t size) {
	if (!p) return malloc(size);
	__assay_check(__assay_heap_start(p), INVALID_FREE, "realloc of something that is no heap object");
	if (__assay_malloc_fails()) return 0;
	size_t old = __assay_object_size(p);
	void *q = __assay_malloc(size);
	__assay_memcpy(q, p, old < size ? old : size);
	__assay_free(p);
	return q;
}

MODEL void *reallocarray(void *p, size_t count, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) return 0;
	return realloc(p, bytes);
}

MODEL void *aligned_alloc(size_t alignment, size_t size) { return malloc(size); }

MODEL void *memalign(size_t alignment, size_t size) { return malloc(size); }

MODEL int posix_memalign(void **result, size_t alignment, size_t size) {
	void *p = malloc(size);
	if (!p) return 12; // ENOMEM
	*result = p;
	return 0;
}

// Whether [to, to+size) and [from, from+size) share a byte.
static _Bool overlap(const char *to, const char *from, size_t size) {
	if (!__assay_same_object(to, from)) return 0;
	size_t a = __assay_offset(to), b = __assay_offset(from);
	return a < b ? b - a < size : a - b < size;
}

MODEL void *memcpy(void *restrict to, const void *restrict from, size_t size) {
	__assay_check(!overlap(to, from, size), PRECONDITION, "memcpy with overlapping ranges");
	__assay_memcpy(to, from, size);
	return to;
}

MODEL void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
	__assay_check(!overlap(to, from, size), PRECONDITION, "mempcpy with overlapping ranges");
	__assay_memcpy(to, from, size);
	return (char *)to + size;
}

MODEL void *memmove(void *to, const void *from, size_t size) {
	__assay_memcpy(to, from, size);
	return to;
}

MODEL void *memset(void *p, int byte, size_t size) {
	__assay_memset(p, (unsigned char)byte, size);
	return p;
}

MODEL void bzero(void *p, size_t size) { __assay_memset(p, 0, size); }

MODEL void bcopy(const void *from, void *to, size_t size) { __assay_memcpy(to, from, size); }

MODEL int memcmp(const void *a, const void *b, size_t size) {
	const unsigned char *x = a, *y = b;
	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
	return 0;
}

MODEL int bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }

MODEL void *memchr(const void *p, int byte, size_t size) {
	const unsigned char *x = p;
	for (size_t i = 0; i < size; i++)
		if (x[i] == (unsigned char)byte) return (void *)(x + i);
	return 0;
}
