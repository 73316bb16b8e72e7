// What one scrubber learns, taken over by another one: the keeper's way.

#include <catch2/catch.hpp>
#include <set>

#include "scrubbers/search/knowledge.h"
#include "tests/scrubbers/fixtures.h"

namespace tapedeck::scrubbers::test {

namespace {

/// A scrubber whose witness notes what it is told.
struct Told {
  explicit Told(std::shared_ptr<PrivateProfile> profile = nullptr) : scrubber(options_with(std::move(profile))) {}
  [[nodiscard]] ScrubberOptions options_with(std::shared_ptr<PrivateProfile> profile) {
    ScrubberOptions options;
    options.profile = std::move(profile);
    options.witness = [this](std::string_view entry) { entries.emplace_back(entry); };
    return options;
  }
  std::vector<std::string> entries;
  Scrubber scrubber;
};

std::shared_ptr<PrivateProfile> profile_of_one_key() {
  PrivateOptions options;
  options.table = PrivateTable{std::string(32, 'k'), {}};
  return std::make_shared<PrivateProfile>(std::move(options));
}

std::multiset<std::string> learned_by(const Scrubber& scrubber) {
  std::multiset<std::string> values;
  scrubber.each_learned([&](std::string_view value, bool everywhere) {
    values.insert((everywhere ? "everywhere " : "") + std::string(value));
  });
  return values;
}

/// Sessions in scopes and outside, tokens, short words, a value that is learned by name first and in certainty later.
std::vector<api::Interaction> traffic() {
  std::vector<api::Interaction> all = {
      login(sid), login("AnotherSession_77ab-Zz9", "bob", "sunshine1"),
      get(login_path + "&account=cy&passwd=Other-Pass-99x", R"({"data":{"sid":"ThirdSession_88cd-Yy8","synotoken":")" +
                                                                syno_token + R"(","did":")" + device_id +
                                                                R"("},"success":true})"),
      get("/webapi/entry.cgi?api=SYNO.A&version=1&method=set&passwd=abc12"),
      get("/webapi/entry.cgi?api=SYNO.Core.User&version=1&method=list",
          R"({"data":{"users":[{"name":"kestrel9","email":"ann@corp.example.net"}]},"success":true})")};
  all[1].scope = "a test";
  return all;
}

}  // namespace

TEST_CASE("knowledge: a scrubber that takes over all entries knows the same and numbers the same") {
  const bool is_private = GENERATE(false, true);
  CAPTURE(is_private);
  Told told(is_private ? profile_of_one_key() : nullptr);
  for (const api::Interaction& one : traffic()) static_cast<void>(told.scrubber.scrub(one));
  ScrubberOptions options;
  if (is_private) options.profile = profile_of_one_key();
  Scrubber other(options);
  for (const std::string& entry : told.entries) other.take_over(entry);
  CHECK(learned_by(other) == learned_by(told.scrubber));
  CHECK(learned_by(other).size() >= 5);
  CHECK(other.generation() == told.scrubber.generation());
  CHECK(other.stats().learned == told.scrubber.stats().learned);
  CHECK(other.stats().whole_only == told.scrubber.stats().whole_only);

  // What was stored before is scrubbed alike, rows and all.
  Scrubber none({});
  const InteractionRecord early =
      none.scrub(get("/x?q=1", R"({"a":")" + sid + R"(","b":"AnotherSession_77ab-Zz9","c":")" + syno_token + " " +
                                   device_id + R"(","d":"sunshine1","e":"kestrel9"})"))
          .record();
  REQUIRE(early.redactions.empty());
  const auto by_first = told.scrubber.rescrub(early), by_other = other.rescrub(early);
  CHECK(by_other.interaction.record().response.body == by_first.interaction.record().response.body);
  CHECK(lines_of(by_other.interaction.record()) == lines_of(by_first.interaction.record()));
  CHECK(lines_of(by_other.interaction.record()).size() == (is_private ? 6 : 5));
  if (is_private) {
    const auto rows_of = [](const PrivateTable& table) {
      std::vector<std::string> rows;
      for (const auto& row : table.rows) rows.push_back(row.original + " " + row.pseudonym);
      return rows;
    };
    CHECK(rows_of(options.profile->table()).size() > 1);
  }
}

TEST_CASE("knowledge: what a request carries is told before it may be passed on") {
  Told told;
  static_cast<void>(told.scrubber.learn(login(sid).request));
  std::string all;
  for (const std::string& entry : told.entries) all += entry;
  CHECK(all.find("Corr3ct-Horse-Battery") != std::string::npos);
}

TEST_CASE("knowledge: an account, and what is too long to be searched for, is not in any entry") {
  Told told;
  const std::string longest(3000, 'y');
  static_cast<void>(told.scrubber.scrub(login(sid, "wilhelmina", longest)));
  for (const std::string& entry : told.entries) {
    CHECK(entry.find("wilhelmina") == std::string::npos);
    CHECK(entry.find(longest.substr(0, 100)) == std::string::npos);
  }
}

TEST_CASE("knowledge: an entry that is none is refused") {
  Scrubber scrubber({});
  EntryWriter whole(EntryKind::known);
  const std::string entry(whole.number(1).number(1).text("a value").text("shape").bytes());
  for (std::size_t length = 0; length < entry.size(); ++length) {
    CHECK_THROWS_AS(scrubber.take_over(entry.substr(0, length)), std::runtime_error);
  }
  CHECK_THROWS_AS(scrubber.take_over(std::string(1, '\x30')), std::runtime_error);
  CHECK_THROWS_AS(scrubber.take_over(std::string(EntryWriter(EntryKind::number).number(7).number(1).bytes())),
                  std::runtime_error);
}

}  // namespace tapedeck::scrubbers::test
