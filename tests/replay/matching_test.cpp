// Finding the recording for a request (docs/matching.md, "What keys leave out"): each request gets its own response or a
// miss.

#include <catch2/catch.hpp>

#include "cassettes/read/cassette_reader.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using testing::cassette_with;
using testing::record;
using testing::record_target;
using testing::Recorded;
using testing::target_of;

std::string saying(std::string_view text) { return R"({"data":{"is":")" + std::string(text) + R"("},"success":true})"; }

Recorded post_as(std::string_view target, std::string_view type, std::string_view body, std::string_view answer) {
  Recorded recorded = record_target("POST", target, answer);
  if (!type.empty()) recorded.interaction.request.headers.add("Content-Type", type);
  recorded.interaction.request.body = body;
  return recorded;
}

http::Response post_to(ReplayHandler& handler, std::string_view target, std::string_view type, std::string_view body) {
  return ask(handler, post_as(target, type, body, "").interaction.request);
}

std::string match_of(const http::Response& response) {
  return std::string(response.headers.first("X-Tapedeck-Match").value_or(""));
}

}  // namespace

TEST_CASE("matching: compares bodies whatever their Content-Type") {
  const std::string path = "/webapi/entry.cgi";
  const std::string head = "api=SVC.SynologyDrive.Files&version=3&method=get&path=";
  struct Row {
    std::string target, type, first, second;
  };
  std::vector<Row> rows;
  for (const std::string type : {"", "text/plain", "application/octet-stream", "application/json"}) {
    rows.push_back({path, type, head + "/a", head + "/b"});
    rows.push_back({path + "?api=SVC.X&version=1&method=upload", type, "one binary \x01", "other binary \x01"});
    rows.push_back({path + "?api=SVC.X&version=1&method=get", type, R"({"a":1})", R"({"a":2})"});
    rows.push_back({path + "?api=SVC.X&version=1&method=get", type, R"([1])", R"([2])"});
    rows.push_back({path, type, "no api at all", "nor here"});
    rows.push_back({"/elsewhere", type, "a=1", "a=2"});
  }
  rows.push_back({path + "?api=SVC.X&version=1&method=get", "multipart/form-data; boundary=x", "--x broken", "--x torn"});
  for (const Row& row : rows) {
    CAPTURE(row.target, row.type, row.first);
    const auto cassette = cassette_with({post_as(row.target, row.type, row.first, saying("first")),
                                         post_as(row.target, row.type, row.second, saying("second"))});
    ReplayHandler handler(playing(cassette), 1);
    CHECK(post_to(handler, row.target, row.type, row.second).body == saying("second"));
    CHECK(post_to(handler, row.target, row.type, row.first).body == saying("first"));
    CHECK(outcome(post_to(handler, row.target, row.type, row.first + "x")) != "recorded");
  }
}

TEST_CASE("matching: a parameter that is secret in logins is an ordinary one elsewhere") {
  for (const std::string name : {"device_id", "device_name", "client", "did", "mimeType"}) {
    CAPTURE(name);
    const std::string text = "SVC.ActiveBackup.Device/1/list_tasks?" + name + "=";
    const auto cassette = cassette_with({record(text + "1", saying("one")), record(text + "3", saying("three"))});
    ReplayHandler handler(playing(cassette), 1);
    CHECK(call(handler, text + "3").body == saying("three"));
    CHECK(call(handler, text + "1").body == saying("one"));
    CHECK(outcome(call(handler, text + "2")) == "miss");
  }
}

