#!/bin/bash
# Compiles the library models to the bitcode that the front end embeds, if it is
# missing or its sources have changed.
set -euo pipefail
cd "$(dirname "$0")/.."
models=internal/program/frontend/models
stamp=bin/.models
mkdir -p bin
now=$(cat "$models"/*.c "$models"/*.h "$models"/build.sh | sha256sum)
if [[ -e $models/lp64/index && -e $models/ilp32/string.bc && -e $stamp && $(<"$stamp") == "$now" ]]; then
  exit 0
fi
echo "compiling the library models"
rm -f "$models"/models-*.bc
"$models"/build.sh
echo "$now" >"$stamp"
