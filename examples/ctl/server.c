/* A server that waits before it starts: from some time on it is up on every run, but there is no time from which on it must
   be, for it may wait as long as it likes, and after that it is down for a moment. This is a formula of CTL* which is none of CTL.

     assay check --semantics wrap --ctl 'A F G (up == 1)' server.c           true
     assay check --semantics wrap --ctl 'AF AG (up == 1)' server.c           false
     assay check --semantics wrap --ctl 'E G F (load == 7)' server.c         true
     assay check --semantics wrap --ctl 'AG (load <= 100)' server.c          true: loads above 100 are assumed not to come
*/
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);

int up, load;

int main(void) {
  up = 1;
  while (__VERIFIER_nondet_bool())
    load = 0;
  up = 0;
  up = 1;
  while (1) {
    load = __VERIFIER_nondet_int();
    __VERIFIER_assume(load >= 0 && load <= 100);
  }
}
