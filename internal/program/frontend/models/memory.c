// Models of the allocation functions of stdlib.h and of the functions of
// string.h that work on ranges of bytes.
//
// A size of 0 gives an object without bytes, which may be freed once.
#include "library.h"

static void *no_memory(void) {
	__assay_errno = ERROR_NOMEM;
	return 0;
}

MODEL void *malloc(size_t size) {
	if (__assay_malloc_fails(size)) return no_memory();
	return __assay_malloc(size);
}

MODEL void *calloc(size_t count, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) return no_memory();
	if (__assay_malloc_fails(bytes)) return no_memory();
	void *p = __assay_malloc(bytes);
	__assay_memset(p, 0, bytes);
	return p;
}

MODEL void free(void *p) { __assay_free(p); }

// The old object is dead afterwards, whether or not the new one lies in its place. Of 0 bytes the result
// may be null, as in glibc, or an object.
MODEL void *realloc(void *p, size_t size) {
	if (!p) return malloc(size);
	__assay_check(__assay_heap_start(p), INVALID_FREE, "realloc of something that is no heap object");
	if (size == 0 && __assay_nondet_bool("realloc")) {
		__assay_free(p);
		return 0;
	}
	if (__assay_malloc_fails(size)) return no_memory();
	size_t old = __assay_object_size(p);
	p = __assay_cede(p);
	void *q = __assay_malloc(size);
	__assay_memcpy(q, p, old < size ? old : size);
	__assay_free(p);
	return q;
}

MODEL void *reallocarray(void *p, size_t count, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) return no_memory();
	return realloc(p, bytes);
}

static _Bool power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

// The address is aligned as that of malloc: a greater alignment cannot be seen
// without casting the pointer, and is then not modelled.
static void *aligned(size_t alignment, size_t size) {
	if (alignment > 16) __assay_unsupported("an allocation aligned to more than 16 bytes");
	return malloc(size);
}

MODEL void *aligned_alloc(size_t alignment, size_t size) {
	REQUIRE(power_of_two(alignment), "aligned_alloc: the alignment is no power of two");
	return aligned(alignment, size);
}

MODEL void *memalign(size_t alignment, size_t size) {
	REQUIRE(power_of_two(alignment), "memalign: the alignment is no power of two");
	return aligned(alignment, size);
}

MODEL int posix_memalign(void **result, size_t alignment, size_t size) {
	if (!power_of_two(alignment) || alignment % sizeof(void *) != 0) return ERROR_INVAL;
	int before = __assay_errno;
	void *p = aligned(alignment, size);
	__assay_errno = before;
	if (!p) return ERROR_NOMEM;
	*result = p;
	return 0;
}

MODEL size_t malloc_usable_size(void *p) {
	REQUIRE(p == 0 || __assay_heap_start(p), "malloc_usable_size of something that is no heap object");
	size_t more = __assay_nondet_size("malloc_usable_size") & 15;
	return p ? __assay_object_size(p) + more : 0;
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

MODEL void explicit_bzero(void *p, size_t size) { __assay_memset(p, 0, size); }

MODEL void bcopy(const void *from, void *to, size_t size) { __assay_memcpy(to, from, size); }

static int difference(const void *a, const void *b, size_t size) {
	const unsigned char *x = a, *y = b;
	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i]) return x[i] - y[i];
	return 0;
}

MODEL int memcmp(const void *a, const void *b, size_t size) { return ordered(difference(a, b, size), "memcmp"); }

MODEL int bcmp(const void *a, const void *b, size_t size) { return ordered(difference(a, b, size), "bcmp"); }

MODEL void *memchr(const void *p, int byte, size_t size) {
	const unsigned char *x = p;
	for (size_t i = 0; i < size; i++)
		if (x[i] == (unsigned char)byte) return (void *)(x + i);
	return 0;
}

MODEL void *memrchr(const void *p, int byte, size_t size) {
	const unsigned char *x = p;
	while (size-- > 0)
		if (x[size] == (unsigned char)byte) return (void *)(x + size);
	return 0;
}

MODEL void *rawmemchr(const void *p, int byte) {
	const unsigned char *x = p;
	while (*x != (unsigned char)byte) x++;
	return (void *)x;
}

MODEL void *memccpy(void *restrict to, const void *restrict from, int byte, size_t size) {
	char *t = to;
	const char *f = from;
	for (size_t i = 0; i < size; i++) {
		t[i] = f[i];
		if (f[i] == (char)byte) {
			REQUIRE(!overlap(to, from, i + 1), "memccpy with overlapping ranges");
			return t + i + 1;
		}
	}
	REQUIRE(!overlap(to, from, size), "memccpy with overlapping ranges");
	return 0;
}

MODEL void *memmem(const void *p, size_t size, const void *part, size_t length) {
	const char *x = p;
	if (length > size) return 0;
	for (size_t i = 0; i <= size - length; i++)
		if (difference(x + i, part, length) == 0) return (void *)(x + i);
	return 0;
}

MODEL void swab(const void *restrict from, void *restrict to, ptrdiff_t size) {
	const char *f = from;
	char *t = to;
	for (ptrdiff_t i = 0; i + 1 < size; i += 2) {
		char c = f[i];
		t[i] = f[i + 1];
		t[i + 1] = c;
	}
}
