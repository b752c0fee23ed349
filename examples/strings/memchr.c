// The first place of a byte among n. BUG: looks at one more.
#include <assay.h>

static void *find(const void *s, int c, size_t n) {
  if (n != 0) {
    const unsigned char *p = s;
#ifdef BUG
    n++;
#endif
    do {
      if (*p++ == (unsigned char)c)
        return (void *)(p - 1);
    } while (--n != 0);
  }
  return NULL;
}

int main(void) {
  char *s;
  size_t n = assay_size();
  assay_array(s, n);
  find(s, assay_int(), n);
}
