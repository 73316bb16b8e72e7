// POST /assert: reads the journal once, or until the assertion is decided.

#include <chrono>
#include <nlohmann/json.hpp>

#include "inspector/assertion.h"
#include "inspector/input.h"
#include "inspector/routes.h"

namespace tapedeck::inspector {
namespace {

using Clock = std::chrono::steady_clock;

/// Passes journal entries to an assertion, and detects if entries were dropped.
class Reading {
 public:
  Reading(const journal::Journal& journal, Assertion& assertion)
      : journal_(journal), assertion_(assertion), next_(std::max<std::uint64_t>(1, assertion.from())) {}

  void read() {
    constexpr std::size_t at_once = 1'000;
    while (true) {
      const auto lines = journal_.entries(next_, at_once);
      if (lines.empty()) return;
      lost_ = lost_ || lines.front()->number > next_;
      for (const journal::JournalLine& line : lines) assertion_.take(*line);
      next_ = lines.back()->number + 1;
    }
  }
  /// Reads until the assertion is decided or the time is over.
  [[nodiscard]] Verdict read_until(Clock::time_point deadline) {
    read();
    while (assertion_.verdict(true) == Verdict::undecided && journal_.wait_beyond(next_ - 1, deadline)) read();
    return assertion_.verdict(false);
  }
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  const journal::Journal& journal_;
  Assertion& assertion_;
  std::uint64_t next_;
  bool lost_ = false;
};

/// Counts a waiting request while it exists.
class Wait {
 public:
  explicit Wait(std::atomic<unsigned>& waits) : waits_(waits), number_(++waits) {}
  ~Wait() { --waits_; }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  [[nodiscard]] unsigned number() const { return number_; }

 private:
  std::atomic<unsigned>& waits_;
  unsigned number_;
};

}  // namespace

ControlResponse Control::assertion(const ControlCall& call) {
  Assertion assertion(call.body);
  const Wait wait(waits_);
  if (assertion.within_ms() > 0 && wait.number() > most_waits) {
    return control_error(503, "too many asserts are waiting; the limit is " + std::to_string(most_waits) + " may");
  }
  Reading reading(*subject_.journal, assertion);
  const Verdict verdict = reading.read_until(Clock::now() + std::chrono::milliseconds(assertion.within_ms()));
  if (reading.lost() && assertion.needs_all()) {
    return control_error(409, "the journal no longer contains some of these entries; use a later `from`");
  }
  const nlohmann::json result = {{"count", assertion.count()},
                                 {"holds", verdict == Verdict::holds},
                                 {"numbers", assertion.numbers()},
                                 {"total", subject_.journal->total()}};
  return {200, result.dump()};
}

}  // namespace tapedeck::inspector
