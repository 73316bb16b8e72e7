// Tests that the time to read a request and to make its key grows with its size, and not with its square.

#include <catch2/catch.hpp>

#include "api/write_guard.h"
#include "tests/api/requests.h"
#include "tests/support/growth.h"

namespace tapedeck::api {
namespace {

/// A request with a hole over each `S`.
struct Holed {
  http::Request request;
  std::vector<Hole> holes;
};

Holed with_holes(http::Request request) {
  Holed made{std::move(request), {}};
  const auto add = [&made](RequestPart part, const std::string& text) {
    for (std::size_t at = text.find('S'); at != std::string::npos; at = text.find('S', at + 1)) {
      made.holes.push_back({part, {at, 1}, "TOKEN:" + std::to_string(made.holes.size() % 1000)});
    }
  };
  add(RequestPart::target, made.request.target);
  add(RequestPart::body, made.request.body);
  return made;
}

}  // namespace

TEST_CASE("linear: four times as many parameters and holes take about four times as long") {
  const std::string call = "/webapi/entry.cgi?api=x.y&version=1&method=get";
  const auto number = [](std::size_t i) { return std::to_string(i); };
  const auto json = [call](std::string body) {
    return http::Request{"POST", call, 1, http::Headers{{"Content-Type", "application/json"}}, std::move(body)};
  };
  struct Row {
    std::string name;
    std::function<http::Request(std::size_t)> make;
  };
  const std::vector<Row> rows{
      {"a form with holes",
       [=](std::size_t n) {
         return post_form(call, tests::repeated(n, [=](auto i) { return "p" + number(i) + "=S&"; }));
       }},
      {"one value with holes",
       [=](std::size_t n) { return post_form(call, "p=" + tests::repeated(n, [](auto) { return "%20S,"; })); }},
      {"a query with holes",
       [=](std::size_t n) { return get(call + tests::repeated(n, [=](auto i) { return "&p" + number(i) + "=S"; })); }},
      {"a path with holes", [=](std::size_t n) { return get("/x/" + tests::repeated(n, [](auto) { return "S/"; })); }},
      {"equal names in query and form",
       [=](std::size_t n) {
         const auto pair = [=](auto i) { return "&p" + number(i) + "=1"; };
         return post_form(call + tests::repeated(n, pair), tests::repeated(n, pair));
       }},
      {"members with holes",
       [=](std::size_t n) {
         return json("{" + tests::repeated(n, [=](auto i) { return "\"p" + number(i) + "\":\"S\","; }) + "\"a\":1}");
       }},
      {"members of one name",
       [=](std::size_t n) { return json("{" + tests::repeated(n, [](auto) { return "\"d\":1,"; }) + "\"d\":1}"); }},
      {"parts of a compound",
       [=](std::size_t n) {
         const std::string part = R"({"api":"x.y","version":1,"method":"get","a":"S"},)";
         return post_form("/webapi/entry.cgi",
                          "api=SYNO.Entry.Request&version=1&method=request&compound=" +
                              http::percent_encode("[" + tests::repeated(n, [&](auto) { return part; }) +
                                                   part.substr(0, part.size() - 1) + "]"));
       }},
      {"fields of a multipart body",
       [=](std::size_t n) {
         http::Request made = post_multipart(call, "XX", "S");
         made.body.insert(0, tests::repeated(n, [=](auto i) {
                            return "--XX\r\nContent-Disposition: form-data; name=\"p" + number(i) + "\"\r\n\r\nS\r\n";
                          }));
         return made;
       }},
  };
  constexpr double most = 8;            // 16 if time grows with the square
  constexpr std::size_t count = 12000;  // long enough that both sizes get fresh pages from the system
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto seconds = [&](std::size_t size) {
      const Holed made = with_holes(row.make(size));
      return tests::seconds_of([&] {
        const auto read = Call::from(made.request, {}, made.holes);
        const RequestKey key = KeyPolicy::current().key(made.request, {}, made.holes);
        static_cast<void>(part_keys(key, KeyPolicy::current()));
        static_cast<void>(WriteGuard::effect(made.request, read, {}));
      });
    };
    CHECK(tests::growth(count, most, seconds) < most);
  }
}

}  // namespace tapedeck::api
