#!/usr/bin/env bash
# Tests the Python package as users install it: as a wheel, in a virtual environment that includes Debian's pytest, used
# there by a suite in random order, in parallel, and with repeated tests.
#   tests/clients/pytest.sh TAPEDECK
set -euo pipefail
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $1"; [ -z "${CI:-}" ] && exit 77; exit 1; }
python=/usr/bin/python3
"$python" -c 'import pytest, xdist, random_order, pytest_rerunfailures, hatchling, venv' 2>/dev/null ||
  skip "pytest, its plugins or hatchling are not here (script/bootstrap test)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TAPEDECK_BIN=$program HOME=$work XDG_STATE_HOME=$work/state PYTHONDONTWRITEBYTECODE=1
unset CI TAPEDECK_URL PYTEST_ADDOPTS
"$program" demo --keep "$work/nas.cassette" >"$work/made" 2>&1 || { cat "$work/made"; exit 1; }
cp -r "$root/integrations/pytest" "$work/package"
(cd "$work/package" && "$python" -m hatchling build -t wheel -d "$work/dist") >/dev/null 2>&1
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install -q --no-index --no-deps "$work"/dist/*.whl
cd "$work/package/examples"

# suite ARGUMENTS…: runs the example's tests, which must pass.
suite() {
  "$work/venv/bin/python" -m pytest -o "cache_dir=$work/cache" --tapedeck-cassette "$work/nas.cassette" "$@" >"$work/said" 2>&1 ||
    { cat "$work/said"; echo "FAILED: pytest $*"; exit 1; }
  grep -q '14 passed, 1 rerun' "$work/said" || { cat "$work/said"; echo "FAILED: other numbers: pytest $*"; exit 1; }
}
suite test_nas.py --reruns 1
suite test_nas.py --reruns 1 --random-order
suite test_nas.py --reruns 1 -n 2 --random-order
suite test_nas.py --reruns 1 -n 2 --dist loadgroup
(unset TAPEDECK_BIN
  "$program" exec "$work/nas.cassette" -- "$work/venv/bin/python" -m pytest -q -o "cache_dir=$work/cache" test_nas.py --reruns 1) \
  >"$work/said" 2>&1 || { cat "$work/said"; echo "FAILED: under exec"; exit 1; }
other=("$work/venv/bin/python" -m pytest -q -o "cache_dir=$work/cache" test_nas.py -k name --tapedeck-bind nonce --tapedeck-cassette "$work/nas.cassette")
"$program" exec "$work/nas.cassette" -- "${other[@]}" >"$work/said" 2>&1 && grep -q '^ignored, .*: --tapedeck-bind$' "$work/said" ||
  { cat "$work/said"; echo "FAILED: exec ignores the plugin's options without a word"; exit 1; }
"$program" exec -- "${other[@]}" >"$work/said" 2>&1 && ! grep -q '^ignored' "$work/said" ||
  { cat "$work/said"; echo "FAILED: exec without a cassette ignores that of the plugin"; exit 1; }

cat >test_proxy.py <<'END'
import json
from urllib.request import urlopen

def test_proxy(tape):
    assert json.load(urlopen(f"{tape.url}/webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get"))["success"]
    assert tape.requests()
END
cat >test_shared.py <<'END'
import json
from urllib.request import urlopen

def ask(tape):
    url = f"{tape.url}/webapi/entry.cgi?api=SVC.Core.System.Utilization&version=1&method=get"
    return json.load(urlopen(url))["data"]["time"] - 1760000000

class TestShared:
    def test_one(self, tape_class, tape):
        assert (ask(tape_class), ask(tape_class), ask(tape)) == (0, 5, 0)

    def test_two(self, tape_class, tape_session):
        assert (ask(tape_class), ask(tape_session)) == (10, 0)
        assert (tape_class.scope, tape_session.scope) == ("test_shared.py::TestShared", "tape_session")

class TestOther:
    def test_three(self, tape_class, tape_session):
        assert (ask(tape_class), ask(tape_session)) == (0, 5)

def test_server(tapedeck_server, tape_session):
    assert (ask(tapedeck_server), ask(tape_session)) == (0, 10)
END
cat >test_gone.py <<'END'
import os, signal, subprocess

def test_gone(tape):
    for pid in subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True).stdout.split():
        if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(os.environ["TAPEDECK_BIN"]):
            os.kill(int(pid), signal.SIGKILL)
            os.waitid(os.P_PID, int(pid), os.WEXITED | os.WNOWAIT)
END
# A failing test shows its misses and its last requests.
! "$work/venv/bin/python" -m pytest -o "cache_dir=$work/cache" --tapedeck-cassette "$work/nas.cassette" failing >"$work/said" 2>&1
sed -n '/^-* tapedeck -*$/,/^=/p' "$work/said" | sed '1d;/^=/,$d' | diff - <(cat <<GOLDEN
2 requests in the scope "failing/test_share.py::test_a_share_that_was_never_asked_for", 1 miss
problems:
  miss     200 code 100 SVC.Core.Share/1/get?name=nobody
      \`name\` differs
      record this test: pytest failing/test_share.py::test_a_share_that_was_never_asked_for --tapedeck=new --tapedeck-device URL --tapedeck-cassette $work/nas.cassette
last requests:
  recorded 200 SVC.Core.Network/1/get
  miss     200 code 100 SVC.Core.Share/1/get?name=nobody
GOLDEN
) || { echo "FAILED: a failing test shows something else"; exit 1; }

# tests STATUS TEXT ARGUMENTS…: expects one error, or the number of tests in the text.
pytest=("$work/venv/bin/python" -m pytest -o "cache_dir=$work/cache")
tests() {
  local status=0
  "${pytest[@]}" "${@:3}" >"$work/said" 2>&1 || status=$?
  [ "$status" = "$1" ] && grep -qF -- "$2" "$work/said" && ! grep -q INTERNALERROR "$work/said" ||
    { cat "$work/said"; echo "FAILED: status $status: pytest ${*:3}"; exit 1; }
}
tests 4 'ERROR: no cassette for the fixture `tape`' test_nas.py
tests 4 'ERROR: no such cassette: none.cassette' test_nas.py --tapedeck-cassette none.cassette
tests 4 'ERROR: no such cassette: none.cassette' test_nas.py --tapedeck-cassette none.cassette -n 2
tests 4 'ERROR: tapedeck did not start: ' test_nas.py --tapedeck-cassette "$work/made"
tests 4 'ERROR: --tapedeck-pin requires --tapedeck=new or once or all' test_nas.py --tapedeck-cassette "$work/nas.cassette" --tapedeck-pin 00
tests 1 'errors' test_nas.py -n 2
tests 0 ' deselected' test_nas.py --collect-only -k name
tests 1 'tapedeck ended with status 3:' test_nas.py --tapedeck-cassette "$work/nas.cassette" --tapedeck-strict=unused -k name
tests 0 '1 passed' test_nas.py --tapedeck-cassette "$work/nas.cassette" --tapedeck-strict --tapedeck-bind nonce -k name
tests 4 'no selected test has a scope that matches' test_nas.py --tapedeck=new --tapedeck-device http://127.0.0.1:1 --tapedeck-cassette "$work/nas.cassette" --tapedeck-rerecord test_nas.py
printf '[[overlay]]\ncall = "Core.System.SystemHealth/*/get"\ndata = { hostname = "attic" }\n' >"$work/health.toml"
tests 0 '1 passed' test_nas.py --tapedeck-builtin --tapedeck-overlay "$work/health.toml" -k name

