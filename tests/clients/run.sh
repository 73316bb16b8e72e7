#!/usr/bin/env bash
# Runs a test of this folder with node. Exits with 77, which CTest counts as skipped, if a requirement is missing, and
# with 1 if CI is set, where a skipped test would not be noticed.
#   tests/clients/run.sh SCRIPT [ARGUMENTS…]
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
skipped=77
[ -z "${CI:-}" ] || skipped=1
skip() { echo "skipped: $1"; exit "$skipped"; }

command -v node >/dev/null || skip "node is not installed (script/bootstrap test)"
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 18 ] || skip "node $major is too old: 18 or newer is needed"
[ -d "$folder/node_modules/syno" ] && [ -d "$folder/node_modules/playwright-core" ] &&
  [ -d "$folder/node_modules/axe-core" ] && [ -d "$folder/node_modules/socket.io-client2" ] && [ -d "$folder/node_modules/@noble/curves" ] ||
  skip "the npm packages are not installed (npm ci in tests/clients; script/test does it)"
script=$1
shift
status=0
node "$folder/$script" "$@" || status=$?
[ "$status" -ne 77 ] || status=$skipped
exit "$status"
