#include "replay/effects/changed_elements.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "replay/effects/effect_values.h"

namespace tapedeck::replay {
namespace {

/// Members of one element of a list, with normalized values.
using Members = std::map<std::string, std::string>;

void add(Members& members, const std::string& name, const TemplateText& text, const ValueSets& sets, std::size_t set) {
  if (text.params().empty()) return;  // the same in every element
  const auto value = sets.render(text, set, EffectState::most_bytes);
  if (value) members.emplace(name, normalized(*value));
}

std::vector<Members> inserted(const EffectChange::Insert& insert, const WriteValues& values) {
  const auto set_members = nlohmann::json::parse(insert.set, nullptr, false);
  if (!set_members.is_object()) return {};
  NamedTexts texts;
  for (const auto& [name, value] : set_members.items()) {
    if (value.is_string()) texts.emplace_back(name, TemplateText(value.get<std::string>(), TemplateText::Kind::text));
  }
  const ValueSets sets(values, params_in(texts));
  std::vector<Members> elements(sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const auto& [name, text] : texts) add(elements[set], name, *text, sets, set);
  }
  return elements;
}

std::vector<Members> removed(const EffectChange::Remove& remove, const WriteValues& values) {
  const ValueSets sets(values, params_in(remove.where));
  std::vector<Members> elements(sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const auto& [name, text] : remove.where) {
      if (text) add(elements[set], name, *text, sets, set);
    }
  }
  return elements;
}

/// Returns the elements of lists that the change inserts or removes; empty for one that changes the whole response.
std::vector<Members> elements_of(const PendingChange& change) {
  std::vector<Members> elements;
  try {
    if (change.what().insert) elements = inserted(*change.what().insert, *change.values);
    if (change.what().remove) {
      for (Members& one : removed(*change.what().remove, *change.values)) elements.push_back(std::move(one));
    }
  } catch (const api::TooLong&) {
    elements.clear();
  }
  return elements;
}

/// Returns true if the elements share a member and differ in none.
bool is_same(const Members& a, const Members& b) {
  bool shares = false;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end()) continue;
    if (other->second != value) return false;
    shares = true;
  }
  return shares;
}

bool changes_lists(const PendingChange& change) { return change.what().insert || change.what().remove; }

}  // namespace

bool change_same_element(const PendingChange& a, const PendingChange& b) {
  if (changes_lists(a) != changes_lists(b)) return false;
  if (!changes_lists(a)) {
    return std::any_of(a.where.begin(), a.where.end(), [&](const auto& where) {
      return std::find(b.where.begin(), b.where.end(), where) != b.where.end();
    });
  }
  const std::vector<Members> mine = elements_of(a), others = elements_of(b);
  return std::any_of(mine.begin(), mine.end(), [&](const Members& one) {
    return std::any_of(others.begin(), others.end(), [&](const Members& other) { return is_same(one, other); });
  });
}

}  // namespace tapedeck::replay
