#!/usr/bin/env bash
# No file holds another file's class: where a folder or a room of it has a file named after a class (reply_cache.cpp for
# ReplyCache), that class is declared in reply_cache.h and nowhere else.
#   tests/class_files_test.sh PROJECT_FOLDER
set -euo pipefail
cd "$1"
failed=0

# "class Name … {" and "struct Name … {" at the left edge; a line with "::" defines a part of a class declared elsewhere.
classes_in() { sed -nE '/::Impl/d; s/^(class|struct) ([A-Z][A-Za-z0-9]*)( final)?( : [^{]*)? \{.*/\2/p' "$1"; }
file_name_of() { sed -E 's/([a-z0-9])([A-Z])/\1_\2/g' <<<"$1" | tr '[:upper:]' '[:lower:]'; }

while IFS= read -r header; do
  folder=${header%%/*}
  for class in $(classes_in "$header"); do
    stem=$(file_name_of "$class")
    [ "$stem" != "$(basename "$header" .h)" ] || continue
    for file in $(find "$folder" -name "$stem.h" -o -name "$stem.cpp"); do
      echo "$header declares $class, which $file is named after"
      failed=1
    done
  done
done < <(find . -name '*.h' -not -path './build/*' -not -path './tests/*' -not -path './bench/*' -not -path '*/node_modules/*' |
  sed 's|^\./||' | sort)
exit "$failed"
