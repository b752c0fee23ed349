#!/bin/bash
# Runs `assay check` for a service: on each file by itself, or on all together, with a SARIF log and a page for each, and
# a table of the answers. The services beside this file call it; it is of use in any other one, too.
#
# What is asked comes from the environment, as services hand it over:
#   ASSAY_FILES     the C files, separated by white space; patterns of the shell are understood
#   ASSAY_PROPERTY  properties, separated by commas; empty is what `assay check` asks by itself
#   ASSAY_FLAGS     more flags, separated by white space, for example "-I include -p build"
#   ASSAY_TIMEOUT   of each check, by default 2m;  ASSAY_MEMORY  by default 4GiB
#   ASSAY_TOGETHER  true links the files into one program
#   ASSAY_UNKNOWN   pass (the default), or fail: whether an unknown is an error
#   ASSAY_OUT       the folder of the results, by default assay-results
#   ASSAY           the program, by default assay
# Exit code: 0, 1 if something is false (or unknown, with fail), 3 if a file could not be checked.
set -uo pipefail

out=${ASSAY_OUT:-assay-results}
mkdir -p "$out" || exit 3
read -ra flags <<<"${ASSAY_FLAGS:-}"
[[ -n ${ASSAY_PROPERTY:-} ]] && flags+=(--property "$ASSAY_PROPERTY")
flags+=(--timeout "${ASSAY_TIMEOUT:-2m}" --memory "${ASSAY_MEMORY:-4GiB}")
shopt -s globstar nullglob
files=()
for pattern in ${ASSAY_FILES:-}; do
  files+=("$pattern")
done
if ((${#files[@]} == 0)); then
  echo "no files: set ASSAY_FILES (now: '${ASSAY_FILES:-}')" >&2
  exit 3
fi

worst=0
summary=$out/summary.md
printf '| files | answer |\n|---|---|\n' >"$summary"
check() { # the files of one check
  local name code answer
  name=$(tr -c 'A-Za-z0-9._\n-' '_' <<<"$1")
  "${ASSAY:-assay}" check "${flags[@]}" --sarif "$out/$name.sarif" --html "$out/$name.html" "$@" | tee "$out/$name.txt"
  code=${PIPESTATUS[0]}
  answer=$(sed -n 's/^RESULT: //p' "$out/$name.txt" | tail -1)
  case $code in
    0) ;;
    1) ((worst < 1)) && worst=1 ;;
    2) [[ ${ASSAY_UNKNOWN:-pass} == fail ]] && ((worst < 1)) && worst=1 ;;
    *) worst=3; answer="not checked (exit code $code)" ;;
  esac
  printf '| `%s` | %s |\n' "$*" "$answer" >>"$summary"
}
if [[ ${ASSAY_TOGETHER:-} == true ]]; then
  check "${files[@]}"
else
  for f in "${files[@]}"; do
    check "$f"
  done
fi
cat "$summary"
[[ -n ${GITHUB_STEP_SUMMARY:-} ]] && cat "$summary" >>"$GITHUB_STEP_SUMMARY"
exit "$worst"
