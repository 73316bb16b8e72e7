#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/cassette_fixture.h"
#include "tools/diff/cassette_diff.h"
#include "tools/diff/json_diff.h"

using namespace tapedeck;
using namespace tapedeck::testing;
using cassettes::CassetteReader;
using tools::Change;
using tools::Noise;

namespace {

/// Returns "value /data/x: 1 -> 2", preceded by a noise class if there is one.
std::string line_of(const Change& change) {
  std::string text = change.noise ? std::string(to_string(*change.noise)) + " noise: " : "";
  text += std::string(to_string(change.kind)) + " " + change.path + ": " + change.before + " -> " + change.after;
  return change.times > 1 ? text + " x" + std::to_string(change.times) : text;
}

std::vector<std::string> lines_of(const tools::DiffResult& result) {
  std::vector<std::string> lines;
  for (const tools::CallDiff& call : result.calls) {
    if (call.kind == tools::CallDiff::Kind::added) lines.push_back("added " + call.key);
    if (call.kind == tools::CallDiff::Kind::removed) lines.push_back("removed " + call.key);
    for (const Change& change : call.changes) lines.push_back(line_of(change));
  }
  return lines;
}

std::vector<std::string> changes(std::string_view a, std::string_view b) {
  std::vector<std::string> lines;
  for (const Change& change : tools::json_changes(*tools::exact_json(a), *tools::exact_json(b))) {
    lines.push_back(line_of(change));
  }
  return lines;
}

tools::DiffResult diff_of(const TestCassette& a, const TestCassette& b, tools::DiffOptions options = {}) {
  return tools::diff(CassetteReader(a.path()), CassetteReader(b.path()), options);
}

using Lines = std::vector<std::string>;

std::string in_data(std::string_view members) { return R"({"data":{)" + std::string(members) + R"(},"success":true})"; }

}  // namespace

TEST_CASE("json diff: names each kind of change at its path") {
  const struct {
    std::string a, b;
    Lines expected;
  } rows[] = {
      {R"({"a":1})", R"({ "a" : 1 })", {}},
      {R"({"a":1,"b":2})", R"({"b":2,"a":1})", {}},
      {R"({"a":1})", R"({"a":2})", {"value /a: 1 -> 2"}},
      {R"({"a":1})", R"({"a":"1"})", {"type /a: number 1 -> string \"1\""}},
      {R"({"a":null})", R"({"a":[]})", {"type /a: null null -> array []"}},
      {R"({})", R"({"a/b~":1})", {"added /a~1b~0:  -> 1"}},
      {R"({"a":1})", R"({})", {"removed /a: 1 -> "}},
      {R"({"old_name":"x"})", R"({"new_name":"x"})", {"renamed /old_name: old_name -> new_name"}},
      // A common value does not show that a member was renamed.
      {R"({"a":true})", R"({"b":true})", {"removed /a: true -> ", "added /b:  -> true"}},
      // Integers that no integer type holds.
      {R"({"a":18446744073709551617})", R"({"a":18446744073709551617})", {}},
      {R"({"a":18446744073709551617})",
       R"({"a":18446744073709551618})",
       {"value /a: 18446744073709551617 -> 18446744073709551618"}},
      {R"({})", R"({"a":[-99999999999999999999]})", {"added /a:  -> [-99999999999999999999]"}},
      {R"([1,2])", R"([1,2,3])", {"length : 2 -> 3"}},
      // Elements whose names the device generates are the same by their order.
      {R"([{"id":"job-66120934","p":1},{"id":"sda"}])",
       R"([{"id":"sda"},{"id":"job-71755108","p":2}])",
       {"value /id=job-66120934/id: \"job-66120934\" -> \"job-71755108\"", "value /id=job-66120934/p: 1 -> 2"}},
      {R"([1,2])", R"([2,1])", {"order : [1,2] -> [2,1]"}},
      {R"([1,2])", R"([1,3])", {"value /1: 2 -> 3"}},
      {R"([{"id":"x","v":1},{"id":"y","v":1}])",
       R"([{"id":"y","v":2},{"id":"x","v":1}])",
       {"value /id=y/v: 1 -> 2", "order : [\"x\",\"y\"] -> [\"y\",\"x\"]"}},
      {R"([{"id":"x"}])", R"([{"id":"x"},{"id":"y"}])", {"length : 1 -> 2", "added /id=y:  -> {\"id\":\"y\"}"}},
  };
  for (const auto& row : rows) {
    INFO(row.a << " and " << row.b);
    CHECK(changes(row.a, row.b) == row.expected);
  }
}

