#!/usr/bin/env bash
# docs/reference.md is what the program writes of itself, every option of `replay` is in docs/replay.md and of `record` in
# docs/recording.md, and the other way round.
#   tests/docs_test.sh PROGRAM PAGES_PROGRAM PROJECT_FOLDER
set -euo pipefail
program=$1 pages=$2 root=$3
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$pages" "$work"
if ! diff "$root/docs/reference.md" "$work/reference.md"; then
  echo "docs/reference.md is not what the program says: script/reference writes it anew"
  failed=1
fi

# Long options of a help text: those that begin a line, perhaps after a short form.
options_in_help() { sed -nE 's/^  (-[A-Za-z], *)?(--[a-z0-9][a-z0-9-]*).*/\2/p' | grep -vxE -e '--help|--help-all|--version' | sort -u; }

# Options in the first column of a page's tables.
options_in_page() {
  awk '/^\| `--/ { split($0, cells, "`"); split(cells[2], words, /[ =]/); print words[1] }' "$root/$1" | sort -u
}

# compare COMMAND PAGE
compare() {
  local shown written missing extra
  shown=$("$program" "$1" --help-all | options_in_help || true)
  written=$(options_in_page "$2")
  missing=$(comm -23 <(printf '%s\n' "$shown") <(printf '%s\n' "$written") | tr '\n' ' ')
  extra=$(comm -13 <(printf '%s\n' "$shown") <(printf '%s\n' "$written") | tr '\n' ' ')
  [ -z "${missing// /}" ] || { echo "$1: not in $2: $missing"; failed=1; }
  [ -z "${extra// /}" ] || { echo "$1: in $2, but not in --help-all: $extra"; failed=1; }
}

compare replay docs/replay.md
compare record docs/recording.md
exit "$failed"
