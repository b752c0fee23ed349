// false unreach-call
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) { abort(); }
int main(void) {
  int x = @r1:@__VERIFIER_nondet_uchar(@q1@)@e@;
  int y = @r2:x@__VERIFIER_nondet_uchar(@q2@)@e@, z = 0;
  @p3:x,y,z@@s3@if (x > 60) return 0;
  @p4:x,y,z@while (@h4@ z < x) {
    @p5:x,y,z@@s5@z += 3;
  }
  @p6:x,y,z@@s6@if (z == x + 2 && y == z - 5) {
    @p7:x,y,z@@t7@reach_error();
  }
  @p8:x,y,z@@s8@z = z - x;
  @p9:x,y,z@@s9@if (z == 1 && x == 47 && y > 250)
    @p10:x,y,z@@t10@reach_error();
  return 0;
}
