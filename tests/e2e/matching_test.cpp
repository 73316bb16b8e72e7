// Tests matching at the command line: requests that cannot be distinguished, --bind, and refusals with remedies.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::matching_cases {

namespace {

const std::string poll = "api={label}.Core.System.Utilization&version=1&method=get";

std::string har_entry(const std::string& target, const std::string& answer, int second) {
  const nlohmann::json entry = {
      {"startedDateTime", "2024-01-01T00:00:0" + std::to_string(second) + "Z"},
      {"time", 1},
      {"request", {{"method", "GET"}, {"url", "http://nas.example" + target}, {"httpVersion", "HTTP/1.1"}}},
      {"response", {{"status", 200}, {"content", {{"mimeType", "application/json"}, {"text", answer}}}}}};
  return entry.dump();
}

std::string volume(const std::string& name) { return R"({"data":{"name":")" + name + R"("},"success":true})"; }

const std::string path = "/webapi/entry.cgi?api=SYNO.Core.Volume&version=1&method=";

/// Returns a cassette with a volume that was created, read, and deleted.
std::string volume_cassette(const TempDir& folder) {
  const std::string name = "pvc-6f2ac1d9", cassette = folder / "v.cassette";
  std::string entries;
  for (const std::string method : {"create", "get", "delete"}) {
    const int second = static_cast<int>(std::count(entries.begin(), entries.end(), '\n'));
    entries += (entries.empty() ? "" : ",\n") + har_entry(path + method + "&name=" + name, volume(name), second);
  }
  write_file(folder / "v.har", R"({"log":{"version":"1.2","entries":[)" + entries + "]}}");
  const Ran imported = run_tapedeck({"import", folder / "v.har", "--out", cassette});
  INFO(imported.err << imported.out);
  REQUIRE(imported.status == 0);
  return cassette;
}

}  // namespace

TEST_CASE("conflicts: record and ls list requests that differ only in secrets") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette";
  Server recorder(folder.path(), {"record", "--device", device.url(), "--strict", cassette});
  (void)play(recorder.url(), {login_step(), call("1", poll + "&password=Zx9-first-pass!7"),
                              call("2", poll + "&password=Qy4-second-pass!8")});
  CHECK(recorder.stop() == 3);
  CHECK(says(recorder.out(), "AMBIGUOUS: replay cannot tell the recordings of 1 request apart"));
  CHECK(says(recorder.out(), "SYNO.Core.System.Utilization/1/get?password=<PASSWORD>"));
  const Ran listed = run_tapedeck({"ls", cassette, "--conflicts", "--json"});
  CHECK(listed.status == 0);
  const auto list = nlohmann::json::parse(listed.out);
  REQUIRE(list.size() == 1);
  CHECK(list[0]["key"] == "SYNO.Core.System.Utilization/1/get?password=<PASSWORD>");
  CHECK(says(run_tapedeck({"ls", cassette, "--conflicts"}).out, "password=<PASSWORD>"));
  const Ran explained = run_tapedeck({"explain", cassette, "SYNO.Core.System.Utilization/1/get?password=<PASSWORD>"});
  CHECK(explained.status == 3);
  CHECK(says(explained.out, "X-Tapedeck-Match: ambiguous"));
}

namespace {

constexpr const char* tenant_path = "/webapi/entry.cgi?api=SVC.Tenant&version=1&method=get";

std::string tenant_entry(const std::string& value, const std::string& answer, int second) {
  nlohmann::json entry = nlohmann::json::parse(har_entry(tenant_path, volume(answer), second));
  entry["request"]["headers"] = {{{"name", "X-Tenant"}, {"value", value}}, {{"name", "User-Agent"}, {"value", value}}};
  return entry.dump();
}

std::string asked(const std::string& url, const std::string& value) {
  return curl({"-H", "X-Tenant: " + value, url + tenant_path}).body;
}

}  // namespace

