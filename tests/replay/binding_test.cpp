// Values that the client generates anew in each run (--bind).

#include <catch2/catch.hpp>

#include "replay/match_rules.h"
#include "replay/sessions/bound_values.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;
using testing::record_target;
using testing::Recorded;

std::string volume(std::string_view name, std::string_view more = "") {
  return R"({"data":{"name":")" + std::string(name) + R"(","path":"/volume1/)" + std::string(name) + R"(/x")" +
         std::string(more) + R"(},"success":true})";
}

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ",\"") + name + "\"";
  return R"({"data":{"names":[)" + list + R"(]},"success":true})";
}

/// Creates, lists, gets (by path and inside JSON text), and deletes three volumes. Returns the responses.
std::vector<std::string> drive(const std::function<std::string(const std::string& verb, const std::string& target)>& ask,
                               const std::vector<std::string>& names) {
  std::vector<std::string> told;
  const std::string call = "/webapi/entry.cgi?api=SVC.Core.Volume&version=1&method=";
  for (const std::string& name : names) told.push_back(ask("GET", call + "create&name=" + name + "&size=1"));
  told.push_back(ask("GET", call + "list"));
  for (const std::string& name : names) {
    told.push_back(ask("GET", "/volumes/" + name + "/info"));
    told.push_back(ask("GET", call + "get&filter=" + http::percent_encode("{\"of\":[\"" + name + "\"]}")));
  }
  for (const std::string& name : names) told.push_back(ask("GET", call + "delete&name=" + name));
  told.push_back(ask("GET", call + "list"));
  return told;
}

testing::TestCassette recorded_drive(const std::vector<std::string>& names) {
  std::vector<Recorded> rows;
  std::vector<std::string> there;
  (void)drive(
      [&](const std::string& verb, const std::string& target) {
        std::string name;
        for (const std::string& one : names) {
          if (target.find(one) != std::string::npos) name = one;
        }
        if (target.find("create") != std::string::npos) there.push_back(name);
        if (target.find("delete") != std::string::npos) std::erase(there, name);
        rows.push_back(record_target(verb, target, name.empty() ? listed(there) : volume(name)));
        return std::string();
      },
      names);
  return cassette_with(std::move(rows));
}

std::string with_names(std::string text, const std::vector<std::string>& from, const std::vector<std::string>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) base::replace_all(text, from[i], to[i]);
  return text;
}

ReplayOptions binding(const testing::TestCassette& cassette) {
  ReplayOptions options = playing(cassette);
  options.bind_params = {"name"};
  return options;
}

}  // namespace

TEST_CASE("binding: a client with new names gets the same responses except for the names") {
  const std::vector<std::string> names = {"pvc-6f2ac1d9", "pvc-0b7e44aa", "pvc-93d1f05c"};
  const auto cassette = recorded_drive(names);
  std::vector<std::string> first;
  for (int run = 0; run < 20; ++run) {
    std::vector<std::string> drawn;
    for (int i = 0; i < 3; ++i) drawn.push_back("pvc-" + std::to_string(51234567 + run * 7919 + i * 104729));
    ReplayHandler handler(binding(cassette), 1);
    const auto told = drive(
        [&](const std::string& verb, const std::string& target) {
          const http::Response response = ask(handler, {verb, target, 1, {}, {}});
          CAPTURE(target);
          CHECK(outcome(response) == "recorded");
          return response.body;
        },
        drawn);
    std::vector<std::string> undone;
    for (const std::string& text : told) undone.push_back(with_names(text, drawn, names));
    if (run == 0) first = undone;
    CHECK(undone == first);
    CHECK(told.at(0) == volume(drawn[0]));
    CHECK(told.at(3) == listed(drawn));
  }
}

