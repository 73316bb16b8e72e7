// Owners and limits of effects, and which calls they never change.

#include <catch2/catch.hpp>

#include "replay/effects/effect.h"
#include "replay/overlays/overlay_store.h"
#include "tests/replay/effect_server.h"

namespace tapedeck::replay {
namespace {

using testing::ok;
using testing::record;
using testing::Recorded;

TEST_CASE("effects: belong to the run, or else the account, or else the session ID") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response)});
  const auto is_changed = [&](const std::string& sid, http::Headers headers = {}) {
    return outcome(server.ask("SVC.Core.Terminal/1/get" + (sid.empty() ? "" : "?_sid=" + sid), std::move(headers))) ==
           "derived";
  };
  const std::string ann = log_in(*server.handler, "ann"), again = log_in(*server.handler, "ann");
  const std::string bob = log_in(*server.handler, "bob");
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&_sid=" + ann);
  CHECK(is_changed(again));
  CHECK_FALSE(is_changed(bob));
  CHECK_FALSE(is_changed("an-id-of-a-fixture"));
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&_sid=an-id-of-a-fixture");
  CHECK(is_changed("an-id-of-a-fixture"));
  CHECK_FALSE(is_changed(""));
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true", {{"X-Tapedeck-Scope", "a"}});
  CHECK(is_changed("", {{"X-Tapedeck-Scope", "a"}}));
  CHECK_FALSE(is_changed("", {{"X-Tapedeck-Scope", "a#2"}}));
  CHECK_FALSE(is_changed("", {{"X-Tapedeck-Scope", "b"}}));
}

TEST_CASE("effects: an owner keeps 1,000 changes, and dropping the oldest warns once") {
  EffectServer server(create_effect, {record("SVC.FileStation.List/2/list?folder_path=/y",
                                             R"({"data":{"files":[],"total":0},"success":true})")});
  for (int i = 0; i < 1'002; ++i) {
    (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=/y&name=n" + std::to_string(i));
  }
  const std::string body = server.body("SVC.FileStation.List/2/list?folder_path=/y");
  CHECK(body.find(R"("total":1000})") != std::string::npos);
  CHECK(body.find(R"("n1")") == std::string::npos);
  CHECK(body.find(R"("n2")") != std::string::npos);
  CHECK(server.warnings.size() == 1);
}

TEST_CASE("effects: an owner keeps 1 MiB of changes") {
  EffectServer server(terminal_effect,
                      {record("SVC.Core.Terminal/1/get", R"({"data":{"a":"","b":""},"success":true})")});
  const std::string half(600'000, 'x');
  (void)post(*server.handler, "/webapi/entry.cgi", "api=SVC.Core.Terminal&version=1&method=set&a=" + half);
  (void)post(*server.handler, "/webapi/entry.cgi", "api=SVC.Core.Terminal&version=1&method=set&b=" + half);
  CHECK(server.body("SVC.Core.Terminal/1/get") == R"({"data":{"a":"","b":")" + half + R"("},"success":true})");
  CHECK(server.warnings.size() == 1);
}

TEST_CASE("effects: parameters that a scrub rule names are never copied") {
  EffectServer server(
      "[[effect]]\non = \"Core.User/*/set\"\nreply = { was = \"{{param.passwd}}\" }\n[[effect.change]]\n"
      "in = \"Core.User/*/get\"\nmerge = \"params\"\n[[effect.change]]\nin = \"Core.User/*/get\"\n"
      "merge = { data = { note = \"{{param.passwd}}\", name = \"{{param.name}}\" } }",
      {record("SVC.Core.User/1/get", R"({"data":{"passwd":"","note":"n","name":"x"},"success":true})")});
  CHECK(server.body("SVC.Core.User/1/set?passwd=hunter2-and-more&name=y") == R"({"data":{"was":""},"success":true})");
  CHECK(server.body("SVC.Core.User/1/get") == R"({"data":{"passwd":"","note":"n","name":"y"},"success":true})");
}

TEST_CASE("effects: responses of API.Auth, API.Info, and API.Encryption are never changed") {
  EffectServer server(
      "[[effect]]\non = \"Core.User/*/set\"\n[[effect.change]]\nin = \"*/*/*\"\nmerge = { data = { more = 1 } }",
      {record("SVC.Core.User/1/get", R"({"data":{},"success":true})"),
       record("SVC.API.Encryption/1/getinfo", R"({"data":{},"success":true})")});
  (void)server.ask("SVC.Core.User/1/set");
  CHECK(server.body("SVC.Core.User/1/get") == R"({"data":{"more":1},"success":true})");
  CHECK(server.body("SVC.API.Encryption/1/getinfo") == R"({"data":{},"success":true})");
  CHECK(server.body("SVC.API.Info/1/query?query=all").find("more") == std::string::npos);
  CHECK(call(*server.handler, "SVC.API.Auth/6/login?account=a&passwd=made-up").body.find("more") == std::string::npos);
}

TEST_CASE("effects: derived responses lose their validators and ignore If-None-Match") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response)
                                            .with_header("ETag", "\"1\"")
                                            .with_header("Last-Modified", "x")});
  CHECK(server.ask("SVC.Core.Terminal/1/get", {{"If-None-Match", "\"1\""}}).status == 304);
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  const auto get = server.ask("SVC.Core.Terminal/1/get", {{"If-None-Match", "\"1\""}});
  CHECK(get.status == 200);
  CHECK(get.body == terminal_on);
  CHECK_FALSE(get.headers.contains("ETag"));
  CHECK_FALSE(get.headers.contains("Last-Modified"));
}

