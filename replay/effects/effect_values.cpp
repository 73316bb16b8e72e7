#include "replay/effects/effect_values.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/json_patch.h"
#include "api/json_spans.h"

namespace tapedeck::replay {
namespace {

/// Returns the elements of a value that is a JSON list, or nothing.
std::optional<std::vector<std::string>> elements_of(const std::string& value) {
  if (!value.starts_with('[') || !api::is_json(value)) return std::nullopt;
  const auto elements = api::json_elements(value);
  return std::vector<std::string>(elements->begin(), elements->end());
}

}  // namespace

ValueSets::ValueSets(const WriteValues& values, const std::vector<std::string>& names) : values_(values) {
  bool is_empty = false;
  for (const std::string& name : names) {
    const std::string* const value = values.param(name);
    auto elements = value == nullptr ? std::nullopt : elements_of(*value);
    if (!elements) continue;
    is_empty = is_empty || elements->empty();
    size_ = std::max(size_, elements->size());
    lists_.push_back({name, std::move(*elements)});
  }
  if (is_empty) size_ = 0;
}

std::optional<std::string> ValueSets::param(std::string_view name, std::size_t set) const {
  const auto list = std::find_if(lists_.begin(), lists_.end(), [&](const List& one) { return one.name == name; });
  if (list != lists_.end()) {
    if (list->elements.size() == 1) return list->elements.front();
    return set < list->elements.size() ? std::optional(list->elements[set]) : std::nullopt;
  }
  const std::string* const value = values_.param(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::string> ValueSets::render(const TemplateText& text, std::size_t set, std::size_t most) const {
  const std::vector<std::string> names = text.params();
  if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return !param(name, set); })) {
    return std::nullopt;
  }
  const TemplateValues values{values_, [&](std::string_view name) { return param(name, set); }};
  return text.render(values, most);
}

std::vector<std::string> params_in(const NamedTexts& texts) {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts) {
    if (!text) continue;
    for (std::string& param : text->params()) names.push_back(std::move(param));
  }
  return names;
}

std::string normalized(std::string_view value) {
  const std::string text(value);
  const auto elements = elements_of(text);
  return api::canonical_value(bare_value(elements && elements->size() == 1 ? elements->front() : text));
}

bool is_same_value(std::string_view a, std::string_view b) { return a == b || normalized(a) == normalized(b); }

std::optional<std::string> converted(std::string_view target, const std::string& value) {
  const std::string bare = bare_value(value);
  if (target.starts_with('"')) {
    const bool is_same = bare_value(std::string(target)) == bare;
    return is_same ? std::string(target) : api::json_quoted(bare);
  }
  if (target == "true" || target == "false") {
    const std::string canonical = api::canonical_value(value);
    if (canonical == "true" || canonical == "1") return "true";
    if (canonical == "false" || canonical == "0") return "false";
    return std::nullopt;
  }
  if (target.empty() || target == "null" || target.starts_with('[') || target.starts_with('{')) return std::nullopt;
  const bool is_number = nlohmann::json::parse(bare, nullptr, false).is_number();
  return is_number && bare.find_first_of(" \t\r\n") == std::string::npos ? std::optional(bare) : std::nullopt;
}

}  // namespace tapedeck::replay
