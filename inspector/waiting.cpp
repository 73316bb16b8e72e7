// The routes of the control API that wait for new entries of the journal.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "inspector/event_stream.h"
#include "inspector/input.h"
#include "inspector/routes.h"
#include "journal/journal.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_in_order = 100;
constexpr std::size_t most_numbers = 100;
constexpr std::uint64_t most_ms = 60'000;

std::vector<journal::JournalMatch> read_order(const json& list) {
  if (!list.is_array() || list.empty() || list.size() > most_in_order) {
    throw BadInput("order must be a list of 1 to " + std::to_string(most_in_order) + " matches");
  }
  std::vector<journal::JournalMatch> matches;
  for (const json& one : list) matches.push_back(read_match(one));
  return matches;
}

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
  Assertion(const journal::Journal& journal, const json& object) : journal_(journal) {
    const bool never = object.contains("never");
    if (never && object["never"] != json(true)) throw BadInput("never must be true");
    const auto count = number_in(object, "count", largest_number);
    const auto at_least = number_in(object, "at_least", largest_number);
    const auto at_most = never ? std::optional<std::uint64_t>(0) : number_in(object, "at_most", largest_number);
    const int bounds = (count ? 1 : 0) + (at_least ? 1 : 0) + (at_most ? 1 : 0);
    if (object.contains("order")) {
      if (object.contains("match") || bounds > 0) throw BadInput("order cannot be combined with match or a number");
      matches_ = read_order(object["order"]);
      kind_ = Kind::order;
    } else {
      if (!object.contains("match")) throw BadInput("either match or order is required");
      if (bounds != 1 || (never && object.contains("at_most"))) {
        throw BadInput("one of count, at_least, at_most, and never is required");
      }
      matches_ = {read_match(object["match"])};
      kind_ = at_least ? Kind::at_least : at_most ? Kind::at_most : Kind::count;
      wanted_ = at_least ? *at_least : at_most ? *at_most : *count;
    }
    from_ = number_in(object, "from", largest_number).value_or(1);
    within_ms_ = number_in(object, "within_ms", most_ms).value_or(0);
    if (within_ms_ > 0 && kind_ == Kind::at_most) {
      throw BadInput("within_ms cannot be combined with never or at_most");
    }
    next_ = std::max<std::uint64_t>(1, from_);
  }

  [[nodiscard]] bool may_wait() const { return within_ms_ > 0; }

  /// Reads entries until the assertion is decided or the time is over.
  [[nodiscard]] ControlResponse response() {
    const auto deadline = Clock::now() + std::chrono::milliseconds(within_ms_);
    read();
    while (verdict(true) == Verdict::undecided && journal_.wait_beyond(next_ - 1, deadline)) read();
    if (lost_ && needs_all()) {
      return control_error(409, "the journal no longer contains some of these entries; use a later `from`");
    }
    return good({{"count", count_},
                 {"holds", verdict(false) == Verdict::holds},
                 {"numbers", numbers_},
                 {"total", journal_.total()}});
  }

 private:
  enum class Kind { count, at_least, at_most, order };

  void read() {
    constexpr std::size_t at_once = 1'000;
    while (true) {
      const auto lines = journal_.entries(next_, at_once);
      if (lines.empty()) return;
      lost_ = lost_ || lines.front()->number > next_;
      for (const journal::JournalLine& line : lines) take(*line);
      next_ = lines.back()->number + 1;
    }
  }
  void take(const journal::JournalEntry& entry) {
    if (entry.number < from_) return;
    const bool in_order = kind_ == Kind::order;
    if (in_order && count_ == matches_.size()) return;
    if (!matches_[in_order ? count_ : 0].fits(entry)) return;
    ++count_;
    if (numbers_.size() < most_numbers) numbers_.push_back(entry.number);
  }
  /// Returns the verdict for the entries so far. The verdict is never undecided unless `more_may_come` is true.
  [[nodiscard]] Verdict verdict(bool more_may_come) const {
    const Verdict not_yet = more_may_come ? Verdict::undecided : Verdict::fails;
    switch (kind_) {
      case Kind::count:
        return count_ == wanted_ ? Verdict::holds : count_ > wanted_ ? Verdict::fails : not_yet;
      case Kind::at_least:
        return count_ >= wanted_ ? Verdict::holds : not_yet;
      case Kind::at_most:
        return count_ <= wanted_ ? Verdict::holds : Verdict::fails;
      case Kind::order:
        return count_ == matches_.size() ? Verdict::holds : not_yet;
    }
    return Verdict::fails;
  }
  /// Returns true if lost entries could change the verdict.
  [[nodiscard]] bool needs_all() const {
    const Verdict now = verdict(false);
    const bool counts_up = kind_ == Kind::at_least || kind_ == Kind::order;
    const bool too_many = kind_ != Kind::order && kind_ != Kind::at_least && count_ > wanted_;
    return !(counts_up && now == Verdict::holds) && !too_many;
  }

  const journal::Journal& journal_;
  Kind kind_ = Kind::count;
  std::uint64_t wanted_ = 0;
  std::vector<journal::JournalMatch> matches_;  ///< one, or several for an order
  std::uint64_t from_ = 1, next_ = 1;
  std::uint64_t within_ms_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> numbers_;  ///< of the first hundred entries that matched
  bool lost_ = false;                   ///< entries were dropped before they were read
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
  Assertion assertion(*subject_.journal, call.object);
  const Wait wait(waits_);
  if (assertion.may_wait() && wait.number() > most_waits) {
    return control_error(503, "too many asserts are waiting; the limit is " + std::to_string(most_waits));
  }
  return assertion.response();
}

ControlResponse Control::events(const ControlCall& call) {
  static constexpr std::chrono::milliseconds patience{500};
  const std::uint64_t from = call.query.number("from", subject_.journal->oldest(), 1, largest_number);
  ControlResponse response;
  response.type = "text/event-stream";
  response.stream = [events = std::make_shared<EventStream>(*subject_.journal, from)] {
    return events->next(patience);
  };
  return response;
}

}  // namespace tapedeck::inspector
