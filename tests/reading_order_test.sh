#!/usr/bin/env bash
# Every function of docs/reading-order.md is defined in the file that its row names.
# usage: reading_order_test.sh ROOT [PAGE] — one line for each that is not; exit 1 when there is one, 2 without rows.
set -euo pipefail
root=${1:?usage: reading_order_test.sh ROOT [PAGE]}
page=${2:-$root/docs/reading-order.md}
failed=0 rows=0
while IFS=$'\t' read -r file function; do
  rows=$((rows + 1))
  if [ ! -f "$root/$file" ]; then
    echo "$file is not there"
    failed=1
  elif ! grep -qE "(^|[ &*])$function\(" "$root/$file"; then
    echo "$file does not define $function"
    failed=1
  fi
done < <(awk -F'|' '$2 ~ /[0-9]/ { gsub(/[ `]/, "", $3); gsub(/[ `]/, "", $4); print $3 "\t" $4 }' "$page")
[ "$rows" -gt 0 ] || { echo "no rows in $page"; exit 2; }
exit "$failed"
