#!/usr/bin/env bash
# citations_test.sh passes where everything that is cited is there, and fails for each kind of citation that leads nowhere.
set -euo pipefail
check=$(cd "$(dirname "$0")" && pwd)/citations_test.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# project COMMENT: a project whose one header says so.
project() {
  rm -rf "${folder:?}"/*
  mkdir -p "$folder/docs" "$folder/api"
  printf '# S\n\n## 1. Keys\n\n| values that are text | x |\n\n## 2. Turns\n\n**Whose turn.** One.\n' >"$folder/docs/semantics.md"
  printf '# D\n\n## 4. Ways\n\n1. One.\n2. Two.\n' >"$folder/docs/design.md"
  printf '# F\n\n## Login and sessions\n\n- **Secret ones**\n' >"$folder/docs/field-notes.md"
  printf '# R\n\n## Scopes (`a_test.cpp`)\n' >"$folder/docs/replay.md"
  printf '// %b\n' "$1" >"$folder/api/a.h"
}

# expect PASS_OR_FAIL COMMENT
expect() {
  local got=fail
  project "$2"
  "$check" "$folder" >"$folder/said" 2>&1 && got=pass
  [ "$got" = "$1" ] || { echo "expected $1, got $got: $2"; cat "$folder/said"; failed=1; }
}

expect pass 'Turns (semantics §2, "whose turn").'
expect pass 'Turns (semantics §1, §2; design §4.2).'
expect pass 'Both (semantics\n// §1, "values that are text").'
expect pass 'Ids (field notes, "Login", "Secret ones"; docs/replay.md,\n// "Scopes").'
expect pass 'See docs/replay.md.'
expect fail 'Nothing is cited.'
expect fail 'Turns (semantics §3).'
expect fail 'Turns (semantics §1, §3).'
expect fail 'Turns (semantics §1–§3).'
expect fail 'Turns (semantics §1, "whose turn").'
expect fail 'Ways (design §4.3).'
expect fail 'Tools (toolkit §1).'
expect fail 'Ids (field notes, "Parameters").'
expect fail 'Ids (field notes, "Login", "Parameters").'
expect fail 'See docs/replay.md, "Runs".'
expect fail 'See docs/gone.md.'
expect fail 'Turns (semantics §1); ../shared/docs/semantics.md.'
exit "$failed"