TEST_CASE("paths: list positions are generalized, and a pattern covers everything below it") {
  CHECK(tools::general_path("/data/volumes/3/status") == "/data/volumes/*/status");
  CHECK(tools::general_path("/data/disks/id=sda/temp") == "/data/disks/*/temp");
  CHECK(tools::is_below("/data/time", "/data/time"));
  CHECK(tools::is_below("/data/a/time", "/data/*/time"));
  CHECK(tools::is_below("/data/a/b", "/data"));
  CHECK_FALSE(tools::is_below("/data", "/data/time"));
  CHECK_FALSE(tools::is_below("/database", "/data"));
}

TEST_CASE("diff: equal cassettes do not differ, whatever their labels") {
  const auto one = cassette_with({record("SVC.Core.Network/1/get", in_data(R"("ip":"192.0.2.7")"))});
  const auto other = cassette_with({record("SYNO.Core.Network/1/get", in_data(R"("ip":"192.0.2.7")"))});
  const auto result = diff_of(one, other);
  CHECK_FALSE(result.differs());
  CHECK(result.equal == 1);
  CHECK(result.calls.empty());
}

TEST_CASE("diff: names changed calls, versions, codes, statuses, headers, and texts") {
  const auto before = cassette_with({
      record("SVC.Core.A/1/get", in_data(R"("x":1)")),
      record("SVC.Core.Gone/1/get", ok),
      record("SVC.Core.Moved/1/get?q=1", in_data(R"("x":1)")),
      record("SVC.Core.Code/1/get", ok),
      record("SVC.Core.Status/1/get", ok),
      record("SVC.Core.Head/1/get", ok).with_header("X-Mode", "a").with_header("ETag", "1"),
      record_target("GET", "/boot.js", "var a = 1;"),
      record("SVC.Core.Same/1/get", ok).with_header("ETag", "1"),
  });
  const auto after = cassette_with({
      record("SVC.Core.A/1/get", in_data(R"("x":2)")),
      record("SVC.Core.Fresh/1/get", ok),
      record("SVC.Core.Moved/2/get?q=1", in_data(R"("x":"1")")),
      record("SVC.Core.Code/1/get", error(105)),
      record("SVC.Core.Status/1/get", ok).with_status(503, "Service Unavailable"),
      record("SVC.Core.Head/1/get", ok).with_header("X-Mode", "b").with_header("ETag", "2"),
      record_target("GET", "/boot.js", "var a = 22;"),
      record("SVC.Core.Same/1/get", ok).with_header("ETag", "2"),
  });
  CHECK(lines_of(diff_of(before, after)) == Lines{
                                                "value /data/x: 1 -> 2",
                                                "error code : success -> 105",
                                                "added SVC.Core.Fresh/1/get",
                                                "removed SVC.Core.Gone/1/get",
                                                "header x-mode: a -> b",
                                                "version : 1 -> 2",
                                                "type /data/x: number 1 -> string \"1\"",
                                                "status : 200 -> 503",
                                                "body : 10 bytes \"var a = 1;\" -> 11 bytes \"var a = 22;\"",
                                            });
}

