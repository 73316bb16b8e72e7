#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "api/envelope.h"
#include "api/operation_spec.h"
#include "tests/replay/asking.h"

namespace tapedeck::replay {
namespace {

using nlohmann::json;

std::vector<std::string> ids(const http::Response& response) {
  std::vector<std::string> found;
  const json body = json::parse(response.body);
  for (const auto& [id, rule] : body["data"]["items"].items()) found.push_back(id);
  return found;
}

TEST_CASE("replay: the three fallbacks follow the specification in every version and under any first label") {
  ReplayHandler handler({}, 1);
  const api::OperationSpec& network = *api::operation_spec("Core.Network", "get");
  const api::OperationSpec& portals = *api::operation_spec("Core.AppPortal", "list");
  const api::OperationSpec& rules = *api::operation_spec("Core.SecurityScan.Status", "rule_get");
  struct Row {
    std::string call;
    const api::OperationSpec& spec;
  };
  const std::vector<Row> rows = {
      {"SVC.Core.Network/1/get", network},
      {"SYNO.Core.Network/2/get", network},
      {"ACME.Core.Network/2/GET", network},
      {"SVC.Core.AppPortal/1/list", portals},
      {"SVC.Core.AppPortal/2/list?additional=[\"default_setting\"]", portals},
      {"SVC.Core.SecurityScan.Status/1/rule_get", rules},
      {"SYNO.Core.SecurityScan.Status/1/rule_get?items=ALL", rules},
  };
  for (const Row& row : rows) {
    CAPTURE(row.call);
    const http::Response response = call(handler, row.call);
    CHECK(response.status == 200);
    CHECK(outcome(response) == "fallback");
    CHECK(response.headers.first("Content-Type") == api::json_content_type);
    CHECK(row.spec.violations(response.body, true).empty());
    CHECK(call(handler, row.call).body == response.body);
    // A parser sorts keys and writes compactly, so equal text shows that the body has this form.
    CHECK(json::parse(response.body).dump() == response.body);
  }
}

TEST_CASE("replay: reports each distinct fallback once, with its scope") {
  std::vector<std::string> lines;
  ReplayOptions options;
  options.on_notice = [&lines](const Notice& notice) {
    if (notice.kind == Notice::Kind::fallback) lines.push_back(notice.scope + "|" + notice.text);
  };
  ReplayHandler handler(options, 1);
  for (int i = 0; i < 2; ++i) (void)call(handler, "SVC.Core.Network/1/get");
  (void)call(handler, "SVC.Core.AppPortal/1/list", {{"X-Tapedeck-Scope", "s"}});
  (void)call(handler, "SVC.No.Such/1/get");
  CHECK(lines == std::vector<std::string>{"|SVC.Core.Network/1/get", "s|SVC.Core.AppPortal/1/list"});
}

TEST_CASE("replay: each operation of the specification has a fallback") {
  ReplayHandler handler({}, 1);
  for (const api::OperationSpec& spec : api::operation_specs()) {
    CAPTURE(spec.api);
    const http::Response response = call(handler, "SVC." + std::string(spec.api) + "/1/" + std::string(spec.method));
    CHECK(outcome(response) == "fallback");
    CHECK(spec.violations(response.body, true).empty());
  }
}

TEST_CASE("replay: the network fallback has exactly the thirteen fields and the six of the gateway") {
  ReplayHandler handler({}, 1);
  const json data = json::parse(call(handler, "SVC.Core.Network/1/get").body)["data"];
  CHECK(data.size() == 13);
  CHECK(data["gateway_info"].size() == 6);
}

TEST_CASE("replay: rule_get accepts items in every spelling") {
  ReplayHandler handler({}, 1);
  const std::string one = "ruleDB.Network.auto_block";
  const std::string two = "ruleDB.Update.system";
  struct Row {
    std::string items;
    std::vector<std::string> expected;
  };
  const std::vector<Row> rows = {
      {"items=" + one, {one}},
      {"items=%22" + one + "%22", {one}},
      {"items=" + one + "+" + two, {one, two}},
      {"items=" + two + "%20" + one, {one, two}},
      {"items=%22" + one + "%20" + two + "%22", {one, two}},
      {"items=[%22" + one + "%22,%20%22" + two + "%22]", {one, two}},
      {"items=" + one + "," + two, {one, two}},
      {"items=ruleDB.Nothing.here+" + one, {one}},
      {"items=ruleDB.Nothing.here", {}},
      {"items=[]", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.items);
    CHECK(ids(call(handler, "SVC.Core.SecurityScan.Status/1/rule_get?" + row.items)) == row.expected);
  }
  const std::vector<std::string> all = ids(call(handler, "SVC.Core.SecurityScan.Status/1/rule_get"));
  CHECK(all.size() == 12);
  for (const std::string items : {"items=ALL", "items=%22ALL%22", "items=[%22ALL%22]"}) {
    CAPTURE(items);
    CHECK(ids(call(handler, "SVC.Core.SecurityScan.Status/1/rule_get?" + items)) == all);
  }
}

TEST_CASE("replay: the portal list has default_setting only if additional requests it") {
  ReplayHandler handler({}, 1);
  struct Row {
    std::string additional;
    bool expected;
  };
  const std::vector<Row> rows = {
      {"", false},
      {"additional=", false},
      {"additional=[]", false},
      {"additional=other", false},
      {"additional=[%22other%22]", false},
      {"additional=[%22default_setting%22]", true},
      {"additional=[+%22default_setting%22+]", true},
      {"additional=default_setting", true},
      {"additional=%22default_setting%22", true},
      {"additional=other,default_setting", true},
      {"additional=[%22other%22,%22default_setting%22]", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.additional);
    const http::Response response = call(handler, "SVC.Core.AppPortal/1/list?" + row.additional);
    const json body = json::parse(response.body);
    for (const json& portal : body["data"]["portal"]) {
      CHECK(portal.contains("additional") == row.expected);
      CHECK(portal.size() == (row.expected ? 4 : 3));
      if (row.expected) CHECK(portal["additional"]["default_setting"].size() == 5);
    }
  }
}

TEST_CASE("replay: with --no-fallback the three operations are misses with a hint") {
  ReplayOptions options;
  options.fallback = false;
  ReplayHandler handler(options, 1);
  for (const std::string text :
       {"SVC.Core.Network/1/get", "SVC.Core.AppPortal/1/list", "SVC.Core.SecurityScan.Status/1/rule_get"}) {
    CAPTURE(text);
    const http::Response response = call(handler, text);
    CHECK(outcome(response) == "miss");
    CHECK(json::parse(response.body)["error"]["code"] == 100);
  }
}

TEST_CASE("replay: no fallback replaces recordings that differ only in redacted places") {
  using testing::record;
  const auto cassette =
      testing::cassette_with({record("SVC.Core.Keys/1/get", R"({"data":{"token":"Zx9-secret-one-7"},"success":true})"),
                              record("SVC.Core.Keys/1/list", R"({"data":{"token":"Qy8-secret-two-6"},"success":true})"),
                              record("SVC.Core.Network/1/get?note=Zx9-secret-one-7", testing::ok),
                              record("SVC.Core.Network/1/get?note=so-Qy8-secret-two-6", testing::ok)});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler handler(options, 1);
  const http::Response response = call(handler, "SVC.Core.Network/1/get?note=so-b");
  CHECK(outcome(response) == "miss");
  CHECK(response.headers.first("X-Tapedeck-Miss").value_or("").find("differ only in") != std::string::npos);
  CHECK(outcome(call(handler, "SVC.Core.Network/1/get")) == "fallback");
}

TEST_CASE("replay: a certain error takes precedence over a fallback") {
  using testing::record;
  const auto cassette = testing::cassette_with(
      {record("SVC.API.Info/1/query?query=all",
              R"({"data":{"SVC.API.Info":{"maxVersion":1,"minVersion":1,"path":"query.cgi"},)"
              R"("SVC.Core.AppPortal":{"maxVersion":1,"minVersion":1,"path":"entry.cgi"}},"success":true})")});
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  ReplayHandler handler(options, 1);
  struct Row {
    std::string call, outcome;
    int code;
  };
  const std::vector<Row> rows = {
      {"SVC.Core.Network/1/get", "builtin", 102},
      {"SVC.Core.SecurityScan.Status/1/rule_get", "builtin", 102},
      {"SVC.Core.AppPortal/2/list", "builtin", 104},
      {"SVC.Core.AppPortal/1/list", "fallback", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.call);
    const http::Response response = call(handler, row.call);
    CHECK(outcome(response) == row.outcome);
    CHECK(json::parse(response.body).value(json::json_pointer("/error/code"), 0) == row.code);
  }
}

}  // namespace
}  // namespace tapedeck::replay
