#!/usr/bin/env bash
# Tests the Go package with Debian's compiler: its own tests, and a suite in random order, in parallel, twice, under exec,
# recorded, and killed while it records. Its installation is large, so only `script/test --all` runs it.
#   tests/clients/go.sh TAPEDECK
set -euo pipefail
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
[ -n "${TAPEDECK_ALL:-}" ] || { echo "skipped: script/test --all runs it"; exit 77; }
skip() { echo "skipped: $1"; [ -z "${CI:-}" ] && exit 77; exit 1; }
command -v go >/dev/null || skip "go is not here (golang-go)"
command -v node >/dev/null || skip "node is not here: it makes the sample recording"

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export TAPEDECK_BIN=$program HOME=$work XDG_STATE_HOME=$work/state GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
export GOCACHE=${TAPEDECK_GOCACHE:-$work/cache}
unset TAPEDECK_URL
node "$root/examples/nas/make.mjs" "$program" "$work/nas.cassette" >"$work/made" 2>&1 || { cat "$work/made"; exit 1; }
cp -r "$root/integrations/go" "$work/package"
cd "$work/package"

# suite NAME COMMAND…: runs a command that must pass.
suite() { "${@:2}" >"$work/said" 2>&1 || { cat "$work/said"; echo "FAILED: $1"; exit 1; }; }
[ -z "$(gofmt -l .)" ] || { gofmt -l .; echo "FAILED: gofmt"; exit 1; }
suite vet go vet ./...
suite "the package's own tests" go test .
export NAS_CASSETTE=$work/nas.cassette
go test -c -o "$work/suite" ./example
cd example
suite "in random order" "$work/suite" -test.shuffle on
suite "twice, in parallel" "$work/suite" -test.count 2 -test.parallel 8
suite "under exec" env -u TAPEDECK_BIN "$program" exec --strict "$work/nas.cassette" -- "$work/suite" -test.run 'TestName|TestEach'

! NAS_FAILS=1 "$work/suite" -test.run Share >"$work/said" 2>&1
sed -n '/Tapedeck: /,/^--- /p' "$work/said" | sed 's/^ *Tapedeck/Tapedeck/; $d' | sed -E 's/^        //' | diff - <(cat <<'GOLDEN'
Tapedeck: requests in the scope "example > TestAShareThatWasNeverRequested": 2, misses: 1
problems:
  miss     200 code 100 SVC.Core.Share/1/get?name=nobody
      recorded only with other parameters or in another version
      recordings that differ in name have different responses, so ignoring it would be a guess; record this call with `tapedeck record --device URL CASSETTE`
last requests:
  builtin  200 SVC.API.Auth/7/login?format
  miss     200 code 100 SVC.Core.Share/1/get?name=nobody
GOLDEN
) || { cat "$work/said"; echo "FAILED: a failing test shows something else"; exit 1; }

# Records from the sample device, and replays without it.
cat >"$work/device.mjs" <<END
import { described, startDevice } from '$root/examples/nas/device.mjs';
const device = await startDevice();
console.log(device.url, described.account.name, described.account.password);
END
node "$work/device.mjs" >"$work/device" &
device=$!
trap 'kill $device 2>/dev/null; chmod -R u+w "$work"; rm -rf "$work"' EXIT
until [ -s "$work/device" ]; do sleep 0.05; done
read -r NAS_DEVICE NAS_ACCOUNT NAS_PASSWORD <"$work/device"
export NAS_DEVICE NAS_ACCOUNT NAS_PASSWORD NAS_CASSETTE=$work/recorded.cassette
NAS_RECORD=all suite "recording" "$work/suite" -test.run TestName
suite "replaying what was recorded" "$work/suite" -test.run TestName
"$program" ls --scopes "$NAS_CASSETTE" | grep -q 'example > TestName'
