// The length of a string. BUG: starts one character too far.
#include <assay.h>

static size_t length(const char *s) {
  const char *p = s;
#ifdef BUG
  p++;
#endif
  while (*p)
    p++;
  return p - s;
}

int main(void) {
  char *s;
  assay_string(s);
  assay_assert(s[length(s)] == 0);
}
