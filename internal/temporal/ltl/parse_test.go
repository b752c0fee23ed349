package ltl_test

import (
	"strings"
	"testing"

	"assay/internal/temporal/ltl"
)

// TestParse has the syntaxes, and what they mean in the one that is printed.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[](AP(x > 0) ==> <>AP(y == 0))", "G (AP(x > 0) ==> F AP(y == 0))"},
		{"[]( !AP(t>=limit) || <>[]AP( c == 1) )", "G (!AP(t >= limit) || F G AP(c == 1))"},
		{"AP(i == 0) U( (AP(i == 1) U [] AP(i == 3)) || [] AP(i == 1))", "AP(i == 0) U ((AP(i == 1) U G AP(i == 3)) || G AP(i == 1))"},
		{`GF"w==1" && !FG "x"`, "(G F AP(w == 1)) && !F G x"},
		{`("a != 0") ==> F"r != 0"`, "AP(a != 0) ==> F AP(r != 0)"},
		{"!(G({pressed} -> F {charge > min}))", "!G (pressed ==> F AP(charge > min))"},
		{"a V b <-> !(!a U !b)", "(a R b) <==> !(!a U !b)"},
		{"a WU b", "a W b"},
		{"[](p -> <>q) && (r -> !(s -> X t) -> AP(u))", "G (p ==> F q) && (r ==> (!(s ==> X t) ==> u))"},
		{"(p) -> (q)", "p ==> q"},
		{"(*p)->q > (p)->r", "AP((*p)->q > (p)->r)"},
		// Precedence and associativity.
		{"a <==> b ==> c || d ^^ e && f U g", "a <==> (b ==> (c || (d ^^ (e && (f U g)))))"},
		{"a U b U c", "(a U b) U c"},
		{"a ==> b ==> c", "a ==> (b ==> c)"},
		{"a && b && c", "a && b && c"},
		{"a && (b && c)", "a && (b && c)"},
		{"X !a R b", "(X !a) R b"},
		{"XXa", "XXa"},
		{"XX a", "X X a"},
		// Bare C expressions.
		{"G x > 0 ==> F y==0 && z", "(G AP(x > 0)) ==> ((F AP(y == 0)) && z)"},
		{"(x + 1) * 2 > y U p->q[i].r & 3", "AP((x + 1) * 2 > y) U AP(p->q[i].r & 3)"},
		{"(x > 0) U y", "AP(x > 0) U y"},
		{"(unsigned char)x > 1", "AP((unsigned char)x > 1)"},
		{"!x && ! *p", "!x && !AP(*p)"},
		{"!(x == 1)", "!AP(x == 1)"},
		{"main::x > 0", "AP(main::x > 0)"},
		{"AP(p != 0 && p->x > 0)", "AP(p != 0 && p->x > 0)"},
		{"AP(- -x - -1 > 'a' + sizeof(int))", "AP(- -x - -1 > 'a' + sizeof(int))"},
		{"AP(a ? b : c)", "AP(a ? b : c)"},
		{"AP(G) U AP(AP)", "AP(G) U AP(AP)"},
		{`"c == '\"'"`, `AP(c == '"')`},
		{"p.G > 0", "AP(p.G > 0)"},
		// Events.
		{"at(L) ==> X (called(main::f) U returned( f ))", "at(L) ==> X (called(main::f) U returned(f))"},
		{"true U false", "true U false"},
	} {
		p, err := ltl.Parse(ltl.Source{Text: c.text})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		want, err := ltl.Parse(ltl.Source{Text: c.want})
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		if p.Formula != want.Formula {
			t.Errorf("%s: %v, not %s", c.text, p.Formula, c.want)
		}
		again, err := ltl.Parse(ltl.Source{Text: p.Formula.String()})
		if err != nil || again.Formula != p.Formula {
			t.Errorf("%s is printed as %v, which is read as %v, %v", c.text, p.Formula, again, err)
		}
	}
}

