// false unreach-call total = 0;
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) { abort(); }
static int total;
static void step(int d) {
  @p5:d,total@@s5@total += d;
  @p6:d,total@@s6@if (total == 9)
    @p7:d,total@@t7@reach_error();
}
int main(void) {
  unsigned char a = @r1:@__VERIFIER_nondet_uchar(@q1@)@e@;
  @p2:a,total@@s2@a &= 3;
  @p3:a,total@do {
    @s3@@p4:a,total@@s4@step(a);
    @p8:a,total@@s8@a++;
  } while (a < 6);
  @p9:a,total@@s9@if (total == 15)
    @p10:a,total@@t10@reach_error();
  return 0;
}
