#!/bin/bash
# Installs the Debian packages that assay is built and run with, as far as they
# are missing. Says what to do on other systems.
set -euo pipefail

packages=(
  gcc libc6-dev                     # cgo
  clang-19                          # compiles the programs under analysis
  llvm-19-dev                       # the libraries of LLVM, which are linked statically, and its C headers
  libclang-rt-19-dev                # sanitizer run-times, for tests against the compiled program
  libz3-dev libcadical-dev g++      # the solvers; g++ links the C++ library
  pkg-config                        # how cgo finds libraries
  libc6-dev-i386 lib32gcc-12-dev    # headers and libraries for --data-model ilp32
  graphviz                          # lays out the pictures of assay graph
  z3                                # the solver as a program, an oracle in tests
  csmith libcsmith-dev              # random programs, in tests
  qemu-user                         # runs 32-bit programs, in tests, where the kernel does not
)

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system: please install, in the versions of Debian 12 or newer," >&2
  printf '  %s\n' "clang 19, with headers and libraries of LLVM 19 (libLLVM*.a and llvm-c/*.h; with only libLLVM-19.so: go build -tags llvm_shared)" \
    "Z3 4.8.12 or newer with headers, and the program z3" "CaDiCaL 1.5.3 or newer (static library and ccadical.h)" \
    "a C and C++ compiler for cgo, and the 32-bit C library for --data-model ilp32" "csmith (tests only)" >&2
  # What is there may do: the build says what is missing.
  command -v clang-19 >/dev/null || exit 1
  exit 0
fi

installed() { [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]; }

missing=()
for p in "${packages[@]}"; do
  installed "$p" || missing+=("$p")
done
# What saves time and is not needed is asked for once: the libraries of clang (scripts/clang.sh), and a linker that
# links LLVM in a quarter of the time (Makefile).
faster=() asked=$(dirname "$0")/../bin/.asked
for p in libclang-19-dev mold; do
  installed "$p" || grep -qsx "$p" "$asked" || faster+=("$p")
done
if ((${#missing[@]} + ${#faster[@]} == 0)); then
  exit 0
fi

as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
install=(apt-get install -y -qq --no-install-recommends)
if ((${#missing[@]} != 0)); then
  echo "installing: ${missing[*]}"
  if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
    echo "run as root: apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  # The package lists may be missing or old.
  if ! "${as_root[@]}" "${install[@]}" "${missing[@]}" >/dev/null 2>&1; then
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" "${install[@]}" "${missing[@]}"
  fi
fi
mkdir -p "$(dirname "$asked")"
for p in ${faster[@]+"${faster[@]}"}; do
  echo "$p" >>"$asked"
  timeout 60 ${as_root[@]:+sudo -n} "${install[@]}" "$p" >/dev/null 2>&1 </dev/null || true
done
