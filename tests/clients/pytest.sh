#!/usr/bin/env bash
# The Python package as people get it: a wheel, installed into a virtual environment that sees Debian's pytest, used there
# by a suite in random order, in parallel and with tests that are tried again.
#   tests/clients/pytest.sh TAPEDECK
set -euo pipefail
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $1"; [ -z "${CI:-}" ] && exit 77; exit 1; }
python=/usr/bin/python3
"$python" -c 'import pytest, xdist, random_order, pytest_rerunfailures, hatchling, venv' 2>/dev/null ||
  skip "pytest, its plugins or hatchling are not here (script/bootstrap test)"
command -v node >/dev/null || skip "node is not here: it makes the sample recording"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TAPEDECK_BIN=$program HOME=$work XDG_STATE_HOME=$work/state PYTHONDONTWRITEBYTECODE=1
unset CI TAPEDECK_URL PYTEST_ADDOPTS
node "$root/examples/nas/make.mjs" "$program" "$work/nas.cassette" >"$work/made" 2>&1 || { cat "$work/made"; exit 1; }
cp -r "$root/integrations/pytest" "$work/package"
(cd "$work/package" && "$python" -m hatchling build -t wheel -d "$work/dist") >/dev/null 2>&1
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install -q --no-index --no-deps "$work"/dist/*.whl
cd "$work/package/examples"

# suite ARGUMENTS…: the example's tests; they must pass.
suite() {
  "$work/venv/bin/python" -m pytest -o "cache_dir=$work/cache" --tapedeck-cassette "$work/nas.cassette" "$@" >"$work/said" 2>&1 ||
    { cat "$work/said"; echo "FAILED: pytest $*"; exit 1; }
  grep -q '11 passed, 1 rerun' "$work/said" || { cat "$work/said"; echo "FAILED: other numbers: pytest $*"; exit 1; }
}
suite test_nas.py --reruns 1
suite test_nas.py --reruns 1 --random-order
suite test_nas.py --reruns 1 -n 2 --random-order
suite test_nas.py --reruns 1 -n 2 --dist loadgroup
(unset TAPEDECK_BIN
  "$program" exec "$work/nas.cassette" -- "$work/venv/bin/python" -m pytest -q -o "cache_dir=$work/cache" test_nas.py --reruns 1) \
  >"$work/said" 2>&1 || { cat "$work/said"; echo "FAILED: under exec"; exit 1; }

# A failing test shows its misses and its last requests.
! "$work/venv/bin/python" -m pytest -o "cache_dir=$work/cache" --tapedeck-cassette "$work/nas.cassette" failing >"$work/said" 2>&1
sed -n '/^-* tapedeck -*$/,/^=/p' "$work/said" | sed '1d;$d' | diff - <(cat <<'GOLDEN'
2 requests in the scope "failing/test_share.py::test_a_share_that_was_never_asked_for", 1 miss
misses:
  miss     200 code 100 SVC.Core.Share/1/get?name=nobody
      recorded only with other parameters or in another version
last requests:
  recorded 200 SVC.Core.Network/1/get
  miss     200 code 100 SVC.Core.Share/1/get?name=nobody
      recorded only with other parameters or in another version
GOLDEN
) || { echo "FAILED: a failing test shows something else"; exit 1; }

"$work/venv/bin/python" - <<'PYTHON'
import hashlib
from pytest_tapedeck import scope_name

digest = lambda text: hashlib.sha256(text.encode()).hexdigest()[:16]
long = "ü" * 501
assert scope_name("a.py::b[100 %; #1]") == "a.py::b[100 %; #1]"
assert scope_name("a.py::b@heavy", "heavy") == "a.py::b" and scope_name("a.py::b@heavy") == "a.py::b@heavy"
assert scope_name("ü" * 500) == "ü" * 500
assert scope_name(long) == "ü" * 180 + "~" + digest(long)
assert scope_name("a\nb") == "a b~" + digest("a\nb")
PYTHON