TEST_CASE("diff: differences between a call's own responses are noise, but not across a write") {
  const auto polls = [](int temperature, int total, const char* order, const char* mode) {
    return cassette_with({
        record("SVC.Core.Disk/1/get", in_data(R"("temp":41,"total":7,"list":["a","b"],"mode":"slow")")),
        record("SVC.Core.Disk/1/get", in_data(R"("temp":39,"total":9,"list":["b","a"],"mode":"slow")")),
        record("SVC.Core.Disk/1/get", in_data(R"("temp":)" + std::to_string(temperature) + R"(,"total":)" +
                                              std::to_string(total) + R"(,"list":)" + order + R"(,"mode":"slow")")),
        record("SVC.Core.Disk/1/set?mode=fast", ok),
        record("SVC.Core.Disk/1/get",
               in_data(R"("temp":40,"total":99,"list":["a","b"],"mode":")" + std::string(mode) + "\"")),
    });
  };
  const auto before = polls(40, 12, R"(["a","b"])", "fast"), after = polls(44, 15, R"(["b","a"])", "fastest");
  const auto result = diff_of(before, after);
  CHECK(lines_of(result) == Lines{R"(list order noise: order /data/list: ["a","b"] -> ["b","a"])",
                                  "random noise: value /data/temp: 40 -> 44",
                                  "counter noise: value /data/total: 12 -> 15",
                                  "value /data/mode: \"fast\" -> \"fastest\""});
  CHECK(result.noise[static_cast<std::size_t>(Noise::random)] == 1);
  CHECK(result.differs());
  CHECK_FALSE(diff_of(before, polls(33, 14, R"(["b","a"])", "fast")).differs());
}

TEST_CASE("diff: recognizes clocks by the time of the recording") {
  const auto at = [](std::int64_t seconds, std::int64_t plain) {
    const std::int64_t us = seconds * 1'000'000;
    const std::string date = seconds < 1'704'100'000 ? "2024-01-01 09:00:00" : "2024-01-02 10:00:00";
    return cassette_with({record("SVC.Core.Time/1/get", in_data(R"("now":)" + std::to_string(seconds) + R"(,"ms":")" +
                                                                std::to_string(us / 1000) + R"(","text":")" + date +
                                                                R"(","plain":)" + std::to_string(plain)))
                              .at(us, us + 10)});
  };
  const auto result = diff_of(at(1'704'090'000, 1000), at(1'704'180'000, 2000));
  CHECK(lines_of(result) == Lines{"clock noise: value /data/ms: \"1704090000000\" -> \"1704180000000\"",
                                  "clock noise: value /data/now: 1704090000 -> 1704180000",
                                  "value /data/plain: 1000 -> 2000",
                                  "clock noise: value /data/text: \"2024-01-01 09:00:00\" -> \"2024-01-02 10:00:00\""});
}

TEST_CASE("diff: known noise is not learned, and a change of its type still counts") {
  const auto of = [](const char* load) {
    return cassette_with(
        {record("SYNO.Core.System.Utilization/1/get", in_data(R"("cpu":{"load":)" + std::string(load) + "}"))});
  };
  CHECK_FALSE(diff_of(of("3"), of("77")).differs());
  CHECK(lines_of(diff_of(of("3"), of("\"77\""))) == Lines{"type /data/cpu/load: number 3 -> string \"77\""});
}

TEST_CASE("diff: compares sequences in order, with the last response in place of missing ones") {
  const auto of = [](std::initializer_list<const char*> values) {
    std::vector<Recorded> rows;
    for (const char* value : values) rows.push_back(record("SVC.Core.A/1/get", in_data(std::string("\"v\":") + value)));
    return cassette_with(std::move(rows));
  };
  CHECK_FALSE(diff_of(of({"1"}), of({"1", "1", "1"})).differs());
  CHECK(lines_of(diff_of(of({"1"}), of({"2", "2"}))) == Lines{"value /data/v: 1 -> 2 x2"});
}

