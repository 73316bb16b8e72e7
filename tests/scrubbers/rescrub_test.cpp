// Tests interactions that were stored before a value was learned.

#include <catch2/catch.hpp>

#include "tests/scrubbers/fixtures.h"
#include "tests/scrubbers/packing.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string late = "Lat3-Learned-Secret";
const std::string octets = "application/octet-stream";

api::Interaction broken(std::string body) {
  api::Interaction interaction = get("/x", std::move(body));
  interaction.completeness = api::Completeness::broken;
  interaction.reason = "the connection ended";
  return interaction;
}

api::Interaction with(api::Interaction interaction, const char* answer_header, const std::string& value) {
  interaction.response.headers.add(answer_header, value);
  return interaction;
}

std::string zip_with_name(const std::string& name, std::string_view text) {
  std::string file("PK\x03\x04\x14\0\0\0\x08\0", 10);
  file.append(16, '\0').append(1, static_cast<char>(name.size())).append(3, '\0').append(name);
  return file + deflated(text, -15) + "PK\x01\x02 directory";
}

/// Returns interactions with every place of a value and every decision of a pass.
std::vector<api::Interaction> interactions() {
  const std::string call = "/webapi/entry.cgi?api=SYNO.A&version=1&method=get";
  const std::string form = "application/x-www-form-urlencoded";
  const std::string multipart = "multipart/form-data; boundary=b";
  const std::string part = "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n";
  api::Interaction headers = get(call);
  headers.request.headers.add("User-Agent", "theme=" + late);
  headers.request.headers.add("Referer", "https://nas.example/" + late);
  headers.response.reason = "Fine " + late;
  api::Interaction too_long = post("/up", octets, gzipped("in it: " + late), "");
  too_long.completeness = api::Completeness::withheld;
  too_long.reason = "too long";
  return {
      get(call + "&q=" + late, R"({"a":")" + late + R"("})"),
      get("/x?q=" + encode(late, "percent-all"), encode(late, "base64:0:0:0")),
      with(headers, "X-Note", late),
      post(call, form, "q=" + late + "&p=1"),
      post("/up", octets, late + " and more"),
      post("/up", octets, gzipped("in it: " + late)),
      post("/up", octets, zipped("in it: " + late), R"({"echo":")" + late + R"("})"),
      post("/up", octets, zip_with_name(late, "nothing")),
      post("/up", octets, zip_with_name("a", "nothing")),
      post("/up", form, "PK\x03\x04=" + late),
      post("/up", multipart, part + late + "\r\n--b--\r\n"),
      post("/up", multipart, part + late),
      get("/down", gzipped("in it: " + late)),
      get("/down", zstd("in it: " + late)),
      with(get("/down", gzipped(R"({"a":")" + late + R"("})")), "Content-Encoding", "gzip"),
      with(get("/down", "raw"), "Content-Encoding", "compress"),
      with(post("/up", octets, gzipped("in it: " + late), "raw"), "Content-Encoding", "compress"),
      too_long,
      broken(R"({"a":")" + late),
      broken(R"({"a":")" + late.substr(0, 12)),
      broken("nothing of it"),
      post("/up", multipart, part + sid + " with _sid=" + sid),
      get("/x?" + late + "=1", "plain " + sid),
  };
}

void check_same(const InteractionRecord& one, const InteractionRecord& other) {
  CHECK(one.completeness == other.completeness);
  CHECK(one.reason == other.reason);
  for (const Part part : {Part::request_target, Part::request_headers, Part::request_body, Part::response_reason,
                          Part::response_headers, Part::response_body}) {
    CHECK(part_of(one, part) == part_of(other, part));
  }
  CHECK(one.key.text == other.key.text);
  CHECK(one.session == other.session);
  CHECK(lines_of(one) == lines_of(other));
}

}  // namespace

