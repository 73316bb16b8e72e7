#pragma once
// Lists the encoded forms of a secret that have only one spelling, so that each is a literal to search for.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::scrubbers {

enum class Form : std::uint8_t { raw, base64, hex, upper_hex, spaced_hex, upper_spaced_hex, utf16le };

struct Needle {
  std::string bytes;
  Form form = Form::raw;
  std::uint8_t alignment = 0;  ///< for base64: bytes before the value in its group of three
};

/// Returns all needles of a value of at least 8 bytes: the value itself, base64 at three alignments (in both alphabets
/// if they differ), hex in both cases with and without spaces, and UTF-16LE. Each has at least 8 bytes.
[[nodiscard]] std::vector<Needle> needles_of(std::string_view value);

/// The place of the value if a needle was found at `at`, and the name of its encoding for encode().
struct Occurrence {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string encoding;
};
/// Returns nothing if the characters around a base64 needle do not have the rest of the value's bits.
[[nodiscard]] std::optional<Occurrence> locate(std::string_view text, std::size_t at, std::size_t needle_size,
                                               Form form, unsigned alignment, std::string_view value);

}  // namespace tapedeck::scrubbers
