// The output of --version.

#include <catch2/catch.hpp>
#include <regex>

#include "cli/version.h"

namespace tapedeck::cli {

TEST_CASE("version: lists the program and its libraries") {
  const std::string text = version_text();
  const std::regex shape(
      R"(tapedeck \d+\.\d+\.\d+\nOpenSSL 3\.\d+\.\d+[^\n]*\nSQLite 3[\d.]+, zlib 1[\d.]+, brotli 1[\d.]+, )"
      R"(zstd 1[\d.]+, RE2 [\w.]+, cpp-httplib 0[\d.]+, Boost 1[\d.]+)");
  CAPTURE(text);
  CHECK(std::regex_match(text, shape));
}

}  // namespace tapedeck::cli
