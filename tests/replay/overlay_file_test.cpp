#include "replay/overlays/overlay_file.h"

#include <toml++/toml.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "api/envelope.h"
#include "replay/overlays/overlay_writer.h"
#include "tests/support/cassette_fixture.h"

namespace tapedeck::replay {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Returns the overlay of a block with a call and these lines.
Overlay overlay_with(const std::string& lines) {
  auto found = read_overlay_toml("[[overlay]]\ncall = \"Core.Share/1/list\"\n" + lines, "x.toml", "/nonexistent");
  REQUIRE(found.overlays.size() == 1);
  return std::move(found.overlays.front());
}

std::string failure_of(const std::string& text, const fs::path& folder = "/nonexistent") {
  try {
    (void)number_overlays(read_overlay_toml(text, "x.toml", folder).overlays, "");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

std::string failure_of_posted(const std::string& text) {
  try {
    (void)number_overlays(read_posted_overlays(text).overlays, "");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("overlays: reads every member of the documentation's example") {
  const auto found = read_overlay_toml(R"(
[[overlay]]
name  = "volume crashed"
call  = "Core.Storage.Volume/1/list"
params = { limit = "*", offset = 0 }
account = "ann"
scope = "a%20test"
state = "broken"
after = "Core.Share/1/create"
times = 2
skip = 1
exact = true
data  = { volumes = [] }
status = 503
headers = { Retry-After = "1", Server = "" }
delay = "800ms"
then  = "healed"
)",
                                       "x.toml", "/nonexistent");
  REQUIRE(found.overlays.size() == 1);
  const Overlay& overlay = found.overlays.front();
  CHECK(overlay.name == "volume crashed");
  CHECK(overlay.file == "x.toml");
  CHECK(overlay.line == 2);
  CHECK(overlay.call->text() == "Core.Storage.Volume/1/list");
  REQUIRE(overlay.params.size() == 2);
  CHECK(overlay.params[0].name == "limit");
  CHECK_FALSE(overlay.params[0].value);
  CHECK(overlay.params[1].name == "offset");
  CHECK(overlay.params[1].value == "0");
  CHECK(overlay.account == "ann");
  CHECK(overlay.scope == "a test");
  CHECK(overlay.state == "broken");
  CHECK(overlay.after->text() == "Core.Share/1/create");
  CHECK(overlay.times == 2U);
  CHECK(overlay.skip == 1U);
  CHECK(overlay.exact);
  CHECK(overlay.body->text() == R"({"data":{"volumes":[]},"success":true})");
  CHECK(overlay.content_type == api::json_content_type);
  CHECK(overlay.status == 503);
  CHECK(overlay.headers == std::vector<http::Header>{{"Retry-After", "1"}, {"Server", ""}});
  CHECK(overlay.delay == Delay(800'000us));
  CHECK(overlay.then == "healed");
  CHECK(overlay.ends_search());
}

TEST_CASE("overlays: reads responses in every spelling") {
  struct Row {
    std::string lines, body;
  };
  const std::vector<Row> rows = {
      {"data = { z = 1, a = [true, 1.5, \"é\\\"\"] }", R"({"data":{"z":1,"a":[true,1.5,"é\""]},"success":true})"},
      {"data = [1, 2]", R"({"data":[1,2],"success":true})"},
      {"data = 7", R"({"data":7,"success":true})"},
      {"data = '{ \"x\": null }'", R"({"data":{ "x": null },"success":true})"},
      {"data = '\"text\"'", R"({"data":"text","success":true})"},
      {"error = 119", R"({"error":{"code":119},"success":false})"},
      {"error = { code = 407, errors = { types = [\"otp\"] } }",
       R"({"error":{"code":407,"errors":{"types":["otp"]}},"success":false})"},
      {"json = '''{\"success\" : true}'''", R"({"success" : true})"},
      {"json = 'no JSON at all'", "no JSON at all"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    CHECK(overlay_with(row.lines).body->text() == row.body);
  }
  // A table with a heading keeps the order of its lines.
  CHECK(overlay_with("[overlay.data]\nz = 1\na = 2").body->text() == R"({"data":{"z":1,"a":2},"success":true})");
}

TEST_CASE("overlays: reads patches, delays, faults, and paths") {
  const Overlay patched = overlay_with(R"(patch = [ { op = "replace", path = "/data/0/status", value = "crashed" } ])");
  REQUIRE(patched.ready_patch);
  CHECK(std::get<std::string>(patched.ready_patch->apply(R"({"data":[{"status":"ok"}]})")) ==
        R"({"data":[{"status":"crashed"}]})");
  CHECK_FALSE(patched.ends_search());
  CHECK(overlay_with(R"(patch = '[{"op":"add","path":"/a","value":null}]')").ready_patch);
  CHECK_FALSE(overlay_with(R"(patch = '[{"op":"add","path":"/a","value":{{count}}}]')").ready_patch);
  CHECK(overlay_with("merge = { data = { volumes = [] } }").merge->text() == R"({"data":{"volumes":[]}})");
  CHECK(overlay_with(R"(merge = '{"data":null}')").merge->text() == R"({"data":null})");

  CHECK(overlay_with("delay = \"2s\"").delay == Delay(2'000'000us));
  CHECK(overlay_with("delay = \"1.5ms\"").delay == Delay(1'500us));
  CHECK(overlay_with("delay = \"2m\"").delay == Delay(120'000'000us));
  CHECK(overlay_with("delay = \"recorded\"").delay == Delay(RecordedDelay{}));

  const std::vector<std::pair<std::string, Fault>> faults = {{"reset", Fault::reset},     {"close", Fault::close},
                                                             {"cut", Fault::cut},         {"hang", Fault::hang},
                                                             {"garbage", Fault::garbage}, {"empty", Fault::empty}};
  for (const auto& [name, fault] : faults) {
    const Overlay overlay = overlay_with("fault = \"" + name + "\"");
    CHECK(overlay.fault == fault);
    CHECK(overlay.ends_search() == (fault != Fault::cut));
  }
  CHECK(overlay_with("fault = \"cut\"\ncut = 100").cut == 100U);
  CHECK(overlay_with("cut = 100").fault == Fault::cut);

  const auto path = read_overlay_toml("[[overlay]]\npath = \"GET /a%20b/x.cgi\"\nstatus = 500", "x.toml", "/");
  CHECK(path.overlays.front().verb == "GET");
  CHECK(path.overlays.front().path == "/a b/x.cgi");
}

TEST_CASE("overlays: invalid members are errors with their line") {
  struct Row {
    std::string lines, expected;
  };
  const std::string one_answer = " cannot be used together: an overlay has one response";
  const std::vector<Row> rows = {
      // keys and types; the lines begin at 3
      {"datas = 1", "3: unknown key `datas` in an overlay"},
      {"\nName = \"x\"", "4: unknown key `Name` in an overlay"},
      {"name = 1", "3: `name` must be a string in quotes"},
      {"name = \"\"", "3: `name` must have 1 to 200 bytes and no control characters"},
      {"name = \"a\\nb\"", "3: `name` must have 1 to 200 bytes and no control characters"},
      {"params = 1", "3: `params` must be a table of parameters"},
      {"params = { api = \"x\" }", "3: `params` cannot have `api`: it belongs in the call pattern"},
      {"exact = 1", "3: `exact` must be true or false"},
      {"account = 1", "3: `account` must be a string in quotes"},
      {"scope = true", "3: `scope` must be a string in quotes"},
      {"scope = \"\"",
       "3: `scope` must be a scope's name, percent-encoded UTF-8 of at most 1,000 bytes, without a run"},
      {"scope = \"50%zz\"", "3: `scope` must be a scope's name"},
      {"scope = \"a#2\"", "3: `scope` must be a scope's name"},
      {"state = 1", "3: `state` must be a string in quotes"},
      {"then = 1", "3: `then` must be a string in quotes"},
      {"after = \"Core.Share\"", "3: `after` must be API/version/method"},
      {"times = 0", "3: `times` must be a whole number from 1 to 1000000000"},
      {"times = 1.5", "3: `times` must be a whole number from 1 to 1000000000"},
      {"skip = -1", "3: `skip` must be a whole number from 0 to 1000000000"},
      {"data = '{'", "3: `data` must be a string that contains JSON"},
      {"data = 'hello'", "3: `data` must be a string that contains JSON"},
      {"data = { a = nan }", "3: dates, times, inf, and nan are not JSON: put them in quotes"},
      {"data = { a = 2026-01-01 }", "3: dates, times, inf, and nan are not JSON: put them in quotes"},
      {"data = [\n  1,\n  inf ]", "5: dates, times, inf, and nan are not JSON: put them in quotes"},
      {"error = \"119\"", "3: `error` must be a whole number from 1 to 1000000"},
      {"error = { errors = {} }", "3: `error` needs a `code`"},
      {"error = { code = 1, text = \"x\" }", "3: `error` has an unknown key `text`; known keys: code, errors"},
      {"json = { success = true }", "3: `json` must be a string in quotes"},
      {"patch = { op = \"remove\" }", "3: `patch` is invalid: the patch must be a list of operations"},
      {"patch = [ { op = \"set\", path = \"/a\" } ]",
       "3: `patch` is invalid: operation 1: unknown operation `set` (add, remove, replace, move, copy, test)"},
      {"patch = '[{'", "3: `patch` must be a string that contains JSON"},
      {"merge = 'x'", "3: `merge` must be a string that contains JSON"},
      {"status = 99", "3: `status` must be a whole number from 200 to 599"},
      {"headers = { A = 1 }", "3: `headers` must be a table of strings without control characters"},
      {"headers = { \"A b\" = \"1\" }", "3: `headers` must be a table of strings without control characters"},
      {"headers = { A = \"1\\r\\nB: 2\" }", "3: `headers` must be a table of strings without control characters"},
      {"headers = { content-length = \"1\" }",
       "3: `headers` cannot have `content-length`: the server sets or removes this header"},
      {"headers = { X-Tapedeck-Outcome = \"x\" }",
       "3: `headers` cannot have `X-Tapedeck-Outcome`: the server sets or removes this header"},
      {"delay = 800", "3: `delay` must be \"800ms\""},
      {"delay = \"800\"", "3: `delay` must be \"800ms\""},
      {"delay = \"-1s\"", "3: `delay` must be \"800ms\""},
      {"delay = \"61m\"", "3: `delay` must be \"800ms\""},
      {"delay = 2", "3: `delay` must be \"800ms\""},
      {"fault = \"explode\"", "3: `fault` must be reset, close, cut, hang, garbage or empty"},
      {"cut = -1", "3: `cut` must be a whole number from 0 to 1000000000"},
      {"file = \"x.json\"", "3: `file` refers to a missing file: x.json"},
      // exclusive members
      {"data = 1\nerror = 1", "4: `error` and `data`" + one_answer},
      {"error = 1\njson = '1'", "4: `json` and `error`" + one_answer},
      {"data = 1\npatch = []", "4: `patch` and `data`" + one_answer},
      {"merge = {}\npatch = []", "4: `patch` and `merge`" + one_answer},
      {"json = '1'\nmerge = {}", "4: `merge` and `json`" + one_answer},
      {"path = \"GET /x\"", "3: `path` and `call` cannot be used together"},
      {"times = 1", "1: the overlay has no effect"},
      {"fault = \"reset\"\ndata = 1", "4: `data` cannot be used with fault reset, which never sends it"},
      {"status = 500\nfault = \"hang\"", "3: `status` cannot be used with fault hang, which never sends it"},
      {"fault = \"empty\"\npatch = []", "4: `patch` cannot be used with fault empty, which never sends it"},
      {"fault = \"close\"\ncut = 1", "4: `cut` cannot be used with fault close, which never sends it"},
      {"fault = \"garbage\"\nheaders = {}", "4: `headers` cannot be used with fault garbage, which never sends it"},
      {"fault = \"empty\"\nstatus = 500", "none"},
      {"fault = \"cut\"\ndata = 1", "none"},
      {"fault = \"reset\"\ndelay = \"1s\"", "none"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    const std::string expected = row.expected == "none" ? "none" : "x.toml:" + row.expected;
    const std::string failure = failure_of("[[overlay]]\ncall = \"Core.Share/1/list\"\n" + row.lines);
    CHECK(failure.substr(0, expected.size()) == expected);
  }
}

TEST_CASE("overlays: each pair of exclusive members is an error with the line of one of them") {
  const testing::TestFolder folder;
  std::ofstream(folder.file("a.json")) << "1";
  using Members = std::vector<std::pair<std::string, std::string>>;
  const Members answers = {{"data", "1"},        {"error", "1"},  {"json", "'1'"},
                           {"file", "'a.json'"}, {"patch", "[]"}, {"merge", "{}"}};
  const auto failure = [&](const std::string& first, const std::string& second) {
    return failure_of("[[overlay]]\ncall = \"Core.Share/1/list\"\n" + first + "\n" + second, folder.path());
  };
  const auto line_of = [](const std::pair<std::string, std::string>& member) {
    return member.first + " = " + member.second;
  };
  for (const auto& one : answers) {
    CHECK(failure(line_of(one), "") == "none");
    for (const auto& other : answers) {
      if (one.first == other.first) continue;
      CAPTURE(one.first, other.first);
      CHECK(failure(line_of(one), line_of(other)) == "x.toml:4: `" + other.first + "` and `" + one.first +
                                                         "` cannot be used together: an overlay has one response");
    }
  }
  Members never_sent = answers;
  never_sent.insert(never_sent.end(), {{"cut", "1"}, {"status", "500"}, {"headers", "{ A = \"1\" }"}});
  for (const std::string fault : {"reset", "close", "hang", "garbage", "empty", "cut"}) {
    for (const auto& member : never_sent) {
      CAPTURE(fault, member.first);
      const bool has_head = fault == "empty" && (member.first == "status" || member.first == "headers");
      const std::string why = "`" + member.first + "` cannot be used with fault " + fault + ", which never sends it";
      const bool fits = fault == "cut" || has_head;
      const std::string said = "fault = \"" + fault + "\"";
      CHECK(failure(said, line_of(member)) == (fits ? "none" : "x.toml:4: " + why));
      CHECK(failure(line_of(member), said) == (fits ? "none" : "x.toml:3: " + why));
    }
  }
}

TEST_CASE("overlays: syntax errors of the file name the line") {
  struct Row {
    std::string text, expected;
  };
  const std::vector<Row> rows = {
      {"", "none"},
      {"# nothing\n", "none"},
      {"[[overlays]]\n", "x.toml:1: unknown key `overlays`; known keys: overlay, effect"},
      {"\noverlay = 1\n", "x.toml:2: overlays must be written as [[overlay]]"},
      {"overlay = [1]\n", "x.toml:1: overlays must be written as [[overlay]]"},
      {"[overlay]\ncall = \"A/1/get\"\n", "x.toml:1: overlays must be written as [[overlay]]"},
      {"[[overlay]]\ncall = \n", "x.toml:2: "},
      {"[[overlay]]\nstatus = 500\n", "x.toml:1: missing `call` or `path`"},
      {"[[overlay]]\ncall = \"A/1\"\nstatus = 500\n", "x.toml:2: `call` must be API/version/method"},
      {"[[overlay]]\npath = \"/x\"\nstatus = 500\n", "x.toml:2: `path` must be a verb and a path without a query"},
      {"[[overlay]]\npath = \"GET x\"\nstatus = 500\n", "x.toml:2: `path` must be a verb and a path without a query"},
      {"[[overlay]]\npath = \"GET /x?a=1\"\nstatus = 500\n",
       "x.toml:2: `path` must be a verb and a path without a query"},
      {"[[overlay]]\nname = \"a\"\ncall = \"A/1/get\"\nerror = 1\n\n[[overlay]]\nname = \"a\"\ncall = "
       "\"A/2/get\"\nerror = 1\n",
       "x.toml:6: the name \"a\" is already used at x.toml:1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(failure_of(row.text).substr(0, row.expected.size()) == row.expected);
  }
}

TEST_CASE("overlays: calls are patterns of API, version, and method") {
  const auto fits = [](const char* pattern, const char* api, const char* version, const char* method) {
    const auto parsed = CallPattern::parse(pattern);
    REQUIRE(parsed);
    return parsed->fits(api::Call(api, version, method, {}));
  };
  CHECK(fits("Core.Share/1/list", "SYNO.Core.Share", "1", "list"));
  CHECK(fits("Core.Share/1/List", "SVC.Core.Share", "1", "lIST"));
  CHECK(fits("SVC.Core.Share/1/list", "SYNO.Core.Share", "1", "list"));
  CHECK(fits("Vendor.Share/1/list", "Vendor.Share", "1", "list"));
  CHECK_FALSE(fits("Core.Share/1/list", "SYNO.Share", "1", "list"));
  CHECK_FALSE(fits("Core.Share/1/list", "SYNO.Core.Share.Snapshot", "1", "list"));
  CHECK_FALSE(fits("Core.Share/1/list", "SYNO.core.share", "1", "list"));
  CHECK_FALSE(fits("Core.Share/1/list", "SYNO.Core.Share", "2", "list"));
  CHECK(fits("Core.Share/*/list", "SYNO.Core.Share", "2", "list"));
  CHECK(fits("Core.Share/1/*", "SYNO.Core.Share", "1", "create"));
  CHECK(fits("Core.*/1/list", "SYNO.Core.Share.Snapshot", "1", "list"));
  CHECK(fits("SVC.Core.*/1/list", "SYNO.Core.Share", "1", "list"));
  CHECK_FALSE(fits("Core.*/1/list", "SYNO.Core", "1", "list"));
  CHECK_FALSE(fits("Core.*/1/list", "SYNO.CoreShare", "1", "list"));
  CHECK(fits("*/*/*", "X", "9", "y"));
  for (const char* const wrong :
       {"", "Core.Share", "Core.Share/1", "/1/list", "Core.Share//list", "Core.Share/1/", "Core.Share/v1/list",
        "Core Share/1/list", "Core.*.Share/1/list", "Co*/1/list", ".a/1/b", "Core.Share/1/list/x", "a..b/1/c"}) {
    CAPTURE(wrong);
    CHECK_FALSE(CallPattern::parse(wrong));
  }
}

TEST_CASE("overlays: read no file outside of the overlay's folder") {
  const testing::TestFolder dir;
  const fs::path base = dir.path();
  const fs::path folder = base / "overlays";
  fs::create_directories(folder / "sub");
  const auto write = [](const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  };
  write(folder / "sub" / "x.json", R"({"success":true,"who":"{{session.id}}"})");
  write(folder / "plain.txt", "{{count}} \"{{param.a}}\"");
  write(folder / "picture.png", std::string("\x89PNG\0{{count}}", 14));
  write(folder / "zero.txt", std::string("a\0{{count}}", 11));
  write(base / "secret.json", "{}");
  fs::create_symlink("../secret.json", folder / "link.json");
  fs::create_symlink("..", folder / "up");
  fs::create_symlink("sub/x.json", folder / "inside.json");
  const auto with_file = [&](const std::string& name) {
    return "[[overlay]]\ncall = \"A/1/get\"\nfile = \"" + name + "\"\n";
  };
  const auto read = [&](const std::string& name) { return read_overlay_toml(with_file(name), "x.toml", folder); };
  CHECK(failure_of(with_file("../secret.json"), folder) ==
        "x.toml:3: `file` leads out of the overlay's folder: ../secret.json");
  CHECK(failure_of(with_file("link.json"), folder) == "x.toml:3: `file` leads out of the overlay's folder: link.json");
  CHECK(failure_of(with_file("up/secret.json"), folder) ==
        "x.toml:3: `file` leads out of the overlay's folder: up/secret.json");
  CHECK(failure_of(with_file((folder / "plain.txt").string()), folder) ==
        "x.toml:3: `file` must be the path of a file in the overlay's folder: " + (folder / "plain.txt").string());
  CHECK(failure_of(with_file("sub"), folder) == "x.toml:3: `file` must name a regular file of at most 64 MiB: sub");
  CHECK(failure_of(with_file("none.json"), folder) == "x.toml:3: `file` refers to a missing file: none.json");

  const Overlay json = read("inside.json").overlays.front();
  CHECK(json.content_type == "application/json");
  TemplateValues values;
  values.session_id = "a\"b";
  values.count = 3;
  CHECK(json.body->render(values) == R"({"success":true,"who":"a\"b"})");
  const Overlay text = read("plain.txt").overlays.front();
  CHECK(text.content_type == "text/plain; charset=utf-8");
  CHECK(text.body->render(values) == "3 \"\"");
  const Overlay picture = read("picture.png").overlays.front();
  CHECK(picture.content_type == "image/png");
  CHECK(picture.body->is_plain());
  CHECK(read("zero.txt").overlays.front().body->is_plain());

  write(folder / "o.toml", with_file("sub/x.json"));
  CHECK(read_overlay_file((folder / "o.toml").string(), overlay_file_text((folder / "o.toml").string())).read ==
        std::vector<std::string>{(folder / "o.toml").string(), fs::canonical(folder / "sub" / "x.json").string()});
  CHECK_THROWS_WITH(overlay_file_text("/nonexistent/o.toml"), "/nonexistent/o.toml: cannot read the file");
}

TEST_CASE("overlays: posted JSON has the same members") {
  const PostedOverlays list = read_posted_overlays(R"([
    {"call":"Core.Share/1/list","data":{"n":1.50,"x":null},"delay":"1s"},
    {"call":"Core.Share/1/get","data":"{\"a\": 1}","name":"one"}
  ])");
  CHECK_FALSE(list.set);
  REQUIRE(list.overlays.size() == 2);
  CHECK(list.overlays[0].body->text() == R"({"data":{"n":1.50,"x":null},"success":true})");
  CHECK(list.overlays[0].line == 2);
  CHECK(list.overlays[1].body->text() == R"({"data":{"a": 1},"success":true})");
  const PostedOverlays set = read_posted_overlays(
      R"({"set":"a","scope":"t%231","overlays":[{"call":"A/1/get","error":1},{"call":"A/1/get","error":2,"scope":"u"}]})");
  CHECK(set.set == "a");
  CHECK(set.overlays[0].scope == "t#1");
  CHECK(set.overlays[1].scope == "u");

  const PostedOverlays toml = read_posted_overlays(
      R"({"set":"a","scope":"t","toml":"[[overlay]]\ncall = \"A/1/get\"\nerror = 1\n[[effect]]\non = \"B/1/set\"\nreply = {}\n"})");
  REQUIRE((toml.overlays.size() == 1 && toml.effects.size() == 1));
  CHECK(toml.overlays[0].scope == "t");
  CHECK(toml.effects[0].scope == "t");
  CHECK(toml.text.starts_with(
      R"({"set":"a","scope":"t","overlays":[{"call":"A/1/get","error":1}],"effects":[{"on":"B/1/set","reply":{}}],"toml":"[[)"));
  CHECK(read_posted_overlays(set.text).text == set.text);

  struct Row {
    std::string text, expected;
  };
  const std::vector<Row> rows = {
      {"[]", "none"},
      {R"({"set":"a","toml":"[[overlay]]\ncall = 1\n"})", "overlays:2: `call` must be a string in quotes"},
      {R"({"set":"a","toml":"# one\n[[overlay]"})", "overlays:2: "},
      {R"({"set":"a","toml":"[[overlay]]\ncall = \"A/1/get\"\nfile = \"/etc/passwd\"\n"})",
       "overlays:3: `file` is not allowed here: put the response into `data` or `json`"},
      {R"({"set":"a","overlays":[],"toml":"# none"})",
       "overlays:1: a set must have `set`, and `overlays` or `effects`, or else `toml`"},
      {"", "overlays:1: overlays must be JSON"},
      {"1", "overlays:1: overlays must be a JSON list of objects"},
      {"[1]", "overlays:1: an overlay must be an object"},
      {"[\n{\"call\":\"A/1/get\",\n\"file\":\"x\"}]",
       "overlays:3: `file` is not allowed here: put the response into `data` or `json`"},
      {"[{\"call\":\"A/1/get\",\n\"call\":\"B/1/get\"}]", "overlays:2: `call` is given twice"},
      {R"({"overlays":[]})", "overlays:1: a set must have `set`, and `overlays` or `effects`, or else `toml`"},
      {R"({"set":"a"})", "overlays:1: a set must have `set`, and `overlays` or `effects`, or else `toml`"},
      {R"({"set":1,"overlays":[]})", "overlays:1: `set` must be a string in quotes"},
      {"{\"set\":\"a\",\n\"overlay\":[]}",
       "overlays:2: unknown key `overlay`; known keys: set, scope, overlays, effects, toml"},
      {"{\"set\":\"a\",\n\"scope\":\"50%zz\",\"overlays\":[]}",
       "overlays:2: `scope` must be a scope's name, percent-encoded UTF-8 of at most 1,000 bytes, without a run"},
      {"{\"set\":\"a\",\n\"overlays\":[\n{\"call\":1}]}", "overlays:3: `call` must be a string in quotes"},
      {R"([{"call":"A/1/get","params":{"a":null},"error":1}])", "overlays:1: `params` must not contain null"},
      {"[" + std::string(4 << 20, ' ') + "]", "overlays:1: more than 4 MiB"},
      {std::string(100'000, '['), "overlays:1: overlays must be JSON"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text.substr(0, 100));
    CHECK_THAT(failure_of_posted(row.text), Catch::StartsWith(row.expected));
  }
}

TEST_CASE("overlays: get a name if they have none, and an ID that depends on their content") {
  const auto numbered = [](const std::string& text, std::string_view set = "") {
    return number_overlays(read_overlay_toml(text, "x.toml", "/").overlays, set);
  };
  const std::string a = "[[overlay]]\ncall = \"A/1/get\"\nerror = 1\n";
  const std::string b = "[[overlay]]\npath = \"GET /b\"\nerror = 1\n";
  const auto before = numbered(a + b + a + "[[overlay]]\nname = \"A/1/get\"\ncall = \"B/1/get\"\nerror = 1\n");
  CHECK(before[0]->name == "A/1/get (2)");
  CHECK(before[1]->name == "GET /b");
  CHECK(before[2]->name == "A/1/get (3)");
  CHECK(before[3]->name == "A/1/get");
  CHECK(before[0]->id != before[2]->id);
  const auto after = numbered("\n# moved\n" + b + a + "[[overlay]]\ncall = \"A/1/get\"\nerror = 2\n");
  CHECK(after[0]->id == before[1]->id);
  CHECK(after[1]->id == before[0]->id);
  CHECK(after[2]->id != before[0]->id);
  CHECK(numbered(a, "set")[0]->id != before[0]->id);
}

}  // namespace
}  // namespace tapedeck::replay
