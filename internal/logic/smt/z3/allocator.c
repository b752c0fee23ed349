// How the memory of the C libraries grows in this process; nothing else calls this.
//
// The solvers come and go, on whatever thread the Go runtime has for them. With
// what glibc does by default each thread has an arena that grows by a page at a
// time (a system call for each), and what is freed goes back to the system, to be
// filled with zeros again for the next solver: a context of Z3 touches 17 MB
// before it is asked anything. So there is one arena, it grows by 4 MB, keeps what
// it has, and its beginning is made of large pages, if the system lets programs ask
// for these. Most questions need no more than that.

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAD = 4 << 20, BEGINNING = 32 << 20, HUGE_PAGE = 2 << 20 };

static void __attribute__((constructor)) configure(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, BEGINNING);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_TOP_PAD, BEGINNING);
  uintptr_t begin = (uintptr_t)sbrk(0);
  void *volatile grown = malloc(256 << 10); // more than there may be room for; not volatile, compilers leave it out
  uintptr_t end = (uintptr_t)sbrk(0);
  free(grown);
  mallopt(M_TOP_PAD, PAD);
#ifdef MADV_HUGEPAGE
  begin = (begin + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
  if (end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
}
