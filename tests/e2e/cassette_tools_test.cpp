// Tests commands for cassettes: filters, ls, info, grep, edit, rm, export of a part, merge.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::cassette_tools_cases {

namespace {

using nlohmann::json;

constexpr const char* network = "api=SYNO.Core.Network&version=1&method=get";
constexpr const char* portals = "api=SYNO.Core.AppPortal&version=1&method=list";
constexpr const char* missing = "api=SYNO.Core.Nothing&version=1&method=get";

json parsed(const std::vector<std::string>& arguments) { return json::parse(run_tapedeck(arguments).out); }

/// Records a login, three calls that succeed, and one that fails.
void record_sample(const TempDir& folder, const Device& device, const std::string& cassette) {
  record(folder.path(), device, cassette,
         [&](const std::string& url) {
           (void)play(url, {login_step(), call("network", network), call("again", network), call("missing", missing),
                            call("portals", portals)});
         },
         {"--note", "a sample"});
}

std::vector<std::string> ids_with(const std::string& cassette, const std::vector<std::string>& filters) {
  std::vector<std::string> arguments = {"ls", "--json", cassette}, ids;
  arguments.insert(arguments.end(), filters.begin(), filters.end());
  for (const auto& line : parsed(arguments)) ids.push_back(line.at("id").get<std::string>());
  return ids;
}

std::string body_of(const std::string& cassette, const std::string& id) {
  return run_tapedeck({"show", cassette, id, "--as", "body"}).out;
}

}  // namespace

TEST_CASE("ls: applies each filter and sorts") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record_sample(folder, device, cassette);
  const std::size_t all = ids_in(cassette).size();
  REQUIRE(all == 5);
  struct Case {
    std::vector<std::string> filters;
    std::size_t found;
  };
  for (const Case& one : {Case{{"--call", "Core.Network"}, 2}, Case{{"--call", "SYNO.Core.*/get"}, 3},
                          Case{{"--call", "Core.Network", "--call", "API.Auth"}, 3}, Case{{"--scope", "volumes"}, 0},
                          Case{{"--scope", ""}, all}, Case{{"--take", "1"}, all}, Case{{"--take", "2"}, 0},
                          Case{{"--outcome", "ok"}, 4}, Case{{"--outcome", "error"}, 1}, Case{{"--status", "2xx"}, all},
                          Case{{"--status", "200/102"}, 1}, Case{{"--since", "1h"}, all}}) {
    INFO(one.filters[0]);
    CHECK(ids_with(cassette, one.filters).size() == one.found);
  }
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--outcome", "fine"},
                                                {"--status", "4"},
                                                {"--since", "soon"},
                                                {"--scope", "%zz"},
                                                {"--sort", "name"},
                                                {"--take", "x"}}) {
    std::vector<std::string> arguments = {"ls", cassette};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    CHECK(run_tapedeck(arguments).status == 2);
  }
  for (const char* order : {"key", "duration", "size", "status"}) {
    CHECK(ids_with(cassette, {"--sort", order}).size() == all);
  }
  CHECK(ids_with(cassette, {"--sort", "time"}).size() == all);
  const json first = parsed({"ls", "--json", cassette, "--sort", "time"}).at(0);
  CHECK(says(first.at("key").get<std::string>(), "API.Auth"));
  CHECK(says(run_tapedeck({"ls", cassette, "--outcome", "error"}).out, "; shown: 1"));
}

TEST_CASE("info: explains files and folders that change while it reads a folder") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record_sample(folder, device, cassette);
  std::atomic<bool> is_done = false;
  std::thread changing([&] {
    while (!is_done) {
      std::filesystem::create_directory(folder / "sub");
      std::filesystem::copy_file(cassette, folder / "sub/b.cassette");
      std::filesystem::remove_all(folder / "sub");
    }
  });
  for (int i = 0; i < 20; ++i) {
    const Ran ran = run_tapedeck({"info", folder.path().string()});
    CAPTURE(ran.out, ran.err);
    CHECK((says(ran.out, "a.cassette") || says(ran.err, "did it change just now?")));
    CHECK_FALSE(says(ran.out + ran.err, "filesystem error"));
  }
  is_done = true;
  changing.join();
}

