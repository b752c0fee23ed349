// The first place of a character, which may be the zero. BUG: the zero is not looked at
// before going on.
#include <assay.h>

static char *find(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c)
      return (char *)s;
#ifndef BUG
    if (*s == 0)
      return NULL;
#endif
  }
}

int main(void) {
  char *s;
  assay_string(s);
  char c = assay_char();
  char *p = find(s, c);
  assay_assert(p == NULL || *p == c);
}
