#!/usr/bin/env bash
# Checks that hardening_test.sh accepts a hardened program and reports each missing property of others.
set -euo pipefail

check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/hardening_test.sh
compiler=${1:-c++}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# Has enough functions for landing pads, a stack frame of several pages, a copy of unknown length, and an index.
{
  printf '#include <cstring>\n#include <vector>\n'
  for i in $(seq 60); do printf 'int f%d(int n) { return n + %d; }\n' "$i" "$i"; done
  printf 'int (*table[])(int) = {'
  for i in $(seq 60); do printf 'f%d, ' "$i"; done
  printf '};\n'
  cat <<'SOURCE'
int use(char* text);
int main(int count, char** values) {
  char page[40000];
  char copy[8];
  std::memcpy(copy, values[0], static_cast<unsigned>(count));
  std::vector<int> numbers(static_cast<unsigned>(count));
  return table[count % 60](numbers[static_cast<unsigned>(count)]) + use(page) + use(copy);
}
int use(char* text) { return *static_cast<volatile char*>(text); }
SOURCE
} >"$folder/a.cpp"

good=(-O1 -std=c++20 -fPIE -pie -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong
  -fstack-clash-protection -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
[ "$(uname -m)" = x86_64 ] && good+=(-fcf-protection=full)

# verdict WANTED_STATUS WANTED_WORDS FLAGS…: builds with the flags after the good ones, and checks.
verdict() {
  local wanted=$1 words=$2 status=0 output
  shift 2
  "$compiler" "${good[@]}" "$@" "$folder/a.cpp" -o "$folder/a" 2>/dev/null
  output=$(bash "$check" "$folder/a") || status=$?
  if ((status != wanted)) || ! grep -q -- "$words" <<<"$output"; then
    printf 'FAILED: exit status %s, wanted %s with "%s", for: %s\n%s\n' "$status" "$wanted" "$words" "$*" "$output"
    failures=$((failures + 1))
  fi
}

verdict 0 ''
verdict 1 'PIE' -no-pie -fno-pie
verdict 1 'missing: RELRO' -Wl,-z,norelro
verdict 1 'full RELRO' -Wl,-z,lazy
verdict 1 'NX' -Wl,-z,execstack
verdict 1 'stack protector' -fno-stack-protector
verdict 1 'FORTIFY' -D_FORTIFY_SOURCE=0
verdict 1 '_GLIBCXX_ASSERTIONS' -U_GLIBCXX_ASSERTIONS
if [ "$(uname -m)" = x86_64 ]; then
  verdict 1 'CET' -fcf-protection=none
  verdict 1 'stack clash' -fno-stack-clash-protection
fi

if ((failures)); then exit 1; fi
echo "a hardened program passes, and each missing part is named"
