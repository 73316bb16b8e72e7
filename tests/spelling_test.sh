#!/usr/bin/env bash
# Checks the spelling of the documents and the help (codespell), and that both avoid the phrases in
# tests/spelling/phrases.txt. Code in documents is not checked for phrases.
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
mapfile -d '' -t pages < <(find "$root" -maxdepth 4 -name '*.md' -not -path '*/build/*' -not -path '*/node_modules/*' -not -path '*/.*' -print0)
codespell --ignore-words "$lists/words.txt" "$work/help.txt" "${pages[@]}" || failed=1

# Writes the prose of each page to a file in $work/prose: empty lines in place of code blocks and figures, and no inline code.
mkdir "$work/prose"
awk -v root="$root/" -v folder="$work/prose/" '
  FNR == 1 { end = ""; name = FILENAME; sub(root, "", name); gsub("/", ":", name) }
  end != "" { if ($0 ~ end) end = ""; print "" > (folder name); next }
  /^```/ { end = "^```$" }
  /^<!-- figures begin/ { end = "^<!-- figures end" }
  { if (end != "") $0 = ""; gsub(/`[^`]*`/, ""); print > (folder name) }' "$work/help.txt" "${pages[@]}"

grep -vE '^(#|$)' "$lists/phrases.txt" >"$work/phrases"
if (cd "$work/prose" && grep -rnE -f "$work/phrases" .); then
  echo "avoid these phrases (tests/spelling/phrases.txt)"
  failed=1
fi
exit "$failed"
