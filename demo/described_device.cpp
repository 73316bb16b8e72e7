#include "demo/described_device.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "api/call.h"
#include "demo/device_text.h"

namespace tapedeck::demo {
namespace {

using Json = nlohmann::ordered_json;
using Params = std::map<std::string, std::string>;

const Json& described() {
  static const Json all = Json::parse(device_text);
  return all;
}

std::string error(int code) { return Json{{"error", {{"code", code}}}, {"success", false}}.dump(); }
std::string success(const Json& data) { return Json{{"data", data}, {"success", true}}.dump(); }

/// A parameter's text: JSON strings lose their quotes, as devices read them.
std::string plain(const std::string& value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}
std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }
/// A member that device.json has for certain.
std::string text_in(const Json& object, const char* name) { return object.at(name).get<std::string>(); }

bool has_params(const Json& operation, const Params& params) {
  if (!operation.contains("params")) return true;
  const Json& wanted = operation["params"];
  return std::all_of(wanted.items().begin(), wanted.items().end(), [&](const auto& item) {
    const auto found = params.find(item.key());
    return found != params.end() && plain(found->second) == plain(text_of(item.value()));
  });
}

/// 102: no such API; 104: not in this version; 103: no such method.
std::string unknown(const std::string& call) {
  const std::string api = call.substr(0, call.find('/') + 1);
  const std::string version = call.substr(0, call.find('/', api.size()) + 1);
  int code = 102;
  for (const Json& one : described()["operations"]) {
    const std::string known = text_in(one, "call");
    if (known.starts_with(version)) return error(103);
    if (known.starts_with(api)) code = 104;
  }
  return error(code);
}

}  // namespace

/// How often each operation was answered, and which calls were made with success.
struct DescribedDevice::State {
  std::map<const Json*, std::size_t> turns;
  std::set<std::string> made;

  std::string answer(const std::string& call, const Params& params) {
    const Json* best = nullptr;
    std::size_t best_weight = 0;
    for (const Json& one : described()["operations"]) {
      const bool after = one.contains("after");
      if (text_in(one, "call") != call || !has_params(one, params) || (after && !made.contains(text_in(one, "after"))))
        continue;
      const std::size_t weight = (after ? 1000 : 0) + (one.contains("params") ? one["params"].size() : 0);
      if (best == nullptr || weight > best_weight) best = &one, best_weight = weight;
    }
    if (best == nullptr) return unknown(call);
    const std::size_t turn = turns[best]++;
    if (best->contains("error")) return error((*best)["error"]["code"].get<int>());
    made.insert(call);
    if (!best->contains("steps")) return success((*best)["data"]);
    const Json& steps = (*best)["steps"];
    return success(steps[std::min(turn, steps.size() - 1)]["data"]);
  }

  std::string compound(const Params& params) {
    Json result = Json::array();
    bool has_fail = false;
    for (const Json& part : Json::parse(params.at("compound"))) {
      Params own;
      for (const auto& [name, value] : part.items()) own[name] = text_of(value);
      const Json said = Json::parse(answer(own["api"] + "/" + own["version"] + "/" + own["method"], own));
      const bool good = said["success"].get<bool>();
      has_fail = has_fail || !good;
      const char* kind = good ? "data" : "error";
      result.push_back({{"api", part["api"]},
                        {kind, said[kind]},
                        {"method", part["method"]},
                        {"success", good},
                        {"version", part["version"]}});
    }
    return success({{"has_fail", has_fail}, {"result", result}});
  }
};

namespace {

std::string log_in(const Params& params) {
  const Json& account = described()["account"];
  const Json& session = described()["session"];
  const auto is = [&](const char* name, const std::string& value) {
    const auto found = params.find(name);
    return found != params.end() && found->second == value;
  };
  if (!is("account", text_in(account, "name")) || !is("passwd", text_in(account, "password"))) return error(400);
  Json data = {{"account", account["name"]}, {"is_portal_port", false}, {"sid", session["sid"]}};
  if (is("enable_syno_token", "yes")) data["synotoken"] = session["synotoken"];
  return success(data);
}

}  // namespace

DescribedDevice::DescribedDevice() : state_(std::make_unique<State>()) {}
DescribedDevice::~DescribedDevice() = default;

void DescribedDevice::handle(std::shared_ptr<http::Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  const auto call = api::Call::from(exchange->request());
  http::Response response;
  response.headers.add("Content-Type", "application/json; charset=\"UTF-8\"");
  if (!call || call->version().empty() || call->method().empty()) {
    response.body = error(101);
    return exchange->respond(std::move(response));
  }
  Params params;
  for (const api::Param& param : call->params()) params[param.name] = param.value;
  const std::string name = call->api() + "/" + call->version() + "/" + call->method();
  const bool is_open = name.starts_with("SVC.API.");
  if (name.ends_with("/login")) {
    response.body = log_in(params);
  } else if (name.ends_with("/logout")) {
    state_ = std::make_unique<State>();
    response.body = Json{{"success", true}}.dump();
  } else if (!is_open && params["_sid"] != text_in(described()["session"], "sid")) {
    response.body = error(119);
  } else {
    response.body = name.starts_with("SVC.Entry.Request/") ? state_->compound(params) : state_->answer(name, params);
  }
  exchange->respond(std::move(response));
}

Walk described_walk() {
  const Json& account = described()["account"];
  Walk walk{text_in(account, "name"), text_in(account, "password"), {}};
  for (const Json& one : described()["walk"]) {
    DescribedCall call{text_in(one, "call"), {}};
    if (one.contains("params")) {
      for (const auto& [name, value] : one["params"].items()) call.params.emplace_back(name, text_of(value));
    }
    if (one.contains("compound")) {
      call.params.emplace_back("mode", "sequential");
      call.params.emplace_back("compound", one["compound"].dump());
    }
    walk.calls.push_back(std::move(call));
  }
  return walk;
}

}  // namespace tapedeck::demo
