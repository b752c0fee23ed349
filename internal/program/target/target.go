// Package target says what clang is told about the machine of a program, the same for
// the analysis and for native runs.
package target

// shared is where Debian keeps the headers of the kernel, which are the same for both
// data models: <asm/errno.h>, say. Clang looks there for 64 bits only, and the 32-bit
// library brings no link to it (gcc-multilib does). As the last place to look in, it
// hides nothing.
const shared = "/usr/include/x86_64-linux-gnu"

// Flags are the flags of a data model. 32 bits are without x87 arithmetic.
func Flags(ilp32 bool) []string {
	if ilp32 {
		return []string{"-m32", "-msse2", "-mfpmath=sse", "-idirafter", shared}
	}
	return []string{"-m64"}
}
