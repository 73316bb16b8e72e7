#include "scrubbers/rules/scrub_rule.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/digest.h"
#include "base/text.h"
#include "scrubbers/rules/name_endings.h"

namespace tapedeck::scrubbers {
namespace {

void check_pattern(const ScrubRule& rule) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(RE2::Options::EncodingLatin1);
  const RE2 pattern(rule.match, options);
  if (!pattern.ok())
    throw std::invalid_argument("rule " + rule.id + ": invalid regular expression (RE2): " + pattern.error());
  if (RE2::FullMatch("", pattern)) {
    throw std::invalid_argument("rule " + rule.id + ": the pattern matches an empty string");
  }
}

/// Removes the label of an API's name: rules hold for any label, and are compared without it.
void remove_label(std::string& api) {
  for (const std::string_view label : {"SYNO.", "SVC."}) {
    if (base::equal_no_case(std::string_view(api).substr(0, label.size()), label)) {
      api.erase(0, label.size());
      return;
    }
  }
}

void check_call(const ScrubRule& rule) {
  const auto is_named = [](std::string_view text, std::string_view marks) {
    return std::all_of(text.begin(), text.end(),
                       [marks](char c) { return base::is_alnum(c) || marks.find(c) != std::string_view::npos; });
  };
  std::string_view api = rule.api;
  if (api.ends_with(".*")) api.remove_suffix(2);
  if (!is_named(api, "._-") || (api.empty() && !rule.api.empty())) {
    throw std::invalid_argument("rule " + rule.id + ": no API has this name: " + rule.api +
                                " (a name such as \"Core.Package\", or \"Core.Package.*\" for all that begin so)");
  }
  if (!is_named(rule.method, "_-")) {
    throw std::invalid_argument("rule " + rule.id + ": no method has this name: " + rule.method);
  }
}

void check_ending(const ScrubRule& rule) {
  std::string_view ending = rule.match;
  if (ending.starts_with('_') || ending.starts_with('=')) ending.remove_prefix(1);
  const bool folded = std::all_of(ending.begin(), ending.end(), base::is_lower);
  if (!folded || ending.size() < NameEndings::shortest || ending.size() >= FoldedName::longest) {
    throw std::invalid_argument("rule " + rule.id +
                                ": an ending of names is 3 to 63 small letters (behind a `_` a word " +
                                "of its own, behind a `=` the whole name)");
  }
}

std::string line_of(const ScrubRule& rule) {
  std::string line = rule.id;
  for (const std::string_view part :
       {to_string(rule.scope), std::string_view(rule.match), std::string_view(rule.api), std::string_view(rule.method),
        to_string(rule.secret_class), std::string_view(rule.learn ? "learn" : "")}) {
    line += '\0';
    line += part;
  }
  return line + '\n';
}

}  // namespace

std::string_view to_string(Scope scope) {
  static constexpr std::array<std::string_view, 6> names{"parameter", "header",       "cookie",
                                                         "json_key",  "body_pattern", "name"};
  const auto index = static_cast<std::size_t>(scope);
  return index < names.size() ? names[index] : "unknown scope";
}

bool covers(const ScrubRule& rule, std::string_view api_rest, std::string_view method) {
  if (!rule.method.empty() && !base::equal_no_case(rule.method, method)) return false;
  std::string_view stem = rule.api;
  if (!stem.ends_with(".*")) return stem.empty() || base::equal_no_case(stem, api_rest);
  stem.remove_suffix(1);
  return api_rest.size() > stem.size() && base::equal_no_case(stem, api_rest.substr(0, stem.size()));
}

std::string_view name_of(const ScrubRule& rule) {
  if (rule.scope == Scope::body_pattern || rule.scope == Scope::name || rule.match == "*") return {};
  const std::string_view match = rule.match;
  return rule.scope == Scope::json_key ? match.substr(match.rfind('.') + 1) : match;
}

std::optional<Scope> scope_from(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(Scope::name); ++i) {
    if (to_string(static_cast<Scope>(i)) == base::fold(word)) return static_cast<Scope>(i);
  }
  return std::nullopt;
}

RuleSet RuleSet::defaults() {
  static const RuleSet shipped = [] {
    RuleSet set;
    set.rules_ = default_rules();
    return set;
  }();
  return shipped;
}

void RuleSet::disable(std::string_view id) {
  if (std::find(disabled_.begin(), disabled_.end(), id) != disabled_.end()) return;
  if (std::erase_if(rules_, [&](const ScrubRule& rule) { return rule.id == id; }) == 0) {
    throw std::invalid_argument("no such scrub rule: " + std::string(id) +
                                "\nhint: `tapedeck scrub --rules` lists the rules");
  }
  disabled_.emplace_back(id);
  std::sort(disabled_.begin(), disabled_.end());
}

void RuleSet::add(ScrubRule rule) {
  if (rule.id.empty()) throw std::invalid_argument("missing `id`");
  if (rule.match.empty()) throw std::invalid_argument("rule " + rule.id + ": missing `match`");
  const bool taken = std::any_of(rules_.begin(), rules_.end(), [&](const ScrubRule& r) { return r.id == rule.id; }) ||
                     std::find(disabled_.begin(), disabled_.end(), rule.id) != disabled_.end();
  if (taken) throw std::invalid_argument("rule " + rule.id + ": this ID is already in use");
  remove_label(rule.api);
  check_call(rule);
  if (rule.scope == Scope::body_pattern) check_pattern(rule);
  if (rule.scope == Scope::name) check_ending(rule);
  rule.shipped = false;
  rules_.push_back(std::move(rule));
}

std::string RuleSet::fingerprint() const {
  std::string line = "policy " + std::to_string(policy_number);
  for (const std::string& id : disabled_) line += " -" + id;
  std::string added;
  for (const ScrubRule& rule : rules_) {
    if (!rule.shipped) added += line_of(rule);
  }
  if (!added.empty()) line += " +" + base::to_hex(base::sha256(added)).substr(0, 16);
  return line;
}

}  // namespace tapedeck::scrubbers
