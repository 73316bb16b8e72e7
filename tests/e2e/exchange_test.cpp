// Tests `tapedeck export`, `import`, and `diff`.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>

#include "tests/e2e/harness.h"
#include "tests/support/needs.h"

namespace tapedeck::tests::exchange_cases {

namespace {

std::string recorded(const TempDir& folder, const std::string& name) {
  const Device device;
  const std::string cassette = folder / name;
  record(folder.path(), device, cassette, [](const std::string& url) { (void)play(url, whole_session()); });
  return cassette;
}

/// Returns `text` with the first occurrence of `old` replaced.
std::string with(std::string text, const std::string& old, const std::string& instead) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), instead);
}

constexpr const char* har_dump = "/usr/share/doc/mitmproxy/examples/contrib/har_dump.py";

/// Returns "http://127.0.0.1:PORT" once mitmdump listens, or an empty text if it does not.
std::string address_of(Child& proxy) {
  for (int i = 0; i < 600; ++i) {
    const std::string said = proxy.out();
    const std::size_t at = said.find("listening at ");
    const std::size_t end = at == std::string::npos ? at : said.find('\n', at);
    if (end != std::string::npos) return "http://" + said.substr(at + 13, end - at - 13);
    if (proxy.wait(milliseconds(100))) return {};
  }
  return {};
}

}  // namespace

TEST_CASE("export and import: JSON lines give an equal cassette that replays the same") {
  const TempDir folder;
  const std::string cassette = recorded(folder, "a.cassette");
  const std::string text = folder / "a.txt", copy = folder / "copy.cassette";
  REQUIRE(run_tapedeck({"export", "--as", "jsonl", cassette, "-o", text}).status == 0);
  const Ran imported = run_tapedeck({"import", text, "-o", copy, "--json"});
  INFO(imported.out << imported.err);
  REQUIRE(imported.status == 0);
  CHECK(nlohmann::json::parse(imported.out).at("finished") == true);
  CHECK(hash_of(copy) == hash_of(cassette));
  CHECK(ids_in(copy) == ids_in(cassette));
  CHECK(run_tapedeck({"diff", cassette, copy}).status == 0);
  // An existing file is not overwritten.
  const Ran again = run_tapedeck({"import", text, "--out", copy});
  CHECK(again.status != 0);
  CHECK(again.err.find("already exists") != std::string::npos);
}

TEST_CASE("export: the review output is deterministic, filters apply, and no partial file stays") {
  const TempDir folder;
  const std::string cassette = recorded(folder, "a.cassette");
  const Ran review = run_tapedeck({"export", "--as", "text", cassette});
  REQUIRE(review.status == 0);
  CHECK(review.out.starts_with("tapedeck text 1\n\ninteraction "));
  for (const std::string& id : ids_in(cassette)) CHECK(review.out.find(id) == std::string::npos);
  const Ran part = run_tapedeck({"export", "--as", "text", "--call", "Core.AppPortal", cassette});
  CHECK(part.out.find("interaction SYNO.Core.AppPortal/1/list") != std::string::npos);
  CHECK(part.out.find("interaction SYNO.API.Auth") == std::string::npos);
  const Ran none = run_tapedeck({"export", "--as", "text", "--call", "*/list", "--scope", "no such", "--take", "1",
                                 "--outcome", "ok", "--status", "2xx", "--since", "1d", cassette});
  CHECK(none.status == 0);
  CHECK(none.out == "tapedeck text 1\n");
  CHECK(run_tapedeck({"export", cassette}).status == 2);
  CHECK(run_tapedeck({"export", "--as", "text", cassette, "--out", folder / "no/such/folder"}).status == 1);
  CHECK(run_tapedeck({"export", "--as", "text", folder / "none.cassette", "--out", folder / "out.txt"}).status == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "out.txt"));
}

