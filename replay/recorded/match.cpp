#include "replay/recorded/match.h"

#include <algorithm>

#include "replay/recorded/contents.h"

namespace tapedeck::replay {
namespace {

using Item = api::RequestKey::Item;

/// `nth` of the items with that name.
bool same_value(const Item& asked, const Item& recorded, std::size_t nth, const Contents* contents, bool& redacted) {
  if (asked.value == recorded.value) return true;
  redacted = recorded.has_hole && (fits_pattern(asked.value, recorded.value) ||
                                   (contents != nullptr && contents->file_fits(asked.name, nth, recorded.value)));
  return redacted;
}

/// Appends the verdicts on all items of the name that comes first, and moves both places behind them.
void compare_name(const std::vector<Item>& asked, const std::vector<Item>& recorded, std::size_t& a, std::size_t& r,
                  const Contents* contents, std::vector<ParamVerdict>& verdicts) {
  const bool in_asked = a < asked.size() && (r == recorded.size() || asked[a].name <= recorded[r].name);
  const std::string_view name = in_asked ? asked[a].name : recorded[r].name;
  const auto has = [name](const std::vector<Item>& items, std::size_t at) {
    return at < items.size() && items[at].name == name;
  };
  for (const std::size_t first = a; has(asked, a) || has(recorded, r);) {
    ParamVerdict verdict{std::string(name), Likeness::same, false};
    if (!has(recorded, r)) {
      verdict.likeness = Likeness::extra;
      ++a;
    } else if (!has(asked, a)) {
      verdict.likeness = Likeness::missing;
      ++r;
    } else {
      const bool same = same_value(asked[a], recorded[r], a - first, contents, verdict.redacted);
      if (!same) verdict.likeness = Likeness::differs;
      ++a;
      ++r;
    }
    verdicts.push_back(std::move(verdict));
  }
}

/// Verb and path of the key of what is no call.
std::string_view head_of(std::string_view text) { return text.substr(0, text.find_first_of("?#")); }

}  // namespace

std::string_view to_string(Likeness likeness) {
  switch (likeness) {
    case Likeness::same:
      return "same";
    case Likeness::differs:
      return "differs";
    case Likeness::missing:
      return "missing";
    case Likeness::extra:
      return "extra";
  }
  return "";
}

std::size_t Comparison::differences() const {
  const auto differing = std::count_if(params.begin(), params.end(),
                                       [](const ParamVerdict& verdict) { return verdict.likeness != Likeness::same; });
  return static_cast<std::size_t>(differing) + (same_version ? 0 : 1) + (same_label ? 0 : 1) + (same_rest ? 0 : 1);
}

bool Comparison::uses_redaction() const {
  return redacted_path || redacted_body ||
         std::any_of(params.begin(), params.end(), [](const ParamVerdict& verdict) { return verdict.redacted; });
}

Comparison compare(const api::RequestKey& asked, const api::RequestKey& recorded, const Contents* contents) {
  Comparison result;
  result.same_label = asked.api.label == recorded.api.label;
  result.same_version = asked.version == recorded.version;
  if (!asked.is_call) {
    const bool same_body = asked.body() == recorded.body();
    result.same_rest = fits_pattern(head_of(asked.text), head_of(recorded.text)) &&
                       (same_body || (contents != nullptr && contents->body_fits(recorded.body())));
    result.redacted_path = result.same_rest && head_of(asked.text) != head_of(recorded.text);
    result.redacted_body = result.same_rest && !same_body;
  }
  const std::vector<Item> asked_items = asked.items();
  const std::vector<Item> recorded_items = recorded.items();
  std::size_t a = 0;
  std::size_t r = 0;
  while (a < asked_items.size() || r < recorded_items.size()) {
    compare_name(asked_items, recorded_items, a, r, contents, result.params);
  }
  return result;
}

bool fits_pattern(std::string_view text, std::string_view pattern) {
  const std::size_t first = pattern.find('<');
  if (first == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, first))) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first);
  while (!pattern.empty()) {
    const std::size_t end = pattern.find('>');
    if (end == std::string_view::npos || text.empty()) return false;
    pattern.remove_prefix(end + 1);
    const std::size_t next = std::min(pattern.find('<'), pattern.size());
    const std::string_view literal = pattern.substr(0, next);
    if (next == pattern.size()) return literal.empty() || (text.size() > literal.size() && text.ends_with(literal));
    const std::size_t at = text.find(literal, 1);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + literal.size());
    pattern.remove_prefix(next);
  }
  return true;
}

bool MatchRule::covers(const api::RequestKey& key) const {
  return (api.empty() || api == key.api.rest) && (method.empty() || http::equal_no_case(method, key.method));
}

bool Looseness::ignores(const api::RequestKey& key, std::string_view param) const {
  return std::any_of(rules.begin(), rules.end(), [&](const MatchRule& rule) {
    return rule.covers(key) && std::find(rule.ignore.begin(), rule.ignore.end(), param) != rule.ignore.end();
  });
}

bool Looseness::any_version(const api::RequestKey& key) const {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const MatchRule& rule) { return rule.any_version && rule.covers(key); });
}

bool may_answer(const api::RequestKey& asked, const Comparison& comparison, const Looseness& looseness) {
  if (!comparison.same_rest || (!comparison.same_version && !looseness.any_version(asked))) return false;
  return std::all_of(comparison.params.begin(), comparison.params.end(), [&](const ParamVerdict& verdict) {
    return verdict.likeness == Likeness::same || looseness.ignores(asked, verdict.name);
  });
}

std::string match_note(const api::RequestKey& recorded, const Comparison& comparison) {
  std::string note;
  const auto add = [&note](std::string_view word, std::string_view what) {
    if (!note.empty()) note += ", ";
    note.append(word).append("=").append(what);
  };
  for (const ParamVerdict& verdict : comparison.params) {
    if (verdict.redacted) add("redacted", verdict.name);
    if (verdict.likeness != Likeness::same) add("ignored", verdict.name);
  }
  if (!comparison.same_version) add("version", recorded.version);
  if (comparison.redacted_path) add("redacted", "path");
  if (comparison.redacted_body) add("redacted", "body");
  return note;
}

}  // namespace tapedeck::replay
