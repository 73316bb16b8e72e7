#include "replay/recorded/match.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "api/key_text.h"
#include "api/request_params.h"

namespace tapedeck::replay {
namespace {

using api::RequestKey;
using Item = RequestKey::Item;

/// Compares two parameter values.
bool same_value(const Item& asked, const Item& recorded, bool& redacted) {
  if (asked.value == recorded.value) return true;
  redacted = recorded.has_hole && fits_pattern(asked.value, recorded.value);
  return redacted;
}

/// Returns true if a form has the recorded items except for redacted values. Both have the form of a query.
bool form_fits(std::string_view form, std::string_view recorded) {
  if (!form.starts_with('?') || !recorded.starts_with('?')) return false;
  form.remove_prefix(1);
  recorded.remove_prefix(1);
  bool redacted = false;
  while (const auto item = RequestKey::next_item(recorded)) {
    const auto asked = RequestKey::next_item(form);
    if (!asked || asked->name != item->name || !same_value(*asked, *item, redacted)) return false;
  }
  return form.empty();
}

/// Returns the verb and path in the key of a request that is not a call.
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
  return differing + (same_version ? 0 : 1) + (same_label ? 0 : 1) + (same_prefix ? 0 : 1) + (same_rest ? 0 : 1);
}

bool Comparison::names_all() const {
  const auto named = std::count_if(params.begin(), params.end(),
                                   [](const ParamVerdict& verdict) { return verdict.likeness != Likeness::same; });
  return static_cast<std::size_t>(named) == differing;
}

/// Collects verdicts in the order of names.
class Asked::Notes {
 public:
  Notes(Comparison& comparison, std::size_t most) : comparison_(comparison), most_(most) {}

  void add(std::string_view name, Likeness likeness, bool redacted, std::size_t count = 1) {
    const bool tells = likeness != Likeness::same || redacted;
    if (likeness != Likeness::same) comparison_.differing += count;
    comparison_.redacted_params = comparison_.redacted_params || redacted;
    for (; count > 0 && has_place(tells); --count) {
      comparison_.params.push_back({std::string(name), likeness, redacted});
      if (!tells) ++plain_;
    }
    comparison_.left_out += count;
  }
  /// Returns true if further verdicts that differ could not be kept.
  [[nodiscard]] bool is_full() const { return plain_ == 0 && comparison_.params.size() == most_; }
  void leave_out_extra(std::size_t count) {
    comparison_.differing += count;
    comparison_.left_out += count;
  }

 private:
  [[nodiscard]] bool has_place(bool tells) {
    if (comparison_.params.size() < most_) return true;
    if (!tells || plain_ == 0) return false;
    const auto is_plain = [](const ParamVerdict& one) { return one.likeness == Likeness::same && !one.redacted; };
    auto& params = comparison_.params;
    params.erase(std::find_if(params.rbegin(), params.rend(), is_plain).base() - 1);
    --plain_;
    ++comparison_.left_out;
    return true;
  }

