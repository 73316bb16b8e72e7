#!/usr/bin/env bash
# Looks for what g++ 12 miscompiles: a temporary aggregate (`Name{…}`, `{.a = …}`, `({…})`) or a lambda with captures
# inside a co_await full-expression is destroyed twice. Name it on the line above and move it.
# It relies on clang-format: an initialiser's brace follows its type's name at once, a block's brace follows a space.
# usage: coroutine_pattern_test.sh ROOT — prints one line for each fault; exit 1 when there is one, 2 when ROOT/http has
# no sources.
set -euo pipefail

root=${1:?usage: coroutine_pattern_test.sh ROOT}
cd "$root"

mapfile -t sources < <(find http -name "*.cpp" -o -name "*.h" 2>/dev/null | sort)
if ((${#sources[@]} == 0)); then
  echo "no sources in http/ under this root" >&2
  exit 2
fi

status=0
for source in "${sources[@]}"; do
  grep -q co_await "$source" || continue
  awk -v file="$source" '
  # Comments, strings and character literals become blanks, so that every mark that is left is code.
  function code(text,   out, i, c, two, state, n) {
    out = ""; state = ""; n = length(text)
    for (i = 1; i <= n; i++) {
      c = substr(text, i, 1); two = substr(text, i, 2)
      if (state == "") {
        if (two == "//") state = "line"
        else if (two == "/*") state = "block"
        else if (c == "\"") { state = c; out = out "_"; continue }
        else if (c == quote && substr(out, length(out), 1) !~ /[0-9a-fA-F]/) { state = c; out = out "_"; continue }
        out = out (state == "" ? c : " ")
        continue
      }
      if (c == "\n") { out = out c; if (state == "line") state = ""; continue }
      if (state == "block" && two == "*/") { i++; out = out "  "; state = ""; continue }
      if ((state == "\"" || state == quote) && c == "\\") { i++; out = out "  "; continue }
      if (c == state) state = ""
      out = out " "
    }
    return out
  }
  # The whole statement around the co_await at `at`: back to the `;` or brace that ends the one before, on to its `;`.
  function first_of_statement(at,   i, c, rest, depth) {
    depth = 0
    for (i = at - 1; i > 0; i--) {
      c = substr(all, i, 1)
      if (c == ")" || c == "]") depth++
      if ((c == "(" || c == "[") && depth > 0) depth--
      if (depth > 0) continue
      if (c == ";") return i + 1
      if (c == "{" && substr(all, i - 1, 1) !~ /[A-Za-z0-9_>(,]/) return i + 1
      if (c == "}") {
        rest = substr(all, i + 1, at - i)
        if (rest !~ /^[ \n]*[,)}.+*\/?:|&<>=-]/) return i + 1
      }
    }
    return 1
  }
  function last_of_statement(at,   i, c, depth) {
    depth = 0
    for (i = at; i <= length(all); i++) {
      c = substr(all, i, 1)
      if (c == "(" || c == "[" || c == "{") depth++
      if (c == ")" || c == "]" || c == "}") depth--
      if (c == ";" && depth <= 0) return i
      if (c == "{" && depth <= 1 && substr(all, i - 1, 1) ~ /[ \n]/ && substr(all, i - 2, 1) == ")") return i - 1
    }
    return length(all)
  }
  function fault(what,   before, line) {
    before = substr(all, 1, at)
    line = gsub(/\n/, "", before) + 1
    print file ":" line ": " what " inside a co_await expression"
    faults++
  }
  BEGIN { quote = sprintf("%c", 39) }
  { raw = raw $0 "\n" }
  END {
    all = code(raw)
    at = 0
    while ((step = index(substr(all, at + 1), "co_await")) > 0) {
      at += step
      begin = first_of_statement(at)
      statement = substr(all, begin, last_of_statement(at) - begin + 1)
      if (statement ~ /[A-Za-z0-9_>]\{/ || statement ~ /[(,=?:][ \n]*\{/) fault("a temporary in braces")
      if (statement ~ /(^|[(,=?: \n])\[[^\]]+\][ \n]*(\(|\{|mutable|->)/) fault("a lambda with captures")
    }
    exit faults > 0
  }' "$source" || status=1
done
exit "$status"