TEST_CASE("matching: secrets that a response returned distinguish recordings") {
  const std::string first = "Kd83hfXq0a", second = "Pz61mvTr7c";
  const std::string items = "SVC.Foto.Browse.Item/1/list?passphrase=";
  const std::string list = "SVC.Foto.Browse.Album/1/list";
  const std::string albums = R"({"data":{"list":[{"passphrase":")" + first + R"("},{"passphrase":")" + second +
                             R"("}]},"success":true})";
  const auto cassette = cassette_with({record(list, albums), record(items + first, saying("of the first")),
                                       record(items + second, saying("of the second")),
                                       record(items + second, saying("of the second, later"))});
  ReplayHandler handler(playing(cassette), 1);
  const std::string shown = call(handler, list).body;
  const std::string live_first = string_in(shown, "passphrase");
  const std::string live_second = string_in(shown.substr(shown.find(live_first) + live_first.size()), "passphrase");
  REQUIRE(live_first != first);
  REQUIRE(live_first != live_second);
  CHECK(call(handler, items + live_second).body == saying("of the second"));
  CHECK(call(handler, items + live_first).body == saying("of the first"));
  CHECK(call(handler, items + "%22" + live_first + "%22").body == saying("of the first"));
  CHECK(call(handler, items + live_second).body == saying("of the second, later"));
  const http::Response unknown = call(handler, items + "nobody-gave-this-out");
  CHECK(outcome(unknown) == "miss");
  CHECK(match_of(unknown) == "ambiguous");
}

TEST_CASE("matching: reads that differ only in secrets without an identity are replayed if their responses are equal") {
  const std::string text = "SVC.X.Vault/1/get?password=";
  const std::string first = "Zx9-first-pass!7", second = "Qy4-second-pass!8";
  const auto equal = cassette_with({record(text + first, saying("same")), record(text + second, saying("same"))});
  ReplayHandler plays(playing(equal), 1);
  CHECK(call(plays, text + "anything").body == saying("same"));

  const auto cassette = cassette_with({record(text + first, saying("one")), record(text + second, saying("two")),
                                       record("SVC.X.Vault/1/get?a=1", saying("other"))});
  ReplayHandler handler(playing(cassette), 1);
  const http::Response response = call(handler, text + second);
  CHECK(outcome(response) == "miss");
  CHECK(match_of(response) == "ambiguous");
  CHECK(response.body.find("\"recordings\":[\"") != std::string::npos);
  CHECK(response.body.find("scope") != std::string::npos);
  CHECK(call(handler, "SVC.X.Vault/1/get?a=1").body == saying("other"));
  std::vector<std::string> conflicts;
  cassettes::CassetteReader(cassette.path())
      .conflicts([&](const std::string&, const std::string& key, std::uint32_t) { conflicts.push_back(key); });
  CHECK(conflicts == std::vector<std::string>{"SVC.X.Vault/1/get?password=<PASSWORD>"});

  // Repetitions of the same secret are a sequence as before, and so are writes.
  const auto polled = cassette_with({record(text + first, saying("one")), record(text + first, saying("two"))});
  ReplayHandler poll(playing(polled), 1);
  CHECK(call(poll, text + first).body == saying("one"));
  CHECK(call(poll, text + first).body == saying("two"));
  const std::string write = "SVC.X.Vault/1/set?password=";
  const auto written = cassette_with({record(write + first, saying("one")), record(write + second, saying("two"))});
  ReplayHandler writes(playing(written), 1);
  CHECK(call(writes, write + "a").body == saying("one"));
  CHECK(call(writes, write + "b").body == saying("two"));
}

TEST_CASE("matching: parts of compounds that differ only in secrets are distinguished likewise") {
  const auto compound = [](std::string_view password) {
    return "SVC.Entry.Request/1/request?compound=[{\"api\":\"SVC.X.Vault\",\"version\":1,\"method\":\"get\",\"password\":\"" +
           std::string(password) + "\"}]";
  };
  const auto answer = [](std::string_view text) {
    return R"({"data":{"has_fail":false,"result":[{"api":"SVC.X.Vault","data":{"is":")" + std::string(text) +
           R"("},"method":"get","success":true,"version":1}]},"success":true})";
  };
  const auto cassette = cassette_with({record(compound("Zx9-first-pass!7"), answer("one")),
                                       record(compound("Qy4-second-pass!8"), answer("two"))});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(match_of(call(handler, "SVC.X.Vault/1/get?password=x")) == "ambiguous");
  CHECK(match_of(call(handler, compound("Zx9-first-pass!7"))) == "ambiguous");
}

