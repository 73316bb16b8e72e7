#!/usr/bin/env bash
# Checks tests/class_files_test.sh: a class that stands in another file than the one named after it fails it.
set -euo pipefail
check=$(cd "$(dirname "$0")" && pwd)/class_files_test.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/shelf" "$work/cellar"

# expect PASS_OR_FAIL WHAT
expect() {
  local got=fail
  "$check" "$work" >"$work/said" && got=pass
  [ "$got" = "$1" ] || { echo "expected $1, got $got: $2"; cat "$work/said"; exit 1; }
}

printf 'class ReplyCache {\n};\nstruct Entry {\n};\nstruct ReplyCache::Impl {\n};\n' >"$work/shelf/reply_cache.h"
touch "$work/shelf/reply_cache.cpp" "$work/cellar/entry.h"
expect pass "each class is at home"
touch "$work/shelf/entry.cpp"
expect fail "Entry has a file of its own and stands in another"
grep -q 'shelf/reply_cache.h declares Entry, which shelf/entry.cpp' "$work/said"
rm "$work/shelf/entry.cpp"
printf 'class ReplyCache : public Cache {\n};\n' >"$work/shelf/caches.h"
expect fail "ReplyCache stands in caches.h"
