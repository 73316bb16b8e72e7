// Tests which values are learned and searched for everywhere, and look-alikes.

#include <catch2/catch.hpp>
#include <ctime>
#include <random>

#include "scrubbers/search/learned_secrets.h"
#include "tests/scrubbers/fixtures.h"
#include "tests/support/proc.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

std::string random_text(std::mt19937& random, std::string_view alphabet, std::size_t length) {
  std::string text;
  while (text.size() < length) text += alphabet[random() % alphabet.size()];
  return text;
}

}  // namespace

TEST_CASE("learned: long or varied values that are not common are searched for everywhere") {
  const std::vector<std::pair<std::string, bool>> rows{
      {"", false},
      {"admin", false},
      {"Ab3$", false},
      {"aB3defg", false},
      {"aB3defgh", true},
      {"abcdefgh", false},
      {"abcd1234", false},
      {"abcd123-", true},
      {"qjxkvzwpmbfg", true},
      {"123456789012", false},
      {"123456789012345", false},
      {"1234567890123456", true},
      {"administrator", false},
      {"Administrator", false},
      {"Documentation", false},
      {"session_id", false},
      {"SYNO.Core.AppPortal", false},
      {"feasibility_check", false},
      {"************", false},
      {"aaaaaaaaaaaaAA1-", false},
      {sid, true},
      {syno_token, true},
      {passphrase, true},
  };
  for (const auto& [value, everywhere] : rows) {
    INFO(value);
    CHECK(is_distinctive(value) == everywhere);
  }
}

TEST_CASE("learned: a value that is also a JSON key is only replaced under its name") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(get("/x", R"({"externalDeviceList":1})")));
  static_cast<void>(scrubber.scrub(get(login_path + "&passwd=externalDeviceList")));
  CHECK(scrubber.scrub(get("/x", R"({"externalDeviceList":2})")).record().redactions.empty());
  CHECK(scrubber.scrub(get("/x?passwd=externalDeviceList")).record().redactions.size() == 1);
  CHECK(scrubber.stats().structural == 1);
}

TEST_CASE("learned: an ID that occurred as a JSON key before its login is searched for") {
  Scrubber scrubber({});
  const ScrubbedInteraction early = scrubber.scrub(get("/x", R"({"sessions":{")" + sid + R"(":{"who":1}}})"));
  static_cast<void>(scrubber.scrub(login(sid)));
  CHECK(all_of(scrubber.rescrub(early.record()).interaction.record()).find(sid) == std::string::npos);
}

TEST_CASE("learned: an account is replaced only at its login") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid, "quite-a-L0ng-account-name")));
  const std::string body = R"({"owner":"quite-a-L0ng-account-name","account":"quite-a-L0ng-account-name"})";
  CHECK(scrubber.scrub(get("/x", body)).record().response.body == body);
}

TEST_CASE("learned: overlapping secrets leave no piece of either") {
  const std::string first = "Abcdefgh-12345678";
  const std::string second = "12345678-Zyxwvu";
  const std::string inner = "efgh-12345678";
  Scrubber scrubber({});
  for (const std::string& value : {inner, first, second}) {
    static_cast<void>(scrubber.scrub(get(login_path + "&passwd=" + value)));
  }
  const ScrubbedInteraction both = scrubber.scrub(get("/x", "<Abcdefgh-12345678-Zyxwvu>"));
  CHECK(both.record().response.body == "<<PASSWORD><PASSWORD>>");
  CHECK(rows_fit(both.record()));
  CHECK(both.record().redactions[1].whose == Whose::none);
  const ScrubbedInteraction longest = scrubber.scrub(get("/x", "<" + first + ">"));
  CHECK(longest.record().response.body == "<<PASSWORD>>");
}

