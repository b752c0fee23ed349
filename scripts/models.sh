#!/bin/bash
# Compiles the library models if their sources have changed since the last call.
# The bitcode is part of the repository, so the first call in a clean clone only
# notes the state of the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
models=internal/frontend/models
stamp=bin/.models
mkdir -p bin
now=$(cat "$models"/*.c "$models"/*.h "$models"/build.sh | sha256sum)
if [[ -e $models/models-lp64.bc && -e $models/models-ilp32.bc ]]; then
  if [[ ! -e $stamp || $(<"$stamp") == "$now" ]]; then
    echo "$now" >"$stamp"
    exit 0
  fi
fi
echo "compiling the library models"
"$models"/build.sh
echo "$now" >"$stamp"
