// The first place where a string occurs in another one. BUG: compares past the end.
#include <assay.h>

static char *find(const char *s, const char *what) {
  for (;; s++) {
    const char *p = s, *q = what;
#ifdef BUG
    while (*q == 0 || *p == *q) {
#else
    while (*q != 0 && *p == *q) {
#endif
      p++;
      q++;
    }
    if (*q == 0)
      return (char *)s;
    if (*s == 0)
      return NULL;
  }
}

int main(void) {
  char *s, *what;
  assay_string(s);
  assay_string(what);
  find(s, what);
}
