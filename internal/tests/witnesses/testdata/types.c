// true unreach-call
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) { abort(); }
enum colour { red = 3, green, blue = 7 };
#define LIMIT 20
static _Bool odd(int x) { int r = x; @p8:x,r@@s8@r &= 1; @p9:x,r@@s9@return r; }
int main(void) {
  signed char c = (signed char)@r1:@__VERIFIER_nondet_uchar(@q1@)@e@;
  unsigned char u = 250;
  float f = 0.5f;
  _Bool b = 0;
  int m = red;
  @p2:c,u,f,b,m,red,green,blue@@s2@if (c < 0) c = 0;
  @p3:c,u,f,b,m,red,green,blue@while (@h3@ m < LIMIT) {
    @p4:c,u,f,b,m,red,green,blue@@s4@m += green;
    @p5:c,u,f,b,m,red,green,blue@@s5@u += 3; f += 1; b = !b;
  }
  @p6:c,u,f,b,m,red,green,blue@@s6@b = odd(m);
  @p7:c,u,f,b,m,red,green,blue@@s7@if (b != 1 || c < 0)
    @p10:c,u,f,b,m@@t10@reach_error();
  return 0;
}
