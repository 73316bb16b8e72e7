#pragma once
// Decodes text encodings in which the writer chooses what to escape, and maps positions in the decoded text to raw
// positions. Encodings without such a choice (base64, hex, UTF-16) are not decoded; SecretSearch looks for their
// texts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/text/encoding.h"

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

/// Returns the character that begins an escape. In a form, `+` is another one.
[[nodiscard]] char escape_mark(Codec codec);
/// Decodes `raw`, which must be shorter than 4 GiB. Returns false if it contains no escape of the codec; `view` is then
/// undefined.
[[nodiscard]] bool decode_view(Codec codec, std::string_view raw, View& view);
/// Returns only the decoded text.
[[nodiscard]] std::string decode_text(Codec codec, std::string_view raw);

/// Returns the encoding that turns `decoded` into `raw`; empty if both are the same.
[[nodiscard]] Encoding encoding_of(Codec codec, std::string_view raw, std::string_view decoded);
/// Returns the codec that decodes a form; nothing for the forms that are not decoded.
[[nodiscard]] std::optional<Codec> codec_of(Form form);

}  // namespace tapedeck::scrubbers
