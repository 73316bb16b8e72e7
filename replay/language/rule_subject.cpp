#include "replay/language/rule_subject.h"

#include <algorithm>

#include "api/request_key.h"

namespace tapedeck::replay {

SubjectParams::SubjectParams(const RuleSubject& subject)
    : call_(subject.call), private_values_(subject.private_values) {
  if (call_ == nullptr) pairs_ = http::parse_urlencoded(http::split_target(subject.target).query);
}

template <typename Predicate>
bool SubjectParams::any(const Predicate& is_meant) const {
  if (call_ == nullptr) {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return is_meant(pair.name, pair.value); });
  }
  const auto& params = call_->params();
  return std::any_of(params.begin(), params.end(),
                     [&](const auto& param) { return is_meant(param.name, param.value); });
}

bool SubjectParams::fit(const std::vector<ParamCondition>& conditions) const {
  return std::all_of(conditions.begin(), conditions.end(), [this](const ParamCondition& condition) {
    return any([&](std::string_view name, std::string_view value) {
      return name == condition.name && (!condition.value || is_said(*condition.value, api::canonical_value(value)));
    });
  });
}

bool SubjectParams::is_said(const std::string& condition, const std::string& value) const {
  return condition == value || (private_values_ != nullptr && private_values_->pseudonym_of(condition) == value);
}

bool SubjectParams::has_others(const std::vector<ParamCondition>& conditions) const {
  const api::KeyPolicy policy = api::KeyPolicy::current();
  const bool is_login = call_ != nullptr && call_->is_any_login();
  return any([&](std::string_view name, std::string_view) {
    if (policy.leaves_out(name)) return false;
    if (is_login && policy.leaves_out_of_login(name)) return false;
    return std::none_of(conditions.begin(), conditions.end(),
                        [name](const ParamCondition& condition) { return condition.name == name; });
  });
}

bool is_plain(const std::vector<ParamCondition>& conditions) {
  return std::all_of(conditions.begin(), conditions.end(), [](const ParamCondition& condition) {
    return !api::KeyPolicy::current().leaves_out(condition.name) && condition.name != "account";
  });
}

}  // namespace tapedeck::replay
