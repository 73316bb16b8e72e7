#pragma once
// Patches of a JSON text that leave every byte as it was outside of what they change: white space, the order of keys,
// the spelling of numbers. A DOM that is written anew would break clients that read answers with sed and grep (field
// notes, "Answers"). As values, results are those of RFC 6902 and RFC 7396; of equal keys in an object the last counts.

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tapedeck::api {

/// True for one JSON value, with white space around it, nested at most 200 deep.
[[nodiscard]] bool is_json(std::string_view text);
/// Returns the text with other characters in the place of escaped surrogates, so that lone ones are no error.
[[nodiscard]] std::string with_paired_surrogates(std::string_view text);

/// RFC 6901: "/data/volumes/0", with ~0 for ~ and ~1 for /.
struct JsonPointer {
  std::string text;
  std::vector<std::string> tokens;
  /// Nothing for a text that is no pointer.
  [[nodiscard]] static std::optional<JsonPointer> parse(std::string_view text);
};

/// A token as a pointer spells it.
[[nodiscard]] std::string pointer_token(std::string_view name);

/// Why a patch cannot be applied: the place that it names, and what is wrong there.
struct PatchError {
  std::string path;
  std::string reason;
};
/// A "test" found another value: the whole patch leaves the text alone.
struct PatchTestFailed {
  std::string path;
};
using Patched = std::variant<std::string, PatchTestFailed, PatchError>;

/// Thrown while a text is made that would be longer than it may be: a patch that copies what it has copied doubles it.
struct TooLong : std::length_error {
  explicit TooLong(std::size_t most)
      : std::length_error("the response would be longer than " + std::to_string(most) + " bytes") {}
};
inline constexpr std::size_t any_length = std::string::npos;

/// RFC 6902.
class JsonPatch {
 public:
  /// Throws std::invalid_argument with one line that names the operation, from 1.
  [[nodiscard]] static JsonPatch parse(std::string_view text);
  /// All operations in order, or none. Throws TooLong when an operation would make the text longer than `most`.
  [[nodiscard]] Patched apply(std::string_view text, std::size_t most = any_length) const;

 private:
  enum class Kind { add, remove, replace, move, copy, test };
  struct Operation {
    Kind kind = Kind::add;
    JsonPointer path, from;
    std::string value;  ///< as it is spelled
  };
  static Operation read_operation(std::string_view object);
  static Kind kind_of(const std::string& name);
  static std::variant<std::monostate, PatchTestFailed, PatchError> apply(std::string& text, const Operation& operation,
                                                                         std::size_t most);

  std::vector<Operation> operations_;
};

/// Makes the value for a place out of the patch's value for it, which is no object. `target` is what is there, empty where
/// nothing is; nothing leaves the place as it is.
using PatchLeaf = std::function<std::optional<std::string>(std::string_view target, std::string_view value)>;
/// Applies a merge patch (RFC 7396). `patch` must be JSON (is_json()). The only error is a text that is not JSON; its
/// path is empty. Throws TooLong as JsonPatch does.
[[nodiscard]] Patched merge_patch(std::string_view text, std::string_view patch, const PatchLeaf& leaf = {},
                                  std::size_t most = any_length);

}  // namespace tapedeck::api
