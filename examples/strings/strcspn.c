// How many characters at the start are not from a set. BUG: the end of the string is
// missed if the set has no zero before it.
#include <assay.h>

static size_t span(const char *s, const char *set) {
  const char *p = s, *q;
  char c, d;
  for (;;) {
    c = *p++;
    q = set;
    do {
      if ((d = *q++) == c)
        return p - 1 - s;
#ifdef BUG
    } while (d != 0 && c != 0);
#else
    } while (d != 0);
#endif
  }
}

int main(void) {
  char *s, *set;
  assay_string(s);
  assay_string(set);
  span(s, set);
}
