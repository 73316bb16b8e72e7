// How the effects of a write change later responses.

#include <catch2/catch.hpp>

#include "http/message/urlencoded.h"
#include "replay/effects/effect.h"
#include "replay/overlays/overlay_store.h"
#include "tests/replay/effect_server.h"

namespace tapedeck::replay {
namespace {

using testing::error;
using testing::ok;
using testing::record;
using testing::Recorded;

TEST_CASE("effects: an unrecorded write succeeds and later reads show its parameters") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response)});
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_response);
  const auto set = server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&ssh_port=2222&unknown=1");
  CHECK(set.body == R"({"success":true})");
  CHECK(outcome(set) == "derived");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == R"({"data": { "enable_ssh" : true, "ssh_port":2222, "note":null },"success":true})");
  CHECK(outcome(get) == "derived");
  CHECK(server.handler->stats().derived == 2);
  const auto lines = server.journal.entries(1, 10);
  CHECK(lines.back()->outcome == "derived");
  CHECK(lines.back()->recording.size() == 16);
  CHECK(server.body("SVC.Core.Terminal/1/set?enable_ssh=false") == R"({"success":true})");
  CHECK(server.body("SVC.Core.Terminal/1/get") ==
        R"({"data": { "enable_ssh" : false, "ssh_port":2222, "note":null },"success":true})");
}

TEST_CASE("effects: a response in which nothing changed keeps its outcome") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=false&other=1");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == terminal_response);
  CHECK(outcome(get) == "recorded");
}

