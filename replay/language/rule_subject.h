#pragma once
// Represents the request against which overlays and effects are checked, and its parameters.

#include <string_view>
#include <vector>

#include "api/call.h"
#include "http/message/urlencoded.h"
#include "replay/language/member_reader.h"
#include "scrubbers/private/private_profile.h"

namespace tapedeck::replay {

/// The parts of a request that rules examine.
struct RuleSubject {
  const api::Call* call = nullptr;  ///< null if it is not an API call
  std::string_view verb;
  std::string_view target;  ///< without the base path; empty for a part of a compound
  /// The profile with the pseudonyms in the request; null if there are none. Conditions may have original values or
  /// pseudonyms.
  const scrubbers::PrivateProfile* private_values = nullptr;
};

/// The parameters of a call or query.
class SubjectParams {
 public:
  explicit SubjectParams(const RuleSubject& subject);

  /// Returns true if each condition is met by a parameter.
  [[nodiscard]] bool fit(const std::vector<ParamCondition>& conditions) const;
  /// Returns true if there are parameters besides those of the conditions and those that keys leave out.
  [[nodiscard]] bool has_others(const std::vector<ParamCondition>& conditions) const;

 private:
  template <typename Predicate>
  [[nodiscard]] bool any(const Predicate& is_meant) const;
  [[nodiscard]] bool is_said(const std::string& condition, const std::string& value) const;

  const api::Call* call_;
  std::vector<http::Pair> pairs_;
  const scrubbers::PrivateProfile* private_values_;
};

/// Returns true if the subject has parameters that meet all conditions.
[[nodiscard]] inline bool params_fit(const std::vector<ParamCondition>& conditions, const RuleSubject& subject) {
  return conditions.empty() || SubjectParams(subject).fit(conditions);
}
/// Returns true if no condition uses a parameter that keys leave out. Requests with equal keys then meet the same
/// conditions.
[[nodiscard]] bool is_plain(const std::vector<ParamCondition>& conditions);

}  // namespace tapedeck::replay
