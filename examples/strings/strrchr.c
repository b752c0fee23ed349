// The last place of a character. BUG: goes back from the end, past the start.
#include <assay.h>

static char *find(const char *s, int c) {
#ifdef BUG
  const char *p = s;
  while (*p)
    p++;
  while (*p != (char)c)
    p--;
  return (char *)p;
#else
  char *found = NULL;
  for (;; s++) {
    if (*s == (char)c)
      found = (char *)s;
    if (*s == 0)
      return found;
  }
#endif
}

int main(void) {
  char *s;
  assay_string(s);
  find(s, assay_char());
}
