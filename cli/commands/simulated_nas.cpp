#include "cli/commands/simulated_nas.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "cli/commands/device_text.h"
#include "cli/commands/writes_text.h"
#include "replay/overlays/overlay_writer.h"

namespace tapedeck::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the overlay that makes `tapedeck replay` respond as the operation is described.
std::string overlay_of(const Json& operation) {
  const auto response = [](const Json& one) { return "data = " + replay::toml_text(one["data"].dump()); };
  std::string block = "[[overlay]]\ncall = " + replay::toml_text(text_of(operation["call"])) + "\n";
  if (operation.contains("after")) block += "after = " + replay::toml_text(text_of(operation["after"])) + "\n";
  std::string params, responses;
  const Json wanted = operation.value("params", Json::object());
  for (const auto& [name, value] : wanted.items()) {
    params += (params.empty() ? " " : ", ") + replay::toml_key(name) + " = " + replay::toml_text(text_of(value));
  }
  if (!params.empty()) block += "params = {" + params + " }\n";
  for (const Json& step : operation.value("steps", Json::array())) responses += "{ " + response(step) + " }, ";
  if (!responses.empty()) return block + "answers = [ " + responses + "]\n";
  return block + (operation.contains("error") ? "error = " + operation["error"]["code"].dump() : response(operation)) +
         "\n";
}

/// Returns "API/*/method" for "API/1/method".
std::string of_any_version(const std::string& call) {
  return call.substr(0, call.find('/')) + "/*" + call.substr(call.rfind('/'));
}

}  // namespace

Json simulated_nas() { return Json::parse(device_text); }

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string recorded_nas_overlays(const Json& device) {
  std::vector<Json> operations(device["operations"].begin(), device["operations"].end());
  std::stable_sort(operations.begin(), operations.end(), [](const Json& a, const Json& b) {
    const auto weight = [](const Json& one) {
      return std::pair(one.contains("after"), one.value("params", Json::object()).size());
    };
    return weight(a) > weight(b);
  });
  std::string text;
  for (const Json& operation : operations) text += overlay_of(operation) + "\n";
  return text;
}

std::string simulated_nas_overlays() {
  Json device = simulated_nas();
  std::map<std::string, std::set<std::string>> versions;  // the calls by their form for any version
  std::set<std::string> unconditional;
  const auto question = [](const Json& one) {
    return text_of(one["call"]) + one.value("params", Json::object()).dump();
  };
  for (const Json& one : device["operations"]) {
    const std::string call = text_of(one["call"]);
    versions[of_any_version(call)].insert(call);
    if (!one.contains("after")) unconditional.insert(question(one));
  }
  Json operations = Json::array();
  for (Json& one : device["operations"]) {
    if (one.contains("after") && unconditional.contains(question(one))) continue;  // effects do this
    one.erase("after");
    const std::string wide = of_any_version(text_of(one["call"]));
    if (versions.at(wide).size() == 1) one["call"] = wide;
    operations.push_back(std::move(one));
  }
  device["operations"] = std::move(operations);
  return recorded_nas_overlays(device) + std::string(writes_text);
}

}  // namespace tapedeck::cli
