// What promotion must not lose: reads outside of an object, dangling pointers,
// copies of structs that nobody uses, unused reads.
struct S { int a, b; };
struct P { char c; int i; };
int *keep;

static void outside(void) {
	int z[2];
	z[0] = 1, z[1] = 2;
	int w = z[2]; // @valid-deref
	(void)w;
}

static void outside_by_pointer(void) {
	int z[2] = {1, 2};
	int *p = z;
	p += 2;
	int w = *p; // @valid-deref
	z[1] = w;
	*(p - 3) = 4; // @valid-deref
}

static int dangling(void) {
	int *r;
	{
		int in = 3;
		r = &in;
	}
	return *r; // @valid-deref
}

static int dangling_in_loop(void) {
	int *r = 0, sum = 0;
	for (int i = 0; i < 2; i++) {
		if (i == 1) sum += *r; // @valid-deref
		int in = 3;
		r = &in;
		sum += *r;
	}
	return 0 * (sum != 0);
}

static int *escaped(void) {
	int local = 1;
	keep = &local;
	return keep;
}

static void unused_copies(struct S *q, struct P *p) {
	struct S s = *q; // @valid-deref
	struct P t;
	t = *p; // @valid-deref
	int y = *(int *)0; // @valid-deref
	(void)t.i;
}

static int half(struct S *q) {
	struct S s = *q; // @valid-deref
	return s.a;
}

static void scope_end_is_no_use(void) {
	for (int i = 0; i < 3; i++) {
		int x = i, *p = &x;
		*p += 1;
		if (*p == 2) continue;
		x = *p;
	}
}

int main(void) {
	outside();
	outside_by_pointer();
	dangling();
	dangling_in_loop();
	int *p = escaped();
	int x = *p; // @valid-deref
	unused_copies(0, 0);
	half((struct S *)&x);
	scope_end_is_no_use();
	return 0;
}
