// Effects: what a write changes in later responses.

#include <catch2/catch.hpp>
#include <fstream>

#include "http/message/urlencoded.h"
#include "journal/journal.h"
#include "replay/effects/effect.h"
#include "replay/overlays/overlay_store.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::error;
using testing::ok;
using testing::record;
using testing::Recorded;

const std::string terminal_off = R"({"data": { "enable_ssh" : false, "ssh_port":22, "note":null },"success":true})";
const std::string files = R"({"data":{"files":[ {"isdir":true,"name":"a","path":"/x/a","size":1} ],"total":1},"success":true})";


const std::string terminal_effect = R"(
[[effect]]
on = "Core.Terminal/*/set"
[[effect.change]]
in = "Core.Terminal/*/get"
merge = "params"
)";

const std::string create_effect = R"(
[[effect]]
on = "FileStation.CreateFolder/*/create"
[[effect.change]]
in     = "FileStation.List/*/list"
where  = { folder_path = "{{param.folder_path}}" }
insert = { at = "/data/files", like = 0, set = { name = "{{param.name}}", path = "{{param.folder_path}}/{{param.name}}", isdir = true } }
count  = "/data/total"
)";

const std::string delete_effect = R"(
[[effect]]
on = "FileStation.Delete/*/delete"
[[effect.change]]
in     = "FileStation.List/*/list"
remove = { from = "/data/files", where = { path = "{{param.path}}" } }
count  = "/data/total"
)";

struct EffectServer {
  EffectServer(const std::string& toml, std::vector<Recorded> rows, const std::function<void(ReplayOptions&)>& set = {})
      : cassette(cassette_with(std::move(rows))) {
    std::ofstream(folder.file("e.toml")) << toml;
    ReplayOptions options;
    options.cassettes = {cassette.path()};
    if (!toml.empty()) options.overlay_files = {folder.file("e.toml")};
    options.journal = &journal;
    options.on_warning = [this](const std::string& line) { warnings.push_back(line); };
    if (set) set(options);
    handler.emplace(std::move(options), 1);
  }
  http::Response ask(const std::string& text, http::Headers headers = {}) {
    return call(*handler, text, std::move(headers));
  }
  std::string body(const std::string& text, http::Headers headers = {}) { return ask(text, std::move(headers)).body; }

  testing::TestFolder folder;
  testing::TestCassette cassette;
  journal::Journal journal;
  std::vector<std::string> warnings;
  std::optional<ReplayHandler> handler;
};

std::string header_of(const http::Response& response, std::string_view name) {
  return std::string(response.headers.first(name).value_or("none"));
}

TEST_CASE("effects: an unrecorded write succeeds and later reads show its parameters") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off)});
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_off);
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
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=false&other=1");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == terminal_off);
  CHECK(outcome(get) == "recorded");
}

