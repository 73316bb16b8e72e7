// Tests which recordings count as unused, in `exec --strict=unused`, its reports, and `rm --unused`.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "tests/e2e/harness.h"

namespace tapedeck::tests::unused_cases {

namespace {

using nlohmann::json;

constexpr const char* network = "api=SYNO.Core.Network&version=1&method=get";
constexpr const char* portals = "api=SYNO.Core.AppPortal&version=1&method=list";

}  // namespace

TEST_CASE("rm --unused: removes recordings that a scope did not play and keeps the others") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  const std::string scope_header = "X-Tapedeck-Scope: of%20one";
  record(folder.path(), device, cassette, [&](const std::string& url) {
    for (const char* query : {network, portals}) {
      (void)curl({url + "/webapi/entry.cgi?" + query, "-H", scope_header});
      (void)curl({url + "/webapi/entry.cgi?" + query});
    }
  });
  const Ran ran =
      run_tapedeck({"exec", cassette, "--report", folder / "r.json", "--", "sh", "-c",
                    "curl -s -H '" + scope_header + "' \"$TAPEDECK_URL/webapi/entry.cgi?" + network + "\""});
  REQUIRE(ran.status == 0);
  CHECK(run_tapedeck({"rm", cassette, "--unused", folder / "r.json"}).status == 0);
  const json left = json::parse(run_tapedeck({"ls", "--json", cassette}).out);
  REQUIRE(left.size() == 1);
  CHECK(left[0].at("scope") == "of one");
  CHECK(says(left[0].at("key").get<std::string>(), "Core.Network"));
}

TEST_CASE("rm --unused: decides over the reports of all shards, and a shard alone does not fail") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  const auto asks = [](const std::string& url, const std::string& scope, const char* query) {
    return "curl -s -H 'X-Tapedeck-Scope: " + scope + "' \"" + url + "/webapi/entry.cgi?" + query + "\"\n";
  };
  record(folder.path(), device, cassette, [&](const std::string& url) {
    for (const std::string scope : {"one", "two", "gone"}) {
      for (const char* const query : {network, portals}) {
        (void)curl({url + "/webapi/entry.cgi?" + query, "-H", "X-Tapedeck-Scope: " + scope});
      }
    }
  });
  struct Shard {
    std::string scope;
    std::vector<const char*> queries;
    int status;
  };
  std::vector<std::string> remove = {"rm", cassette, "--dry-run", "--json"};
  const auto left_over = [&remove] {
    const Ran ran = run_tapedeck(remove);
    CHECK(ran.status == 3);
    std::vector<std::string> names;
    for (const json& line : json::parse(ran.out)) {
      names.push_back(line.at("scope").get<std::string>() + " " + line.at("key").get<std::string>().substr(5, 12));
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  for (const Shard& shard : {Shard{"one", {network, portals}, 0}, {"two", {network}, 3}}) {
    std::string script;
    for (const char* const query : shard.queries) script += asks("$TAPEDECK_URL", shard.scope, query);
    const std::string report = folder / (shard.scope + ".json");
    const Ran ran = run_tapedeck({"exec", "--strict=unused", "--report", report, cassette, "--", "sh", "-c", script});
    CHECK(ran.status == shard.status);
    remove.insert(remove.end(), {"--unused", report});
    if (shard.status == 0) {
      CHECK(left_over() ==
            std::vector<std::string>{"gone Core.AppPort", "gone Core.Network", "two Core.AppPort", "two Core.Network"});
    }
  }
  CHECK(left_over() == std::vector<std::string>{"gone Core.AppPort", "gone Core.Network", "two Core.AppPort"});
}

}  // namespace tapedeck::tests::unused_cases