TEST_CASE("headers: every command tells requests apart by a learned header") {
  const TempDir folder;
  const std::string cassette = folder / "c.cassette", copy = folder / "copy.cassette";
  write_file(folder / "c.har", R"({"log":{"version":"1.2","entries":[)" + tenant_entry("a", "of-a", 1) + "," +
                                   tenant_entry("b", "of-b", 2) + "," + tenant_entry("a", "of-a", 3) + "]}}");
  REQUIRE(run_tapedeck({"import", folder / "c.har", "--out", cassette}).status == 0);
  SECTION("ls") {
    CHECK(says(run_tapedeck({"ls", "--conflicts", cassette}).out, "HEADER: x-tenant tells requests apart"));
    const auto list = nlohmann::json::parse(run_tapedeck({"ls", "--conflicts", "--json", cassette}).out);
    CHECK(list == nlohmann::json::parse(R"([{"header":"x-tenant"}])"));
  }
  SECTION("explain") {
    const Ran known = run_tapedeck({"explain", "--header", "X-Tenant: b", cassette, tenant_path});
    CHECK(known.status == 0);
    CHECK(says(known.out, "header   x-tenant: b"));
    CHECK(says(known.out, "of-b"));
    const Ran other = run_tapedeck({"explain", "--header", "X-Tenant: c", cassette, tenant_path});
    CHECK(other.status == 3);
    CHECK(says(other.out, "another value of the header x-tenant"));
    CHECK(run_tapedeck({"explain", "--header", "no header", cassette, tenant_path}).status == 2);
    CHECK(run_tapedeck({"explain", "--match-header", "Cookie", cassette, tenant_path}).status == 2);
  }
  SECTION("copies through HAR, JSON lines, a filter, and merge") {
    const std::string way = GENERATE("har", "jsonl", "cassette", "merge");
    if (way == "merge") {
      write_file(folder / "d.har", R"({"log":{"version":"1.2","entries":[)" + tenant_entry("d", "of-d", 4) + "]}}");
      REQUIRE(run_tapedeck({"import", folder / "d.har", "--out", folder / "d.cassette"}).status == 0);
      REQUIRE(run_tapedeck({"merge", cassette, folder / "d.cassette", "--out", copy}).status == 0);
    } else if (way == "cassette") {
      REQUIRE(run_tapedeck({"export", cassette, "--call", "Tenant/get", "--out", copy}).status == 0);
    } else {
      const std::string file = folder / ("e." + way);
      REQUIRE(run_tapedeck({"export", cassette, "--out", file}).status == 0);
      REQUIRE(run_tapedeck({"import", file, "--out", copy}).status == 0);
    }
    Server replay(folder.path(), {"replay", copy});
    CHECK(says(asked(replay.url(), "b"), "of-b"));
    CHECK(says(asked(replay.url(), "a"), "of-a"));
    if (way == "merge") CHECK(says(asked(replay.url(), "d"), "of-d"));
    CHECK_FALSE(says(asked(replay.url(), "e"), "of-"));
    CHECK(replay.stop() == 0);
  }
  SECTION("diff and rm --superseded") {
    write_file(folder / "n.har", R"({"log":{"version":"1.2","entries":[)" + tenant_entry("b", "other-b", 9) + "]}}");
    REQUIRE(run_tapedeck({"import", folder / "n.har", "--out", folder / "n.cassette"}).status == 0);
    const Ran differs = run_tapedeck({"diff", cassette, folder / "n.cassette"});
    CHECK(differs.status == 1);
    CHECK(says(differs.out, "with x-tenant: a"));
    CHECK(says(differs.out, "with x-tenant: b"));
    REQUIRE(run_tapedeck({"merge", cassette, folder / "n.cassette", "--out", copy}).status == 0);
    REQUIRE(run_tapedeck({"rm", "--superseded", copy}).status == 0);
    Server replay(folder.path(), {"replay", copy});
    CHECK(says(asked(replay.url(), "b"), "other-b"));
    CHECK(says(asked(replay.url(), "a"), "of-a"));
    CHECK(replay.stop() == 0);
  }
}

