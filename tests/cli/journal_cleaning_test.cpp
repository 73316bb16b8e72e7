// Cleaning the journal at the end of a recording.

#include "cli/running/journal_cleaning.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "journal/journal.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using nlohmann::json;

TEST_CASE("journal: the finished file contains no learned value, however short") {
  const std::string sid = "kR7vQ2mZxT9pLw4BkR7vQ2mZxT9p", word = "sunshine1";
  scrubbers::Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(testing::login("tester", sid).interaction));
  static_cast<void>(scrubber.scrub(
      testing::record("SVC.API.Auth/6/login?account=a&passwd=" + word, R"({"data":{},"success":true})").interaction));
  std::vector<std::string> lines;
  std::string all;
  const auto add = [&lines](const json& members) {
    json entry = {{"number", lines.size() + 1}, {"outcome", "recorded"}, {"status", 200}};
    entry.update(members);
    lines.push_back(entry.dump());
  };
  for (const std::string& secret : {sid, word}) {
    for (const std::string& key :
         {"SVC.A/1/get?a=" + secret, "SVC.A/1/get?" + secret + "=1", "GET /x/" + secret, "SVC.A/1/" + secret}) {
      add({{"key", key}});
    }
    for (const journal::NamedMember& member : journal::named_members) add({{std::string(member.name), secret}});
  }
  add({{"key", "SVC.A/1/get?plain=value"}});
  lines.emplace_back("not JSON");
  const std::string plain = lines[lines.size() - 2];
  for (const std::string& line : lines) all += line + "\n";
  const std::string cleaned = cli::cleaned_journal(all, scrubber);
  std::string_view rest = cleaned;
  for (std::string& line : lines) line = base::take_until(rest, '\n');
  CHECK(rest.empty());
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(line.find(sid) == std::string::npos);
    CHECK(line.find(word) == std::string::npos);
    CHECK(json::parse(line).contains("number"));
  }
  CHECK(json::parse(lines.front()).at("outcome") == "recorded");
  CHECK(json::parse(lines.front()).at("status") == 200);
  CHECK(lines[lines.size() - 2] == plain);
}