TEST_CASE("effects: a compound with an affected part is handled part by part, and later parts see earlier changes") {
  const std::string parts =
      R"([{"api":"SVC.Core.Terminal","method":"set","version":1,"enable_ssh":true},{"api":"SVC.Core.Terminal","method":"get","version":1}])";
  const std::string reads =
      R"([{"api":"SVC.Core.Terminal","method":"get","version":1},{"api":"SVC.Core.User","method":"get","version":1}])";
  const std::string recorded =
      R"({"data":{"has_fail":false,"result":[{"api":"SVC.Core.Terminal","data":{"enable_ssh":false},"method":"get","success":true,"version":1},)"
      R"({"api":"SVC.Core.User","data":{"n":1},"method":"get","success":true,"version":1}]},"success":true})";
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response),
                                        record("SVC.Entry.Request/1/request?compound=" + reads, recorded)});
  CHECK(outcome(server.ask("SVC.Entry.Request/1/request?compound=" + reads)) == "recorded");
  const auto whole = server.ask("SVC.Entry.Request/1/request?compound=" + parts);
  CHECK(outcome(whole) == "derived");
  CHECK(whole.body.find(R"("enable_ssh" : true)") != std::string::npos);
  const auto again = server.ask("SVC.Entry.Request/1/request?compound=" + reads);
  CHECK(outcome(again) == "derived");
  CHECK(again.body.find(R"("enable_ssh":true)") + again.body.find(R"("enable_ssh" : true)") != 2 * std::string::npos);
  CHECK(again.body.find(R"("data":{"n":1})") != std::string::npos);
}

TEST_CASE("effects: the writes of a compound that is replayed as a whole have effects") {
  const std::string parts =
      R"([{"api":"SVC.Core.Terminal","method":"set","version":1,"enable_ssh":true},{"api":"SVC.Core.User","method":"get","version":1}])";
  const std::string recorded =
      R"({"data":{"has_fail":false,"result":[{"api":"SVC.Core.Terminal","method":"set","success":true,"version":1},)"
      R"({"api":"SVC.Core.User","data":{"n":1},"method":"get","success":true,"version":1}]},"success":true})";
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response),
                                        record("SVC.Entry.Request/1/request?compound=" + parts, recorded)});
  CHECK(outcome(server.ask("SVC.Entry.Request/1/request?compound=" + parts)) == "recorded");
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_on);
}