TEST_CASE("effects: a change that would make a response too long leaves it as it is") {
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
    EffectServer server(row.toml, {record("SVC.FileStation.List/2/list", files)},
                        [](ReplayOptions& options) { options.longest_body = 100'000; });
    (void)server.ask("SVC.FileStation.CreateFolder/2/create?name=" + std::string(2'000, 'x') + "&names=" + names + "]");
    const auto response = server.ask("SVC.FileStation.List/2/list");
    CHECK(response.body == files);
    CHECK(outcome(response) == "recorded");
    REQUIRE(server.warnings.size() == 1);
    CHECK(server.warnings.front().find("longer than 100000 bytes") != std::string::npos);
  }
  EffectServer server(on + "reply = { note = \"" + marks + "\" }\n", {record("SVC.FileStation.List/2/list", files)},
                      [](ReplayOptions& options) { options.longest_body = 100'000; });
  CHECK(outcome(server.ask("SVC.FileStation.CreateFolder/2/create?name=" + std::string(2'000, 'x'))) == "miss");
}

TEST_CASE("effects: a parameter takes the type that is found in its place") {
  struct Row {
    std::string before, param, after;
  };
  const std::vector<Row> rows = {
      {"false", "true", "true"},      {"true", "0", "false"},          {"true", "False", "false"},
      {"22", "2222", "2222"},         {"22", "\"23\"", "23"},          {"\"a\"", "b", "\"b\""},
      {"\"a\"", "\"b c\"", "\"b c\""}, {"\"a\"", "7", "\"7\""},          {"\"7\"", "true", "\"true\""},
      {"null", "x", "null"},          {"[1]", "[2]", "[1]"},           {"{\"a\":1}", "x", "{\"a\":1}"},
      {"22", "many", "22"},           {"true", "perhaps", "true"},     {"1.50", "1.5", "1.5"},
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

TEST_CASE("effects: merging parameters needs every shared parameter to be equal") {
  const auto user = [](const std::string& name) {
    return record("SVC.Core.User/1/get?name=" + name, R"({"data":{"quota":1},"success":true})");
  };
  EffectServer server("[[effect]]\non = \"Core.User/*/set\"\n[[effect.change]]\nin = \"Core.User/*/get\"\nmerge = \"params\"",
                      {user("ann"), user("bob")});
  (void)server.ask("SVC.Core.User/1/set?name=[\"ann\"]&quota=5");
  CHECK(server.body("SVC.Core.User/1/get?name=ann") == R"({"data":{"quota":5},"success":true})");
  CHECK(server.body("SVC.Core.User/1/get?name=bob") == R"({"data":{"quota":1},"success":true})");
}

TEST_CASE("effects: a merge patch with marks changes nested members in their type") {
  EffectServer server(
      "[[effect]]\non = \"Core.Terminal/*/set\"\n[[effect.change]]\nin = \"Core.Terminal/*/get\"\n"
      "merge = { data = { enable_ssh = \"{{param.enable_ssh}}\", ssh_port = \"{{param.none}}\", by = \"port {{param.p}}\" } }",
      {record("SVC.Core.Terminal/1/get", terminal_off)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&p=\"7\"");
  CHECK(server.body("SVC.Core.Terminal/1/get") ==
        R"({"data": { "enable_ssh" : true, "ssh_port":22, "note":null, "by":"port 7" },"success":true})");
}

TEST_CASE("effects: creating inserts into the list that the write names, deleting removes") {
  const std::string other = R"({"data":{"files":[],"total":0},"success":true})";
  EffectServer server(create_effect + delete_effect,
                      {record("SVC.FileStation.List/2/list?folder_path=/x", files),
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
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/x") == R"({"data":{"files":[  ],"total":0},"success":true})");
}

TEST_CASE("effects: a list parameter inserts one element each, and an empty list gets what is set alone") {
  EffectServer server(create_effect, {record("SVC.FileStation.List/2/list?folder_path=/y",
                                             R"({"data":{"files":[],"total":0},"success":true})")});
  (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=/y&name=[\"p\",\"q\"]");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/y") ==
        R"({"data":{"files":[{"name":"p","path":"/y/p","isdir":true},{"name":"q","path":"/y/q","isdir":true}],"total":2},"success":true})");
}

TEST_CASE("effects: lists of one length go together element by element") {
  const std::string empty = R"({"data":{"files":[],"total":0},"success":true})";
  EffectServer server(create_effect, {record("SVC.FileStation.List/2/list?folder_path=/y", empty),
                                      record("SVC.FileStation.List/2/list?folder_path=/z", empty)});
  (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=[\"/y\",\"/z\"]&name=[\"p\",\"q\"]");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/y") ==
        R"({"data":{"files":[{"name":"p","path":"/y/p","isdir":true}],"total":1},"success":true})");
  CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/z") ==
        R"({"data":{"files":[{"name":"q","path":"/z/q","isdir":true}],"total":1},"success":true})");
}

TEST_CASE("effects: a place that is no list or number stays, with one warning") {
  EffectServer server(create_effect + delete_effect,
                      {record("SVC.FileStation.List/2/list?folder_path=/x", R"({"data":{"files":7},"success":true})")});
  (void)server.ask("SVC.FileStation.CreateFolder/2/create?folder_path=/x&name=b");
  for (int i = 0; i < 2; ++i) {
    CHECK(server.body("SVC.FileStation.List/2/list?folder_path=/x") == R"({"data":{"files":7},"success":true})");
  }
  CHECK(server.warnings.size() == 1);
}

TEST_CASE("effects: the reply has the data that is declared, with marks") {
  EffectServer server(
      "[[effect]]\non = \"Backup.Config.Backup/*/start\"\nreply = { task = \"{{param.name}}-{{count}}\", sid = \"{{session.id}}\" }\n"
      "[[effect]]\non = \"Core.Empty/*/set\"\nreply = { }\n",
      {record("SVC.Core.Terminal/1/get", terminal_off)});
  CHECK(server.body("SVC.Backup.Config.Backup/1/start?name=all&_sid=an-id-of-mine") ==
        R"({"data":{"task":"all-1","sid":"an-id-of-mine"},"success":true})");
  CHECK(server.body("SVC.Backup.Config.Backup/1/start?name=all&_sid=an-id-of-mine") ==
        R"({"data":{"task":"all-2","sid":"an-id-of-mine"},"success":true})");
  CHECK(server.body("SVC.Core.Empty/1/set") == R"({"data":{},"success":true})");
}

TEST_CASE("effects: `on` has parameters as overlays have") {
  const std::string toml =
      "[[effect]]\non = \"Core.Terminal/*/set\"\nparams = { kind = \"ssh\" }\n[[effect.change]]\n"
      "in = \"Core.Terminal/*/get\"\nmerge = \"params\"";
  EffectServer server(toml, {record("SVC.Core.Terminal/1/get", terminal_off)});
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "miss");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&kind=\"ssh\"")) == "derived");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get")) == "derived");
}

TEST_CASE("effects: `ends_sessions` ends the sessions of the owner alone") {
  EffectServer server("[[effect]]\non = \"Core.System/*/reboot\"\nends_sessions = true",
                      {record("SVC.Core.Terminal/1/get", terminal_off)});
  const std::string ann = log_in(*server.handler, "ann"), again = log_in(*server.handler, "ann");
  const std::string bob = log_in(*server.handler, "bob");
  CHECK(outcome(server.ask("SVC.Core.System/1/reboot?_sid=" + ann)) == "derived");
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + ann) == error(119));
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + again) == error(119));
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + bob) == terminal_off);
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + log_in(*server.handler, "ann")) == terminal_off);
  const http::Headers scope = {{"X-Tapedeck-Scope", "a"}};
  CHECK(server.body("SVC.Core.System/1/reboot?_sid=adopted-in-the-scope", scope) == R"({"success":true})");
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=adopted-in-the-scope", scope) == error(119));
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + bob) == terminal_off);
}

