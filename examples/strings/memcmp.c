// Compares n bytes. BUG: also where n is 0.
#include <assay.h>

static int compare(const void *a, const void *b, size_t n) {
  const unsigned char *p = a, *q = b;
#ifndef BUG
  if (n != 0)
#endif
    do {
      if (*p++ != *q++)
        return *--p - *--q;
    } while (--n != 0);
  return 0;
}

int main(void) {
  char *a, *b;
  size_t n = assay_size();
  assay_array(a, n);
  assay_array(b, n);
  compare(a, b, n);
}