TEST_CASE("learned: a known value is replaced in header names and values") {
  Scrubber scrubber({});
  (void)scrubber.scrub(login(sid));
  api::Interaction interaction = get("/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info");
  interaction.request.headers.add("Accept-" + sid, "1");
  interaction.response.headers.add(sid, "a");
  interaction.response.headers.add("X-" + sid + "-" + sid, sid);
  interaction.response.headers.add("X-Last", "b");
  const auto scrubbed = scrubber.scrub(interaction);
  const InteractionRecord& record = scrubbed.record();
  CHECK(all_of(record).find(sid) == std::string::npos);
  CHECK(record.request.headers.to_text() == "Accept-<SESSION_ID>: 1\r\n");
  CHECK(record.response.headers.to_text() ==
        "Content-Type: application/json; charset=\"UTF-8\"\r\n<SESSION_ID>: a\r\n"
        "X-<SESSION_ID>-<SESSION_ID>: <SESSION_ID>\r\nX-Last: b\r\n");
  CHECK(record.redactions.size() == 5);
  CHECK(rows_fit(record));
}

TEST_CASE("learned: look-alikes stay unchanged") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  static_cast<void>(scrubber.scrub(get(login_path + "&otp_code=492817&passwd=abc&account=root")));
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const std::string body =
        R"({"administrator":"admin","hash":")" + random_text(random, "0123456789abcdef", 64) + R"(","uuid":")" +
        make_of_shape("36:uuid", std::to_string(round)) + R"(","time":)" + "1492817" +
        random_text(random, "0123456789", 6) + R"(,"near":")" + sid.substr(1) + R"(","cut":")" +
        sid.substr(0, sid.size() - 1) + R"(","url":"https:\/\/nas.example\/?a=)" +
        random_text(random, "ABCDEFabcdef0123456789", 20) + R"(","id":")" +
        random_text(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 32) +
        R"(","otp_required":true,"code":492817,"side":"sid","b64":")" +
        random_text(random, "ABCDEFabcdef0123456789+/", 88) + R"("})";
    const ScrubbedInteraction scrubbed = scrubber.scrub(get("/webapi/x?q=%22492817%22", body));
    CHECK(scrubbed.record().response.body == body);
    CHECK(scrubbed.record().redactions.empty());
  }
}

TEST_CASE("learned: an ID from a client is searched for everywhere only if it looks like one") {
  Scrubber scrubber({});
  const std::string body = R"({"data":{"type":"application/json","list":["a","b"]},"success":true})";
  for (const std::string poison : {"application%2Fjson", "%22success%22%3Atrue%7D", "%7D%2C%22success%22",
                                   "a%20b%20c%20d%20e%20f%20g", "------------", "Content-Type%3A"}) {
    for (const std::string name : {"_sid", "SynoToken"}) {
      const ScrubbedInteraction asked =
          scrubber.scrub(get("/webapi/entry.cgi?api=SYNO.A&version=1&method=get&" + name + "=" + poison, body));
      CHECK(asked.record().response.body == body);
      CHECK(asked.record().request.target.ends_with(name == "_sid" ? "=<SESSION_ID>" : "=<CSRF_TOKEN>"));
    }
  }
  const ScrubbedInteraction after = scrubber.scrub(get("/x", body));
  CHECK(after.record().redactions.empty());
  CHECK(scrubber.generation() == 1);
  // A possible ID is also not searched for until the device has accepted it where it refuses others.
  const std::string call = "/webapi/entry.cgi?api=SYNO.A&version=1&method=get&_sid=" + sid;
  for (const std::string refusing : {R"({"error":{"code":119},"success":false})", "<html>log in</html>"}) {
    static_cast<void>(scrubber.scrub(get(call, refusing)));
    CHECK(scrubber.scrub(get("/x", sid)).record().response.body == sid);
  }
  static_cast<void>(scrubber.scrub(get(call)));
  CHECK(scrubber.scrub(get("/x", sid)).record().response.body == "<SESSION_ID>");
}