TEST_CASE("effects: a write whose response is lost has its effects") {
  EffectServer server(
      "[[overlay]]\ncall = \"Core.System/1/reboot\"\nfault = \"close\"\n[[effect]]\non = \"Core.System/*/reboot\"\n"
      "ends_sessions = true",
      {record("SVC.Core.Terminal/1/get", terminal_off)});
  const std::string ann = log_in(*server.handler, "ann");
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + ann) == terminal_off);
  http::Request reboot;
  reboot.method = "GET";
  reboot.target = testing::target_of("SVC.Core.System/1/reboot?_sid=" + ann);
  const auto exchange = std::make_shared<testing::FakeExchange>(std::move(reboot));
  server.handler->handle(exchange);
  CHECK(server.body("SVC.Core.Terminal/1/get?_sid=" + ann) == error(119));
}

TEST_CASE("effects: an overlay that answers the write with an error stops its effects") {
  EffectServer server("[[overlay]]\ncall = \"Core.Terminal/1/set\"\nerror = 105\ntimes = 1\n" + terminal_effect,
                      {record("SVC.Core.Terminal/1/get", terminal_off)});
  CHECK(server.body("SVC.Core.Terminal/1/set?enable_ssh=true") == error(105));
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_off);
  CHECK(server.body("SVC.Core.Terminal/1/set?enable_ssh=true") == R"({"success":true})");
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/get")) == "derived");
}

TEST_CASE("effects: changes are below overlays, which see them") {
  EffectServer server("[[overlay]]\ncall = \"Core.Terminal/1/get\"\nmerge = { data = { ssh_port = 1 } }\n" + terminal_effect,
                      {record("SVC.Core.Terminal/1/get", terminal_off)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true&ssh_port=3");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == R"({"data": { "enable_ssh" : true, "ssh_port":1, "note":null },"success":true})");
  CHECK(outcome(get) == "overlay");
}

const std::string terminal_on = R"({"data": { "enable_ssh" : true, "ssh_port":22, "note":null },"success":true})";

std::vector<Recorded> recorded_write() {
  return {record("SVC.Core.Terminal/1/get", terminal_off), record("SVC.Core.Terminal/1/set?enable_ssh=true", ok),
          record("SVC.Core.Terminal/1/get", terminal_on)};
}

TEST_CASE("effects: a recorded write plays what followed it, and its own effects do not touch that") {
  EffectServer server(terminal_effect, recorded_write());
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_off);
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

TEST_CASE("effects: later writes apply to what was recorded after a recorded write") {
  EffectServer server(terminal_effect, recorded_write());
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  (void)server.ask("SVC.Core.Terminal/1/set?ssh_port=5");
  CHECK(server.body("SVC.Core.Terminal/1/get") ==
        R"({"data": { "enable_ssh" : true, "ssh_port":5, "note":null },"success":true})");
}

TEST_CASE("effects: a recorded write after which no read was recorded has its effects") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off),
                                        record("SVC.Core.Terminal/1/set?enable_ssh=true", ok)});
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "recorded");
  const auto get = server.ask("SVC.Core.Terminal/1/get");
  CHECK(get.body == terminal_on);
  CHECK(outcome(get) == "derived");
}

