#pragma once
// Decoders for text inside of text. Each returns the encoded parts of a view, decoded once, with their surroundings,
// joined by a separator that cannot be part of a value. Bytes with wrong encoding stay as they are.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::scan {

/// How much plain text is kept around an escape: a value is found if it reaches no further beyond its escapes. Values
/// behind them, and long base64 and hex runs on either side, are kept up to 64 KiB.
struct Surroundings {
  std::size_t margin = 256;
};

/// The result of a text decoder.
struct DecodedText {
  std::string text;
  std::vector<std::size_t> changed;  ///< the places of decoded characters, ascending
};

/// Each returns false and leaves `out` unchanged if there is nothing to decode.
[[nodiscard]] bool decode_percent(std::string_view view, Surroundings around, bool plus_is_space, DecodedText& out);
/// `\"` `\/` `\n` `\u00XX` (surrogate pairs too), `\xXX` and `\OOO`; in any text, in a JSON string or not.
[[nodiscard]] bool decode_json_escapes(std::string_view view, Surroundings around, DecodedText& out);
/// `=XX`, and line ends behind a `=`, which are removed (RFC 2045 §6.7).
[[nodiscard]] bool decode_quoted_printable(std::string_view view, Surroundings around, DecodedText& out);
[[nodiscard]] bool decode_html_entities(std::string_view view, Surroundings around, DecodedText& out);

/// Which runs are decoded, and which results are kept.
struct RunChoice {
  bool keep_noise = false;
  /// Only runs that a text decoder has changed, because the others were decoded before. Null: all.
  const std::vector<std::size_t>* changed = nullptr;
};

/// Most runs are no encodings but words and hashes, and decode to noise. Kept is only what has eight ASCII characters
/// in a row (six in base64, which is told by groups), begins with the magic of a compressed frame, or fills its whole
/// view. A value of other bytes would be missed: when one is looked for, `keep_noise` keeps all.
///
/// Base64 of both alphabets, padded or not, over line breaks. Runs of at least `min_run` characters, each at all four
/// alignments: `decoded` gets all runs decoded from their first character on, then all from their second, …; one such
/// text at a time is held.
using Decoded = std::function<void(const std::string& text)>;
void decode_base64(std::string_view view, std::size_t min_run, RunChoice choice, const Decoded& decoded);
/// Base32 (RFC 4648 §6) in either case: runs of at least `min_run` characters at all eight alignments.
void decode_base32(std::string_view view, std::size_t min_run, RunChoice choice, const Decoded& decoded);
/// Runs of at least `min_digits` digits at both alignments, and pairs with one separating character ("61 62", "61:62")
/// or behind signs ("0x61, 0x62").
void decode_hex(std::string_view view, std::size_t min_digits, RunChoice choice, const Decoded& decoded);
/// UTF-16 of either byte order with at least eight Latin-1 characters in a row; the result is UTF-8.
[[nodiscard]] bool decode_utf16(std::string_view view, std::string& out);

/// UTF-32 of either byte order with at least eight Latin-1 characters in a row; the result is UTF-8.
[[nodiscard]] bool decode_utf32(std::string_view view, std::string& out);

/// The inverse of decode_utf16() for values with other characters: UTF-8 to UTF-16; empty if it is not UTF-8.
[[nodiscard]] std::string to_utf16(std::string_view utf8, bool big_endian);

}  // namespace tapedeck::scan
