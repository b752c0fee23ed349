// How many characters at the start are from a set. BUG: the end of the set is missed.
#include <assay.h>

static size_t span(const char *s, const char *set) {
  const char *p = s, *q;
  char c, d;
again:
  c = *p++;
#ifdef BUG
  for (q = set; (d = *q++) != c;)
    ;
  if (c != 0)
    goto again;
#else
  for (q = set; (d = *q++) != 0;)
    if (d == c)
      goto again;
#endif
  return p - 1 - s;
}

int main(void) {
  char *s, *set;
  assay_string(s);
  assay_string(set);
  span(s, set);
}
