#!/usr/bin/env bash
# Tests invariant 3 (scrubbers/redaction/scrubbed_interaction.h): tries to compile every file of this folder.
# control*.cpp must compile, and all others must not.
#   run.sh COMPILER PROJECT_ROOT
set -euo pipefail

compiler=$1
root=$2
status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The headers of all files are compiled once.
grep -hE '^#include' "$root"/tests/scrubbers/compile_fail/*.cpp | sort -u >"$work/headers.h"
"$compiler" -std=c++20 -I "$root" -x c++-header "$work/headers.h" -o "$work/headers.h.gch"
for file in "$root"/tests/scrubbers/compile_fail/*.cpp; do
  name=$(basename "$file")
  if output=$("$compiler" -std=c++20 -fsyntax-only -I "$root" -include "$work/headers.h" "$file" 2>&1); then compiled=yes; else compiled=no; fi
  case "$name" in control*) wanted=yes ;; *) wanted=no ;; esac
  if [ "$compiled" = "$wanted" ]; then
    echo "$name: compiled=$compiled, as wanted"
  else
    echo "$name: compiled=$compiled, wanted $wanted"
    echo "$output"
    status=1
  fi
done
exit $status
