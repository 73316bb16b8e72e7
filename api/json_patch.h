#pragma once
// Patches a JSON text and leaves all other bytes unchanged, including white space, the order of keys, and the spelling
// of numbers, because some clients parse responses with sed and grep (docs/device-notes.md, "Responses"). Results
// conform to RFC 6902 and RFC 7396. If an object has equal keys, the last one counts.

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tapedeck::api {

/// Returns true for one JSON value, with optional white space around it, that is nested at most 200 levels deep.
[[nodiscard]] bool is_json(std::string_view text);
/// Returns the text with other characters in place of escaped surrogates, so that unpaired surrogates are not an error.
[[nodiscard]] std::string with_paired_surrogates(std::string_view text);

/// A JSON pointer (RFC 6901): "/data/volumes/0", with ~0 for ~ and ~1 for /.
struct JsonPointer {
  std::string text;
  std::vector<std::string> tokens;
  /// Returns nothing for a text that is not a valid pointer.
  [[nodiscard]] static std::optional<JsonPointer> parse(std::string_view text);
};

/// Returns a token in the spelling of a pointer.
[[nodiscard]] std::string pointer_token(std::string_view name);

/// The reason why a patch cannot be applied: the place, and the fault there.
struct PatchError {
  std::string path;
  std::string reason;
};
/// A "test" operation found another value, so the whole patch is skipped.
struct PatchTestFailed {
  std::string path;
};
using Patched = std::variant<std::string, PatchTestFailed, PatchError>;

/// Thrown if a result would be too long, because a patch can repeatedly copy its own copies and double the text each
/// time.
struct TooLong : std::length_error {
  explicit TooLong(std::size_t most)
      : std::length_error("the response would be longer than " + std::to_string(most) + " bytes") {}
};
inline constexpr std::size_t any_length = std::string::npos;

/// A JSON patch (RFC 6902).
class JsonPatch {
 public:
  /// Throws std::invalid_argument with one line that contains the number of the operation, from 1.
  [[nodiscard]] static JsonPatch parse(std::string_view text);
  /// Applies all operations in order, or none. Throws TooLong if a result would be longer than `most`.
  [[nodiscard]] Patched apply(std::string_view text, std::size_t most = any_length) const;

 private:
  enum class Kind { add, remove, replace, move, copy, test };
  struct Operation {
    Kind kind = Kind::add;
    JsonPointer path, from;
    std::string value;  ///< in its original spelling
  };
  static Operation read_operation(std::string_view object);
  static Kind kind_of(const std::string& name);
  static std::variant<std::monostate, PatchTestFailed, PatchError> apply(std::string& text, const Operation& operation,
                                                                         std::size_t most);

  std::vector<Operation> operations_;
};

/// Returns the new value of a place. Receives the patch's value for it, which is not an object. `target` is the current
/// value, or empty. If it returns nothing, the place stays unchanged.
using PatchLeaf = std::function<std::optional<std::string>(std::string_view target, std::string_view value)>;
/// Applies a merge patch (RFC 7396). Requires that `patch` is JSON (is_json()). The only error is a text that is not
/// JSON, and its path is empty. Throws TooLong like JsonPatch.
[[nodiscard]] Patched merge_patch(std::string_view text, std::string_view patch, const PatchLeaf& leaf = {},
                                  std::size_t most = any_length);

}  // namespace tapedeck::api