TEST_CASE("effects: a change that would make a response too long is skipped") {
  std::string marks;
  for (int i = 0; i < 20'000; ++i) marks += "{{param.name}}";
  std::string list;
  for (int i = 0; i < 1'000; ++i) list += "{{param.name}},";
  const std::string on = "\n[[effect]]\non = \"FileStation.CreateFolder/*/create\"\n",
                    change = on + "[[effect.change]]\nin = \"FileStation.List/*/list\"\n";
  struct Row {
    const char* what;
    std::string toml;
  };
  const Row rows[] = {
      {"a merge", change + "merge = { data = { note = \"" + marks + "\" } }\n"},
      {"a merge with marks outside of strings", change + "merge = '{\"data\":{\"note\":[" + list + "0]}}'\n"},
      {"an element", change + "insert = { at = \"/data/files\", set = { name = \"" + marks + "\" } }\n"},
      {"many elements", change + "insert = { at = \"/data/files\", like = 0, set = { name = \"{{param.names}}\" } }\n"},
  };
  std::string names = "[0";
  for (int i = 0; i < 3'000; ++i) names += ",1";
  for (const Row& row : rows) {
    CAPTURE(row.what);
    EffectServer server(row.toml, {record("SVC.FileStation.List/2/list", listed_files)},
                        [](ReplayOptions& options) { options.longest_body = 100'000; });
    (void)server.ask("SVC.FileStation.CreateFolder/2/create?name=" + std::string(2'000, 'x') + "&names=" + names + "]");
    const auto response = server.ask("SVC.FileStation.List/2/list");
    CHECK(response.body == listed_files);
    CHECK(outcome(response) == "recorded");
    REQUIRE(server.warnings.size() == 1);
    CHECK(server.warnings.front().find("longer than 100000 bytes") != std::string::npos);
  }
  EffectServer server(on + "reply = { note = \"" + marks + "\" }\n",
                      {record("SVC.FileStation.List/2/list", listed_files)},
                      [](ReplayOptions& options) { options.longest_body = 100'000; });
  CHECK(outcome(server.ask("SVC.FileStation.CreateFolder/2/create?name=" + std::string(2'000, 'x'))) == "miss");
}

TEST_CASE("effects: a parameter gets the type of the value that it replaces") {
  struct Row {
    std::string before, param, after;
  };
  const std::vector<Row> rows = {
      {"false", "true", "true"},
      {"true", "0", "false"},
      {"true", "False", "false"},
      {"22", "2222", "2222"},
      {"22", "\"23\"", "23"},
      {"\"a\"", "b", "\"b\""},
      {"\"a\"", "\"b c\"", "\"b c\""},
      {"\"a\"", "7", "\"7\""},
      {"\"7\"", "true", "\"true\""},
      {"null", "x", "null"},
      {"[1]", "[2]", "[1]"},
      {"{\"a\":1}", "x", "{\"a\":1}"},
      {"22", "many", "22"},
      {"true", "perhaps", "true"},
      {"1.50", "1.5", "1.5"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.before, row.param);
    EffectServer server(terminal_effect,
                        {record("SVC.Core.Terminal/1/get", R"({"data":{"x":)" + row.before + R"(},"success":true})")});
    (void)server.ask("SVC.Core.Terminal/1/set?x=" + http::percent_encode(row.param));
    CHECK(server.body("SVC.Core.Terminal/1/get") == R"({"data":{"x":)" + row.after + R"(},"success":true})");
    (void)server.ask("SVC.Core.Terminal/1/get");
    const bool stays = row.before == row.after;
    REQUIRE(server.warnings.size() == (stays ? 1 : 0));
    if (!stays) continue;
    CHECK(server.warnings[0].find("Core.Terminal/get") != std::string::npos);
    CHECK(server.warnings[0].find("/data/x") != std::string::npos);
  }
}

TEST_CASE("effects: merging parameters requires equal shared parameters") {
  const auto user = [](const std::string& name) {
    return record("SVC.Core.User/1/get?name=" + name, R"({"data":{"quota":1},"success":true})");
  };
  EffectServer server(
      "[[effect]]\non = \"Core.User/*/set\"\n[[effect.change]]\nin = \"Core.User/*/get\"\nmerge = \"params\"",
      {user("ann"), user("bob")});
  (void)server.ask("SVC.Core.User/1/set?name=[\"ann\"]&quota=5");
  CHECK(server.body("SVC.Core.User/1/get?name=ann") == R"({"data":{"quota":5},"success":true})");
  CHECK(server.body("SVC.Core.User/1/get?name=bob") == R"({"data":{"quota":1},"success":true})");
}

TEST_CASE("effects: a merge patch with marks keeps the types of nested members") {
  EffectServer server(
      "[[effect]]\non = \"Core.Terminal/*/set\"\n[[effect.change]]\nin = \"Core.Terminal/*/get\"\n"
      "merge = { data = { enable_ssh = \"{{param.enable_ssh}}\", ssh_port = \"{{param.none}}\", by = \"port "
      "{{param.p}}\" } }",
      {record("SVC.Core.Terminal/1/get", terminal_response)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&p=\"7\"");
  CHECK(server.body("SVC.Core.Terminal/1/get") ==
        R"({"data": { "enable_ssh" : true, "ssh_port":22, "note":null, "by":"port 7" },"success":true})");
}

TEST_CASE("effects: a create inserts into the list that the write names, and a delete removes from it") {
  const std::string other = R"({"data":{"files":[],"total":0},"success":true})";
  EffectServer server(create_effect + delete_effect,
                      {record("SVC.FileStation.List/2/list?folder_path=/x", listed_files),
                       record("SVC.FileStation.List/2/list?folder_path=/y", other)});
  (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=[\"/x\"]&name=[\"b\"]");
  const auto list = server.ask("SVC.FileStation.List/2/list?folder_path=\"/x\"");
  CHECK(list.body == R"({"data":{"files":[ {"isdir":true,"name":"a","path":"/x/a","size":1}, )"
                     R"({"isdir":true,"name":"b","path":"/x/b","size":1} ],"total":2},"success":true})");
  CHECK(outcome(list) == "derived");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/y") == other);
  CHECK(server.body("SVC.FileStation.Delete/2/delete?path=[\"/x/a\",\"/x/none\"]") == R"({"success":true})");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/x") ==
        R"({"data":{"files":[ {"isdir":true,"name":"b","path":"/x/b","size":1} ],"total":1},"success":true})");
  (void)server.ask("SVC.FileStation.Delete/2/delete?path=/x/b");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/x") ==
        R"({"data":{"files":[  ],"total":0},"success":true})");
}

TEST_CASE(
    "effects: a list parameter inserts one element for each of its values, and an empty list gets only the declared "
    "members") {
  EffectServer server(create_effect, {record("SVC.FileStation.List/2/list?folder_path=/y",
                                             R"({"data":{"files":[],"total":0},"success":true})")});
  (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=/y&name=[\"p\",\"q\"]");
  CHECK(
      server.body("SVC.FileStation.List/2/list?folder_path=/y") ==
      R"({"data":{"files":[{"name":"p","path":"/y/p","isdir":true},{"name":"q","path":"/y/q","isdir":true}],"total":2},"success":true})");
}

TEST_CASE("effects: list parameters of equal length are combined element by element") {
  const std::string empty = R"({"data":{"files":[],"total":0},"success":true})";
  EffectServer server(create_effect, {record("SVC.FileStation.List/2/list?folder_path=/y", empty),
                                      record("SVC.FileStation.List/2/list?folder_path=/z", empty)});
  (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=[\"/y\",\"/z\"]&name=[\"p\",\"q\"]");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/y") ==
        R"({"data":{"files":[{"name":"p","path":"/y/p","isdir":true}],"total":1},"success":true})");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/z") ==
        R"({"data":{"files":[{"name":"q","path":"/z/q","isdir":true}],"total":1},"success":true})");
}

TEST_CASE("effects: a target that is not a list or number is unchanged, with one warning") {
  EffectServer server(create_effect + delete_effect,
                      {record("SVC.FileStation.List/2/list?folder_path=/x", R"({"data":{"files":7},"success":true})")});
  (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=/x&name=b");
  for (int i = 0; i < 2; ++i) {
    CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/x") == R"({"data":{"files":7},"success":true})");
  }
  CHECK(server.warnings.size() == 1);
}

TEST_CASE("effects: the reply has the declared data with marks replaced") {
  EffectServer server(
      "[[effect]]\non = \"Backup.Config.Backup/*/start\"\nreply = { task = \"{{param.name}}-{{count}}\", sid = "
      "\"{{session.id}}\" }\n"
      "[[effect]]\non = \"Core.Empty/*/set\"\nreply = { }\n",
      {record("SVC.Core.Terminal/1/get", terminal_response)});
  CHECK(server.body("SVC.Backup.Config.Backup/1/start?name=all&_sid=an-id-of-mine") ==
        R"({"data":{"task":"all-1","sid":"an-id-of-mine"},"success":true})");
  CHECK(server.body("SVC.Backup.Config.Backup/1/start?name=all&_sid=an-id-of-mine") ==
        R"({"data":{"task":"all-2","sid":"an-id-of-mine"},"success":true})");
  CHECK(server.body("SVC.Core.Empty/1/set") == R"({"data":{},"success":true})");
}

TEST_CASE("effects: `on` accepts parameters like overlays") {
  const std::string toml =
      "[[effect]]\non = \"Core.Terminal/*/set\"\nparams = { kind = \"ssh\" }\n[[effect.change]]\n"
      "in = \"Core.Terminal/*/get\"\nmerge = \"params\"";
  EffectServer server(toml, {record("SVC.Core.Terminal/1/get", terminal_response)});
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "miss");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&kind=\"ssh\"")) == "derived");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get")) == "derived");
}

TEST_CASE("effects: `ends_sessions` ends only the sessions of the owner") {
  EffectServer server("[[effect]]\non = \"Core.System/*/reboot\"\nends_sessions = true",
                      {record("SVC.Core.Terminal/1/get", terminal_response)});
  const std::string ann = log_in(*server.handler, "ann"), again = log_in(*server.handler, "ann");
  const std::string bob = log_in(*server.handler, "bob");
  CHECK(outcome(server.ask("SVC.Core.System/1/reboot?_sid=" + ann)) == "derived");
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + ann) == error(119));
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + again) == error(119));
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + bob) == terminal_response);
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + log_in(*server.handler, "ann")) == terminal_response);
  const http::Headers scope = {{"X-Tapedeck-Scope", "a"}};
  CHECK(server.body("SVC.Core.System/1/reboot?_sid=adopted-in-the-scope", scope) == R"({"success":true})");
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=adopted-in-the-scope", scope) == error(119));
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + bob) == terminal_response);
}

