#pragma once
// Decodes encoded parts of a text, one level of encoding at a time. Each decoder outputs the parts that it has decoded,
// joined by a separator that cannot be part of a value.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tapedeck::scan {

// The next two functions copy at least `margin` bytes of plain text around an escape. A value with escapes can be found
// if its other characters are within the margin. A base64 or hex run on either side, and a value after it, are copied
// up to 64 KiB. Invalid escapes are copied unchanged. If there are none, they return false and leave `out` unchanged.

/// Decodes percent escapes.
[[nodiscard]] bool decode_percent(std::string_view view, std::size_t margin, bool plus_is_space, std::string& out);
/// Decodes the escapes of JSON, inside and outside of strings.
[[nodiscard]] bool decode_json_escapes(std::string_view view, std::size_t margin, std::string& out);

/// Decodes base64 of both alphabets, with or without padding, across line breaks. Decodes each run of `min_run` or more
/// characters at all four alignments: `decoded` is called with all runs decoded from their first character, then with
/// all from their second, and so on, to keep only one such text in memory.
///
/// Most runs are words or hashes and decode to noise. A result of base64 or hex is kept if it has six (hex: eight)
/// ASCII characters in a row, begins like a compressed frame, or comes from a run that is nearly all of the view. Set
/// `keep_noise` to keep all results, so that values of other bytes are found.
using Decoded = std::function<void(const std::string& text)>;
void decode_base64(std::string_view view, std::size_t min_run, bool keep_noise, const Decoded& decoded);
/// Decodes hex: runs of `min_digits` or more digits at both alignments, and pairs with a character between them
/// ("61 62", "61:62").
void decode_hex(std::string_view view, std::size_t min_digits, bool keep_noise, const Decoded& decoded);

}  // namespace tapedeck::scan
