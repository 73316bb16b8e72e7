// Journal entries, and what the control API reports about sequences and sessions.
#include "journal/journal.h"

#include <catch2/catch.hpp>

#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using journal::Journal;
using journal::JournalEntry;
using journal::JournalLine;

struct Asking {
  explicit Asking(ReplayOptions options = {}) {
    options.journal = &journal;
    handler = std::make_unique<ReplayHandler>(std::move(options), 1);
  }
  [[nodiscard]] JournalEntry last() const { return *journal.entries(journal.total(), 1).at(0); }

  Journal journal{{10'000, "", 64u << 20}};
  std::unique_ptr<ReplayHandler> handler;
};

/// Returns everything that is kept of a request besides its entry.
std::string kept_text(const Journal& journal, std::uint64_t number) {
  const auto kept = journal.kept(number);
  REQUIRE(kept != nullptr);
  return kept->path + "\n" + kept->left_out + "\n" + kept->headers + kept->body + kept->response_headers.text +
         kept->response_body.text;
}

}  // namespace

TEST_CASE("journal: each response has an entry before it is sent") {
  const auto cassette = testing::cassette_with({
      testing::login("ann", "0123456789abcdefSessionOne"),
      testing::record("SVC.Core.Share/1/list?limit=5", R"({"data":{"n":1},"success":true})",
                      "0123456789abcdefSessionOne"),
      testing::record("SVC.Core.Share/1/list?limit=5", R"({"data":{"n":2},"success":true})",
                      "0123456789abcdefSessionOne"),
      testing::record("SVC.Core.Share/1/get?name=a", testing::error(402), "0123456789abcdefSessionOne"),
  });
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  options.ignore_params = {"limit"};
  Asking asking(options);

  const std::string id =
      string_in(call(*asking.handler, "SVC.API.Auth/6/login?account=bob&passwd=made-up&format=sid").body, "sid");
  CHECK(asking.last().outcome == "recorded");
  CHECK(asking.last().session == "session 1");
  CHECK(asking.last().method == "login");

  const auto list = [&](const std::string& query, http::Headers headers = {}) {
    (void)call(*asking.handler, "SVC.Core.Share/1/list?" + query + "&_sid=" + id, std::move(headers));
    return asking.last();
  };
  JournalEntry line = list("limit=5");
  CHECK(line.outcome == "recorded");
  CHECK(line.session == "session 1");
  CHECK(line.key == "SVC.Core.Share/1/list?limit=5");
  CHECK(line.position == 0u);
  CHECK(line.of == 2u);
  CHECK(line.recording.size() == 16);
  CHECK(line.status == 200);
  CHECK(line.code == 0);
  CHECK(list("limit=5").position == 1u);
  line = list("limit=9");
  CHECK(line.match == "ignored=limit");
  CHECK(line.outcome == "recorded");

  http::Headers named;
  named.add("X-Tapedeck-Scope", "worker 7#2");
  CHECK(list("limit=5", named).scope == "worker 7#2");
  CHECK(asking.last().session == "session 2");
  http::Headers leaky;
  leaky.add("X-Tapedeck-Scope", "the id is " + id);
  CHECK(list("limit=5", leaky).scope == "the id is <SESSION_ID>");

  (void)call(*asking.handler, "SVC.Core.Share/1/get?name=a&_sid=" + id);
  CHECK(asking.last().code == 402);
  (void)call(*asking.handler, "SVC.Core.Share/1/get?name=b&_sid=" + id);
  CHECK(asking.last().outcome == "miss");
  CHECK(asking.last().code == 100);
  CHECK(asking.last().reason == "`name` differs");
  (void)call(*asking.handler, "SVC.Core.Network/1/get");
  CHECK(asking.last().outcome == "fallback");
  CHECK(asking.last().session == "no session");
  (void)get(*asking.handler, "/nothing/here");
  CHECK(asking.last().outcome == "miss");
  CHECK(asking.last().status == 404);
  CHECK(asking.last().key == "GET /nothing/here");
}

TEST_CASE("journal: contains no password or session ID of a client") {
  const std::string secret = "Tr0ub4dor-made-up";
  const std::string id = "adopted-session-id-0123456789";
  const std::string rows[] = {
      "api=SVC.API.Auth&version=6&method=login&account=" + secret + "&passwd=" + secret,
      "api=SVC.API.Auth&version=6&method=login&account=x&passwd=y&otp_code=" + secret,
      "api=SVC.Core.SNMP&version=1&method=set&rocommunity=" + secret,
      "api=SVC.Core.SNMP&version=1&method=set&rocommunity=" + secret + "&note=so+" + secret + "+it+is",
      "api=SVC.Core.User&version=1&method=create&Password=" + secret,
      "api=SVC.Core.Certificate&version=1&method=import&key=" + secret,
      "api=SVC.Core.Notify&version=1&method=set&profile=%7B%22passwd%22%3A%22" + secret + "%22%7D",
      "api=SVC.Core.Notify&version=1&method=set&profile=%5B%22%7B%5C%22passwd%5C%22%3A%5C%22" + secret +
          "%5C%22%7D%22%5D",
      "api=SVC.Core.Notify&version=1&method=set&url=https%3A%2F%2Fuser%3A" + secret + "%40nas.example%2F",
      "api=SVC.Core.Notify&version=1&method=set&url=%2Fx%3F_sid%3D" + secret,
      "api=SVC.Entry.Request&version=1&method=request&compound=%5B%7B%22api%22%3A%22SVC.Core.User%22%2C%22method%22%3A%"
      "22"
      "set%22%2C%22version%22%3A1%2C%22password%22%3A%22" +
          secret + "%22%7D%5D",
      "api=SVC.Core.Share&version=1&method=list&_sid=" + secret + "&also=" + secret,
  };
  Asking asking;
  for (const std::string& form : rows) {
    (void)post(*asking.handler, "/webapi/entry.cgi", form);
    (void)get(*asking.handler, "/webapi/entry.cgi?" + form);
    (void)post(*asking.handler, "/elsewhere", form);
    (void)get(*asking.handler, "/elsewhere?" + form);
  }
  http::Headers headers;
  headers.add("Cookie", "id=" + id);
  headers.add("X-Tapedeck-Scope", id);
  (void)call(*asking.handler, "SVC.Core.Share/1/list?about=" + id, headers);
  CHECK(asking.journal.total() == 4 * std::size(rows) + 1 + 2);  // two parts of compounds
  for (const JournalLine& line : asking.journal.entries(1, 1'000)) {
    INFO(journal::to_json(*line));
    CHECK(journal::to_json(*line).find(secret) == std::string::npos);
    CHECK(journal::to_json(*line).find(id) == std::string::npos);
    const std::string kept = kept_text(asking.journal, line->number);
    INFO(kept);
    CHECK(kept.find(secret) == std::string::npos);
    CHECK(kept.find(id) == std::string::npos);
  }
}

TEST_CASE("journal: a kept request shows its content and names what was left out") {
  Asking asking;
  http::Headers headers;
  headers.add("Accept", "application/json");
  headers.add("Cookie", "id=somebody-else");
  headers.add("X-Unknown", "made-up");
  (void)get(*asking.handler, "/webapi/entry.cgi?api=SVC.Core.Network&version=1&method=get&_sid=abc&_dc=1&a=1", headers);
  const auto kept = asking.journal.kept(1);
  REQUIRE(kept != nullptr);
  CHECK(kept->path == "/webapi/entry.cgi");
  CHECK(kept->left_out == "_sid, _dc");
  CHECK(kept->headers == "Accept: application/json\r\nCookie: <COOKIE>\r\n");
  CHECK_FALSE(kept->cassette);
  CHECK(kept->response_body.text.find("\"success\"") != std::string::npos);
  CHECK(kept->body_bytes == kept->response_body.text.size());

  const std::string sid = log_in(*asking.handler, "ann-of-the-test");
  const auto login = asking.journal.kept(2);
  REQUIRE(login != nullptr);
  REQUIRE(login->response_body.marks.size() == 2);
  CHECK(login->response_body.text.find(sid) == std::string::npos);
  CHECK(login->response_body.text.find("ann-of-the-test") == std::string::npos);
  for (const journal::MarkedText::Mark& mark : login->response_body.marks) {
    const std::string label = "<" + std::string(to_string(mark.secret_class)) + ">";
    CHECK(login->response_body.text.substr(mark.offset, mark.length) == label);
  }
  CHECK(asking.last().duration_us.value_or(-1) >= 0);
}

TEST_CASE("journal: applies added scrub rules and not disabled ones") {
  ReplayOptions options;
  scrubbers::ScrubRule rule;
  rule.id = "param-locker";
  rule.scope = scrubbers::Scope::parameter;
  rule.match = "locker_code";
  options.rules.add(std::move(rule));
  options.rules.disable("param-rocommunity");
  Asking asking(std::move(options));
  (void)call(*asking.handler, "SVC.Core.Share/1/list?locker_code=4711-made-up&limit=3");
  CHECK(asking.last().key == "SVC.Core.Share/1/list?limit=3&locker_code=<SECRET>");
  (void)call(*asking.handler, "SVC.Core.SNMP/1/set?rocommunity=readable");
  CHECK(asking.last().key == "SVC.Core.SNMP/1/set?rocommunity=readable");
}

TEST_CASE("journal: values that are not secret stay readable") {
  Asking asking;
  const char* const keys[] = {"SVC.Core.Share/1/list?key=5&limit=3", "SVC.Core.Share/1/list?account=ann",
                              "SVC.Core.User/1/get?additional=[\"email\"]",
                              "SVC.Core.Share/1/list?about=the%20password%20form"};
  for (const std::string key : keys) {
    (void)call(*asking.handler, key);
    CHECK(asking.last().key == key);
  }
  (void)post(*asking.handler, "/elsewhere?a=1", "b=2");
  CHECK(asking.last().key == "POST /elsewhere?a=1 #body");
}

TEST_CASE("journal: cuts a long key") {
  Asking asking;
  (void)post(*asking.handler, "/webapi/entry.cgi",
             "api=SVC.Core.Share&version=1&method=list&x=" + std::string(100'000, 'x'));
  CHECK(asking.last().key.size() < 2'100);
}

TEST_CASE("usage: reports sequences that were never or only partly replayed") {
  const std::string id = "0123456789abcdefSessionOne";
  const auto cassette = testing::cassette_with({
      testing::record("SVC.Core.A/1/get", testing::ok, id),
      testing::record("SVC.Core.B/1/get", R"({"data":1,"success":true})", id),
      testing::record("SVC.Core.B/1/get", R"({"data":2,"success":true})", id),
      testing::record("SVC.Core.C/1/get", testing::ok, id),
      testing::record("SVC.Core.D/1/get", testing::ok, id).broken("cut"),
  });
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  Asking asking(options);
  const auto uses = [&asking] {
    std::string text;
    asking.handler->each_use([&text](const SequenceUse& use) {
      text += use.key + " " + std::to_string(use.played) + "/" + std::to_string(use.recordings) +
              (use.finished ? " finished\n" : "\n");
      return true;
    });
    return text;
  };
  CHECK(uses() == "SVC.Core.A/1/get 0/1\nSVC.Core.B/1/get 0/2\nSVC.Core.C/1/get 0/1\n");
  (void)call(*asking.handler, "SVC.Core.A/1/get?_sid=some-id-of-a-client");
  (void)call(*asking.handler, "SVC.Core.B/1/get?_sid=some-id-of-a-client");
  CHECK(uses() == "SVC.Core.A/1/get 1/1 finished\nSVC.Core.B/1/get 1/2\nSVC.Core.C/1/get 0/1\n");
  (void)call(*asking.handler, "SVC.Core.B/1/get?_sid=some-id-of-a-client");
  (void)call(*asking.handler, "SVC.Core.B/1/get?_sid=some-id-of-a-client");
  CHECK(uses() == "SVC.Core.A/1/get 1/1 finished\nSVC.Core.B/1/get 2/2 finished\nSVC.Core.C/1/get 0/1\n");
}

TEST_CASE("sessions: reset and drop restore the initial state") {
  const std::string id = "0123456789abcdefSessionOne";
  const auto cassette = testing::cassette_with({
      testing::record("SVC.Core.B/1/get", R"({"data":1,"success":true})", id),
      testing::record("SVC.Core.B/1/get", R"({"data":2,"success":true})", id),
  });
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  Asking asking(options);
  const auto ask_as = [&](const std::string& sid) {
    return call(*asking.handler, "SVC.Core.B/1/get?_sid=" + sid).body.substr(8, 1);
  };
  Scopes& sessions = asking.handler->scopes();
  const std::string one = log_in(*asking.handler, "ann");
  CHECK(ask_as(one) == "1");
  CHECK(ask_as("another-client-id") == "1");
  CHECK(ask_as(one) == "2");
  CHECK(sessions.reset("session 1"));
  CHECK_FALSE(sessions.reset("session 99"));
  CHECK_FALSE(sessions.reset("session 1x"));
  CHECK(ask_as(one) == "1");
  CHECK(ask_as("another-client-id") == "2");
  sessions.reset();
  CHECK(ask_as(one) == "1");
  CHECK(ask_as("another-client-id") == "1");
  REQUIRE(sessions.all().size() == 2);
  CHECK(sessions.drop("session 2"));
  CHECK(sessions.all().size() == 1);
  CHECK_FALSE(sessions.drop("session 2"));
  sessions.drop();
  CHECK(sessions.all().empty());
  CHECK(log_in(*asking.handler, "ann") == one);
}

}  // namespace tapedeck::replay