TEST_CASE("info and grep: print the content of a cassette as tables and as JSON") {
  const TempDir folder;
  const Device device;
  std::filesystem::create_directory(folder / "tapes");
  const std::string cassette = folder / "tapes/a.cassette";
  record_sample(folder, device, cassette);
  write_file(folder / "tapes/broken.cassette", "no cassette");
  const Ran whole = run_tapedeck({"info", folder / "tapes"});
  CHECK(whole.status == 2);
  CHECK(says(whole.out, "a sample"));
  CHECK(says(whole.out, "broken.cassette"));
  const json info = parsed({"info", "--json", cassette});
  REQUIRE(info.size() == 1);
  CHECK(info[0].at("interactions") == 5);
  CHECK(info[0].at("scopes") == 0);
  CHECK(info[0].at("state") == "finished");

  const json stats = parsed({"info", "--calls", "--json", cassette, "--call", "Core.*/get", "--take", "1", "--scope",
                             "", "--since", "1h", "--outcome", "ok", "--outcome", "error", "--status", "200"});
  CHECK(stats.at("all").at("calls") == 3);
  CHECK(stats.at("all").at("errors") == 1);
  CHECK(stats.at("coverage").at("specified").at("Core.Network get") == 2);
  CHECK(says(run_tapedeck({"info", "--calls", cassette}).out, "SYNO.Core.Network"));

  const Ran found = run_tapedeck({"grep", "\"success\":\\s*true", cassette, "--call", "Core.Network/get", "--take", "1",
                                  "--scope", "", "--since", "1h", "--outcome", "ok", "--status", "200"});
  CHECK(found.status == 0);
  CHECK(says(found.out, "response body:1:"));
  CHECK(run_tapedeck({"grep", "(", cassette}).status == 2);
  CHECK(run_tapedeck({"grep", "--fixed", "(", cassette}).status == 1);
  CHECK(run_tapedeck({"grep", "core.network", cassette}).status == 1);
  const json hits = parsed({"grep", "--json", "--ignore-case", "core.network/1/GET", cassette});
  REQUIRE(hits.size() == 2);
  CHECK(hits[0].at("matches")[0].at("place") == "key");
  CHECK(parsed({"grep", "--json", "nowhere to be found", cassette}).empty());
}

TEST_CASE("show --as json: prints a whole interaction with its redactions") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record_sample(folder, device, cassette);
  const std::string id = ids_with(cassette, {"--call", "API.Auth"}).at(0);
  const json shown = parsed({"show", cassette, id, "--as", "json"});
  CHECK(shown.at("id") == id);
  CHECK(shown.at("request").at("method") == "GET");
  CHECK(shown.at("answer").at("status") == 200);
  CHECK(shown.at("answer").at("body").get<std::string>() == body_of(cassette, id));
  CHECK(shown.at("redacted").size() == shown.at("redactions"));
  CHECK(run_tapedeck({"show", cassette, id, "--as", "marks"}).status == 2);
}

TEST_CASE("edit: changes body, value, status, and header of one response, and can set them back") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record_sample(folder, device, cassette);
  const std::string before = hash_of(cassette), id = ids_with(cassette, {"--call", "Core.Network"}).at(0);
  const std::string old_body = body_of(cassette, id);
  CHECK(run_tapedeck({"edit", cassette, id, "--set", "/data/added=[1, 2]", "--set", "/success=false", "--status", "503",
                      "--header", "Retry-After: 1"})
            .status == 0);
  const json body = json::parse(body_of(cassette, id));
  CHECK(body.at("data").at("added") == json::array({1, 2}));
  CHECK(body.at("success") == false);
  const std::string shown = run_tapedeck({"show", cassette, id}).out;
  CHECK(says(shown, "503 Service Unavailable"));
  CHECK(says(shown, "Retry-After: 1"));
  write_file(folder / "old", old_body);
  CHECK(run_tapedeck({"edit", cassette, id, "--body", folder / "old", "--status", "200", "--header", "Retry-After:"})
            .status == 0);
  CHECK(hash_of(cassette) == before);
  const json report = parsed({"edit", cassette, id, "--status", "404", "--json"});
  CHECK(report.at("finished") == true);
  CHECK(run_tapedeck({"edit", cassette, id, "--status", "200"}).status == 0);
  CHECK(hash_of(cassette) == before);
  CHECK(says(run_tapedeck({"edit", cassette, id, "--status", "200"}).out, "Nothing to change"));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--set", "/x"},
                                                {"--set", "x=1"},
                                                {"--rename", "a=b"},
                                                {"--set", "/data={"},
                                                {"--set", "/no/such/place=1"},
                                                {"--status", "99"},
                                                {"--header", "none"},
                                                {"--header", "Content-Length: 3"},
                                                {"--body", folder / "nowhere"}}) {
    std::vector<std::string> arguments = {"edit", cassette, id};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    CHECK(run_tapedeck(arguments).status == 2);
  }
  CHECK(run_tapedeck({"edit", cassette, "0000000000000000", "--status", "200"}).status == 2);
  CHECK(hash_of(cassette) == before);
}

