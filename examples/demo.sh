#!/bin/bash
# Checks the bundled examples and prints a table. Each example names its
# property, further flags (a line for each run) and the expected verdict in its first comment; the script fails if a
# verdict is another one.
set -uo pipefail
assay=${1:?usage: examples/demo.sh path/to/assay}
cd "$(dirname "$0")/.."
failed=0
printf '%-38s %-24s %-24s %8s\n' example property verdict seconds
for file in examples/*.c; do
  property=$(sed -n 's|^// property: *||p' "$file")
  expected=$(sed -n 's|^// expected: *||p' "$file")
  mapfile -t runs < <(sed -n 's|^// flags: *||p' "$file")
  ((${#runs[@]})) || runs=("")
  limit=60s
  [[ $expected == unknown ]] && limit=1s
  for flags in "${runs[@]}"; do
    start=$(date +%s%N)
    verdict=$("$assay" check --property "$property" --timeout "$limit" $flags "$file" 2>&1 | sed -n '$s/^RESULT: //p')
    elapsed=$((($(date +%s%N) - start) / 10000000))
    note=
    if [[ $verdict != "$expected" ]]; then
      note="  expected: $expected"
      failed=1
    fi
    printf '%-38s %-24s %-24s %5d.%02d%s\n' "$file" "$property" "${verdict:-no verdict}" $((elapsed / 100)) $((elapsed % 100)) "$note"
  done
done
# The same program as gcc makes it: without optimisation as in C; with it, stores that nobody reads are gone.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for run in "-O0 true" "-O1 false(ltl)"; do
  read -r level expected <<<"$run"
  object=$folder/request$level.o
  gcc "$level" -g -c -o "$object" examples/request.c
  start=$(date +%s%N)
  verdict=$("$assay" check --ltl 'G(x > 0 ==> F y == 0)' --timeout 60s "$object" 2>&1 | sed -n '$s/^RESULT: //p')
  elapsed=$((($(date +%s%N) - start) / 10000000))
  note=
  if [[ $verdict != "$expected" ]]; then
    note="  expected: $expected"
    failed=1
  fi
  printf '%-38s %-24s %-24s %5d.%02d%s\n' "request.o (gcc $level)" ltl "${verdict:-no verdict}" $((elapsed / 100)) $((elapsed % 100)) "$note"
done
# A loop without effects may be left out: source and binary differ, and the permission of C is named.
clang-19 -O2 -g -c -o "$folder/collatz.o" examples/collatz.c
expected="differ(source: false(termination), binary: true)"
start=$(date +%s%N)
output=$("$assay" check --property termination --timeout 60s examples/collatz.c --binary "$folder/collatz.o" 2>&1)
verdict=$(sed -n '$s/^RESULT: //p' <<<"$output")
elapsed=$((($(date +%s%N) - start) / 10000000))
note=
if [[ $verdict != "$expected" || $output != *"explained by -fno-finite-loops"* ]]; then
  note="  expected: $expected, by -fno-finite-loops"
  failed=1
fi
printf '%-38s %-24s %-24s %5d.%02d%s\n' "collatz.c, --binary (clang -O2)" termination "${verdict%%(*}" $((elapsed / 100)) $((elapsed % 100)) "$note"
echo
if ((failed)); then
  echo "a verdict differs from what the example expects"
  exit 1
fi
echo "Show a trace with:  $assay check --property valid-deref examples/matrix_to_vector.c"
