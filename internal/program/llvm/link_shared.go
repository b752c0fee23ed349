//go:build llvm_shared

package llvm

// For systems that have no static libraries of LLVM: go build -tags llvm_shared.

// #cgo LDFLAGS: -L/usr/lib/llvm-19/lib -lLLVM-19
import "C"