TEST_CASE("import: an error is named with its line and column, and no cassette is created") {
  const TempDir folder;
  const std::string cassette = recorded(folder, "a.cassette");
  const std::string text = run_tapedeck({"export", "--as", "jsonl", cassette}).out;
  const std::string broken = folder / "broken.txt", out = folder / "out.cassette";
  write_file(broken, with(text, "\"take\":1", "\"take\":x"));
  const Ran ran = run_tapedeck({"import", broken, "-o", out});
  CHECK(ran.status == 2);
  CHECK(ran.err.find("broken.txt, line ") != std::string::npos);
  CHECK(ran.err.find(", column ") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(run_tapedeck({"import", folder / "none.txt", "-o", out}).status == 2);
  write_file(folder / "rules.toml", "[scrub]\nno_such = 1\n");
  CHECK(run_tapedeck({"import", broken, "-o", out, "--config", folder / "rules.toml"}).status == 2);
}

TEST_CASE("git diff: one changed field of one response shows only this field and its record's heading") {
  const TempDir folder;
  const std::string cassette = recorded(folder, "a.cassette");
  const std::string before = folder / "before.txt", after = folder / "after.txt", changed = folder / "b.cassette";
  const std::string all = run_tapedeck({"export", "--as", "jsonl", cassette}).out;
  write_file(folder / "all.txt", with(all, "fixture-nas\\\"", "other-nas\\\""));
  REQUIRE(run_tapedeck({"import", folder / "all.txt", "-o", changed}).status == 0);
  REQUIRE(run_tapedeck({"export", "--as", "text", cassette, "-o", before}).status == 0);
  REQUIRE(run_tapedeck({"export", "--as", "text", changed, "-o", after}).status == 0);
  const Ran diff = run({"git", "diff", "--no-index", "-U0", "--no-color", before, after});
  std::string shown = diff.out.substr(std::min(diff.out.find("@@"), diff.out.size()));
  // The line number depends on the device.
  shown.erase(3, shown.find(" @@") - 3);
  CHECK(shown ==
        "@@  @@ interaction SYNO.Core.Network/1/get\n"
        "-        \"server_name\": \"fixture-nas\",\n"
        "+        \"server_name\": \"other-nas\",\n");
  const Ran named = run_tapedeck({"diff", cassette, changed});
  CHECK(named.status == 1);
  CHECK(named.out.find("value      /data/server_name: \"fixture-nas\" -> \"other-nas\"") != std::string::npos);
}

TEST_CASE("diff: prints text and JSON, with and without noise, and ignores paths") {
  const TempDir folder;
  const std::string cassette = recorded(folder, "a.cassette");
  const std::string changed = folder / "b.cassette";
  const std::string all = run_tapedeck({"export", "--as", "jsonl", cassette}).out;
  write_file(folder / "all.txt", with(all, "fixture-nas\\\"", "other\\\""));
  REQUIRE(run_tapedeck({"import", folder / "all.txt", "-o", changed}).status == 0);
  const auto json = nlohmann::json::parse(run_tapedeck({"diff", "--json", "--noise", cassette, changed}).out);
  CHECK(json.at("differs") == true);
  CHECK(json.at("changed") == 1);
  CHECK(json.at("calls").at(0).at("changes").at(0).at("path") == "/data/server_name");
  CHECK(run_tapedeck({"diff", "--ignore", "/data/server_name", cassette, changed}).status == 0);
  CHECK(run_tapedeck({"diff", "--ignore", "data", cassette, changed}).status == 2);
  CHECK(run_tapedeck({"diff", cassette, folder / "none.cassette"}).status == 2);
}

TEST_CASE("import: a HAR of Debian's mitmproxy replays", "[long]") {
  if (is_missing("mitmproxy", has_program("mitmdump") && std::filesystem::exists(har_dump))) return;
  const TempDir folder;
  const std::string har = folder / "seen.har", cassette = folder / "m.cassette";
  Transcript seen;
  const std::vector<Step> steps = {
      login_step(), call("network", "api=SYNO.Core.Network&version=1&method=get&_sid={sid}"),
      call("upload", "api=SYNO.FileStation.Download&version=2&method=download&_sid={sid}")};
  {
    const Device device;
    Child proxy({{"mitmdump", "--listen-host", "127.0.0.1", "--listen-port", "0", "--mode", "reverse:" + device.url(),
                  "-s", har_dump, "--set", "hardump=" + har, "--set", "confdir=" + folder / "conf"},
                 {{"PYTHONUNBUFFERED", "1"}, {"HOME", folder.path().string()}},
                 folder.path().string(),
                 folder / "proxy.out",
                 folder / "proxy.err"});
    const std::string url = address_of(proxy);
    INFO(proxy.err());
    REQUIRE_FALSE(url.empty());
    seen = play(url, steps);
    proxy.signal(SIGINT);
    REQUIRE(proxy.wait());
  }
  const Ran imported = run_tapedeck({"import", har, "-o", cassette});
  INFO(imported.out << imported.err);
  REQUIRE(imported.status == 0);
  CHECK(read_file(cassette).find(seen.sid) == std::string::npos);
  Server replay(folder.path(), {"replay", "--strict", cassette});
  CHECK(differences(seen, play(replay.url(), steps)).empty());
  CHECK(replay.stop() == 0);
}

TEST_CASE("import: an error in a HAR has line and column, and entries of other servers are counted") {
  const TempDir folder;
  const std::string har = folder / "x.har", out = folder / "x.cassette";
  const std::string one = R"({"startedDateTime":"2026-01-01T12:00:00Z","time":3,
    "request":{"method":"GET","url":"http://nas.example/dsm/webapi/entry.cgi?api=SVC.A&version=1&method=get","headers":[]},
    "response":{"status":200,"headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"text":"{\"success\":true}"}}})";
  const std::string elsewhere = with(one, "nas.example/dsm/webapi", "cdn.example/x");
  const auto archive = [&](const std::string& entries) {
    write_file(har, "{\"log\":{\"entries\":[\n" + entries + "]}}");
    return run_tapedeck({"import", har, "-o", out});
  };
  const std::pair<std::string, std::string> faults[] = {
      {one + ",\n{]", "line 5, column 2: not a JSON file"},
      {with(one, "\"GET\"", "\"G T\""), "contains no HTTP request (line 2, column 1: invalid request method)"},
      {"", "line 1, column 1: the archive contains no HTTP request"},
  };
  for (const auto& [entries, fault] : faults) {
    const Ran ran = archive(entries);
    INFO(ran.err);
    CHECK(ran.status == 2);
    CHECK(ran.err.find(fault) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(out));
  }
  const std::string without_body = with(one, "\"text\"", "\"size\":7,\"x\"");
  const Ran ran = archive(elsewhere + "," + with(one, "12:00:00Z", "noon") + ",\n" + without_body + ",\n{}");
  INFO(ran.out << ran.err);
  REQUIRE(ran.status == 0);
  for (const char* const said :
       {"skipped 1 entries of other servers", "1 entries have no date",
        "skipped 1 entries that contain no request:\n  line 10, column 1: the entry has no usable \"request\"",
        "1 entries lack their response or its body; replay never plays them:\n  line 7, column 1: the archive does "
        "not"}) {
    CHECK(ran.err.find(said) != std::string::npos);
  }
  const auto lines = nlohmann::json::parse(run_tapedeck({"ls", "--json", out}).out);
  REQUIRE(lines.size() == 2);
  CHECK(lines.at(0).at("key") == "SVC.A/1/get");
  CHECK(lines.at(1).at("completeness") == "broken");
}