TEST_CASE("headers: record --mode new asks the device for a new value, and says which header it has learned") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "c.cassette", zone = "X-Zone: ";
  const auto record = [&](const std::vector<std::string>& options, const std::vector<std::string>& values) {
    std::vector<std::string> words = {"record", "--device", device.url()};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(cassette);
    Server recorder(folder.path(), words);
    for (const std::string& value : values) {
      (void)curl({"-H", zone + value, recorder.url() + "/webapi/query.cgi?api=SYNO.API.Info&version=1&method=query"});
    }
    CHECK(recorder.stop() == 0);
    return recorder.out();
  };
  CHECK_FALSE(says(record({}, {"a"}), "HEADER"));
  CHECK(says(record({"--mode", "new", "--match-header", "X-Zone"}, {"a", "b"}), "recorded 1"));
  const auto listed = nlohmann::json::parse(run_tapedeck({"ls", "--json", cassette}).out);
  CHECK(listed.size() == 2);
}

TEST_CASE("bind: replay, exec, explain, and record --mode new accept it") {
  const TempDir folder;
  const std::string cassette = volume_cassette(folder);
  Server replay(folder.path(), {"replay", "--strict", "--bind", "name", cassette});
  for (const std::string method : {"create", "get", "delete"}) {
    CHECK(curl({replay.url() + path + method + "&name=pvc-11112222"}).body == volume("pvc-11112222"));
  }
  CHECK(replay.stop() == 0);

  const std::string ask = "curl -sS \"$TAPEDECK_URL" + path + "create&name=pvc-33334444\"";
  const Ran ran = run_tapedeck({"exec", "--strict", "--bind", "Core.Volume:name", cassette, "--", "sh", "-c", ask});
  CHECK(ran.status == 0);
  CHECK(says(ran.out, volume("pvc-33334444")));

  const Ran explained = run_tapedeck({"explain", "--bind", "name", cassette, path + "create&name=pvc-55556666"});
  CHECK(explained.status == 0);
  CHECK(says(explained.out, "X-Tapedeck-Match: bound=name"));

  const Device device;
  Server recorder(folder.path(), {"record", "--mode", "new", "--bind", "name", "--device", device.url(), cassette});
  CHECK(curl({recorder.url() + path + "create&name=pvc-77778888"}).body == volume("pvc-77778888"));
  CHECK(recorder.stop() == 0);
  CHECK(count(device, "Core.Volume/create") == 0);

  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"explain", "--bind", "passwd", cassette, path + "get"},
        std::vector<std::string>{"record", "--bind", "name", "--device", device.url(), folder / "n.cassette"}}) {
    const Ran refused = run_tapedeck(wrong);
    CHECK(refused.status == 2);
    CHECK(says(refused.err, "--bind"));
  }
}

TEST_CASE("explain: accepts a key as ls prints it") {
  const TempDir folder;
  const std::string cassette = volume_cassette(folder);
  CHECK(run_tapedeck({"explain", cassette, "SYNO.Core.Volume/1/get?name=pvc-6f2ac1d9"}).status == 0);
  CHECK(run_tapedeck({"explain", cassette, "SYNO.Core.Volume/1/get@/photo?name=pvc-6f2ac1d9"}).status == 3);
}

TEST_CASE("refusals: HTTP/2 without TLS, CONNECT, and limits name a remedy") {
  const TempDir folder;
  Server replay(folder.path(), {"replay", "--max-request-body", "10"});
  const std::string url = replay.url();
  CHECK(says(curl({url + "/", "--data", "more than ten bytes"}).body, "--max-request-body"));
  (void)run({"curl", "-sS", "--http2-prior-knowledge", url + "/"});
  (void)run({"curl", "-sS", "-x", url, "https://nas.example/"});
  CHECK(replay.stop() == 0);
  CHECK(says(replay.err(), "refused: HTTP/2 is not supported: let the client use HTTP/1.1 (curl --http1.1)"));
  CHECK(says(replay.err(), "refused: this is no forward proxy"));
  CHECK(says(replay.err(), "refused: the request body is longer than --max-request-body"));
}

}  // namespace tapedeck::tests::matching_cases
