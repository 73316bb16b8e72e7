// POST forms whose text a thread has seen before must keep their meaning.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/asking.h"
#include "tests/replay/recorded_values.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::login;
using testing::record;
using testing::record_target;

const std::string recorded_id = "AAAA-recorded-session-one-0123456789";
const std::string path = "/webapi/entry.cgi", list = "api=SVC.Core.Share&version=1&method=list";

int code_in(const http::Response& response) {
  return nlohmann::json::parse(response.body).at("error").at("code").get<int>();
}

constexpr int often = 4;  // the first request notes the text, and the second one remembers it

TEST_CASE("forms: a remembered form gets each session its own ID") {
  const auto cassette = cassette_with(
      {login("ann", recorded_id), record("SVC.Core.Share/1/list?limit=10", data("/d?_sid=" + recorded_id), recorded_id),
       record("SVC.Core.Share/1/list?limit=20", data("twenty"), recorded_id)});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler handler(options, 1);
  const std::string ann = log_in(handler, "ann"), bob = log_in(handler, "bob");
  for (int i = 0; i < often; ++i) {
    CHECK(post(handler, path, list + "&limit=10&_sid=" + ann).body == data("/d?_sid=" + ann));
    CHECK(post(handler, path, list + "&_sid=" + bob + "&limit=10").body == data("/d?_sid=" + bob));
    CHECK(post(handler, path, list + "&limit=20&_sid=" + ann).body == data("twenty"));
    // The value in the body counts, whatever the query contains.
    CHECK(post(handler, path + "?limit=20", list + "&limit=10&_sid=" + ann).body == data("/d?_sid=" + ann));
    CHECK(post(handler, path + "?limit=20", list + "&_sid=" + ann).body == data("twenty"));
    CHECK(get(handler, path + "?" + list + "&limit=20&_sid=" + bob).body == data("twenty"));
  }
  // A form of an ended session is refused even if its text is remembered.
  CHECK(outcome(post(handler, path, "api=SVC.API.Auth&version=6&method=logout&_sid=" + ann)) == "builtin");
  CHECK(post(handler, path, list + "&limit=10&_sid=" + ann).body == R"({"error":{"code":119},"success":false})");
  CHECK(post(handler, path, list + "&limit=10&_sid=" + bob).body == data("/d?_sid=" + bob));
}

TEST_CASE("forms: a form is recognized without its type, and another body is not") {
  const auto cassette = cassette_with({record("SVC.Core.Share/1/list", data("shares"))});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler handler(options, 1);
  for (int i = 0; i < often; ++i) {
    CHECK(outcome(post(handler, path, list)) == "recorded");
    http::Request plain{"POST", path, 11, {{"Content-Type", "text/plain"}}, list};
    CHECK(outcome(ask(handler, plain)) == "recorded");
    plain.body += "&no form";
    CHECK(code_in(ask(handler, plain)) == 101);
  }
}

TEST_CASE("forms: forms with different values differ outside of the API, too") {
  const auto cassette = cassette_with({record_target("POST", "/app/save", "one").with_form("name=a"),
                                       record_target("POST", "/app/save", "two").with_form("name=b")});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler handler(options, 1);
  for (int i = 0; i < often; ++i) {
    CHECK(post(handler, "/app/save", "name=a").body == "one");
    CHECK(post(handler, "/app/save", "name=b").body == "two");
  }
}

}  // namespace
}  // namespace tapedeck::replay
