#!/usr/bin/env bash
# Proves that include_direction_test.sh can fail: one small tree for each kind of fault.
set -euo pipefail

check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/include_direction_test.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# verdict WANTED_STATUS WHAT FILE=INCLUDE …: makes a tree of those files, each with one include, and checks it.
verdict() {
  local wanted=$1 what=$2 status=0 file
  shift 2
  rm -rf "${tree:?}"/*
  for file in "$@"; do
    mkdir -p "$tree/$(dirname "${file%%=*}")"
    printf '#include %s\n' "${file#*=}" >>"$tree/${file%%=*}"
  done
  bash "$check" "$tree" >"$tree.out" 2>&1 || status=$?
  if ((status != wanted)); then
    echo "FAILED: $what: exit status $status, wanted $wanted"
    cat "$tree.out"
    failures=$((failures + 1))
  fi
  rm -f "$tree.out"
}

verdict 0 "allowed includes, transitively" \
  'http/a.h=<string>' 'http/a.cpp=<boost/asio.hpp>' 'http/b.cpp=<openssl/evp.h>' 'api/a.h="http/message.h"' \
  'scrubbers/a.h="http/relay.h"' 'scan/a.cpp=<sqlite3.h>' 'scan/b.cpp="scan/a.h"' \
  'cassettes/a.cpp=<SQLiteCpp/SQLiteCpp.h>' \
  'cassettes/b.cpp="api/a.h"' 'cassettes/c.h="scan/a.h"' 'proxy/a.cpp="cassettes/c.h"' 'replay/a.cpp="http/a.h"' \
  'inspector/a.cpp=<httplib.h>' 'inspector/b.cpp="replay/a.h"' 'cli/a.cpp="inspector/a.h"' 'tests/x/a.cpp=<httplib.h>' \
  'tests/x/b.cpp="cli/a.h"' 'tests/x/c.cpp="tests/x/d.h"'
verdict 0 "a private header with a library in it, within its folder" \
  'http/impl.h=<boost/asio.hpp>' 'http/a.cpp="http/impl.h"' 'tests/http/a.cpp="http/impl.h"'
verdict 1 "a lower folder that includes a higher one" 'http/a.cpp="api/a.h"'
verdict 1 "the same between the middle ones" 'scrubbers/a.h="cassettes/a.h"'
verdict 1 "the scan that includes the scrubber" 'scan/a.cpp="scrubbers/a.h"'
verdict 1 "the scan that includes anything of ours" 'scan/a.cpp="http/message.h"'
verdict 1 "the scrubber that includes the scan" 'scrubbers/a.cpp="scan/a.h"'
verdict 1 "proxy and replay" 'proxy/a.cpp="replay/a.h"'
verdict 1 "replay and proxy" 'replay/a.cpp="proxy/a.h"'
verdict 1 "sockets in api" 'api/a.cpp="http/listener.h"'
verdict 1 "the command line below" 'inspector/a.cpp="cli/a.h"'
verdict 1 "tests in the product" 'cli/a.cpp="tests/support/device.h"'
verdict 1 "Boost outside http" 'proxy/a.cpp=<boost/asio.hpp>'
verdict 1 "OpenSSL outside http" 'api/a.cpp=<openssl/sha.h>'
verdict 1 "Boost out of http through a header" 'http/a.h=<boost/asio.hpp>' 'proxy/a.cpp="http/a.h"'
verdict 1 "Boost out of http through two headers" \
  'http/a.h=<boost/asio.hpp>' 'http/b.h="http/a.h"' 'cli/a.cpp="http/b.h"'
verdict 1 "SQLiteCpp outside cassettes" 'scan/a.cpp=<SQLiteCpp/SQLiteCpp.h>'
verdict 1 "SQLiteCpp out of cassettes through a header" \
  'cassettes/a.h=<SQLiteCpp/Database.h>' 'replay/a.cpp="cassettes/a.h"'
verdict 1 "SQLite outside cassettes and scan" 'replay/a.cpp=<sqlite3.h>'
verdict 1 "cpp-httplib on the data plane" 'http/a.cpp=<httplib.h>'
verdict 1 "an include that is not written from the root" 'api/a.cpp="call.h"'
verdict 1 "an include that goes up" 'api/a.cpp="../http/message.h"'
verdict 1 "an include with blanks in it" 'http/a.cpp=  "api/a.h"'
verdict 2 "no sources at all"

if ((failures)); then exit 1; fi
echo "every kind of fault is found"
