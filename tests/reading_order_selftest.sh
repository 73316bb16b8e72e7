#!/usr/bin/env bash
# Proves that reading_order_test.sh can fail.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/reading_order_test.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
printf 'int Found::here() {\n' >"$tree/a.cpp"
# expect STATUS ROW
expect() {
  local status=0
  printf '%s\n' "$2" >"$tree/page.md"
  bash "$check" "$tree" "$tree/page.md" >/dev/null || status=$?
  [ "$status" -eq "$1" ] || { echo "status $status instead of $1: $2"; exit 1; }
}
expect 0 '| 1 | `a.cpp` | `Found::here` | |'
expect 1 '| 1 | `a.cpp` | `Found::gone` | |'
expect 1 '| 1 | `a.cpp` | `ound::here` | |'
expect 1 '| 1 | `b.cpp` | `Found::here` | |'
expect 2 'no rows'
