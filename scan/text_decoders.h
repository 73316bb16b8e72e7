#pragma once
// Decodes encoded parts of a text. Each decoder outputs the parts that it has decoded, joined by a separator that
// cannot be part of a value. It decodes one level of encoding and copies invalid escapes unchanged.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::scan {

/// The result of a text decoder.
struct DecodedText {
  std::string text;
  std::vector<std::size_t> changed;  ///< the offsets of decoded characters in `text`, ascending
};

// The next four functions copy at least `margin` bytes of plain text around an escape. A value with escapes can be
// found if its other characters are within the margin. A base64 or hex run on either side, and a value after it, are
// copied up to 64 KiB.

/// Decodes percent escapes. If there are none, returns false and leaves `out` unchanged, like the next three functions.
[[nodiscard]] bool decode_percent(std::string_view view, std::size_t margin, bool plus_is_space, DecodedText& out);
/// Decodes `\"` `\/` `\n` `\u00XX` (with surrogate pairs), `\xXX`, and `\OOO`, inside and outside of JSON strings.
[[nodiscard]] bool decode_json_escapes(std::string_view view, std::size_t margin, DecodedText& out);
/// Decodes `=XX`, and removes line ends after a `=` (RFC 2045 §6.7).
[[nodiscard]] bool decode_quoted_printable(std::string_view view, std::size_t margin, DecodedText& out);
[[nodiscard]] bool decode_html_entities(std::string_view view, std::size_t margin, DecodedText& out);

/// Selects the runs to decode and the results to keep.
struct RunChoice {
  bool keep_noise = false;
  /// DecodedText::changed: decode only runs with such a position, because the other runs were decoded before. Null:
  /// decode all runs.
  const std::vector<std::size_t>* changed = nullptr;
};

/// Decodes base64 of both alphabets, with or without padding, across line breaks. Decodes each run of `min_run` or more
/// characters at all four alignments: `decoded` is called with all runs decoded from their first character, then with
/// all from their second, and so on, to keep only one such text in memory.
///
/// Most runs are words or hashes and decode to noise. A result of base64 or hex is kept if it has six (hex: eight)
/// ASCII characters in a row, begins like a compressed frame, or comes from a run that is nearly all of the view. Set
/// `keep_noise` to keep all results, so that values of other bytes are found.
using Decoded = std::function<void(const std::string& text)>;
void decode_base64(std::string_view view, std::size_t min_run, RunChoice choice, const Decoded& decoded);
/// Decodes base32 (RFC 4648 §6) in upper and lower case: runs of `min_run` or more characters at all eight alignments.
void decode_base32(std::string_view view, std::size_t min_run, RunChoice choice, const Decoded& decoded);
/// Decodes hex: runs of `min_digits` or more digits at both alignments, pairs with a character between them ("61 62",
/// "61:62"), and pairs with prefixes ("0x61, 0x62").
void decode_hex(std::string_view view, std::size_t min_digits, RunChoice choice, const Decoded& decoded);
/// Decodes UTF-16 (`width` 2) or UTF-32 (4) of either byte order to UTF-8, where Latin-1 characters with
/// at least eight bytes of UTF-8 follow each other.
[[nodiscard]] bool decode_wide(std::string_view view, std::size_t width, std::string& out);

}  // namespace tapedeck::scan
