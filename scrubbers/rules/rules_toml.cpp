#include "scrubbers/rules/rules_toml.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tapedeck::scrubbers {
namespace {

[[noreturn]] void fail(std::string_view file, const toml::source_region& where, const std::string& message) {
  throw std::invalid_argument(std::string(file) + ":" + std::to_string(where.begin.line) + ": " + message);
}

// The table `scrub`, with the file's name for messages.
class Reader {
 public:
  Reader(std::string_view file, RuleSet& rules) : file_(file), rules_(rules) {}

  void read(const toml::node& scrub) {
    const toml::table* const table = scrub.as_table();
    if (table == nullptr) fail(file_, scrub.source(), "`scrub` must be a table");
    for (const auto& [key, node] : *table) {
      if (key.str() == "disable") {
        disable(node);
      } else if (key.str() == "rule") {
        add_all(node);
      } else {
        fail(file_, key.source(), "unknown key `" + std::string(key.str()) + "` in `scrub` (disable, rule)");
      }
    }
  }

 private:
  void disable(const toml::node& node) {
    const toml::array* const ids = node.as_array();
    if (ids == nullptr) fail(file_, node.source(), "`disable` must be a list of rule ids");
    for (const toml::node& id : *ids) {
      call(id.source(), [&] { rules_.disable(text_of("disable", id)); });
    }
  }

  void add_all(const toml::node& node) {
    const toml::array* const tables = node.as_array();
    if (tables == nullptr) fail(file_, node.source(), "rules are written as [[scrub.rule]]");
    for (const toml::node& entry : *tables) {
      const toml::table* const table = entry.as_table();
      if (table == nullptr) fail(file_, entry.source(), "rules are written as [[scrub.rule]]");
      add(*table);
    }
  }

  void add(const toml::table& table) {
    ScrubRule rule;
    bool has_scope = false;
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "scope") {
        const auto scope = scope_from(text_of(name, node));
        if (!scope) fail(file_, node.source(), "`scope` is parameter, header, cookie, json_key or body_pattern");
        rule.scope = *scope;
        has_scope = true;
      } else if (name == "class") {
        const auto secret_class = secret_class_from(text_of(name, node));
        if (!secret_class)
          fail(file_, node.source(), "`class` is one of secret, password, token, cookie, session_id, …");
        rule.secret_class = *secret_class;
      } else if (name == "learn") {
        const auto learn = node.value_exact<bool>();
        if (!learn) fail(file_, node.source(), "`learn` must be true or false");
        rule.learn = *learn;
      } else {
        text_field(rule, name, key, node) = text_of(name, node);
      }
    }
    if (!has_scope) fail(file_, table.source(), "the rule needs a `scope`");
    if (rule.reason.empty()) fail(file_, table.source(), "the rule needs a `reason`: say why it is secret");
    call(table.source(), [&] { rules_.add(std::move(rule)); });
  }

  std::string& text_field(ScrubRule& rule, std::string_view name, const toml::key& key, const toml::node&) {
    if (name == "id") return rule.id;
    if (name == "reason") return rule.reason;
    if (name == "match") return rule.match;
    if (name == "api") return rule.api;
    if (name == "method") return rule.method;
    fail(file_, key.source(),
         "unknown key `" + std::string(name) + "` in a rule (id, reason, scope, match, api, method, class, learn)");
  }

  std::string text_of(std::string_view name, const toml::node& node) {
    const auto text = node.value_exact<std::string>();
    if (!text) fail(file_, node.source(), "`" + std::string(name) + "` must be a text in quotes");
    return *text;
  }

  template <class Action>
  void call(const toml::source_region& where, Action&& action) {
    try {
      action();
    } catch (const std::invalid_argument& error) {
      fail(file_, where, error.what());
    }
  }

  std::string_view file_;
  RuleSet& rules_;
};

}  // namespace

void apply_rules_toml(std::string_view text, std::string_view file, RuleSet& rules) {
  toml::table document;
  try {
    document = toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), std::string(error.description()));
  }
  if (const toml::node* const scrub = document.get("scrub")) Reader(file, rules).read(*scrub);
}

void apply_rules_file(const std::string& path, RuleSet& rules) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::invalid_argument(path + ": cannot be read");
  apply_rules_toml(text.str(), path, rules);
}

}  // namespace tapedeck::scrubbers
