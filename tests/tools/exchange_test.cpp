// What the forms that leave have in common.

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>

#include "api/scope_name.h"
#include "tests/support/cassette_fixture.h"
#include "tools/exchange/har_export.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/plain_text.h"
#include "tools/exchange/text_export.h"

using namespace tapedeck;
using namespace tapedeck::testing;

TEST_CASE("export: a scope has the name in every form that ls shows") {
  for (const std::string name : {"login fails", "50% of #2; all"}) {
    CAPTURE(name);
    const auto cassette = cassette_with({record("SVC.A/1/get", ok).in_scope(name)});
    const cassettes::CassetteReader reader(cassette.path());
    const std::string shown = api::shown_scope(name);
    std::ostringstream lines, har, review;
    tools::export_jsonl(cassette.path(), {}, lines);
    std::istringstream each(lines.str());
    std::string line;
    std::getline(each, line);  // of the cassette
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

TEST_CASE("export: what an editor and a shell take as text") {
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