// TestErrors has wrong formulas, where the caret has to be, and a part of the message.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, caret, message string }{
		{"", "", "empty"},
		{"G (a ==> )", ")", "operand is missing"},
		{"G (a ==> b", "(", "no closing )"},
		{"a)", ")", "closing ) too many"},
		{"a b", "b", "an operator is missing"},
		{"a ==>", "", "ends where an operand"},
		{"U a", "U", "no left operand"},
		{"X > 0", "X", "has no operand"},
		{"x > U", "U", "where C needs an operand"},
		{"x = 1", "=", "side effect"},
		{"G AP(x++ > 0)", "++", "side effect"},
		{`F "x -= 1"`, "-=", "side effect"},
		{`F "x > (1"`, `"x > (1"`, "no closing )"},
		{`F "x)"`, ")", ""},
		{`F "x`, `"`, "no closing quote"},
		{"AP(a ==> b)", "==>", "no operator of C"},
		{"AP()", "(", "no C expression"},
		{"AP x", "x", "in parentheses"},
		{"AP(a[1)", ")", "] is expected"},
		{"!x == 1", "!", "in C this !"},
		{"a ? b : c", "?", "AP"},
		{"(G a) == 1", "G", "within a C expression"},
		{"a => b", "=>", "no operator of formulas"},
		{"a, b", ",", "comma"},
		{"G (a -> b)", "->", "may be an implication"},
		{"(a && b) -> c", "->", "may be an implication"},
		{"at(1)", "1", "name of a label"},
		{"called(f, g)", "f", "name of a function"},
		{"a && $", "$", "not expected"},
		{"x +", "", "operand is missing"},
		{strings.Repeat("!", 300) + "a", "", "nested"},
		{strings.Repeat("(", 300) + "a", "", "nested"},
		{strings.Repeat("a && ", 3000) + "a", "", "more than"},
	} {
		_, err := ltl.Parse(ltl.Source{File: "f.c", Line: 7, Col: 3, Text: c.text})
		if err == nil {
			t.Errorf("%.50s: no error", c.text)
			continue
		}
		e := err.(*ltl.Error)
		if got := c.text[e.Span.Start:e.Span.End]; c.caret != "" && got != c.caret || !strings.Contains(e.Message, c.message) {
			t.Errorf("%.50s: at %q, %s", c.text, got, e.Message)
		}
	}
	_, err := ltl.Parse(ltl.Source{File: "f.c", Line: 7, Col: 3, Text: "[](a ==>\n\t<>b = 2)"})
	want := "f.c:8:6: the operator = has a side effect: atoms only observe\n  \t<>b = 2)\n  \t    ^\nequality is =="
	if err == nil || err.Error() != want {
		t.Errorf("%v, not\n%s", err, want)
	}
}

