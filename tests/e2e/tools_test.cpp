// Tests `tapedeck ls` and `tapedeck show`.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::tools_cases {

namespace {

bool has_raw_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  });
}

/// Returns characters that control a terminal: controls except line ends and tabs, and marks that change the writing
/// direction.
std::string steering_in(const std::string& text) {
  static const std::regex steering(
      "[\\x01-\\x08\\x0b-\\x1f\\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]");
  std::smatch found;
  return std::regex_search(text, found, steering) ? text.substr(static_cast<std::size_t>(found.position()), 40) : "";
}

}  // namespace

TEST_CASE("ls: --json is JSON with one entry for each request in order") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "l.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) { (void)play(url, whole_session()); });
  const Ran listed = run_tapedeck({"ls", "--json", cassette});
  REQUIRE(listed.status == 0);
  const auto lines = nlohmann::json::parse(listed.out);
  REQUIRE(lines.size() == whole_session().size());
  for (const auto& line : lines) {
    CHECK(line.at("id").get<std::string>().size() == 16);
    CHECK(line.at("completeness") == "complete");
    CHECK(line.at("take") == 1);
  }
  const Ran table = run_tapedeck({"ls", cassette});
  CHECK(table.out.find("SYNO.Core.AppPortal/1/list?additional=[\"default_setting\"]") != std::string::npos);
  CHECK_FALSE(has_raw_control(table.out));
}

TEST_CASE("show: --body writes the exact bytes, and show names the redactions") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "s.cassette";
  const std::vector<Step> steps = {login_step(),
                                   call("download", "api=SYNO.FileStation.Download&version=2&method=download")};
  Transcript seen;
  record(folder.path(), device, cassette, [&](const std::string& url) { seen = play(url, steps); });
  for (const auto& line : nlohmann::json::parse(run_tapedeck({"ls", "--json", cassette}).out)) {
    const std::string id = line.at("id").get<std::string>();
    const Ran shown = run_tapedeck({"show", cassette, id});
    CHECK(shown.status == 0);
    CHECK_FALSE(has_raw_control(shown.out));
    if (line.at("key").get<std::string>().find("Download") != std::string::npos) {
      CHECK(run_tapedeck({"show", cassette, id, "--as", "body"}).out == seen.replies[1].body);
    } else {
      CHECK(shown.out.find("<SESSION_ID>") != std::string::npos);
      CHECK(shown.out.find("Redactions") != std::string::npos);
      CHECK(run_tapedeck({"show", cassette, id.substr(0, 6), "--as", "body"}).out.find("\"sid\":\"<SESSION_ID>\"") !=
            std::string::npos);
    }
  }
}

TEST_CASE("changed body: every command refuses a cassette in which another program changed a body") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "b.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) {
    (void)play(url, {call("network", "api=SYNO.Core.Network&version=1&method=get")});
  });
  REQUIRE(run_tapedeck({"scan", cassette}).status == 0);
  const std::string id = ids_in(cassette).at(0);
  const Ran edit = run({"sqlite3", cassette,
                        "UPDATE body SET bytes = zeroblob(size) WHERE id = (SELECT body FROM interaction)"
                        "; SELECT changes()"});
  REQUIRE(edit.out == "1\n");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"show", cassette, id},
                                                  {"info", "--hash", cassette},
                                                  {"ls", cassette},
                                                  {"replay", cassette}}) {
    CAPTURE(command);
    const Ran ran = run_tapedeck(command);
    CHECK(ran.status == 2);
    CHECK(ran.err.find("b.cassette is damaged, or was changed by another program") != std::string::npos);
  }
  const Ran scanned = run_tapedeck({"scan", folder.path().string()});
  CHECK(scanned.status == 3);
  CHECK(scanned.out.find("b.cassette is damaged") != std::string::npos);
  const auto report = nlohmann::json::parse(run_tapedeck({"scan", "--json", cassette}).out);
  CHECK(report.at("unsettled").size() == 1);
}

TEST_CASE("show and ls: escape control characters of a request on a terminal") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette";
  record(folder.path(), device, cassette, [](const std::string& url) {
    (void)curl({url + "/webapi/entry.cgi?api=SYNO.Core.%1b%5b31mRed&version=1&method=get&a=%07%0d%c2%9b"});
    (void)curl({url + "/webapi/x.cgi", "--data-binary", "\x1b[2J\x07 raw"});
    (void)curl({url + "/webapi/y.cgi", "-H", "X-Tapedeck-Scope: turned %E2%80%AE round"});
  });
  for (const std::vector<std::string>& list :
       {std::vector<std::string>{"ls", cassette}, {"ls", "--scopes", cassette}}) {
    const std::string out = run_tapedeck(list).out;
    CHECK(out.find("\xe2\x80\xae") == std::string::npos);
    CHECK(out.find("turned") != std::string::npos);
  }
  CHECK_FALSE(has_raw_control(run_tapedeck({"ls", cassette}).out));
  CHECK_FALSE(has_raw_control(run_tapedeck({"ls", "--json", cassette}).out));
  for (const std::string& id : ids_in(cassette)) {
    const Ran shown = run_tapedeck({"show", cassette, id});
    CHECK(shown.status == 0);
    CHECK_FALSE(has_raw_control(shown.out));
    CHECK(shown.out.find("\xc2\x9b") == std::string::npos);
  }
  // On a terminal (created by script), even --body is escaped.
  const std::string id = ids_in(cassette).front();
  const Ran shown = run({"script", "-qec", binary() + " show " + cassette + " " + id, "/dev/null"});
  CHECK(shown.status == 0);
  CHECK(shown.out.find('\x1b') == std::string::npos);
}

