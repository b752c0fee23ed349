package llvm

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestX(t *testing.T) {
	b, _ := os.ReadFile(os.Getenv("LL"))
	t0 := time.Now()
	s := Open()
	if err := s.Read("x", b); err != nil {
		t.Fatal(err)
	}
	t1 := time.Now()
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	t2 := time.Now()
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("P") != "" {
		fmt.Println(s.Text())
	}
	t3 := time.Now()
	p := s.Copy("f", "main", "g", "h")
	fmt.Println(t1.Sub(t0), t2.Sub(t1), time.Since(t3), len(p.Functions))
	s.Close()
}
