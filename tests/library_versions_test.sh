#!/usr/bin/env bash
# Checks that packages with other versions of a library than the newest one, or than those for another architecture, are
# refused, and that both versions are shown.
#   tests/library_versions_test.sh PROJECT_FOLDER
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$1/packaging/architecture.sh"

# rows NAME=VERSION…: prints them as lines of the function `versions`.
rows() { printf '%s\n' "$@" | tr = '\t'; }
# case STATUS SAID FIRST… -- SECOND…
try() {
  local status=$1 said=$2 first=()
  shift 2
  while [ "$1" != -- ]; do first+=("$1"); shift; done
  shift
  rows "${first[@]}" >"$work/first"
  rows "$@" >"$work/second"
  local got=0
  compare_versions "$work/first" "$work/second" "they differ" >"$work/said" 2>&1 || got=$?
  [ "$got" = "$status" ] && { [ -z "$said" ] || grep -qF -- "$said" "$work/said"; } || { cat "$work/said"; echo "FAILED: status $got: ${first[*]} and $*"; exit 1; }
}
try 0 '' libssl-dev=3.0.17-1 zlib1g-dev=1.2 -- libssl-dev=3.0.17-1 zlib1g-dev=1.2
try 1 '  libssl-dev: 3.0.16-1 and 3.0.17-1' libssl-dev=3.0.16-1 zlib1g-dev=1.2 -- libssl-dev=3.0.17-1 zlib1g-dev=1.2
try 1 '  libssl-dev: 3.0.17-1 and 3.0.16-1' libssl-dev=3.0.17-1 -- libssl-dev=3.0.16-1
try 1 'other libraries' libssl-dev=3.0.17-1 -- libssl-dev=3.0.17-1 zlib1g-dev=1.2

# check_versions reads a machine's packages and the release through these functions.
arch=amd64
work_of() { mkdir -p "$work/build-$1-packages"; work_here=$work/build-$1-packages; }
check() {
  work_of "$1"
  (work=$work_here; versions() { rows "$installed" | sed 's/$/\tall/'; }; newest() { rows "$release"; }; check_versions "$2") >"$work/said" 2>&1
}
installed='libssl-dev=3.0.17-1' release='libssl-dev=3.0.17-1'
check amd64 "$work/build" || { cat "$work/said"; echo "FAILED: the newest versions are refused"; exit 1; }
installed='libssl-dev=3.0.17-1+b1' release='libssl-dev=3.0.17-1+b1'
check arm64 "$work/build" || { cat "$work/said"; echo "FAILED: a package that was compiled again is refused"; exit 1; }
installed='libssl-dev=3.0.16-1'
! check amd64 "$work/build" && grep -q '3.0.16-1 and 3.0.17-1+b1' "$work/said" || { cat "$work/said"; echo "FAILED: an old version passes"; exit 1; }
release='libssl-dev=3.0.16-1'
! check amd64 "$work/build" && grep -q 'two architectures' "$work/said" || { cat "$work/said"; echo "FAILED: architectures may differ"; exit 1; }
