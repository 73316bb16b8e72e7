#pragma once
// Replaces marks in hand-written responses with values of the request, its session, or the overlay (docs/mocking.md).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_patch.h"

namespace tapedeck::replay {

/// The values of a session and of an overlay or effect that replace marks.
struct MarkValues {
  std::string session_id, session_token, session_device_id;
  std::uint64_t count = 0;  ///< number of this response, or of this write, among those of its overlay or effect, from 1
};

/// The values that replace marks.
struct TemplateValues : MarkValues {
  /// Returns a parameter's value as the client sent it, or nothing if it did not send the parameter.
  std::function<std::optional<std::string>(std::string_view name)> param;
};

/// A text that may contain the marks {{session.id}}, {{session.token}}, {{session.device_id}}, {{param.NAME}}, and
/// {{count}}. {{{{ is one literal {. Immutable.
class TemplateText {
 public:
  enum class Kind {
    text,  ///< values are inserted unchanged
    /// Inside a JSON string, a value is escaped, and a parameter that is a JSON string loses its quotes. Outside of
    /// strings, a value that is JSON is inserted unchanged, any other value becomes a string, and a missing parameter
    /// becomes null.
    json,
    bytes,  ///< without marks
  };

  TemplateText() = default;
  TemplateText(std::string text, Kind kind);

  /// Returns true if there are no marks, so that render() always returns text().
  [[nodiscard]] bool is_plain() const { return marks_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Returns the text with values in place of the marks. Throws api::TooLong instead of creating a result longer than
  /// `most`, because a parameter may be long and have many marks.
  [[nodiscard]] std::string render(const TemplateValues& values, std::size_t most = api::any_length) const;
  /// Returns the names of the parameters in marks, without duplicates, in the order of the text.
  [[nodiscard]] std::vector<std::string> params() const;
  /// Returns the parameter's name if the text is a JSON string that contains only the mark of a parameter.
  [[nodiscard]] std::optional<std::string> only_param() const;
  /// Returns the text with 1 in place of each mark, for checking its syntax.
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

/// Returns the content of a JSON string, and any other text unchanged.
[[nodiscard]] std::string bare_value(const std::string& value);

}  // namespace tapedeck::replay
