// Tests the owners of secrets: sessions, accounts, and ordinals, and the resulting keys.

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

TEST_CASE("sessions: a login creates a session, and requests with its ID belong to it") {
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

TEST_CASE("sessions: the ID of another session is marked with its number") {
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

TEST_CASE("sessions: an ID without a login creates a session, and a request without an ID has none") {
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

TEST_CASE("sessions: a login in cookie format creates the session of its cookie") {
  Scrubber scrubber({});
  api::Interaction interaction = get(login_path + "&format=cookie&account=alice", R"({"success":true})");
  interaction.response.headers.add("Set-Cookie", "id=" + sid + "; path=/");
  CHECK(scrubber.scrub(interaction).record().session == 1);
  CHECK(scrubber.scrub(get(call(sid))).record().session == 1);
}

TEST_CASE("sessions: short IDs are redacted by name and still number their session") {
  Scrubber scrubber({});
  const ScrubbedInteraction first = scrubber.scrub(login("session_id"));
  CHECK(first.record().session == 1);
  const ScrubbedInteraction second = scrubber.scrub(get(call("session_id"), R"({"note":"session_id is a word"})"));
  CHECK(second.record().session == 1);
  CHECK(second.record().response.body == R"({"note":"session_id is a word"})");
  CHECK(second.record().request.target == call("<SESSION_ID>"));
  CHECK(scrubber.stats().by_name_only == 1);
}

TEST_CASE("sessions: tokens belong to the sessions whose logins returned them") {
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

TEST_CASE("sessions: a failed login creates no session") {
  Scrubber scrubber({});
  const ScrubbedInteraction failed =
      scrubber.scrub(get(login_path + "&account=alice&passwd=wrong", R"({"error":{"code":400},"success":false})"));
  CHECK(failed.record().session == 0);
  CHECK(failed.record().account == 1);
}

TEST_CASE("sessions: the same account and password keep their numbers") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid, "alice", "First-Passw0rd")));
  static_cast<void>(scrubber.scrub(login(sid, "bob", "Second-Passw0rd")));
  const ScrubbedInteraction again = scrubber.scrub(login(other_sid, "alice", "Second-Passw0rd"));
  CHECK(again.record().account == 1);
  CHECK(line_of(again.record().redactions[1]) == "request target PASSWORD none 1 ''  param-passwd");
}

TEST_CASE("sessions: values of a request get no number before its response and are replaced once they are confirmed") {
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

TEST_CASE("sessions: keys are built from the scrubbed request and its holes") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const auto key_of = [&](const std::string& target) { return scrubber.scrub(get(target)).record().key.text; };
  CHECK(key_of(call(sid)) == "SYNO.Core.System/1/info");
  CHECK(key_of("/webapi/entry.cgi?api=SYNO.A&version=1&method=get&_sid=" + sid + "&link=" + sid) ==
        "SYNO.A/1/get?link=<SESSION_ID>");
  CHECK(key_of("/webapi/entry.cgi?api=SYNO.A&version=1&method=get&password=x1") == "SYNO.A/1/get?password=<PASSWORD>");
}

TEST_CASE("sessions: labels of holes contain class and owner") {
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

TEST_CASE("sessions: the ID of a connection of socket.io has one class, with and without a cookie") {
  const std::string poll = "/socket.io/?EIO=3&transport=polling";
  for (const std::string_view id : {"kR7vQ2mZxT9pLw4BAAAA", "qwertzuiopasdfghAAAB"}) {
    for (const bool has_cookie : {true, false}) {
      CAPTURE(id, has_cookie);
      Scrubber scrubber({});
      api::Interaction handshake = get(poll, "97:0{\"sid\":\"" + std::string(id) + "\",\"pingInterval\":25000}");
      if (has_cookie) handshake.response.headers.add("Set-Cookie", "io=" + std::string(id) + "; Path=/; HttpOnly");
      const ScrubbedInteraction opened = scrubber.scrub(handshake);
      CHECK(opened.record().response.body.find("{\"sid\":\"<TOKEN>\",") != std::string::npos);
      api::Interaction next = get(poll + "&sid=" + std::string(id), "2:40");
      if (has_cookie) next.request.headers.add("Cookie", "io=" + std::string(id));
      const ScrubbedInteraction polled = scrubber.scrub(next);
      CHECK(polled.record().request.target == poll + "&sid=<TOKEN>");
      for (const auto* record : {&opened.record(), &polled.record()}) {
        CHECK(all_of(*record).find(id) == std::string::npos);
        for (const Redaction& row : record->redactions) {
          CHECK(row.secret_class == SecretClass::token);
          CHECK(row.ordinal == 0);
        }
      }
    }
  }
}