TEST_CASE("diff: ignores IDs that the device generates and a client sends back") {
  struct Ids {
    const char *task, *job, *disk;
  };
  const auto flow = [](const Ids& ids, const char* progress = "7") {
    const std::string task = ids.task, job = ids.job;
    return cassette_with({
        record("SVC.FileStation.CopyMove/3/start?path=/a", in_data("\"taskid\":\"" + task + "\"")),
        record("SVC.FileStation.CopyMove/3/stop?taskid=[\"" + task + "\"]", in_data("\"p\":" + std::string(progress))),
        // A call with a generated ID may return another one.
        record("SVC.Core.Report/1/make?taskid=" + task, in_data("\"job_id\":\"" + job + "\"")),
        record("SVC.Core.Report/1/get?job_id=" + job, in_data("\"job_id\":\"" + job + "\"")),
        record("SVC.Core.Disk/1/get", in_data("\"disk_id\":\"" + std::string(ids.disk) + "\"")),
    });
  };
  const Ids first{"FileStation_51A2", "job-66120934", "wwn-50014ee2"};
  CHECK_FALSE(diff_of(flow(first), flow({"FileStation_90C7", "job-71755108", first.disk})).differs());
  const auto changed = lines_of(diff_of(flow(first), flow({"FileStation_90C7", "job-71755108", first.disk}, "8")));
  CHECK(std::count(changed.begin(), changed.end(), "value /data/p: 7 -> 8") == 1);
  // No client sends the ID of the disk back, so it is another disk.
  CHECK(diff_of(flow(first), flow({first.task, first.job, "wwn-50014ff9"})).differs());
  // A text that is too short for a generated ID is a name.
  const auto volume = [](const std::string& id) {
    return cassette_with({record("SVC.Core.Volume/1/get", in_data("\"id\":\"" + id + "\"")),
                          record("SVC.Core.Volume/1/check?id=" + id, in_data("\"ok\":true"))});
  };
  CHECK(diff_of(volume("volume_1"), volume("volume_2")).differs());
}

TEST_CASE("diff: generated IDs are equal only if they map one to one, in both directions") {
  // Two tasks are started, listed, and sent back alone and in a list.
  const auto flow = [](const std::string& one, const std::string& two, const std::string& stopped) {
    const auto id = [](const std::string& task) { return in_data("\"taskid\":\"" + task + "\""); };
    return cassette_with({
        record("SVC.FileStation.CopyMove/3/start?path=/a", id(one)),
        record("SVC.FileStation.CopyMove/3/start?path=/b", id(two)),
        record("SVC.Core.Tasks/1/list", in_data(R"("tasks":[{"taskid":")" + one + R"("},{"taskid":")" + two + "\"}]")),
        record("SVC.Core.Tasks/1/last", id(stopped)),
    });
  };
  const std::string a = "FileStation_51A2", b = "FileStation_52B3", x = "FileStation_90C7", y = "FileStation_91D8";
  struct Row {
    std::string what, one, two, stopped;
    bool differs;
  };
  const Row rows[] = {{"the same tasks", a, b, a, false},
                      {"other IDs", x, y, x, false},
                      {"another task is last", x, y, y, true},
                      {"one ID for two", x, x, x, true}};
  const auto before = flow(a, b, a);
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto after = flow(row.one, row.two, row.stopped);
    CHECK(diff_of(before, after).differs() == row.differs);
    CHECK(diff_of(after, before).differs() == row.differs);
  }
}

TEST_CASE("diff: names changes of cookies, except of the moment at which they expire") {
  const auto with = [](const std::string& cookie, const std::string& other = {}) {
    Recorded row = record("SVC.Core.A/1/get", ok).with_header("Set-Cookie", cookie);
    if (!other.empty()) row = std::move(row).with_header("Set-Cookie", other);
    return cassette_with({row});
  };
  const auto before = with("lang=en; Path=/; HttpOnly; Expires=Fri, 20 Nov 2026 10:00:00 GMT");
  CHECK_FALSE(diff_of(before, with("lang=en; Path=/; HttpOnly; Expires=Sat, 21 Nov 2026 10:00:00 GMT")).differs());
  for (const std::string changed :
       {"lang=en; Path=/; Expires=Fri, 20 Nov 2026 10:00:00 GMT", "lang=en; Path=/; HttpOnly",
        "lang=en; Path=/x; HttpOnly; Expires=Fri, 20 Nov 2026 10:00:00 GMT",
        "lang=de; Path=/; HttpOnly; Expires=Fri, 20 Nov 2026 10:00:00 GMT"}) {
    CAPTURE(changed);
    CHECK(diff_of(before, with(changed)).differs());
  }
  CHECK(diff_of(with("lang=en"), with("lang=en", "mode=dark")).differs());
}

