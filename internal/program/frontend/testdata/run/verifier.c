// The intrinsics of verifiers.
// runs: 1000
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
int __VERIFIER_nondet_int();
unsigned char __VERIFIER_nondet_uchar(void);
short nondet_short(void);
void *__VERIFIER_nondet_pointer(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
void __CPROVER_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);
_Bool __CPROVER_r_ok(const void *, __SIZE_TYPE__);
__SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *);
__SIZE_TYPE__ __CPROVER_POINTER_OBJECT(const void *);
void __CPROVER_precondition(_Bool, const char *);
void reach_error(void) { assert(0 && "body"); } // @assertion body
int unknown(int *);
int main(void) {
	_Bool b = __VERIFIER_nondet_bool();
	assert(b == 0 || b == 1);
	int n = __VERIFIER_nondet_int(), kept = 3;
	__VERIFIER_assume(n > 10);
	assert(n > 10);
	unsigned char c = __VERIFIER_nondet_uchar();
	__CPROVER_assume(c != 200);
	assert(c != 200);
	short s = nondet_short();
	assert(s >= -32768 && s <= 32767);
	if (c == 1) __VERIFIER_assert(0); // @assertion __VERIFIER_assert failed
	if (c == 2) __CPROVER_assert(0, "two"); // @assertion two
	assert(__CPROVER_r_ok(&kept, 4) && !__CPROVER_r_ok(&kept, 5) && __CPROVER_OBJECT_SIZE(&kept) == 4);
	char two[8];
	assert(__CPROVER_POINTER_OBJECT(two + (c & 7)) == __CPROVER_POINTER_OBJECT(two));
	assert(__CPROVER_POINTER_OBJECT(two) != __CPROVER_POINTER_OBJECT(&kept));
	__CPROVER_precondition(c != 3, "three"); // @assertion three
	unknown(&kept);
	assert(kept == 3);
	if (__VERIFIER_nondet_pointer()) kept = 4;
	if (c == 3) reach_error(); // @assertion reach_error() called
	return 0;
}
