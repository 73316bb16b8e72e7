#!/usr/bin/env bash
# Every subcommand and option that --help shows is in the README's section of that command, and the other way round.
#   tests/docs_test.sh PROGRAM README
set -euo pipefail
program=$1 readme=$2
failed=0

# Long options of a help text: those that begin a line, perhaps after a short form.
options_in_help() { sed -nE 's/^ +(-[A-Za-z], *)?(--[a-z0-9][a-z0-9-]*).*/\2/p' | grep -vxE -e '--help|--help-all|--version' | sort -u; }

# Options in the first column of tables below headings that match.
options_in_readme() {
  awk -v wanted="$1" '
    /^#/ { inside = ($0 ~ wanted) }
    inside && /^\| `--/ { split($0, cells, "`"); split(cells[2], words, /[ =]/); print words[1] }' "$readme" | sort -u
}

compare() {
  local what=$1 shown=$2 written=$3
  local missing extra
  missing=$(comm -23 <(printf '%s\n' "$shown") <(printf '%s\n' "$written") | tr '\n' ' ')
  extra=$(comm -13 <(printf '%s\n' "$shown") <(printf '%s\n' "$written") | tr '\n' ' ')
  [ -z "${missing// /}" ] || { echo "$what: not in the README: $missing"; failed=1; }
  [ -z "${extra// /}" ] || { echo "$what: in the README, but not in --help: $extra"; failed=1; }
}

commands=$("$program" --help | sed -n '/^Subcommands:/,$p' | sed -nE 's/^ +([a-z][a-z-]*) .*/\1/p' | sort -u)
[ -n "$commands" ] || { echo "no subcommands in --help"; exit 1; }
written=$(sed -nE 's/^### `tapedeck ([a-z-]+).*/\1/p' "$readme" | sort -u)
compare subcommands "$commands" "$written"

for command in $commands; do
  shown=$("$program" "$command" --help | options_in_help || true)
  written=$({ options_in_readme "^### .tapedeck $command[ \`]"; options_in_readme "^### Options of .*\`$command\`"; } | sort -u)
  compare "$command" "$shown" "$written"
done
exit "$failed"