TEST_CASE("matching: --ignore merges recordings that differ in that parameter into one sequence") {
  const std::string poll = "SVC.X.Task/1/status?rand=";
  const auto cassette = cassette_with({record(poll + "c1", saying("0")), record(poll + "a2", saying("50")),
                                       record(poll + "b3", saying("100")),
                                       record("SVC.X.Task/1/status?rand=d4&id=2", saying("another"))});
  ReplayOptions options = playing(cassette);
  options.ignore_params = {"rand"};
  {
    ReplayHandler handler(options, 1);
    CHECK(call(handler, poll + "x").body == saying("0"));
    CHECK(call(handler, poll + "y").body == saying("50"));
    CHECK(match_of(call(handler, "SVC.X.Task/1/status")) == "ignored=rand");
    CHECK(call(handler, poll + "z").body == saying("100"));
    CHECK(call(handler, poll + "z&id=2").body == saying("another"));
  }
  // An exact match takes precedence, and the sequence continues after it.
  ReplayHandler handler(options, 1);
  CHECK(call(handler, poll + "a2").body == saying("50"));
  CHECK(call(handler, poll + "x").body == saying("100"));
  CHECK(call(handler, poll + "c1").body == saying("0"));
  CHECK(call(handler, poll + "x").body == saying("50"));
}

TEST_CASE("matching: the clock of socket.io is no part of the key") {
  const std::string poll = "/socket.io/?EIO=3&transport=polling&t=";
  const auto cassette = cassette_with({record_target("GET", poll + "P1", "97:0"), record_target("GET", poll + "O2", "2:40"),
                                       record_target("GET", poll + "N3", "5:42")});
  ReplayHandler handler(playing(cassette), 1);
  for (const std::string expected : {"97:0", "2:40", "5:42", "5:42"}) {
    CHECK(get(handler, poll + "live" + std::to_string(expected.size())).body == expected);
  }
  CHECK(get(handler, "/other.io/?EIO=3&t=1").status == 404);
}

TEST_CASE("matching: --any-version replays the nearest version without merging versions") {
  std::vector<Recorded> rows;
  for (const std::string version : {"1", "4", "9"}) {
    rows.push_back(record("SVC.X/" + version + "/get", saying(version)));
    rows.push_back(record("SVC.X/" + version + "/get", saying(version + " again")));
  }
  const auto cassette = cassette_with(std::move(rows));
  ReplayOptions options = playing(cassette);
  options.any_version = true;
  ReplayHandler handler(options, 1);
  CHECK(call(handler, "SVC.X/5/get").body == saying("4"));
  CHECK(call(handler, "SVC.X/8/get").body == saying("9"));
  CHECK(call(handler, "SVC.X/5/get").body == saying("4 again"));
}

TEST_CASE("matching: accepts a session ID that is written as JSON text") {
  const auto cassette = cassette_with(
      {testing::login("ada", "Xk3vQ9mT2bLr8wZp"), record("SVC.X/1/set?a=1", saying("set"), "Xk3vQ9mT2bLr8wZp"),
       record("SVC.X/1/get", saying("state"), "%22Xk3vQ9mT2bLr8wZp%22")});
  ReplayOptions options = playing(cassette);
  options.auth = Auth::strict;
  ReplayHandler handler(options, 1);
  const std::string sid = log_in(handler, "ada");
  CHECK(get(handler, target_of("SVC.X/1/set?a=1") + "&_sid=%22" + sid + "%22").body == saying("set"));
  CHECK(get(handler, target_of("SVC.X/1/get") + "&_sid=" + sid).body == saying("state"));
  CHECK(post_to(handler, "/webapi/entry.cgi", "application/json",
                R"({"api":"SVC.X","version":1,"method":"get","_sid":")" + sid + "\"}")
            .body == saying("state"));
  CHECK(post(handler, "/webapi/entry.cgi", "api=SVC.X&version=1&method=get&_sid=\"" + sid + "\"").body == saying("state"));
}