TEST_CASE("edit: redactions survive as marks and placeholders, and a new secret is replaced") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record_sample(folder, device, cassette);
  const std::string before = hash_of(cassette), id = ids_with(cassette, {"--call", "API.Auth"}).at(0);
  const std::string placeholders = body_of(cassette, id);
  std::string marks = placeholders;
  const std::string placeholder = "<SESSION_ID>";
  REQUIRE(says(marks, placeholder));
  marks.replace(marks.find(placeholder), placeholder.size(), "{{session.id}}");
  for (const std::string& text : {marks, placeholders}) {
    // Unchanged, then with another member, then reverted.
    std::string other = text;
    other.replace(other.find("\"data\":{"), 8, "\"data\":{\"added\":1,");
    for (const std::string& next : {text, other, text}) {
      write_file(folder / "text", next);
      CHECK(run_tapedeck({"edit", cassette, id, "--body", folder / "text"}).status == 0);
      CHECK(says(body_of(cassette, id), "\"sid\":\"<SESSION_ID>\""));
      CHECK((hash_of(cassette) == before) == (next == text));
    }
  }
  const std::string rules = folder / "rules.toml";
  write_file(rules, "[scrub]\n");
  const std::string secret = "Corr3ct-Horse/Battery=9";
  CHECK(run_tapedeck({"edit", cassette, id, "--set", "/data/password=\"" + secret + "\"", "--config", rules}).status ==
        0);
  CHECK_FALSE(says(read_file(cassette), secret));
  CHECK_FALSE(says(body_of(cassette, id), secret));
}

TEST_CASE("edit: stores the edited text, and an invalid text changes nothing") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  record_sample(folder, device, cassette);
  const std::string before = hash_of(cassette), id = ids_with(cassette, {"--call", "Core.Network"}).at(0);
  const auto edit = [&](const std::string& script, std::vector<std::string> more = {}) {
    const std::string editor = folder / "editor";
    write_file(editor, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(editor, std::filesystem::perms::owner_all);
    std::vector<std::string> command = {binary(), "edit", cassette, id};
    command.insert(command.end(), more.begin(), more.end());
    return run(command, milliseconds(30000), {{"VISUAL", ""}, {"EDITOR", editor}, {"TMPDIR", folder.path().string()}});
  };
  CHECK(says(edit("true").out, "Nothing to change"));
  CHECK(hash_of(cassette) == before);
  CHECK(edit("sed -i 's/\"success\": true/\"success\": false/; s/^200 .*/500 Broken/; s/^Content-Type: .*/X-Edited: "
             "yes/' \"$1\"")
            .status == 0);
  const std::string shown = run_tapedeck({"show", cassette, id}).out;
  CHECK(says(shown, "500 Broken"));
  CHECK(says(shown, "X-Edited: yes"));
  CHECK(says(body_of(cassette, id), "\"success\":false"));
  const std::string after = hash_of(cassette);
  for (const char* script : {"echo nonsense > \"$1\"", "exit 1", "rm \"$1\"", ": > \"$1\"",
                             "printf '200 OK\\nno line\\n' > \"$1\"", "printf '200 OK\\n\\n{' > \"$1\""}) {
    const Ran failed = edit(script);
    INFO(script);
    CHECK(failed.status != 0);
    CHECK(says(failed.err, "the cassette is unchanged"));
    CHECK(hash_of(cassette) == after);
  }
  const std::string rules = folder / "rules.toml";
  write_file(rules, "[scrub]\n");
  const Ran json_report = edit("sed -i 's/^500 .*/200 OK/' \"$1\"", {"--json", "--config", rules});
  CHECK(json::parse(json_report.out).at("finished") == true);
}

