#!/usr/bin/env bash
# Every subcommand and option that --help shows is in the README's section of that command, every option of `replay`
# in docs/replay.md and of `record` in docs/recording.md, and the other way round.
#   tests/docs_test.sh PROGRAM PROJECT_FOLDER
set -euo pipefail
program=$1 root=$2
failed=0

# Long options of a help text: those that begin a line, perhaps after a short form.
options_in_help() { sed -nE 's/^  (-[A-Za-z], *)?(--[a-z0-9][a-z0-9-]*).*/\2/p' | grep -vxE -e '--help|--help-all|--version' | sort -u; }

# Options in the first column of a page's tables below headings that match a pattern.
options_in_page() {
  awk -v wanted="$2" '
    /^#/ { inside = ($0 ~ wanted) }
    inside && /^\| `--/ { split($0, cells, "`"); split(cells[2], words, /[ =]/); print words[1] }' "$root/$1" | sort -u
}

# compare WHAT PAGE SHOWN WRITTEN
compare() {
  local what=$1 page=$2 shown=$3 written=$4
  local missing extra
  missing=$(comm -23 <(printf '%s\n' "$shown") <(printf '%s\n' "$written") | tr '\n' ' ')
  extra=$(comm -13 <(printf '%s\n' "$shown") <(printf '%s\n' "$written") | tr '\n' ' ')
  [ -z "${missing// /}" ] || { echo "$what: not in $page: $missing"; failed=1; }
  [ -z "${extra// /}" ] || { echo "$what: in $page, but not in --help: $extra"; failed=1; }
}

commands=$("$program" --help | sed -nE 's/^  ([a-z][a-z-]*)  +[A-Z].*/\1/p' | sort -u)
[ -n "$commands" ] || { echo "no subcommands in --help"; exit 1; }
written=$(sed -nE 's/^### `tapedeck ([a-z-]+).*/\1/p' "$root/README.md" | sort -u)
compare subcommands README.md "$commands" "$written"

for command in $commands; do
  shown=$("$program" "$command" --help | options_in_help || true)
  written=$({ options_in_page README.md "^### .tapedeck $command[ \`]"
              options_in_page README.md "^### Options of .*\`$command\`"; } | sort -u)
  compare "$command" README.md "$shown" "$written"
  case $command in
    replay) compare replay docs/replay.md "$shown" "$(options_in_page docs/replay.md .)" ;;
    record) compare record docs/recording.md "$shown" "$(options_in_page docs/recording.md .)" ;;
  esac
done
exit "$failed"
