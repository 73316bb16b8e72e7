#!/usr/bin/env bash
# Runs the shell lines of action.yml and of the pages for GitHub, GitLab, and Jenkins unchanged, with a tarball of this
# program.
#   tests/clients/ci.sh TAPEDECK
set -euo pipefail
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state
unset TAPEDECK_URL TAPEDECK_BIN
version=$(sed -nE 's/^project\(tapedeck VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")
name=tapedeck-$version-linux-$(uname -m).tar.gz
mkdir -p "$work/tapedeck-0.1.0" "$work/project" "$work/releases/v$version"
strip -o "$work/tapedeck-0.1.0/tapedeck" "$program"
tar -czf "$work/tarball" -C "$work" tapedeck-0.1.0
cp "$work/tarball" "$work/releases/v$version/$name"
sum=$(sha256sum "$work/tarball" | cut -d ' ' -f 1)
"$program" demo --keep "$work/project/nas.cassette" >"$work/made" 2>&1 || { cat "$work/made"; exit 1; }
printf '#!/bin/sh\ncurl -q -s --noproxy "*" "$TAPEDECK_URL/webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get" | grep -q attic\n' \
  >"$work/project/run-tests"
chmod +x "$work/project/run-tests"

# The action adds the program to PATH: from a release, from dist/ of its source, or from Docker. It refuses a tarball with
# another sum.
sed '1,/^      run: |$/d; s/^        //' "$root/action.yml" >"$work/install"
grep -q sha256sum "$work/install"
mkdir -p "$work/source/dist" "$work/bin"
cp "$root/CMakeLists.txt" "$work/source/"
# install_by_action SHA256 [NAME=VALUE]
install_by_action() {
  rm -rf "$work/path" "$work/runner"
  mkdir "$work/runner"
  env RELEASES="file://$work/releases" SOURCE="$work/source" VERSION= SHA256="$1" RUNNER_TEMP="$work/runner" GITHUB_PATH="$work/path" \
    PATH="$work/bin:$PATH" "${@:2}" bash "$work/install" >"$work/said" 2>&1
}
refused() { ! install_by_action "$@" && [ ! -e "$work/path" ] || { echo "FAILED: the action takes $*"; exit 1; }; }
installed() {
  install_by_action "$@" || { cat "$work/said"; echo "FAILED: the action with $*"; exit 1; }
  cmp "$(cat "$work/path")/tapedeck" "$work/tapedeck-0.1.0/tapedeck"
}
refused "${sum//[0-9]/0}"
refused "$sum" VERSION=9.9.9
installed "$sum"
installed "$sum" "VERSION=$version"
installed "$sum" "VERSION=v$version"
# Replaces Docker, which is not installed: `docker build --target tarball --output FOLDER SOURCE`.
printf '#!/bin/sh\n[ "$1 $2 $3 $4 $6" = "build --target tarball --output %s" ] && cp "%s" "$5/%s"\n' "$work/source" "$work/tarball" "$name" >"$work/bin/docker"
chmod +x "$work/bin/docker"
installed ''
cp "$work/tarball" "$work/source/dist/$name"
printf '%s  %s\n' "${sum//[0-9]/0}" "$name" >"$work/source/dist/SHA256SUMS"
refused ''
printf '%s  %s\n' "$sum" "$name" >"$work/source/dist/SHA256SUMS"
installed ''

# steps NAME: runs lines in the project. They must pass and write a report.
steps() {
  [ "$(wc -l <"$work/steps")" -ge 2 ] || { echo "FAILED: $1 has no steps"; exit 1; }
  (cd "$work/project" && rm -f tapedeck.xml && bash -euo pipefail "$work/steps") >"$work/said" 2>&1 ||
    { cat "$work/said"; echo "FAILED: the steps of $1"; exit 1; }
  grep -q '<testsuite ' "$work/project/tapedeck.xml" || { echo "FAILED: $1 leaves no report"; exit 1; }
}
sed -nE 's/^        run: (.*)/\1/p' "$root/docs/recipes/ci.md" >"$work/steps"
PATH=$(cat "$work/path"):$PATH steps github-actions.md
sed -n '/^  script:$/,/^  artifacts:$/s/^    - //p' "$root/docs/recipes/ci.md" | grep -v '^apt-get ' >"$work/steps"
TAPEDECK_URL_OF_TARBALL=file://$work/tarball TAPEDECK_SHA256=$sum steps gitlab-ci.md
sed -nE "/sh '''$/,/^ *'''$/{/'''/!p}; s/^ *steps \\{ sh '(.*)' \\}$/\\1/p" "$root/docs/recipes/ci.md" >"$work/steps"
rm -rf "$work/project/.tapedeck"
TAPEDECK_URL_OF_TARBALL=file://$work/tarball TAPEDECK_SHA256=$sum steps jenkins.md
