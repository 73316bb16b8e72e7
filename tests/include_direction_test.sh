#!/usr/bin/env bash
# Holds the include table of the design: who may include whom, and which libraries live in one folder only.
# usage: include_direction_test.sh ROOT — prints one line for each fault; exit 1 when there is one, 2 when ROOT has no
# sources.
set -euo pipefail

root=${1:?usage: include_direction_test.sh ROOT}
cd "$root"

folders=()
for folder in http api scrubbers scan cassettes proxy replay inspector cli bench tests; do
  [[ -d $folder ]] && folders+=("$folder")
done

includes() { # file:line:#include …
  ((${#folders[@]})) || return 0
  grep -rnHE '^[[:space:]]*#[[:space:]]*include' --include='*.h' --include='*.cpp' "${folders[@]}" || true
}

if [[ -z $(includes) ]]; then
  echo "no sources with includes under this root" >&2
  exit 2
fi

includes | awk -F: '
  function fault(text) { print $1 ":" $2 ": " text; faults++ }
  function allow(from, list,   i, n, names) {
    n = split(list, names, " ")
    for (i = 1; i <= n; i++) may[from, names[i]] = 1
  }
  # A header that includes a confined library, or such a header, may not leave its folder.
  function confine(library) {
    if (path ~ /\.h$/) holds[path] = library
  }
  BEGIN {
    core = "http api scrubbers scan cassettes"
    split("http api scrubbers scan cassettes proxy replay inspector cli bench tests", all, " ")
    for (i in all) { known[all[i]] = 1; may[all[i], all[i]] = 1 }
    allow("api", "http")
    allow("scrubbers", "http api")
    allow("cassettes", "http api scrubbers scan")
    allow("proxy", core)
    allow("replay", core)
    allow("inspector", core " proxy replay")
    allow("cli", core " proxy replay inspector")
    allow("bench", core " proxy replay inspector cli tests")
    allow("tests", core " proxy replay inspector cli")
    # What api/ may take of http/: values, no sockets.
    split("message urlencoded multipart digest url utf8", values, " ")
    for (i in values) value_header["http/" values[i] ".h"] = 1
  }
  {
    path = $1
    folder = path; sub(/\/.*/, "", folder)
    source = path ~ /\.cpp$/
    text = $0; sub(/^[^:]*:[^:]*:/, "", text)
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
    quoted = text ~ /^"/
    name = text; sub(/^["<]/, "", name); sub(/[">].*/, "", name)
    if (quoted) {
      target = name; sub(/\/.*/, "", target)
      if (name !~ /\// || !(target in known)) fault("\"" name "\" is not written from the project root")
      else if (!((folder, target) in may)) fault(folder "/ may not include " target "/ (" name ")")
      else if (folder == "api" && target == "http" && !(name in value_header)) {
        fault("api/ includes values of http/ only, not " name)
      }
      edges++; edge_from[edges] = path; edge_to[edges] = name; edge_at[edges] = $1 ":" $2
    }
    if (folder == "tests") next
    if (name ~ /^(boost|openssl)\//) {
      if (folder != "http") fault("only http/ includes " name)
      confine("Boost or OpenSSL")
    }
    if (name ~ /^SQLiteCpp\//) {
      if (folder != "cassettes") fault("only cassettes/ includes " name)
      confine("SQLiteCpp or SQLite")
    }
    if (name == "sqlite3.h") {
      if (folder != "cassettes" && folder != "scan") fault("only cassettes/ and scan/ include " name)
      confine("SQLiteCpp or SQLite")
    }
    if (name == "httplib.h" && folder != "inspector" && folder != "cli" && folder != "bench") {
      fault("only inspector/ and cli/ and tests/ include " name)
    }
  }
  END {
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
      from = edge_from[i]; sub(/\/.*/, "", from)
      to = edge_to[i]; sub(/\/.*/, "", to)
      if (from != to && from != "tests" && (edge_to[i] in holds)) {
        print edge_at[i] ": " edge_to[i] " brings " holds[edge_to[i]] " out of " to "/"
        faults++
      }
    }
    exit faults > 0
  }'
