#pragma once
// The values of a write in the places of an effect's marks.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

/// One element of each list parameter that some texts mention, so that each list parameter stands for its elements. A
/// list of one element is that element everywhere.
class ValueSets {
 public:
  /// `names` are the parameters that the texts mention.
  ValueSets(const WriteValues& values, const std::vector<std::string>& names);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// The text with the values of that set; nothing if a mark has no value there. Throws api::TooLong before the result
  /// is longer than `most`.
  [[nodiscard]] std::optional<std::string> render(const TemplateText& text, std::size_t set, std::size_t most) const;
  /// The parameter's value in that set, as it was sent.
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

/// The parameters that marks in these texts name.
[[nodiscard]] std::vector<std::string> params_in(const NamedTexts& texts);
/// Equal for values that are equal: as values of a key are, a list of one element as its element.
[[nodiscard]] std::string normalized(std::string_view value);
[[nodiscard]] bool is_same_value(std::string_view a, std::string_view b);
/// `value` as JSON of the type that `target` has. Nothing if `target` is null, a list, or an object, or the value cannot
/// be converted.
[[nodiscard]] std::optional<std::string> converted(std::string_view target, const std::string& value);

}  // namespace tapedeck::replay
