// script/demo, with a program that is built already.

#include <catch2/catch.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests {

TEST_CASE("demo: ends well and shows that every answer is the same") {
  const TempDir folder;
  const Ran ran = run({std::string(TAPEDECK_SOURCE) + "/script/demo"}, milliseconds(60000),
                      {{"TAPEDECK_BIN", binary()}, {"TMPDIR", folder.path().string()}});
  CAPTURE(ran.out, ran.err);
  CHECK(ran.status == 0);
  CHECK(ran.out.find("differs") == std::string::npos);
  CHECK(ran.out.find("SVC.Core.Network/1/get") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace tapedeck::tests
