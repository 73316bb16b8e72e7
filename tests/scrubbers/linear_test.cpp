// Tests that the time of a scrub grows with the size of a message, and not with its square.

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/scrubbers/fixtures.h"
#include "tests/support/growth.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

double seconds_for(const api::Interaction& interaction) {
  Scrubber scrubber({});
  for (const char* const password : {"zx9k", "1000", "Sommer/Winter2024", "list"}) {
    static_cast<void>(scrubber.scrub(get(login_path + "&account=ann&passwd=" + password)));
  }
  return tests::seconds_of([&] {
    const ScrubbedInteraction once = scrubber.scrub(interaction);
    static_cast<void>(scrubber.rescrub(once.record()));
  });
}

}  // namespace

TEST_CASE("linear: four times as much takes about four times as long, whatever a message repeats") {
  const std::string call = "/webapi/entry.cgi?api=SYNO.Core.Planted&version=1&method=get";
  const auto form = [call](std::string body) {
    return post(call, "application/x-www-form-urlencoded", std::move(body));
  };
  const auto plain = [call](std::string body) {
    api::Interaction made = get(call, std::move(body));
    made.response.headers.set("Content-Type", "text/plain");
    return made;
  };
  const auto json = [call](const std::string& list) { return get(call, "{\"a\":[" + list + "0]}"); };
  struct Row {
    std::string name;
    std::function<api::Interaction(std::size_t count)> make;
  };
  const auto token = [](std::size_t i) { return make_of_shape("20:alnum", std::to_string(i)); };
  const auto text = [](std::string one) { return [one](std::size_t) { return one; }; };
  const std::vector<Row> rows{
      {"tokens of a form",
       [=](std::size_t n) { return form(tests::repeated(n, [=](auto i) { return "token=" + token(i) + "&"; })); }},
      {"tokens of an answer",
       [=](std::size_t n) {
         return json(tests::repeated(n, [=](auto i) { return "{\"token\":\"" + token(i) + "\"},"; }));
       }},
      {"tokens of both",
       [=](std::size_t n) {
         api::Interaction made = form(tests::repeated(n, [=](auto i) { return "token=" + token(i) + "&"; }));
         made.response.body =
             "[" + tests::repeated(n, [=](auto i) { return "{\"token\":\"" + token(i) + "\"},"; }) + "0]";
         return made;
       }},
      {"members of a key",
       [=](std::size_t n) { return get(call, "{" + tests::repeated(n, text("\"d\":1,")) + "\"d\":1}"); }},
      {"keys in keys", [=](std::size_t n) { return get(call, tests::repeated(n, text("{\"d\":"))); }},
      {"pairs without an end", [=](std::size_t n) { return plain(tests::repeated(n, text("token='"))); }},
      {"code without an end", [=](std::size_t n) { return plain(tests::repeated(n, text("x password=")) + "a("); }},
      {"URLs without an end", [=](std::size_t n) { return plain(tests::repeated(n, text("a://b:"))); }},
      {"keys without an end",
       [=](std::size_t n) { return plain(tests::repeated(n, text("BEGIN PRIVATE KEY-----\n"))); }},
      {"open tags", [=](std::size_t n) { return plain("</a>" + tests::repeated(n, text("<a x=\""))); }},
      {"brackets in a string", [=](std::size_t n) { return json("\"x " + tests::repeated(n, text("{'a")) + "\","); }},
      {"percent signs", [=](std::size_t n) { return plain(tests::repeated(n, text("%25%"))); }},
      {"colons", [=](std::size_t n) { return plain(tests::repeated(n, text("password: \""))); }},
      {"passwords in one word", [=](std::size_t n) { return plain(tests::repeated(n, text("zx9k-"))); }},
      {"passwords in one parameter", [=](std::size_t n) { return form("a=" + tests::repeated(n, text("1000+"))); }},
      {"passwords in one string",
       [=](std::size_t n) { return json("\"" + tests::repeated(n, text("Sommer/Winter2024\\n")) + "\","); }},
      {"passwords as names", [=](std::size_t n) { return get(call, tests::repeated(n, text("{\"list\":\"list\","))); }},
      {"passwords in tags",
       [=](std::size_t n) { return plain("<a>" + tests::repeated(n, text("<b x=\"zx9k\">list</b>")) + "</a>"); }},
      {"commands", [=](std::size_t n) { return plain(tests::repeated(n, text("mysql -h x -p"))); }},
  };
  constexpr std::size_t count = 2000;
  constexpr double most = 8;  // 16 if time grows with the square
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(tests::growth(count, most, [&](std::size_t size) { return seconds_for(row.make(size)); }) < most);
  }
}
