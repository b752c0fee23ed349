// true unreach-call
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) { abort(); }
struct pair { int a; unsigned char b; };
int table[4] = {1, 2, 3, 4};
int main(void) {
  struct pair p = {0, 0};
  int *q = &p.a, i = 0;
  unsigned char n = @r1:@__VERIFIER_nondet_uchar(@q1@)@e@;
  @p2:p.a,p.b,*q,i,n,table[i]@@s2@n %= 32;
  @p3:p.a,p.b,*q,i,n,table[i]@while (@h3@ i < n) {
    @p4:p.a,p.b,*q,i,n,table[i]@@s4@*q += table[i % 4];
    @p5:p.a,p.b,*q,i,n,table[i],table[i % 4]@@s5@p.b += 10;
    @p6:p.a,p.b,*q,i,n,table[i]@@s6@i++;
  }
  @p7:p.a,p.b,*q,i,n,table[i]@@s7@if (p.a > 100 || p.a < n)
    @p8:p.a,p.b,*q,i,n@@t8@reach_error();
  return 0;
}
