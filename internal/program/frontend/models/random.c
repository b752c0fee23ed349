// Models of the generators of random numbers of stdlib.h.
//
// rand and random: any sequence of numbers for each seed, the same for the same
// seed. The first numbers of the first seed are kept, and come again with it;
// those of a second seed are as arbitrary. What comes later, and might be known
// from before, is over-approximated. rand and random may be one generator
// (glibc) or two (musl): if a program uses both, nothing that was kept counts.
//
// rand_r: any function from the seed to a number and the next seed; the first
// steps are kept.
//
// drand48 and its family: POSIX says how they calculate, but for where they begin.
#include "library.h"

enum { KEPT = 4 };

struct generator {
	unsigned seed;         // the first one that numbers were drawn with
	_Bool again, another;  // there was one after it; it is another one
	unsigned char others;  // how often there was another one, up to 2
	unsigned char at;      // the number that comes next, of those that are kept
	unsigned char kept;
	int numbers[KEPT];
};

// drawn is the next number: a kept one, any, or -1 if it may be known from before
// and was not kept.
static int drawn(struct generator *g, int any) {
	if (g->another) return g->others == 1 ? any : -1;
	if (g->at < g->kept) return g->numbers[g->at++];
	if (g->kept == KEPT) return g->again ? -1 : any;
	g->at++;
	g->numbers[g->kept++] = any;
	return any;
}

static void seeded(struct generator *g, unsigned seed) {
	if (g->kept == 0) {
		g->seed = seed;
		return;
	}
	g->again = 1;
	g->another = seed != g->seed;
	g->at = 0;
	if (g->another && g->others < 2) g->others++;
}

// Without a seed from the program the first one is 1.
static struct generator plain = {.seed = 1}, random_numbers = {.seed = 1};
#define SHARED (__assay_uses("rand") && __assay_uses("random"))
#define DRAWN(name, seeding, g) \
	int any = __assay_nondet_int(name) & 0x7fffffff; \
	if (!__assay_uses(seeding)) return any; \
	int number = SHARED && (plain.again || random_numbers.again) ? -1 : drawn(g, any); \
	return number >= 0 ? number : __assay_approximate_int(name) & 0x7fffffff

MODEL int rand(void) { DRAWN("rand", "srand srandom", &plain); }
MODEL void srand(unsigned seed) { seeded(&plain, seed); }
MODEL long random(void) { DRAWN("random", "srand srandom", &random_numbers); }
MODEL void srandom(unsigned seed) { seeded(&random_numbers, seed); }

// The steps of rand_r. No generator comes back to a seed so soon.
static struct { unsigned seed, next; int number; } steps[KEPT];
static unsigned step_count, last_seed;

MODEL int rand_r(unsigned *seed) {
	unsigned given = *seed;
	_Bool goes_on = step_count > 0 && given == last_seed;
	for (unsigned i = 0; i < KEPT; i++)
		if (i < step_count && steps[i].seed == given) {
			*seed = last_seed = steps[i].next;
			return steps[i].number;
		}
	int number = __assay_nondet_int("rand_r") & 0x7fffffff;
	unsigned next = (unsigned)__assay_nondet_int("rand_r");
	if (step_count < KEPT) {
		for (unsigned i = 0; i < KEPT; i++) __assay_assume(i >= step_count || steps[i].seed != next);
		__assay_assume(next != given);
		steps[step_count].seed = given;
		steps[step_count].next = next;
		steps[step_count++].number = number;
	} else {
		if (!goes_on) number = __assay_approximate_int("rand_r") & 0x7fffffff;
		next = (unsigned)__assay_approximate_int("rand_r");
	}
	*seed = last_seed = next;
	return number;
}

// 48 bits, from anywhere until there is a seed.
static uint64_t bits;
static _Bool begun;
enum { WIDTH = 48 };

static uint64_t next_bits(const char *name) {
	if (!begun) bits = (uint64_t)__assay_nondet_long_long(name) >> (64 - WIDTH);
	begun = 1;
	bits = (bits * 0x5deece66d + 0xb) & (1ull << WIDTH) - 1;
	return bits;
}
MODEL long lrand48(void) { return (long)(next_bits("lrand48") >> 17); }
MODEL long mrand48(void) { return (int)(next_bits("mrand48") >> 16); }
MODEL double drand48(void) { return (double)(int64_t)next_bits("drand48") * 0x1p-48; }
MODEL void srand48(long seed) {
	begun = 1;
	bits = (uint64_t)(uint32_t)seed << 16 | 0x330e;
}

MODEL unsigned arc4random(void) { return (unsigned)__assay_nondet_int("arc4random"); }
MODEL unsigned arc4random_uniform(unsigned bound) {
	unsigned n = (unsigned)__assay_nondet_int("arc4random_uniform");
	__assay_assume(n < bound || (bound == 0 && n == 0));
	return n;
}
