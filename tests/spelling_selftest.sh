#!/usr/bin/env bash
# Checks that the spelling check finds a misspelled word and a listed phrase, in a page and in the help, and accepts
# plain text.
set -euo pipefail
command -v codespell >/dev/null || { echo "SKIPPED: codespell is missing (script/bootstrap test)"; exit 0; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/tests/spelling" "$root/docs"
cp "$here"/spelling/*.txt "$root/tests/spelling"
failed=0

# run EXPECTED_STATUS PAGE_TEXT HELP_TEXT
run() {
  local status=0
  echo "$2" >"$root/docs/page.md"
  printf '#!/bin/sh\necho "%s"\n' "$3" >"$root/program"
  chmod +x "$root/program"
  "$here/spelling_test.sh" "$root/program" "$root" >/dev/null 2>&1 || status=1
  [ "$status" = "$1" ] || { echo "status $status instead of $1 for the page '$2' and the help '$3'"; failed=1; }
}
run 0 "Replay returns the recorded response." "List the interactions"
run 1 "Replay recieves the request." "List the interactions"
run 1 "Replay returns the recorded response." "List the interactoins of teh cassette"
run 1 "A text that is no key." "List the interactions"
run 0 'The member `answers` has a list.' "List the interactions"
run 1 "Replay returns the recorded response." "Unite cassettes in one"
exit "$failed"
