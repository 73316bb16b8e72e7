// Tests the table of secrets with the real recorder: in responses and requests of many forms, and then in no file.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"
#include "tests/support/leak_search.h"
#include "tests/support/test_paths.h"

namespace tapedeck::tests::secret_tables_cases {

namespace {

using Row = std::pair<std::string, std::string>;

std::vector<Row> table(const std::string& file) {
  std::ifstream in(std::string(source_folder) + "/tests/scrubbers/tables/" + file);
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (line.starts_with('#') || tab == std::string::npos) continue;
    rows.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return rows;
}

std::string object_of(const std::vector<Row>& rows) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : rows) object[name] = value;
  return object.dump();
}

std::string pairs_of(const std::vector<Row>& rows) {
  nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
  for (const auto& [name, value] : rows) pairs.push_back({{"key", name}, {"value", value}});
  return pairs.dump();
}

std::string lines_of(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& [name, value] : rows) text += name + "=" + value + "\n";
  return text;
}

/// Returns responses under names of operations, with the requests for them.
std::vector<Step> plant(const TempDir& folder, const std::vector<Row>& rows) {
  const std::map<std::string, std::string> answers{
      {"Object", R"({"data":)" + object_of(rows) + R"(,"success":true})"},
      {"Pairs", R"({"data":)" + pairs_of(rows) + R"(,"success":true})"},
      {"Nested", nlohmann::json({{"data", object_of(rows)}, {"success", true}}).dump()},
      {"Lines", nlohmann::json({{"data", lines_of(rows)}, {"success", true}}).dump()},
  };
  std::vector<Step> steps = {login_step()};
  for (const auto& [name, body] : answers) {
    write_file(folder / ("SYNO.Planted." + name + ".get.json"), body);
    steps.push_back(call(name, "api=SYNO.Planted." + name + "&version=1&method=get"));
  }
  const std::string set = "{base}/webapi/entry.cgi?api=SYNO.Planted.Object&version=1&method=get&_sid={sid}";
  Step form{"form", {set}};
  Step multipart{"multipart", {set}};
  for (const auto& [name, value] : rows) {
    form.curl.insert(form.curl.end(), {"--data-urlencode", name + "=" + value});
    multipart.curl.insert(multipart.curl.end(), {"--form-string", name + "=" + value});
  }
  steps.push_back(form);
  steps.push_back(multipart);
  steps.push_back({"json", {set, "-H", "Content-Type: application/json", "--data-binary", object_of(rows)}});
  for (std::size_t at = 0; at < rows.size(); at += 50) {
    Step query{"query", {set, "-G"}};
    for (std::size_t i = at; i < std::min(at + 50, rows.size()); ++i) {
      query.curl.insert(query.curl.end(), {"--data-urlencode", rows[i].first + "=" + rows[i].second});
    }
    steps.push_back(query);
  }
  return steps;
}

}  // namespace

TEST_CASE("secret tables: values with names of secrets are in no file of a recording") {
  const std::vector<Row> rows = table("secret_names.tsv");
  REQUIRE(rows.size() >= 250);
  const TempDir answers;
  const std::vector<Step> steps = plant(answers, rows);
  DeviceOptions options;
  options.answers_folder = answers.path();
  const Device device(options);
  const TempDir folder;
  const std::string cassette = folder / "planted.cassette";
  Server recorder(folder.path(), {"record", "--device", device.url(), cassette, "--journal", folder / "journal.jsonl"});
  const Transcript seen = play(recorder.url(), steps);
  CHECK(recorder.stop() == 0);
  CHECK(seen.replies[1].body.find(rows[0].second) != std::string::npos);
  std::vector<std::string> secrets;
  for (const auto& [name, value] : rows) secrets.push_back(value);
  CHECK(leaks(folder.path(), secrets) == std::vector<std::string>());
  CHECK(recorder.out().find(rows[1].second) == std::string::npos);
  const Ran scanned = run_tapedeck({"scan", cassette});
  CAPTURE(scanned.out);
  CHECK(scanned.out.find(": 0 given values found, ") != std::string::npos);
}

TEST_CASE("secret tables: look-alikes reach the cassette byte for byte") {
  std::vector<Row> rows = table("look_alikes.tsv");
  REQUIRE(rows.size() >= 400);
  const bool is_private = GENERATE(false, true);
  CAPTURE(is_private);
  // Not a secret, but private.
  if (is_private) CHECK(std::erase_if(rows, [](const Row& row) { return row.first == "fingerprint"; }) == 1);
  const TempDir answers;
  write_file(answers / "SYNO.Planted.Pairs.get.json", R"({"data":)" + pairs_of(rows) + R"(,"success":true})");
  DeviceOptions options;
  options.answers_folder = answers.path();
  const Device device(options);
  const TempDir folder;
  const std::string cassette = folder / "planted.cassette";
  const std::vector<Step> steps = {login_step(), call("pairs", "api=SYNO.Planted.Pairs&version=1&method=get")};
  Transcript recorded;
  record(
      folder.path(), device, cassette, [&](const std::string& url) { recorded = play(url, steps); },
      is_private ? std::vector<std::string>{"--private"} : std::vector<std::string>());
  Server replay(folder.path(), {"replay", cassette});
  CHECK(play(replay.url(), steps).replies[1].body == recorded.replies[1].body);
}

}  // namespace tapedeck::tests::secret_tables_cases
