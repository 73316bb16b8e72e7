#!/usr/bin/env bash
# Compares docs/reference.md, which lists every option, with the reference that the program generates.
#   tests/docs_test.sh PAGES_PROGRAM PROJECT_FOLDER
set -euo pipefail
pages=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$pages" "$work"
if ! diff "$root/docs/reference.md" "$work/reference.md"; then
  echo "docs/reference.md is not what the program says: run script/reference"
  exit 1
fi
