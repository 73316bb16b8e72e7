#!/usr/bin/env bash
# Runs the benchmark with tiny sizes: it must start, check, and measure all servers, and leave nothing running.
#   tests/bench_test.sh TAPEDECK
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for program in wrk nginx mitmdump; do
  command -v "$program" >/dev/null || { echo "skipped: $program is not installed (script/bootstrap bench)"; [ -z "${CI:-}" ] && exit 77; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/bench/bench.py" --program "$1" --work "$work/bench" --runs 1 --seconds 1 --few 10 --many 30 | tee "$work/table"
for row in 'first response after the start, 30 interactions' 'replay, 10 calls in turn' 'replay, 30 calls at random' 'replay, memory' recording; do
  grep -q "^| $row | [0-9.,]* " "$work/table" || { echo "no row: $row"; exit 1; }
done
grep -qE '^\| recording \| [0-9,]+ /s \| [0-9,]+ /s \| [0-9,]+ /s \| [0-9.]+ × \|$' "$work/table"
