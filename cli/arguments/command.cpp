#include "cli/arguments/command.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/arguments/values.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"

namespace tapedeck::cli {
namespace {

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) names.emplace_back(base::take_until(list, ','));
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Accepts a flag that leaves out what only tells that all is well.
Destination quiet_flag() {
  return parsed(
      [](const std::string& text) {
        if (text == "true") log::be_quiet();
        return text == "true";
      },
      "it takes no value");
}

Destination color_word() {
  static constexpr ColorUse uses[] = {ColorUse::automatic, ColorUse::always, ColorUse::never};
  return one_of({"auto", "always", "never"}, [](std::size_t index) { use_color(uses[index]); });
}

std::vector<const Option*> options_where(const Command& command, const std::function<bool(const Option&)>& wanted) {
  std::vector<const Option*> found;
  for (const Option& option : command.options) {
    if (wanted(option)) found.push_back(&option);
  }
  return found;
}

}  // namespace

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::show_default() { return show_default(destination.initial); }

Option& Option::show_default(std::string text) {
  default_text = std::move(text);
  return *this;
}

Option& Option::exclude(std::vector<std::string> others) {
  excludes = std::move(others);
  return *this;
}

Option& Option::need(std::string other) {
  needs.push_back(std::move(other));
  return *this;
}

bool Option::has_name(const std::string& name) const { return contains(names, name); }

Command::Command(std::string name_, std::string summary_) : name(std::move(name_)), summary(std::move(summary_)) {
  option("-h,--help", "", {}, "Show help with the most common options");
  option("--help-all", "", {}, "Show help with all options");
  option("-q,--quiet", "", quiet_flag(), "Print only warnings, errors, and results");
  choice("--color", color_word(), "When to use colors [default: auto]");
  for (Option& one : options) one.group = standard_group;
}

Option& Command::argument(std::string value, Destination destination, std::string help) {
  Option& added = option("", std::move(value), std::move(destination), std::move(help));
  added.group.clear();
  return added;
}

Option& Command::option(const std::string& names, std::string value, Destination destination, std::string help) {
  Option& added = options.emplace_back();
  added.names = split_names(names);
  added.value = std::move(value);
  added.help = std::move(help);
  added.group = heading;
  added.destination = std::move(destination);
  return added;
}

Option& Command::choice(const std::string& names, Destination destination, std::string help) {
  std::string words = destination.words;
  return option(names, std::move(words), std::move(destination), std::move(help));
}

Option& Command::flag(const std::string& names, bool& variable, std::string help) {
  return option(names, "", into(variable), std::move(help));
}

Command& Command::command(std::string name_, std::string summary_) {
  commands.push_back(std::make_unique<Command>(std::move(name_), std::move(summary_)));
  commands.back()->parent = this;
  return *commands.back();
}

std::string Command::full_name() const { return (parent == nullptr ? "" : parent->full_name() + " ") + name; }

std::vector<const Option*> Command::arguments() const {
  return options_where(*this, [](const Option& option) { return option.is_argument(); });
}

std::vector<const Option*> Command::named_options() const {
  return options_where(*this, [](const Option& option) { return !option.is_argument() && !option.is_standard(); });
}

std::vector<const Option*> Command::standard_options() const {
  return options_where(*this, [](const Option& option) { return option.is_standard(); });
}

std::vector<const Option*> Command::options_in(const std::string& wanted) const {
  return options_where(*this, [&](const Option& option) { return !option.is_argument() && option.group == wanted; });
}

std::vector<std::string> Command::groups() const {
  std::vector<std::string> found;
  for (const Option& option : options) {
    if (option.is_argument() || option.is_standard() || contains(found, option.group)) continue;
    found.push_back(option.group);
  }
  return found;
}

std::vector<std::string> Command::excluded_with(const Option& option) const {
  std::vector<std::string> names;
  for (const Option& other : options) {
    if (contains(option.excludes, other.name()) || contains(other.excludes, option.name())) {
      names.push_back(other.name());
    }
  }
  return names;
}

std::vector<const Option*> all_options_of(const Command& command) {
  std::vector<const Option*> options = command.standard_options();
  for (const Option* option : command.named_options()) options.push_back(option);
  return options;
}

const Option* Command::named(const std::string& option_name) const {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.has_name(option_name); });
  return found == options.end() ? nullptr : &*found;
}

const Command* Command::nested(const std::string& command_name) const {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const auto& one) { return one->name == command_name; });
  return found == commands.end() ? nullptr : found->get();
}

std::vector<std::string> Command::command_names() const {
  std::vector<std::string> names;
  for (const auto& one : commands) names.push_back(one->name);
  return names;
}

}  // namespace tapedeck::cli
