#include "cli/options/whole_number.h"

#include <string>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace tapedeck::cli {

CLI::Option* takes_whole_number(CLI::Option* option, std::uint64_t least) {
  const auto check = [least](std::string& text) {
    const auto number = base::whole_number<std::uint64_t>(text);
    if (number && *number >= least) return std::string();
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
