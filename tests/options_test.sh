#!/usr/bin/env bash
# Checks that some end-to-end test passes every option of --help-all to its command: a file of tests/e2e, or a client of
# tests/clients, must contain both words as separate texts.
#   tests/options_test.sh PROGRAM PROJECT_FOLDER
set -euo pipefail
program=$1 root=$2
failed=0

options_in_help() { sed -nE 's/^  (-[A-Za-z], *)?(--[a-z0-9][a-z0-9-]*).*/\2/p' | grep -vxE -e '--help|--help-all|--version|--quiet|--color' | sort -u; }
commands=$("$program" --help-all | sed -nE 's/^  ([a-z][a-z-]*)  +[A-Z].*/\1/p' | sort -u)
[ -n "$commands" ] || { echo "no subcommands in --help-all"; exit 1; }

for command in $commands; do
  files=$(grep -lE "[\"' ]$command[\"' (]" "$root"/tests/e2e/*_test.cpp "$root"/tests/clients/*.mjs "$root"/tests/clients/page/*.mjs || true)
  # Options that stand in these files as words of their own.
  passed=$([ -z "$files" ] || grep -ohP "[\"' ]\K-{1,2}[A-Za-z0-9][A-Za-z0-9-]*(?=[\"' =])" $files | sort -u || true)
  missing=$(comm -23 <("$program" "$command" --help-all | options_in_help) <(printf '%s\n' "$passed"))
  for option in $missing; do
    echo "$command $option: no end-to-end test passes it"
    failed=1
  done
done
exit "$failed"
