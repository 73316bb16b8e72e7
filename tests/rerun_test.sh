#!/usr/bin/env bash
# Tests script/rerun-failed with a small project: a test that always fails, one that passes when run again, and one that passes.
#   tests/rerun_test.sh PROJECT_FOLDER
set -euo pipefail
rerun=$1/script/rerun-failed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GITHUB_STEP_SUMMARY=$work/summary
cat >"$work/flaky" <<END
#!/bin/sh
[ -e "$work/again" ] || { touch "$work/again"; exit 1; }
END
chmod +x "$work/flaky"
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(sample NONE)
enable_testing()
add_test(NAME "passes, always" COMMAND true)
add_test(NAME "depends on luck" COMMAND $work/flaky)
if(BAD)
  foreach(number RANGE 1 \${BAD})
    add_test(NAME "fails · \${number}" COMMAND false)
  endforeach()
endif()
END

# expect STATUS BAD LINE…: after a run with so many failing tests, the script exits with the status and lists the lines.
expect() {
  local wanted=$1 status=0 line
  rm -rf "$work/build" "$work/again" "$work/summary"
  cmake -G Ninja -S "$work" -B "$work/build" -DBAD="$2" >/dev/null
  ctest --test-dir "$work/build" >/dev/null 2>&1 || true
  "$rerun" "$work/build" >"$work/output" 2>&1 || status=$?
  [ $status -eq "$wanted" ] || { echo "rerun: status $status, not $wanted"; cat "$work/output"; exit 1; }
  for line in "${@:3}"; do
    grep -qxF -e "- $line" "$work/output" && grep -qxF -e "- $line" "$work/summary" || { echo "rerun: not listed: $line"; cat "$work/output"; exit 1; }
  done
}
expect 0 0 'flaky: depends on luck'
! grep -q 'passes, always' "$work/summary" || { echo "rerun: a test that passed was run again"; exit 1; }
expect 1 1 'flaky: depends on luck' 'failed twice: fails · 1'
expect 2 5
[ ! -e "$work/summary" ] || { echo "rerun: six failed tests were run again"; exit 1; }
rm -rf "$work/build/Testing"
status=0
"$rerun" "$work/build" >/dev/null || status=$?
[ $status -eq 2 ] || { echo "rerun: status $status without a list"; exit 1; }
