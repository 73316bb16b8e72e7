#!/usr/bin/env bash
# Checks that a built program has the hardening of cmake/flags.cmake.
# usage: hardening_test.sh PROGRAM. Prints one line for each missing property; exits with 1 if there is one.
#
# CET is detected in the code (its landing pads), not in the program's property note: Debian 12's crt1.o has no such
# note, and the linker keeps only properties that all of its inputs have.
set -euo pipefail

program=${1:?usage: hardening_test.sh PROGRAM}
headers=$(readelf -hldW "$program")
symbols=$(readelf --dyn-syms -W "$program")
status=0

# want TEXT PATTERN WHAT: the text must match the pattern (extended).
want() {
  grep -qE "$2" <<<"$1" && return
  echo "missing: $3"
  status=1
}
# want_code BYTES AT_LEAST WHAT: at least this many places of the program contain the bytes.
want_code() {
  local count
  count=$(LC_ALL=C grep -aoP "$1" "$program" | wc -l || true)
  [ "$count" -ge "$2" ] && return
  echo "missing: $3 ($count places, $2 wanted)"
  status=1
}

want "$headers" 'Type: +DYN' 'PIE: the program is not position independent'
want "$headers" 'FLAGS_1.*PIE' 'PIE: the flag is not set'
want "$headers" 'GNU_RELRO' 'RELRO: there is no such segment'
want "$headers" 'BIND_NOW|FLAGS_1.*NOW' 'full RELRO: symbols are not bound at the start'
want "$headers" 'GNU_STACK .* RW +0x' 'NX: the stack is executable'
want "$symbols" '__stack_chk_fail' 'stack protector'
want "$symbols" '__(mem|str|v?sn?printf|v?fprintf|read|recv)[a-z]*_chk' 'FORTIFY: no checked function is called'
want "$symbols" '__glibcxx_assert_fail' '_GLIBCXX_ASSERTIONS'
if [ "$(uname -m)" = x86_64 ]; then
  want_code '\xf3\x0f\x1e\xfa' 50 'CET: functions do not begin with endbr64'
  want_code '\x48\x83\x0c\x24\x00' 1 'stack clash protection: no probe is in the code'
fi
exit "$status"
