#!/usr/bin/env bash
# Checks tests/clients/run.sh: a missing requirement of a client test skips the test, and fails it if CI is set.
set -euo pipefail
runner=$(cd "$(dirname "$0")" && pwd)/clients/run.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$runner" "$work/run.sh"

# expect STATUS CI-VALUE SCRIPT
expect() {
  local status=0
  CI=$2 "$work/run.sh" "$3" >/dev/null || status=$?
  [ "$status" -eq "$1" ] || { echo "CI='$2' $3: status $status instead of $1"; exit 1; }
}

expect 77 "" any.mjs
expect 1 true any.mjs
# A node that ends with the number in the name of the script.
mkdir -p "$work/bin"
cat >"$work/bin/node" <<'END'
#!/bin/sh
case "$1" in
  -p) echo 18 ;;
  *) exit "$(basename "$1" .mjs | sed 's/ends-//')" ;;
esac
END
chmod +x "$work/bin/node"
PATH=$work/bin:$PATH
mkdir -p "$work/node_modules/syno" "$work/node_modules/playwright-core" "$work/node_modules/axe-core" \
  "$work/node_modules/@noble/curves" "$work/node_modules/socket.io-client2"
expect 0 "" ends-0.mjs
expect 0 true ends-0.mjs
expect 3 true ends-3.mjs
expect 77 "" ends-77.mjs
expect 1 true ends-77.mjs