TEST_CASE("matching: a call under another path prefix is a different call") {
  const std::string query = "/webapi/entry.cgi?api=SVC.Foto.Item&version=4&method=list&limit=10";
  const auto cassette = cassette_with({record_target("GET", "/photo" + query, saying("photo")),
                                       record_target("GET", "/drive" + query, saying("drive")),
                                       record_target("GET", "/x.php?api=SVC.Y&version=1&method=get", saying("script"))});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(get(handler, "/drive" + query).body == saying("drive"));
  CHECK(get(handler, "/photo" + query).body == saying("photo"));
  CHECK(get(handler, "/photo/webapi/other.cgi?limit=10&api=SYNO.Foto.Item&version=4&method=List").body == saying("photo"));
  CHECK(get(handler, "/x.php?method=get&api=SVC.Y&version=1").body == saying("script"));
  const http::Response miss = get(handler, query);
  CHECK(outcome(miss) == "miss");
  CHECK(miss.headers.first("X-Tapedeck-Miss") == "recorded only under another prefix of the path");
  CHECK(miss.body.find("SVC.Foto.Item/4/list@/drive?limit=10") != std::string::npos);
}

TEST_CASE("matching: a path that begins with a tilde belongs to the device") {
  const std::string target = "/~tom/photo/webapi/album.php?api=SVC.Album&version=1&method=list";
  const auto cassette = cassette_with({record_target("GET", target, saying("tom")),
                                       record_target("GET", "/photo/webapi/album.php?api=SVC.Album&version=1&method=list",
                                                     saying("everybody"))});
  ReplayHandler handler(playing(cassette), 1);
  CHECK(get(handler, target).body == saying("tom"));
  CHECK(get(handler, "/~scope/one" + target).body == saying("tom"));
}

TEST_CASE("matching: a miss suggests --ignore only if that is safe") {
  const auto hint_of = [](const testing::TestCassette& cassette, std::string_view text) {
    ReplayHandler handler(playing(cassette), 1);
    return string_in(call(handler, text).body, "hint");
  };
  const std::string text = "SVC.FileStation.List/2/list?folder_path=";
  const auto different = cassette_with({record(text + "/a", saying("a")), record(text + "/b", saying("b"))});
  CHECK(hint_of(different, text + "/c").find("have different responses") != std::string::npos);
  CHECK(hint_of(different, text + "/c").find("--ignore") == std::string::npos);
  const auto equal = cassette_with({record(text + "/a", saying("a")), record(text + "/b", saying("a"))});
  CHECK(hint_of(equal, text + "/c").find("--ignore folder_path") != std::string::npos);
}

TEST_CASE("matching: the hint of a miss names what differs, also the version") {
  const auto cassette =
      cassette_with({record("SVC.X/3/get?a=1&b=1", saying("one")), record("SVC.X/3/get?a=1&b=1", saying("two"))});
  const auto check = [&](const std::string& text, const std::string& difference) {
    CAPTURE(text);
    ReplayHandler handler(playing(cassette), 1);
    const std::string hint = string_in(call(handler, text).body, "hint");
    CHECK(hint.starts_with("recordings that differ in " + difference + " have different responses"));
  };
  check("SVC.X/1/get?a=1&b=1", "the version");
  check("SVC.X/3/get?a=2&b=1", "a");
  check("SVC.X/3/get?a=2&b=2", "a and others");
  check("SVC.X/1/get?a=1&b=2", "b and the version");
  check("SVC.X/1/get?a=2&b=2", "a and others and the version");
}

}  // namespace tapedeck::replay