  Comparison& comparison_;
  std::size_t most_;
  std::size_t plain_ = 0;  ///< number of kept verdicts that may be replaced
};

Asked::Asked(const api::RequestKey& key, std::string_view form) : key_(key), form_(form) {
  std::string_view rest = key.item_text();
  std::size_t items = 0;
  for (std::string_view here = rest; const auto item = RequestKey::next_item(rest); here = rest) {
    if (groups_.empty() || groups_.back().name != item->name) groups_.push_back({item->name, here, items});
    ++items;
  }
  groups_.push_back({{}, {}, items});
}

Comparison Asked::compare_rest(const api::RequestKey& recorded) const {
  Comparison result;
  result.same_label = key_.api.label == recorded.api.label;
  result.same_version = key_.version == recorded.version;
  result.same_prefix = fits_pattern(key_.prefix, recorded.prefix);
  const bool same_body = key_.body() == recorded.body();
  result.same_rest = same_body || form_fits(form_, recorded.body());
  if (!key_.is_call) {
    result.same_rest = result.same_rest && fits_pattern(head_of(key_.text), head_of(recorded.text));
    result.redacted_path = result.same_rest && head_of(key_.text) != head_of(recorded.text);
  }
  result.redacted_body = result.same_rest && !same_body;
  return result;
}

bool Asked::note_extra(std::size_t from, std::size_t to, const May* may, Notes& notes) const {
  for (std::size_t group = from; group < to; ++group) {
    if (may == nullptr && notes.is_full()) {
      notes.leave_out_extra(groups_[to].before - groups_[group].before);
      return true;
    }
    if (may != nullptr && !(*may)(groups_[group].name, Likeness::extra)) return false;
    notes.add(groups_[group].name, Likeness::extra, false, count(group));
  }
  return true;
}

bool Asked::compare_params(const api::RequestKey& recorded, const May* may, Notes& notes) const {
  std::size_t group = 0;
  const std::size_t end = groups_.size() - 1;
  std::string_view rest = recorded.item_text();
  for (auto item = RequestKey::next_item(rest); item;) {
    const std::string_view name = item->name;
    const auto place = std::lower_bound(groups_.begin() + static_cast<std::ptrdiff_t>(group), groups_.end() - 1, name,
                                        [](const Group& one, std::string_view wanted) { return one.name < wanted; });
    const auto found = static_cast<std::size_t>(place - groups_.begin());
    if (!note_extra(group, found, may, notes)) return false;
    const bool is_asked = found < end && groups_[found].name == name;
    std::string_view asked_items = is_asked ? groups_[found].items : std::string_view();
    std::size_t left = is_asked ? count(found) : 0;
    for (; item && item->name == name; item = RequestKey::next_item(rest)) {
      Likeness likeness = Likeness::missing;
      bool redacted = false;
      if (left > 0) {
        const bool is_same = same_value(*RequestKey::next_item(asked_items), *item, redacted);
        likeness = is_same ? Likeness::same : Likeness::differs;
        --left;
      }
      if (may != nullptr && !(*may)(name, likeness)) return false;
      notes.add(name, likeness, redacted);
    }
    if (left > 0 && may != nullptr && !(*may)(name, Likeness::extra)) return false;
    notes.add(name, Likeness::extra, false, left);
    group = found + (is_asked ? 1 : 0);
  }
  return note_extra(group, end, may, notes);
}

Comparison Asked::compare(const api::RequestKey& recorded, std::size_t most) const {
  Comparison result = compare_rest(recorded);
  Notes notes(result, most);
  (void)compare_params(recorded, nullptr, notes);
  return result;
}

std::optional<Comparison> Asked::compare_if(const api::RequestKey& recorded, const May& may) const {
  Comparison result = compare_rest(recorded);
  Notes notes(result, most_verdicts);
  if (!compare_params(recorded, &may, notes)) return std::nullopt;
  return result;
}

Comparison compare(const api::RequestKey& asked, const api::RequestKey& recorded) {
  return Asked(asked).compare(recorded, std::numeric_limits<std::size_t>::max());
}

namespace {

/// Returns the text in each hole of a pattern that matches all of `text`, or nothing if it does not match.
std::optional<std::vector<std::string_view>> texts_in_holes(std::string_view text, std::string_view pattern) {
  std::vector<std::string_view> found;
  const std::size_t first = std::min(pattern.find('<'), pattern.size());
  if (!text.starts_with(pattern.substr(0, first))) return std::nullopt;
  text.remove_prefix(first);
  pattern.remove_prefix(first);
  while (!pattern.empty()) {
    const std::size_t end = pattern.find('>');
    if (end == std::string_view::npos || text.empty()) return std::nullopt;
    // Only an equal key, with the secret of the client's own login, has such a hole.
    if (pattern.substr(0, end).ends_with(":login")) return std::nullopt;
    pattern.remove_prefix(end + 1);
    const std::size_t next = std::min(pattern.find('<'), pattern.size());
    const std::string_view literal = pattern.substr(0, next);
    const bool is_last = next == pattern.size();
    if (is_last && (text.size() <= literal.size() || !text.ends_with(literal))) return std::nullopt;
    const std::size_t at = is_last ? text.size() - literal.size() : text.find(literal, 1);
    if (at == std::string_view::npos) return std::nullopt;
    found.push_back(text.substr(0, at));
    text.remove_prefix(at + literal.size());
    pattern.remove_prefix(next);
  }
  if (!text.empty()) return std::nullopt;
  return found;
}

}  // namespace

bool fits_pattern(std::string_view text, std::string_view pattern) { return texts_in_holes(text, pattern).has_value(); }

std::vector<std::string> values_in_holes(const api::RequestKey& asked, const api::RequestKey& recorded) {
  std::vector<std::string> values;
  const auto add = [&values](std::string_view text, std::string_view pattern) {
    const auto found = texts_in_holes(text, pattern);
    for (const std::string_view one : found.value_or(std::vector<std::string_view>())) {
      values.push_back(http::percent_decode(one, false));
    }
    const auto holes = static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), '<'));
    if (!found) values.resize(values.size() + holes);
  };
  add(head_of(asked.text), head_of(recorded.text));
  const std::vector<Item> own = asked.items();
  std::map<std::string_view, std::size_t> seen;
  for (const Item& item : recorded.items()) {
    std::size_t nth = seen[item.name]++;
    const auto same =
        std::find_if(own.begin(), own.end(), [&](const Item& one) { return one.name == item.name && nth-- == 0; });
    add(same == own.end() ? std::string_view() : same->value, item.value);
  }
  add({}, recorded.body());
  return values;
}