TEST_CASE("diff: compares each scope with itself, and --ignore leaves out a path") {
  const auto before = cassette_with({record("SVC.Core.A/1/get", in_data(R"("x":1,"y":1)")),
                                     record("SVC.Core.A/1/get", in_data(R"("x":5,"y":1)")).in_scope("s")});
  const auto after = cassette_with({record("SVC.Core.A/1/get", in_data(R"("x":1,"y":1)")),
                                    record("SVC.Core.A/1/get", in_data(R"("x":6,"y":2)")).in_scope("s")});
  const auto result = diff_of(before, after);
  REQUIRE(result.calls.size() == 1);
  CHECK(result.calls[0].scope == "s");
  CHECK(result.equal == 1);
  tools::DiffOptions options;
  options.ignored = {"/data/x", "/*/y"};
  CHECK_FALSE(diff_of(before, after, options).differs());
}

TEST_CASE("diff: names a withheld or broken response and does not compare its body") {
  const auto before = cassette_with({record("SVC.Core.A/1/get", in_data(R"("x":1)"))});
  const auto after = cassette_with({record("SVC.Core.A/1/get", in_data(R"("x)")).broken("it was cut")});
  CHECK(lines_of(diff_of(before, after)) == Lines{"state : complete -> broken"});
}

TEST_CASE("diff: names twelve planted changes, and no noise that a take shows") {
  // Each response has its own clock, counter, and random value.
  const auto add_poll = [](std::vector<Recorded>& rows, int n, bool is_changed) {
    const std::string noise = R"("uptime":)" + std::to_string(n * 100) + R"(,"load":)" + std::to_string(n * 7 % 5) +
                              R"(,"now":)" + std::to_string(1'704'067'200 + n) + ",";
    const auto answer = [&](const char* old, const char* changed) {
      return in_data(noise + (is_changed ? changed : old));
    };
    const auto plain = R"("x":1)";
    rows.push_back(record("SVC.P.Added/1/get", answer(plain, R"("x":1,"fresh":"v")")));
    rows.push_back(record("SVC.P.Removed/1/get", answer(R"("x":1,"gone":"v")", plain)));
    rows.push_back(record("SVC.P.Renamed/1/get", answer(R"("old":"kept")", R"("new":"kept")")));
    rows.push_back(record("SVC.P.Type/1/get", answer(plain, R"("x":"1")")));
    rows.push_back(record("SVC.P.Value/1/get", answer(plain, R"("x":2)")));
    rows.push_back(record("SVC.P.Code/1/get", is_changed ? error(402) : in_data(plain)));
    rows.push_back(record(is_changed ? "SVC.P.New/1/get" : "SVC.P.Old/1/get", in_data(plain)));
    rows.push_back(record("SVC.P.Length/1/list", answer(R"("l":[1,2])", R"("l":[1,2,3])")));
    rows.push_back(record(is_changed ? "SVC.P.Version/2/get" : "SVC.P.Version/1/get", in_data(plain)));
    rows.push_back(record("SVC.P.Header/1/get", in_data(plain)).with_header("X-Api", is_changed ? "2" : "1"));
    rows.push_back(record("SVC.P.Status/1/get", in_data(plain)).with_status(is_changed ? 500 : 200, "x"));
    rows.push_back(record("SVC.P.Same/1/get", answer(plain, plain)));
  };
  const auto polls = [&](std::initializer_list<int> numbers, bool is_changed) {
    std::vector<Recorded> rows;
    for (const int n : numbers) add_poll(rows, n, is_changed);
    return cassette_with(std::move(rows));
  };
  const auto before = polls({1, 2, 3}, false), after = polls({5, 6, 9}, true);
  Lines named;
  for (const std::string& line : lines_of(diff_of(before, after))) {
    if (line.find(" noise: ") == std::string::npos) named.push_back(line.substr(0, line.rfind(" x3")));
  }
  CHECK(named == Lines{"added /data/fresh:  -> \"v\"", "error code : success -> 402", "header x-api: 1 -> 2",
                       "length /data/l: 2 -> 3", "added SVC.P.New/1/get", "removed SVC.P.Old/1/get",
                       "removed /data/gone: \"v\" -> ", "renamed /data/old: old -> new", "status : 200 -> 500",
                       "type /data/x: number 1 -> string \"1\"", "value /data/x: 1 -> 2", "version : 1 -> 2"});
  CHECK_FALSE(diff_of(before, polls({9, 10, 11}, false)).differs());
}
