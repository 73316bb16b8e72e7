#pragma once
// Replaces the marks of effects by the values of a write.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

/// The sets of values for a write with list parameters. Set N has element N of each list that the texts name, and a
/// list of one element has that element in every set. Without lists, there is one set.
class ValueSets {
 public:
  /// `names` are the parameters in the texts. `values` must outlive the object.
  ValueSets(const WriteValues& values, const std::vector<std::string>& names);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns the text with the values of this set, or nothing if a mark has no value. Throws api::TooLong instead of
  /// creating a result longer than `most`.
  [[nodiscard]] std::optional<std::string> render(const TemplateText& text, std::size_t set, std::size_t most) const;
  /// Returns the parameter's value in this set, as sent.
  [[nodiscard]] std::optional<std::string> param(std::string_view name, std::size_t set) const;

 private:
  struct List {
    std::string name;
    std::vector<std::string> elements;
  };
  const WriteValues& values_;
  std::vector<List> lists_;
  std::size_t size_ = 1;
};

/// Returns the parameters that marks in these texts name.
[[nodiscard]] std::vector<std::string> params_in(const NamedTexts& texts);
/// Returns the text by which values are compared: canonical as in keys, and a list of one element as that element.
[[nodiscard]] std::string normalized(std::string_view value);
[[nodiscard]] bool is_same_value(std::string_view a, std::string_view b);
/// Returns `value` as JSON of the type of `target`. Returns nothing if `target` is null, a list, or an object, or if
/// the value cannot be converted.
[[nodiscard]] std::optional<std::string> converted(std::string_view target, const std::string& value);

}  // namespace tapedeck::replay
