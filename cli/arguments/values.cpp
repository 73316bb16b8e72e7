#include "cli/arguments/values.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/duration.h"
#include "base/text.h"

namespace tapedeck::cli {
namespace {

std::string listed(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

/// Parses "4096", "64k", "64 KiB", or "10MB". Every unit is a power of 1024.
std::optional<std::size_t> size_of(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = base::whole_number<std::size_t>(std::string_view(text).substr(0, digits));
  std::string unit = base::fold(base::trim(std::string_view(text).substr(digits)));
  if (unit.ends_with("ib")) unit.erase(unit.size() - 2);
  if (unit.ends_with('b')) unit.pop_back();
  const std::size_t power = std::string_view("kmgt").find(unit) + 1;
  if (!number || unit.size() > 1 || power == 0) return std::nullopt;
  const unsigned shift = unit.empty() ? 0 : 10 * static_cast<unsigned>(power);
  if (*number > std::numeric_limits<std::size_t>::max() >> shift) return std::nullopt;
  return *number << shift;
}

std::string text_of_size(std::size_t bytes) {
  for (const auto& [unit, size] : {std::pair{" MiB", 1u << 20}, std::pair{" KiB", 1u << 10}}) {
    if (bytes >= size && bytes % size == 0) return std::to_string(bytes / size) + unit;
  }
  return std::to_string(bytes);
}

Destination size_into(std::function<void(std::size_t)> store, std::size_t initial) {
  Destination destination;
  destination.initial = text_of_size(initial);
  destination.take = [store = std::move(store)](const std::string& text) -> std::optional<std::string> {
    const auto bytes = size_of(text);
    if (!bytes) return "must be a size such as 4096, 64KiB, or 10MiB";
    store(*bytes);
    return std::nullopt;
  };
  return destination;
}

}  // namespace

Destination into(std::string& variable) {
  Destination destination;
  destination.initial = variable;
  destination.take = [&variable](const std::string& text) {
    variable = text;
    return std::nullopt;
  };
  return destination;
}

Destination into(std::vector<std::string>& variable) {
  Destination destination;
  destination.repeatable = true;
  destination.take = [&variable](const std::string& text) {
    variable.push_back(text);
    return std::nullopt;
  };
  return destination;
}

Destination into(bool& variable) {
  Destination destination;
  destination.take = [&variable](const std::string& text) -> std::optional<std::string> {
    if (text != "true") return "it takes no value";
    variable = true;
    return std::nullopt;
  };
  return destination;
}

Destination checked(Destination destination, Check check) {
  destination.take = [take = std::move(destination.take), check = std::move(check)](const std::string& text) {
    auto why = check(text);
    return why ? why : take(text);
  };
  return destination;
}

Destination parsed(std::function<bool(const std::string& text)> store, std::string accepts) {
  Destination destination;
  destination.take = [store = std::move(store),
                      accepts = std::move(accepts)](const std::string& text) -> std::optional<std::string> {
    return store(text) ? std::nullopt : std::optional(accepts);
  };
  return destination;
}

Destination existing_file(std::string& variable) {
  return checked(into(variable), [](const std::string& path) -> std::optional<std::string> {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored)) return std::nullopt;
    return "no such file";
  });
}

Destination whole_number(std::function<void(std::uint64_t)> store, std::uint64_t least, std::uint64_t most) {
  Destination destination;
  destination.take = [store = std::move(store), least, most](const std::string& text) -> std::optional<std::string> {
    const auto number = base::whole_number<std::uint64_t>(text);
    if (number && *number >= least && *number <= most) {
      store(*number);
      return std::nullopt;
    }
    // larger limits are only the limit of the type, and are not mentioned
    constexpr std::uint64_t most_shown = 1'000'000;
    if (most <= most_shown) return fmt::format("must be a number from {} to {}", least, most);
    return least > 0 ? fmt::format("must be a whole number of at least {}", least) : "must be a whole number";
  };
  return destination;
}

Destination duration(std::chrono::milliseconds& variable, std::chrono::milliseconds least) {
  Destination destination;
  destination.initial = base::duration_text(variable);
  destination.take = [&variable, least](const std::string& text) -> std::optional<std::string> {
    const auto duration = base::duration_of(text);
    if (!duration) return "must be " + std::string(base::duration_syntax);
    if (*duration < least || *duration > std::chrono::hours(24)) {
      return "must be from " + base::duration_text(least) + " to 1d";
    }
    variable = std::chrono::duration_cast<std::chrono::milliseconds>(*duration);
    return std::nullopt;
  };
  return destination;
}

Destination size(std::size_t& variable) {
  return size_into([&variable](std::size_t bytes) { variable = bytes; }, variable);
}

Destination size(std::optional<std::size_t>& variable, std::size_t initial) {
  return size_into([&variable](std::size_t bytes) { variable = bytes; }, initial);
}

Destination one_of(std::vector<std::string> words, std::function<void(std::size_t)> store) {
  Destination destination;
  destination.words = listed(words, "|");
  destination.take = [words = std::move(words),
                      store = std::move(store)](const std::string& text) -> std::optional<std::string> {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!base::equal_no_case(words[i], text)) continue;
      store(i);
      return std::nullopt;
    }
    return "must be one of " + listed(words, ", ");
  };
  return destination;
}

Destination one_of(std::string& variable, const std::vector<std::string>& words) {
  Destination destination = one_of(words, [&variable, words](std::size_t index) { variable = words[index]; });
  destination.initial = variable;
  return destination;
}

}  // namespace tapedeck::cli
