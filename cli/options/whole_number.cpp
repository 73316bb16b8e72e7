#include "cli/options/whole_number.h"

#include <charconv>
#include <string>

#include <CLI/CLI.hpp>

namespace tapedeck::cli {

CLI::Option* takes_whole_number(CLI::Option* option, std::uint64_t least) {
  const auto check = [least](std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure == std::errc() && stopped == end && number >= least) return std::string();
    return "a whole number" + (least > 0 ? " from " + std::to_string(least) + " on" : std::string());
  };
  return option->transform(CLI::Validator(check, ""));  // ahead of other checks
}

CLI::Option* takes_no_sign(CLI::Option* option) {
  const auto check = [](std::string& text) -> std::string {
    return text.starts_with('-') || text.starts_with('+') ? "a size has no sign" : "";
  };
  return option->transform(CLI::Validator(check, ""));
}

}  // namespace tapedeck::cli
