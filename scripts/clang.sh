#!/bin/bash
# Builds bin/assay-clang (cmd/assay-clang), clang linked statically, if its libraries are here and are those of the
# clang that is installed. Without it assay runs that one, and is slower by 15 ms.
set -euo pipefail
cd "$(dirname "$0")/.."
out=bin/assay-clang stamp=bin/.assay-clang sources=(cmd/assay-clang/*) llvm=/usr/lib/llvm-19
mkdir -p bin
if [[ ! -e $llvm/lib/libclangFrontend.a || ! -e $llvm/include/clang/Basic/Version.inc ]] || ! clang=$(command -v clang-19); then
  rm -f $out $stamp
  exit 0
fi
version=$(sed -n 's/^#define CLANG_VERSION_STRING "\(.*\)"$/\1/p' $llvm/include/clang/Basic/Version.inc)
if [[ -z $version || $("$clang" --version) != *"version $version "* ]]; then
  echo "clang's libraries are of version $version, clang is not: assay-clang is not built"
  rm -f $out $stamp
  exit 0
fi
now=$(cat "${sources[@]}" "$0" | sha256sum)" $version"
if [[ -e $out && -e $stamp && $(<$stamp) == "$now" ]]; then
  exit 0
fi
echo "linking assay-clang"
rm -f $out $stamp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faster=()
[[ -z $(command -v ld.mold) ]] || faster=(-fuse-ld=mold)
libraries=()
for l in CodeGen ExtractAPI Frontend Driver Serialization Parse Sema APINotes Analysis ASTMatchers Edit AST Support Lex Basic; do
  libraries+=("-lclang$l")
done
here=$PWD
if (cd "$work" && g++ -std=c++17 -fno-rtti -fno-exceptions -O1 -I$llvm/include -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS \
    -DCLANG="\"$(readlink -f "$clang")\"" -c "$here"/cmd/assay-clang/*.cpp) 2>"$work/errors" &&
  g++ "${faster[@]}" -no-pie -s -o "$work/assay-clang" "$work"/*.o -L$llvm/lib -Wl,--gc-sections -Wl,--start-group "${libraries[@]}" -Wl,--end-group \
    -Wl,--start-group $($llvm/bin/llvm-config --link-static --libs x86 passes lto coverage frontendhlsl frontenddriver option windowsdriver | sed "s/-lPolly[A-Z]*//g") -Wl,--end-group \
    -l:libz.so.1 -l:libzstd.so.1 -lpthread -ldl -lm 2>"$work/errors"; then
  mv "$work/assay-clang" $out
  echo "$now" >$stamp
else # it is not needed
  echo "assay-clang is not built: $(tail -n 1 "$work/errors" 2>/dev/null)"
fi
