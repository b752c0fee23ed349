// Copies a string to a buffer of n bytes as far as there is room, with a terminating
// zero if n is not 0; yields the length of the string. BUG: the zero goes behind the
// buffer.
#include <assay.h>

static size_t copy(char *to, const char *from, size_t n) {
  const char *start = from;
  size_t left = n;
  if (left != 0) {
#ifdef BUG
    while (left-- != 0) {
#else
    while (--left != 0) {
#endif
      if ((*to++ = *from++) == 0)
        return from - start - 1;
    }
    *to = 0;
  }
  while (*from++)
    ;
  return from - start - 1;
}

int main(void) {
  char *from, *to;
  size_t n = assay_size();
  assay_string(from);
  assay_array(to, n);
  copy(to, from, n);
}
