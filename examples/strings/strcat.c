// Appends a string to another one, in a buffer that has room for both. BUG: room for
// the characters only.
#include <assay.h>

static char *append(char *to, const char *from) {
  char *d = to;
  while (*d)
    d++;
  while ((*d++ = *from++))
    ;
  return to;
}

int main(void) {
  char *from, *to;
  size_t n = assay_size(), m = assay_size();
  assay_assume(n < 1000000 && m < 1000000);
  assay_array(from, n + 1);
  from[n] = 0;
#ifdef BUG
  assay_array(to, m + n);
#else
  assay_array(to, m + n + 1);
#endif
  assay_assume(m + n > m || n == 0);
#ifdef BUG
  assay_assume(n > 0);
#endif
  to[m] = 0;
  append(to, from);
}
