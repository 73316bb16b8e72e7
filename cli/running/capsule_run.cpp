#include "cli/running/capsule_run.h"

#include <algorithm>

namespace tapedeck::cli {

Failure::Failure(const TrialResult& result)
    : status_(result.status), is_late_(result.is_late), says_(result.says), tests_(result.failing()) {
  learn(result);
}

bool Failure::is_same(const TrialResult& result) const {
  if (result.is_stopped || !result.has_run) return false;
  const auto failing = result.failing();  // sorted
  return result.status == status_ && result.is_late == is_late_ && result.says == says_ &&
         std::includes(failing.begin(), failing.end(), tests_.begin(), tests_.end());
}

bool Failure::has_no_new_misses(const TrialResult& result, bool allows_pseudonyms) const {
  return std::all_of(result.requests.begin(), result.requests.end(), [&](const auto& request) {
    const bool by_pseudonym =
        request.second.starts_with("recorded ") && request.second.find("private=") != std::string::npos;
    if (allows_pseudonyms && by_pseudonym) return true;
    return requests_.contains(request) || (!keys_.contains(request.first) && request.second == "recorded");
  });
}

void Failure::learn(const TrialResult& result) {
  requests_.insert(result.requests.begin(), result.requests.end());
  for (const auto& [key, outcome] : result.requests) keys_.insert(key);
}

std::string Failure::text(const std::string& says) const {
  std::string text = is_late_ ? "takes too long" : "exit status " + std::to_string(status_);
  if (!says.empty()) text += ", says \"" + says + "\"";
  if (tests_.size() == 1) text += ", test " + tests_.front();
  if (tests_.size() > 1) text += ", " + std::to_string(tests_.size()) + " tests";
  return text;
}

}  // namespace tapedeck::cli
