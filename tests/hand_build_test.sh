#!/usr/bin/env bash
# Checks that the manual build of the README needs no package of the tests: it configures on a machine without Catch2.
#   tests/hand_build_test.sh PROJECT_FOLDER
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$1"
grep -q 'cmake --preset release && cmake --build --preset release' README.md || { echo "README.md builds otherwise"; exit 1; }

without_catch() { cmake --preset "$1" -B "$work/$1" -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON; }
without_catch release >"$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
# The check can fail, because the tests need the package.
! without_catch dev >"$work/log" 2>&1 || { echo "Catch2 is not missed where the tests are built"; exit 1; }
