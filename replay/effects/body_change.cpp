#include "replay/effects/effect_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/json_spans.h"
#include "api/json_splice.h"
#include "base/text.h"
#include "replay/effects/effect_values.h"

namespace tapedeck::replay {
namespace {

std::string_view piece(std::string_view text, http::Span span) { return text.substr(span.offset, span.length); }

/// Returns the object or list at the pointer, or nothing.
std::optional<api::JsonInside> inside_at(std::string_view text, const api::JsonPointer& at) {
  const auto value = api::value_at(text, at.tokens);
  return value ? api::look_inside(text, *value) : std::nullopt;
}

/// Computes the values of a patch: replaces marks, and converts parameters to the type of the value that they replace.
class PatchValues {
 public:
  PatchValues(const ValueSets& sets, std::size_t set, std::size_t most, const ChangeWarn& warn, std::string path)
      : sets_(sets), set_(set), most_(most), warn_(warn), path_(std::move(path)) {}

  std::optional<std::string> operator()(std::string_view target, std::string_view value) const {
    const TemplateText text{std::string(value), TemplateText::Kind::json};
    const auto name = text.only_param();
    const bool has_type = !target.empty() && target != "null";
    if (!name || !has_type) return sets_.render(text, set_, most_);
    const auto param = sets_.param(*name, set_);
    if (!param) return std::nullopt;
    const bool is_same_kind = (target.front() == '[' || target.front() == '{') && param->front() == target.front();
    if (!param->empty() && is_same_kind && api::is_json(*param)) return *param;
    auto now = converted(target, *param);
    if (!now) warn_(path_, "parameter " + *name + " does not have the type found there");
    return now;
  }

 private:
  const ValueSets& sets_;
  std::size_t set_, most_;
  const ChangeWarn& warn_;
  std::string path_;
};

/// Returns the names of the parameters in the marks of a JSON text.
std::vector<std::string> params_of(const std::string& text) {
  return TemplateText(text, TemplateText::Kind::json).params();
}

class BodyChange {
 public:
  BodyChange(std::string body, const PendingChange& change, const api::Call& read, std::size_t most,
             const ChangeWarn& warn)
      : body_(std::move(body)),
        change_(change.what()),
        values_(*change.values),
        read_(read),
        most_(most),
        warn_(warn) {}

  std::string apply() {
    if (change_.merges_params) merge_params();
    if (change_.merge) merge(*change_.merge);
    if (change_.merge_text) {
      const ValueSets sets(values_, {});
      const auto patch = sets.render(*change_.merge_text, 0, most_);
      if (patch && api::is_json(*patch)) merge(*patch);
    }
    // The new elements are computed first, because the element that they resemble may be removed.
    const std::vector<std::string> added = change_.insert ? new_elements() : std::vector<std::string>();
    const std::int64_t before = change_.remove ? -remove() : 0;
    const std::int64_t difference = before + (change_.insert ? insert(added) : 0);
    if (change_.count && difference != 0) count(difference);
    return std::move(body_);
  }

 private:
  void merge_params() {
    for (const auto& [name, value] : values_.params) {
      const auto data = api::value_at(body_, std::vector<std::string>{"data"});
      const auto object = data ? api::look_inside(body_, *data) : std::nullopt;
      if (!object || !object->is_object) return;
      const auto slot = api::slot_of(*object, name);
      if (!slot) continue;
      const http::Span place = object->slots[*slot].value();
      const auto now = converted(piece(body_, place), value);
      if (now) {
        check_room(now->size());
        body_.replace(place.offset, place.length, *now);
      } else {
        warn_("/data/" + name, "it is not a value that the parameter can replace");
      }
    }
  }

  void merge(const std::string& patch) {
    const ValueSets sets(values_, {});
    const PatchValues values(sets, 0, most_, warn_, "the patch");
    auto patched = api::merge_patch(body_, patch, values, most_);
    if (auto* const now = std::get_if<std::string>(&patched)) body_ = std::move(*now);
  }