# Proxies of the environment get no request, neither from the plugin nor from a client.
http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 no_proxy=other.example tests 0 '1 passed' test_proxy.py --tapedeck-cassette "$work/nas.cassette"

# Fixtures for a class, for the whole run, and for the server alone.
tests 0 '4 passed' test_shared.py --tapedeck-cassette "$work/nas.cassette" --tapedeck-strict=miss

# A server that is gone gives one line.
tests 1 'Tapedeck: the server at http://127.0.0.1:' test_gone.py --tapedeck-cassette "$work/nas.cassette"
[ "$(wc -l <"$work/said")" -lt 40 ] || { cat "$work/said"; echo "FAILED: a long report of a missing server"; exit 1; }

# A suite is recorded, alone or by workers.
cat >"$work/device.mjs" <<END
import { described, startDevice } from '$root/examples/nas/device.mjs';
const device = await startDevice();
console.log(device.url, described.account.name, described.account.password);
END
node "$work/device.mjs" >"$work/device" &
device=$!
trap 'kill $device 2>/dev/null; rm -rf "$work"' EXIT
until [ -s "$work/device" ]; do sleep 0.05; done
read -r url account password <"$work/device"
mkdir -p "$work/project/sub"
touch "$work/project/pyproject.toml"
cat >"$work/project/sub/test_recorded.py" <<END
import os, time
from nas import Nas