bool MatchRule::covers(const api::RequestKey& key) const {
  return (api.empty() || api == key.api.rest) && (method.empty() || http::equal_no_case(method, key.method));
}

bool Looseness::ignores(const api::RequestKey& key, std::string_view param) const {
  return std::any_of(rules.begin(), rules.end(), [&](const MatchRule& rule) {
    return rule.covers(key) && std::find(rule.ignore.begin(), rule.ignore.end(), param) != rule.ignore.end();
  });
}

bool Looseness::binds(const api::RequestKey& key, std::string_view param) const {
  return std::any_of(rules.begin(), rules.end(), [&](const MatchRule& rule) {
    return rule.covers(key) && std::find(rule.bind.begin(), rule.bind.end(), param) != rule.bind.end();
  });
}

bool Looseness::binds_any() const {
  return std::any_of(rules.begin(), rules.end(), [](const MatchRule& rule) { return !rule.bind.empty(); });
}

bool Looseness::any_version(const api::RequestKey& key) const {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const MatchRule& rule) { return rule.any_version && rule.covers(key); });
}

std::optional<AtEnd> Looseness::at_end(const api::RequestKey& key) const {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const MatchRule& rule) { return rule.at_end && rule.covers(key); });
  return found == rules.end() ? std::nullopt : found->at_end;
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
  if (!comparison.names_all()) note += ", ...";
  if (!comparison.same_version) add("version", recorded.version);
  if (comparison.redacted_path) add("redacted", "path");
  if (comparison.redacted_body) add("redacted", "body");
  return note;
}

LiveRules::LiveRules(Looseness looseness) {
  for (MatchRule& rule : looseness.rules) rules_.push_back({++last_id_, std::move(rule)});
  put_in_force();
}

std::shared_ptr<const Looseness> LiveRules::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::vector<LiveRules::Rule> LiveRules::list() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

std::optional<std::uint64_t> LiveRules::add(MatchRule rule) {
  const std::lock_guard lock(mutex_);
  if (rules_.size() >= most) return std::nullopt;
  rules_.push_back({++last_id_, std::move(rule)});
  put_in_force();
  return last_id_;
}

bool LiveRules::remove(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (std::erase_if(rules_, [id](const Rule& rule) { return rule.id == id; }) == 0) return false;
  put_in_force();
  return true;
}

void LiveRules::put_in_force() {
  Looseness looseness;
  for (const Rule& rule : rules_) looseness.rules.push_back(rule.rule);
  current_ = std::make_shared<const Looseness>(std::move(looseness));
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace tapedeck::replay
