#!/usr/bin/env bash
# Checks tests/support/needs.h: a missing requirement is reported in a line that ctest recognizes, and fails with CI set
# unless TAPEDECK_LACKS names it.
#   tests/needs_selftest.sh SUPPORT_TESTS
set -euo pipefail
program=$1

# expect fine|fails CI-VALUE TAPEDECK_LACKS
expect() {
  local found=fine output
  output=$(CI=$2 TAPEDECK_LACKS=$3 "$program" '[.needs]') || found=fails
  [ "$found" = "$1" ] || { echo "CI='$2' TAPEDECK_LACKS='$3': $found instead of $1"; exit 1; }
  case "$found$output" in
    *SKIPPED:*) [ "$found" = fine ] || { echo "a failure is shown as skipped"; exit 1; } ;;
    *) [ "$found" = fails ] || { echo "nothing says that it was skipped"; exit 1; } ;;
  esac
}

expect fine "" ""
expect fine "" "wings"
expect fails true ""
expect fails true "wing swings"
expect fine true "wings"
expect fine true "legs wings"
