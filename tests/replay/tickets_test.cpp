// Tickets: values that a response hands out and that later requests carry as their only permission (docs/secrets.md,
// "Tickets").
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::login;
using testing::record;
using testing::record_target;
using testing::Recorded;

const std::string one = "Tk7Qm2xVb9Ls4RzW", two = "Hn3Yc8pKf5Wd1GtE";

bool is_stored(const testing::TestCassette& cassette, const std::string& value) {
  std::ifstream file(cassette.path(), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str().find(value) != std::string::npos;
}

std::string answer_with(const std::string& member, const std::string& value) {
  return R"({"data":{")" + member + R"(":")" + value + R"("},"success":true})";
}

std::string file_in(const http::Response& response) { return string_in(response.body, "file"); }

std::string with_file(const std::string& name) { return R"({"file":")" + name + R"("})"; }

TEST_CASE("tickets: a value that a later request without a session carries is replaced and exchanged") {
  struct Row {
    std::string call, member;
    std::string before;  ///< the handed-out value is a URL that begins with this
    std::string target;  ///< the later request, in front of the ticket
  };
  const std::vector<Row> rows = {
      {"SYNO.API.Auth.Key/7/grant", "tid", "", "/ns/dv/3/a.png?tid="},
      {"SYNO.App.File/1/open", "tid", "", "/webapi/entry.cgi?api=SYNO.App.File&version=1&method=download&tid="},
      {"SYNO.App.File/1/open", "download_ticket", "", "/fetch?t="},
      {"SYNO.App.File/1/open", "dlToken", "", "/fetch?t="},
      {"SYNO.App.File/1/open", "key", "", "/fetch?key="},
      {"SYNO.App.File/1/open", "dlink", "", "/fbdownload/a.txt?dlink="},
      {"SYNO.App.File/1/open", "link", "/once/", "/once/"},
      {"SYNO.App.File/1/open", "url", "https://nas.example/get?x=1&k=", "/get?x=1&k="},
  };
  for (const Row& row : rows) {
    CAPTURE(row.call, row.member, row.target);
    const auto grant = [&](const std::string& path, const std::string& ticket) {
      return record(row.call + "?path=" + path, answer_with(row.member, row.before + ticket), sid_a);
    };
    const auto cassette =
        cassette_with({login("ann", sid_a), grant("a", one), record_target("GET", row.target + one, with_file("a")),
                       grant("b", two), record_target("GET", row.target + two, with_file("b"))});
    CHECK_FALSE(is_stored(cassette, one));
    CHECK_FALSE(is_stored(cassette, two));
    for (const bool second_alone : {false, true}) {
      CAPTURE(second_alone);
      ReplayOptions options = playing(cassette);
      options.auth = Auth::strict;
      ReplayHandler handler(options, 1);
      const std::string id = log_in(handler, "ann");
      const auto fetch = [&](const std::string& path) {
        const auto given = call(handler, row.call + "?path=" + path + "&_sid=" + id);
        const std::string ticket = string_in(given.body, row.member);
        CHECK(ticket.size() > row.before.size());
        return file_in(get(handler, row.target + ticket.substr(row.before.size())));
      };
      if (!second_alone) CHECK(fetch("a") == "a");
      CHECK(fetch("b") == "b");
    }
  }
}

TEST_CASE("tickets: a ticket that the table knows is replaced though no request carries it") {
  const auto cassette =
      cassette_with({login("ann", sid_a), record("SYNO.API.Auth.Key/7/grant", answer_with("tid", one), sid_a)});
  CHECK_FALSE(is_stored(cassette, one));
}

TEST_CASE("tickets: task IDs, and values that requests of a session carry, stay") {
  struct Row {
    std::string reason, member;
    Recorded later;
  };
  const auto task = [](std::string_view sid, const std::string& answer) {
    return record("SYNO.App.Task/1/status?t=" + one, answer, sid);
  };
  const std::vector<Row> rows = {
      {"a task's ID", "taskid", record_target("GET", "/status?t=" + one, data("x"))},
      {"an ID", "id", record_target("GET", "/status?t=" + one, data("x"))},
      {"a key that a session carries", "key", task(sid_a, data("x"))},
      {"a key that a session's cookie carries", "key",
       task("", data("x")).with_request_header("Cookie", "id=" + std::string(sid_a))},
      {"a key with which the device refuses", "key", task("", testing::error(105))},
      {"a key that the server does not know", "key",
       record_target("GET", "/get?k=" + one, "").with_status(404, "Not Found")},
      {"a part of a value", "key", record_target("GET", "/get?k=x-" + one, data("x"))},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reason);
    const auto cassette = cassette_with(
        {login("ann", sid_a), record("SYNO.App.Task/1/list", answer_with(row.member, one), sid_a), row.later});
    CHECK(is_stored(cassette, one));
  }
}

}  // namespace
}  // namespace tapedeck::replay
