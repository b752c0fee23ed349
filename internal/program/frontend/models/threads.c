// Models of pthread.h and semaphore.h for programs of one thread, as glibc has them.
//
// What the thread holds is in a table here, not in the mutexes and locks: so mutexes of any
// content, in arguments of functions, are free, and what a loop locks and unlocks is known to be
// free at its head. Where glibc waits until another thread does something, the run goes on for
// ever here, as it does there: nobody else is there. A mutex of which the initialiser says
// something else than its type (robust, with priorities, arbitrary content) returns any number.
#include "library.h"

enum { ERROR_PERM = 1, ERROR_AGAIN = 11, ERROR_BUSY = 16, ERROR_DEADLK = 35, ERROR_OVERFLOW = 75, ERROR_TIMEDOUT = 110 };

static void wait_for_ever(void) {
	for (;;) {}
}

// A function that is called once. What the control says behind is the library's.
MODEL int pthread_once(int *control, void (*function)(void)) {
	if (*control == 2) return 0;
	if (*control == 1) wait_for_ever(); // called from the function itself
	*control = 1;
	function();
	*control = 2;
	return 0;
}

// What the thread holds: mutexes, spin locks, and locks for reading or writing.
enum { HELD = 8 };
static struct held {
	const void *what; // null where there is none
	unsigned count;
	_Bool writes;
} held[HELD];

static struct held *place(const void *what) {
	for (int i = 0; i < HELD; i++)
		if (held[i].what == what) return &held[i];
	return 0;
}
static struct held *find(const void *what) { return what ? place(what) : 0; }
static void take(const void *what, _Bool writes) {
	struct held *h = place(0);
	if (!h) __assay_unsupported("more than 8 mutexes and locks at a time");
	h->what = what;
	h->count = 1;
	h->writes = writes;
}
static int again(struct held *h) {
	if (h->count == UINT32_MAX) return ERROR_AGAIN;
	h->count++;
	return 0;
}
static void give(struct held *h) {
	if (--h->count == 0) h->what = 0;
}
// begin is what makes an object a new one.
static int begin(void *what, size_t size) {
	struct held *h = find(what);
	if (h) h->what = 0;
	__assay_memset(what, 0, size);
	return 0;
}

// The kind of a mutex is where the initialisers put it.
enum { NORMAL = 0, RECURSIVE = 1, CHECKED = 2, ADAPTIVE = 3 };
struct mutex {
	int inside[sizeof(long) == 8 ? 4 : 3];
	int kind;
};
enum { MUTEX_SIZE = sizeof(long) == 8 ? 40 : 24 };
static _Bool strange(const struct mutex *m) { return m->kind < NORMAL || m->kind > ADAPTIVE; }
static int any_error(const char *function) { return __assay_nondet_int(function) & 0xfff; }

MODEL int pthread_mutex_init(struct mutex *m, const int *attributes) {
	begin(m, MUTEX_SIZE);
	m->kind = attributes ? *attributes : NORMAL;
	return 0;
}
MODEL int pthread_mutex_destroy(struct mutex *m) {
	if (strange(m)) return any_error("pthread_mutex_destroy");
	if (find(m)) return ERROR_BUSY;
	m->kind = -1;
	return 0;
}
// lock takes a mutex; if that is not possible the result is ERROR_BUSY.
static int lock(struct mutex *m, const char *function) {
	if (strange(m)) {
		int error = any_error(function);
		return error == ERROR_BUSY ? ERROR_INVAL : error;
	}
	struct held *h = find(m);
	if (h) return m->kind == RECURSIVE ? again(h) : ERROR_BUSY;
	take(m, 1);
	return 0;
}
MODEL int pthread_mutex_trylock(struct mutex *m) {
	if (strange(m)) return any_error("pthread_mutex_trylock");
	return lock(m, "pthread_mutex_trylock");
}
MODEL int pthread_mutex_lock(struct mutex *m) {
	int error = lock(m, "pthread_mutex_lock");
	if (error != ERROR_BUSY) return error;
	if (m->kind == CHECKED) return ERROR_DEADLK;
	wait_for_ever();
	return 0;
}
MODEL int pthread_mutex_timedlock(struct mutex *restrict m, const void *restrict until) {
	int error = lock(m, "pthread_mutex_timedlock");
	if (error != ERROR_BUSY) return error;
	return m->kind == CHECKED ? ERROR_DEADLK : ERROR_TIMEDOUT;
}
MODEL int pthread_mutex_unlock(struct mutex *m) {
	if (strange(m)) return any_error("pthread_mutex_unlock");
	struct held *h = find(m);
	if (!h) return m->kind == RECURSIVE || m->kind == CHECKED ? ERROR_PERM : 0;
	give(h);
	return 0;
}
MODEL int pthread_mutexattr_init(int *attributes) {
	*attributes = NORMAL;
	return 0;
}
MODEL int pthread_mutexattr_destroy(int *attributes) { return 0; }
MODEL int pthread_mutexattr_settype(int *attributes, int kind) {
	if (kind < NORMAL || kind > ADAPTIVE) return ERROR_INVAL;
	*attributes = kind;
	return 0;
}
MODEL int pthread_mutexattr_gettype(const int *restrict attributes, int *restrict kind) {
	*kind = *attributes;
	return 0;
}
MODEL int pthread_mutexattr_setpshared(int *attributes, int shared) { return shared == 0 || shared == 1 ? 0 : ERROR_INVAL; }