TEST_CASE("rm and export: remove, keep, and list the selected interactions") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette", out = folder / "out.cassette";
  record_sample(folder, device, cassette);
  record_sample(folder, device, cassette);
  const std::string before = hash_of(cassette);
  REQUIRE(ids_in(cassette).size() == 10);
  CHECK(says(run_tapedeck({"rm", cassette, "--superseded", "--dry-run"}).out, "Would remove 5 of 10 interactions"));
  CHECK(parsed({"rm", cassette, "--scope", "volumes", "--dry-run", "--json"}).empty());
  CHECK(parsed({"rm", cassette, "--scope", "", "--take", "1", "--dry-run", "--json"}).size() == 5);
  CHECK(parsed({"rm", cassette, "--take", "2", "--superseded", "--dry-run", "--json"}).empty());
  CHECK(says(run_tapedeck({"rm", cassette, "--outcome", "broken"}).out, "Nothing to remove"));
  CHECK(run_tapedeck({"rm", cassette}).status == 2);
  const std::string id = ids_in(cassette).at(0);
  CHECK(parsed({"rm", cassette, id, "--dry-run", "--json"}).size() == 1);
  CHECK(hash_of(cassette) == before);

  // Finds recordings that a run did not use.
  const auto used = [&](const std::string& report, const std::string& query) {
    const Ran ran = run_tapedeck({"exec", cassette, "--report", report, "--", "sh", "-c",
                                  "curl -s \"$TAPEDECK_URL/webapi/entry.cgi?" + query + "\""});
    REQUIRE(ran.status == 0);
  };
  used(folder / "one.json", network);
  used(folder / "two.json", missing);
  const Ran unused = run_tapedeck(
      {"rm", cassette, "--unused", folder / "one.json", "--unused", folder / "two.json", "--dry-run", "--json"});
  CHECK(unused.status == 3);
  for (const auto& line : json::parse(unused.out)) {
    const auto key = line.at("key").get<std::string>();
    CHECK((line.at("take") == 1 || says(key, "AppPortal")));
    CHECK_FALSE(says(key, "API.Auth"));
  }
  CHECK(run_tapedeck({"rm", cassette, "--unused", cassette}).status == 2);

  CHECK(run_tapedeck({"export", cassette, "--out", out, "--call", "Core.*/get", "--take", "1", "--scope", "",
                      "--outcome", "ok", "--status", "2xx", "--since", "1h"})
            .status == 0);
  CHECK(ids_in(out).size() == 2);
  CHECK(run_tapedeck({"export", cassette, "--out", out}).status == 2);
  const std::string single = folder / "single.cassette";
  REQUIRE(run_tapedeck({"export", cassette, "--take", "2", "--call", "Core.AppPortal", "-o", single}).status == 0);
  CHECK(ids_in(single) == ids_with(cassette, {"--take", "2", "--call", "Core.AppPortal"}));
  CHECK(run_tapedeck({"export", cassette, cassette, "-o", folder / "two.cassette"}).status == 2);

  CHECK(run_tapedeck({"rm", cassette, "--superseded"}).status == 0);
  const std::vector<std::string> left = ids_in(cassette);
  REQUIRE(left.size() == 5);
  CHECK(ids_with(cassette, {"--take", "1"}) == left);
  CHECK(run_tapedeck({"rm", cassette, left[0].substr(0, 8), left[1]}).status == 0);
  CHECK(ids_in(cassette).size() == 3);
  CHECK(run_tapedeck({"rm", cassette, left[1]}).status == 2);
  CHECK(parsed({"rm", cassette, "--take", "1", "--json"}).at("interactions") == 0);
  CHECK(ids_in(cassette).empty());
  CHECK(run_tapedeck({"rm", cassette}).status == 2);
}