TEST_CASE("effects: a write whose response is lost has its effects") {
  EffectServer server(
      "[[overlay]]\ncall = \"Core.System/1/reboot\"\nfault = \"close\"\n[[effect]]\non = \"Core.System/*/reboot\"\n"
      "ends_sessions = true",
      {record("SVC.Core.Terminal/1/get", terminal_response)});
  const std::string ann = log_in(*server.handler, "ann");
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + ann) == terminal_response);
  http::Request reboot;
  reboot.method = "GET";
  reboot.target = testing::target_of("SVC.Core.System/1/reboot?_sid=" + ann);
  const auto exchange = std::make_shared<testing::FakeExchange>(std::move(reboot));
  server.handler->handle(exchange);
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + ann) == error(119));
}

TEST_CASE("effects: an overlay that responds to the write with an error stops its effects") {
  EffectServer server("[[overlay]]\ncall = \"Core.Terminal/1/set\"\nerror = 105\ntimes = 1\n" + terminal_effect,
                      {record("SVC.Core.Terminal/1/get", terminal_response)});
  CHECK(server.body("SVC.Core.Terminal/1/set?enable_ssh=true") == error(105));
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_response);
  CHECK(server.body("SVC.Core.Terminal/1/set?enable_ssh=true") == R"({"success":true})");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get")) == "derived");
}

