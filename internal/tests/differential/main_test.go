package differential

import (
	"os"
	"testing"

	"assay/internal/program/frontend"
)

// TestMain lets the test binary be the child that reads foreign modules.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == frontend.ChildCommand {
		os.Exit(frontend.ChildMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}
