#!/usr/bin/env bash
# Checks that include_direction_test.sh can fail: one small tree for each kind of fault.
set -euo pipefail

check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/include_direction_test.sh
tables=$(dirname "$check")/../docs/architecture.md
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# verdict WANTED_STATUS WHAT FILE=INCLUDE …: creates a tree of those files, each with one include, and checks it.
verdict() {
  local wanted=$1 what=$2 status=0 file
  shift 2
  rm -rf "${tree:?}"/*
  for file in "$@"; do
    mkdir -p "$tree/$(dirname "${file%%=*}")"
    printf '#include %s\n' "${file#*=}" >>"$tree/${file%%=*}"
  done
  bash "$check" "$tree" "$tables" >"$tree.out" 2>&1 || status=$?
  if ((status != wanted)); then
    echo "FAILED: $what: exit status $status, wanted $wanted"
    cat "$tree.out"
    failures=$((failures + 1))
  fi
  rm -f "$tree.out"
}

verdict 0 "allowed includes, transitively" \
  'http/io/a.h=<string>' 'http/io/a.cpp=<boost/asio.hpp>' 'http/server/b.cpp=<openssl/evp.h>' \
  'base/a.cpp=<openssl/evp.h>' 'http/message/a.h="base/text.h"' 'api/a.h="http/message/message.h"' \
  'scrubbers/rules/a.h="api/call.h"' 'scan/a.cpp=<sqlite3.h>' 'scan/b.cpp="scan/a.h"' 'scan/c.cpp="base/digest.h"' \
  'cassettes/file/a.cpp=<SQLiteCpp/SQLiteCpp.h>' 'cassettes/read/b.cpp="api/a.h"' 'cassettes/file/c.h="scan/a.h"' \
  'proxy/a.cpp="cassettes/file/c.h"' 'replay/a.cpp="http/message/a.h"' 'inspector/a.cpp=<httplib.h>' \
  'inspector/b.cpp="replay/a.h"' 'cli/a.cpp="inspector/a.h"' 'cli/b.cpp="http/device/relay.h"' \
  'tests/x/a.cpp=<httplib.h>' 'tests/x/b.cpp="cli/a.h"' 'tests/x/c.cpp="tests/x/d.h"'
verdict 0 "a private header with a library in it, within its folders" \
  'http/io/impl.h=<boost/asio.hpp>' 'http/server/a.cpp="http/io/impl.h"' 'tests/http/a.cpp="http/io/impl.h"'
verdict 1 "a lower folder that includes a higher one" 'http/io/a.cpp="api/a.h"'
verdict 1 "the same between the middle ones" 'scrubbers/a.h="cassettes/file/a.h"'
verdict 1 "the same between rooms" 'http/message/a.h="http/server/a.h"'
verdict 1 "a leaf that includes anything of ours" 'base/a.cpp="http/message/a.h"'
verdict 1 "the scan that includes the scrubber" 'scan/a.cpp="scrubbers/a.h"'
verdict 1 "the scan that includes more than the leaf" 'scan/a.cpp="http/message/message.h"'
verdict 1 "the scrubber that includes the scan" 'scrubbers/a.cpp="scan/a.h"'
verdict 1 "proxy and replay" 'proxy/a.cpp="replay/a.h"'
verdict 1 "replay and proxy" 'replay/a.cpp="proxy/a.h"'
verdict 1 "replay and the device" 'replay/a.cpp="http/device/relay.h"'
verdict 1 "sockets in api" 'api/a.cpp="http/server/listener.h"'
verdict 1 "the command line below" 'inspector/a.cpp="cli/a.h"'
verdict 1 "the command line against its layers" 'cli/options/a.cpp="cli/running/a.h"'
verdict 1 "the tools against their layers" 'tools/content/a.cpp="tools/exchange/a.h"'
verdict 1 "tests in the product" 'cli/a.cpp="tests/support/device.h"'
verdict 1 "Boost outside http" 'proxy/a.cpp=<boost/asio.hpp>'
verdict 1 "OpenSSL outside base and http" 'api/a.cpp=<openssl/sha.h>'
verdict 1 "Boost out of http through a header" 'http/server/a.h=<boost/asio.hpp>' 'proxy/a.cpp="http/server/a.h"'
verdict 1 "Boost out of http through two headers" \
  'http/io/a.h=<boost/asio.hpp>' 'http/io/b.h="http/io/a.h"' 'cli/a.cpp="http/io/b.h"'
verdict 1 "SQLiteCpp outside cassettes" 'scan/a.cpp=<SQLiteCpp/SQLiteCpp.h>'
verdict 1 "SQLiteCpp out of cassettes through a header" \
  'cassettes/file/a.h=<SQLiteCpp/Database.h>' 'replay/a.cpp="cassettes/file/a.h"'
verdict 1 "SQLite outside cassettes and scan" 'replay/a.cpp=<sqlite3.h>'
verdict 1 "cpp-httplib on the data plane" 'http/server/a.cpp=<httplib.h>'
verdict 1 "an include that is not written from the root" 'api/a.cpp="call.h"'
verdict 1 "an include that goes up" 'api/a.cpp="../http/message/message.h"'
verdict 1 "an include with blanks in it" 'http/io/a.cpp=  "api/a.h"'
verdict 1 "a source in a room that the table does not have" 'http/attic/a.cpp=<string>'
verdict 2 "no sources at all"
tables=/dev/null
verdict 2 "no table" 'http/io/a.h=<string>'

if ((failures)); then exit 1; fi
echo "every kind of fault is found"
