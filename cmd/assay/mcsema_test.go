package main

import (
	"strings"
	"testing"
)

// mcsemaHead is what McSema's C begins with, as far as these programs use it.
const mcsemaHead = `struct l_struct_x_type { unsigned char array[4]; } ;
struct l_struct_union_OC_anon {
  unsigned long field0;
};
struct l_struct_struct_OC_Reg {
  struct l_struct_union_OC_anon field0;
};
struct l_struct_struct_OC_GPR {
  struct l_struct_struct_OC_Reg field1;
  struct l_struct_struct_OC_Reg field13;
  struct l_struct_struct_OC_Reg field15;
};
struct l_struct_struct_OC_State {
  unsigned char field2;
  struct l_struct_struct_OC_GPR field6;
};
struct l_struct_x_type x;
static unsigned long llvm_add_u64(unsigned long a, unsigned long b) {
  unsigned long r = a + b;
  return r;
}
void* sub_401106___VERIFIER_nondet_int(struct l_struct_struct_OC_State* tmp__7, unsigned long tmp__8, void* tmp__9) {
  unsigned long tmp__10;
  tmp__10 = tmp__7->field6.field13.field0.field0;
  tmp__7->field6.field13.field0.field0 = llvm_add_u64(tmp__10, 8UL);
  return tmp__9;
}
void* sub_401120___VERIFIER_error(struct l_struct_struct_OC_State* tmp__11, unsigned long tmp__12, void* tmp__13) {
  return tmp__13;
}
`

// mcsemaLoop has a counter in a slot of the stack: it is set to an input, and counts down while it is positive, as
// machine code compares (not 0, and its sign is the overflow flag of its difference from 0).
const mcsemaLoop = mcsemaHead + `void* sub_401111_main(struct l_struct_struct_OC_State* tmp__1, unsigned long tmp__2, void* tmp__3) {
  unsigned long* tmp__4;
  unsigned long tmp__5;
  unsigned tmp__6, tmp__14, tmp__15;
  tmp__4 = (&tmp__1->field6.field13.field0.field0);
  tmp__5 = llvm_add_u64(*tmp__4, (18446744073709551608UL));
  *((unsigned long*)tmp__5) = tmp__1->field6.field15.field0.field0;
  tmp__1->field6.field15.field0.field0 = tmp__5;
  *tmp__4 = llvm_add_u64(tmp__5, (18446744073709551584UL));
  sub_401106___VERIFIER_nondet_int(tmp__1, 0UL, tmp__3);
  *((unsigned*)llvm_add_u64(tmp__1->field6.field15.field0.field0, (18446744073709551612UL))) = (unsigned)tmp__1->field6.field1.field0.field0;
  *((unsigned*)(&x)) = 1;
  do {
    tmp__6 = *((unsigned*)llvm_add_u64(tmp__5, (18446744073709551612UL)));
    tmp__14 = tmp__6 - 3u;
    if (((((tmp__14 >> 31) != 0u)&1) ^ ((((tmp__14 >> 31) ^ (tmp__6 >> 31)) + (tmp__6 >> 31)) == 2u))) goto done;
    *((unsigned*)llvm_add_u64(tmp__5, (18446744073709551612UL))) = tmp__6 - STEP;
  } while (1);
done:
  *((unsigned*)(&x)) = 2;
  FINAL
  return tmp__3;
}
`

// computed writes 7 to one of four slots of the stack.
const computed = `*((unsigned*)(tmp__5 - 16UL)) = 0u; *((unsigned*)(tmp__5 - 12UL)) = 0u; *((unsigned*)(tmp__5 - 8UL)) = 0u;
  sub_401106___VERIFIER_nondet_int(tmp__1, 0UL, tmp__3);
  tmp__6 = (unsigned)tmp__1->field6.field1.field0.field0 & 3u;
  *((unsigned*)(tmp__5 - 16UL + 4UL * tmp__6)) = 7u;
  `

// mcsemaOwn has a main of its own, and registers of 32 bits.
const mcsemaOwn = `struct l_struct_x_type { unsigned char array[4]; } ;
struct l_struct_struct_OC_Reg {
  unsigned int field0;
};
struct l_struct_struct_OC_State {
  struct l_struct_struct_OC_Reg field13;
};
struct l_struct_x_type x;
extern void __VERIFIER_error(void);
char dummyStack[4096];
struct l_struct_struct_OC_State global_state;
void* dummy_main(struct l_struct_struct_OC_State* tmp__1, unsigned int tmp__2, void* tmp__3);
int main() {
  struct l_struct_struct_OC_State *tmp = &global_state;
  tmp->field13.field0 = (unsigned)&dummyStack[4080];
  dummy_main(tmp, 0, (void*)0);
  return 0;
}
void* sub_401120___VERIFIER_error(struct l_struct_struct_OC_State* tmp__11, unsigned int tmp__12, void* tmp__13) {
  __VERIFIER_error();
  *((unsigned*)(&x)) = 1;
  return tmp__13;
}
void* dummy_main(struct l_struct_struct_OC_State* tmp__1, unsigned int tmp__2, void* tmp__3) {
  unsigned int tmp__4;
  tmp__4 = tmp__1->field13.field0;
  *((unsigned*)(tmp__4 - 4u)) = 5;
  if (*((unsigned*)(tmp__4 - 4u)) WHEN) sub_401120___VERIFIER_error(tmp__1, 0, tmp__3);
  if (*((unsigned*)(&x)) == 1 && sizeof(void*) != 4) __VERIFIER_error();
  return tmp__3;
}
`

