package frontend

import (
	"os"
	"testing"
)

// TestMain lets the test binary be the child that reads foreign modules.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ChildCommand {
		os.Exit(ChildMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}
