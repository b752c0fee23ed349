// A list of records that have a block for their data, or none. BUG: a block that is dropped
// in the middle is freed again at the end.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct data {
  int used, size;
};

struct record {
  struct data *data;
  struct record *next;
};

int main(void) {
  struct record *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct record *r = malloc(sizeof *r);
    r->data = NULL;
    if (__VERIFIER_nondet_int()) {
      r->data = malloc(sizeof(struct data));
      r->data->used = 0;
      r->data->size = 8;
    }
    r->next = list;
    list = r;
  }
  for (struct record *r = list; r != NULL; r = r->next) {
    if (r->data != NULL && r->data->used == r->data->size) {
      free(r->data);
      r->data = NULL;
    } else if (r->data != NULL && __VERIFIER_nondet_int()) {
      free(r->data);
#ifndef BUG
      r->data = NULL;
#endif
    }
  }
  while (list != NULL) {
    struct record *next = list->next;
    free(list->data);
    free(list);
    list = next;
  }
}