func TestMcSemaOwnMain(t *testing.T) {
	for _, test := range []struct {
		when   string
		args   []string
		code   int
		output string
	}{
		{"== 5", nil, exitFalse, "violation: assertion"},
		{"== 6", nil, exitTrue, "globals whose addresses are computed with lie at fixed addresses; addresses have 32 bits, as its registers"},
		{"== 5", []string{"--ltl", "<>AP(x == 1)"}, exitTrue, "RESULT: true"},
		{"== 6", []string{"--ltl", "<>AP(x == 1)"}, exitFalse, "RESULT: false(ltl)"},
	} {
		o := invoke(t, append(append([]string{"check", "--timeout=20"}, test.args...), write(t, "program.c", strings.Replace(mcsemaOwn, "WHEN", test.when, 1)))...)
		if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.output) {
			t.Errorf("%s %v: code %d, want %d\n%s%s", test.when, test.args, o.code, test.code, o.stdout, o.stderr)
		}
	}
}

func TestMcSema(t *testing.T) {
	for _, test := range []struct {
		step, final string
		args        []string
		code        int
		output      string
	}{
		{"1u", "", []string{"--property=termination"}, exitTrue, "a stack of 64 KiB of zeros at address 0x40000000"},
		{"0u", "", []string{"--property=termination"}, exitFalse, "RESULT: false(termination)"},
		{"1u", "", []string{"--ltl", "<>[]AP(x == 2)"}, exitTrue, "RESULT: true"},
		{"0u", "", []string{"--ltl", "<>[]AP(x == 2)"}, exitFalse, "RESULT: false(ltl)"},
		{"1u", "sub_401120___VERIFIER_error(tmp__1, 0UL, tmp__3);", nil, exitFalse, "RESULT: false(unreach-call)"},
		{"1u", "if (x.array[0] != 2) sub_401120___VERIFIER_error(tmp__1, 0UL, tmp__3);", nil, exitTrue, "RESULT: true"},
		{"1u", "", []string{"--property=valid-deref"}, exitUnknown, "was lifted from machine code by McSema"},
		{"1u", "if (x.array[2] != 0) sub_401120___VERIFIER_error(tmp__1, 0UL, tmp__3);", []string{"--function=sub_401111_main"}, exitTrue, "runs start in sub_401111_main with registers of 0"},
		// Numbers that are computed are pointers into the objects that lie there.
		{"1u", computed + "if (*((unsigned*)(tmp__5 - 16UL)) == 7u) sub_401120___VERIFIER_error(tmp__1, 0UL, tmp__3);", nil, exitFalse, "__VERIFIER_nondet_int() = "},
		{"1u", computed + "if (*((unsigned*)(tmp__5 - 16UL)) == 8u) sub_401120___VERIFIER_error(tmp__1, 0UL, tmp__3);", nil, exitTrue, "RESULT: true"},
		{"1u", strings.Replace(computed, "& 3u", "& 7u", 1), nil, exitTrue, "RESULT: true"},
		{"1u", "*((unsigned char*)((unsigned long)&x + (tmp__6 & 3u))) = 7; if (x.array[2] == 7) sub_401120___VERIFIER_error(tmp__1, 0UL, tmp__3);", nil, exitFalse, "back from assay_in_place"},
		{"1u", "*((unsigned char*)((unsigned long)&x + (tmp__6 & 1u))) = 7; if (x.array[2] == 7) sub_401120___VERIFIER_error(tmp__1, 0UL, tmp__3);", nil, exitTrue, "RESULT: true"},
	} {
		text := strings.NewReplacer("STEP", test.step, "FINAL", test.final).Replace(mcsemaLoop)
		args := append([]string{"check", "--timeout=20"}, test.args...)
		o := invoke(t, append(args, write(t, "program.c", text))...)
		if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.output) {
			t.Errorf("%s %s %v: code %d, want %d\n%s%s", test.step, test.final, test.args, o.code, test.code, o.stdout, o.stderr)
		}
	}
}