  /// Returns a new element for each element of the list parameters that meets `where`.
  std::vector<std::string> new_elements() {
    std::vector<std::string> elements;
    const auto list = inside_at(body_, change_.insert->at);
    if (!list || list->is_object) return elements;
    const auto like = change_.insert->like;
    const bool has_model = like && *like < list->slots.size();
    const std::string model = has_model ? std::string(piece(body_, list->slots[*like].value())) : "{}";
    const std::vector<std::string> marked = params_of(change_.insert->set);
    std::vector<std::string> names = params_in(change_.where);
    names.insert(names.end(), marked.begin(), marked.end());
    const ValueSets sets(values_, names);
    std::size_t bytes = 0;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const bool has_values = std::all_of(marked.begin(), marked.end(),
                                          [&](const auto& name) { return sets.param(name, set).has_value(); });
      if (!has_values || !is_here(sets, set)) continue;
      auto made = api::merge_patch(model, change_.insert->set,
                                   PatchValues(sets, set, most_, warn_, change_.insert->at.text), most_);
      auto* const element = std::get_if<std::string>(&made);
      if (element == nullptr) continue;
      check_room(bytes += element->size());
      elements.push_back(std::move(*element));
    }
    return elements;
  }

  [[nodiscard]] bool is_here(const ValueSets& sets, std::size_t set) const {
    return std::all_of(change_.where.begin(), change_.where.end(), [&](const auto& one) {
      if (!one.second) return true;  // is_for() has checked that it is present
      const auto wanted = sets.render(*one.second, set, most_);
      const auto value = read_.value(one.first);
      return wanted && value && is_same_value(*value, *wanted);
    });
  }

  std::int64_t insert(const std::vector<std::string>& elements) {
    std::vector<std::string> place = change_.insert->at.tokens;
    const auto list = inside_at(body_, change_.insert->at);
    if (!list || list->is_object) {
      warn_(change_.insert->at.text, "it is not a list");
      return 0;
    }
    place.emplace_back("-");
    for (const std::string& element : elements) (void)api::add_at(body_, place, element);
    return static_cast<std::int64_t>(elements.size());
  }

  std::int64_t remove() {
    const auto list = inside_at(body_, change_.remove->from);
    if (!list || list->is_object) {
      warn_(change_.remove->from.text, "it is not a list");
      return 0;
    }
    const ValueSets sets(values_, params_in(change_.remove->where));
    std::int64_t removed = 0;
    std::vector<std::string> place = change_.remove->from.tokens;
    place.emplace_back();
    for (std::size_t index = list->slots.size(); index-- > 0;) {
      if (!is_meant(piece(body_, list->slots[index].value()), sets)) continue;
      place.back() = std::to_string(index);
      removed += api::remove_at(body_, place) ? 1 : 0;
    }
    return removed;
  }

  [[nodiscard]] bool is_meant(std::string_view element, const ValueSets& sets) const {
    const auto fits = [&](std::size_t set) {
      return std::all_of(change_.remove->where.begin(), change_.remove->where.end(), [&](const auto& one) {
        const auto value = api::json_member(element, one.first);
        if (!value || !one.second) return value.has_value();
        const auto wanted = sets.render(*one.second, set, most_);
        return wanted && is_same_value(*value, *wanted);
      });
    };
    for (std::size_t set = 0; set < sets.size(); ++set) {
      if (fits(set)) return true;
    }
    return false;
  }

  /// Throws if `more` bytes would make the body too long.
  void check_room(std::size_t more) const {
    if (more > most_ - std::min(most_, body_.size())) throw api::TooLong(most_);
  }

  void count(std::int64_t difference) {
    const auto place = api::value_at(body_, change_.count->tokens);
    const auto number = place ? base::whole_number<std::int64_t>(piece(body_, *place)) : std::nullopt;
    if (!number) return warn_(change_.count->text, "it is not a whole number");
    body_.replace(place->offset, place->length, std::to_string(std::max<std::int64_t>(0, *number + difference)));
  }

  std::string body_;
  const EffectChange& change_;
  const WriteValues& values_;
  const api::Call& read_;
  const std::size_t most_;
  const ChangeWarn& warn_;
};

}  // namespace

std::string changed_body(std::string body, const PendingChange& change, const api::Call& read, std::size_t most,
                         const ChangeWarn& warn) {
  return BodyChange(std::move(body), change, read, most, warn).apply();
}

}  // namespace tapedeck::replay
