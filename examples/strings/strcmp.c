// Compares two strings. BUG: forgets that both may end.
#include <assay.h>

static int compare(const char *a, const char *b) {
#ifdef BUG
  while (*a == *b)
    a++, b++;
#else
  while (*a == *b) {
    if (*a == 0)
      return 0;
    a++, b++;
  }
#endif
  return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(void) {
  char *a, *b;
  assay_string(a);
  assay_string(b);
  compare(a, b);
}
