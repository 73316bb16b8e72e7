#include "journal/journal_key.h"

#include <algorithm>

#include "api/key_text.h"
#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::journal {
namespace {

using scrubbers::Scope;

constexpr std::string_view unnamed_label = "<SECRET>";
// Shorter values occur in other values by chance.
constexpr std::size_t shortest_repeated = 4;

/// Returns true for "name" as a JSON key, however often its quotes are escaped, and for name= in a URL or form, where a
/// key escapes '='.
bool stands_as_name(std::string_view value, std::size_t at, std::size_t length) {
  const std::string_view behind = value.substr(at + length);
  const bool quoted = at > 0 && value[at - 1] == '"' && (behind.starts_with('"') || behind.starts_with('\\'));
  return quoted || behind.starts_with("%3d");
}

/// Returns true for URLs such as "https://name:password@host".
bool has_credentials(std::string_view value) {
  for (std::size_t at = value.find("://"); at != std::string_view::npos; at = value.find("://", at + 3)) {
    const std::string_view authority = value.substr(at + 3, value.substr(at + 3).find('/'));
    if (authority.find('@') != std::string_view::npos) return true;
  }
  return false;
}

std::string without_body_hash(const api::RequestKey& key) {
  const std::string_view body = key.body();
  return body.empty() ? key.text : key.text.substr(0, key.text.size() - body.size()) + "body";
}

}  // namespace

JournalKeys::JournalKeys(const scrubbers::RuleSet& rules)
    : rules_(std::make_shared<const scrubbers::CompiledRules>(rules, scrubbers::CompiledRules::Patterns::left_out)) {
  for (const scrubbers::ScrubRule& rule : rules.rules()) {
    if (rule.scope != Scope::parameter && rule.scope != Scope::json_key) continue;
    // Names of one or two letters, as in JSON web keys, are words in other places.
    constexpr std::size_t shortest_name = 3;
    if (name_of(rule).size() < shortest_name) continue;
    const std::string label = scrubbers::placeholder(rule.secret_class);
    names_.push_back({base::fold(name_of(rule)), label, rule});
  }
}

/// Without an API, rules for a single API also apply, because an unnecessary label is better than a leaked secret.
const JournalKeys::Name* JournalKeys::named(std::string_view parameter, const api::RequestKey& key) const {
  const auto found = std::find_if(names_.begin(), names_.end(), [&](const Name& one) {
    return one.rule.scope == Scope::parameter && base::equal_no_case(one.name, parameter) &&
           (!key.is_call || covers(one.rule, key.api.rest, key.method));
  });
  return found == names_.end() ? nullptr : &*found;
}

std::string JournalKeys::label_by_ending(std::string_view parameter, std::string_view value) const {
  const auto found = rules_->parameter(parameter, scrubbers::CallContext()).rule;
  if (!found || rules_->is_plain(*found, http::percent_decode(value, false))) return {};
  const scrubbers::ScrubRule& rule = rules_->rule(found->rule);
  return rule.scope == Scope::name ? scrubbers::placeholder(rule.secret_class) : std::string();
}