TEST_CASE("effects: a recorded write that failed has none") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off),
                                        record("SVC.Core.Terminal/1/set?enable_ssh=true", error(105))});
  CHECK(server.body("SVC.Core.Terminal/1/set?enable_ssh=true") == error(105));
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_off);
}

TEST_CASE("effects: they belong to the run, else the account, else the id") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off)});
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

TEST_CASE("effects: an owner has 1,000 changes, beyond which the oldest goes with one warning") {
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

TEST_CASE("effects: an owner has 1 MiB of changes") {
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
  EffectServer server(
      terminal_effect,
      {record("SVC.Core.Terminal/1/get", terminal_off).with_header("ETag", "\"1\"").with_header("Last-Modified", "x"),
       record("SVC.Core.Terminal/1/get", "").with_request_header("If-None-Match", "\"1\"").with_status(304, "Not Modified")});
  CHECK(server.ask("SVC.Core.Terminal/1/get", {{"If-None-Match", "\"1\""}}).status == 304);
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  const auto get = server.ask("SVC.Core.Terminal/1/get", {{"If-None-Match", "\"1\""}});
  CHECK(get.status == 200);
  CHECK(get.body == terminal_on);
  CHECK(header_of(get, "ETag") == "none");
  CHECK(header_of(get, "Last-Modified") == "none");
}

TEST_CASE("effects: a compound with an affected part is taken apart, and later parts see earlier changes") {
  const std::string parts =
      R"([{"api":"SVC.Core.Terminal","method":"set","version":1,"enable_ssh":true},{"api":"SVC.Core.Terminal","method":"get","version":1}])";
  const std::string reads =
      R"([{"api":"SVC.Core.Terminal","method":"get","version":1},{"api":"SVC.Core.User","method":"get","version":1}])";
  const std::string recorded =
      R"({"data":{"has_fail":false,"result":[{"api":"SVC.Core.Terminal","data":{"enable_ssh":false},"method":"get","success":true,"version":1},)"
      R"({"api":"SVC.Core.User","data":{"n":1},"method":"get","success":true,"version":1}]},"success":true})";
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off),
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

TEST_CASE("effects: the writes of a compound that plays whole have effects") {
  const std::string parts =
      R"([{"api":"SVC.Core.Terminal","method":"set","version":1,"enable_ssh":true},{"api":"SVC.Core.User","method":"get","version":1}])";
  const std::string recorded =
      R"({"data":{"has_fail":false,"result":[{"api":"SVC.Core.Terminal","method":"set","success":true,"version":1},)"
      R"({"api":"SVC.Core.User","data":{"n":1},"method":"get","success":true,"version":1}]},"success":true})";
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off),
                                        record("SVC.Entry.Request/1/request?compound=" + parts, recorded)});
  CHECK(outcome(server.ask("SVC.Entry.Request/1/request?compound=" + parts)) == "recorded");
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_on);
}

TEST_CASE("effects: built-in ones are the get/set pairs, need their option, and give way to declared ones") {
  const std::vector<Recorded> rows = {record("SVC.Core.Terminal/1/get", terminal_off)};
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

TEST_CASE("effects: nothing stands in for a write that is recorded and cannot be played") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off),
                                        record("SVC.Core.Terminal/1/set?enable_ssh=true", ok).broken("cut")});
  CHECK(outcome(server.ask("SVC.Core.Terminal/1/set?enable_ssh=true")) == "miss");
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_off);
}

TEST_CASE("effects: a set may be posted with a scope, and its changes go with it") {
  EffectServer server("", {record("SVC.Core.Terminal/1/get", terminal_off)});
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

TEST_CASE("effects: resetting clears what was written") {
  EffectServer server(terminal_effect, {record("SVC.Core.Terminal/1/get", terminal_off)});
  (void)server.ask("SVC.Core.Terminal/1/set?enable_ssh=true");
  server.handler->overlays().counts().forget_all();
  CHECK(server.body("SVC.Core.Terminal/1/get") == terminal_off);
}

std::string effect_failure(const std::string& toml) {
  try {
    (void)read_overlay_toml(toml, "e.toml", "/nonexistent");
  } catch (const std::invalid_argument& failure) {
    return failure.what();
  }
  return "none";
}

TEST_CASE("effects: every mistake names its file and line") {
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
