// What was stored before a value was learned.

#include <catch2/catch.hpp>

#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string late = "Lat3-Learned-Secret";

}  // namespace

TEST_CASE("a value learned late is scrubbed from earlier interactions and earlier rows stay") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const std::string target = "/webapi/entry.cgi?api=SYNO.A&version=1&method=get&_sid=" + sid + "&q=" + late;
  const std::string body = R"({"a":")" + late + R"(","b":")" + sid + R"(","c":")" + late + R"(","sid":"<TOKEN>"})";
  const ScrubbedInteraction early = scrubber.scrub(get(target, body));
  CHECK(early.record().redactions.size() == 3);
  const std::uint64_t before = scrubber.generation();
  const Scrubber::Rescrubbed same = scrubber.rescrub(early.record());
  CHECK_FALSE(same.changed);
  CHECK(same.interaction.record().redactions == early.record().redactions);
  CHECK(same.interaction.record().response.body == early.record().response.body);
  CHECK(scrubber.generation() == before);

  static_cast<void>(scrubber.scrub(login(sid, "alice", late)));
  CHECK(scrubber.generation() > before);
  const Scrubber::Rescrubbed again = scrubber.rescrub(early.record());
  const InteractionRecord& record = again.interaction.record();
  CHECK(again.changed);
  CHECK(all_of(record).find(late) == std::string::npos);
  CHECK(rows_fit(record));
  CHECK(record.redactions.size() == 6);
  CHECK(record.key.text == "SYNO.A/1/get?q=<PASSWORD>");
  CHECK(record.session == early.record().session);
  CHECK(restored(record, Part::response_body, {late, sid, late, "<TOKEN>"}) == body);
  const Scrubber::Rescrubbed third = scrubber.rescrub(record);
  CHECK_FALSE(third.changed);
  CHECK(third.interaction.record().redactions == record.redactions);
}

TEST_CASE("nothing is found inside of a placeholder's row") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const ScrubbedInteraction early = scrubber.scrub(get("/x", "<" + sid + "_ID>" + " and <SESSION_ID>"));
  static_cast<void>(scrubber.scrub(get(login_path + "&passwd=%3CSESSION_ID%3E")));
  const Scrubber::Rescrubbed again = scrubber.rescrub(early.record());
  CHECK(again.interaction.record().response.body == "<<SESSION_ID>_ID> and <PASSWORD>");
  CHECK(rows_fit(again.interaction.record()));
}

TEST_CASE("newer rules apply to what an older policy stored and numbers go on behind the old ones") {
  RuleSet old_rules = RuleSet::defaults();
  for (const char* id : {"param-sid", "body-sid", "json-password"}) old_rules.disable(id);
  ScrubberOptions options;
  options.rules = old_rules;
  Scrubber old_scrubber(options);
  const ScrubbedInteraction stored = old_scrubber.scrub(
      get("/webapi/entry.cgi?api=SYNO.A&version=1&method=get&_sid=" + sid, R"({"password":"pw 1"})"));
  CHECK(stored.record().redactions.empty());
  Scrubber scrubber({});
  scrubber.reserve_numbers(7, 2);
  const Scrubber::Rescrubbed again = scrubber.rescrub(stored.record());
  CHECK(again.changed);
  CHECK(again.interaction.record().session == 8);
  CHECK(lines_of(again.interaction.record()) ==
        std::vector<std::string>{"request target SESSION_ID own 0 '' 32:base64url param-sid",
                                 "response body PASSWORD none 0 '' 4:text json-password"});
}

TEST_CASE("a named value that is replaced in part is replaced in the rest as well") {
  RuleSet old_rules = RuleSet::defaults();
  old_rules.disable("json-password");
  ScrubberOptions options;
  options.rules = old_rules;
  Scrubber old_scrubber(options);
  static_cast<void>(old_scrubber.scrub(login(sid)));
  const ScrubbedInteraction stored = old_scrubber.scrub(get("/x", R"({"password":"left )" + sid + R"( right"})"));
  CHECK(stored.record().response.body == R"({"password":"left <SESSION_ID> right"})");
  Scrubber scrubber({});
  const Scrubber::Rescrubbed again = scrubber.rescrub(stored.record());
  CHECK(again.interaction.record().response.body == R"({"password":"<PASSWORD><SESSION_ID><PASSWORD>"})");
  CHECK(rows_fit(again.interaction.record()));
}

TEST_CASE("a withheld interaction stays withheld") {
  Scrubber scrubber({});
  api::Interaction interaction = get("/x?q=" + late, "raw");
  interaction.response.headers.add("Content-Encoding", "compress");
  const ScrubbedInteraction stored = scrubber.scrub(interaction);
  static_cast<void>(scrubber.scrub(login(sid, "alice", late)));
  const Scrubber::Rescrubbed again = scrubber.rescrub(stored.record());
  CHECK(again.interaction.record().completeness == api::Completeness::withheld);
  CHECK(again.interaction.record().withheld_digest == stored.record().withheld_digest);
  CHECK(again.interaction.record().request.target == "/x?q=<PASSWORD>");
}
