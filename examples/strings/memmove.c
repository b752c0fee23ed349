// Copies n bytes between ranges that may overlap. BUG: goes one too far backwards.
#include <assay.h>

static void *move(void *to, const void *from, size_t n) {
  char *d = to;
  const char *s = from;
  if (d == s || n == 0)
    return to;
  if (d < s) {
    do
      *d++ = *s++;
    while (--n != 0);
  } else {
    d += n;
    s += n;
    do
      *--d = *--s;
#ifdef BUG
    while (n-- != 0);
#else
    while (--n != 0);
#endif
  }
  return to;
}

int main(void) {
  char *a;
  size_t size = assay_size(), n = assay_size(), i = assay_size(), k = assay_size();
  assay_array(a, size);
  assay_assume(n <= size && i <= size - n && k <= size - n);
  move(a + i, a + k, n);
}
