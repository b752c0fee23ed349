// A stack as a list: pushed and popped in any order, then emptied. The depth is
// counted beside it. BUG: pop does not look whether the stack is empty.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
  int value;
  struct item *below;
};

struct stack {
  struct item *top;
};

static void push(struct stack *s, int value) {
  struct item *n = malloc(sizeof *n);
  n->value = value;
  n->below = s->top;
  s->top = n;
}

static int pop(struct stack *s) {
  struct item *n = s->top;
  int value = n->value;
  s->top = n->below;
  free(n);
  return value;
}

int main(void) {
  struct stack s = {NULL};
  while (__VERIFIER_nondet_int()) {
    int value = __VERIFIER_nondet_int();
    if (value >= 0)
      push(&s, value);
#ifdef BUG
    else
#else
    else if (s.top != NULL)
#endif
      assert(pop(&s) >= 0);
  }
  while (s.top != NULL)
    assert(pop(&s) >= 0);
}
