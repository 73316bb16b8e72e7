#include <stdexcept>

#include "base/toml_file.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {
namespace {

/// Reads the table `scrub`.
class Reader {
 public:
  Reader(const base::TomlFile& file, RuleSet& rules) : file_(file), rules_(rules) {}

  void read(const toml::table& scrub) {
    for (const auto& [key, node] : scrub) {
      if (key.str() == "disable") {
        disable(key.str(), node);
      } else if (key.str() == "rule") {
        for (const toml::table* const table : file_.tables("scrub.rule", node)) add(*table);
      } else {
        file_.unknown_key(key, "`scrub`", "disable, rule");
      }
    }
  }

 private:
  void disable(std::string_view key, const toml::node& node) {
    const toml::array* const ids = node.as_array();
    if (ids == nullptr) file_.fail(node.source(), "`disable` must be a list of rule IDs");
    for (const toml::node& one : *ids) {
      const std::string id = file_.text(key, one);
      call(one.source(), [&] { rules_.disable(id); });
    }
  }

  void add(const toml::table& table) {
    ScrubRule rule;
    bool has_scope = false;
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "scope") {
        const auto scope = scope_from(file_.text(name, node));
        if (!scope) file_.fail(node.source(), "`scope` is parameter, header, cookie, json_key, body_pattern or name");
        rule.scope = *scope;
        has_scope = true;
      } else if (name == "class") {
        const auto secret_class = secret_class_from(file_.text(name, node));
        if (!secret_class) {
          file_.fail(node.source(), "`class` is one of secret, password, token, cookie, session_id, …");
        }
        rule.secret_class = *secret_class;
      } else if (name == "learn") {
        rule.learn = file_.flag(name, node);
      } else {
        std::string& field = text_field(rule, key);  // fails for an unknown key before it checks the value
        field = file_.text(name, node);
      }
    }
    if (!has_scope) file_.fail(table.source(), "missing `scope`");
    if (rule.reason.empty()) file_.fail(table.source(), "missing `reason`: explain why this is secret");
    call(table.source(), [&] { rules_.add(std::move(rule)); });
  }

  std::string& text_field(ScrubRule& rule, const toml::key& key) const {
    if (key.str() == "id") return rule.id;
    if (key.str() == "reason") return rule.reason;
    if (key.str() == "match") return rule.match;
    if (key.str() == "api") return rule.api;
    if (key.str() == "method") return rule.method;
    file_.unknown_key(key, "a rule", "id, reason, scope, match, api, method, class, learn");
  }

  template <class Action>
  void call(const toml::source_region& where, Action&& action) {
    try {
      action();
    } catch (const std::invalid_argument& error) {
      file_.fail(where, error.what());
    }
  }

  const base::TomlFile& file_;
  RuleSet& rules_;
};

}  // namespace

void apply_rules(const base::TomlFile& file, RuleSet& rules) {
  if (const toml::table* const scrub = file.table("scrub")) Reader(file, rules).read(*scrub);
}

}  // namespace tapedeck::scrubbers
