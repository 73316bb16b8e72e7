#pragma once
// Decides which values may be searched for everywhere: those that look like a credential. A value that also occurs in
// ordinary messages would be replaced there, and the recording would lose those bytes.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for a common word, and for a name of an API or method in the catalog (with any first label), without
/// case. Such values are replaced under their name, but not searched for.
[[nodiscard]] bool is_plain_word(std::string_view text);

/// Returns true if a value is so long and varied that it does not occur by chance. It has 12 bytes or more, or 8 or
/// more with three classes of characters; if it consists of digits, with or without separators, it has 16 or more of
/// them. It has at least 5 different bytes, and is neither a common word nor a name of the catalog.
[[nodiscard]] bool is_distinctive(std::string_view value);

/// Returns true if ordinary messages contain such text: parts of targets, headers, JSON, SQL, addresses, and times,
/// without random parts.
[[nodiscard]] bool is_structure(std::string_view value);

/// Returns true if four bytes or more of a value are neither words nor numbers.
[[nodiscard]] bool has_random_part(std::string_view value);

/// Returns true if a value that the device sent may be replaced as a whole value. It must have four bytes or more (six
/// if all are digits), and must be neither a common word nor a word of the interface ("required"), because these occur
/// in most responses.
[[nodiscard]] bool is_whole_secret(std::string_view value);

/// Returns true for texts of Tapedeck itself: placeholders, and the names of a cassette's tables and columns.
[[nodiscard]] bool is_own_text(std::string_view value);

/// Returns true if a value is distinctive, and neither structure nor a text of Tapedeck itself. LearnedSecrets also
/// requires a confirmation by the device, and --bind requires that the values of two cassettes correspond.
[[nodiscard]] bool looks_like_credential(std::string_view value);

}  // namespace tapedeck::scrubbers
