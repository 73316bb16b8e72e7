// Tests published token formats: each is found, and texts that only resemble it are not.

#include "scan/token_formats.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "scan/leak_scan.h"
#include "tests/support/test_paths.h"

using namespace tapedeck::scan;

namespace {

struct Samples {
  std::string must;
  std::string must_not;
};

/// Maps rules to texts that follow the prefix.
std::map<std::string, Samples> samples() {
  std::ifstream in(std::string(tapedeck::tests::source_folder) + "/tests/scan/tables/token_samples.tsv");
  std::map<std::string, Samples> rows;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    if (line.starts_with('#') || second == std::string::npos) continue;
    rows[line.substr(0, first)] = {line.substr(first + 1, second - first - 1), line.substr(second + 1)};
  }
  return rows;
}

std::set<std::string> rules_in(const std::string& text) {
  std::set<std::string> rules;
  for (const Finding& finding : scan_bytes(text, "text", {}).findings) rules.insert(finding.rule);
  return rules;
}

}  // namespace

TEST_CASE("token formats: every published format is found in texts of any kind and has a source") {
  const auto rows = samples();
  CHECK(token_formats().size() >= 60);
  std::set<std::string_view> rules;
  for (const TokenFormat& format : token_formats()) {
    INFO(format.rule);
    CHECK(rules.insert(format.rule).second);
    CHECK_FALSE(format.source.empty());
    REQUIRE(rows.contains(std::string(format.rule)));
    const std::string token = std::string(format.prefix) + rows.at(std::string(format.rule)).must;
    const std::string rule(format.rule);
    CHECK(rules_in("{\"note\":\"" + token + "\"}").contains(rule));
    CHECK(rules_in("export NOTE=" + token + "\n").contains(rule));
    CHECK(rules_in("see " + token + ", then").contains(rule));
  }
}

TEST_CASE("token formats: texts that only begin like a token are not findings") {
  const auto rows = samples();
  for (const TokenFormat& format : token_formats()) {
    INFO(format.rule);
    const Samples& sample = rows.at(std::string(format.rule));
    const std::string prefix(format.prefix);
    for (const std::string& text :
         {"{\"note\":\"" + prefix + sample.must_not + "\"}", "{\"note\":\"x" + prefix + sample.must + "\"}",
          "{\"note\":\"" + prefix + "\"}", "{\"note\":\"" + prefix + "<TOKEN>\"}"}) {
      INFO(text);
      CHECK_FALSE(rules_in(text).contains(std::string(format.rule)));
    }
  }
}
