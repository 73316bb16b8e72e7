#include "base/suggestion.h"

#include <catch2/catch.hpp>

using namespace tapedeck::base;

TEST_CASE("suggestion: counts inserted, removed, changed, and swapped letters") {
  CHECK(distance("", "") == 0);
  CHECK(distance("record", "record") == 0);
  CHECK(distance("recrd", "record") == 1);
  CHECK(distance("recoord", "record") == 1);
  CHECK(distance("recurd", "record") == 1);
  CHECK(distance("rceord", "record") == 1);
  CHECK(distance("ls", "show") == 4);
  CHECK(distance("", "abc") == 3);
}

TEST_CASE("suggestion: returns the nearest word unless it is far away or not the only one") {
  const std::vector<std::string> commands = {"record", "replay", "ls", "show", "scan", "scrub", "exec"};
  const std::pair<std::string, std::string> rows[] = {
      {"recrd", "record"}, {"rec", "record"}, {"re", ""},          {"repaly", "replay"}, {"sl", "ls"},
      {"frobnicate", ""},  {"", ""},          {"sc", ""},          {"scna", "scan"},     {"exce", "exec"},
      {"execute", ""},     {"x", ""},         {"scrubb", "scrub"},
  };
  for (const auto& [word, meant] : rows) {
    CAPTURE(word);
    CHECK(nearest(word, commands) == meant);
  }
  CHECK(nearest("--cor", {"--cors", "--control", "--config"}) == "--cors");
  CHECK(nearest("--port", {"--cors", "--control", "--config"}).empty());
  CHECK(nearest("--ready", {"--ready-file", "--report"}) == "--ready-file");
  CHECK(nearest(std::string(100'000, 'a'), commands).empty());
}