def test_network(tape):
    nas = Nas(tape.url)
    nas.log_in("$account", "$password")
    assert nas.call("SVC.Core.Network", 1, "get")["server_name"] == "attic"
    if "MARK" in os.environ:
        open(os.environ["MARK"], "w").write(tape.server_url)
        time.sleep(60)

def test_share(tape):
    nas = Nas(tape.url)
    nas.log_in("$account", "$password")
    assert nas.call("SVC.Core.Share", 1, "list")["shares"]
END
export PYTHONPATH=$PWD
recorded=(--tapedeck-cassette "$work/new.cassette" --tapedeck-device "$url")
cd "$work/project/sub"
tests 0 '1 passed' --tapedeck=all "${recorded[@]}" -k network
tests 0 '2 passed' --tapedeck=new "${recorded[@]}" -n 2
cd "$work"
tests 0 '2 passed' --tapedeck=new "${recorded[@]}" project --tapedeck-rerecord -k test_share\ or\ test_network
tests 4 'requires a PATTERN with pytest-xdist' --tapedeck=new "${recorded[@]}" project --tapedeck-rerecord -n 2
tests 0 '2 passed' --tapedeck=new "${recorded[@]}" project --tapedeck-rerecord '*::test_share' -n 2
kill "$device"
tests 0 '2 passed' --tapedeck-cassette "$work/new.cassette" project --tapedeck-strict=miss,fallback
"$program" ls --scopes --json "$work/new.cassette" | grep -o 'sub/test_recorded.py::[a-z_]*' | sort -u |
  diff - <(printf 'sub/test_recorded.py::test_%s\n' network share) || { echo "FAILED: other scopes"; exit 1; }

"$work/venv/bin/python" - <<'PYTHON'
import hashlib
from pytest_tapedeck import scope_name
from pytest_tapedeck.report import report

digest = lambda text: hashlib.sha256(text.encode()).hexdigest()[:16]
long = "ü" * 501
assert scope_name("a.py::b[100 %; #1]") == "a.py::b[100 %; #1]"
assert scope_name("a.py::b@heavy", "heavy") == "a.py::b" and scope_name("a.py::b@heavy") == "a.py::b@heavy"
assert scope_name("ü" * 500) == "ü" * 500
assert scope_name(long) == "ü" * 180 + "~" + digest(long)
problems = [("miss", 200, "not recorded"), ("refused", 403, "--cors http://app.example allows them"),
            ("not recorded", 502, "the device cannot be reached"), ("builtin", 200, "a write; --allow-writes forwards it")]
entries = [{"number": number, "outcome": outcome, "status": status, "key": "SVC.A/1/get", "reason": reason}
           for number, (outcome, status, reason) in enumerate(problems)]
shown = report(entries + [{"number": 9, "outcome": "recorded", "status": 200, "key": "SVC.B/1/get"}], "s", {0: ["record it"]})
before = shown[shown.index("problems:"):shown.index("last requests:")]
for text in [reason for _, _, reason in problems] + ["record it"]:
    assert f"\n      {text}\n" in before, shown
assert "SVC.B" not in before
assert scope_name("a\nb") == "a b~" + digest("a\nb")
PYTHON
