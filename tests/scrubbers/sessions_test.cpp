// Whose a secret is: sessions, accounts and ordinals, and the keys that come out.

#include "tests/scrubbers/fixtures.h"

#include <catch2/catch.hpp>

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::string other_sid = "Qw5Er8Ty2Ui7Op1-s4Df9Gh3Jk6Lz0Xc";

std::string call(std::string_view id) {
  return "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info&_sid=" + std::string(id);
}

}  // namespace

TEST_CASE("a login makes a session and what carries its id belongs to it") {
  Scrubber scrubber({});
  const ScrubbedInteraction first = scrubber.scrub(login(sid));
  const ScrubbedInteraction second = scrubber.scrub(get(call(sid)));
  CHECK(first.record().session == 1);
  CHECK(first.record().account == 1);
  CHECK(first.record().effect == api::Effect::session);
  CHECK(second.record().session == 1);
  CHECK(second.record().account == 0);
  CHECK(second.record().effect == api::Effect::read);
  CHECK(lines_of(first.record()) == std::vector<std::string>{
                                        "request target ACCOUNT none 0 ''  param-account",
                                        "request target PASSWORD none 0 ''  param-passwd",
                                        "response body ACCOUNT none 0 '' 5:alnum json-account",
                                        "response body SESSION_ID own 0 '' 32:base64url json-sid",
                                    });
  CHECK(lines_of(second.record()) ==
        std::vector<std::string>{"request target SESSION_ID own 0 '' 32:base64url param-sid"});
  CHECK(first.record().request.target == login_path + "&account=<ACCOUNT>&passwd=<PASSWORD>");
  CHECK(first.record().response.body == R"({"data":{"account":"<ACCOUNT>","sid":"<SESSION_ID>"},"success":true})");
}

TEST_CASE("another session's id is marked as such with its number") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const ScrubbedInteraction bob = scrubber.scrub(login(other_sid, "bob"));
  const ScrubbedInteraction leak = scrubber.scrub(get(call(other_sid), R"({"data":{"who":")" + sid + R"("}})"));
  CHECK(bob.record().session == 2);
  CHECK(bob.record().account == 2);
  CHECK(lines_of(leak.record()) == std::vector<std::string>{
                                       "request target SESSION_ID own 0 '' 32:base64url param-sid",
                                       "response body SESSION_ID another(1) 0 '' 32:base64url learned",
                                   });
}

