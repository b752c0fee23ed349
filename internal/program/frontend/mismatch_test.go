package frontend

import "testing"

// TestMismatch: formats and the classes of arguments that fit them, and others.
func TestMismatch(t *testing.T) {
	for _, c := range []struct {
		format, passed string
		fits           bool
	}{
		{"%d %5.2f %-3s|%%|%*.*d%p", "idpiiip", true},
		{"%hhu%lld%zx%+08.3lf%Lg%.0e%.*s%n%m", "iwwdldipp", true},
		{"%lx %d", "pi", true},
		{"%d", "ii", true},
		{"%1$d %2$s", "di", true},
		{"%y", "", true},
		{"100%", "", true},
		{"%f", "?", true},
		{"%d", "", false},
		{"%s %s", "p", false},
		{"%d %hd %c", "www", true},
		{"%ld", "i", false},
		{"%zu", "i", false},
		{"%jd", "i", false},
		{"%llx", "i", false},
		{"%d", "d", false},
		{"%f", "i", false},
		{"%Lf", "d", false},
		{"%f", "l", false},
		{"%s", "i", false},
		{"%*d", "di", false},
		{"%.*f", "d", false},
	} {
		if problem := mismatch(c.format, []byte(c.passed), true); (problem == "") != c.fits {
			t.Errorf("%q of %q: %q", c.format, c.passed, problem)
		}
	}
}
