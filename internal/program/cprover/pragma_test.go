package cprover

import (
	"slices"
	"testing"
)

func TestDisabled(t *testing.T) {
	got := Disabled(`# 1 "a.c"
int a;
#pragma CPROVER check push
#pragma CPROVER check disable "pointer"
# pragma CPROVER check disable "bounds" "nan"
int b;
#pragma CPROVER check push
#pragma CPROVER check enable "pointer"
int c;
#pragma CPROVER check pop
int d;

# 7 "dir/h.h" 1
int e;
# 20 "a.c" 2
#pragma CPROVER check pop
#pragma CPROVER check pop
int f;
#pragma CPROVER check disable "pointer"
int g;
`, "x.c")
	want := []Region{
		{"a.c", 5, 8, "bounds"}, {"a.c", 5, 8, "nan"}, {"a.c", 5, 5, "pointer"},
		{"a.c", 10, 11, "bounds"}, {"a.c", 10, 11, "nan"}, {"a.c", 10, 11, "pointer"},
		{"dir/h.h", 7, 7, "bounds"}, {"dir/h.h", 7, 7, "nan"}, {"dir/h.h", 7, 7, "pointer"},
		{"a.c", 24, 24, "pointer"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := Disabled("int a;\n#pragma CPROVER other\n#pragma CPROVER check\nint b;\n", "x.c"); got != nil {
		t.Errorf("%v", got)
	}
}
