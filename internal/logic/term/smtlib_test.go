package term

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"assay/internal/logic/bv"
)

// TestSMTLIB gives random terms over constants to z3, which must agree on their
// values: it checks the printer, and apply against a second implementation.
func TestSMTLIB(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not installed")
	}
	for seed, widths := range [][]uint32{{8, 3}, {16, 8}, {32, 16, 64}, {64, 70}} {
		l := newLaboratory(uint64(100+seed), widths, 1)
		s := l.raw
		wrong := s.False()
		floats := seed == 1 || seed == 2
		for range 500 {
			l.step(t, floats)
		}
		var roots []ID
		e := l.oracles[0]
		differs := func(t ID, v bv.BV) { wrong = s.Or(wrong, s.Not(s.Eq(t, s.constant(s.nodes[t].sort, v)))) }
		for _, sort := range l.sorts {
			for _, tw := range l.pool[sort] {
				n := s.nodes[tw.raw]
				switch {
				case sort.Kind == SortArray:
				case n.op == OpVar:
					roots = append(roots, s.Eq(tw.raw, s.constant(n.sort, e.Value(tw.raw))))
				case n.op >= OpFAdd:
					// On constants: z3 cannot solve for floating-point numbers fast.
					for i, a := range n.args[:arity[n.op]] {
						n.args[i] = s.Const(e.Value(a))
					}
					differs(s.mk(n), e.Value(tw.raw))
				case !floats:
					differs(tw.raw, e.Value(tw.raw))
				}
			}
		}
		for _, a := range s.Vars(wrong) {
			if s.Sort(a).Kind == SortArray {
				v := e.Array(a)
				exact := s.ConstArray(s.Sort(a), s.Const(v.Other))
				for i, x := range v.Elements {
					exact = s.StoreArray(exact, s.ConstU(s.Sort(a).Index, i), s.Const(x))
				}
				wrong = s.Substitute(wrong, map[ID]ID{a: exact})
			}
		}
		if got := solve(t, z3, s, append(roots, wrong)); got != "unsat" {
			t.Errorf("widths %v: z3 says %s", widths, got)
		}
		if got := solve(t, z3, s, append(roots, s.Not(wrong))); got != "sat" {
			t.Errorf("widths %v, negated: z3 says %s", widths, got)
		}
	}
}

func solve(t *testing.T, z3 string, s *Store, roots []ID) string {
	t.Helper()
	var script bytes.Buffer
	if err := s.WriteSMTLIB(&script, roots); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(z3, "-in", "-T:60")
	command.Stdin = &script
	out, _ := command.CombinedOutput()
	return strings.TrimSpace(string(out))
}

// TestRulesBySolver proves examples of expensive rules at the widths of programs.
func TestRulesBySolver(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not installed")
	}
	for _, width := range []uint32{8, 16, 32} {
		for _, text := range []string{
			"(sdiv x 4)", "(srem x 4)", "(urem x 8)", "(udiv x 8)", "(ashr x 3)", "(shl (add x 3) 2)",
			"(bvand x 0xf0)", "(bvor x 0x81)", "(bvxor x 0x80)", "(ult 5 x)", "(slt -3 x)", "(sle x 9)",
			"(= (mul x 3) 6)", "(= (sub x y) 0)", "(bvnot (neg x))", "(concat (extract 3 2 (add x y)) (extract 1 0 (add x y)))",
			"(= (bvxor x 0x55) 3)", "(slt (sext 3 x) (sext 3 y))", "(ult (concat x 5:3) (concat y 6:3))",
			"(urem (zext 9 x) (zext 9 y))", "(= (sdiv x -8) 1)",
		} {
			simple, raw := NewStore(), NewRawStore()
			plain := parse(raw, width, text)
			short := raw.Copy(simple, parse(simple, width, text), func(v ID) ID { return raw.Var(simple.VarName(v), simple.Sort(v)) })
			if got := solve(t, z3, raw, []ID{raw.Not(raw.Eq(plain, short))}); got != "unsat" {
				t.Errorf("width %d: %s against %s: z3 says %s", width, raw.String(plain), raw.String(short), got)
			}
		}
	}
}

func TestSMTLIBNames(t *testing.T) {
	s := NewRawStore()
	x, y := s.Var("and", BitVec(8)), s.Var("t!9", BitVec(8))
	z := s.Var("a|b c", BitVec(8))
	sum := s.Add(s.Add(x, y), z)
	var b strings.Builder
	if err := s.WriteSMTLIB(&b, []ID{s.Eq(sum, sum), s.Mul(sum, sum)}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"(set-logic QF_ABV)", "(declare-fun and!3 () (_ BitVec 8))", "(declare-fun t!9 () (_ BitVec 8))",
		"(declare-fun |a?b c| () (_ BitVec 8))", "(bvadd (bvadd and!3 t!9) |a?b c|))", "(check-sat)",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %s in\n%s", line, b.String())
		}
	}
	if z3, err := exec.LookPath("z3"); err == nil {
		if got := solve(t, z3, s, []ID{s.Eq(sum, sum)}); got != "sat" {
			t.Errorf("z3 says %s", got)
		}
	}
}
