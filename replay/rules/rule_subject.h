#pragma once
// The request that overlays and effects look at, and its parameters.

#include <string_view>
#include <vector>

#include "api/call.h"
#include "http/message/urlencoded.h"
#include "replay/rules/member_reader.h"
#include "scrubbers/private/private_profile.h"

namespace tapedeck::replay {

/// What is requested, as far as the request's text says it.
struct RuleSubject {
  const api::Call* call = nullptr;  ///< null for what is no API call
  std::string_view verb;
  std::string_view target;  ///< without base path; empty for a part of a compound, which has no path
  /// Knows pseudonyms, of which the request has those; null: of none. Conditions may have either.
  const scrubbers::PrivateProfile* private_values = nullptr;
};

/// Parameters of a call, or of a query.
class SubjectParams {
 public:
  explicit SubjectParams(const RuleSubject& subject);

  /// Whether some parameter meets each of the conditions.
  [[nodiscard]] bool fit(const std::vector<ParamCondition>& conditions) const;
  /// Whether there is a parameter beside those that the conditions name, and those that no key has.
  [[nodiscard]] bool has_others(const std::vector<ParamCondition>& conditions) const;

 private:
  template <typename Predicate>
  [[nodiscard]] bool any(const Predicate& is_meant) const;
  [[nodiscard]] bool is_said(const std::string& condition, const std::string& value) const;

  const api::Call* call_;
  std::vector<http::Pair> pairs_;
  const scrubbers::PrivateProfile* private_values_;
};

/// Whether the subject has parameters that meet all conditions.
[[nodiscard]] inline bool params_fit(const std::vector<ParamCondition>& conditions, const RuleSubject& subject) {
  return conditions.empty() || SubjectParams(subject).fit(conditions);
}
/// Whether no condition looks at a parameter that no key has: then requests with equal keys meet the same conditions.
[[nodiscard]] bool is_plain(const std::vector<ParamCondition>& conditions);

}  // namespace tapedeck::replay
