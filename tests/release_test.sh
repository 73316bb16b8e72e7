#!/usr/bin/env bash
# Tests script/release in a copy of the project: all versions, the changelog, and what it refuses.
#   tests/release_test.sh PROJECT_FOLDER
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=ann GIT_AUTHOR_EMAIL=ann@example.org
export GIT_COMMITTER_NAME=ann GIT_COMMITTER_EMAIL=ann@example.org
cd "$1"
tar -c --exclude=node_modules CMakeLists.txt README.md CHANGELOG.md script docs examples/containers packaging integrations | tar -x -C "$work"
cd "$work"
git init -q .
commit() { git add --all && git commit -q -m "$1"; }
commit 'project: start'
fail() { echo "release: $1"; cat output; exit 1; }
runs() { script/release "$@" >output 2>&1 || fail "script/release $* failed"; git diff --quiet HEAD || fail "it left changes"; }
# refuses SAYS ARGUMENTS…: the command must fail, say so, and change nothing.
refuses() {
  local before
  before=$(git rev-parse HEAD)
  ! script/release "${@:2}" >output 2>&1 || fail "script/release ${*:2} succeeded"
  grep -qF "$1" output || fail "it does not say: $1"
  [ "$(git rev-parse HEAD)" = "$before" ] || fail "it committed"
}
printf 'output\nreal\n' >.gitignore
commit 'project: ignore the output'
old=$(sed -nE 's/^project\(tapedeck VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)

refuses usage
refuses usage v1.2.3
refuses usage 1.2
refuses 'older than' 0.0.1
echo >>README.md
refuses 'not committed' 91.2.3
git checkout -q README.md
if grep -rlE 'packages are not published yet|Nothing is published yet' README.md docs integrations >real; then
  refuses 'nothing is published' 91.2.3
  xargs sed -i -E 's/packages are not published yet|Nothing is published yet/published/' <real
  commit 'docs: name the packages'
fi
git tag v91.2.3
refuses 'already exists' 91.2.3
git tag -d v91.2.3 >output
sed -i 's/"version": "[^"]*"/"version": "0.0.7"/' integrations/npm/tapedeck/package.json
commit 'npm: differ'
refuses 'integrations/npm/tapedeck/package.json:3 0.0.7' 91.2.3
git reset -q --hard HEAD^

# The first release has the version that is there, and its link leads to no comparison.
runs "$old"
grep -qxF "[$old]: https://github.com/tapedeck/tapedeck/releases/tag/v$old" CHANGELOG.md || fail "the first link is wrong"
git reset -q --hard HEAD^

runs 91.2.3
runs --check 91.2.3
refuses 'are not 91.2.4' --check 91.2.4
# No file of a package or page contains the old version. Those of other programs look different.
! grep -rnE "[^0-9.]${old//./\\.}[^0-9.]" CMakeLists.txt README.md docs examples packaging integrations --include=* | grep -v package-lock.json ||
  fail "the old version remains"
# The new section has the changes, and the one above it is empty.
refuses 'lists no change' 91.2.4
sed -i 's/^## \[Unreleased\]$/&\n\n- Something new./' CHANGELOG.md
commit 'changelog: add a line'
runs 91.2.4
[ "$(grep -c '^\[' CHANGELOG.md)" -eq 3 ] || fail "the links are wrong: $(grep '^\[' CHANGELOG.md)"
[ "$(sed -n '/^## \[91.2.4\]/,/^## \[91.2.3\]/p' CHANGELOG.md | grep -c '^- ')" -eq 1 ] || fail "the sections are wrong"
sed -i 's/^## \[91.2.4\].*/## [91.2.4]/' CHANGELOG.md
refuses 'no section' --check 91.2.4
git checkout -q CHANGELOG.md
sed -i '/^\[91.2.4\]:/d' CHANGELOG.md
refuses 'no link' --check 91.2.4
