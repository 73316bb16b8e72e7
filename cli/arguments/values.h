#pragma once
// Destinations of option values. Each parses and checks a text, and stores the value in the caller's variable, which
// must outlive the command.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments/command.h"

namespace tapedeck::cli {

[[nodiscard]] Destination into(std::string& variable);
[[nodiscard]] Destination into(std::vector<std::string>& variable);
/// Accepts a flag, which has no value.
[[nodiscard]] Destination into(bool& variable);

/// Returns nothing for a valid text, and otherwise a description of what the option accepts.
using Check = std::function<std::optional<std::string>(const std::string& text)>;
[[nodiscard]] Destination checked(Destination destination, Check check);
/// Accepts a text for which `store` returns true. `accepts` describes these texts, such as "must be a time".
[[nodiscard]] Destination parsed(std::function<bool(const std::string& text)> store, std::string accepts);
/// Accepts a text for which `parse` returns a value.
template <typename Value, typename Parse>
[[nodiscard]] Destination parsed(std::optional<Value>& variable, Parse parse, std::string accepts) {
  const auto store = [&variable, parse](const std::string& text) { return (variable = parse(text)).has_value(); };
  return parsed(store, std::move(accepts));
}
template <typename Value, typename Parse>
[[nodiscard]] Destination parsed(std::vector<Value>& variable, Parse parse, std::string accepts) {
  const auto store = [&variable, parse](const std::string& text) {
    std::optional<Value> value = parse(text);
    if (value) variable.push_back(*std::move(value));
    return value.has_value();
  };
  Destination destination = parsed(store, std::move(accepts));
  destination.repeatable = true;
  return destination;
}
/// Accepts the path of a file that exists.
[[nodiscard]] Destination existing_file(std::string& variable);

/// Accepts a number from `least` to `most` in decimal digits.
[[nodiscard]] Destination whole_number(std::function<void(std::uint64_t)> store, std::uint64_t least,
                                       std::uint64_t most);
template <typename Number>
[[nodiscard]] Destination whole_number(Number& variable, std::uint64_t least = 0,
                                       std::uint64_t most = std::numeric_limits<Number>::max()) {
  Destination destination =
      whole_number([&variable](std::uint64_t number) { variable = static_cast<Number>(number); }, least, most);
  destination.initial = std::to_string(variable);
  return destination;
}
template <typename Number>
[[nodiscard]] Destination whole_number(std::optional<Number>& variable, std::uint64_t least = 0) {
  return whole_number([&variable](std::uint64_t number) { variable = static_cast<Number>(number); }, least,
                      std::numeric_limits<Number>::max());
}
template <typename Number>
[[nodiscard]] Destination whole_number(std::vector<Number>& variable) {
  Destination destination =
      whole_number([&variable](std::uint64_t number) { variable.push_back(static_cast<Number>(number)); }, 0,
                   std::numeric_limits<Number>::max());
  destination.repeatable = true;
  return destination;
}

/// Accepts a duration (base/duration.h) from `least` to one day.
[[nodiscard]] Destination duration(std::chrono::milliseconds& variable,
                                   std::chrono::milliseconds least = std::chrono::milliseconds(1));
/// Accepts a number of bytes, such as "4096", "64KiB", or "10 MiB".
[[nodiscard]] Destination size(std::size_t& variable);
[[nodiscard]] Destination size(std::optional<std::size_t>& variable, std::size_t initial);

/// Accepts one of `words`, in upper or lower case. Used by Command::choice().
[[nodiscard]] Destination one_of(std::vector<std::string> words, std::function<void(std::size_t)> store);
[[nodiscard]] Destination one_of(std::string& variable, const std::vector<std::string>& words);
template <typename Enum>
[[nodiscard]] Destination one_of(Enum& variable, const std::vector<std::pair<std::string, Enum>>& choices) {
  std::vector<std::string> words;
  std::vector<Enum> values;
  std::string initial;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    values.push_back(value);
    if (value == variable) initial = word;
  }
  Destination destination = one_of(
      std::move(words), [&variable, values = std::move(values)](std::size_t index) { variable = values[index]; });
  destination.initial = std::move(initial);
  return destination;
}

}  // namespace tapedeck::cli
