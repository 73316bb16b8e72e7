#pragma once
// Checks whether calls were made, how often, and in what order, with or without a time limit.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "journal/journal.h"

namespace tapedeck::inspector {

enum class Verdict {
  holds,
  fails,      ///< no later response can fulfill it, or none came in time
  undecided,  ///< a later response may decide it
};

/// Checks the entries of the journal one by one, in order.
class Assertion {
 public:
  /// Reads {"match":{…}, "count"|"at_least"|"at_most":N or "never":true} or {"order":[{…},…]}, both optionally
  /// with "from" and "within_ms". Throws BadInput.
  explicit Assertion(const nlohmann::json& object);

  void take(const journal::JournalEntry& entry);
  /// Returns the verdict for the entries so far. The verdict is never undecided unless `more_may_come` is true.
  [[nodiscard]] Verdict verdict(bool more_may_come) const;
  /// Returns true if lost entries could change the verdict.
  [[nodiscard]] bool needs_all() const;

  [[nodiscard]] std::uint64_t from() const { return from_; }
  [[nodiscard]] std::uint64_t within_ms() const { return within_ms_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Returns the numbers of the first hundred entries that matched.
  [[nodiscard]] const std::vector<std::uint64_t>& numbers() const { return numbers_; }

  static constexpr std::uint64_t most_ms = 60'000;

 private:
  enum class Kind { count, at_least, at_most, order };

  Kind kind_ = Kind::count;
  std::uint64_t wanted_ = 0;
  std::vector<journal::JournalMatch> matches_;  ///< one, or several for an order
  std::uint64_t from_ = 1, within_ms_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace tapedeck::inspector
