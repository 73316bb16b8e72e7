#!/usr/bin/env bash
# Checks the spelling of the documentation and the help (codespell), and that the help and the pages listed in
# tests/spelling/covered.txt avoid the phrases in tests/spelling/phrases.txt.
#   tests/spelling_test.sh PROGRAM PROJECT_FOLDER
set -euo pipefail
program=$1 root=$2
lists=$root/tests/spelling
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

{
  "$program" --help
  "$program" --help-all
  for command in $("$program" --help-all | sed -nE 's/^  ([a-z][a-z-]*)  +[A-Z].*/\1/p'); do
    "$program" "$command" --help
    "$program" "$command" --help-all
  done
} >"$work/help.txt"

command -v codespell >/dev/null || { echo "SKIPPED: codespell is missing (script/bootstrap test)"; exit 0; }
find "$root" -maxdepth 2 -name '*.md' -not -path '*/build/*' -not -path '*/node_modules/*' -print0 |
  xargs -0 codespell --ignore-words "$lists/words.txt" "$work/help.txt" || failed=1

# check FILE NAME
check() {
  grep -vE '^(#|$)' "$lists/phrases.txt" >"$work/phrases"
  if grep -nHE --label="$2" -f "$work/phrases" <"$1"; then
    echo "$2: avoid these phrases (tests/spelling/phrases.txt)"
    failed=1
  fi
}
check "$work/help.txt" "the help"
while IFS= read -r page; do check "$root/$page" "$page"; done < <(grep -vE '^(#|$)' "$lists/covered.txt")
exit "$failed"
