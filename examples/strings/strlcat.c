// Appends a string to the one in a buffer of n bytes, as far as there is room. BUG: the
// buffer may be full of characters without a zero.
#include <assay.h>

static size_t append(char *to, const char *from, size_t n) {
  const char *start = from, *begin = to;
  size_t left = n;
#ifdef BUG
  while (*to != 0)
    to++, left--;
#else
  while (left != 0 && *to != 0)
    to++, left--;
#endif
  size_t length = to - begin;
  if (left == 0) {
    while (*from)
      from++;
    return length + (from - start);
  }
  left--;
  while (*from != 0) {
    if (left != 0) {
      *to++ = *from;
      left--;
    }
    from++;
  }
  *to = 0;
  return length + (from - start);
}

int main(void) {
  char *from, *to;
  size_t n = assay_size();
  assay_string(from);
  assay_array(to, n);
  append(to, from, n);
}