TEST_CASE("effects: the built-in get/set pairs need --effects and yield to declared effects") {
  const std::vector<Recorded> rows = {record("SVC.Core.Terminal/1/get", terminal_response)};
  const auto with_builtin = [](ReplayOptions& options) { options.effects = true; };
  EffectServer off("", rows);
  CHECK(outcome(off.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "miss");
  EffectServer on("", rows, with_builtin);
  CHECK(outcome(on.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "derived");
  CHECK(on.body("SVC.Core.Terminal/1/get") == terminal_on);
  CHECK(on.handler->stats().builtin_effects == 2);
  CHECK(outcome(on.ask("SVC.Core.Nothing/1/set?enable_ssh=true")) == "miss");
  EffectServer declared(
      "[[effect]]\non = \"Core.Terminal/*/set\"\n[[effect.change]]\nin = \"Core.Terminal/*/get\"\n"
      "merge = { data = { ssh_port = 9 } }",
      rows, with_builtin);
  (void)declared.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  CHECK(declared.body("SVC.Core.Terminal/1/get") ==
        R"({"data": { "enable_ssh" : false, "ssh_port":9, "note":null },"success":true})");
  CHECK(declared.handler->stats().derived == 2);
  CHECK(declared.handler->stats().builtin_effects == 0);
}

TEST_CASE("effects: do not replace a recorded write that cannot be replayed") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response),
                                        record("SVC.Core.Terminal/1/set?enable_ssh=true", ok).broken("cut")});
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "miss");
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_response);
}

TEST_CASE("effects: a posted set may have a scope, and its changes are removed with it") {
  EffectServer server("", {record("SVC.Core.Terminal/1/get", terminal_response)});
  const std::string set =
      R"({"set":"s","scope":"a","effects":[{"on":"Core.Terminal/*/set","change":[{"in":"Core.Terminal/*/get","merge":"params"}]}]})";
  CHECK(server.handler->overlays().post(read_posted_overlays(set)) == "s");
  const http::Headers scope = {{"X-Tapedeck-Scope", "a"}};
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "miss");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true", scope)) == "derived");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get", scope)) == "derived");
  CHECK(server.handler->overlays().remove("s"));
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get", scope)) == "recorded");
  (void)server.handler->overlays().post(read_posted_overlays(set));
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get", scope)) == "recorded");
}

TEST_CASE("effects: a reset removes all changes") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  server.handler->overlays().counts().forget_all();
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_response);
}

std::string effect_failure(const std::string& toml) {
  try {
    (void)read_overlay_toml(toml, "e.toml", "/nonexistent");
  } catch (const std::invalid_argument& failure) {
    return failure.what();
  }
  return "none";
}

TEST_CASE("effects: errors name the file and line") {
  struct Row {
    std::string toml, failure;
  };
  const std::string on = "[[effect]]\non = \"Core.A/*/set\"\n";
  const std::string change = on + "[[effect.change]]\nin = \"Core.A/*/get\"\n";
  const std::vector<Row> rows = {
      {"[[effect]]\nreply = {}", "e.toml:1: missing `on`"},
      {"[[effect]]\non = \"x\"", "e.toml:2: `on` must be API/version/method"},
      {on + "nothing = 1", "e.toml:3: unknown key `nothing` in an effect"},
      {on + "ends_sessions = 1", "e.toml:3: `ends_sessions` must be true or false"},
      {on + "change = 1", "e.toml:3: `change` must be written as [[effect.change]]"},
      {on + "[[effect.change]]\nmerge = \"params\"", "needs `in`"},
      {change, "changes nothing: add merge, insert, or remove"},
      {change + "merge = \"all\"", "must be a string that contains JSON"},
      {change + "merge = 7", "must be \"params\" or a table"},
      {change + "merge = \"params\"\ncount = \"/data/n\"", "requires insert or remove"},
      {change + "insert = { at = \"data\", set = {} }", "`at` must be a JSON pointer"},
      {change + "insert = { at = \"/data\" }", "must be a table with `at` and `set`"},
      {change + "insert = { at = \"/data\", set = 1 }", "`set` must be a table"},
      {change + "remove = { from = \"/data\" }", "must be a table with `from` and `where`"},
      {change + "remove = { from = \"/data\", where = {}, x = 1 }", "unknown key `x`; known keys: from, where"},
      {change + "merge = \"params\"\nwhy = 1", "unknown key `why` in a change"},
      {on + "[[effect.change]]\nin = \"API.Auth/*/login\"\nmerge = \"params\"", "its responses are never changed"},
      {"effect = 1", "effects must be written as [[effect]]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.toml);
    const std::string failure = effect_failure(row.toml);
    CHECK(failure.find(row.failure) != std::string::npos);
    CHECK(failure.starts_with("e.toml:"));
    INFO(failure);
  }
  CHECK(effect_failure(terminal_effect + create_effect + delete_effect) == "none");
}

}  // namespace
}  // namespace tapedeck::replay
