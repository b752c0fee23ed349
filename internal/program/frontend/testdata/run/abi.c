// Structs of every shape, by value, in and out, through pointers and variadic
// (trap 6).
#include <assert.h>
#include <stdarg.h>
struct A { char c; int i; short s; };
struct B { float x, y, z; };
struct C { long a; char b; };
struct D { char c[3]; };
struct E { double d[5]; int n; };
struct F { int a : 3; unsigned b : 7; long long c : 40; };
struct G { int *p; float f; };
struct H { _Bool b; signed char c; };
struct I { double x; int y; };
union U { int i; float f; long long l; };
struct Empty {};

struct A fa(struct A v) { v.i++; return v; }
struct B fb(struct B v) { v.y *= 2; return v; }
struct C fc(struct C v) { v.b = v.a; return v; }
struct D fd(struct D v) { v.c[1]++; return v; }
struct E fe(struct E v) { v.d[4] += v.n; v.n = 0; return v; }
struct F ff(struct F v) { v.a--; v.b += 100; v.c = -v.c; return v; }
struct G fg(struct G v) { *v.p += 1; v.f = 2; return v; }
struct H fh(struct H v) { v.b = !v.b; v.c--; return v; }
struct I fi(struct I v) { v.x += v.y; return v; }
union U fu(union U v) { v.i++; return v; }
struct Empty fempty(struct Empty v) { return v; }

static long sum(int n, ...) {
	va_list l, m;
	va_start(l, n);
	va_copy(m, l);
	long total = 0;
	for (int i = 0; i < n; i++) total += va_arg(l, int);
	total += (long)va_arg(l, double);
	struct C c = va_arg(l, struct C);
	total += c.a + c.b;
	struct B b = va_arg(l, struct B);
	total += (long)(b.x + b.y + b.z);
	struct E e = va_arg(l, struct E);
	total += e.n + (long)e.d[4];
	total += *va_arg(l, int *);
	total += (long)va_arg(l, long long);
	struct D d = va_arg(l, struct D);
	total += d.c[2];
	va_end(l);
	if (n > 0) assert(va_arg(m, int) == 1);
	va_end(m);
	return total;
}

int knr(a, b, c) int a; char b; float c; { return a + b + (int)c; }
int later();

int main(void) {
	struct A a = fa((struct A){1, 2, 3});
	assert(a.c == 1 && a.i == 3 && a.s == 3);
	struct B b = fb((struct B){1, 2, 3});
	assert(b.x == 1 && b.y == 4 && b.z == 3);
	struct C c = fc((struct C){7, 2});
	assert(c.a == 7 && c.b == 7);
	struct D d = fd((struct D){{1, 2, 3}});
	assert(d.c[0] == 1 && d.c[1] == 3 && d.c[2] == 3);
	struct E e0 = {{1, 2, 3, 4, 5}, 6}, e = fe(e0);
	assert(e.d[0] == 1 && e.d[4] == 11 && e.n == 0 && e0.n == 6 && e0.d[4] == 5);
	struct F f = ff((struct F){3, 20, 5});
	assert(f.a == 2 && f.b == 120 && f.c == -5);
	int n = 4;
	struct G g = fg((struct G){&n, 1});
	assert(n == 5 && g.p == &n && g.f == 2);
	struct H h = fh((struct H){1, 0});
	assert(!h.b && h.c == -1);
	struct I i = fi((struct I){1.5, 2});
	assert(i.x == 3.5 && i.y == 2);
	union U u = {.i = 41};
	assert(fu(u).i == 42);
	fempty((struct Empty){});
	struct A (*pa)(struct A) = fa;
	assert(pa(a).i == 4);
	struct E (*pe)(struct E) = fe;
	assert(pe(e0).n == 0);
	assert(sum(2, 1, 2, 3.0, c, b, e0, &n, 8LL, d) == 3 + 3 + 14 + 8 + 6 + 5 + 5 + 8 + 3);
	assert(knr(1, 2, 3.0) == 6);
	assert(later(3, 4.5) == 7);
	return 0;
}

int later(int a, double b) { return a + (int)b; }
