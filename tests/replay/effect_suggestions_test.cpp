// Suggesting effects for a recording.

#include <catch2/catch.hpp>

#include "replay/effects/effect.h"
#include "replay/effects/suggestions.h"
#include "replay/overlays/overlay_file.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::ok;
using testing::record;
using testing::Recorded;

std::string suggested(std::vector<Recorded> rows) {
  const auto cassette = cassette_with(std::move(rows));
  return suggested_effects_toml(cassettes::CassetteReader(cassette.path()));
}

/// Returns the blocks without comments.
std::string blocks(const std::string& toml) {
  std::string text;
  for (std::size_t at = 0; at < toml.size();) {
    const std::size_t end = toml.find('\n', at) + 1;
    if (toml[at] != '#') text += toml.substr(at, end - at);
    at = end;
  }
  return text;
}

TEST_CASE("suggestions: finds a setting that was read, written, and read again") {
  const std::string toml = suggested(
      {record("SVC.Core.Terminal/3/get", R"({"data":{"enable_ssh":false,"port":22,"other":1},"success":true})"),
       record("SVC.Core.Terminal/3/set?enable_ssh=true&port=2222", ok),
       record("SVC.Core.Terminal/3/get", R"({"data":{"enable_ssh":true,"port":2222,"other":1},"success":true})")});
  CHECK(blocks(toml) ==
        "[[effect]]\non = \"Core.Terminal/*/set\"\n[[effect.change]]\nin = \"Core.Terminal/*/get\"\nmerge = "
        "\"params\"\n");
  CHECK(std::count(toml.begin(), toml.end(), '#') == 1);
  CHECK(toml.find(" changed the response to \"Core.Terminal/*/get\" from ") != std::string::npos);
}

TEST_CASE("suggestions: the pointer to a list names members with slashes and tildes") {
  const auto list = [](const std::string& names, int total) {
    return record("SVC.Core.Share/1/list", R"({"data":{"a/b":{"c~d":[)" + names + R"(],"e/f":)" +
                                               std::to_string(total) + R"(}},"success":true})");
  };
  const std::string toml =
      suggested({list("", 0), record("SVC.Core.Share/1/create?name=x", ok), list(R"({"name":"x"})", 1)});
  CHECK(toml.find("at = \"/data/a~1b/c~0d\"") != std::string::npos);
  CHECK(toml.find("count = \"/data/a~1b/e~1f\"") != std::string::npos);
}

TEST_CASE("suggestions: finds lists that grow and shrink, with their counts") {
  const auto list = [](const std::string& files, int total) {
    return record("SVC.FileStation.List/2/list?folder_path=/x",
                  R"({"data":{"files":[)" + files + R"(],"total":)" + std::to_string(total) + R"(},"success":true})");
  };
  const std::string a = R"({"isdir":true,"name":"a","path":"/x/a"})", b = R"({"isdir":true,"name":"b","path":"/x/b"})";
  const std::string toml = suggested(
      {list(a, 1), record("SVC.FileStation.CreateFolder/2/create?folder_path=[\"/x\"]&name=[\"b\"]&_dc=1", ok),
       list(a + "," + b, 2), record("SVC.FileStation.Delete/2/delete?path=[\"/x/a\"]", ok), list(b, 1)});
  CHECK(blocks(toml) ==
        "[[effect]]\non = \"FileStation.CreateFolder/*/create\"\n[[effect.change]]\nin = \"FileStation.List/*/list\"\n"
        "where = { folder_path = \"{{param.folder_path}}\" }\n"
        "insert = { at = \"/data/files\", like = 0, set = { isdir = true, name = \"{{param.name}}\", "
        "path = \"{{param.folder_path}}/{{param.name}}\" } }\n"
        "count = \"/data/total\"\n"
        "\n[[effect]]\non = \"FileStation.Delete/*/delete\"\n[[effect.change]]\nin = \"FileStation.List/*/list\"\n"
        "remove = { from = \"/data/files\", where = { path = \"{{param.path}}\" } }\ncount = \"/data/total\"\n");
  CHECK(read_overlay_toml(toml, "s.toml", "/").effects.size() == 2);
}

