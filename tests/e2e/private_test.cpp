// Tests the private profile with the built program: 40 kinds of private data in 60 recorded operations, and their
// replay.

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "tests/e2e/harness.h"
#include "tests/support/leak_search.h"
#include "tests/support/test_paths.h"

namespace tapedeck::tests::private_cases {

namespace {

struct Operation {
  std::string kind, api, method, params, data;
};

std::vector<Operation> table(const std::string& file) {
  std::ifstream in(std::string(source_folder) + "/tests/scrubbers/tables/" + file);
  std::vector<Operation> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t tab = std::min(line.find('\t', at), line.size());
      cells.push_back(line.substr(at, tab - at));
      at = tab + 1;
    }
    if (cells.size() == 5) rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
    if (cells.size() == 3) rows.push_back({"", cells[0], cells[1], "", cells[2]});
  }
  return rows;
}

const std::string open_mark = "\xC2\xAB", close_mark = "\xC2\xBB";

/// Returns the texts between the marks.
std::set<std::string> marked(const std::string& text) {
  std::set<std::string> values;
  for (std::size_t at = text.find(open_mark); at != std::string::npos; at = text.find(open_mark, at + 1)) {
    const std::size_t begin = at + open_mark.size();
    values.insert(text.substr(begin, text.find(close_mark, begin) - begin));
  }
  return values;
}

std::string without_marks(std::string text) {
  for (const std::string& mark : {open_mark, close_mark}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.erase(at, mark.size());
  }
  return text;
}

std::string query_of(const Operation& one) {
  return "api=SYNO." + one.api + "&version=1&method=" + one.method + (one.params.empty() ? "" : "&" + one.params);
}

/// A device that responds to the table's operations, and a client's session that sends all of them.
struct Planted {
  explicit Planted(const std::string& file) : operations(table(file)) {
    steps = {login_step()};
    for (const Operation& one : operations) {
      write_file(answers / ("SYNO." + one.api + "." + one.method + ".json"),
                 R"({"data":)" + without_marks(one.data) + R"(,"success":true})");
      steps.push_back(call(one.api + " " + one.method, without_marks(query_of(one))));
      for (const std::string& value : marked(one.data + one.params)) values.insert(value);
    }
    DeviceOptions options;
    options.answers_folder = answers.path();
    device = std::make_unique<Device>(options);
  }

  [[nodiscard]] Transcript record_with(const std::string& folder, const std::string& cassette,
                                       std::vector<std::string> options) const {
    Transcript seen;
    record(
        folder, *device, cassette, [&](const std::string& url) { seen = play(url, steps); }, std::move(options));
    return seen;
  }

  std::vector<Operation> operations;
  TempDir answers;
  std::set<std::string> values;
  std::vector<Step> steps;
  std::unique_ptr<Device> device;
};

std::vector<std::string> list_of(const std::set<std::string>& values) { return {values.begin(), values.end()}; }

std::size_t place_of(const Planted& planted, const std::string& api, const std::string& method) {
  for (std::size_t i = 0; i < planted.operations.size(); ++i) {
    if (planted.operations[i].api == api && planted.operations[i].method == method) return i + 1;
  }
  throw std::runtime_error("the table lacks " + api + " " + method);
}

}  // namespace

TEST_CASE("private: 40 kinds of private data in 60 recorded operations are removed, and the recording replays") {
  const Planted planted("private_operations.tsv");
  std::set<std::string> kinds;
  for (const Operation& one : planted.operations) kinds.insert(one.kind);
  REQUIRE(planted.operations.size() >= 60);
  REQUIRE(kinds.size() >= 40);
  const TempDir folder;
  const std::string cassette = folder / "private.cassette", journal = folder / "journal.jsonl";
  const Transcript recorded = planted.record_with(folder.path(), cassette, {"--private", "--journal", journal});
  for (std::size_t i = 1; i < recorded.steps.size(); ++i) {
    CAPTURE(recorded.steps[i].name);
    CHECK(recorded.replies[i].status == 200);
  }
  CHECK(recorded.replies[place_of(planted, "Core.Share", "list")].body.find("steuerbelege") != std::string::npos);
  CHECK(leaks(folder.path(), list_of(planted.values)) == std::vector<std::string>());
  const Ran scanned = run_tapedeck({"scan", "--private", cassette});
  CAPTURE(scanned.out);
  CHECK(scanned.out.find(" 0 places look private") != std::string::npos);
  // Original values match without a key if only one recording is similar.
  Server replay(folder.path(), {"replay", cassette});
  const Transcript played = play(replay.url(), planted.steps);
  for (std::size_t i = 1; i < played.steps.size(); ++i) {
    CAPTURE(played.steps[i].name, played.replies[i].body);
    CHECK(played.replies[i].header("x-tapedeck-outcome") == "recorded");
  }
}