// Conditions. Nobody signals: a wait lasts for ever, or ends for no reason, as POSIX lets it.
MODEL int pthread_cond_init(void *condition, const void *attributes) {
	__assay_memset(condition, 0, 48);
	return 0;
}
MODEL int pthread_cond_destroy(void *condition) { return 0; }
MODEL int pthread_cond_signal(void *condition) { return 0; }
MODEL int pthread_cond_broadcast(void *condition) { return 0; }
MODEL int pthread_cond_wait(void *restrict condition, struct mutex *restrict m) {
	if (strange(m)) return any_error("pthread_cond_wait");
	if (__assay_nondet_bool("pthread_cond_wait")) wait_for_ever();
	return 0;
}
MODEL int pthread_cond_timedwait(void *restrict condition, struct mutex *restrict m, const void *restrict until) {
	if (strange(m)) return any_error("pthread_cond_timedwait");
	return __assay_nondet_bool("pthread_cond_timedwait") ? ERROR_TIMEDOUT : 0;
}

// Locks for readers or a writer.
MODEL int pthread_rwlock_init(void *l, const void *attributes) { return begin(l, sizeof(long) == 8 ? 56 : 32); }
MODEL int pthread_rwlock_destroy(void *l) { return 0; }
static void valid(const void *l) { __assay_check(__assay_valid_range(l, 4), INVALID_DEREF, "invalid lock"); }
MODEL int pthread_rwlock_tryrdlock(void *l) {
	valid(l);
	struct held *h = find(l);
	if (h) return h->writes ? ERROR_BUSY : again(h);
	take(l, 0);
	return 0;
}
MODEL int pthread_rwlock_trywrlock(void *l) {
	valid(l);
	if (find(l)) return ERROR_BUSY;
	take(l, 1);
	return 0;
}
MODEL int pthread_rwlock_rdlock(void *l) {
	int error = pthread_rwlock_tryrdlock(l);
	return error == ERROR_BUSY ? ERROR_DEADLK : error;
}
MODEL int pthread_rwlock_wrlock(void *l) {
	if (pthread_rwlock_trywrlock(l) == 0) return 0;
	struct held *h = find(l);
	if (h && !h->writes) wait_for_ever();
	return ERROR_DEADLK;
}
MODEL int pthread_rwlock_unlock(void *l) {
	valid(l);
	struct held *h = find(l);
	if (h) give(h);
	return 0;
}

MODEL int pthread_spin_init(int *l, int shared) { return begin(l, sizeof *l); }
MODEL int pthread_spin_destroy(int *l) { return 0; }
MODEL int pthread_spin_trylock(int *l) { return pthread_rwlock_trywrlock(l); }
MODEL int pthread_spin_lock(int *l) {
	if (pthread_spin_trylock(l)) wait_for_ever();
	return 0;
}
MODEL int pthread_spin_unlock(int *l) { return pthread_rwlock_unlock(l); }

// Semaphores.
static int refused(int error) {
	__assay_errno = error;
	return -1;
}
MODEL int sem_init(unsigned *semaphore, int shared, unsigned value) {
	if (value > INT32_MAX) return refused(ERROR_INVAL);
	__assay_memset(semaphore, 0, sizeof(long) == 8 ? 32 : 16);
	*semaphore = value;
	return 0;
}
MODEL int sem_destroy(unsigned *semaphore) { return 0; }
MODEL int sem_post(unsigned *semaphore) {
	if (*semaphore >= INT32_MAX) return refused(ERROR_OVERFLOW);
	++*semaphore;
	return 0;
}
MODEL int sem_trywait(unsigned *semaphore) {
	if (*semaphore == 0) return refused(ERROR_AGAIN);
	--*semaphore;
	return 0;
}
MODEL int sem_wait(unsigned *semaphore) {
	if (*semaphore == 0) wait_for_ever();
	--*semaphore;
	return 0;
}
MODEL int sem_getvalue(unsigned *restrict semaphore, int *restrict value) {
	*value = (int)*semaphore;
	return 0;
}

// Keys: what one thread has under each. Destructors are called where a thread ends, which a program that
// ends does not do.
enum { KEYS = 16 };
// A new one is the least that there is not, as in glibc.
static _Bool made[KEYS];
static const void *values[KEYS];
static _Bool is_made(unsigned key) { return key < KEYS && made[key]; }
MODEL int pthread_key_create(unsigned *key, void (*destroy)(void *)) {
	unsigned i = 0;
	while (i < KEYS && made[i]) i++;
	if (i == KEYS) __assay_unsupported("more than 16 keys of threads");
	made[i] = 1;
	values[i] = 0;
	*key = i;
	return 0;
}
MODEL int pthread_key_delete(unsigned key) {
	if (!is_made(key)) return ERROR_INVAL;
	made[key] = 0;
	return 0;
}
MODEL int pthread_setspecific(unsigned key, const void *value) {
	if (!is_made(key)) return ERROR_INVAL;
	values[key] = value;
	return 0;
}
MODEL void *pthread_getspecific(unsigned key) { return is_made(key) ? (void *)values[key] : 0; }

// The only thread.
static unsigned long self;
MODEL unsigned long pthread_self(void) {
	if (self == 0) self = (unsigned long)__assay_nondet_size("pthread_self");
	__assay_assume(self != 0);
	return self;
}
MODEL int pthread_equal(unsigned long a, unsigned long b) { return a == b; }

// What is said about threads that are never made. The results are numbers of errors, or 0.
#define ANY(name, ...) MODEL int name(__VA_ARGS__) { return __assay_nondet_int(#name) & 0xfff; }
ANY(pthread_attr_init, void *attributes)
ANY(pthread_attr_destroy, void *attributes)
ANY(pthread_attr_setdetachstate, void *attributes, int state)
ANY(pthread_attr_setstacksize, void *attributes, size_t size)
ANY(pthread_detach, unsigned long thread)
