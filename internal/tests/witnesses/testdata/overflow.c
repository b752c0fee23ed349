// true no-overflow
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned char n = @r1:@__VERIFIER_nondet_uchar(@q1@)@e@;
  int i = n, s = 2147483000;
  @p2:n,i,s@@s2@if (i > 100) i = 100;
  @p3:n,i,s@while (@h3@ i > 0) {
    @p4:n,i,s@@s4@s = s + 6;
    @p5:n,i,s@@s5@i--;
  }
  @p6:n,i,s@@s6@s = 0;
  return s;
}
