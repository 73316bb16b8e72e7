#pragma once
// Decides which values may be searched for everywhere: those that look like a credential. A value that also occurs in
// ordinary messages would be replaced there, and the recording would miss those bytes.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true if a value is long and varied enough not to occur by chance: 12 bytes or more, or 8 or more with three
/// classes of characters; not fewer than 16 digits, also with separators between them; at least 5 different bytes; no
/// common word and no name of the catalog.
[[nodiscard]] bool is_distinctive(std::string_view value);

/// Returns true if messages are written with such text: parts of targets, headers, JSON, SQL, addresses, and times,
/// with nothing random in them.
[[nodiscard]] bool is_structure(std::string_view value);

/// Returns true for texts of Tapedeck itself: placeholders, and the names of a cassette's tables and columns.
[[nodiscard]] bool is_own_text(std::string_view value);

/// Returns true if a value is distinctive, no structure, and no text of Tapedeck itself. What else decides is who
/// vouches for it (LearnedSecrets) and, for --bind, that two cassettes' values meet.
[[nodiscard]] bool looks_like_credential(std::string_view value);

/// Returns true if a value is written like structure, but not in an order that messages have: 10 bytes or more with
/// lower case, upper case, and digits, and with one of `!$^` or a `=` behind a `/` or `@` of the same name. For values
/// of clients that the device accepted.
[[nodiscard]] bool looks_typed(std::string_view value);

/// Returns true for letters and digits, at least one of each, and the marks that ids and tokens are written with.
[[nodiscard]] bool looks_like_id(std::string_view value);

}  // namespace tapedeck::scrubbers