TEST_CASE("private: recordings with a key file agree, and originals are accepted and returned", "[long]") {
  const Planted planted("private_operations.tsv");
  const TempDir folder;
  const std::string one = folder / "one.cassette", other = folder / "other.cassette", key = folder / "share.key";
  const Transcript recorded = planted.record_with(folder.path(), one, {"--private-key", key});
  static_cast<void>(planted.record_with(folder.path(), other, {"--private-key", key}));
  const Ran same = run_tapedeck({"diff", one, other});
  CAPTURE(same.out, same.err);
  CHECK(same.status == 0);
  CHECK((std::filesystem::status(key).permissions() & std::filesystem::perms::all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));

  Server replay(folder.path(), {"replay", one, "--private-key", key});
  const Transcript played = play(replay.url(), planted.steps);
  for (std::size_t i = 1; i < played.steps.size(); ++i) {
    CAPTURE(played.steps[i].name, played.replies[i].body);
    CHECK(played.replies[i].header("x-tapedeck-outcome") == "recorded");
    CHECK(played.replies[i].header("x-tapedeck-match") == "");
  }
  // Requested values are restored, and others stay pseudonyms.
  const std::string files = played.replies[place_of(planted, "FileStation.List", "list")].body;
  CHECK(files.find("/steuerbelege/Finanzamt/") != std::string::npos);
  CHECK(files.find("bescheid-einkommen") == std::string::npos);
  const std::string info = played.replies[place_of(planted, "FileStation.Info", "getinfo")].body;
  CHECK(info == recorded.replies[place_of(planted, "FileStation.Info", "getinfo")].body);
  const Ran explained =
      run_tapedeck({"explain", one, "--private-key", key,
                    "/webapi/entry.cgi?api=SYNO.Core.Share.Permission&version=1&method=list&name=steuerbelege"});
  CHECK(explained.status == 0);
  CHECK(explained.out.find("X-Tapedeck-Match") == std::string::npos);

  const Ran executed = run_tapedeck({"exec", one, "--private-key", key, "--strict", "--", "sh", "-c",
                                     "curl -s \"$TAPEDECK_URL/webapi/entry.cgi?api=SYNO.FileStation.Info&version=1"
                                     "&method=getinfo&path=%2Fvolume1%2Ffamilienalbum%2Fstrandurlaub.jpg\""});
  CHECK(executed.status == 0);
  CHECK(executed.out.find("/volume1/familienalbum/strandurlaub.jpg") != std::string::npos);

  // With the key, a recording without pseudonyms is equivalent.
  const TempDir apart;
  const std::string plain = apart / "plain.cassette";
  static_cast<void>(planted.record_with(folder.path(), plain, {}));
  CHECK(run_tapedeck({"diff", plain, one}).status == 1);
  const Ran by_key = run_tapedeck({"diff", plain, one, "--private-key", key});
  CAPTURE(by_key.out);
  CHECK(by_key.status == 0);
  // The same is true if it is scrubbed later.
  CHECK(run_tapedeck({"scan", "--private", plain}).status == 3);
  CHECK(run_tapedeck({"scrub", plain, "--private-key", key}).status == 0);
  CHECK(leaks(apart.path(), list_of(planted.values)) == std::vector<std::string>());
  CHECK(run_tapedeck({"diff", plain, one}).status == 0);
}

TEST_CASE(
    "private: without the key the exact pseudonym plays, else the only candidate, else a miss names the parameter") {
  const TempDir answers, folder;
  write_file(answers / "SYNO.Core.Share.get.json", R"({"data":{"name":"x"},"success":true})");
  DeviceOptions options;
  options.answers_folder = answers.path();
  const Device device(options);
  const std::string cassette = folder / "shares.cassette";
  const auto ask = [](const std::string& name, const std::string& more = "") {
    return call("share", "api=SYNO.Core.Share&version=1&method=get&name=" + name + more);
  };
  record(folder.path(), device, cassette,
         [&](const std::string& url) {
           static_cast<void>(
               play(url, {login_step(), ask("steuerbelege"), ask("familienalbum"), ask("werkstattplan", "&deep=1")}));
         },
         {"--private"});
  const std::string listed = run_tapedeck({"ls", cassette}).out;
  const std::size_t at = listed.find("get?name=");
  REQUIRE(at != std::string::npos);
  const std::string pseudonym = listed.substr(at + 9, listed.find_first_of(" \n&", at) - at - 9);
  Server replay(folder.path(), {"replay", cassette});
  const Transcript played =
      play(replay.url(), {login_step(), ask(pseudonym), ask("steuerbelege"), ask("werkstattplan", "&deep=1")});
  CAPTURE(listed, pseudonym, played.replies[2].body);
  CHECK(played.replies[1].header("x-tapedeck-outcome") == "recorded");
  CHECK(played.replies[2].header("x-tapedeck-miss") == "2 recordings differ only in private values: name");
  CHECK(played.replies[3].header("x-tapedeck-match") == "private=name");
}

