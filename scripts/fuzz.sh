#!/bin/bash
# Runs every native fuzz target of the module, one after the other, for the
# time given as argument.
set -euo pipefail
time=${1:?usage: scripts/fuzz.sh TIME}
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r dir; do
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go | cut -c6-); do
    echo "== $dir $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$dir" </dev/null
  done
done
