#pragma once
// Compresses texts and files.

#include <string>
#include <string_view>

#include "tests/support/packing.h"

namespace tapedeck::scrubbers::test {

using tapedeck::testing::deflated;
using tapedeck::testing::zstd;

inline std::string gzipped(std::string_view text) { return deflated(text, 31); }

inline std::string zipped(std::string_view text) {
  std::string file("PK\x03\x04\x14\0\0\0\x08\0", 10);
  file.append(16, '\0').append("\x01\0\0\0", 4).append("a");
  return file + deflated(text, -15) + "PK\x01\x02 directory";
}

}  // namespace tapedeck::scrubbers::test
