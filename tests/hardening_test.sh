#!/usr/bin/env bash
# Looks at a built program for the hardening that cmake/flags.cmake asks for.
# usage: hardening_test.sh PROGRAM — prints one line for each that is missing; exit 1 when there is one.
#
# CET is read from the code (its landing pads), not from the program's property note: Debian 12's crt1.o has no such
# note, and the linker only says what all of its inputs say.
set -euo pipefail

program=${1:?usage: hardening_test.sh PROGRAM}
headers=$(readelf -hldW "$program")
symbols=$(readelf --dyn-syms -W "$program")
status=0

# want TEXT PATTERN WHAT: the pattern (extended) must stand in the text.
want() {
  grep -qE "$2" <<<"$1" && return
  echo "missing: $3"
  status=1
}
# want_code BYTES AT_LEAST WHAT: so many places of the program hold these bytes.
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
