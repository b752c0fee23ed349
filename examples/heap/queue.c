// A queue as a list with pointers to both ends. BUG: when the last item leaves, the
// pointer to the end stays.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
  int value;
  struct item *next;
};

struct queue {
  struct item *head, *tail;
};

static void enqueue(struct queue *q, int value) {
  struct item *n = malloc(sizeof *n);
  n->value = value;
  n->next = NULL;
  if (q->tail == NULL)
    q->head = n;
  else
    q->tail->next = n;
  q->tail = n;
}

static int dequeue(struct queue *q) {
  struct item *n = q->head;
  int value = n->value;
  q->head = n->next;
#ifndef BUG
  if (q->head == NULL)
    q->tail = NULL;
#endif
  free(n);
  return value;
}

int main(void) {
  struct queue q = {NULL, NULL};
  while (__VERIFIER_nondet_int()) {
    int value = __VERIFIER_nondet_int();
    if (value >= 0)
      enqueue(&q, value);
    else if (q.head != NULL)
      assert(dequeue(&q) >= 0);
  }
  while (q.head != NULL)
    assert(dequeue(&q) >= 0);
}
