#include "inspector/assertion.h"

#include <nlohmann/json.hpp>

#include "inspector/input.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

constexpr std::size_t most_in_order = 100;
constexpr std::size_t most_numbers = 100;

std::vector<journal::JournalMatch> read_order(const json& list) {
  if (!list.is_array() || list.empty() || list.size() > most_in_order) {
    throw BadInput("order must be a list of 1 to " + std::to_string(most_in_order) + " matches");
  }
  std::vector<journal::JournalMatch> matches;
  for (const json& one : list) matches.push_back(read_match(one));
  return matches;
}

}  // namespace

Assertion::Assertion(const json& object) {
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
}

void Assertion::take(const journal::JournalEntry& entry) {
  if (entry.number < from_) return;
  const bool in_order = kind_ == Kind::order;
  if (in_order && count_ == matches_.size()) return;
  if (!matches_[in_order ? count_ : 0].fits(entry)) return;
  ++count_;
  if (numbers_.size() < most_numbers) numbers_.push_back(entry.number);
}

Verdict Assertion::verdict(bool more_may_come) const {
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

bool Assertion::needs_all() const {
  const Verdict now = verdict(false);
  const bool counts_up = kind_ == Kind::at_least || kind_ == Kind::order;
  const bool too_many = kind_ != Kind::order && kind_ != Kind::at_least && count_ > wanted_;
  return !(counts_up && now == Verdict::holds) && !too_many;
}

}  // namespace tapedeck::inspector
