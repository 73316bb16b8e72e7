#!/usr/bin/env bash
# The shell lines of action.yml and of the pages for GitHub and GitLab, as they stand there, with a tarball of this program.
#   tests/clients/ci.sh TAPEDECK
set -euo pipefail
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $1"; [ -z "${CI:-}" ] && exit 77; exit 1; }
command -v node >/dev/null || skip "node is not here: it makes the sample recording"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state
unset TAPEDECK_URL TAPEDECK_BIN
mkdir "$work/tapedeck-0.1.0" "$work/project"
strip -o "$work/tapedeck-0.1.0/tapedeck" "$program"
tar -czf "$work/tarball" -C "$work" tapedeck-0.1.0
sum=$(sha256sum "$work/tarball" | cut -d ' ' -f 1)
node "$root/examples/nas/make.mjs" "$program" "$work/project/nas.cassette" >"$work/made" 2>&1 || { cat "$work/made"; exit 1; }
printf '#!/bin/sh\ncurl -q -s --noproxy "*" "$TAPEDECK_URL/webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get" | grep -q attic\n' \
  >"$work/project/run-tests"
chmod +x "$work/project/run-tests"

# The action: what it puts into PATH is the program, and a tarball with another sum is refused.
sed '1,/^      run: |$/d; s/^        //' "$root/action.yml" >"$work/install"
grep -q sha256sum "$work/install"
install_by_action() { TARBALL_URL=file://$work/tarball TARBALL_SHA256=$1 RUNNER_TEMP=$work GITHUB_PATH=$work/path bash "$work/install"; }
! install_by_action "${sum//[0-9]/0}" >"$work/said" 2>&1 || { echo "FAILED: another sum is taken"; exit 1; }
[ ! -e "$work/path" ] || { echo "FAILED: a tarball that was refused is in PATH"; exit 1; }
install_by_action "$sum"
cmp "$(cat "$work/path")/tapedeck" "$work/tapedeck-0.1.0/tapedeck"

# steps NAME: runs lines, in the project; they must pass, and leave a report.
steps() {
  [ "$(wc -l <"$work/steps")" -ge 2 ] || { echo "FAILED: $1 has no steps"; exit 1; }
  (cd "$work/project" && rm -f tapedeck.xml && bash -euo pipefail "$work/steps") >"$work/said" 2>&1 ||
    { cat "$work/said"; echo "FAILED: the steps of $1"; exit 1; }
  grep -q '<testsuite ' "$work/project/tapedeck.xml" || { echo "FAILED: $1 leaves no report"; exit 1; }
}
sed -nE 's/^        run: (.*)/\1/p' "$root/docs/recipes/github-actions.md" >"$work/steps"
PATH=$(cat "$work/path"):$PATH steps github-actions.md
sed -n '/^  script:$/,/^  artifacts:$/s/^    - //p' "$root/docs/recipes/gitlab-ci.md" | grep -v '^apt-get ' >"$work/steps"
TAPEDECK_URL_OF_TARBALL=file://$work/tarball TAPEDECK_SHA256=$sum steps gitlab-ci.md
