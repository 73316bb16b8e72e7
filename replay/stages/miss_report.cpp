#include "replay/stages/miss_report.h"

#include <nlohmann/json.hpp>

namespace tapedeck::replay {
namespace {

using nlohmann::json;

json to_json(const MissReport::Nearest& nearest) {
  json parameters = json::array();
  for (const ParamVerdict& verdict : nearest.comparison.params) {
    parameters.push_back({{"name", verdict.name}, {"verdict", to_string(verdict.likeness)}});
  }
  json result = json::object();
  if (nearest.comparison.left_out > 0) result["more"] = nearest.comparison.left_out;
  result["parameters"] = std::move(parameters);
  if (!nearest.comparison.same_prefix) result["prefix"] = "differs";
  result["recording"] = nearest.key;
  result["version"] = nearest.comparison.same_version ? "same" : "differs";
  return result;
}

}  // namespace

std::string MissReport::errors_json() const {
  json list = json::array();
  for (const Nearest& one : nearest) list.push_back(to_json(one));
  json report = json::object();
  report["asked"] = asked;
  report["hint"] = hint;
  if (!effect.empty()) report["effect"] = effect;
  report["nearest"] = std::move(list);
  report["reason"] = reason;
  if (!recordings.empty()) report["recordings"] = recordings;
  json errors = json::object();
  errors["tapedeck"] = std::move(report);
  return errors.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string MissReport::line() const {
  std::string text = "miss: " + asked + ": " + reason;
  if (!nearest.empty()) text += "; nearest: " + nearest.front().key;
  return text + "; " + hint;
}

}  // namespace tapedeck::replay
