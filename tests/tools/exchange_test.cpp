// Tests exports and imports.

#include <catch2/catch.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "api/scope_name.h"
#include "base/utf8.h"
#include "tests/support/cassette_fixture.h"
#include "tools/content/plain_text.h"
#include "tools/exchange/har_export.h"
#include "tools/exchange/har_import.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/text_export.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using Words = std::vector<std::string>;

namespace {

std::string entry_with(int status) {
  return R"({"startedDateTime":"2026-01-01T12:00:00Z","time":3,"request":{"method":"GET","headers":[],)"
         R"("url":"http://nas.example/webapi/entry.cgi?api=SVC.A&version=1&method=get&status=)" +
         std::to_string(status) + R"("},"response":{"status":)" + std::to_string(status) +
         R"(,"headers":[],"content":{"text":"{\"success\":true}"}}})";
}

}  // namespace

TEST_CASE("export: a scope has the name of ls in every format") {
  for (const std::string name : {"login fails", "50% of #2; all"}) {
    CAPTURE(name);
    const auto cassette = cassette_with({record("SVC.A/1/get", ok).in_scope(name)});
    const cassettes::CassetteReader reader(cassette.path());
    const std::string shown = api::shown_scope(name);
    std::ostringstream lines, har, review;
    tools::export_jsonl(cassette.path(), {}, lines);
    std::istringstream each(lines.str());
    std::string line;
    std::getline(each, line);  // the line of the cassette
    std::getline(each, line);
    CHECK(nlohmann::json::parse(line).at("scope") == shown);
    tools::HarExport archive(har, "http://nas.example");
    archive.add(reader, {});
    archive.end();
    CHECK(nlohmann::json::parse(har.str())["log"]["entries"][0].at("_tapedeck_scope") == shown);
    tools::export_review(reader, {}, review);
    CHECK(review.str().find("scope " + shown) != std::string::npos);
  }
}

TEST_CASE("export: is_plain_text accepts text that editors and shells can handle") {
  const std::pair<std::string, bool> rows[] = {
      {"", true},      {"a\tb\n", true},   {"\xc3\xa9", true}, {"\x7f", true},
      {"a\rb", false}, {"\x1b[2J", false}, {"\xc3", false},    {std::string(1, '\0'), false},
      {"\xff", false},
  };
  for (const auto& [bytes, is_plain] : rows) {
    CAPTURE(bytes);
    CHECK(tools::is_plain_text(bytes) == is_plain);
  }
}

TEST_CASE("export: what is broken or withheld stays so through HAR") {
  const auto cassette =
      cassette_with({record("SVC.A/1/get", R"({"data":1,)").broken("the device closed the connection"),
                     record("SVC.B/1/get", ok).withheld("too large"), record("SVC.C/1/get", ok)});
  std::ostringstream har;
  tools::HarExport archive(har, "http://nas.example");
  archive.add(cassettes::CassetteReader(cassette.path()), {});
  archive.end();
  const TestFolder folder;
  static_cast<void>(tools::import_har(har.str(), folder.file("again.cassette"), {}));
  std::map<std::string, api::Completeness> found;
  cassettes::CassetteReader(folder.file("again.cassette")).list([&](const cassettes::ListedInteraction& line) {
    found[line.key] = line.completeness;
    return true;
  });
  CHECK(found == std::map<std::string, api::Completeness>{{"SVC.A/1/get", api::Completeness::broken},
                                                          {"SVC.B/1/get", api::Completeness::withheld},
                                                          {"SVC.C/1/get", api::Completeness::complete}});
}

TEST_CASE("import: only responses with a final status can be played") {
  using api::Completeness;
  const std::map<int, Completeness> expected = {
      {-1, Completeness::broken},    {0, Completeness::broken},     {1, Completeness::withheld},
      {99, Completeness::withheld},  {100, Completeness::withheld}, {101, Completeness::withheld},
      {103, Completeness::withheld}, {199, Completeness::withheld}, {200, Completeness::complete},
      {404, Completeness::complete}, {599, Completeness::complete}, {600, Completeness::withheld},
      {999, Completeness::withheld}, {1000, Completeness::broken},
  };
  std::string entries;
  for (const auto& [status, unused] : expected) entries += (entries.empty() ? "" : ",") + entry_with(status);
  const TestFolder folder;
  const std::string path = folder.file("x.cassette");
  const tools::HarImport imported = tools::import_har(R"({"log":{"entries":[)" + entries + "]}}", path, {});
  REQUIRE(imported.report.finished);
  CHECK(imported.broken.size() == 3);
  const cassettes::CassetteReader reader(path);
  for (const auto& [status, completeness] : expected) {
    CAPTURE(status);
    const auto sequences = reader.sequences("SVC.A/1/get?status=" + std::to_string(status));
    REQUIRE(sequences.size() == 1);
    CHECK(sequences.front().count == (completeness == Completeness::complete ? 1 : 0));
    reader.list([&](const auto& line) {
      if (line.key == "SVC.A/1/get?status=" + std::to_string(status)) CHECK(line.completeness == completeness);
      return true;
    });
  }
}
