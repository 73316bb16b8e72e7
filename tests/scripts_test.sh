#!/usr/bin/env bash
# Checks that every shell script of the project parses.
#   tests/scripts_test.sh PROJECT_FOLDER
set -euo pipefail
cd "$1"
failed=0
for script in script/* .ci/run packaging/*.sh tests/*.sh tests/*/*.sh; do
  [[ $script = packaging/* ]] || head -n 1 "$script" | grep -q 'bash$' || continue
  bash -n "$script" || failed=1
done
exit "$failed"