TEST_CASE("an id that no login showed makes a session of its own and a request without one has none") {
  Scrubber scrubber({});
  CHECK(scrubber.scrub(get(call(sid))).record().session == 1);
  CHECK(scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.API.Info&version=1&method=query")).record().session == 0);
  api::Interaction by_cookie = get("/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info");
  by_cookie.request.headers.add("Cookie", "id=" + other_sid);
  CHECK(scrubber.scrub(by_cookie).record().session == 2);
  api::Interaction both = get(call(sid));
  both.request.headers.add("Cookie", "id=" + other_sid);
  CHECK(scrubber.scrub(both).record().session == 1);
}

TEST_CASE("a login in cookie format makes the session of its cookie") {
  Scrubber scrubber({});
  api::Interaction interaction = get(login_path + "&format=cookie&account=alice", R"({"success":true})");
  interaction.response.headers.add("Set-Cookie", "id=" + sid + "; path=/");
  CHECK(scrubber.scrub(interaction).record().session == 1);
  CHECK(scrubber.scrub(get(call(sid))).record().session == 1);
}

TEST_CASE("short ids are redacted by name and still number their session") {
  Scrubber scrubber({});
  const ScrubbedInteraction first = scrubber.scrub(login("session_id"));
  CHECK(first.record().session == 1);
  const ScrubbedInteraction second = scrubber.scrub(get(call("session_id"), R"({"note":"session_id is a word"})"));
  CHECK(second.record().session == 1);
  CHECK(second.record().response.body == R"({"note":"session_id is a word"})");
  CHECK(second.record().request.target == call("<SESSION_ID>"));
  CHECK(scrubber.stats().by_name_only == 1);
}

TEST_CASE("tokens belong to the session whose login made them and one token may belong to several") {
  Scrubber scrubber({});
  const auto with_token = [](std::string_view id) {
    return get(login_path, R"({"data":{"sid":")" + std::string(id) + R"(","synotoken":")" + syno_token + R"("}})");
  };
  CHECK(line_of(scrubber.scrub(with_token(sid)).record().redactions[1]) ==
        "response body CSRF_TOKEN own 0 '' 12:text json-synotoken");
  CHECK(line_of(scrubber.scrub(with_token(other_sid)).record().redactions[1]) ==
        "response body CSRF_TOKEN own 0 '' 12:text json-synotoken");
  api::Interaction used = get(call(other_sid));
  used.request.headers.add("X-SYNO-TOKEN", syno_token);
  CHECK(line_of(scrubber.scrub(used).record().redactions[1]) ==
        "request headers CSRF_TOKEN own 0 '' 12:text header-synotoken");
  api::Interaction anonymous = get("/webapi/query.cgi?x=" + syno_token);
  CHECK(line_of(scrubber.scrub(anonymous).record().redactions[0]) ==
        "request target CSRF_TOKEN another(1) 0 '' 12:text learned");
}

TEST_CASE("a failed login makes no session") {
  Scrubber scrubber({});
  const ScrubbedInteraction failed =
      scrubber.scrub(get(login_path + "&account=alice&passwd=wrong", R"({"error":{"code":400},"success":false})"));
  CHECK(failed.record().session == 0);
  CHECK(failed.record().account == 1);
}

TEST_CASE("the same account and password keep their numbers") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid, "alice", "First-Passw0rd")));
  static_cast<void>(scrubber.scrub(login(sid, "bob", "Second-Passw0rd")));
  const ScrubbedInteraction again = scrubber.scrub(login(other_sid, "alice", "Second-Passw0rd"));
  CHECK(again.record().account == 1);
  CHECK(line_of(again.record().redactions[1]) == "request target PASSWORD none 1 ''  param-passwd");
}

TEST_CASE("what a request says before its response is there takes no number and is replaced once it is confirmed") {
  Scrubber scrubber({});
  scrubber.learn(get(call(sid)).request);
  const ScrubbedInteraction meanwhile = scrubber.scrub(get(call(other_sid), R"({"x":")" + sid + R"("})"));
  CHECK(meanwhile.record().session == 1);
  CHECK(meanwhile.record().redactions.size() == 1);
  static_cast<void>(scrubber.scrub(get(call(sid))));
  const ScrubbedInteraction again = scrubber.rescrub(meanwhile.record()).interaction;
  REQUIRE(again.record().redactions.size() == 2);
  CHECK(line_of(again.record().redactions[1]) == "response body SESSION_ID another(2) 0 '' 32:base64url learned");
}

TEST_CASE("keys are built from the scrubbed request and its holes") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const auto key_of = [&](const std::string& target) { return scrubber.scrub(get(target)).record().key.text; };
  CHECK(key_of(call(sid)) == "SYNO.Core.System/1/info");
  CHECK(key_of("/webapi/entry.cgi?api=SYNO.A&version=1&method=get&_sid=" + sid + "&link=" + sid) ==
        "SYNO.A/1/get?link=<SESSION_ID>");
  CHECK(key_of("/webapi/entry.cgi?api=SYNO.A&version=1&method=get&password=x1") == "SYNO.A/1/get?password=<PASSWORD>");
}

TEST_CASE("labels of holes say class and owner") {
  Redaction row;
  row.secret_class = SecretClass::session_id;
  row.whose = Whose::own;
  CHECK(hole_label(row) == "SESSION_ID");
  row.ordinal = 1;
  CHECK(hole_label(row) == "SESSION_ID:1");
  row.whose = Whose::another;
  CHECK(hole_label(row) == "SESSION_ID:another");
  row.secret_class = SecretClass::password;
  row.whose = Whose::none;
  CHECK(hole_label(row) == "PASSWORD");
}