TEST_CASE("learned: only a login, a write, or a call that needs a session confirms a value") {
  const std::string value = "Qx7rT9Lm2Vb8Zk4W", fine = R"({"success":true})";
  const auto refused = [](int code) { return R"({"error":{"code":)" + std::to_string(code) + R"(},"success":false})"; };
  const auto of = [](const std::string& api, const std::string& method) {
    return "/webapi/entry.cgi?api=SYNO." + api + "&version=1&method=" + method;
  };
  const std::string compound = of("Entry.Request", "request") + "&_sid=" + value +
                               "&compound=%5B%7B%22api%22%3A%22SYNO.API.Info%22%2C%22version%22%3A1%2C%22method%22%3A"
                               "%22query%22%7D%2C%7B%22api%22%3A%22SYNO.Core.System%22%2C%22version%22%3A1%2C%22method"
                               "%22%3A%22info%22%7D%5D";
  const auto parts = [](const std::string& second) {
    return R"({"data":{"has_fail":true,"result":[{"success":true},)" + second + R"(]},"success":true})";
  };
  const struct {
    std::string name, target, answer;
    bool is_confirmed;
  } rows[] = {
      {"login", login_path + "&passwd=" + value, fine, true},
      {"refused login", login_path + "&passwd=" + value, refused(400), false},
      {"login that asks for a code", login_path + "&passwd=" + value, refused(403), true},
      {"login with a wrong code", login_path + "&passwd=x&otp_code=" + value, refused(404), false},
      {"write", of("Core.User", "set") + "&new_password=" + value, fine, true},
      {"refused write", of("Core.User", "set") + "&new_password=" + value, refused(105), false},
      {"password in a read", of("Core.User", "list") + "&password=" + value, fine, false},
      {"write that is no call", "/upload?passwd=" + value, fine, false},
      {"session call", of("Core.System", "info") + "&_sid=" + value, fine, true},
      {"refused session call", of("Core.System", "info") + "&_sid=" + value, refused(119), false},
      {"call that needs no session", of("API.Info", "query") + "&_sid=" + value, fine, false},
      {"two session ids", of("Core.System", "info") + "&_sid=" + value + "&_sid=" + sid, fine, false},
      {"part that needs a session", compound, parts(fine), true},
      {"part that is refused", compound, parts(refused(119)), false},
      {"page", "/index.html?_sid=" + value, "<html></html>", false},
      {"echo in a page", "/index.html?x=_sid%3D" + value, "<a href='?_sid=" + value + "'>", false},
      {"sent by the device", "/index.html", "<a href='?_sid=" + value + "'>", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Scrubber scrubber({});
    api::Interaction first = get(row.target, row.answer);
    if (row.name == "write that is no call") first.request.method = "POST";
    if (row.answer.starts_with('<')) first.response.headers.set("Content-Type", "text/html");
    const ScrubbedInteraction scrubbed = scrubber.scrub(first);
    CHECK(all_of(scrubbed.record()).find(value) == std::string::npos);
    const std::string body = R"({"note":"a )" + value + R"( b"})";
    CHECK((scrubber.scrub(get("/x", body)).record().response.body != body) == row.is_confirmed);
  }
}

TEST_CASE("learned: a call does not confirm an ID that a client made up, and a header name is not searched for") {
  const std::string call = "/webapi/entry.cgi?api=SYNO.Core.System&version=1&method=info";
  for (const std::string value : {"NAS-1", "body_sha256", "Content-Type", "x-frame-options", "Volume/Photo9"}) {
    CAPTURE(value);
    const std::string body = R"({"data":{"model":")" + value + R"("},"success":true})";
    std::vector<api::Interaction> made(4, get(call));
    made[0].request.target += "&_sid=" + encode(value, "percent-all");
    made[1].request.target += "&SynoToken=" + encode(value, "percent-all");
    made[2].request.headers.add("Authorization", "Bearer " + value);
    made[3].request.headers.add("Cookie", "id=" + value);
    Scrubber scrubber({});
    for (const api::Interaction& one : made) static_cast<void>(scrubber.scrub(one));
    CHECK(scrubber.scrub(get("/x", body)).record().response.body == body);
    static_cast<void>(scrubber.scrub(get(login_path + "&passwd=" + encode(value, "percent-all"))));
    CHECK(scrubber.scrub(get("/x", body)).record().response.headers.contains("Content-Type"));
  }
}

TEST_CASE("learned: a distinctive value that the device accepted is searched for everywhere unless messages have it") {
  const struct {
    std::string value;
    bool everywhere;
  } rows[] = {
      {"Tr0ub4dor&3-Horse", true},
      {"correct horse token staple", true},
      {"MySecretPassword", true},
      {"Ab3\",\":xY9-Qr7Lm", true},
      {"Qx7rT\r\n9Lm2Vb8", true},
      {"a=b&Qx7rT9Lm2Vb8", true},
      {sid, true},
      {passphrase, true},
      {"version=1", false},
      {"charset=utf-8", false},
      {"application/json", false},
      {"text/html; charset=utf-8", false},
      {"/volume1/photo/2024", true},
      {"/webapi/entry.cgi", false},
      {"\"success\":true}", false},
      {"},\"success\"", false},
      {"CREATE TABLE meta", false},
      {"withheld_digest", false},
      {"<SESSION_ID>", false},
      {"%3CSESSION_ID%3E", false},
      {"SYNO.Core.AppPortal", false},
      {"192.168.100.200", false},
      {"00:11:32:5d:fd:11", true},
      {"2026-11-20 10:20:30", false},
      {"someone@nas.example", true},
      {"Storage Manager", true},
      {"<html><body>", false},
      {"function take(){", true},
      {"Content-Type", false},    // the name of a header
      {"Nightly-Run-42", false},  // the name of the scope
  };
  for (const auto& row : rows) {
    CAPTURE(row.value);
    Scrubber scrubber({});
    api::Interaction first = get(login_path + "&passwd=" + encode(row.value, "percent-all"));
    first.scope = "Nightly-Run-42";
    const ScrubbedInteraction scrubbed = scrubber.scrub(first);
    CHECK(scrubbed.record().scope == first.scope);
    CHECK(scrubbed.record().request.target.ends_with("&passwd=<PASSWORD>"));
    const std::string body = "a note: x" + row.value + "y";
    CHECK((scrubber.scrub(get("/x", body)).record().response.body != body) == row.everywhere);
  }
}

TEST_CASE("learned: an accepted value with message characters is searched for unless it is a part of messages") {
  const struct {
    std::string value;
    bool is_searched;
  } rows[] = {
      {"Qm7&vertex/Lagoon=5", true}, {"Summer/2024=Fun!7", true},
      {"a=Vertex^7/b", true},        {"Vertex@Lagoon=57", true},
      {"Vertex=7Lagoon", true},      {"/volume1/Photo=57!", true},
      {"Vertex/Lagoon57", true},     {"vertex/lagoon=57!", true},
      {"https://Nas7/a=b!", true},   {"a=${Template}/7", true},
      {"Version 2/3 is out!", true}, {"Ab1/c=!", false},  // in a word
      {"&method=list", false},       {"text/html; charset=UTF-8", false},
  };
  const std::string refused = R"({"error":{"code":400},"success":false})";
  const std::string write = "/webapi/entry.cgi?api=SYNO.Core.User&version=1&method=set&new_password=";
  for (const auto& row : rows) {
    CAPTURE(row.value);
    const std::string said = encode(row.value, "percent-all"), body = "a note: x" + row.value + "y";
    const std::pair<std::string, std::string> sources[] = {
        {login_path + "&passwd=" + said, R"({"success":true})"},
        {login_path + "&passwd=" + said, R"({"error":{"code":403},"success":false})"},
        {write + said, R"({"success":true})"},
    };
    for (const auto& [target, answer] : sources) {
      CAPTURE(target, answer);
      Scrubber scrubber({});
      const ScrubbedInteraction early = scrubber.scrub(get("/x", body));
      static_cast<void>(scrubber.scrub(get(login_path + "&passwd=" + said, refused)));
      CHECK(scrubber.scrub(get("/x", body)).record().response.body == body);
      // A device that returns the value under the name of a secret does not confirm it, and does not prevent its
      // confirmation.
      static_cast<void>(scrubber.scrub(get("/y", R"({"password":")" + encode(row.value, "json") + R"("})")));
      CHECK(scrubber.scrub(get("/x", body)).record().response.body == body);
      static_cast<void>(scrubber.scrub(get(target, answer)));
      CHECK((scrubber.scrub(get("/x", body)).record().response.body != body) == row.is_searched);
      CHECK((scrubber.rescrub(early.record()).interaction.record().response.body != body) == row.is_searched);
    }
  }
}

TEST_CASE("learned: the password of a Basic login is found everywhere, even if the login first requires a code") {
  const std::string plain = R"({"success":true})", asks = R"({"error":{"code":403},"success":false})";
  const std::string refused = R"({"error":{"code":400},"success":false})";
  for (const std::string password :
       {"Qm7&vertex/Lagoon=5", "p\"a:s/s\\w&rd=7KqX9z%2F+x", "Tr\xC3\xB6ub4dor&3 <Horse>", "a:b:c-Zr9wKt2"}) {
    for (const std::string& answer : {plain, asks, refused}) {
      CAPTURE(password, answer);
      Scrubber scrubber({});
      const std::string body = "{\"note\":\"x " + encode(password, "json") + " y\"}";
      const ScrubbedInteraction early = scrubber.scrub(get("/x", body));
      api::Interaction sent = get(login_path + "&account=ann", answer);
      sent.request.headers.add("Authorization", "Basic " + encode("ann:" + password, "base64"));
      const ScrubbedInteraction scrubbed = scrubber.scrub(sent);
      CHECK(scrubbed.record().request.headers.to_text() == "Authorization: Basic <AUTHORIZATION>\r\n");
      const bool is_accepted = answer != refused;
      CHECK((scrubber.rescrub(early.record()).interaction.record().response.body != body) == is_accepted);
      for (const std::string encoding : {"json", "percent", "form", "html", "base64"}) {
        const std::string text = "x " + encode(password, encoding) + " y";
        CAPTURE(text);
        CHECK((scrubber.scrub(get("/x", "{\"note\":\"" + text + "\"}")).record().redactions.size() == 1) ==
              is_accepted);
      }
    }
  }
}

TEST_CASE("learned: a ticket is replaced under its name, or only the session ID that it contains") {
  const std::string ticket = "wK4vQ7mZxT9pLw2BnC8dHs5F", call = "/webapi/entry.cgi?api=SYNO.A&version=1&method=get";
  const std::string derived = encode("id=" + sid + "&file=7", "base64");
  const auto said = [](const std::string& value) { return R"({"data":{"ticket":")" + value + R"("},"success":true})"; };
  Scrubber scrubber({});
  // The cookie is the only place with the session in this request.
  api::Interaction first = get(call + "&ticket=" + encode(derived, "percent"));
  first.request.headers.add("Cookie", "id=" + sid);
  CHECK(lines_of(scrubber.scrub(first).record()) ==
        std::vector<std::string>{"request target SESSION_ID own 0 'base64:0:0:0' 32:base64url learned",
                                 "request headers SESSION_ID own 0 '' 32:base64url cookie-id"});
  const struct {
    std::string body, scrubbed;
  } rows[] = {
      {said(ticket), said("<TOKEN>")},
      {said("t-1042"), said("t-1042")},
      {R"({"data":{"tickets":[")" + ticket + R"("]}})", R"({"data":{"tickets":["<TOKEN>"]}})"},
      {R"({"data":{"authTicket":")" + ticket + R"(","ticket_id":1}})",
       R"({"data":{"authTicket":"<TOKEN>","ticket_id":1}})"},
  };
  for (const auto& row : rows) CHECK(scrubber.scrub(get(call, row.body)).record().response.body == row.scrubbed);
  const ScrubbedInteraction made = scrubber.scrub(get(call + "&_sid=" + sid, said(derived)));
  CHECK(made.record().response.body.find("<SESSION_ID>") != std::string::npos);
  CHECK(made.record().response.body.find("<TOKEN>") == std::string::npos);
  CHECK_FALSE(scrubber.rescrub(made.record()).changed);
  CHECK(scrubber.scrub(get(call, "x " + ticket)).record().response.body == "x <TOKEN>");
}

TEST_CASE("learned: a value that is confirmed late keeps its number and is visited once") {
  const std::string value = "Tr0ub4dor&3-Horse";
  Scrubber scrubber({});
  const std::string refused = R"({"error":{"code":400},"success":false})";
  static_cast<void>(scrubber.scrub(get(login_path + "&passwd=" + encode(value, "percent"), refused)));
  const auto handed_out = [&scrubber] {
    std::vector<std::pair<std::string, bool>> values;
    scrubber.each_learned([&](std::string_view one, bool everywhere) { values.emplace_back(one, everywhere); });
    return values;
  };
  CHECK(handed_out().empty());
  const std::uint64_t before = scrubber.generation();
  const ScrubbedInteraction late = scrubber.scrub(get(login_path + "&passwd=" + encode(value, "percent")));
  CHECK(late.record().redactions[0].ordinal == 0);
  CHECK(scrubber.generation() == before + 1);
  CHECK(handed_out() == std::vector<std::pair<std::string, bool>>{{value, true}});
}

TEST_CASE("learned: a message with very many IDs is replaced in bounded time") {
  Scrubber scrubber({});
  std::string form;
  std::string ids;
  for (int i = 0; i < 20'000; ++i) {
    const std::string id = make_of_shape("24:base64url", std::to_string(i));
    form += (i > 0 ? "&passwd=" : "passwd=") + id;
    if (i >= 5000 && i < 5003) ids += id + " ";
  }
  const ScrubbedInteraction scrubbed = scrubber.scrub(post(login_path, "application/x-www-form-urlencoded", form));
  CHECK(scrubbed.record().redactions.size() == 20'000);
  CHECK(scrubber.generation() <= 1001);
  CHECK(scrubber.stats().beyond_limits > 18'000);
  CHECK(scrubber.stats().beyond_limits + scrubber.stats().by_name_only >= 19'000);
  CHECK(scrubber.scrub(get("/x", ids)).record().response.body == ids);
}

TEST_CASE("learned: IDs with common beginnings and ends do not slow down the search") {
  Scrubber scrubber({});
  std::string ids, places;
  for (int i = 0; i < 20'000; ++i) {
    const std::string id = "Ab3dEf7hIj" + std::to_string(1'000'000 + i) + "kLmN0p";
    ids += R"({"sid":")" + id + "\"},";
    if (i < 10'000) places += id + " ";
  }
  const std::clock_t begin = std::clock();
  CHECK(scrubber.scrub(get("/x", R"({"data":[)" + ids + R"({}],"success":true})")).record().redactions.size() ==
        20'000);
  CHECK(scrubber.scrub(get("/y", places)).record().redactions.size() == 10'000);
  CHECK(scrubber.stats().beyond_limits == 10'000);
  if (tests::memory_counts) CHECK(std::clock() - begin < 10 * CLOCKS_PER_SEC);  // sanitizers take up to 40 times as long
}

TEST_CASE("learned: thousands of learned values are all found") {
  std::mt19937 random(9);
  Scrubber scrubber({});
  std::vector<std::string> ids;
  for (int i = 0; i < 1500; ++i) {
    ids.push_back(random_text(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 40));
    static_cast<void>(scrubber.scrub(login(ids.back())));
  }
  std::string body;
  for (const std::string& id : ids) body += id + "," + encode(id, "percent-all") + "\n";
  const ScrubbedInteraction scrubbed = scrubber.scrub(get("/x", body));
  CHECK(scrubbed.record().redactions.size() == 3000);
  CHECK(rows_fit(scrubbed.record()));
  CHECK(scrubber.stats().learned == 1501);
  CHECK(scrubber.generation() == 1502);
}

TEST_CASE("learned: visits values with the way in which they are searched for") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid, "alice", "short")));
  std::vector<std::pair<std::string, bool>> values;
  scrubber.each_learned([&](std::string_view value, bool everywhere) { values.emplace_back(value, everywhere); });
  CHECK(values == std::vector<std::pair<std::string, bool>>{{"short", false}, {sid, true}});
}

TEST_CASE("learned: a value that occurs only in a login is replaced there and not searched for elsewhere") {
  const std::string value = "Qx7rT9Lm2Vb8Zk4W";
  const api::Interaction later = get("/x", R"({"note":")" + value + R"("})");
  const auto later_body = [&](const std::string& name) {
    Scrubber scrubber({});
    const auto said = scrubber.scrub(post(login_path, "application/x-www-form-urlencoded", name + "=" + value));
    CHECK(all_of(said.record()).find(value) == std::string::npos);
    return scrubber.scrub(later).record().response.body;
  };
  for (const char* name : {"ik_message", "__cIpHeRtExT", "device_name"}) {
    CAPTURE(name);
    CHECK(later_body(name) == later.response.body);
  }
  CHECK(later_body("passwd") != later.response.body);
}

TEST_CASE("learned: Tapedeck's own texts are scrubbed of learned values and of values after a secret's name") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const std::vector<std::pair<std::string, std::string>> rows{
      {"nothing to see", "nothing to see"},
      {"GET /x?a=1&_sid=ab&b=2 failed", "GET /x?a=1&_sid=<SESSION_ID>&b=2 failed"},
      {"passwd=x", "passwd=<PASSWORD>"},
      {"id " + sid + "!", "id <SESSION_ID>!"},
      {"id " + encode(sid, "percent-all") + "!", "id <SESSION_ID>!"},
      {"_sid=" + sid + ".", "_sid=<SESSION_ID>"},
      {"sid = 5", "sid = 5"},
      {"{_sid=ab|_sid=cd ~_sid=ef @_sid=gh", "{_sid=<SESSION_ID> ~_sid=<SESSION_ID> @_sid=<SESSION_ID>"},
      // A rule for one API hides nothing in the keys of other calls.
      {"SVC.Core.Group/1/get?id=7", "SVC.Core.Group/1/get?id=7"},
      {"SVC.FileStation.Sharing/3/getinfo?id=7", "SVC.FileStation.Sharing/3/getinfo?id=<SECRET>"},
      {"FileStation.sharing/3/getinfo?id=7", "FileStation.sharing/3/getinfo?id=<SECRET>"},
      {"SVC.Entry.Request/1/request?id=7", "SVC.Entry.Request/1/request?id=<SECRET>"},
      {"SVC.API.Auth/6/login?account=ada&did=x1", "SVC.API.Auth/6/login?account=<ACCOUNT>&did=<DEVICE_ID>"},
      {"SVC.Core.Group/1/get?_sid=ab&passwd=x", "SVC.Core.Group/1/get?_sid=<SESSION_ID>&passwd=<PASSWORD>"},
      {"GET /webapi/entry.cgi?id=7", "GET /webapi/entry.cgi?id=<SECRET>"},
      {"a/b/c?id=7", "a/b/c?id=<SECRET>"},
  };
  for (const auto& [text, expected] : rows) CHECK(scrubber.scrub_text(text) == expected);
}