TEST_CASE("rescrub: scrubbing late gives the same result as scrubbing in time") {
  int number = 0;
  for (const api::Interaction& interaction : interactions()) {
    INFO("interaction " << number++ << " " << interaction.request.target);
    Scrubber in_time({});
    static_cast<void>(in_time.scrub(login(sid)));
    static_cast<void>(in_time.scrub(login(sid, "alice", late)));
    const ScrubbedInteraction expected = in_time.scrub(interaction);
    Scrubber scrubber({});
    static_cast<void>(scrubber.scrub(login(sid)));
    const ScrubbedInteraction early = scrubber.scrub(interaction);
    static_cast<void>(scrubber.scrub(login(sid, "alice", late)));
    const Scrubber::Rescrubbed again = scrubber.rescrub(early.record());
    CHECK(again.changed == (lines_of(early.record()) != lines_of(again.interaction.record()) ||
                            early.record().reason != again.interaction.record().reason ||
                            early.record().request.body != again.interaction.record().request.body));
    check_same(again.interaction.record(), expected.record());
    CHECK(all_of(again.interaction.record()).find(late) == std::string::npos);
    CHECK(all_of(again.interaction.record()).find(gzipped("in it: " + late)) == std::string::npos);
  }
}

TEST_CASE("rescrub: changes nothing unless something was learned since") {
  int number = 0;
  for (const api::Interaction& interaction : interactions()) {
    INFO("interaction " << number++ << " " << interaction.request.target);
    Scrubber scrubber({});
    static_cast<void>(scrubber.scrub(login(sid, "alice", late)));
    const ScrubbedInteraction once = scrubber.scrub(interaction);
    const Scrubber::Rescrubbed again = scrubber.rescrub(once.record());
    CHECK_FALSE(again.changed);
    check_same(again.interaction.record(), once.record());
    CHECK(again.interaction.record().withheld_digest == once.record().withheld_digest);
  }
}

TEST_CASE("rescrub: newer rules withhold an unreadable stored body that mentions one of their names") {
  RuleSet old_rules = RuleSet::defaults();
  old_rules.disable("param-otp-code");
  ScrubberOptions options;
  options.rules = old_rules;
  Scrubber old_scrubber(options);
  const std::string body = "--b\r\nContent-Disposition: form-data; name=\"otp_code\"\r\n\r\n123456";
  const ScrubbedInteraction stored = old_scrubber.scrub(post("/x", "multipart/form-data; boundary=b", body));
  CHECK(stored.record().request.body == body);
  Scrubber scrubber({});
  const Scrubber::Rescrubbed again = scrubber.rescrub(stored.record());
  CHECK(again.changed);
  CHECK(again.interaction.record().completeness == api::Completeness::withheld);
  CHECK(again.interaction.record().request.body.empty());
  CHECK(again.interaction.record().response.body.empty());
}

TEST_CASE("rescrub: a value learned late is removed from earlier interactions, and earlier redactions stay") {
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
  CHECK(record.key.text == "SYNO.A/1/get?q=<PASSWORD:login>");
  CHECK(record.session == early.record().session);
  CHECK(restored(record, Part::response_body, {late, sid, late, "<TOKEN>"}) == body);
  const Scrubber::Rescrubbed third = scrubber.rescrub(record);
  CHECK_FALSE(third.changed);
  CHECK(third.interaction.record().redactions == record.redactions);
}

TEST_CASE("rescrub: a placeholder is not treated as a value, even as a password") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const ScrubbedInteraction early = scrubber.scrub(get("/x", "<" + sid + "_ID>" + " and <SESSION_ID>"));
  static_cast<void>(scrubber.scrub(get(login_path + "&passwd=%3CSESSION_ID%3E")));
  const Scrubber::Rescrubbed again = scrubber.rescrub(early.record());
  CHECK(again.interaction.record().response.body == "<<SESSION_ID>_ID> and <SESSION_ID>");
  CHECK(rows_fit(again.interaction.record()));
}

TEST_CASE("rescrub: newer rules apply to older recordings, and numbers continue after the old ones") {
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

TEST_CASE("rescrub: the rest of a partly replaced named value is replaced as well") {
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

TEST_CASE("rescrub: a withheld interaction stays withheld") {
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
