// true unreach-call
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) { abort(); }
static int i = 5;
int main(void) {
  unsigned char n = @r1:n,i@__VERIFIER_nondet_uchar(@q1@)@e@;
  int s = 0, k = 1;
  @p2:n,i,s,k@@s2@if (n > 40) n = 40;
  @p3:n,i,s,k@for (int i = 0; @h3@ i < n; i++) {
    @p4:n,i,s,k@@s4@s += 2;
    { int k = s - i; @p5:n,i,s,k@@s5@if (k > 100) k = 0; }
  }
  @p6:n,i,s,k@@s6@if (s != 2 * n || i != 5)
    @p7:n,i,s,k@@t7@reach_error();
  return 0;
}
