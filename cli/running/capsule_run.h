#pragma once
// Decides for `tapedeck capsule` whether a run of the command shows the same failure.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/running/trial.h"

namespace tapedeck::cli {

/// The way in which a command fails, so that a different failure is not mistaken for it.
class Failure {
 public:
  using Requests = std::set<std::pair<std::string, std::string>>;

  explicit Failure(const TrialResult& result);

  /// Returns true for the same exit status, text, and failing tests. Other tests may fail as well.
  [[nodiscard]] bool is_same(const TrialResult& result) const;
  /// Returns true if no request is a miss, or has a new outcome, that none of the known runs had. New requests must be
  /// recorded ones. With `allows_pseudonyms` a value may also match its pseudonym.
  [[nodiscard]] bool has_no_new_misses(const TrialResult& result, bool allows_pseudonyms = false) const;
  [[nodiscard]] bool is_alike(const TrialResult& result, bool allows_pseudonyms = false) const {
    return is_same(result) && has_no_new_misses(result, allows_pseudonyms);
  }
  /// Adds the requests of a run to the known ones.
  void learn(const TrialResult& result);
  /// Describes the failure, such as "exit status 1, says \"KeyError\"".
  [[nodiscard]] std::string text(const std::string& says) const;

 private:
  int status_ = 0;
  bool is_late_ = false, says_ = false;
  std::vector<std::string> tests_;
  Requests requests_;
  std::set<std::string> keys_;
};

}  // namespace tapedeck::cli
