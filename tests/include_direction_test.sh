#!/usr/bin/env bash
# Enforces the include tables of docs/architecture.md: the allowed includes of each folder, and the libraries that only
# some folders may include.
# usage: include_direction_test.sh ROOT [TABLES]. TABLES is ROOT/docs/architecture.md by default. Prints one line for
# each fault; exits with 1 if there is one, and with 2 if there are no tables or no sources below ROOT.
set -euo pipefail

root=${1:?usage: include_direction_test.sh ROOT [TABLES]}
tables=$(realpath "${2:-$root/docs/architecture.md}")
cd "$root"

# Rows that begin with a folder in backquotes are of the first table, those with a name and then a backquoted include of
# the second: "room FOLDER INCLUDED…" and "library INCLUDE FOLDER…".
rows=$(awk -F'|' '
  function names(text) { gsub(/[`,–]/, " ", text); return text }
  $2 ~ /^ *`[a-z\/]+\/` *$/ && NF == 5 { print "room", names($2), names($4) }
  $2 !~ /`/ && $3 ~ /^ *`[^`]+` *$/ && $4 ~ /`/ && NF == 5 { print "library", names($3), names($4) }' "$tables")
mapfile -t folders < <(awk '$1 == "room" { sub(/\/.*/, "", $2); print $2 }' <<<"$rows" | sort -u)
((${#folders[@]})) || { echo "no table of folders in $tables" >&2; exit 2; }

present=()
for folder in "${folders[@]}"; do
  [[ -d $folder ]] && present+=("$folder")
done

includes() { # file:line:#include …
  ((${#present[@]})) || return 0
  grep -rnHE '^[[:space:]]*#[[:space:]]*include' --include='*.h' --include='*.cpp' "${present[@]}" || true
}

if [[ -z $(includes) ]]; then
  echo "no sources with includes under this root" >&2
  exit 2
fi

includes | awk -F: -v rows="$rows" '
  function fault(text) { print $1 ":" $2 ": " text; faults++ }
  # The most precise row for a path: "http/message/" before "http/".
  function room_of(path,   end) {
    for (end = path; sub(/[^\/]*\/?$/, "", end) && end != "";) {
      if (end in is_room) return end
    }
    return ""
  }
  function starts_with(text, start) { return substr(text, 1, length(start)) == start }
  # A folder may also include the subfolders of the folders in its row: with "http/", also "http/message/".
  function reach(from, to,   i) {
    if ((from, to) in reaches) return
    reaches[from, to] = 1
    for (i = 1; i <= links[to]; i++) reach(from, link[to, i])
    for (i = 1; i <= rooms; i++) if (room[i] != to && starts_with(room[i], to)) reach(from, room[i])
  }
  function may_include(from, to) { return (from, to) in reaches }
  function may_hold(path, library,   i) {
    for (i = 1; i <= homes[library]; i++) if (starts_with(path, home[library, i])) return 1
    return starts_with(path, "tests/")
  }
  function library_of(name,   i) {
    for (i = 1; i <= libraries; i++) if (name == library[i] || (library[i] ~ /\/$/ && starts_with(name, library[i]))) return library[i]
    return ""
  }
  BEGIN {
    count = split(rows, line, "\n")
    for (i = 1; i <= count; i++) {
      n = split(line[i], word, " ")
      if (word[1] == "room") {
        room[++rooms] = word[2]
        is_room[word[2]] = 1
        top = word[2]; sub(/\/.*/, "", top); known[top] = 1
        for (j = 3; j <= n; j++) link[word[2], ++links[word[2]]] = word[j]
      } else {
        library[++libraries] = word[2]
        for (j = 3; j <= n; j++) home[word[2], ++homes[word[2]]] = word[j]
      }
    }
    for (i = 1; i <= rooms; i++) reach(room[i], room[i])
  }
  {
    path = $1
    text = $0; sub(/^[^:]*:[^:]*:/, "", text)
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
    quoted = text ~ /^"/
    name = text; sub(/^["<]/, "", name); sub(/[">].*/, "", name)
    from = room_of(path)
    if (from == "") { fault("stands in no folder of the table"); next }
    if (quoted) {
      target = name; sub(/\/.*/, "", target)
      to = room_of(name)
      if (name !~ /\// || !(target in known)) fault("\"" name "\" is not written from the project root")
      else if (to == "" || !may_include(from, to)) fault(from " may not include " name)
      edges++; edge_from[edges] = path; edge_to[edges] = name; edge_at[edges] = $1 ":" $2
    }
    found = library_of(name)
    if (found == "" || starts_with(path, "tests/")) next
    if (!may_hold(path, found)) fault(from " may not include " name)
    if (path ~ /\.h$/) holds[path] = found
  }
  END {
    # A header that includes such a library, or such a header, may not leave the folders of that library.
    for (changed = 1; changed;) {
      changed = 0
      for (i = 1; i <= edges; i++) {
        if ((edge_to[i] in holds) && edge_from[i] ~ /\.h$/ && !(edge_from[i] in holds)) {
          holds[edge_from[i]] = holds[edge_to[i]]
          changed = 1
        }
      }
    }
    for (i = 1; i <= edges; i++) {
      if ((edge_to[i] in holds) && !may_hold(edge_from[i], holds[edge_to[i]])) {
        print edge_at[i] ": " edge_to[i] " brings " holds[edge_to[i]] " with it"
        faults++
      }
    }
    exit faults > 0
  }'