TEST_CASE("export: writes HAR, JSON lines, and TypeScript, one format at a time") {
  const TempDir folder;
  const std::string cassette = recorded(folder, "a.cassette");
  const auto har = nlohmann::json::parse(
      run_tapedeck({"export", "--as", "har", "--base-url", "https://nas.test", cassette, cassette}).out);
  CHECK(har.at("log").at("version") == "1.2");
  CHECK(har.at("log").at("entries").size() == 2 * whole_session().size());
  CHECK(har.at("log").at("entries").at(0).at("request").at("url").get<std::string>().starts_with("https://nas.test/"));
  const std::string lines = run_tapedeck({"export", "--as", "jsonl", cassette}).out;
  std::istringstream split(lines);
  std::size_t complete = 0;
  for (std::string line; std::getline(split, line);) {
    complete += nlohmann::json::parse(line).value("completeness", "") == "complete" ? 1 : 0;
  }
  CHECK(complete == whole_session().size());
  CHECK(run_tapedeck({"export", "--as", "jsonl", "--base-url", "http://x.test", cassette}).status == 2);
  CHECK(run_tapedeck({"export", "--as", "typescript", cassette}).out.find("export type CoreNetworkGetV1 = {") !=
        std::string::npos);
  // The name of the output decides the format unless --as does.
  for (const auto& [name, begin] : {std::pair{"x.har", "{\"log\""}, {"x.jsonl", "{"}, {"x.ts", "//"}, {"x.txt", ""}}) {
    CAPTURE(name);
    REQUIRE(run_tapedeck({"export", cassette, "-o", folder / name}).status == 0);
    CHECK(read_file(folder / name).starts_with(begin));
  }
  CHECK(read_file(folder / "x.jsonl") == lines);
  CHECK(run_tapedeck({"export", cassette, "--as", "text", "-o", folder / "y.har"}).out.empty());
  CHECK(read_file(folder / "y.har") == read_file(folder / "x.txt"));
  CHECK(run_tapedeck({"export", cassette}).status == 2);
}

}  // namespace tapedeck::tests::exchange_cases
