#include "cli/arguments/completion.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace tapedeck::cli {
namespace {

/// Collects the completions that start with a prefix.
class Offers {
 public:
  explicit Offers(std::string_view prefix) : prefix_(prefix) {}
  void add(std::string_view word, std::string_view description) {
    if (word.starts_with(prefix_)) lines_.append(word).append("\t").append(description).append("\n");
  }
  void add_commands(const Command& command) {
    for (const auto& nested : command.commands) add(nested->name, nested->summary);
  }
  void add_options(const std::vector<const Option*>& options) {
    for (const Option* option : options) {
      if (option->name().starts_with("--")) add(option->name(), option->help);
    }
  }
  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  const std::string_view prefix_;
  std::string lines_;
};

/// Returns the possible values of an option.
std::string values_of(const Option& option, std::string_view prefix) {
  std::string_view words = option.value;
  if (words == "FILE" || words == "PATH" || words == "DIR") return ":files\n";
  Offers offers(prefix);
  if (words.find('|') == std::string_view::npos) return {};
  while (!words.empty()) offers.add(base::take_until(words, '|'), option.name());
  return offers.lines();
}

}  // namespace

std::string completions(const Command& program, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto dashes = std::find(words.begin(), words.end() - 1, "--");
  if (dashes != words.end() - 1) return ":command " + std::to_string(dashes - words.begin() + 2) + "\n";
  const std::string& word = words.back();
  Offers offers(word);
  if (words.size() == 1) {
    offers.add_commands(program);
    offers.add_options(program.standard_options());
    offers.add_options(program.named_options());
    return offers.lines();
  }
  const Command* command = program.nested(words.front());
  if (command == nullptr) return {};
  const std::vector<const Option*> options = all_options_of(*command);
  for (const Option* option : options) {
    const bool takes_value = !option->is_flag() && !option->has_optional_value();
    if (takes_value && option->has_name(words[words.size() - 2])) return values_of(*option, word);
  }
  if (word.starts_with('-')) {
    offers.add_options(options);
    return offers.lines();
  }
  return ":files\n";
}

}  // namespace tapedeck::cli