TEST_CASE("private: an overlay's condition may have the original or the pseudonym") {
  const TempDir answers, folder;
  write_file(answers / "SYNO.Core.Share.get.json", R"({"data":{"name":"x"},"success":true})");
  DeviceOptions options;
  options.answers_folder = answers.path();
  const Device device(options);
  const std::string cassette = folder / "shares.cassette", key = folder / "share.key";
  const Step ask = call("share", "api=SYNO.Core.Share&version=1&method=get&name=steuerbelege");
  record(folder.path(), device, cassette,
         [&](const std::string& url) {
           static_cast<void>(play(url, {login_step(), ask}));
         },
         {"--private-key", key});
  write_file(folder / "overlay.toml",
             "[[overlay]]\ncall = \"Core.Share/1/get\"\nparams = { name = \"steuerbelege\" }\nerror = 407\n");
  Server replay(folder.path(), {"replay", cassette, "--private-key", key, "--overlay", folder / "overlay.toml"});
  CHECK(play(replay.url(), {login_step(), ask}).replies[1].body.find("407") != std::string::npos);
}

TEST_CASE("private: other data stays byte for byte") {
  const Planted planted("private_look_alikes.tsv");
  const TempDir folder;
  const std::string cassette = folder / "plain.cassette";
  const Transcript recorded = planted.record_with(folder.path(), cassette, {"--private"});
  Server replay(folder.path(), {"replay", cassette});
  const Transcript played = play(replay.url(), planted.steps);
  for (std::size_t i = 1; i < played.steps.size(); ++i) {
    CAPTURE(played.steps[i].name);
    CHECK(played.replies[i].body == recorded.replies[i].body);
  }
}

TEST_CASE("private: tapedeck.toml adds values to keep and to replace") {
  const TempDir answers, folder;
  write_file(answers / "SYNO.Core.Share.list.json",
             R"({"data":{"shares":[{"name":"steuerbelege","note":"of ACME Werkstatt"},{"name":"familienalbum"}]},)"
             R"("success":true})");
  DeviceOptions options;
  options.answers_folder = answers.path();
  const Device device(options);
  const std::string cassette = folder / "shares.cassette", config = folder / "tapedeck.toml";
  write_file(config, "[private]\nkeep = [\"familienalbum\"]\nreplace = [\"ACME Werkstatt\"]\n");
  const Step ask = call("shares", "api=SYNO.Core.Share&version=1&method=list");
  record(folder.path(), device, cassette,
         [&](const std::string& url) {
           static_cast<void>(play(url, {login_step(), ask}));
         },
         {"--private", "--config", config});
  Server replay(folder.path(), {"replay", cassette});
  const std::string body = play(replay.url(), {login_step(), ask}).replies[1].body;
  CAPTURE(body);
  CHECK(body.find("familienalbum") != std::string::npos);
  CHECK(body.find("steuerbelege") == std::string::npos);
  CHECK(body.find("ACME Werkstatt") == std::string::npos);
  CHECK(run_tapedeck({"scan", "--private", "--config", config, cassette}).out.find(" 0 places look private") !=
        std::string::npos);
  write_file(config, "[private]\nkeeps = []\n");
  CHECK(run_tapedeck({"scan", "--private", "--config", config, cassette}).status == 2);
}

TEST_CASE("private: another file in place of the key file stays, and a missing one is reported") {
  const TempDir folder;
  const std::string notes = folder / "notes.txt";
  write_file(notes, "mine\n");
  const Ran refused =
      run_tapedeck({"record", "--device", "http://127.0.0.1:9", folder / "x.cassette", "--private-key", notes});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("not a Tapedeck key file") != std::string::npos);
  std::ifstream in(notes);
  std::string line;
  std::getline(in, line);
  CHECK(line == "mine");
  CHECK(run_tapedeck({"replay", "--private-key", folder / "none.key"}).status == 2);
}

}  // namespace tapedeck::tests::private_cases
