#!/usr/bin/env bash
# docs_test.sh passes on pages that agree with the program, and fails for each kind of disagreement.
set -euo pipefail
check=$(cd "$(dirname "$0")" && pwd)/docs_test.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/program" <<'PROGRAM'
#!/bin/sh
case "$1" in
  record) printf 'Options:\n  -h,--help  Help\n  --device URL  A device\n  --tls  Serve https\n' ;;
  replay) printf 'Options:\n  -h,--help  Help\n  --auth WHO  Sessions\n  --tls  Serve https\n' ;;
esac
PROGRAM
printf '#!/bin/sh\necho "| --tls | https |" >"$1/reference.md"\n' >"$folder/program_pages"
chmod +x "$folder/program" "$folder/program_pages"

# pages: the three pages as they should be.
pages() {
  mkdir -p "$folder/docs"
  echo '| --tls | https |' >"$folder/docs/reference.md"
  printf '# Replay\n\n| `--auth WHO` | sessions |\n| `--tls` | https |\n' >"$folder/docs/replay.md"
  printf '# Recording\n\n| `--device URL` | it |\n| `--tls` | https |\n' >"$folder/docs/recording.md"
}

failed=0
# expect PASS_OR_FAIL WHAT
expect() {
  local got=fail
  "$check" "$folder/program" "$folder/program_pages" "$folder" >"$folder/said" 2>&1 && got=pass
  [ "$got" = "$1" ] || { echo "expected $1, got $got: $2"; cat "$folder/said"; failed=1; }
}

pages && expect pass "the pages agree with the program"
for page in docs/reference.md docs/replay.md docs/recording.md; do
  pages && sed -i '/--tls/d' "$folder/$page" && expect fail "an option is not in $page"
  pages && printf '| `--gone` | was once there |\n' >>"$folder/$page" && expect fail "$page has an option that is gone"
  pages && rm "$folder/$page" && expect fail "$page is not there"
done
exit "$failed"
