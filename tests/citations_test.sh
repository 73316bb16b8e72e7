#!/usr/bin/env bash
# What comments and documents cite is here: `semantics §2` is a section of docs/semantics.md, `field notes, "Answers"` one of
# docs/field-notes.md, `docs/replay.md, "Scopes"` a heading or a bold word of that page, and docs/anything.md is a file.
#   tests/citations_test.sh PROJECT_FOLDER
set -euo pipefail
root=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"

# All texts with comments as one line each, so that a citation may run over a line's end.
files() {
  find . \( -name node_modules -o -name .git -o -name build -o -name dist \) -prune -o -type f \
    \( -name '*.h' -o -name '*.cpp' -o -name '*.mjs' -o -name '*.js' -o -name '*.py' -o -name '*.sh' -o -name '*.md' \
    -o -name 'CMakeLists.txt' -o -name '*.cmake' -o -path './script/*' \) ! -name 'citations_*test.sh' -print | sort
}
while read -r file; do
  printf '%s\t' "${file#./}"
  sed -E 's|^ *(///?<?\|#) ?| |; s/\[([a-z-]+)\.md\]\([^)]*\)/\1.md/g; s/`//g' "$file" | tr -s '\n\t ' ' '
  echo
done < <(files) >"$work/texts"

# A page by the name under which it is cited.
page_of() {
  case $1 in
    "field notes") echo field-notes ;;
    spec) echo specification ;;
    *) echo "$1" ;;
  esac
}

# The citations: FILE, PAGE, SECTION and WORDS between unit separators, each of the last two perhaps empty. One file stands for
# all that cite the same.
awk -F '\t' '
  function give(page, section, words) { print $1 "\037" page "\037" section "\037" words }
  function quoted(rest) { return match(rest, /^,? "[^"]+"/) ? substr(rest, RSTART, RLENGTH) : "" }
  {
    text = $2
    while (match(text, /(design|semantics|toolkit|spec|Spec)(\.md)?,? §[0-9]+(\.[0-9]+)?/)) {
      cited = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
      page = tolower(cited); sub(/(\.md)?,? .*/, "", page); sub(/.*§/, "", cited)
      words = quoted(text)
      give(page, cited, words)
      while (words == "" && match(text, /^(–|, | and )§?[0-9]+(\.[0-9]+)?/) && text ~ /^(–|, §| and §)/) {
        cited = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
        sub(/^[^0-9]*/, "", cited)
        words = quoted(text)
        give(page, cited, words)
      }
      while (words != "") {
        text = substr(text, length(words) + 1); words = quoted(text)
        if (words != "") give(page, cited, words)
      }
    }
    text = $2
    while (match(text, /([Ff]ield[ -]notes(\.md)?|docs\/[a-z\/-]+\.md),? "[^"]+"/)) {
      cited = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
      page = cited; sub(/,? ".*/, "", page); sub(/^docs\//, "", page); sub(/\.md$/, "", page)
      if (tolower(page) ~ /^field.notes$/) page = "field-notes"
      words = cited; sub(/^[^"]*/, "", words)
      while (words != "") {
        give(page, "", words)
        words = quoted(text); text = substr(text, length(words) + 1)
      }
    }
    text = $2
    while (match(text, /docs\/[a-z\/-]+\.md/)) {
      page = substr(text, RSTART + 5, RLENGTH - 8); text = substr(text, RSTART + RLENGTH)
      give(page, "", "")
    }
  }' "$work/texts" | sort -u -t $'\037' -k2,4 >"$work/citations"

# The lines of a section: all of the page without a number; with N.M the page's section N.M, or else N and its item M.
section_of() {
  local file=$1 number=$2
  [ -n "$number" ] || { cat "$file"; return; }
  if grep -qE "^##+ ${number//./\\.}[. ]" "$file"; then
    awk -v n="$number" 'function heads(l) { return l ~ /^## / } heads($0) { inside = ($2 == n || $2 == n ".") } inside' "$file"
  elif [[ $number = *.* ]]; then
    section_of "$file" "${number%.*}" | grep -E "^${number#*.}\. " || true
  fi
}

failed=0 count=0
while IFS=$'\037' read -r file page section words; do
  count=$((count + 1))
  name=$(page_of "$page")
  where=docs/$name.md
  if [ ! -f "$where" ]; then
    echo "$file: cites $where, which is not there"
    failed=1
    continue
  fi
  [ -n "$section$words" ] || continue
  text=$(section_of "$where" "$section" | tr -d '`')
  if [ -z "$text" ]; then
    echo "$file: cites §$section of $where, which it does not have"
    failed=1
  elif [ -n "$words" ]; then
    words=${words#*\"} words=${words%\"*}
    named=$(grep -E '^#|\*\*|^\|' <<<"$text" || true)
    grep -qiF -- "${words//\`/}" <<<"$named" || {
      echo "$file: cites \"$words\" of $where${section:+ §$section}, which it does not have"
      failed=1
    }
  fi
done <"$work/citations"
[ "$count" -gt 0 ] || { echo "nothing is cited: the check reads nothing"; failed=1; }

# Texts that are not here cannot be cited.
if grep -oE '\.\./spec/[^ ]*|shared/docs/[^ ]*' "$work/texts"; then
  echo "a text outside of the repository is named"
  failed=1
fi
exit "$failed"
