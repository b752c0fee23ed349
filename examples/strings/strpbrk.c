// The first character that is from a set. BUG: ends only when one is found.
#include <assay.h>

static char *find(const char *s, const char *set) {
  const char *q;
  int c, d;
#ifdef BUG
  while ((c = *s++) != 1) {
#else
  while ((c = *s++) != 0) {
#endif
    for (q = set; (d = *q++) != 0;)
      if (d == c)
        return (char *)(s - 1);
  }
  return NULL;
}

int main(void) {
  char *s, *set;
  assay_string(s);
  assay_string(set);
  find(s, set);
}
