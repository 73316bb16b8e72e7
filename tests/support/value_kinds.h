#pragma once
// Kinds of values for generated scrubbing tests, and what docs/secrets.md says about each kind.

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::tests {

/// A kind of value. `is_random`: it contains random parts of four bytes or more, or is a phrase of four words.
struct ValueKind {
  std::string name;
  bool is_random;
  std::function<std::string(std::mt19937&)> make;
};

[[nodiscard]] inline std::string random_word(std::mt19937& random, std::string_view alphabet, std::size_t length) {
  std::string word;
  while (word.size() < length) word += alphabet[random() % alphabet.size()];
  return word;
}

[[nodiscard]] inline std::vector<ValueKind> value_kinds() {
  static constexpr std::string_view letters = "abcdefghijkmnpqrstuvwxyz";
  static constexpr std::string_view id_bytes = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const auto id = [](std::mt19937& random) { return "k3" + random_word(random, id_bytes, 14) + "7Q"; };
  const auto word = [](std::mt19937& random) { return random_word(random, letters, 6); };
  return {
      {"id", true, id},
      {"password with marks", true, [=](std::mt19937& r) { return id(r).substr(0, 8) + "/\" &" + id(r).substr(8); }},
      {"password with joints", true, [=](std::mt19937& r) { return id(r).substr(0, 9) + "\",\":" + id(r).substr(9); }},
      {"phrase", true, [=](std::mt19937& r) { return word(r) + " " + word(r) + " " + word(r) + " " + word(r); }},
      {"query", false, [=](std::mt19937& r) { return word(r) + "=1&" + word(r) + "=all"; }},
      {"path", false, [=](std::mt19937& r) { return "/" + word(r) + "1/" + word(r); }},
      {"JSON", false, [=](std::mt19937& r) { return "\"" + word(r) + "\":true}"; }},
      {"header", false, [=](std::mt19937& r) { return word(r) + "/" + word(r) + "; charset=utf-8"; }},
      {"label", false, [=](std::mt19937& r) { return word(r) + " " + word(r); }},
      {"placeholder", false, [=](std::mt19937&) { return std::string("<SESSION_ID>"); }},
      {"number", false, [=](std::mt19937& r) { return random_word(r, "123456789", 13); }},
  };
}

/// Returns true if docs/secrets.md (condition 2) says that the value looks like a credential. Does not check for words.
[[nodiscard]] inline bool looks_like_credential(const ValueKind& kind, const std::string& value) {
  const auto count = [&value](char from, char to) {
    return std::count_if(value.begin(), value.end(), [=](char c) { return c >= from && c <= to; });
  };
  const auto lower = count('a', 'z'), upper = count('A', 'Z'), digits = count('0', '9');
  const auto size = static_cast<std::ptrdiff_t>(value.size());
  const int classes =
      (lower > 0 ? 1 : 0) + (upper > 0 ? 1 : 0) + (digits > 0 ? 1 : 0) + (lower + upper + digits < size ? 1 : 0);
  const bool is_long = size >= 12 || (size >= 8 && classes >= 3);
  return kind.is_random && is_long && (digits < size || size >= 16);
}

}  // namespace tapedeck::tests
