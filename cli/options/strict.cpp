#include "cli/options/strict.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/console/usage_error.h"

namespace tapedeck::cli {
namespace {

// Every command accepts all words; events that a command cannot have never occur.
constexpr std::array<std::string_view, 18> words = {
    "miss",     "fallback", "withheld",   "broken",        "unused",         "unfinished",
    "order",    "scope",    "unverified", "builtin-error", "overlay-unused", "refused",
    "past-end", "derived",  "ambiguous",  "account",       "messages",       "suspect"};

std::string strict_words() {
  std::string text;
  for (const std::string_view word : words) {
    text.append(text.empty() ? "" : word == words.back() ? ", and " : ", ").append(word);
  }
  return text;
}

}  // namespace

std::string strict_sentence() { return " The events for --strict are " + strict_words() + ", separated by commas."; }

Strict::Strict(std::string_view list, std::string_view alone) {
  const bool is_alone = list == "true";
  if (is_alone) list = alone;
  while (!list.empty()) {
    const std::string_view word = base::take_until(list, ',');
    if (is_alone && word == builtin_effect) {
      kinds_.emplace(word);
      continue;
    }
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      throw UsageError("invalid value `" + std::string(word) + "` for --strict: must be one or more of " +
                       strict_words() + ", separated by commas");
    }
    kinds_.emplace(word);
  }
}

Destination strict_into(Strict& strict, std::string_view alone) {
  Destination destination;
  destination.take = [&strict, alone](const std::string& list) {
    strict = Strict(list, alone);
    return std::nullopt;
  };
  return destination;
}

bool Strict::is_broken(const EventCounts& happened) const {
  return std::any_of(happened.begin(), happened.end(),
                     [this](const auto& one) { return one.second > 0 && has(one.first); });
}

}  // namespace tapedeck::cli