// TestPlaces: where atoms stand, for errors that come later.
func TestPlaces(t *testing.T) {
	text := `G (AP( x>0 ) U "x > 0") && at( L )`
	p, err := ltl.Parse(ltl.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range ltl.Atoms(p.Formula) {
		for _, s := range p.Places[a] {
			got = append(got, a.String()+" "+text[s.Start:s.End])
		}
	}
	if want := "AP(x > 0) x>0, AP(x > 0) x > 0, at(L) L"; strings.Join(got, ", ") != want {
		t.Errorf("%v, not %s", got, want)
	}
}

func TestChecks(t *testing.T) {
	checks, err := ltl.ParseChecks("p.prp", "// two\n\nCHECK( init(main()), LTL( [](AP(x==0) ==> <>AP(y==(0))) ) )\n CHECK(init( start(void) ),LTL(G a));\r\n")
	if err != nil || len(checks) != 2 || checks[0].Entry != "main" || checks[1].Entry != "start" ||
		checks[0].Property.Formula != ltl.MustParse("G (x == 0 ==> F y == (0))") || checks[1].Property.Formula != ltl.MustParse("G a") {
		t.Fatalf("%v, %v", checks, err)
	}
	for _, c := range []struct{ text, want string }{
		{"\nCHECK( init(main()), LTL(G x = 1) )", "p.prp:2:30: the operator ="},
		{"CHECK( init(main()), LTL(G x )", "p.prp:1:30: the line does not end with"},
		{"CHECK( init(main()), LTL(G x", "p.prp:1:25: this has no closing )"},
		{"CHECK( init(main()), CTL(AG x) )", "p.prp:1:1: not a property of linear"},
	} {
		if _, err := ltl.ParseChecks("p.prp", c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestComments(t *testing.T) {
	text := `//#Safe
//@ ltl invariant positive: [](AP(x > 0) ==> <>AP(y == 0));
// @ ltl invariant positive: not this
char *s = "//@ ltl invariant positive: nor this"; char c = '"'; /* //@ ltl invariant positive: nor */
int x; /*@ ltl invariant positive: F
   x > 1 */
`
	found, err := ltl.ParseComments("f.c", text)
	if err != nil || len(found) != 2 || found[0].Formula != ltl.MustParse("G (x > 0 ==> F y == 0)") || found[1].Formula != ltl.MustParse("F x > 1") {
		t.Fatalf("%v, %v", found, err)
	}
	for _, c := range []struct{ text, want string }{
		{"int x;\n  //@ ltl invariant positive: []AP(x);;\n", "f.c:2:38: ; is not expected"},
		{"//@ ltl invariant negative: []AP(x);", "f.c:1:19: an invariant is positive"},
	} {
		if _, err := ltl.ParseComments("f.c", c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// FuzzParse: what is parsed is printed and read back; errors point into the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"[](AP(x > 0) ==> <>AP(y == 0))", `GF"w==1" && !FG "x"`, "a U b W c R d V e WU f", "(x + 1) * 2 > y", "{p} -> {q}", "a <-> !(b ^^ c)",
		"at(L) && called(f) || returned(main::g)", "AP(- -x - 'a' >> .5e+1 ? b : \"s\"[0])", "(int)x.y->z[1] <= ~3", "true U X false", `"a == '\"'"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ltl.Parse(ltl.Source{File: "f", Line: 1, Text: text})
		if err != nil {
			e := err.(*ltl.Error)
			if e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(text) {
				t.Fatalf("%q: the error %q is at %v", text, e.Message, e.Span)
			}
			_ = e.Error()
			return
		}
		printed := p.Formula.String()
		again, err := ltl.Parse(ltl.Source{Text: printed})
		if err != nil || again.Formula != p.Formula {
			t.Fatalf("%q is printed as %q, which is read as %v, %v", text, printed, again, err)
		}
	})
}

// FuzzFiles: formulas in comments and property files; errors point into the text.
func FuzzFiles(f *testing.F) {
	f.Add("int x; /* a */ //@ ltl invariant positive: [](AP(x > 0) ==> <>AP(y == 0));\nchar c = '\"';")
	f.Add("/*@ ltl invariant positive: F\n x > 1 */ \"//@ ltl invariant positive: G x")
	f.Add("// c\nCHECK( init(main()), LTL( [](AP(x==(0)) ==> <>\"y\") ) )\n")
	f.Fuzz(func(t *testing.T, text string) {
		check := func(err error) {
			if err != nil {
				_ = err.Error()
			}
		}
		comments, err := ltl.ParseComments("f.c", text)
		check(err)
		checks, err := ltl.ParseChecks("f.prp", text)
		check(err)
		for _, c := range checks {
			comments = append(comments, c.Property)
		}
		for _, p := range comments {
			if !strings.Contains(text, p.Source.Text) {
				t.Fatalf("%q has a formula %q that is not in it", text, p.Source.Text)
			}
		}
	})
}
