#!/usr/bin/env bash
# docs_test.sh passes on pages that agree with --help, and fails for each kind of disagreement.
set -euo pipefail
check=$(cd "$(dirname "$0")" && pwd)/docs_test.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/program" <<'PROGRAM'
#!/bin/sh
case "$1" in
  record) printf 'Options:\n  -h,--help  Help\n  --device URL  A device\n  --tls  Serve https\n' ;;
  replay) printf 'Options:\n  -h,--help  Help\n  --auth WHO  Sessions\n  --tls  Serve https\n' ;;
  *) printf 'Options:\n  --version  V\n\nRecord and replay:\n  record   Records\n  replay   Replays\n' ;;
esac
PROGRAM
chmod +x "$folder/program"

# pages: the three pages as they should be.
pages() {
  mkdir -p "$folder/docs"
  printf '### Options of `record`, `replay`\n\n| `--tls` | https |\n\n### `tapedeck record`\n\n| `--device URL` | it |\n\n' \
    >"$folder/README.md"
  printf '### `tapedeck replay`\n\n| `--auth WHO` | sessions |\n' >>"$folder/README.md"
  printf '# Replay\n\n| `--auth WHO` | sessions |\n| `--tls` | https |\n' >"$folder/docs/replay.md"
  printf '# Recording\n\n| `--device URL` | it |\n| `--tls` | https |\n' >"$folder/docs/recording.md"
}

failed=0
# expect PASS_OR_FAIL WHAT
expect() {
  local got=fail
  "$check" "$folder/program" "$folder" >"$folder/said" 2>&1 && got=pass
  [ "$got" = "$1" ] || { echo "expected $1, got $got: $2"; cat "$folder/said"; failed=1; }
}

pages && expect pass "the pages agree with --help"
for page in README.md docs/replay.md docs/recording.md; do
  pages && sed -i '/--tls/d' "$folder/$page" && expect fail "an option is not in $page"
  pages && printf '| `--gone` | was once there |\n' >>"$folder/$page" && expect fail "$page has an option that is gone"
done
pages && sed -i '/^### `tapedeck replay`/,$d' "$folder/README.md" && expect fail "a subcommand is not in the README"
pages && rm "$folder/docs/recording.md" && expect fail "a page is not there"
exit "$failed"