TEST_CASE("binding: ties a name only at the first occurrence of the recorded one") {
  const std::string create = "SVC.Core.Volume/1/create?name=", fetch = "SVC.Core.Volume/1/get?name=";
  const auto cassette = cassette_with({record(create + "pvc-6f2ac1d9", volume("pvc-6f2ac1d9")),
                                       record(fetch + "pvc-6f2ac1d9", volume("pvc-6f2ac1d9", R"(,"n":1)"))});
  ReplayHandler handler(binding(cassette), 1);
  CHECK(outcome(call(handler, fetch + "pvc-11112222")) == "miss");
  const http::Response created = call(handler, create + "pvc-33334444");
  CHECK(created.body == volume("pvc-33334444"));
  CHECK(created.headers.first("X-Tapedeck-Match") == "bound=name");
  CHECK(call(handler, fetch + "pvc-33334444").body == volume("pvc-33334444", R"(,"n":1)"));
  CHECK(outcome(call(handler, fetch + "pvc-11112222")) == "miss");
  // An exact value takes precedence.
  CHECK(call(handler, fetch + "pvc-6f2ac1d9").headers.first("X-Tapedeck-Match").value_or("") == "");
  const http::Response late = call(handler, create + "pvc-55556666");
  CHECK(outcome(late) == "miss");
  CHECK(late.headers.first("X-Tapedeck-Miss").value_or("").find("bound to another value") != std::string::npos);
  // Another run of a scope starts without ties.
  CHECK(call(handler, create + "pvc-77778888", {{"X-Tapedeck-Scope", "a"}}).body == volume("pvc-77778888"));
  CHECK(call(handler, create + "pvc-77779999", {{"X-Tapedeck-Scope", "a#2"}}).body == volume("pvc-77779999"));
}

TEST_CASE("binding: replaces values only in JSON strings and only as whole words") {
  const std::vector<Tie> ties = {tie_of(1, "name", "pvc-6f2ac1d9", "pvc-11112222"),
                                 tie_of(1, "name", "pvc-11112222", "pvc-6f2ac1d9"), tie_of(1, "n", "7", "8")};
  struct Row {
    std::string_view recorded, live;
  };
  const Row rows[] = {
      {R"({"a":"pvc-6f2ac1d9","b":["x/pvc-6f2ac1d9/y","pvc-11112222"]})",
       R"({"a":"pvc-11112222","b":["x/pvc-11112222/y","pvc-6f2ac1d9"]})"},
      {R"({"pvc-6f2ac1d9":1,"pvc-6f2ac1d9" : "pvc-6f2ac1d9"})", R"({"pvc-6f2ac1d9":1,"pvc-6f2ac1d9" : "pvc-11112222"})"},
      {R"(["xpvc-6f2ac1d9","pvc-6f2ac1d90","pvc-6f2ac1d9-1","a\npvc-6f2ac1d9"])",
       R"(["xpvc-6f2ac1d9","pvc-6f2ac1d90","pvc-11112222-1","a\npvc-11112222"])"},
      {R"({"text":"{\"name\":\"pvc-6f2ac1d9\"}"})", R"({"text":"{\"name\":\"pvc-11112222\"}"})"},
      {R"({"n":7,"s":"7"})", ""},
      {"pvc-6f2ac1d9", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.recorded);
    CHECK(live_text(row.recorded, ties).value_or("") == row.live);
  }
}

TEST_CASE("binding: placeholders in a key stay beside bound values") {
  const std::string recorded = "k7RvQ2mZ9xTb", live = "p3LwN8yK2dGh";
  const std::vector<Tie> ties = {tie_of(1, "name", recorded, live)};
  REQUIRE(ties.front().is_searched);
  for (const std::string key : {"SVC.X/1/get?name=p3LwN8yK2dGh&path=<SESSION_ID:1>/p3LwN8yK2dGh",
                                "SVC.X/1/get?path=p3LwN8yK2dGh/<SESSION_ID:1>/x", "GET /a/<SESSION_ID:1>/p3LwN8yK2dGh/x"}) {
    INFO(key);
    const auto bound = recorded_key(api::RequestKey::parse(key), ties);
    REQUIRE(bound);
    CHECK(bound->key.text == with_names(key, {live}, {recorded}));
  }
}

TEST_CASE("binding: a parameter that a scrub rule names cannot be bound") {
  const auto secret = [](const std::vector<std::string>& names) {
    ReplayOptions options;
    options.bind_params = names;
    return secret_bind(options.rules, looseness_of(options).rules);
  };
  CHECK_FALSE(secret({"name"}));
  CHECK(secret({"name", "passwd"}) == "passwd");
  CHECK(secret({"API.Auth:device_id"}) == "device_id");
}

TEST_CASE("binding: a miss suggests --bind for a value that occurs again") {
  const std::string create = "SVC.Core.Volume/1/create?name=", fetch = "SVC.Core.Volume/1/get?name=";
  const auto cassette = cassette_with({record(create + "pvc-6f2ac1d9", testing::ok),
                                       record(fetch + "pvc-6f2ac1d9", volume("pvc-6f2ac1d9"))});
  ReplayHandler handler(playing(cassette), 1);
  const std::string miss = call(handler, create + "pvc-11112222").body;
  INFO(miss);
  CHECK(miss.find("replay with --bind name") != std::string::npos);
}

}  // namespace tapedeck::replay
