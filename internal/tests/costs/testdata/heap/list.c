#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int f(int n) {
    struct node *head = 0;
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        if (!p)
            break;
        p->next = head;
        p->value = i;
        head = p;
    }
    int s = 0;
    while (head) {
        struct node *next = head->next;
        s += head->value;
        free(head);
        head = next;
    }
    return s;
}