/// Returns true for a JSON key (`…password":`, however often its quotes are escaped) or a name in a URL
/// (`…password%3d`).
bool JournalKeys::mentions_ending(std::string_view value) const {
  const auto is_name = [](char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.'; };
  for (std::size_t at = value.find_first_of("\"%"); at != std::string_view::npos;
       at = value.find_first_of("\"%", at + 1)) {
    const bool is_sign = base::equal_no_case(value.substr(at, 3), "%3d");
    if (!is_sign && value[at] == '%') continue;
    std::size_t end = at;
    while (end > 0 && value[end - 1] == '\\') --end;
    std::size_t begin = end;
    while (begin > 0 && is_name(value[begin - 1])) --begin;
    if (begin < end && rules_->name(value.substr(begin, end - begin), scrubbers::CallContext())) return true;
  }
  return false;
}

bool JournalKeys::mentions_secret(std::string_view value) const {
  const std::string text = base::fold(value);
  if (has_credentials(text) || text.find("private%20key-----") != std::string::npos || mentions_ending(value)) {
    return true;
  }
  return std::any_of(names_.begin(), names_.end(), [&](const Name& one) {
    for (std::size_t at = text.find(one.name); at != std::string::npos; at = text.find(one.name, at + 1)) {
      if (stands_as_name(text, at, one.name.size())) return true;
    }
    return false;
  });
}

/// Returns the secrets in the spelling of a key.
std::vector<std::string> JournalKeys::secrets_of(const api::Call* call, const api::RequestKey& key) const {
  std::vector<std::string> values;
  const auto add = [&](std::string_view name, std::string value) {
    if (value.size() < shortest_repeated) return;
    if (named(name, key) != nullptr || !label_by_ending(name, value).empty()) values.push_back(std::move(value));
  };
  for (const api::RequestKey::Item& item : key.items()) {
    add(http::percent_decode(item.name, false), std::string(item.value));
  }
  if (call == nullptr) return values;
  for (const api::Param& param : call->params()) {
    std::string escaped;
    api::append_escaped(escaped, param.value);
    add(param.name, std::move(escaped));
  }
  return values;
}

std::vector<HiddenValue> JournalKeys::secret_values(const api::RequestKey& key, const api::Call* call) const {
  std::vector<HiddenValue> values;
  const auto add = [&](std::string_view name, std::string value) {
    const Name* const rule = named(name, key);
    if (rule != nullptr) values.push_back({std::move(value), rule->rule.secret_class});
  };
  if (call != nullptr) {
    for (const api::Param& param : call->params()) add(param.name, param.value);
    return values;
  }
  for (const api::RequestKey::Item& item : key.items()) {
    add(http::percent_decode(item.name, false), http::percent_decode(item.value, false));
  }
  return values;
}

bool JournalKeys::is_secret(const api::Param& param, const api::Call& call) const {
  const bool is_named = std::any_of(names_.begin(), names_.end(), [&](const Name& one) {
    return one.rule.scope == Scope::parameter && base::equal_no_case(one.name, param.name) &&
           covers(one.rule, call.name().rest, call.folded_method());
  });
  std::string escaped;
  api::append_escaped(escaped, param.value);
  return is_named || !label_by_ending(param.name, escaped).empty() || mentions_secret(escaped);
}

std::string JournalKeys::text(const api::RequestKey& key, const api::Call* call, std::size_t most) const {
  std::string_view rest = key.item_text();
  if (rest.empty()) return without_body_hash(key);
  const std::vector<std::string> secrets = secrets_of(call, key);
  const auto repeats = [&secrets](std::string_view value) {
    return std::any_of(secrets.begin(), secrets.end(),
                       [value](const std::string& secret) { return value.find(secret) != std::string_view::npos; });
  };
  std::string text = key.text.substr(0, key.text.find('?'));
  char mark = '?';
  while (const auto item = api::RequestKey::next_item(rest)) {
    if (text.size() > most) return text;
    text += mark;
    mark = '&';
    text += item->name;
    // Login parameters count only as present or absent.
    if (key.is_call && item->value.empty() && key.text.find(std::string(item->name) + "=") == std::string::npos) {
      continue;
    }
    const std::string decoded = http::percent_decode(item->name, false);
    const Name* const rule = named(decoded, key);
    const bool hidden = !item->value.empty() && (repeats(item->value) || mentions_secret(item->value));
    const std::string label = rule != nullptr ? rule->label : label_by_ending(decoded, item->value);
    text.append("=").append(!label.empty() ? label : std::string(hidden ? unnamed_label : item->value));
  }
  if (key.body().empty()) return text;
  return text + (key.is_call ? "#body" : " #body");
}

}  // namespace tapedeck::journal