TEST_CASE("ls, grep, and info --calls: read several cassettes and name them") {
  const TempDir folder;
  const Device device;
  const std::string a = folder / "a.cassette", b = folder / "b.cassette";
  record_sample(folder, device, a);
  record_sample(folder, device, b);
  const json lines = parsed({"ls", "--json", a, b});
  REQUIRE(lines.size() == 10);
  CHECK(lines[0].at("cassette") == a);
  CHECK(lines[9].at("cassette") == b);
  CHECK(says(run_tapedeck({"ls", a, b}).out, "b.cassette: 5 interactions in 1 take"));
  CHECK(run_tapedeck({"ls", "--scopes", a, b}).status == 0);
  const json hits = parsed({"grep", "--json", "-F", "Core.AppPortal/1/list", a, b});
  REQUIRE(hits.size() == 2);
  CHECK(hits[1].at("cassette") == b);
  CHECK(says(run_tapedeck({"grep", "-F", "Core.AppPortal/1/list", a, b}).out, "b.cassette: "));
  CHECK(parsed({"info", "--calls", "--json", a, b}).at("all").at("calls") == 10);
  const json hashes = parsed({"info", "--hash", "--json", a, b});
  REQUIRE(hashes.size() == 2);
  CHECK(hashes[0].at("hash") == hash_of(a));
}

TEST_CASE("export --private: a part of a cassette contains only pseudonyms, and its scan is clean") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette", part = folder / "part.cassette", key = folder / "key";
  record_sample(folder, device, cassette);
  const std::string address = "192.0.2.77";
  const std::string id = ids_with(cassette, {"--call", "Core.Network"}).at(0);
  REQUIRE(run_tapedeck({"edit", cassette, id, "--set", "/data/gateway=\"" + address + "\""}).status == 0);
  REQUIRE(says(run_tapedeck({"scan", "--private", cassette}).out, id));
  const std::vector<std::string> exporting = {"export", cassette, "--call", "Core.Network", "--private-key", key, "-o"};
  std::vector<std::string> to_part = exporting, again = exporting;
  to_part.push_back(part);
  again.push_back(folder / "again.cassette");
  REQUIRE(run_tapedeck(to_part).status == 0);
  CHECK(ids_in(part).size() == 2);
  CHECK_FALSE(says(read_file(part), address));
  CHECK(run_tapedeck({"scan", "--private", part}).status == 0);
  CHECK(says(read_file(cassette), address));
  REQUIRE(run_tapedeck(again).status == 0);
  CHECK(hash_of(folder / "again.cassette") == hash_of(part));
  CHECK(run_tapedeck({"export", "--as", "text", "--private", cassette}).status == 2);
}

TEST_CASE("merge: a scope recorded on two sides is a conflict that names it") {
  const TempDir folder;
  const Device device;
  const std::string a = folder / "a.cassette", b = folder / "b.cassette";
  for (const std::string& cassette : {a, b}) {
    record(folder.path(), device, cassette, [&](const std::string& url) {
      (void)curl({url + "/webapi/entry.cgi?" + network, "-H", "X-Tapedeck-Scope: login%20fails"});
    });
  }
  const Ran conflict = run_tapedeck({"merge", a, b, "-o", folder / "out.cassette"});
  CHECK(conflict.status == 1);
  CHECK(says(conflict.err, "conflict: scope login fails: recorded 20"));
  CHECK_FALSE(std::filesystem::exists(folder / "out.cassette"));
  CHECK(run_tapedeck({"merge", a, b, "-o", folder / "out.cassette", "--prefer", "B"}).status == 0);
  CHECK(ids_in(folder / "out.cassette") == ids_in(b));
}

