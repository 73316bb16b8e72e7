// The routes of the control API for looser matching.

#include <nlohmann/json.hpp>

#include "inspector/input.h"
#include "inspector/routes.h"
#include "replay/match_rules.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

constexpr std::size_t most_names = 100;

std::vector<std::string> names_in(const json& object, const std::string& member) {
  const json names = object.value(member, json::array());
  if (!names.is_array() || names.size() > most_names) throw BadInput(member + " must be a list of up to 100 names");
  std::vector<std::string> found;
  for (const json& name : names) {
    if (!name.is_string() || name.get<std::string>().empty()) throw BadInput(member + " must be a list of names");
    found.push_back(name.get<std::string>());
  }
  return found;
}

replay::MatchRule read_rule(const json& object) {
  replay::MatchRule rule;
  if (object.contains("api")) rule.api = text_in(object, "api");
  if (object.contains("method")) rule.method = text_in(object, "method");
  rule.ignore = names_in(object, "ignore");
  rule.bind = names_in(object, "bind");
  if (object.contains("any_version") && !object["any_version"].is_boolean()) {
    throw BadInput("any_version must be true or false");
  }
  rule.any_version = object.value("any_version", false);
  if (object.contains("at_end")) {
    rule.at_end = replay::at_end_from(text_in(object, "at_end"));
    if (!rule.at_end) throw BadInput("at_end must be stick, loop, or miss");
  }
  if (!rule.loosens() && rule.bind.empty() && !rule.at_end) {
    throw BadInput("ignore, bind, any_version, or at_end is required");
  }
  return rule;
}

}  // namespace

ControlResponse Control::rules(const ControlCall& /*call*/) {
  json list = json::array();
  for (const auto& [id, rule] : subject_.replay->rules().list()) {
    json one = {{"id", id}, {"ignore", rule.ignore}, {"bind", rule.bind}, {"any_version", rule.any_version}};
    if (!rule.api.empty()) one["api"] = rule.api;
    if (!rule.method.empty()) one["method"] = rule.method;
    if (rule.at_end) one["at_end"] = to_string(*rule.at_end);
    list.push_back(std::move(one));
  }
  return good({{"rules", std::move(list)}});
}

ControlResponse Control::add_rule(const ControlCall& call) {
  replay::MatchRule rule = read_rule(call.object);
  if (const auto secret = replay::secret_bind(subject_.replay->scrub_rules(), {rule})) {
    throw BadInput("bind: a scrub rule replaces the values of " + *secret + ", so they are not in the cassette");
  }
  const auto id = subject_.replay->rules().add(std::move(rule));
  if (!id) throw BadInput("the limit of 1,000 rules is reached");
  return good({{"id", *id}});
}

ControlResponse Control::delete_rule(const ControlCall& call) {
  const auto id = number_in(call.object, "id", largest_number);
  if (!id) throw BadInput("id must be a number");
  if (!subject_.replay->rules().remove(*id)) return control_error(404, "no such rule; GET /rules lists them");
  return good({{"done", true}});
}

}  // namespace tapedeck::inspector
