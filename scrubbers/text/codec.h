#pragma once
// Decodes text encodings in which the writer chooses what to escape, and maps positions in the decoded text to raw
// positions. Encodings without such a choice (base64, hex, UTF-16) are not decoded; SecretSearch looks for their
// texts.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::scrubbers {

enum class Codec : std::uint8_t {
  percent,  ///< %XX
  form,     ///< %XX and '+' for a space
  json,     ///< the escapes of JSON strings
  html,     ///< character references: &#N; &#xH; and names in ASCII and Latin-1, such as &amp; &sol; &auml;
};

/// Maps a decoded text to its raw bytes. Only escapes are listed, because all other bytes are unchanged.
class PositionMap {
 public:
  void reserve(std::size_t escapes) { escapes_.reserve(escapes); }
  void add(std::size_t decoded, std::size_t decoded_length, std::size_t raw, std::size_t raw_length);
  /// Returns the raw position of the decoded byte `at`. An escape counts as a whole.
  [[nodiscard]] std::size_t raw_begin(std::size_t at) const;
  /// Returns the raw position after the decoded byte `end` - 1. An escape counts as a whole.
  [[nodiscard]] std::size_t raw_end(std::size_t end) const;
  /// Returns true if there is an escape in [begin, end).
  [[nodiscard]] bool has_escape(std::size_t begin, std::size_t end) const;
  [[nodiscard]] bool empty() const { return escapes_.empty(); }

 private:
  struct Escape {
    std::uint32_t decoded, raw;
    std::uint8_t decoded_length, raw_length;
  };
  [[nodiscard]] const Escape* last_at_or_before(std::size_t decoded) const;
  std::vector<Escape> escapes_;
};

struct View {
  std::string text;
  PositionMap map;
};

/// Decodes `raw`, which must be shorter than 4 GiB. Returns false if it contains no escape of the codec; `view` is then
/// undefined.
[[nodiscard]] bool decode_view(Codec codec, std::string_view raw, View& view);
/// Returns only the decoded text.
[[nodiscard]] std::string decode_text(Codec codec, std::string_view raw);

/// Returns the name for encode() that turns `decoded` into `raw`; empty if both are the same.
[[nodiscard]] std::string name_of_encoding(Codec codec, std::string_view raw, std::string_view decoded);
/// Returns `value` in an encoding chain, which is a list of names joined by '>', outermost first. Unknown names leave
/// the text unchanged. For the redacted value, the result is exactly its recorded bytes, except where a name ends in
/// "-any": the writer chose freely which characters to escape, so the result is only a valid encoding.
///   percent, percent-lower          all but RFC 3986 unreserved, upper or lower case digits
///   percent-all, percent-all-lower  every byte
///   form, form-lower                WHATWG urlencoded: space is '+'
///   json, json-slash, json-ascii, json-slash-ascii   inside of a JSON string; '/' escaped; beyond ASCII as \uXXXX
///   json-unicode                    every character as \uXXXX
///   html, html-decimal, html-hex    & < > " ' as entities; every character as &#N; or &#xH;
///   percent-any, json-any, html-any some other choice of what to escape
///   hex, HEX, hex-spaced, HEX-spaced, utf16le
///   base64:K:L:R, base64url:K:L:R   the base64 characters that have any bit of the value, which begins K bytes (0
///                                   to 2) into a group of three; L and R are the neighbors' bits in the first and
///                                   the last character, as decimal numbers (0 where a neighbor has none)
[[nodiscard]] std::string encode(std::string_view value, std::string_view encoding);
/// Joins two encoding chains, either of which may be empty.
[[nodiscard]] std::string join_chain(std::string outer, std::string_view inner);

}  // namespace tapedeck::scrubbers
