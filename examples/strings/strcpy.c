// Copies a string to a buffer that has room for it. BUG: the buffer has no room for
// the terminating zero.
#include <assay.h>

static char *copy(char *to, const char *from) {
  char *start = to;
  while ((*to++ = *from++))
    ;
  return start;
}

int main(void) {
  char *from, *to;
  size_t n = assay_size();
  assay_assume(n < 1000000);
  assay_array(from, n + 1);
  from[n] = 0;
#ifdef BUG
  assay_array(to, n);
#else
  assay_array(to, n + 1);
#endif
  assay_assert(copy(to, from) == to);
}