TEST_CASE("effects: overlays see changed responses") {
  EffectServer server(
      "[[overlay]]\ncall = \"Core.Terminal/1/get\"\nmerge = { data = { ssh_port = 1 } }\n" + terminal_effect,
      {record("SVC.Core.Terminal/1/get", terminal_response)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&ssh_port=3");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == R"({"data": { "enable_ssh" : true, "ssh_port":1, "note":null },"success":true})");
  CHECK(outcome(get) == "overlay");
}

std::vector<Recorded> recorded_write() {
  return {record("SVC.Core.Terminal/1/get", terminal_response), record("SVC.Core.Terminal/1/set?enable_ssh=true", ok),
          record("SVC.Core.Terminal/1/get", terminal_on)};
}

TEST_CASE("effects: do not change responses that were recorded after the same write") {
  EffectServer server(terminal_effect, recorded_write());
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_response);
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "recorded");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == terminal_on);
  CHECK(outcome(get) == "recorded");
}

TEST_CASE("effects: a recorded write cancels earlier changes to the reads that its effects name") {
  EffectServer server(terminal_effect, recorded_write());
  (void)server.ask("SVC.Core.Terminal/1/set?ssh_port=5");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get")) == "derived");
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_on);
}

TEST_CASE("effects: a recorded write replaces earlier changes of its own element, and no others") {
  const auto list = [](const std::string& names) {
    std::string files;
    for (const char name : names) {
      files += (files.empty() ? "" : ",") + std::string(R"({"isdir":true,"name":")") + name + R"(","path":"/x/)" +
               name + R"("})";
    }
    return record(
        "SVC.FileStation.List/2/list?folder_path=/x",
        R"({"data":{"files":[)" + files + R"(],"total":)" + std::to_string(names.size()) + R"(},"success":true})");
  };
  const std::string create = "SVC.FileStation.CreateFolder/2/create?folder_path=/x&name=",
                    remove = "SVC.FileStation.Delete/2/delete?path=/x/";
  const std::vector<Recorded> rows = {list("a"), record(create + "b", ok), list("ab"), record(remove + "a", ok),
                                      list("b")};
  struct Row {
    std::vector<std::string> writes;
    std::string names;
  };
  const std::vector<Row> cases = {
      {{create + "n"}, "an"},
      {{create + "n", create + "b"}, "abn"},  // the element of the effect stays
      {{create + "n", create + "b", create + "m"}, "abnm"},
      {{create + "b", remove + "a"}, "b"},
      {{create + "n", create + "b", remove + "a"}, "bn"},
      {{create + "n", remove + "n", create + "b"}, "ab"},
      {{remove + "a", create + "b"}, "b"},  // another element is removed, and stays so
      {{create + "n", create + "b", remove + "n"}, "ab"},
      {{create + "[\"n\",\"m\"]", create + "b"}, "abnm"},
  };
  for (const Row& one : cases) {
    EffectServer server(create_effect + delete_effect, rows);
    CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/x").find("\"total\":1") != std::string::npos);
    std::string all;
    for (const std::string& write : one.writes) {
      all += write + " ";
      CHECK(server.body(write).find("true") != std::string::npos);
    }
    CAPTURE(all);
    const std::string body = server.body("SVC.FileStation.List/2/list?folder_path=/x");
    std::string names;
    for (std::size_t at = 0; (at = body.find("\"name\":\"", at)) != std::string::npos; ++at) names += body.at(at + 8);
    CHECK(names == one.names);
    CHECK(body.find("\"total\":" + std::to_string(one.names.size())) != std::string::npos);
  }
}

TEST_CASE("effects: a later write changes responses that were recorded after an earlier one") {
  EffectServer server(terminal_effect, recorded_write());
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  (void)server.ask("SVC.Core.Terminal/1/set?ssh_port=5");
  CHECK(server.body("SVC.Core.Terminal/1/get") ==
        R"({"data": { "enable_ssh" : true, "ssh_port":5, "note":null },"success":true})");
}

TEST_CASE("effects: a recorded write after which no read was recorded has its effects") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response),
                                        record("SVC.Core.Terminal/1/set?enable_ssh=true", ok)});
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "recorded");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == terminal_on);
  CHECK(outcome(get) == "derived");
}

TEST_CASE("effects: a recorded write that failed has no effects") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_response),
                                        record("SVC.Core.Terminal/1/set?enable_ssh=true", error(105))});
  CHECK(server.body("SVC.Core.Terminal/1/set?enable_ssh=true") == error(105));
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_response);
}

}  // namespace
}  // namespace tapedeck::replay
