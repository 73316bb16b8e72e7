#include "replay/recorded/match_rules.h"

#include <toml++/toml.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tapedeck::replay {
namespace {

[[noreturn]] void fail(std::string_view file, const toml::source_region& where, const std::string& message) {
  throw std::invalid_argument(std::string(file) + ":" + std::to_string(where.begin.line) + ": " + message);
}

class RuleReader {
 public:
  explicit RuleReader(std::string_view file) : file_(file) {}

  [[nodiscard]] MatchRule read(const toml::table& table) const {
    MatchRule rule;
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "api") {
        rule.api = text(name, node);
      } else if (name == "method") {
        rule.method = text(name, node);
      } else if (name == "ignore") {
        rule.ignore = texts(name, node);
      } else if (name == "any_version") {
        const auto value = node.value_exact<bool>();
        if (!value) fail(file_, node.source(), "`any_version` must be true or false");
        rule.any_version = *value;
      } else {
        fail(file_, key.source(),
             "unknown key `" + std::string(name) + "` in a match rule (api, method, ignore, any_version)");
      }
    }
    if (rule.ignore.empty() && !rule.any_version) {
      fail(file_, table.source(), "the rule needs `ignore` or `any_version`");
    }
    return rule;
  }

 private:
  [[nodiscard]] std::string text(std::string_view name, const toml::node& node) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(file_, node.source(), "`" + std::string(name) + "` must be a text in quotes");
    return *value;
  }

  [[nodiscard]] std::vector<std::string> texts(std::string_view name, const toml::node& node) const {
    const toml::array* const list = node.as_array();
    if (list == nullptr) fail(file_, node.source(), "`" + std::string(name) + "` must be a list of names");
    std::vector<std::string> found;
    for (const toml::node& one : *list) found.push_back(text(name, one));
    return found;
  }

  std::string_view file_;
};

toml::table parsed(std::string_view text, std::string_view file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), std::string(error.description()));
  }
}

}  // namespace

void apply_match_toml(std::string_view text, std::string_view file, ReplayOptions& options) {
  const toml::table document = parsed(text, file);
  const toml::node* const replay = document.get("replay");
  if (replay == nullptr) return;
  if (!replay->is_table()) fail(file, replay->source(), "`replay` must be a table");
  for (const auto& [key, node] : *replay->as_table()) {
    if (key.str() != "match")
      fail(file, key.source(), "unknown key `" + std::string(key.str()) + "` in `replay` (match)");
    const toml::array* const rules = node.as_array();
    if (rules == nullptr) fail(file, node.source(), "rules are written as [[replay.match]]");
    for (const toml::node& rule : *rules) {
      if (!rule.is_table()) fail(file, rule.source(), "rules are written as [[replay.match]]");
      options.match_rules.push_back(RuleReader(file).read(*rule.as_table()));
    }
  }
}

void apply_match_file(const std::string& path, ReplayOptions& options) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::invalid_argument(path + ": cannot be read");
  apply_match_toml(text.str(), path, options);
}

Looseness looseness_of(const ReplayOptions& options) {
  Looseness looseness{options.match_rules};
  for (const std::string& text : options.ignore_params) {
    const std::size_t colon = text.find(':');
    MatchRule rule;
    if (colon != std::string::npos) rule.api = text.substr(0, colon);
    rule.ignore = {colon == std::string::npos ? text : text.substr(colon + 1)};
    looseness.rules.push_back(std::move(rule));
  }
  if (options.any_version) {
    MatchRule rule;
    rule.any_version = true;
    looseness.rules.push_back(std::move(rule));
  }
  return looseness;
}

}  // namespace tapedeck::replay
