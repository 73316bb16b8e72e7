// The routes of the control API that wait for new entries of the journal.

#include <chrono>
#include <nlohmann/json.hpp>

#include "inspector/assertion.h"
#include "inspector/event_stream.h"
#include "inspector/input.h"
#include "inspector/routes.h"

namespace tapedeck::inspector {
namespace {

using Clock = std::chrono::steady_clock;

/// Passes journal entries to an assertion, and detects if entries were dropped.
class Reading {
 public:
  Reading(const journal::Journal& journal, Assertion assertion)
      : journal_(journal),
        assertion_(std::move(assertion)),
        next_(std::max<std::uint64_t>(1, assertion_.from())),
        deadline_(Clock::now() + std::chrono::milliseconds(assertion_.within_ms())) {}

  /// Reads new entries. Returns the response once the assertion is decided or the time is over.
  [[nodiscard]] std::optional<ControlResponse> response() {
    read();
    if (Clock::now() < deadline_ && assertion_.verdict(true) == Verdict::undecided) return std::nullopt;
    if (lost_ && assertion_.needs_all()) {
      return control_error(409, "the journal no longer contains some of these entries; use a later `from`");
    }
    return good({{"count", assertion_.count()},
                 {"holds", assertion_.verdict(false) == Verdict::holds},
                 {"numbers", assertion_.numbers()},
                 {"total", journal_.total()}});
  }

 private:
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

  const journal::Journal& journal_;
  Assertion assertion_;
  std::uint64_t next_;
  const Clock::time_point deadline_;
  bool lost_ = false;
};

}  // namespace

ControlResponse Control::assertion(const ControlCall& call) {
  const auto reading = std::make_shared<Reading>(*subject_.journal, Assertion(call.object));
  if (auto response = reading->response()) return *std::move(response);
  ControlResponse waiting;
  waiting.later = [reading] { return reading->response(); };
  return waiting;
}

ControlResponse Control::events(const ControlCall& call) {
  const std::uint64_t from = call.query.number("from", subject_.journal->oldest(), 1, largest_number);
  ControlResponse response;
  response.type = "text/event-stream";
  response.stream = [events = std::make_shared<EventStream>(*subject_.journal, from)] { return events->next(); };
  return response;
}

}  // namespace tapedeck::inspector
