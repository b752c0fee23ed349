// A string buffer that grows by realloc: characters are appended, the string ends with
// a zero. BUG: no room for the zero.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

struct buffer {
  char *text;
  size_t length, capacity;
};

static void append(struct buffer *b, char c) {
#ifdef BUG
  if (b->length >= b->capacity) {
#else
  if (b->length + 1 >= b->capacity) {
#endif
    size_t capacity = b->capacity < 8 ? 8 : 2 * b->capacity;
    char *text = realloc(b->text, capacity);
    if (text == NULL)
      abort();
    b->text = text;
    b->capacity = capacity;
  }
  b->text[b->length++] = c;
  b->text[b->length] = 0;
}

int main(void) {
  struct buffer b = {NULL, 0, 0};
  while (__VERIFIER_nondet_int() && b.length < 1000000)
    append(&b, __VERIFIER_nondet_char());
  if (b.text != NULL)
    assert(b.text[b.length] == 0);
  free(b.text);
}