TEST_CASE("terminal: no command and no export writes terminal controls") {
  const TempDir folder;
  const std::string odd =
      "C1\xc2\x9b"
      "2J bidi\xe2\x80\xae turned\xe2\x81\xa6 line\xe2\x80\xa8"
      "end\x7f";
  const std::string in_url = "C1%C2%9B2J%20bidi%E2%80%AE%E2%81%A6%E2%80%A8%7F%1B[2J";
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  const auto entry = [&](const std::string& target, const std::string& type, const std::string& body) {
    return R"({"startedDateTime":"2026-01-01T12:00:00Z","time":3,"request":{"method":"POST","url":"http://nas.example)" +
           target + R"(","headers":[{"name":"Referer","value":)" + quoted(odd) + R"(}],"postData":{"mimeType":)" +
           quoted(type) + R"(,"text":)" + quoted(odd) + R"(}},"response":{"status":200,"statusText":)" + quoted(odd) +
           R"(,"headers":[{"name":"Content-Type","value":)" + quoted(type) + R"(},{"name":"X-Note","value":)" +
           quoted(odd) + R"(}],"content":{"text":)" + quoted(body) + "}}}";
  };
  const auto cassette_of = [&](const std::string& name, const std::string& body) {
    const std::string har = folder / (name + ".har"), path = folder / (name + ".cassette");
    write_file(har,
               R"({"log":{"entries":[)" +
                   entry("/webapi/entry.cgi?api=SVC.Odd&version=1&method=get&p=" + in_url, "application/json", body) +
                   "," + entry("/page/" + in_url, "text/plain", odd) + "]}}");
    REQUIRE(run_tapedeck({"import", har, "-o", path}).status == 0);
    return path;
  };
  const std::string a = cassette_of("a", R"({"data":{)" + quoted(odd) + ":" + quoted(odd) + R"(},"success":true})");
  const std::string b =
      cassette_of("b", R"({"data":{)" + quoted(odd) + ":" + quoted(odd + "!") + R"(},"success":true})");
  const std::string id = ids_in(a).front();
  const std::vector<std::vector<std::string>> commands = {
      {"info", a},
      {"info", "--json", a},
      {"ls", a},
      {"ls", "--json", a},
      {"info", "--calls", a},
      {"info", "--calls", "--json", a},
      {"show", a, id},
      {"show", "--as", "json", a, id},
      {"grep", "bidi", a},
      {"grep", "--json", "bidi", a},
      {"diff", a, b},
      {"diff", "--json", a, b},
      {"scan", a},
      {"scan", "--json", a},
      {"info", "--hash", a},
      {"explain", a, "/webapi/entry.cgi?api=SVC.Odd&version=1&method=get&p=" + in_url},
      {"explain", a, "/webapi/entry.cgi?api=SVC.Odd&version=1&method=get&p=other" + in_url},
      {"show", a, id, "--as", "overlay"},
      {"show", a, ids_in(a).back(), "--as", "overlay"},
      {"overlay", "--effects", a},
      {"rm", "--dry-run", a, id},
      {"export", "--as", "text", a},
      {"export", "--as", "jsonl", a},
      {"export", "--as", "har", a},
      {"export", "--as", "typescript", a},
      {"merge", a, b, "-o", folder / "m.cassette"},
      {"rm", "--dry-run", "--superseded", a},
      {"ls", odd},
      {odd},
      {"show", a, odd},
      {"overlay", folder / odd},
      {"record", "--device", odd, folder / "r.cassette"}};
  for (const std::vector<std::string>& command : commands) {
    const Ran ran = run_tapedeck(command);
    CAPTURE(command.front(), command.back(), ran.status);
    CHECK(steering_in(ran.out) == "");
    CHECK(steering_in(ran.err) == "");
  }
  // Escaped text is restored.
  const std::string lines = folder / "a.jsonl", again = folder / "again.cassette";
  REQUIRE(run_tapedeck({"export", "--as", "jsonl", a, "-o", lines}).status == 0);
  REQUIRE(run_tapedeck({"import", lines, "-o", again}).status == 0);
  CHECK(run_tapedeck({"info", "--hash", a}).out.substr(0, 64) ==
        run_tapedeck({"info", "--hash", again}).out.substr(0, 64));
  const std::string overlay = folder / "o.toml";
  write_file(overlay, run_tapedeck({"show", a, id, "--as", "overlay"}).out);
  const Ran checked = run_tapedeck({"overlay", overlay, a});
  CAPTURE(read_file(overlay), checked.out, checked.err);
  CHECK(checked.status == 0);
  CHECK(checked.out.find("  matches POST /page/C1") != std::string::npos);
}

}  // namespace tapedeck::tests::tools_cases
