#!/bin/sh
# Compiles assay's models of the C library, for both data models, into the
# bitcode that package frontend embeds, a module for each source, so that a
# program loads only what it needs; lp64/index says what each module defines.
# Needs clang-19 and llvm-nm-19; the models use the compiler's own headers only.
set -eu
cd "$(dirname "$0")"
flags="-O0 -Xclang -disable-O0-optnone -Xclang -fsanitize-address-use-after-scope -ftrivial-auto-var-init=zero
	-fno-builtin -ffreestanding -fno-math-errno -fno-strict-aliasing -fno-finite-loops -ffp-contract=off -fno-pic -fno-stack-protector
	-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero -fsanitize-trap=all
	-Xclang -discard-value-names -std=gnu17 -Wall -Wextra -Werror -Wno-unused-parameter -emit-llvm -c -o -"
for model in lp64:-m64 ilp32:-m32; do
	name=${model%%:*}
	machine=${model#*:}
	[ "$machine" = -m32 ] && machine="-m32 -msse2 -mfpmath=sse"
	rm -rf "$name"
	mkdir "$name"
	for source in *.c; do
		# shellcheck disable=SC2086
		clang-19 $flags $machine "$source" >"$name/${source%.c}.bc"
	done
done
for module in lp64/*.bc; do
	llvm-nm-19 --defined-only --extern-only --format=just-symbols "$module" | sed "s/^/$(basename "$module" .bc) /"
done >index
mv index lp64/index