TEST_CASE("suggestions: a value with another name or location becomes a merge patch") {
  const auto get = [](int limit) {
    return record("SVC.A/1/get", R"({"data":{"deep":{"max":)" + std::to_string(limit) + R"(},"b":1},"success":true})");
  };
  CHECK(blocks(suggested({get(1), record("SVC.A/1/limit?value=7", ok), get(7)})) ==
        "[[effect]]\non = \"A/*/limit\"\n[[effect.change]]\nin = \"A/*/get\"\n"
        "merge = { data = { deep = { max = \"{{param.value}}\" } } }\n");
}

TEST_CASE("suggestions: the reply has the data of the recorded write, with its parameters as marks") {
  const auto list = [](const std::string& shares) {
    return record("SVC.Core.Share/1/list", R"({"data":{"shares":[)" + shares + R"(],"total":1},"success":true})");
  };
  const std::string a = R"({"name":"a"})", b = R"({"name":"b"})";
  const auto rows = std::vector<Recorded>{
      list(a), record("SVC.Core.Share/1/create?name=b", R"({"data":{"name":"b","uuid":"7f3e"},"success":true})"),
      list(a + "," + b)};
  const std::string toml = suggested(rows);
  CHECK(toml.find(R"(on = "Core.Share/*/create")") != std::string::npos);
  CHECK(toml.find(R"(in = "Core.Share/*/list")") != std::string::npos);
  const auto effects = read_overlay_toml(toml, "s.toml", "/").effects;
  REQUIRE(effects.size() == 1);
  REQUIRE(effects.front().reply);
  CHECK(effects.front().reply->text() == R"({"name":"{{param.name}}","uuid":"7f3e"})");
  ReplayHandler handler(playing(cassette_with(rows)), 1);
  const std::string miss = call(handler, "SVC.Core.Share/1/create?name=new").body;
  CHECK(miss.find("declare the effect that the recordings show") != std::string::npos);
  CHECK(miss.find("Core.Share/*/list") != std::string::npos);
  CHECK(call(handler, "SVC.Core.Share/1/delete?name=new").body.find("nothing is known of what this write changes") !=
        std::string::npos);
}

TEST_CASE("suggestions: the miss of a write has the effect that the cassette shows, and no other") {
  const auto get = [](int limit) {
    return record("SVC.Made.Up/1/get", R"({"data":{"max":)" + std::to_string(limit) + R"(},"success":true})");
  };
  const auto cassette = cassette_with({get(1), record("SVC.Made.Up/1/limit?value=7", ok), get(7)});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(call(handler, "SVC.Made.Up/1/limit?value=9").body.find("merge = { data = { max = ") != std::string::npos);
  CHECK(call(handler, "SVC.Made.Up/1/set?value=9").body.find("[[effect]]") == std::string::npos);
}

TEST_CASE("suggestions: finds nothing unless the write explains the difference") {
  const auto get = [](int n) {
    return record("SVC.A/1/get", R"({"data":{"n":)" + std::to_string(n) + R"(},"success":true})");
  };
  CHECK(suggested({get(1), get(2)}).empty());
  CHECK(suggested({get(1), record("SVC.A/1/set?n=3", ok), get(2)}).empty());
  CHECK(suggested({get(1), record("SVC.A/1/set?n=1", ok), get(1)}).empty());
  CHECK(suggested({record("SVC.A/1/set?n=2", ok), get(2)}).empty());
  CHECK(suggested({get(1), record("SVC.A/1/set?n=2", testing::error(105)), get(2)}).empty());
  // Another write is in between.
  CHECK(suggested({get(1), record("SVC.A/1/set?n=2", ok), record("SVC.B/1/set", ok), get(2)}).empty());
}

}  // namespace
}  // namespace tapedeck::replay
