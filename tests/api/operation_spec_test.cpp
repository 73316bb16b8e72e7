#include "api/operation_spec.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "api/catalog.h"

namespace tapedeck::api {
namespace {

using nlohmann::json;

const OperationSpec& rule_get = operation_specs()[0];
const OperationSpec& network_get = operation_specs()[1];
const OperationSpec& portal_list = operation_specs()[2];

struct Example {
  const OperationSpec& spec;
  std::string_view body;
};

/// Returns a response to each operation with exactly the members of the specification.
std::vector<Example> examples() {
  return {
      {rule_get, R"({"data":{"isUpdating":false,"items":{"ruleDB.Area.one":{"action":{},"category":"network",
          "id":"ruleDB.Area.one","method":{"a":1},"severity":"risk","status":"pass","strId":"one",
          "update":"1700000000"}},"success":true},"success":true})"},
      {network_get, R"({"data":{"arp_ignore":true,"dns_manual":false,"dns_primary":"192.0.2.1",
          "dns_secondary":"","enable_ip_conflict_detect":true,"enable_windomain":false,"gateway":"192.0.2.1",
          "gateway_info":{"ifname":"eth0","ip":"192.0.2.2","mask":"255.255.255.0","status":"connected","type":"lan",
          "use_dhcp":true},"ipv4_first":false,"multi_gateway":false,"server_name":"nas","use_dhcp_domain":true,
          "v6gateway":""},"success":true})"},
      {portal_list, R"({"data":{"portal":[{"additional":{"default_setting":{"alias":"a","fqdn":"",
          "hsts":false,"http_port":80,"https_port":443}},"display_name":"A","enable_redirect":false,"id":"SVC.A"}]},
          "success":true})"},
  };
}

/// Returns the place of a field of the specification in the examples.
json::json_pointer place_of(std::string_view path) {
  std::string text = "/" + std::string(path);
  const auto replace = [&text](std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  replace(".", "/");
  replace("*", "ruleDB.Area.one");
  replace("[]", "/0");
  return json::json_pointer(text);
}

json wrong_value(FieldType type) { return type == FieldType::boolean ? json("true") : json(true); }

std::vector<std::string> violations_with(const Example& example, std::string_view path, const json& value,
                                         bool strict) {
  json body = json::parse(example.body);
  body[place_of(path)] = value;
  return example.spec.violations(body.dump(), strict);
}

std::vector<std::string> violations_without(const Example& example, std::string_view path, bool strict) {
  json body = json::parse(example.body);
  const json::json_pointer place = place_of(path);
  if (path.ends_with("]") || path.ends_with("*")) return {"an empty list or map has no record to miss"};
  body[place.parent_pointer()].erase(place.back());
  return example.spec.violations(body.dump(), strict);
}

}  // namespace

TEST_CASE("operation spec: describes the three operations of the catalog") {
  for (const Example& example : examples()) {
    CHECK(catalog_operation(example.spec.api, example.spec.method) != nullptr);
    CHECK(operation_spec(example.spec.api, example.spec.method) == &example.spec);
  }
  CHECK(operation_spec("Core.Network", "GET") == &network_get);
  CHECK(operation_spec("Core.Network", "set") == nullptr);
  CHECK(operation_spec("SVC.Core.Network", "get") == nullptr);
  // Section 2.2 of the specification: success, data, its thirteen fields, and six in gateway_info.
  CHECK(network_get.fields.size() == 2 + 13 + 6);
}

TEST_CASE("operation spec: accepts a response that follows the specification exactly") {
  for (const Example& example : examples()) {
    INFO(example.spec.api);
    CHECK(example.spec.violations(example.body, true).empty());
    CHECK(example.spec.violations(example.body, false).empty());
  }
}

TEST_CASE("operation spec: reports each missing field") {
  for (const Example& example : examples()) {
    for (const FieldSpec& field : example.spec.fields) {
      INFO(field.path);
      CHECK(violations_without(example, field.path, true).size() == (field.optional ? 0 : 1));
      const bool may_miss = field.optional || field.deviation == Deviation::absent;
      CHECK(violations_without(example, field.path, false).size() == (may_miss ? 0 : 1));
    }
  }
}

TEST_CASE("operation spec: reports each field of another type") {
  for (const Example& example : examples()) {
    for (const FieldSpec& field : example.spec.fields) {
      for (const json& value : {wrong_value(field.type), json(1.5), json(nullptr)}) {
        INFO(field.path << " " << value);
        CHECK(violations_with(example, field.path, value, true).size() == 1);
        const bool allowed = value.is_null() && field.deviation == Deviation::null;
        CHECK(violations_with(example, field.path, value, false).size() == (allowed ? 0 : 1));
      }
    }
  }
}

TEST_CASE("operation spec: accepts the deviations of real devices unless it is strict") {
  const std::vector<Example> all = examples();
  struct Row {
    const Example& example;
    std::string_view path;
    json value;
    std::size_t strict_violations;
  };
  const std::string_view setting = "data.portal[].additional.default_setting.";
  const Row rows[] = {
      {all[0], "data.items.*.action", "", 1},
      {all[0], "data.items.*.method", "", 1},
      {all[0], "data.items.*.update", "", 1},
      {all[2], "data.portal[].additional.default_setting.fqdn", nullptr, 1},
      {all[2], "data.portal[].additional.default_setting.http_port", "5000", 1},
      {all[2], "data.portal[].acl", nullptr, 0},
      {all[2], "data.portal[].fqdn", nullptr, 0},
      {all[0], "data.items", json::object(), 0},
      {all[2], "data.portal", json::array(), 0},
  };
  for (const Row& row : rows) {
    INFO(row.path << " " << row.value);
    CHECK(violations_with(row.example, row.path, row.value, true).size() == row.strict_violations);
    CHECK(violations_with(row.example, row.path, row.value, false).empty());
  }
  CHECK(violations_with(all[0], "data.items.*.action", "something", false).size() == 1);
  CHECK(violations_with(all[2], std::string(setting) + "https_port", "not a port", false).size() == 1);
  CHECK(violations_without(all[1], "data.enable_ip_conflict_detect", false).empty());
}

TEST_CASE("operation spec: requires rule IDs to equal their keys and updates to be decimal strings") {
  const Example rules = examples()[0];
  CHECK(violations_with(rules, "data.items.*.id", "other", false) ==
        std::vector<std::string>{"data.items.ruleDB.Area.one.id: expected the key of its record"});
  CHECK(violations_with(rules, "data.items.*.update", "yesterday", false) ==
        std::vector<std::string>{"data.items.ruleDB.Area.one.update: expected a string of digits"});
}

TEST_CASE("operation spec: lines name the place and the fault") {
  const OperationSpec& spec = portal_list;
  CHECK(spec.violations(R"({"success":true,"data":{"portal":[{"id":"a","display_name":"A","enable_redirect":false},
                            {"id":1,"enable_redirect":false,"display_name":"B"}]}})",
                        true) == std::vector<std::string>{"data.portal[1].id: expected a string, found number"});
  CHECK(spec.violations(R"({"success":true})", true) == std::vector<std::string>{"data: missing"});
  for (const std::string_view body : {"", "[]", "<html>", "{\"success\":true", "null"}) {
    CHECK(spec.violations(body, false) == std::vector<std::string>{"the body is not a JSON object"});
  }
  CHECK(rule_get.violations("{\"success\":true,\"data\":{\"success\":true,\"isUpdating\":true,\"items\":{"
                            "\"\x7f\":1}}}",
                            true) == std::vector<std::string>{"data.items.%7F: expected an object, found number"});
}

}  // namespace tapedeck::api