TEST_CASE("merge: merges two recordings, lists conflicts, and prefers a side") {
  const TempDir folder;
  const Device device;
  const std::string base = folder / "base.cassette", a = folder / "a.cassette", b = folder / "b.cassette",
                    out = folder / "out.cassette";
  record_sample(folder, device, base);
  for (const std::string& path : {a, b}) std::filesystem::copy_file(base, path);
  record_sample(folder, device, a);
  record_sample(folder, device, b);
  CHECK(run_tapedeck({"merge", a, b, "--out", out, "--base", base}).status == 0);
  CHECK(ids_in(out).size() == 15);
  CHECK(run_tapedeck({"merge", a, b, "-o", out}).status == 2);
  const std::string both = hash_of(out);
  CHECK(run_tapedeck({"merge", b, a, "-o", b}).status == 0);
  CHECK(hash_of(b) == both);
  CHECK(run_tapedeck({"merge", b, b, "-o", b}).status == 0);
  CHECK(hash_of(b) == both);

  const std::string id = ids_with(base, {"--call", "Core.AppPortal"}).at(0);
  REQUIRE(run_tapedeck({"edit", a, id, "--set", "/by=\"a\""}).status == 0);
  REQUIRE(run_tapedeck({"edit", b, id, "--set", "/by=\"b\""}).status == 0);
  const std::string before = hash_of(b);
  const Ran conflict = run_tapedeck({"merge", a, b, "-o", b, "--as", "ours", "--as", "theirs"});
  CHECK(conflict.status == 1);
  CHECK(says(conflict.err,
             "conflict: " + id + " SYNO.Core.AppPortal/1/list: changed in ours, changed in another way in theirs\n"));
  CHECK(hash_of(b) == before);
  const json conflicts = parsed({"merge", a, b, "-o", b, "--json"}).at("conflicts");
  REQUIRE(conflicts.size() == 1);
  CHECK(conflicts[0].at("id") == id);
  CHECK(run_tapedeck({"merge", a, b, "-o", b, "--prefer", "C"}).status == 2);
  CHECK(run_tapedeck({"merge", a, "-o", b}).status == 2);
  CHECK(run_tapedeck({"merge", a, b, "-o", b, "--prefer", "A"}).status == 0);
  CHECK(says(body_of(b, id), "\"by\":\"a\""));
}

TEST_CASE("tools: handle a repeated path, an output that is an input, and empty cassettes") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette", empty = folder / "empty.cassette", out = folder / "out";
  record_sample(folder, device, cassette);
  const std::string before = read_file(cassette), hash = hash_of(cassette);
  CHECK(run_tapedeck({"diff", cassette, cassette}).status == 0);
  REQUIRE(run_tapedeck({"merge", cassette, cassette, "-o", out}).status == 0);
  CHECK(hash_of(out) == hash);
  CHECK(parsed({"info", "--json", cassette, cassette}).size() == 2);
  // An output must not overwrite its input under any name.
  std::filesystem::create_symlink(cassette, folder / "link");
  for (const std::string& name : {cassette, folder / "link"}) {
    CHECK(run_tapedeck({"export", "--as", "text", cassette, "-o", name}).status == 2);
    CHECK(run_tapedeck({"export", "--as", "cassette", cassette, "-o", name}).status == 2);
    CHECK(run_tapedeck({"import", cassette, "-o", name}).status == 2);
  }
  CHECK(read_file(cassette) == before);

  std::filesystem::copy_file(cassette, empty);
  std::vector<std::string> all = {"rm", empty};
  for (const std::string& id : ids_in(empty)) all.push_back(id);
  REQUIRE(run_tapedeck(all).status == 0);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"ls", empty},
                                             {"ls", "--json", empty},
                                             {"info", empty},
                                             {"info", "--calls", empty},
                                             {"info", "--hash", empty},
                                             {"diff", empty, empty},
                                             {"export", "--as", "text", empty},
                                             {"export", "--as", "har", empty},
                                             {"export", "--as", "jsonl", empty},
                                             {"export", "--as", "typescript", empty},
                                             {"rm", empty, "--outcome", "broken"}}) {
    const Ran ran = run_tapedeck(command);
    INFO(command[0] << " " << command[1] << ran.err);
    CHECK(ran.status == 0);
  }
  CHECK(run_tapedeck({"grep", "x", empty}).status == 1);
  CHECK(run_tapedeck({"diff", cassette, empty}).status == 1);
  // A text without a take is refused, because it would become a cassette without a recording.
  write_file(folder / "text", run_tapedeck({"export", "--as", "jsonl", empty}).out);
  const Ran back = run_tapedeck({"import", folder / "text", "-o", folder / "back"});
  CHECK(back.status == 2);
  CHECK(says(back.err, "the file contains no take"));
  REQUIRE(run_tapedeck({"merge", cassette, empty, "-o", folder / "both"}).status == 0);
  CHECK(hash_of(folder / "both") == hash);
}

}  // namespace tapedeck::tests::cassette_tools_cases
