package ctl

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"AG{OR{x <= 0}{AF{y == 0}}}":                    "AG(AP(x <= 0) || AF(AP(y == 0)))",
		"[AG](p <= 0 || [AX](p <= 0))":                  "AG(AP(p <= 0) || AX(AP(p <= 0)))",
		"[AG](N <= 0 || ([AF](C > 0)))":                 "AG(AP(N <= 0) || AF(AP(C > 0)))",
		"(varC > 5) && [EG](varR <= 5)":                 "AP(varC > 5) && EG(AP(varR <= 5))",
		"[AF] (p > 0)":                                  "AF(AP(p > 0))",
		"AF{exit: true}":                                "AF(AP(exit: true))",
		"OR{limit <= -273 && limit >= 10}{AF{ w == 1}}": "(AP(limit <= -273) && AP(limit >= 10)) || AF(AP(w == 1))",
		"AG(AP(x>0) ==> AF(AP(y==0)))":                  "AG(!AP(x>0) || AF(AP(y==0)))",
		"A[x > 0 U (y + 1) * 2 == 4]":                   "AU(AP(x > 0), AP((y + 1) * 2 == 4))",
		"[AW](x > 0), (y > 0)":                          "AW(AP(x > 0), AP(y > 0))",
		"EU{x > 0}{NOT{y > 0}}":                         "EU(AP(x > 0), !AP(y > 0))",
		"!(x > 0) && !EX x != 0":                        "!AP(x > 0) && !EX(AP(x != 0))",
		"AF{AND{x==7}{AF{AG{x==2}}}}":                   "AF(AP(x==7) && AF(AG(AP(x==2))))",
		"EF(true)":                                      "EF(true)",
		"AG(a[i] > 0 -> EX(p->next == 0))":              "AG(!AP(a[i] > 0) || EX(AP(p->next == 0)))",
		"E[f(1, 2) > 0 W !(b == 1 || c == 2)]":          "EW(AP(f(1, 2) > 0), !(AP(b == 1) || AP(c == 2)))",
		"(((x > 0)))":                                   "AP(x > 0)",
		"main::x > 0":                                   "AP(main::x > 0)",
	} {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if f.String() != want {
			t.Errorf("%s: got %v, want %s", text, f, want)
		}
		if g, err := Parse(f.String()); err != nil || g.String() != want {
			t.Errorf("%s: printed and read again: %v %v", want, g, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "a formula is expected here",
		"AG(x > 0":                  "is not closed",
		"AG(x > 0))":                "an operator or the end is expected here",
		"[AQ](x)":                   "an operator like [AG]",
		"A[x > 0 V y]":              "U or W is expected",
		"E(G F x > 0 && G F y > 0)": "outside of what is decided: two conditions",
		"E((F x > 0) U y > 0)":      "outside of what is decided: an operand of U",
		"A F(":                      "not closed",
		"E(x > 0 && G":              "not closed",
		"x > 0 &&":                  "a formula is expected here",
		"AG{}":                      "a condition is expected here",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestNegation(t *testing.T) {
	for text, want := range map[string]string{
		"AF x > 0":              "EG(!AP(x > 0))",
		"EG x > 0":              "AF(!AP(x > 0))",
		"AX(x > 0 || y > 0)":    "EX(!AP(x > 0) && !AP(y > 0))",
		"A[x > 0 U y > 0]":      "EW(!AP(y > 0), !AP(x > 0) && !AP(y > 0))",
		"E[x > 0 W y > 0]":      "AU(!AP(y > 0), !AP(x > 0) && !AP(y > 0))",
		"AG(x > 0 -> EF y > 0)": "EF(AP(x > 0) && AG(!AP(y > 0)))",
	} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Negation(f).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if got, back := Normal(f).String(), Negation(Not{f}).String(); got != back {
			t.Errorf("%s: %s and %s", text, got, back)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"AG{OR{x <= 0}{AF{y == 0}}}", "[AW](x > 0), (y > 0)", "A[x U y]", "!(a) -> b", "AF{exit: true}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text)
		if err != nil {
			return
		}
		Normal(g)
		Negation(g)
	})
}
