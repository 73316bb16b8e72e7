#!/usr/bin/env bash
# Runs a test of this folder with node; exits with 77, which CTest counts as skipped, where what it needs is absent.
#   tests/clients/run.sh SCRIPT [ARGUMENTS…]
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }

command -v node >/dev/null || skip "node is not installed (script/bootstrap test)"
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 18 ] || skip "node $major is too old: 18 or newer is needed"
[ -d "$folder/node_modules/syno" ] && [ -d "$folder/node_modules/playwright-core" ] ||
  skip "the npm packages are not installed (npm ci in tests/clients; script/test does it)"
script=$1
shift
exec node "$folder/$script" "$@"
