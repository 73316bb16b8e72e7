#pragma once
// Marks in hand-written answers, which the request fills in (docs/mocking.md).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_patch.h"

namespace tapedeck::replay {

/// What marks stand for.
struct TemplateValues {
  std::string session_id, session_token, session_device_id;
  /// A parameter's value as the client sent it; nothing when it sent none.
  std::function<std::optional<std::string>(std::string_view name)> param;
  std::uint64_t count = 0;  ///< which answer of its overlay this is, from 1
};

/// A text with {{session.id}}, {{session.token}}, {{session.device_id}}, {{param.NAME}} and {{count}} in it; {{{{ is
/// one brace; nothing else is a mark. Immutable.
class TemplateText {
 public:
  enum class Kind {
    text,  ///< values stand as they are
    /// Inside a JSON string a value stands escaped, and a parameter that is a JSON string without its quotes. Outside
    /// of strings it stands as JSON: as it is where it is some, else as a string, null when it is missing.
    json,
    bytes,  ///< nothing is a mark
  };

  TemplateText() = default;
  TemplateText(std::string text, Kind kind);

  /// Nothing in it is a mark: render() always gives text().
  [[nodiscard]] bool is_plain() const { return marks_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Throws api::TooLong before the result is longer than `most`: a parameter may be long, and its marks many.
  [[nodiscard]] std::string render(const TemplateValues& values, std::size_t most = api::any_length) const;
  /// The names of parameters in marks, each once, in the order of the text.
  [[nodiscard]] std::vector<std::string> params() const;
  /// The parameter, when the text is a JSON string that is its mark and nothing else.
  [[nodiscard]] std::optional<std::string> only_param() const;
  /// The text with 1 for each mark: for checking what surrounds them.
  [[nodiscard]] std::string sample() const;

 private:
  enum class What { brace, session_id, session_token, session_device_id, param, count };
  struct Mark {
    std::size_t offset = 0, length = 0;
    What what = What::brace;
    std::string param;
    bool in_string = false;
  };

  [[nodiscard]] static std::optional<Mark> mark_at(std::string_view text, std::size_t at);
  [[nodiscard]] std::string value_of(const Mark& mark, const TemplateValues& values) const;
  template <typename Value>
  [[nodiscard]] std::string filled_in(const Value& value, std::size_t most) const;

  std::string text_;
  Kind kind_ = Kind::bytes;
  std::vector<Mark> marks_;
};

/// What a JSON string contains; any other text as it is.
[[nodiscard]] std::string bare_value(const std::string& value);

}  // namespace tapedeck::replay
