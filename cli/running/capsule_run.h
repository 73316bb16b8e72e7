#pragma once
// The steps of `tapedeck capsule`: what a failure is, and runs of the command that show it or do not.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/running/trial.h"

namespace tapedeck::cli {

/// How a command fails, so that another failure is not taken for it.
class Failure {
 public:
  using Requests = std::set<std::pair<std::string, std::string>>;

  explicit Failure(const TrialResult& result);

  /// The same exit status, text, and failing tests. Other tests may fail as well.
  [[nodiscard]] bool is_same(const TrialResult& result) const;
  /// No request misses or has another outcome where none of the known runs did; a new request is a recorded one. With
  /// `allows_pseudonyms` a value may be matched by its pseudonym.
  [[nodiscard]] bool has_no_new_misses(const TrialResult& result, bool allows_pseudonyms = false) const;
  [[nodiscard]] bool is_alike(const TrialResult& result, bool allows_pseudonyms = false) const {
    return is_same(result) && has_no_new_misses(result, allows_pseudonyms);
  }
  /// Its requests count as known from then on.
  void learn(const TrialResult& result);
  /// "exit status 1, says \"KeyError\"".
  [[nodiscard]] std::string text(const std::string& says) const;

 private:
  int status_ = 0;
  bool is_late_ = false, says_ = false;
  std::vector<std::string> tests_;
  Requests requests_;
  std::set<std::string> keys_;
};

}  // namespace tapedeck::cli
